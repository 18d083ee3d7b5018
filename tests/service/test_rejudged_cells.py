"""One cell judged again, on both databases: nothing is lost, nothing else is asked, and the former result stands."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.judge_loading.loading import Scorer
from evaluator.judges.protocol import JudgeRequest, Judgment
from evaluator.judges.scripted import ScriptedJudge, word_overlap
from evaluator.worker.loop import Worker
from submissions.archive.record import Archive
from submissions.archive.restoring import restore
from submissions.desk import Desk
from submissions.promptsets import PromptSets, example_submissions
from submissions.store.cells import cells_of
from submissions.store.queue import Act, JobStatus, NotYours
from submissions.store.quotas import QuotaExceeded, Quotas
from submissions.store.store import Store, StoreError
from submissions.store.verdict_keys import verdict_keys

PROMPT_SETS = PromptSets.load(None)
EXAMPLE = json.loads(dict(example_submissions())["tide.json"])

CELL = "901 en"
ASKED = 12
"""Item 901 has 4 variants in English: 4 x 3 / 2 = 6 pairs, each in both orders."""


class Today(ScriptedJudge):
    """The same pin as every scripted judge, and perhaps other answers; keeps what it was asked.

    Args:
        added: To every rating.
    """

    def __init__(self, added: float = 0.0) -> None:
        super().__init__(lambda request: min(5.0, word_overlap(request) + added))
        self.asked: list[str] = []

    def judge(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
        self.asked += [self.key(request) for request in requests]
        return super().judge(requests)


class House:
    """A store with its archive and desk, and a worker on demand."""

    def __init__(self, url: str, folder: Path) -> None:
        self.store = Store.open(url)
        self.archive = Archive(folder / "archive")
        self.desk = Desk(self.store, self.archive, PROMPT_SETS)

    def scored(self, system: str = "Keel") -> str:
        EXAMPLE["eloquent-robustness-results"]["system"] = system
        ticket_id = self.desk.submit(json.dumps(EXAMPLE).encode(), "run.json", owner="anna").ticket.id
        self.work(Today())
        self.archive.catch_up(self.store)
        return ticket_id

    def work(self, judge: ScriptedJudge) -> None:
        Worker(
            name="w",
            store=self.store,
            archive=self.archive,
            prompt_sets=PROMPT_SETS,
            scorer=Scorer(judge, ScriptedEmbedder()),
            stop=threading.Event(),
        ).run(until_empty=True)

    def rejudge(self, ticket_id: str, cell: str = CELL, owner: str | None = "anna") -> Act:
        return self.desk.act("rerun", ticket_id, actor=owner or "olga", owner=owner, reason="a test", cell=cell)

    def result(self, ticket_id: str) -> str:
        found = self.store.result(ticket_id)
        assert found is not None
        return found

    def verdicts(self, ticket_id: str) -> dict[str, str]:
        return self.store.load_verdicts(verdict_keys(self.result(ticket_id)))


@pytest.fixture
def house(database_url: str, tmp_path: Path) -> Iterator[House]:
    made = House(database_url, tmp_path)
    yield made
    made.store.close()


@pytest.fixture
def rebuilt(tmp_path: Path) -> Iterator[Store]:
    """A database with nothing in it yet."""
    opened = Store.open(f"sqlite:///{tmp_path / 'rebuilt.db'}")
    yield opened
    opened.close()


def state(store: Store, ticket_id: str) -> tuple[object, ...]:
    ticket, result = store.require(ticket_id), store.result(ticket_id)
    keys = verdict_keys(result or "{}")
    kept = [(act, store.verdicts_set_aside(act.id)) for act in store.acts()]
    return ticket.status, ticket.is_rejudged, result, store.load_verdicts(keys), store.shown_verdicts(keys), kept


def test_exactly_the_verdicts_of_the_cell_are_asked_again_and_the_same_judge_changes_none(house: House) -> None:
    ticket = house.scored()
    before, stored = house.result(ticket), house.verdicts(ticket)
    keys = cells_of(before).keys[CELL]
    assert len(keys) == ASKED < len(stored)
    act = house.rejudge(ticket)
    assert house.store.verdicts_set_aside(act.id) == {key: stored[key] for key in keys}
    judge = Today()
    house.work(judge)
    assert sorted(judge.asked) == sorted(keys)
    assert house.result(ticket) == before
    assert house.verdicts(ticket) == stored
    log = house.store.require(ticket).log
    assert log[-1].endswith("scored; judged again: 12 verdicts, 0 changed")
    assert any(line.endswith(f"to be judged again: the cell {CELL}: a test") for line in log)


def test_the_former_result_stands_until_the_new_one_replaces_it(house: House) -> None:
    ticket = house.scored()
    before, stored = house.result(ticket), house.verdicts(ticket)
    act = house.rejudge(ticket)
    waiting = house.store.require(ticket)
    assert (waiting.status, waiting.is_on_boards, waiting.is_rejudged) == (JobStatus.QUEUED, True, True)
    assert (waiting.judged, waiting.to_judge) == (0, ASKED)
    assert [(one.id, result) for one, result in house.store.results()] == [(ticket, before)]
    assert house.store.shown_verdicts(list(stored)) == stored  # what the former result rests on can be read meanwhile
    house.work(Today(added=0.25))
    scored = house.store.require(ticket)
    assert (scored.status, scored.is_rejudged) == (JobStatus.SCORED, False)
    # No two answers of the cell have all words in common, so every one of its ratings is below 5 and grows.
    assert scored.log[-1].endswith("judged again: 12 verdicts, 12 changed")
    assert house.result(ticket) != before
    kept = house.store.verdicts_set_aside(act.id)
    after = house.verdicts(ticket)
    assert {key for key in stored if after[key] != stored[key]} == set(kept)
    for key, former in kept.items():
        assert json.loads(after[key])["rating"] == json.loads(former)["rating"] + 0.25


def test_a_cell_that_cannot_be_judged_again_leaves_everything_as_it_was(house: House) -> None:
    ticket = house.scored()
    before, stored = house.result(ticket), house.verdicts(ticket)
    house.rejudge(ticket)
    job = house.store.claim("w")
    assert job is not None
    one = next(iter(cells_of(before).keys[CELL]))
    house.store.save_verdicts({one: "a new word"})
    house.store.fail(job.id, "w", "the judge does not answer")
    after = house.store.require(ticket)
    assert (after.status, after.is_on_boards, after.is_rejudged) == (JobStatus.SCORED, True, False)
    assert after.log[-1].endswith("not judged again, the former result stands: the judge does not answer")
    assert (house.result(ticket), house.verdicts(ticket)) == (before, stored)


def test_cancelling_lets_the_former_result_stand_and_withdrawing_ends_all_of_it(house: House) -> None:
    ticket = house.scored()
    before, stored = house.result(ticket), house.verdicts(ticket)
    house.rejudge(ticket)
    house.desk.cancel(ticket, "anna")
    assert house.store.require(ticket).is_on_boards
    assert (house.result(ticket), house.verdicts(ticket)) == (before, stored)
    house.rejudge(ticket)
    house.desk.withdraw(ticket, "anna")
    withdrawn = house.store.require(ticket)
    assert (withdrawn.status, withdrawn.is_on_boards) == (JobStatus.WITHDRAWN, False)
    assert house.store.result(ticket) is None
    assert house.store.load_verdicts(list(stored)) == stored


def test_another_run_with_the_same_answers_keeps_its_result(house: House) -> None:
    first, second = house.scored("Keel"), house.scored("Tide")
    kept = house.result(second)
    house.rejudge(first)
    house.work(Today(added=0.25))
    assert house.result(second) == kept
    assert house.verdicts(first) == house.verdicts(second)  # verdicts are kept by what was asked


def test_verdicts_of_a_judge_that_is_gone_go_on_to_count(house: House) -> None:
    ticket = house.scored()
    stored = house.verdicts(ticket)
    house.rejudge(ticket)
    house.work(ScriptedJudge(script_version="another"))
    assert (
        house.store.require(ticket)
        .log[-1]
        .endswith("judged again: 0 verdicts, 0 changed; 12 were not asked: the judge of this run is another one now")
    )
    assert house.store.load_verdicts(list(stored)) == stored


def test_owners_and_organisers_may_and_nobody_else(house: House) -> None:
    ticket = house.scored()
    with pytest.raises(NotYours):
        house.rejudge(ticket, owner="ben")
    with pytest.raises(StoreError, match="as a whole by its owner; choose one cell"):
        house.rejudge(ticket, cell="")
    with pytest.raises(StoreError, match=r"has no cell '999 en'.*it has '901 en', '901 sv'.* more"):
        house.rejudge(ticket, cell="999 en")
    assert house.store.acts() == []
    assert house.store.require(ticket).status is JobStatus.SCORED
    by_organiser = house.rejudge(ticket, owner=None)
    assert (by_organiser.cell, by_organiser.actor, by_organiser.reason) == (CELL, "olga", "a test")
    with pytest.raises(StoreError, match="is queued: only of a scored run"):
        house.rejudge(ticket)
    house.work(Today())
    assert house.rejudge(ticket).actor == "anna"


def test_it_is_a_run_at_work_for_the_owners_quota(house: House) -> None:
    first, second = house.scored("Keel"), house.scored("Tide")
    one = Quotas(active_runs=1)
    house.desk.act("rerun", first, actor="anna", owner="anna", reason="a test", cell=CELL, quotas=one)
    with pytest.raises(QuotaExceeded, match="limit is 1"):
        house.desk.act("rerun", second, actor="anna", owner="anna", reason="a test", cell=CELL, quotas=one)
    assert house.store.require(second).status is JobStatus.SCORED
    assert len(house.store.acts()) == 1


def test_a_rebuild_knows_what_was_set_aside_and_what_came_of_it(house: House, rebuilt: Store, tmp_path: Path) -> None:
    first, second = house.scored("Keel"), house.scored("Tide")  # the later one rests on the same verdicts
    house.rejudge(first)
    restore(house.archive, rebuilt)
    assert state(rebuilt, first) == state(house.store, first)
    assert rebuilt.require(first).is_rejudged
    house.work(Today(added=0.25))
    house.archive.catch_up(house.store)
    later = Store.open(f"sqlite:///{tmp_path / 'later.db'}")
    restore(house.archive, later)
    for ticket in (first, second):
        assert state(later, ticket) == state(house.store, ticket)
    assert not later.require(first).is_rejudged
    house.rejudge(first)
    house.desk.cancel(first, "anna")
    house.archive.catch_up(house.store)
    last = Store.open(f"sqlite:///{tmp_path / 'last.db'}")
    restore(house.archive, last)
    assert state(last, first) == state(house.store, first)
    later.close()
    last.close()


def test_an_act_that_a_crash_kept_from_the_archive_is_recorded_later_with_its_verdicts(
    house: House, rebuilt: Store
) -> None:
    ticket = house.scored()
    house.store.act("rerun", ticket, actor="anna", owner="anna", reason="a test", cell=CELL)
    assert house.archive.catch_up(house.store) == 1
    restore(house.archive, rebuilt)
    assert state(rebuilt, ticket) == state(house.store, ticket)


def test_a_worker_that_dies_between_leaves_the_rest_of_the_cell_to_the_next(house: House) -> None:
    ticket = house.scored()
    before = house.result(ticket)
    house.rejudge(ticket)
    assert house.store.claim("dying") is not None
    asked_by_it = cells_of(before).keys[CELL][:5]
    stored = house.store.save_verdicts(house.store.shown_verdicts(asked_by_it))
    house.store.progress(ticket, "dying", judged=5, to_judge=ASKED, newly_stored=stored)
    house.store.release_worker("dying")
    judge = Today()
    house.work(judge)
    assert len(judge.asked) == ASKED - 5
    assert house.result(ticket) == before
    assert house.store.require(ticket).log[-1].endswith("judged again: 12 verdicts, 0 changed")
