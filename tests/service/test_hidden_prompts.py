"""Hidden prompts of 2025 and 2026 are in no page, answer, export, log or archive of a running server: grep for ten."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pyarrow.parquet
import pytest

from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.judge_loading.loading import Scorer
from evaluator.judges.protocol import JudgeRequest, Judgment
from evaluator.judges.scripted import ScriptedJudge
from evaluator.seeding.own_entries import FILE_NAME, example_of_2026
from evaluator.worker.loop import Worker
from leaderboard.boards.registry import BOARDS
from leaderboard.page.registered import BoardTools
from leaderboard.page.services import Services
from leaderboard.results_dataset.writer import write_dataset
from leaderboard.seasons.report import season_report
from leaderboard.seasons.season_boards import SeasonBoards
from leaderboard.site.export import export_boards
from leaderboard.site.page_register import pages
from leaderboard.team_report.writer import report_files, team_report
from submissions.archive.record import Archive
from submissions.desk import Desk
from submissions.promptsets import DEMONSTRATION_2025, DEMONSTRATION_2026, examples_of_2025
from submissions.promptsets.available import prompt_sets_at_hand
from submissions.seasons.season_file import seasons_of
from submissions.seasons.season_store import PublicStore
from submissions.settings import Settings
from submissions.store.queue import JobStatus
from submissions.store.store import Store
from tests.browser.conftest import open_app
from tests.eloquent_files import write_official
from tests.service.open_pages import OpenPage
from tests.service.test_public_api import FILE, raw, tool_results
from tests.unit.submissions.formats.eloquent.cultural_files import METADATA, lines, metadata, zipped

SEASON = """
title = "{title}"
set = "{set}"
time_zone = "UTC"
opens = 2020-01-01T00:00:00
closes = 2999-12-30T00:00:00
freezes = 2999-12-31T00:00:00
[hidden_prompts]
folder = "{folder}"
"""
SETS = {"consistency": "eloquent-2025", "cultural": "eloquent-2026"}
"""Board -> set."""
SHOWN = {"consistency": DEMONSTRATION_2025, "cultural": DEMONSTRATION_2026}
"""Board -> a set whose prompts everybody may read."""
SYSTEMS = {"consistency": "quokka", "cultural": "aurora-7b"}
"""Board -> the team's system."""
LANGUAGES = ("en", "sv")
ANSWERED = ("1", "2", "3")
"""Questions that the run of 2026 answers; that of 2025 answers all twenty."""


class QuotingJudge(ScriptedJudge):
    """Repeats prompts in every reply, as a language model may."""

    prompts: tuple[str, ...] = ()

    def judge(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
        said = "Asked: " + " / ".join(self.prompts)
        return [replace(judgment, text=said, reason=said) for judgment in super().judge(requests)]


def hidden_question(language: str, number: int) -> str:
    return f"Stands for the hidden question {number} ({language}): what does a numbat eat on day {number}?"


def file_of_2025(language: str, *, hidden: bool) -> bytes:
    """Twenty questions without their text, answered; or the hidden file of the organisers."""
    questions = [
        {
            "questionid": number,
            "turns": [
                {
                    "question": hidden_question(language, number) if hidden else "",
                    "answer": "" if hidden else f"Termites of log {number}, as every {language} numbat knows.",
                }
            ],
        }
        for number in range(1, 21)
    ]
    head = {"team": "Quokkas", "system": "quokka", "submissionid": "1", "language": language, "date": "2026"}
    return json.dumps({**head, "label": "eloquent-2025-robustness", "questions": questions}).encode()


def zip_of_2026() -> bytes:
    """A part of a run: answers by id, without prompts."""
    files: dict[str, str | bytes] = {METADATA: json.dumps(metadata(team="Quokkas", languages=list(LANGUAGES)))}
    for language in LANGUAGES:
        said = f"A numbat of {language} sleeps in log"
        files[f"{language}_unspecific.jsonl"] = lines([{"id": one, "answer": f"{said} {one}."} for one in ANSWERED])
        files[f"{language}_specific.jsonl"] = lines(
            [{"id": f"{one}-{variant}", "answer": f"{said} {one}."} for one in ANSWERED for variant in (1, 2)]
        )
    return zipped(files)


class Task:
    """An installation with two seasons that hide their prompts, and one team that was scored in both."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.data = folder, folder / "data"
        secret = folder / "secret"
        write_official(secret)
        for language in LANGUAGES:
            (secret / f"{language}_2025.json").write_bytes(file_of_2025(language, hidden=True))
        (folder / "seasons").mkdir()
        for board, set_id in SETS.items():
            text = SEASON.format(title=board.title(), set=set_id, folder=secret)
            (folder / "seasons" / f"{board}.toml").write_text(text, encoding="utf-8")
        self.environ = {"PLUMBLINE_SEASONS": str(folder / "seasons"), "PLUMBLINE_WORKERS": "0"}
        self.settings = Settings.from_env({"PLUMBLINE_DATA": str(self.data), **self.environ})
        self.store = Store.open(self.settings.resolved_database_url)
        self.archive = Archive(self.settings.archive)
        self.sets = prompt_sets_at_hand(self.settings, fetch=False)
        self.seasons = seasons_of(self.settings)
        self.desk = Desk(self.store, self.archive, self.sets, seasons=self.seasons)

    def prompts(self, set_id: str) -> list[str]:
        """Ten of the hidden prompts of a set, from everywhere in it."""
        variants = [variant for item in self.sets.by_id(set_id).items for variant in item.variants]
        texts = [variant.prompt for variant in variants if variant.prompt]
        return texts[:: len(texts) // 10][:10]

    def scored(self) -> dict[str, str]:
        """Board -> ticket of the team's run, after a judge that repeats prompts has judged it."""
        tickets = {}
        for language in LANGUAGES:
            data = file_of_2025(language, hidden=False)
            tickets["consistency"] = self.desk.submit(data, f"{language}.json", owner="quokka").ticket.id
        tickets["cultural"] = self.desk.submit(zip_of_2026(), "quokka.zip", owner="quokka").ticket.id
        judge = QuotingJudge(answers=lambda request: 0.9)
        judge.prompts = tuple(prompt for set_id in SETS.values() for prompt in self.prompts(set_id))
        self._judged_by(judge)
        return tickets

    def shown(self) -> dict[str, str]:
        """Board -> ticket of a run of ours that answers questions which everybody may read."""
        files = {"consistency": examples_of_2025(), "cultural": ((FILE_NAME, example_of_2026()),)}
        tickets = {}
        for board, of_board in files.items():
            for name, data in of_board:
                tickets[board] = self.desk.submit(data, name, owner="house", role="example").ticket.id
        self._judged_by(ScriptedJudge(answers=lambda request: 0.9))
        return tickets

    def _judged_by(self, judge: ScriptedJudge) -> None:
        scorer, stop = Scorer(judge, ScriptedEmbedder()), threading.Event()
        worker = Worker(
            name="w", store=self.store, archive=self.archive, prompt_sets=self.sets, scorer=scorer, stop=stop
        )
        worker.run(until_empty=True)
        assert {ticket.status for ticket in self.store.tickets()} == {JobStatus.SCORED}


@pytest.fixture
def task(tmp_path: Path) -> Iterator[Task]:
    made = Task(tmp_path)
    yield made
    made.store.close()


def taken_along(task: Task, tickets: Mapping[str, str], out: Path) -> dict[str, str]:
    """Everything that commands write and the disk holds, but for the folder of the prompts: by its name."""
    shown = PublicStore(task.store, task.seasons)
    services = Services(store=shown, desk=task.desk, settings=task.settings)
    tools = BoardTools(services)
    tools.open(BOARDS)
    found: dict[str, str] = {}
    for ticket in tickets.values():
        found |= {f"{ticket} {name}": data.decode() for name, data in report_files(team_report(tools, ticket)).items()}
    export_boards(services, out / "export")
    write_dataset(services, out / "dataset", with_answers=True)
    for season in task.seasons:
        boards = SeasonBoards(task.store, task.desk, task.settings, season)
        season_report(task.store, boards, out / season.name, task.desk.clock())
    task.archive.catch_up(task.store)
    for folder in (out, task.data):
        found |= {str(path.relative_to(folder)): readable(path) for path in folder.rglob("*") if path.is_file()}
    return found


def readable(path: Path) -> str:
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        return gzip.decompress(data).decode()
    if path.suffix == ".parquet":
        return json.dumps(pyarrow.parquet.read_table(path).to_pylist(), default=str, ensure_ascii=False)
    return data.decode("utf-8", "replace")


def answered(address: str, task: Task, tickets: Mapping[str, str]) -> dict[str, str]:
    """Every page, and what every endpoint answers, over HTTP and MCP, also to a file that holds a prompt."""
    found = {}
    for path in pages():
        found[f"page {path}"] = httpx2.get(f"{address}/{path}", timeout=60, follow_redirects=True).text
    for path in ("config", "gradio_api/info", "gradio_api/mcp/schema", "healthz", "metrics"):
        found[path] = httpx2.get(f"{address}/{path}", timeout=60).text
    calls: list[tuple[str, dict[str, Any]]] = []
    for board, set_id in SETS.items():
        calls.append(("board", {"board": board, "query": f"set={set_id}"}))
        calls.append(("ticket", {"ticket": tickets[board]}))
        calls += [("item", {"system": tickets[board], "item": number}) for number in ANSWERED]
        calls.append(("item", {"system": tickets[board], "item": "nothing"}))
    for name, arguments in calls:
        found[f"{name} {arguments}"] = raw(address, name, *arguments.values())
    for (name, arguments), (_, text) in zip(calls, tool_results(address, *calls), strict=True):
        found[f"MCP {name} {arguments}"] = text
    for number, set_id in enumerate(SETS.values()):
        file = json.dumps({"label": set_id, "said": task.prompts(set_id)}).encode()
        sent = httpx2.post(f"{address}/gradio_api/upload", files={"files": (f"{number}.json", file)}, timeout=60)
        told = {"path": sent.json()[0], "meta": FILE}
        found[f"check {set_id}"] = raw(address, "check", told, "", "", "", "", "auto", None, "", "")
    return found


def fetched(address: str, sets: Mapping[str, str], tickets: Mapping[str, str], items: Sequence[str]) -> dict[str, str]:
    """What open pages fetch, by links and by everything that can be pressed: tables, charts, questions, templates."""
    found: dict[str, str] = {}
    with httpx2.Client(base_url=address, timeout=60) as client:
        for board, set_id in sets.items():
            page, run = OpenPage(client, board), f"set={set_id}&system={tickets[board]}"
            carried: dict[str, list[dict[str, Any]]] = {
                "near": [{"width": 900}],
                "open": [{"row": tickets[board]}, {"row": items[0]}, {"pair": "1-2"}],
                "wanted": [{"kind": kind} for kind in ("csv", "json", "markdown", "latex", "cite")],
                "turn": [{"page": 1}],
            }
            for query in (f"set={set_id}", f"set={set_id}&look=atlas", run, f"{run}&item={items[0]}"):
                found |= {f"{board}?{query} {name}": text for name, text in page.fetched(query, carried)}
            for item in items[1:]:
                found[f"{board}?{run}&item={item} load"] = page.load(f"{run}&item={item}")
        for path in ("", "mine", "lab", "submit", "about", "judge_report"):
            found |= {f"{path} {name}": text for name, text in OpenPage(client, path).fetched("", {})}
        for ticket in tickets.values():
            pressed = OpenPage(client, "queue").fetched(f"ticket={ticket}", {})
            found |= {f"queue {ticket} {name}": text for name, text in pressed}
    return found


def places(prompt: str, found: Mapping[str, str]) -> list[str]:
    """Where a prompt is found, as it is, as JSON writes it, or as JSON within JSON does."""
    written = {prompt}
    for ascii_only in (True, False):
        once = json.dumps(prompt, ensure_ascii=ascii_only)[1:-1]
        written |= {once, json.dumps(once, ensure_ascii=ascii_only)[1:-1]}
    return [name for name, text in found.items() if any(form in text for form in written)]


def expect_shown_prompts(task: Task, address: str) -> None:
    """Where prompts are not hidden, the same search finds them in what pages fetch."""
    tickets = task.shown()
    with httpx2.Client(base_url=address, timeout=60) as client:
        for board, set_id in SHOWN.items():
            text = OpenPage(client, board).load(f"set={set_id}&system={tickets[board]}&item=901")
            item = next(item for item in task.sets.by_id(set_id).items if item.id == "901")
            asked = [variant.prompt for variant in item.variants if variant.prompt]
            assert any(places(prompt, {"its page": text}) for prompt in asked), text


def test_ten_hidden_prompts_of_each_edition_are_nowhere(task: Task, tmp_path: Path) -> None:
    tickets = task.scored()
    with open_app(task.data, task.environ) as address:
        found = answered(address, task, tickets)
        by_pages = fetched(address, SETS, tickets, ANSWERED)
        expect_shown_prompts(task, address)
    found |= taken_along(task, tickets, tmp_path / "out")
    # What pages fetch is looked through where it holds the most: answers, names, figures.
    for board, set_id in SETS.items():
        run = f"{board}?set={set_id}&system={tickets[board]}"
        assert "numbat" in by_pages[f"{run}&item=1 load"]
        table = f"{board}?set={set_id} {board}"
        written = [
            f"{table}-handover.wanted {kind}" for kind in range(3)
        ]  # LaTeX breaks long names, a citation has none
        assert all(SYSTEMS[board] in by_pages[name] for name in (f"{table}-board-charts-marker.near 0", *written))
        assert "sha256" in by_pages[f"{run} run-manifest.click 0"]
        assert SYSTEMS[board] in by_pages[f"queue {tickets[board]} load"]
    assert "eloquent-robustness-results" in by_pages["submit template.click 0"]
    found |= by_pages
    # What is looked through is what was said: the answers are there, and so is what judges said of them.
    assert "numbat" in found[f"item { ({'system': tickets['cultural'], 'item': '1'}) }"]
    assert all("Quokkas" in found[f"MCP ticket { ({'ticket': ticket}) }"] for ticket in tickets.values())
    assert "Termites" in "".join(found.values())
    assert "[hidden prompt]" in "".join(found.values())
    assert all("hidden_prompt" in found[f"check {set_id}"] for set_id in SETS.values())
    assert "app.log" in found
    for set_id in SETS.values():
        prompts = task.prompts(set_id)
        assert len(prompts) == 10
        for prompt in prompts:
            assert places(prompt, found) == []
