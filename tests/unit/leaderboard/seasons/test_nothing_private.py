"""What a season keeps private is in nothing that anybody can take along: grep for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import gradio as gr
import pytest

from leaderboard.boards.registry import BOARDS
from leaderboard.eval_results.model_card import description, entries, yaml_of
from leaderboard.eval_results.results import NoResults, run_results
from leaderboard.page.registered import BoardTools
from leaderboard.page.services import Services
from leaderboard.results_dataset.writer import write_dataset
from leaderboard.site.export import export_boards
from leaderboard.team_report.report import NoReport
from leaderboard.team_report.writer import report_files, team_report
from submissions.archive.record import Archive
from submissions.desk import Desk
from submissions.formats.eloquent.template import submission_template
from submissions.promptsets import PromptSets
from submissions.schema import Names
from submissions.seasons.calendar import Seasons
from submissions.seasons.season_store import PublicStore
from submissions.settings import Settings
from submissions.store.store import Store
from tests.unit.leaderboard.boards.robustness.made_results import robustness_result
from tests.unit.leaderboard.site.test_api import public_api
from tests.unit.submissions.seasons.made_seasons import SPRING, SetClock, at, made_seasons

PUBLIC = """[public]
names = 2026-05-01T00:00:00
scores = 2026-04-10T12:00:00
answers = 2026-05-02T00:00:00
"""
NAMES = Names(team="Quokkas", system="quokka-net", model="quokka-7b", run="quokka-run")
ANSWER = "The numbat sleeps in a hollow log"
ITEMS = [f"9{number:02}" for number in range(1, 13)]


@pytest.fixture
def clock() -> SetClock:
    return SetClock(at("2026-03-10T12:00:00+00:00"))


@pytest.fixture
def seen(tmp_path: Path, clock: SetClock) -> Iterator[Callable[[], str]]:
    """Everything that anybody can take along of one scored run, as one text."""
    seasons = made_seasons(tmp_path / "seasons", spring=SPRING + PUBLIC)
    store = Store.open(f"sqlite:///{tmp_path / 'plumbline.db'}", clock=clock)
    desk = Desk(store, Archive(tmp_path / "archive"), PromptSets.load(None), clock, seasons=seasons)
    ticket_id = _scored_run(desk, store)
    folders = iter(range(9))
    yield lambda: _everything(ticket_id, store, seasons, desk, tmp_path / f"taken_{next(folders)}", clock)
    store.close()


def _scored_run(desk: Desk, store: Store) -> str:
    document = json.loads(submission_template(desk.prompt_sets.demonstration))
    root = document["eloquent-robustness-results"]
    root["source"] = NAMES.team
    for item in root["items"]:
        for response in item["responses"]:
            response["response"] = f"{ANSWER} {item['id']}."
    receipt = desk.submit(json.dumps(document).encode(), "quokka.json", owner="quokka-account", names=NAMES)
    job = store.claim("worker")
    assert job is not None
    store.finish(job.id, "worker", robustness_result(dict.fromkeys(ITEMS, 4.0)).model_dump_json())
    return receipt.ticket.id


def _everything(ticket_id: str, store: Store, seasons: Seasons, desk: Desk, folder: Path, clock: SetClock) -> str:
    services = Services(store=PublicStore(store, seasons, clock), desk=desk, settings=Settings.from_env({}))
    export_boards(services, folder / "export")
    write_dataset(services, folder / "dataset", with_answers=True)
    texts = [_readable(path) for path in sorted(folder.rglob("*")) if path.is_file()]
    tools = BoardTools(services)
    tools.open(BOARDS)
    with suppress(NoReport):
        texts += [data.decode() for data in report_files(team_report(tools, ticket_id)).values()]
    with suppress(NoResults):
        results = run_results(tools, ticket_id)
        texts += [yaml_of(entries(results, "owner/results", "https://example.org/")), description(results, "")]
    api = public_api(services)
    calls: tuple[Callable[[], str], ...] = (
        lambda: api.ticket(ticket_id),
        lambda: api.board("robustness", "set=demonstration"),
        lambda: api.item(ticket_id, ITEMS[0]),
    )
    for call in calls:
        try:
            texts.append(call())
        except gr.Error as refused:
            texts.append(refused.message)
    return "\n".join(texts)


def _readable(path: Path) -> str:
    if path.suffix != ".parquet":
        return path.read_text(encoding="utf-8")
    import pyarrow.parquet

    return json.dumps(pyarrow.parquet.read_table(path).to_pylist(), default=str)


def test_names_and_answers_are_in_nothing_before_their_day_and_in_it_from_then_on(
    seen: Callable[[], str], clock: SetClock
) -> None:
    private = ["quokka", "numbat"]
    clock.set("2026-04-10T11:59:59+02:00")
    before = seen().lower()
    assert {word: before.count(word) for word in private} == {"quokka": 0, "numbat": 0}
    clock.set("2026-04-30T23:59:59+02:00")  # scores are public, with pseudonyms
    scored = seen().lower()
    assert '"score"' in scored or "score," in scored
    assert {word: scored.count(word) for word in private} == {"quokka": 0, "numbat": 0}
    clock.set("2026-05-01T00:00:00+02:00")  # names too
    named = seen().lower()
    assert "quokka-net" in named
    assert named.count("numbat") == 0
    clock.set("2026-05-02T00:00:00+02:00")
    assert seen().lower().count("numbat") > len(ITEMS)
