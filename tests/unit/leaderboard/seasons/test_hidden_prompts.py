"""Prompts that a season hides are used to check and to score, and are in nothing that anybody sees: grep for ten."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.judge_loading.loading import Scorer
from evaluator.judges.protocol import JudgeRequest, Judgment
from evaluator.judges.scripted import ScriptedJudge
from evaluator.seeding.own_entries import House
from evaluator.worker.loop import Worker
from leaderboard.boards.registry import BOARDS
from leaderboard.desk.checked_file import checked_file
from leaderboard.desk.packed_files import PackJob
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
from submissions.check import check_submission
from submissions.checking.job import CheckJob
from submissions.desk import Desk
from submissions.formats.eloquent.template import submission_template
from submissions.problems import SubmissionError
from submissions.promptsets.available import prompt_sets_at_hand
from submissions.promptsets.hidden import HiddenTexts, hidden
from submissions.promptsets.questions import registered_questions
from submissions.schema import Names
from submissions.seasons.season_file import seasons_of
from submissions.seasons.season_store import PublicStore
from submissions.settings import Settings
from submissions.store.queue import JobStatus
from submissions.store.store import Store
from tests.eloquent_files import write_official
from tests.unit.leaderboard.site.test_api import public_api
from tests.unit.submissions.seasons.made_seasons import SPRING, SetClock, at

HIDING = SPRING.replace('"demonstration"', '"eloquent-2024"') + '[hidden_prompts]\nfolder = "{}"\n'

QUESTIONS_2025 = json.dumps(
    {
        "language": "en",
        "label": "eloquent-2025-robustness",
        "questions": [
            {
                "questionid": n,
                "turns": [{"question": f"Which marsupial of forest {n} sleeps longest?", "answer": ""}],
            }
            for n in range(1, 40)
        ],
    }
).encode()


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


def guesses(task: Task) -> dict[str, bytes]:
    """Files that state a wrong prompt beside every id of a set, as anybody can write them."""
    items = task.sets.eloquent_2024.items
    rows = [{"id": f"{item.id}-{v.number}", "prompt": "x", "answer": "y"} for item in items for v in item.variants]
    asked = [{"questionid": n, "turns": [{"question": "x", "answer": "y"}]} for n in range(1, 100)]
    return {
        "one.jsonl": b'{"id":"001-1","prompt":"x","answer":"y"}\n',
        "all.jsonl": "".join(json.dumps(row) + "\n" for row in rows).encode(),
        "en_2025.json": json.dumps({"language": "en", "questions": asked}).encode(),
        "en_specific.jsonl": b"".join(b'{"id":"%d-1","prompt":"x","answer":"y"}\n' % n for n in range(1, 60)),
    }


def hides_every_edition(task: Task) -> list[str]:
    """Hides 2025 and 2026 beside 2024; every hidden text."""
    sets = task.sets
    shown_2025 = registered_questions([("en_2025.json", QUESTIONS_2025)])
    own = tuple(
        replace(item, variants=tuple(replace(v, prompt=f"Hidden ask: {v.prompt}") for v in item.variants))
        for item in sets.demonstration_2026.items
    )
    of_2025, of_2026 = hidden(shown_2025), hidden(replace(sets.demonstration_2026, set_id="eloquent-2026", items=own))
    texts = HiddenTexts.of([sets.eloquent_2024, of_2025, of_2026])
    task.sets = replace(sets, eloquent_2025=of_2025, eloquent_2026=of_2026, further_2026=(), hidden_texts=texts)
    task.desk = Desk(task.store, task.archive, task.sets, task.clock, seasons=task.seasons)
    task.services = replace(task.services, desk=task.desk)
    return [text for _, _, text in task.sets.hidden_texts.prompts]


@pytest.mark.parametrize("name", ["one.jsonl", "all.jsonl", "en_2025.json", "en_specific.jsonl"])
def test_pack_and_check_tell_no_hidden_prompt_of_any_edition(task: Task, tmp_path: Path, name: str) -> None:
    prompts = hides_every_edition(task)
    path = tmp_path / name
    path.write_bytes(guesses(task)[name])
    (tmp_path / "out").mkdir()
    names = Names("Aurora", "keel", "m", "r")
    checks = task.services.checks
    try:
        packed = checks.looks.join("eve", PackJob((path,), tmp_path / "out", names, date(2026, 3, 10))).answer.result(
            120
        )
        checked = checks.looks.join("eve", CheckJob(path, name, names=names, view=checked_file)).answer.result(120)
    finally:
        checks.close()
    assert packed.plan is not None
    assert packed.plan["runs"]
    answers = [packed.plan, packed.fault, checked.report.as_json(), checked.view]
    said = json.dumps(answers, default=str, ensure_ascii=False)
    assert len(prompts) > 200
    assert [prompt for prompt in prompts if prompt in said or prompt[:100] in said] == []


def test_readers_of_visitors_hold_no_hidden_text_but_to_find_it(task: Task) -> None:
    prompts = hides_every_edition(task)
    given = task.services.checks._server._setup.prompt_sets
    texts = [v.prompt for one in given.every for item in one.items for v in item.variants if v.prompt]
    assert set(texts).isdisjoint(prompts)
    assert given.hidden_texts == task.sets.hidden_texts  # a file that repeats one is refused
    assert given.shown.hidden_texts.prompts == ()


def test_an_answer_near_a_hidden_prompt_is_told_nothing(task: Task) -> None:
    """The guards measure echoes by prompts; by hidden ones they would confirm a guess word by word."""
    document = json.loads(task.file())
    far = json.dumps(document).encode()
    for item in document["eloquent-robustness-results"]["items"]:
        official = task.sets.eloquent_2024.item(item["id"])
        assert official is not None
        for variant, response in zip(official.variants, item["responses"], strict=True):
            response["response"] = " ".join((variant.prompt or "").split()[1:]) + " yes"
    near = json.dumps(document).encode()
    reports = [
        check_submission(data, "quokka.json", prompt_sets=task.desk.checking_prompt_sets) for data in (far, near)
    ]
    assert all("echo" not in code for report in reports for code in report.problems_by_code)


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
