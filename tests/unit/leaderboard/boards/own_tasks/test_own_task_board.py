"""A task of one's own, from its folder to a board with ranks, baselines, template, export and season."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.evaluate import evaluate_payload
from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
from evaluator.judges.scripted import ScriptedJudge
from evaluator.own_tasks.installing import install, install_bundle
from evaluator.own_tasks.scoring import ItemScores
from evaluator.own_tasks.task import own_task_lines, result_of
from leaderboard.__main__ import main
from leaderboard.boards import registry
from leaderboard.boards.own_tasks.kind import own_task_kind
from leaderboard.boards.own_tasks.rows import ScoredRun, own_task_rows
from leaderboard.desk.queue_rows import queue_rows
from leaderboard.desk.run_titles import run_titles
from leaderboard.desk.ticket_values import ticket_value
from leaderboard.eval_results.results import run_results
from leaderboard.every_eval_ever.files import write_records
from leaderboard.page.registered import BoardTools
from leaderboard.page.services import Services
from leaderboard.site.export import export_boards
from leaderboard.site.link_reader import LinkReader
from leaderboard.site.page_register import navigation
from leaderboard.ui import build
from submissions.archive.record import Archive
from submissions.desk import Desk
from submissions.own_tasks.task import OwnTask
from submissions.promptsets import PromptSets
from submissions.schema import Names
from submissions.seasons.season_file import SeasonsError, read_seasons, seasons_of
from submissions.seasons.season_store import PublicStore
from submissions.settings import Settings
from submissions.store.queue import JobStatus, Ticket
from submissions.store.quotas import QuotaExceeded
from submissions.store.store import Store
from tests.bundles import VERSION_1_5, VERSION_2
from tests.own_tasks import ANSWERS, FILES, pisa_file, pisa_folder
from tests.unit.leaderboard.page.test_methods_page import unexplained
from tests.unit.submissions.seasons.made_seasons import SetClock, at
from tests.validators import run_validator

RUNS = {
    "Keel": {**ANSWERS},
    "Rudder": dict.fromkeys(ANSWERS, "dry extinct flu"),  # partial credit for q1, q2, q4
    "Oar": {"q1": "dry"},
}


@pytest.fixture
def task(tmp_path: Path) -> OwnTask:
    return install(pisa_folder(tmp_path), tmp_path / "tasks")[0]


@pytest.fixture
def services(tmp_path: Path, task: OwnTask, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    monkeypatch.setattr(registry, "BOARDS", registry.BOARDS)
    registry.add_own_tasks([task])
    store = Store.open(f"sqlite:///{tmp_path / 'plumbline.db'}")
    sets = replace(PromptSets.load(None), own_tasks=(task,))
    services = Services(
        store=store, desk=Desk(store, Archive(tmp_path / "archive"), sets), settings=Settings.from_env({})
    )
    for system, answers in RUNS.items():
        data = pisa_file(answers, system)
        services.desk.submit(data, "run.jsonl", owner="local")
        job = store.claim("worker")
        assert job is not None
        result = evaluate_payload(
            data,
            "run.jsonl",
            edition="",
            names=job.names,
            prompt_sets=sets,
            judge=RecordedJudge(ScriptedJudge(), MemoryVerdicts()),
            embedder=ScriptedEmbedder(),
        )
        store.finish(job.id, "worker", result.model_dump_json())
    yield services
    services.checks.close()
    store.close()


def test_the_board_ranks_whole_runs_above_baselines_and_lists_the_others(services: Services) -> None:
    tools = BoardTools(services)
    table = tools.open(registry.BOARDS)["pisa"].table
    told = {row["system"]: row for row in csv.DictReader(io.StringIO(table.csv(table.state())))}
    assert list(told) == ["Keel", "Rudder", "most frequent answer", "empty answer", "Oar"]
    # One partial of 0.5 for each of q1, q2, q4: 1.5 / 8; of the most frequent answer full credit for q1: 1 / 8.
    assert [float(row["credit"]) for row in told.values()] == [1, 0.1875, 0.125, 0, 0.5]
    assert [row["rank_low"] for row in told.values()] == ["1", "2", "", "", ""]
    assert "not separable from baseline" in told["Rudder"]["note"]
    assert told["Oar"]["note"] == "not ranked: 7 of 8 items have no score"
    assert {name: row["items"] for name, row in told.items() if name != "Oar"} == dict.fromkeys(
        ["Keel", "Rudder", "most frequent answer", "empty answer"], "8"
    )


def test_the_queue_calls_its_runs_by_the_title_of_the_task(services: Services, task: OwnTask) -> None:
    rows = queue_rows(services.store.tickets(), run_titles(services), {})
    assert {row.set_title for row in rows} == {task.title}


def test_a_later_version_of_the_task_ranks_no_run_of_the_earlier_one(
    services: Services, task: OwnTask, tmp_path: Path
) -> None:
    later = pisa_folder(tmp_path / "later", task_toml=FILES["task.toml"].replace("Words", "Length"))
    registry.add_own_tasks([install(later, tmp_path / "tasks")[0]])
    table = BoardTools(services).open(registry.BOARDS)["pisa"].table
    assert "scored by an earlier version of the task" in table.csv(table.state())


def test_the_page_the_links_and_the_export_have_it(services: Services, tmp_path: Path) -> None:
    def opened() -> dict[str, Any]:
        pages = build(services)
        (event,) = (one for one in pages.fns.values() if one.page == "pisa" and one.targets[0][1] == "load")
        assert event.fn
        values = event.fn(False, "", SimpleNamespace(query_params={}))
        ids = [str(getattr(output, "elem_id", None)) for output in event.outputs]
        return dict(zip(ids, values, strict=True))

    async def done() -> dict[str, Any]:
        return opened()

    with ThreadPoolExecutor(1) as thread:
        shown = thread.submit(lambda: asyncio.run(done())).result()["pisa-board-table"]
    assert [row["cells"][1]["text"] for row in shown["rows"]][:2] == ["Keel", "Rudder"]
    assert navigation()["Tasks"] == ("pisa",)
    links = LinkReader(BoardTools(services).open(registry.BOARDS))
    assert links.read({"tab": "pisa"}).state.tab == "pisa"
    ticket = next(iter(services.store.tickets()))
    assert [state.tab for board in registry.BOARDS if (state := board.row_of(ticket))] == ["pisa"]
    assert "boards/pisa/pisa.csv" in export_boards(services, tmp_path / "export")


def test_records_of_every_eval_ever_have_the_score_of_every_item(services: Services, tmp_path: Path) -> None:
    folder = tmp_path / "records"
    write_records(services, folder)
    said = run_validator("every_eval_ever", "validate", "data/*/*/*/*", folder=folder)
    assert said.returncode == 0, said.stdout
    scores: dict[str, list[tuple[str, float, bool]]] = {}
    for path in folder.rglob("*_samples.jsonl"):
        record = json.loads(path.with_name(path.name.replace("_samples.jsonl", ".json")).read_bytes())
        lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        scores[record["source_metadata"]["additional_details"]["system"]] = [
            (line["sample_id"], line["evaluation"]["score"], line["evaluation"]["is_correct"])
            for line in lines
            if line["evaluation_result_id"].endswith("#credit")
        ]
    partial = {"q1", "q2", "q4"}  # of "dry extinct flu": one idea of two
    assert scores == {
        "Keel": [(item, 1, True) for item in ANSWERS],
        "Rudder": [(item, 0.5 * (item in partial), False) for item in ANSWERS],
    }


def test_every_column_is_explained(services: Services) -> None:
    kind = registry.BOARDS[-1].kind
    assert {column.key: unexplained(kind, column) for column in kind.columns} == {
        column.key: [] for column in kind.columns
    }


def made_ticket(name: str, set_id: str) -> Ticket:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    names = Names("Aurora", name, "m", "r")
    return Ticket(
        id=name,
        owner="local",
        role="entry",
        edition="",
        set_id=set_id,
        names=names,
        file_name="run.zip",
        file_sha256="0" * 64,
        received_at=now,
        status=JobStatus.SCORED,
        status_at=now,
        reason=None,
        position=None,
        judged=0,
        to_judge=None,
        attempts=1,
        log=(),
    )


def test_a_bundle_is_a_board_with_its_columns_phases_and_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "BOARDS", registry.BOARDS)
    (tmp_path / "numbers.zip").write_bytes(VERSION_2.data)
    (tmp_path / "old_labels.zip").write_bytes(VERSION_1_5.data)
    (task,) = install_bundle(tmp_path / "numbers.zip", tmp_path / "tasks")
    (old,) = install_bundle(tmp_path / "old_labels.zip", tmp_path / "tasks")
    registry.add_own_tasks([task, old])
    numbers, labels = (board.kind for board in registry.BOARDS[-2:])
    assert [column.label for column in numbers.columns if column.format == "fine"] == [
        "Mean error",
        "Worst error",
        "Count",
    ]
    assert (numbers.headline, numbers.direction) == ("mae", "ascending")
    for kind in (numbers, labels):
        assert {column.key: unexplained(kind, column) for column in kind.columns} == {
            column.key: [] for column in kind.columns
        }
    assert labels.about
    assert labels.about.pages == (
        ("Phase Only phase", "2015-01-01 to open"),
        ("overview", "<h1>Zeros</h1> and <script>alert(1)</script> ones"),  # text; the page escapes it
        ("terms", "None."),
    )
    # A lower error is better, equal ones share their places, and no number is no place.
    results = [
        result_of(
            task, {"run": ItemScores({"mae": mae, "worst_abs": 1.0, "score_rank": 3.0}, "" if mae else "none")}, ""
        )
        for mae in (0.5, 0.25, 0.5, None)
    ]
    tickets = [made_ticket(f"t{number}", task.set_id) for number in range(4)]
    rows = own_task_rows(task, [ScoredRun(*run) for run in zip(tickets, results, strict=True)])
    assert [row.rank and tuple(row.rank) for row in rows] == [(2, 3), (1, 1), (2, 3), None]
    assert rows[3].unranked == "1 of 1 items have no score"


def test_small_figures_of_a_bundle_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "numbers.zip").write_bytes(VERSION_2.data)
    (task,) = install_bundle(tmp_path / "numbers.zip", tmp_path / "tasks")
    results = [
        result_of(task, {"run": ItemScores({"mae": mae, "worst_abs": 0.0, "score_rank": 3.0})}, "")
        for mae in (5.7e-5, 0.001234, 0.0)
    ]
    runs = [ScoredRun(made_ticket(str(place), task.set_id), run) for place, run in enumerate(results)]
    rows = own_task_rows(task, runs)
    shown = {column.key: [column.text(row) for row in rows] for column in own_task_kind(task).columns}
    assert shown["mae"] == ["0.0000570", "0.00123", "0.00"]
    assert shown["score_rank"] == ["3.00"] * 3
    assert next(iter(own_task_lines(results[0]))) == "* mae 0.0000570 of 1"


SEASON = """
title = "Reading"
set = "own_task:pisa"
time_zone = "UTC"
opens = 2026-01-01T00:00:00
closes = 2090-01-01T00:00:00
freezes = 2090-01-02T00:00:00
attempts_in_all = 1
[public]
scores = 2026-06-01T00:00:00
names = 2026-07-01T00:00:00
"""


def test_a_season_of_a_task_counts_attempts_and_hides_scores_and_names_until_their_day(
    services: Services, tmp_path: Path
) -> None:
    folder = tmp_path / "seasons"
    folder.mkdir()
    (folder / "reading.toml").write_text(SEASON, encoding="utf-8")
    seasons = read_seasons(folder)
    clock = SetClock(at("2026-05-01T00:00:00+00:00"))
    desk = Desk(services.store, Archive(tmp_path / "other"), services.desk.prompt_sets, clock, seasons=seasons)
    taken = desk.submit(pisa_file({**ANSWERS}, "Quokka"), "run.jsonl", owner="somebody")
    assert taken.season[0].startswith("Received in time for Reading")
    with pytest.raises(QuotaExceeded, match="1 of 1 in all"):
        desk.submit(pisa_file({"q1": "dry"}, "Quokka"), "other.jsonl", owner="somebody")
    job = services.store.claim("worker")
    assert job is not None
    result = next(text for _, text in services.store.results())
    services.store.finish(job.id, "worker", result)

    def called(moment: str) -> str | None:
        """What the board calls the run; None where it has no row."""
        clock.set(moment)
        shown = replace(services, store=PublicStore(services.store, seasons, clock), desk=desk)
        board = BoardTools(shown).open(registry.BOARDS)["pisa"].table
        return next((row.name for row in board.rows(board.state()) if row.id == taken.ticket.id), None)

    assert called("2026-05-31T23:59:59+00:00") is None
    assert str(called("2026-06-30T23:59:59+00:00")).startswith("system ")
    assert called("2026-07-01T00:00:00+00:00") == "Quokka"


def test_the_frozen_season_of_a_task_keeps_its_board(
    services: Services, task: OwnTask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = next(text for ticket, text in services.store.results() if ticket.names.system == "Keel")
    services.store.add(
        ticket_id="in time",
        owner="somebody",
        role="entry",
        edition="",
        set_id=task.set_id,
        names=Names(team="Quokkas", system="Quokka", model="m", run="r"),
        file_name="run.jsonl",
        data=pisa_file({**ANSWERS}, "Quokka"),
        received_at=at("2026-01-01T12:00:00+00:00"),
    )
    services.store.restore_result("in time", text, at("2026-01-01T12:00:00+00:00"))
    folder = tmp_path / "seasons"
    folder.mkdir()
    past = SEASON.replace("2090-01-0", "2026-01-0").replace("closes = 2026-01-01", "closes = 2026-01-02")
    (folder / "reading.toml").write_text(past.replace("freezes = 2026-01-02", "freezes = 2026-01-03"), encoding="utf-8")
    monkeypatch.setenv("PLUMBLINE_DATA", str(tmp_path))
    monkeypatch.setenv("PLUMBLINE_SEASONS", str(folder))
    # A command begins without any task: it reads those that are installed.
    monkeypatch.setattr(registry, "BOARDS", tuple(board for board in registry.BOARDS if board.key != "pisa"))
    assert main(["season-freeze", "reading"]) == 0
    assert main(["season-archive", "reading", "--out", str(tmp_path / "frozen.zip")]) == 0
    with zipfile.ZipFile(tmp_path / "frozen.zip") as archive:
        (board,) = (archive.read(name).decode() for name in archive.namelist() if name.endswith(".csv"))
    assert [(row["system"], row["credit"]) for row in csv.DictReader(io.StringIO(board)) if row["team"]] == [
        ("Quokka", "1.0")
    ]


def test_a_season_of_a_task_that_is_not_installed_is_refused(tmp_path: Path, task: OwnTask) -> None:
    folder = tmp_path / "seasons"
    folder.mkdir()
    (folder / "reading.toml").write_text(SEASON, encoding="utf-8")
    environ = {"PLUMBLINE_SEASONS": str(folder), "PLUMBLINE_DATA": str(tmp_path)}
    assert [season.set_id for season in seasons_of(Settings.from_env(environ))] == ["own_task:pisa"]
    (folder / "reading.toml").write_text(SEASON.replace("own_task:pisa", "own_task:pirls"), encoding="utf-8")
    with pytest.raises(SeasonsError, match='set: found "own_task:pirls", a task that is not installed'):
        seasons_of(Settings.from_env(environ))


def test_a_run_of_a_task_that_was_removed_is_told_and_leads_nowhere(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    keel = next(ticket for ticket in services.store.tickets() if ticket.names.system == "Keel")
    assert ticket_value(keel, "Reading")["row_link"] == "pisa"
    monkeypatch.setattr(registry, "BOARDS", tuple(board for board in registry.BOARDS if board.key != "pisa"))
    assert ticket_value(keel, "Reading")["row_link"] == ""


def test_a_model_card_names_the_board_of_a_task_whose_rows_do_not_open(services: Services) -> None:
    tools = BoardTools(services)
    tools.open(registry.BOARDS)
    keel = next(ticket for ticket in services.store.tickets() if ticket.names.system == "Keel")
    (result,) = run_results(tools, keel.id).ranked
    assert (result.task, result.rank, result.link) == ("pisa/pisa", "1", "?tab=pisa")
