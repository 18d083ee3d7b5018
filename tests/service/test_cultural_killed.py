"""Workers are killed in the middle of a whole 2026 run; it is scored as if nothing had happened, from what was kept."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmarks.random_models import tiny_encoder
from evaluator.robustness.edition_results import CULTURAL_FIGURES, CulturalResult
from submissions.archive.record import Archive
from submissions.desk import Desk
from submissions.promptsets import PromptSets
from submissions.store.queue import JobStatus, Ticket
from submissions.store.store import Store
from tests.service.handed_in import handed_in, watch
from tests.service.killed_processes import WorkerProcess
from tests.unit.submissions.formats.eloquent.whole_cultural_run import ANSWERS, LANGUAGES, whole_run

TEXTS = 2 * ANSWERS
"""Every answer and every prompt is another text."""
PATIENCE_S = 900.0
"""It takes half a minute on a core of its own."""


@dataclass(frozen=True, slots=True)
class Course:
    """How the run went."""

    result: str
    ticket: Ticket
    progress_when_killed: tuple[int, ...]
    vectors: Counter[str]
    """Key -> how often it was handed in to be stored."""
    verdicts: Counter[str]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "tiny-multilingual"
    tiny_encoder(folder, languages=LANGUAGES)
    return folder


@pytest.mark.soak
def test_three_kills_change_no_figure_and_no_stored_vector_is_asked_for_again(tmp_path: Path, model: Path) -> None:
    undisturbed = course(tmp_path / "undisturbed", model, kills=0)
    killed = course(tmp_path / "killed", model, kills=3)

    assert killed.ticket.status is JobStatus.SCORED
    assert sum("attempt" in line for line in killed.ticket.log) == 4  # the first, and one after each kill
    assert 0 < killed.progress_when_killed[0] < killed.progress_when_killed[1] < killed.progress_when_killed[2] < TEXTS

    for one in (undisturbed, killed):
        assert len(one.vectors) == one.vectors.total() == TEXTS
        assert one.verdicts.total() == 0  # no judge has a part in this edition
    assert killed.vectors == undisturbed.vectors

    assert killed.result == undisturbed.result
    result = CulturalResult.model_validate_json(killed.result)
    assert all(result.figures[figure].value is not None for figure in CULTURAL_FIGURES)
    assert result.coverage == {"expected": ANSWERS, "answered": ANSWERS}


def test_what_is_stored_twice_is_noted_twice(tmp_path: Path) -> None:
    database = tmp_path / "plumbline.db"
    store = Store.open(f"sqlite:///{database}")
    watch(database)
    store.save_embeddings({"a": b"1", "b": b"2"})
    store.save_embeddings({"b": b"2"})
    store.save_verdicts({"b": "{}"})
    store.close()
    assert handed_in(database, "embeddings") == {"a": 1, "b": 2}
    assert handed_in(database, "verdicts") == {"b": 1}


def course(folder: Path, model: Path, *, kills: int) -> Course:
    """A whole run from the desk to its result; worker after worker is killed, each after a good part of the way."""
    folder.mkdir()
    database = folder / "plumbline.db"
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PLUMBLINE_")} | {
        "PLUMBLINE_DATA": str(folder),
        "PLUMBLINE_JUDGES": "scripted",
        "PLUMBLINE_EMBEDDING": f"transformers:{model}",
        "PLUMBLINE_FETCH_SETS": "0",
    }
    store = Store.open(f"sqlite:///{database}")
    watch(database)
    desk = Desk(store, Archive(folder / "archive"), PromptSets.load(None))
    ticket_id = desk.submit(whole_run(), "aurora.zip", owner="local").ticket.id
    reached: list[int] = []

    def wait_for_progress(goal: int) -> None:
        wait_until(lambda: store.require(ticket_id).judged >= goal, folder)

    for number in range(1, kills + 1):
        worker = WorkerProcess(f"worker-{number}", environ, folder / "workers.log")
        wait_for_progress(sum(reached[-1:]) + TEXTS // (kills + 2))
        worker.kill()
        store.release_worker(worker.name)  # as the supervisor does
        reached.append(store.require(ticket_id).judged)
    last = WorkerProcess("worker-last", environ, folder / "workers.log")
    wait_until(lambda: not store.require(ticket_id).status.is_open, folder)
    last.end()
    ticket, result = store.require(ticket_id), store.result(ticket_id)
    store.close()
    assert result is not None, (ticket.status, ticket.reason)
    return Course(
        result,
        ticket,
        tuple(reached),
        vectors=handed_in(database, "embeddings"),
        verdicts=handed_in(database, "verdicts"),
    )


def wait_until(condition: Callable[[], bool], folder: Path) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > deadline:
            pytest.fail((folder / "workers.log").read_text(encoding="utf-8", errors="replace"))
        time.sleep(0.05)
