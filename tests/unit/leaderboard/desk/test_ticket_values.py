"""What a ticket says while a worker is at it, and after it was withdrawn and erased."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from leaderboard.desk.ticket_values import ticket_value
from submissions.archive.record import Archive
from submissions.desk import Desk
from submissions.promptsets import PromptSets, example_submissions
from submissions.store.queue import ERASED, JobStatus, Ticket
from submissions.store.store import Store
from tests.unit.submissions.formats.eloquent.cultural_files import run_files, zipped


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    store = Store.open(f"sqlite:///{tmp_path / 'plumbline.db'}")
    yield Desk(store, Archive(tmp_path / "archive"), PromptSets.load(None))
    store.close()


def running(desk: Desk, data: bytes, file_name: str, judged: int, to_judge: int | None) -> Ticket:
    ticket = desk.submit(data, file_name, owner="local").ticket
    return replace(ticket, status=JobStatus.RUNNING, judged=judged, to_judge=to_judge)


def test_the_ticket_of_2026_counts_texts_that_are_read_for_no_judge_is_asked(desk: Desk) -> None:
    ticket = running(desk, zipped(run_files()), "aurora.zip", 21_205, 42_410)
    assert ticket_value(ticket, "ELOQUENT 2026")["progress"] == "21,205 of 42,410 texts read"
    counting = replace(ticket, judged=0, to_judge=None)
    assert ticket_value(counting, "ELOQUENT 2026")["progress"] == "counting what is to be read"


def test_other_tickets_count_judgements(desk: Desk) -> None:
    file_name, data = next(iter(example_submissions()))
    ticket = running(desk, data, file_name, 3, 120)
    assert ticket_value(ticket, "Demonstration")["progress"] == "3 of 120 judgements"
    done = replace(ticket, judged=120)
    assert ticket_value(done, "Demonstration")["progress"] == "120 of 120 judgements; its figures come next"
    counting = replace(ticket, judged=0, to_judge=None)
    assert ticket_value(counting, "Demonstration")["progress"] == "counting the judgements it needs"


def test_what_is_withdrawn_is_kept_until_it_is_erased_and_a_tombstone_says_what_is_gone(desk: Desk) -> None:
    file_name, data = next(iter(example_submissions()))
    sent = desk.submit(data, file_name, owner="local").ticket
    withdrawn = replace(sent, status=JobStatus.WITHDRAWN, reason="withdrawn by its team")
    value = ticket_value(withdrawn, "Demonstration")
    assert "it is on no board, and this record of it stays" in value["sentence"]
    assert "Answers are kept until the team or an organiser erases them" in value["next_step"]
    erased = replace(withdrawn, reason=f"{ERASED}asked for by its team")
    value = ticket_value(erased, "Demonstration")
    assert value["sentence"] == (
        "The answers were erased permanently: the file, its result and its verdicts. Only this record remains."
    )
    assert value["reason"] == "its answers were erased: asked for by its team"
    assert "kept until" not in value["next_step"]
