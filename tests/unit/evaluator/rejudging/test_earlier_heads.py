"""An idle worker judges again what an earlier version of its answer head gated, and takes no row off its board."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.judges.answers.judge import GatedJudge
from evaluator.judges.answers.ungated import Ungated
from evaluator.judges.kind import Scorer
from evaluator.judges.protocol import Judge, JudgeRequest, Judgment, RequestKind
from evaluator.judges.scripted import ScriptedJudge
from evaluator.rejudging import earlier_heads
from evaluator.rejudging.board import Rejudging, ask_here
from evaluator.rejudging.earlier_heads import TRIES, WHY, EarlierHeads
from evaluator.statistics.version import STATISTICS_VERSION
from evaluator.worker.loop import Worker
from submissions.archive.record import Archive
from submissions.archive.restoring import restore
from submissions.desk import Desk
from submissions.promptsets import PromptSets, example_submissions
from submissions.schema import Names
from submissions.store.queue import JobStatus
from submissions.store.store import Store

PROMPT_SETS = PromptSets.load(None)
EXAMPLES = dict(example_submissions())


class Head(ScriptedJudge):
    """An answer head of some version, to which every text is an answer as probably as it is told."""

    def __init__(self, version: str, probability: float, *, breaks: bool = False) -> None:
        super().__init__(answers=lambda request: probability)
        self._breaks = breaks
        self._pin = self._pin.model_copy(update={"name": "answers", "prompt": f"answer-calibration {version}"})

    @property
    def kinds(self) -> frozenset[RequestKind]:
        return frozenset({"answers"})

    def judge(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
        if self._breaks:
            raise MemoryError("the head ran out of memory")
        return super().judge(requests)


class Pairs(ScriptedJudge):
    """Rates pairs, in some version."""

    def __init__(self, version: str = "one") -> None:
        super().__init__(script_version=version)


class House:
    """A store with scored runs, and workers on demand."""

    def __init__(self, folder: Path) -> None:
        self.store = Store.open(f"sqlite:///{folder / 'plumbline.db'}", lease_s=0.06)
        self.archive = Archive(folder / "archive")
        self.desk = Desk(self.store, self.archive, PROMPT_SETS)
        self.tickets: list[str] = []

    def submit(self, name: str) -> str:
        names = Names(team="Anna", system=name, model=name)
        receipt = self.desk.submit(EXAMPLES[f"{name}.json"], f"{name}.json", owner="anna", names=names)
        self.tickets.append(receipt.ticket.id)
        return receipt.ticket.id

    def work(self, judge: Judge, sets: PromptSets = PROMPT_SETS) -> None:
        """Works until nothing is left, as a worker that was just started."""
        Worker(
            name="w",
            store=self.store,
            archive=self.archive,
            prompt_sets=sets,
            scorer=Scorer(judge, ScriptedEmbedder()),
            stop=threading.Event(),
            idle=self.earlier(judge, sets).judge_next,
        ).run(until_empty=True)

    def earlier(self, judge: Judge, sets: PromptSets = PROMPT_SETS) -> EarlierHeads:
        scorer = Scorer(judge, ScriptedEmbedder())
        again = Rejudging(self.store, self.archive, sets, scorer, references={}, reason=WHY)
        return EarlierHeads(self.store, sets, scorer, again)

    def log_of(self, ticket: str) -> list[str]:
        """The log without its times."""
        return [line[len("2026-11-27 12:00:00 ") :] for line in self.store.require(ticket).log]

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
    house.work(gated("2", 0.6, was_asked))
    assert house.gates() == ["answer-calibration 2"] * 2
    # A text that answers with a probability of 0.6 weighs (0.6 - 0.5) / 0.2 = a half.
    assert house.scores() == pytest.approx([score / 2 for score in before])
    assert was_asked.calls == 0
    for ticket in house.tickets:
        begun, why, done = house.log_of(ticket)[-3:]
        assert begun.startswith("being judged again by version ")
        assert why.endswith(WHY)
        assert done == "scored anew"


def test_whoever_rebuilds_finds_the_row_as_it_was_judged_last(house: House, tmp_path: Path) -> None:
    house.work(gated("1", 1.0))
    house.work(gated("2", 0.7))
    with closing(Store.open(f"sqlite:///{tmp_path / 'rebuilt.db'}")) as rebuilt:
        restore(house.archive, rebuilt)
        assert [rebuilt.result(ticket) for ticket in house.tickets] == [
            house.store.result(ticket) for ticket in house.tickets
        ]


def test_a_result_of_earlier_statistics_is_made_anew_from_its_verdicts(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    head, was_asked = gated("1", 1.0), Pairs()
    with monkeypatch.context() as before:
        before.setattr("evaluator.robustness.evaluate.STATISTICS_VERSION", 1)
        before.setattr("evaluator.rejudging.earlier_heads.STATISTICS_VERSION", 1)
        house.work(head)
    house.work(gated("1", 1.0, was_asked))
    results = [json.loads(house.store.result(ticket) or "") for ticket in house.tickets]
    assert [result["statistics_version"] for result in results] == [STATISTICS_VERSION] * 2
    assert was_asked.calls == 0
    begun, why, done = house.log_of(house.tickets[0])[-3:]
    assert begun == f"being made anew by version {STATISTICS_VERSION} of the statistics"
    assert why.endswith(WHY)
    assert done == "scored anew"
    house.work(gated("1", 1.0))
    assert house.log_of(house.tickets[0])[-3:] == [begun, why, done]


def test_once_judged_again_nothing_is_done_any_more(house: House) -> None:
    house.work(gated("1", 1.0))
    house.work(gated("2", 1.0))
    logs = [house.log_of(ticket) for ticket in house.tickets]
    house.work(gated("2", 1.0))
    assert [house.log_of(ticket) for ticket in house.tickets] == logs


def test_a_row_stands_where_it_cannot_be_judged_and_is_not_tried_for_ever(house: House) -> None:
    house.work(gated("1", 1.0))
    before = house.scores()
    for _ in range(4):
        house.work(GatedJudge(Pairs(), Head("2", 0.7, breaks=True)))
    assert [ticket.status for ticket in house.store.tickets()] == [JobStatus.SCORED] * 2
    assert (house.gates(), house.scores()) == (["answer-calibration 1"] * 2, before)
    tried = [sum(line.startswith("being judged again") for line in house.log_of(ticket)) for ticket in house.tickets]
    assert tried == [TRIES, TRIES]
    house.work(gated("3", 0.7))  # another version is tried as often
    assert house.gates() == ["answer-calibration 3"] * 2


def test_who_submits_meanwhile_comes_first_and_a_paused_queue_rests(house: House) -> None:
    house.work(gated("1", 1.0))
    house.store.act("pause", "queue", actor="organiser", reason="maintenance")
    assert not house.earlier(gated("2", 1.0)).judge_next()
    house.store.act("resume", "queue", actor="organiser", reason="done")
    sent = house.submit("sextant")
    house.work(gated("2", 1.0))
    assert house.gates() == ["answer-calibration 2"] * 3
    judged = sorted(house.store.tickets(), key=lambda ticket: ticket.status_at)
    assert judged[0].id == sent


@pytest.mark.parametrize(
    "judge",
    [
        pytest.param(Pairs(), id="asks no head"),
        pytest.param(ScriptedJudge(answers=lambda request: 1.0, script_version="another"), id="is its own gate"),
        pytest.param(GatedJudge(Pairs(), ScriptedJudge(answers=lambda request: 1.0)), id="has a gate of another name"),
        pytest.param(GatedJudge(Pairs("two"), Head("2", 1.0)), id="is another version of the judge of pairs"),
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


def test_results_are_looked_at_a_few_at_a_time_so_that_nobody_waits_for_that(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(earlier_heads, "LOOKS_AT", 1)
    house.work(gated("2", 1.0))
    earlier = house.earlier(gated("2", 1.0))
    assert [earlier.judge_next() for _ in range(4)] == [True, False, False, False]


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
