"""Batches over actors that die: who is asked what, with actors and a clock of our own in place of Ray's."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from evaluator.judge_loading import ray_actors, ray_spread
from evaluator.judge_loading.ray_actors import RayJudge
from evaluator.judge_loading.ray_cluster import RaySetting
from evaluator.judge_loading.ray_spread import RETRIES, Spread
from evaluator.judges.protocol import JudgeLost, JudgeUnavailable
from evaluator.judges.scripted import ScriptedJudge


class RayActorError(Exception):
    pass


class ActorDiedError(RayActorError):
    """For good."""


class ObjectLostError(Exception):
    pass


class GetTimeoutError(Exception):
    pass


class Answer:
    """What a remote call returns: known at once, at a time, or never."""

    def __init__(self, outcome: object, *, at_s: float = 0.0) -> None:
        self.outcome = outcome
        self.at_s = at_s


class Actor:
    """Answers batches with their places.

    Args:
        fatal: It dies when it is asked this batch.
        deaths: How often, at most.
        death: What its calls raise from then on.
        looks_away: After so many looks it is back.
        is_silent: It never answers, and is not known to be dead.
        is_cut_off: From its death on it says nothing of itself.
    """

    def __init__(
        self,
        *,
        fatal: list[int] | None = None,
        deaths: int = 10**9,
        death: type[Exception] = ActorDiedError,
        looks_away: int = 10**9,
        is_silent: bool = False,
        is_cut_off: bool = False,
    ) -> None:
        self.asked: list[list[int]] = []
        self.heard = SimpleNamespace(remote=self._heard)
        self._fatal, self._deaths, self._death, self._looks_away = fatal, deaths, death, looks_away
        self._is_silent = is_silent
        self._is_cut_off = is_cut_off
        self._is_dead = False
        self._looks = 0

    def ask(self, batch: list[int]) -> Answer:
        self.asked.append(batch)
        if self._is_silent:
            return Answer(None, at_s=math.inf)
        if self._is_dead or (batch == self._fatal and self._deaths):
            self._deaths -= not self._is_dead
            self._is_dead, self._looks = True, 0
            return Answer(self._death())
        return Answer(batch)

    def _heard(self) -> Answer:
        if self._is_silent or (self._is_dead and self._is_cut_off):
            return Answer(None, at_s=math.inf)
        if self._is_dead:
            self._looks += 1
            self._is_dead = self._looks <= self._looks_away
        return Answer(self._death() if self._is_dead else (0, len(self.asked), None))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Ray and the time as `Spread` sees them; what nobody answers takes the time that it is waited for."""
    now = SimpleNamespace(s=0.0)

    def pass_by(seconds: float) -> None:
        now.s += seconds

    def wait(answers: list[Answer], num_returns: int, timeout: float) -> tuple[list[Answer], list[Answer]]:
        come = [one for one in answers if one.at_s <= now.s][:num_returns]
        if len(come) < num_returns:
            pass_by(timeout)
        return come, [one for one in answers if one not in come]

    def get(answer: Answer, timeout: float = math.inf) -> Any:
        if answer.at_s > now.s + timeout:
            pass_by(timeout)
            raise GetTimeoutError
        if isinstance(answer.outcome, Exception):
            raise answer.outcome
        return answer.outcome

    known = (RayActorError, ActorDiedError, ObjectLostError, GetTimeoutError)
    exceptions = SimpleNamespace(**{error.__name__: error for error in known}, RayError=Exception, RayTaskError=())
    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(wait=wait, get=get, exceptions=exceptions))
    for module in (ray_spread, ray_actors):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now.s, sleep=pass_by))
    return now


BATCHES = ([0, 1], [2, 3], [4, 5], [6, 7])


def answers(*actors: Actor, batches: Sequence[list[int]] = BATCHES) -> list[list[int]]:
    return list(Spread(actors, 0, batches, lambda actor, batch: actor.ask(batch), lambda place: None).answers())


@pytest.mark.usefixtures("clock")
def test_every_batch_is_asked_once_where_nobody_dies() -> None:
    first, second = Actor(), Actor()
    assert sorted(answers(first, second)) == sorted(BATCHES)
    assert sorted([*first.asked, *second.asked]) == sorted(BATCHES)


@pytest.mark.parametrize("is_cut_off", [False, True])
@pytest.mark.usefixtures("clock")
def test_what_a_dead_actor_was_asked_goes_to_another_and_it_is_asked_nothing_again(is_cut_off: bool) -> None:
    dying, other = Actor(fatal=[0, 1], is_cut_off=is_cut_off), Actor()
    assert sorted(answers(dying, other)) == sorted(BATCHES)
    assert dying.asked == [[0, 1]]
    # It has its own batch in hand when the first one dies, then takes that one before those that wait.
    assert other.asked == [[2, 3], [0, 1], [4, 5], [6, 7]]


@pytest.mark.usefixtures("clock")
def test_an_actor_that_is_started_anew_is_asked_again_once_it_answers() -> None:
    restarted = Actor(fatal=[0], deaths=1, death=RayActorError, looks_away=3)
    assert answers(restarted, batches=[[0], [1]]) == [[0], [1]]
    assert restarted.asked == [[0], [0], [1]]  # nothing in between, while it was away


@pytest.mark.usefixtures("clock")
def test_a_batch_that_kills_whoever_is_asked_it_is_given_up_after_its_retries() -> None:
    actor = Actor(fatal=[0], death=RayActorError, looks_away=0)
    with pytest.raises(RayActorError):
        answers(actor, batches=[[0], [1]])
    assert actor.asked == [[0]] * (1 + RETRIES)


def test_where_all_are_dead_for_good_the_judge_is_lost_at_once(clock: SimpleNamespace) -> None:
    with pytest.raises(JudgeLost, match="all 2 actors are gone"):
        answers(Actor(fatal=[0, 1]), Actor(fatal=[2, 3]))
    assert clock.s < 10 * ray_spread.LOOK_S


def test_where_nobody_answers_any_more_the_judge_is_not_waited_for_without_end(clock: SimpleNamespace) -> None:
    with pytest.raises(JudgeUnavailable, match="none of 2 actors has answered") as refused:
        answers(Actor(is_silent=True), Actor(is_silent=True))
    assert not isinstance(refused.value, JudgeLost)
    assert ray_spread.RETURN_WITHIN_S <= clock.s <= ray_spread.RETURN_WITHIN_S + 2 * ray_spread.LOOK_S


def test_an_actor_is_asked_nothing_else_while_it_has_a_batch_in_hand(clock: SimpleNamespace) -> None:
    # Several looks pass during each batch, and find it well each time.
    takes_s = 5 * ray_spread.LOOK_S
    asked_at: list[float] = []

    class Slow(Actor):
        def ask(self, batch: list[int]) -> Answer:
            asked_at.append(clock.s)
            return Answer(batch, at_s=clock.s + takes_s)

    assert answers(Slow(), batches=[[0], [1], [2]]) == [[0], [1], [2]]
    assert all(later - earlier >= takes_s for earlier, later in itertools.pairwise(asked_at))


class KeyActor:
    """Answers a verdict key, or how it stands with it, one after the other; the last one again and again."""

    def __init__(self, *answers: object) -> None:
        self._answers = list(answers)
        self.key = SimpleNamespace(remote=self._remote)

    def _remote(self, request: object) -> Answer:
        said = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        return Answer(said, at_s=math.inf if said is None else 0.0)


def judge_of(*actors: KeyActor) -> RayJudge:
    inner = ScriptedJudge()
    return RayJudge(RaySetting("local", "scripted"), actors, inner.pin, (inner.gate_pin, inner.kinds, "none"))


def test_a_key_is_asked_of_another_actor_where_one_is_dead_or_silent(clock: SimpleNamespace) -> None:
    request: Any = None
    assert judge_of(KeyActor(ActorDiedError()), KeyActor("k")).key(request) == "k"
    assert judge_of(KeyActor(None), KeyActor("k")).key(request) == "k"
    # One that is started anew is waited for.
    assert judge_of(KeyActor(RayActorError(), RayActorError(), RayActorError(), "k")).key(request) == "k"


def test_a_judge_without_actors_for_keys_is_lost_at_once(clock: SimpleNamespace) -> None:
    request: Any = None
    with pytest.raises(JudgeLost, match="all 2 actors are gone"):
        judge_of(KeyActor(ActorDiedError()), KeyActor(ActorDiedError())).key(request)
    assert clock.s < 10 * ray_spread.LOOK_S
    # Once may be of the moment it died, before it is started anew.
    assert judge_of(KeyActor(ActorDiedError(), "k")).key(request) == "k"
