"""An idle worker judges again what an earlier version of its answer head gated, and takes no row off its board."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.judges.answers.judge import GatedJudge
from evaluator.judges.answers.ungated import Ungated
from evaluator.judges.kind import Scorer
from evaluator.judges.protocol import Judge, JudgeRequest, Judgment, RequestKind
from evaluator.judges.scripted import ScriptedJudge
from evaluator.rejudging.board import Rejudging, ask_here
from evaluator.worker import earlier_heads
from evaluator.worker.earlier_heads import WHY, EarlierHeads
from evaluator.worker.loop import Worker
from submissions.promptsets import PromptSets, example_submissions
from submissions.schema import Names
from submissions.store.queue import JobStatus
from submissions.store.store import Store

PROMPT_SETS = PromptSets.load(None)
EXAMPLES = dict(example_submissions())


class Head(ScriptedJudge):
    """An answer head of some version, to which every text is an answer as probably as it is told."""

    def __init__(self, version: str, probability: float) -> None:
        super().__init__(answers=lambda request: probability)
        self._pin = self._pin.model_copy(update={"name": "answers", "prompt": f"answer-calibration {version}"})

    @property
    def kinds(self) -> frozenset[RequestKind]:
        return frozenset({"answers"})


class Pairs(ScriptedJudge):
    """Rates pairs, and may be told to break."""

    def __init__(self, script_version: str = "one", *, breaks: bool = False) -> None:
        super().__init__(script_version=script_version)
        self._breaks = breaks

    def judge(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
        if self._breaks and requests:
            raise MemoryError("the judge ran out of memory")
        return super().judge(requests)


class House:
    """A store with scored runs, and workers on demand."""

    def __init__(self, folder: Path) -> None:
        self.store = Store.open(f"sqlite:///{folder / 'plumbline.db'}", lease_s=0.06, max_attempts=2)
        self.tickets: list[str] = []

    def submit(self, name: str) -> str:
        added = self.store.add(
            ticket_id=name,
            owner="anna",
            role="entry",
            edition="2024",
            set_id="demonstration",
            names=Names(team="Anna", system=name, model=name),
            file_name=f"{name}.json",
            data=EXAMPLES[f"{name}.json"],
            received_at=float(len(self.tickets)),
        )
        self.tickets.append(added.id)
        return added.id

    def work(self, judge: Judge, sets: PromptSets = PROMPT_SETS) -> None:
        """Works until nothing is left, waiting out the pauses between attempts."""
        for _ in range(20):
            Worker(
                name="w",
                store=self.store,
                archive=None,
                prompt_sets=sets,
                scorer=Scorer(judge, ScriptedEmbedder()),
                stop=threading.Event(),
            ).run(until_empty=True)
            if not any(ticket.status.is_open for ticket in self.store.tickets()):
                return
            threading.Event().wait(0.02)

    def gates(self) -> list[str]:
        """Which heads the results are of, by submission."""
        found = [json.loads(self.store.result(ticket) or "") for ticket in self.tickets]
        return ["" if result["gate"] is None else result["gate"]["prompt"] for result in found]

    def scores(self) -> list[float]:
        found = [json.loads(self.store.result(ticket) or "") for ticket in self.tickets]
        return [result["views"]["all"]["figures"]["pair_mean_gated"]["mean"]["value"] for result in found]


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path)
    made.submit("tide")
    made.submit("keel")
    yield made
    made.store.close()


def gated(version: str, probability: float, pairs: Judge | None = None) -> GatedJudge:
    return GatedJudge(pairs or Pairs(), Head(version, probability))


def test_what_an_earlier_head_let_through_is_judged_again_and_no_pair_is_asked_twice(house: House) -> None:
    house.work(gated("1", 1.0))
    before, was_asked = house.scores(), Pairs()
    assert (house.gates(), min(before) > 0.0) == (["answer-calibration 1"] * 2, True)
    house.work(gated("2", 0.7, was_asked))
    assert house.gates() == ["answer-calibration 2"] * 2
    # A text that answers with a probability of 0.7 weighs (0.7 - 0.5) / 0.4 = a half.
    assert house.scores() == pytest.approx([score / 2 for score in before])
    assert was_asked.calls == 0
    assert [any(WHY in line for line in house.store.require(ticket).log) for ticket in house.tickets] == [True] * 2
    assert house.store.require("tide").log[-1].endswith(" scored")


def test_once_judged_again_nothing_is_done_any_more(house: House) -> None:
    house.work(gated("1", 1.0))
    house.work(gated("2", 1.0))
    claims = [house.store.require(ticket).attempts for ticket in house.tickets]
    house.work(gated("2", 1.0))
    assert [house.store.require(ticket).attempts for ticket in house.tickets] == claims == [2, 2]


def test_a_row_stands_while_it_waits_and_for_good_where_it_cannot_be_judged(house: House) -> None:
    house.work(gated("1", 1.0))
    before = house.scores()
    earlier = EarlierHeads(house.store, PROMPT_SETS, Scorer(gated("2", 0.7), ScriptedEmbedder()))
    assert earlier.queue_next()
    (waiting,) = [ticket for ticket in house.store.tickets() if ticket.status is JobStatus.QUEUED]
    assert (waiting.is_on_boards, waiting.is_rejudged, house.scores()) == (True, True, before)

    house.work(gated("2", 0.7, Pairs("another", breaks=True)))
    assert [ticket.status for ticket in house.store.tickets()] == [JobStatus.SCORED] * 2
    assert (house.gates(), house.scores()) == (["answer-calibration 1"] * 2, before)
    assert "the former result stands" in house.store.require(waiting.id).log[-1]
    attempts = [house.store.require(ticket).attempts for ticket in house.tickets]
    house.work(gated("2", 0.7, Pairs("another", breaks=True)))  # a worker that was started anew
    assert [house.store.require(ticket).attempts for ticket in house.tickets] == attempts == [1 + 2, 1 + 2]


@pytest.mark.parametrize(
    "judge",
    [
        pytest.param(Pairs(), id="asks no head"),
        pytest.param(ScriptedJudge(answers=lambda request: 1.0, script_version="another"), id="is its own gate"),
        pytest.param(GatedJudge(Pairs(), ScriptedJudge(answers=lambda request: 1.0)), id="has a gate of another name"),
        pytest.param(GatedJudge(Head("pairs", 1.0), Head("2", 1.0)), id="is another judge of pairs"),
    ],
)
def test_a_judge_with_another_gate_leaves_what_others_gated_as_it_is(house: House, judge: Judge) -> None:
    house.work(gated("1", 1.0))
    house.work(judge)
    assert house.gates() == ["answer-calibration 1"] * 2


def test_a_run_that_was_scored_against_other_prompts_is_left_alone(house: House) -> None:
    house.work(gated("1", 1.0))
    other = replace(PROMPT_SETS, demonstration=replace(PROMPT_SETS.demonstration, sha256="another"))
    house.work(gated("2", 1.0), other)
    assert house.gates() == ["answer-calibration 1"] * 2


def test_nothing_is_queued_while_somebody_waits(house: House) -> None:
    house.work(gated("1", 1.0))
    house.submit("sextant")
    earlier = EarlierHeads(house.store, PROMPT_SETS, Scorer(gated("2", 1.0), ScriptedEmbedder()))
    assert not earlier.queue_next()
    assert house.store.counts()[JobStatus.QUEUED] == 1
    house.store.cancel("sextant", "anna")
    assert earlier.queue_next()
    assert not earlier.queue_next()  # one at a time
    assert house.store.counts()[JobStatus.QUEUED] == 1


def test_results_are_looked_at_a_few_at_a_time_so_that_nobody_waits_for_that(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(earlier_heads, "LOOKS_AT", 1)
    house.work(gated("2", 1.0))
    earlier = EarlierHeads(house.store, PROMPT_SETS, Scorer(gated("2", 1.0), ScriptedEmbedder()))
    assert [earlier.queue_next() for _ in range(4)] == [True, False, False, False]


@pytest.mark.parametrize("former", [gated("1", 1.0), Ungated(gated("1", 1.0))], ids=["earlier", "none"])
def test_all_at_once_an_organiser_may_have_them_judged_again_by_the_judge_of_pairs_they_had(
    house: House, former: Judge, tmp_path: Path
) -> None:
    house.work(former)
    pairs = Pairs()
    scorer = Scorer(gated("2", 0.7, pairs), ScriptedEmbedder())
    for anew, already in ((2, 0), (0, 2)):
        again = Rejudging(
            house.store, None, PROMPT_SETS, scorer, [], references={}, reason="the answer head has learnt since"
        )
        standing = list(again.standing(["robustness"]))
        folder = tmp_path / f"open-{anew}"
        folder.mkdir()
        questions = again.list_open(standing, folder, lambda done: None)
        again.ask(ask_here, questions, lambda done: None)
        again.score(standing, lambda done: None)
        assert (again.summary.judged_anew, again.summary.already) == (anew, already)
    assert (house.gates(), pairs.calls) == (["answer-calibration 2"] * 2, 0)
