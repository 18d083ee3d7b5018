"""Prompts that a season hides are used to check and to score, and are in nothing that anybody sees: grep for ten."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.judges.loading import Scorer
from evaluator.judges.protocol import JudgeRequest, Judgment
from evaluator.judges.scripted import ScriptedJudge
from evaluator.seeding.own_entries import House
from evaluator.worker.loop import Worker
from leaderboard.boards.registry import BOARDS
from leaderboard.desk.template_files import eloquent_template
from leaderboard.page.registered import BoardTools
from leaderboard.page.services import Services
from leaderboard.results_dataset.writer import write_dataset
from leaderboard.seasons.freezing import freeze
from leaderboard.seasons.report import season_report
from leaderboard.seasons.season_boards import SeasonBoards
from leaderboard.site.export import export_boards
from leaderboard.team_report.writer import report_files, team_report
from leaderboard.ui import build
from submissions.archive.record import Archive
from submissions.desk import Desk
from submissions.formats.eloquent.template import submission_template
from submissions.problems import SubmissionError
from submissions.promptsets.available import prompt_sets_at_hand
from submissions.seasons.season_file import seasons_of
from submissions.seasons.season_store import PublicStore
from submissions.settings import Settings
from submissions.store.queue import JobStatus
from submissions.store.store import Store
from tests.eloquent_files import write_official
from tests.unit.leaderboard.site.test_api import public_api
from tests.unit.submissions.seasons.made_seasons import SPRING, SetClock, at

HIDING = SPRING.replace('"demonstration"', '"eloquent-2024"') + '[hidden_prompts]\nfolder = "{}"\n'


class QuotingJudge(ScriptedJudge):
    """Repeats prompts in every reply, as a language model may."""

    prompts: tuple[str, ...] = ()

    def judge(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
        said = "Asked: " + " / ".join(self.prompts)
        return [replace(one, text=said, reason=said) for one in super().judge(requests)]


class Task:
    """A season with hidden prompts, and one team."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        write_official(folder / "secret")
        (folder / "seasons").mkdir()
        (folder / "seasons" / "spring.toml").write_text(HIDING.format(folder / "secret"), encoding="utf-8")
        data = {"PLUMBLINE_DATA": str(folder / "data"), "PLUMBLINE_SEASONS": str(folder / "seasons")}
        self.settings = Settings.from_env(data)
        self.clock = SetClock(at("2026-03-10T12:00:00+00:00"))
        self.store = Store.open(f"sqlite:///{folder / 'data' / 'plumbline.db'}", clock=self.clock)
        self.archive = Archive(self.settings.archive)
        self.sets = prompt_sets_at_hand(self.settings, fetch=False)
        self.seasons = seasons_of(self.settings)
        self.desk = Desk(self.store, self.archive, self.sets, self.clock, seasons=self.seasons)
        shown = PublicStore(self.store, self.seasons, self.clock)
        self.services = Services(store=shown, desk=self.desk, settings=self.settings)
        texts = [one.prompt or "" for item in self.sets.eloquent_2024.items for one in item.variants]
        self.prompts = [text for text in texts if len(text.split()) >= 4]

    @property
    def ten(self) -> list[str]:
        """Ten of the prompts, from everywhere in the set."""
        return self.prompts[:: len(self.prompts) // 10][:10]

    def file(self, *, echo: bool = False, beside: bool = False) -> bytes:
        """A run of team Quokkas; with its prompts in the answers, or beside them."""
        document = json.loads(submission_template(self.sets.shown.eloquent_2024))
        root = document["eloquent-robustness-results"]
        root["source"] = "Quokkas"
        for item in root["items"]:
            official = self.sets.eloquent_2024.item(item["id"])
            assert official is not None
            for number, response in enumerate(item["responses"]):
                prompt = official.variants[number].prompt or ""
                said = f"The numbat sleeps {number} nights in log {item['id']}."
                response["response"] = f"You said: {prompt.upper()} - {said}" if echo else said
                if beside:
                    response["prompt"] = prompt
        return json.dumps(document).encode()

    def scored(self) -> None:
        judge = QuotingJudge(answers=lambda request: 0.9)
        judge.prompts = tuple(self.ten)
        worker = Worker(
            name="w",
            store=self.store,
            archive=self.archive,
            prompt_sets=self.sets,
            scorer=Scorer(judge, ScriptedEmbedder()),
            stop=threading.Event(),
        )
        worker.run(until_empty=True)


@pytest.fixture
def task(tmp_path: Path) -> Iterator[Task]:
    made = Task(tmp_path)
    yield made
    made.store.close()


def everything(task: Task, ticket: str, out: Path) -> dict[str, str]:
    """Everything that anybody can see, take along or find on the disk but in the folder of the prompts: by its name."""
    found: dict[str, str] = {}

    async def pages() -> dict[str, Any]:
        built = build(task.services)
        config = built.get_config_file()
        first = {path: [str(one) for one in view.values().values()] for path, view in built.first_views.items()}
        return {"config": config, "first": first}

    with ThreadPoolExecutor(1) as thread:
        found["pages"] = json.dumps(thread.submit(lambda: asyncio.run(pages())).result(), default=str)
    tools = BoardTools(task.services)
    tools.open(BOARDS)
    api = public_api(task.services)
    items = [item.id for item in task.sets.eloquent_2024.items]
    found |= {f"item {item}": api.item(ticket, item) for item in items}
    found["board"] = api.board("robustness", "set=eloquent-2024")
    found["ticket"] = api.ticket(ticket)
    found |= {name: data.decode() for name, data in report_files(team_report(tools, ticket)).items()}
    found["template"] = str(eloquent_template("eloquent-2024", [], task.desk.prompt_sets))
    export_boards(task.services, out / "export")
    write_dataset(task.services, out / "dataset", with_answers=True)
    task.clock.set("2026-04-10T10:00:00+00:00")
    spring = task.seasons.named("spring")
    freeze(task.store, task.desk, task.settings, spring, actor="operator")
    season_report(task.store, SeasonBoards(task.store, task.desk, task.settings, spring), out / "report", task.clock())
    task.archive.catch_up(task.store)
    for folder in (out, task.folder / "data"):
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                found[str(path.relative_to(folder))] = readable(path)
    return found


def readable(path: Path) -> str:
    import gzip

    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        return gzip.decompress(data).decode()
    if path.suffix == ".parquet":
        import pyarrow.parquet

        return json.dumps(pyarrow.parquet.read_table(path).to_pylist(), default=str, ensure_ascii=False)
    return data.decode("utf-8", "replace")


def test_ten_hidden_prompts_are_nowhere(task: Task, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    House(task.desk, task.store).open(demonstration=False)
    ticket = task.desk.submit(task.file(), "quokka.json", owner="quokka").ticket.id
    task.scored()
    assert task.store.require(ticket).status is JobStatus.SCORED
    result = json.loads(task.store.result(ticket) or "")
    assert result["prompt_set"]["sha256"] == task.sets.eloquent_2024.sha256  # it was scored by the hidden prompts
    found = everything(task, ticket, tmp_path / "out") | {"log": caplog.text}
    # What judges said is there, the prompts in it are not.
    assert any("Asked: [hidden prompt]" in text for text in found.values())
    assert len(task.ten) == 10
    for prompt in task.ten:
        escaped = json.dumps(prompt)[1:-1]
        assert [name for name, text in found.items() if prompt in text or escaped in text] == []


@pytest.mark.parametrize("how", ["echo", "beside"])
def test_a_file_that_holds_hidden_prompts_is_refused_by_ids_alone(task: Task, how: str) -> None:
    data = task.file(echo=how == "echo", beside=how == "beside")
    report = task.desk.check(data, "quokka.json")
    assert report.decision == "refused"
    assert list(report.problems_by_code) == ["hidden_prompt"]
    said = json.dumps(report.as_json(), ensure_ascii=False)
    assert "001 en" in said
    assert [one for one in task.prompts if one in said] == []
    assert report.reading is None  # so no preview of it is shown
    with pytest.raises(SubmissionError):
        task.desk.submit(data, "quokka.json", owner="quokka")
    assert task.store.tickets() == []
    assert not (task.settings.archive / "objects").exists()


def test_nobody_is_given_an_answer_sheet(task: Task) -> None:
    from submissions.formats.eloquent.template import answer_sheet
    from submissions.promptsets import PromptSetError

    with pytest.raises(PromptSetError, match="the prompts of eloquent-2024 are hidden"):
        answer_sheet(task.desk.prompt_sets.eloquent_2024)
