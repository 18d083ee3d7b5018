"""Marks through every door: what a season hides stands where it may, when it may, and nowhere else.

A real `app.py` on a Space, with a clock that the test sets, holds one run of every kind of file, each with marks: names
(team, system, model, run, account, file, judge), answers, and the OAuth subject. Nobody, another team and the owner
open every page with every parameter of its link, press what can be pressed, call every endpoint over HTTP and MCP, and
take exports, reports and the dataset along, before and after each date. A stranger's own files are sent while the most
is hidden. A review link shows the answers before any date, and the names after none.
"""

from __future__ import annotations

import base64
import io
import json
import logging
import pkgutil
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import httpx2
import pyarrow.parquet
import pytest

import leaderboard.commands
from evaluator.own_tasks.installing import install
from evaluator.own_tasks.scoring import ItemScores
from evaluator.own_tasks.task import result_of
from leaderboard.boards import registry
from leaderboard.eval_results.model_card import description, entries, yaml_of
from leaderboard.eval_results.results import NoResults, run_results
from leaderboard.every_eval_ever.files import write_records
from leaderboard.page.links import choices_of
from leaderboard.page.registered import BoardTools
from leaderboard.page.services import Services
from leaderboard.results_dataset.writer import write_dataset
from leaderboard.seasons.routes import routes as season_routes
from leaderboard.site.api import ENDPOINTS
from leaderboard.site.export import export_boards
from leaderboard.site.page_register import pages
from leaderboard.team_report.report import NoReport
from leaderboard.team_report.writer import report_files, team_report
from submissions.archive.record import Archive
from submissions.desk import Desk
from submissions.formats.behavior_alignment.submission import SET_ID as BEHAVIOR
from submissions.formats.eloquent.template import submission_template
from submissions.formats.personalization.submission import SET_ID as PERSONALIZATION
from submissions.formats.personalized_evaluation.submission import SET_ID as PERSONALIZED
from submissions.own_tasks.task import OwnTask
from submissions.promptsets import PromptSets
from submissions.schema import Names
from submissions.seasons.review import ReviewLink, last_day
from submissions.seasons.season_file import read_seasons
from submissions.seasons.season_store import PublicStore
from submissions.settings import Settings
from submissions.store.store import Store
from tests.browser.conftest import started_app
from tests.browser.program_clock import ProgramClock
from tests.own_tasks import pisa_file, pisa_folder
from tests.service.open_pages import OpenPage
from tests.service.space_sessions import SPACE, signed_session
from tests.service.test_public_api import raw, tool_results
from tests.unit.leaderboard.boards.behavior_alignment import made_behavior_alignment as behavior
from tests.unit.leaderboard.boards.editions import test_screen as editions
from tests.unit.leaderboard.boards.personalization import made_personalization as personalization
from tests.unit.leaderboard.boards.personalized_evaluation import made_personalized_evaluation as evaluators
from tests.unit.leaderboard.boards.position_bias.made_position_bias import judges_result, verdicts
from tests.unit.leaderboard.boards.robustness.made_results import robustness_result
from tests.unit.submissions.formats.eloquent.cultural_files import run_files, zipped
from tests.unit.submissions.seasons.made_seasons import SetClock, at

pytestmark = pytest.mark.slow
logger = logging.getLogger(__name__)

SEASON = """
title = "Season of {set}"
set = "{set}"
time_zone = "UTC"
opens = 2030-03-01T00:00:00
closes = 2030-03-31T23:59:59
freezes = 2030-04-05T12:00:00
[public]
scores = 2030-04-10T12:00:00
names = 2030-05-01T12:00:00
answers = 2030-05-20T12:00:00
"""
SETS = (
    *("demonstration", "eloquent-2025", "eloquent-2026", PERSONALIZED, PERSONALIZATION, BEHAVIOR, "judges"),
    "own_task:pisa",
)
Phase = Literal["open", "scores", "names", "answers"]
PHASES: dict[Phase, str] = {
    "open": "2030-03-20T12:00:00+00:00",
    "scores": "2030-04-10T12:00:01+00:00",
    "names": "2030-05-01T12:00:01+00:00",
    "answers": "2030-05-20T12:00:01+00:00",
}
PRESSED: tuple[Phase, ...] = ("scores",)
"""When everything that can be pressed is: the boards are full, and both names and answers are private."""
RECEIVED = at("2030-03-10T12:00:00+00:00")
SUBJECT, RIVAL_SUBJECT = "6512bd43d9caa6e02c990b0a", "c20ad4d76fe97759aa27a0c9"
NAME_MARKS = (
    "zquokkateam",
    "zquokkasystem",
    "zquokkamodel",
    "zquokkarun",
    "zquokkaaccount",
    "zquokkafile",
    "zquokkajudge",
)
ANSWER_MARKS = (
    "zanswer",
    "zconsistent",
    "zcultural",
    "zratingitem",
    "zchoiceitem",
    "zexample",
    "zpreference",
    "zdialogue",
)
"""Texts, and ids under which answers are listed one by one."""

PAGES = (
    *("overview", "robustness", "consistency", "cultural", "judges", "judge_quality", "llm_bar", "alpaca_eval"),
    *(
        "personalization",
        "personalized_ratings",
        "personalized_pairs",
        "behavior",
        "pisa",
        "judge_report",
        "lab",
        "submit",
        "mine",
        "queue",
        "about",
    ),
)
CALLS = ("check", "submit", "choose", "ticket", "board", "item", "judge_report")
ROUTES = (
    "config",
    "gradio_api/info",
    "gradio_api/mcp/schema",
    "healthz",
    "metrics",
    "nowhere",
    "gradio_api/call/nothing",
)
_TABLE = b"question,first,second,verdict\n1,x,y,x\n1,y,x,y\n"
"""A stranger's own log of a judge."""
COMMANDS = ("eval_results", "export", "new_board", "opened", "seasons", "task_from")
VISITORS = ("nobody", "rival", "owner")
KEY = "made by chance, in a test only: 0f"


@dataclass(frozen=True)
class Run:
    """One submission with marks."""

    page: str
    data: bytes
    result: str
    set_id: str
    opened: tuple[str, ...]
    """Queries of its page that open it, down to one answer; `{}` stands for the ticket."""
    edition: str = ""


def _edition_runs(folder: Path) -> dict[str, Run]:
    """Two files of a run of 2025, and a zip of 2026, scored by the scripted judge."""
    folder.mkdir()
    house = editions.House(folder)
    questions = {language: editions.question_file("any", language, 3) for language in ("en", "fi")}
    files = [data.replace(b'"topic', b'"zconsistent topic') for data in questions.values()]
    tickets = [house.submit(data, f"{language}.json") for language, data in zip(questions, files, strict=True)]
    archive = zipped({name: _marked(content) for name, content in run_files().items()})
    results = [house.store.result(ticket) or "" for ticket in (*tickets, house.submit(archive, "aurora.zip"))]
    house.store.close()
    queries = "system={}", "system={}&item=7", "system={}&item=7&pair=1-2"
    return {
        "consist000000000": Run("consistency", files[0], results[0], "eloquent-2025", queries, "2025"),
        "consist100000000": Run("consistency", files[1], results[1], "eloquent-2025", queries, "2025"),
        "cultural00000000": Run(
            "cultural", archive, results[2], "eloquent-2026", ("system={}", "system={}&item=2"), "2026"
        ),
    }


def _marked(content: str | bytes) -> str | bytes:
    return content.replace('"answer": "', '"answer": "zcultural ') if isinstance(content, str) else content


def _runs(folder: Path) -> dict[str, Run]:
    document = json.loads(submission_template(PromptSets.load(None).demonstration))
    for item in document["eloquent-robustness-results"]["items"]:
        for response in item["responses"]:
            response["response"] = f"The zanswer of item {item['id']} sleeps."
    items = dict.fromkeys((f"9{number:02}" for number in range(1, 13)), 4.0)
    ratings, choices = evaluators.ratings(), evaluators.choices()
    for kind, file in (("zratingitem", ratings), ("zchoiceitem", choices)):
        for number, item in enumerate(file["items"]):
            item["id"] = f"{kind}{number}"
    rows = personalization.pairs(personalization.WORKED_EXAMPLE, preference="I like zpreference answers.")
    for row in rows:
        row["example_id"] = f"zexample{row['example_id']}"
    personal = personalization.document(rows)
    spoken = behavior.document([behavior.dialogue(f"zdialogue{number}", behavior.HUMAN) for number in range(24)])
    table = judges_result(verdicts({"zquokkajudge": "AB BA AA", "zquokkajudge 2": "BA BA AA"}))
    return {
        "robust0000000000": Run(
            "robustness",
            json.dumps(document).encode(),
            robustness_result(items).model_dump_json(),
            "demonstration",
            ("set=demonstration&system={}", "set=demonstration&system={}&item=901&pair=1-2"),
            "2024",
        ),
        **_edition_runs(folder / "editions"),
        "ratings000000000": Run(
            "personalized_ratings",
            evaluators.encoded(ratings),
            evaluators.scored(ratings).model_dump_json(),
            PERSONALIZED,
            ("evaluator={}", "evaluator={}&reading=0"),
        ),
        "choices000000000": Run(
            "personalized_pairs",
            evaluators.encoded(choices),
            evaluators.scored(choices).model_dump_json(),
            PERSONALIZED,
            ("evaluator={}", "evaluator={}&reading=0"),
        ),
        "personal00000000": Run(
            "personalization",
            personal,
            personalization.scored(personal).model_dump_json(),
            PERSONALIZATION,
            ("setting=relevant&dataset=ours", "answers={}/naive&setting=relevant&dataset=ours&example=1"),
        ),
        "dialogues0000000": Run(
            "behavior",
            spoken,
            behavior.scored(spoken).model_dump_json(),
            BEHAVIOR,
            ("recommender={}", "recommender={}&dialogue=1"),
        ),
        "verdicts00000000": Run(
            "judges", b"{}", table.model_dump_json(), "judges", ("benchmark=mtbench", "judge={}/0")
        ),
    }


def _own_run(task: OwnTask) -> Run:
    """Of a task of one's own, whose rows do not open."""
    scores = {item: ItemScores({"credit": 1.0, "words": 3.0}, "") for item in task.items}
    data = pisa_file({item: f"The zanswer to {item}." for item in task.items})
    return Run("pisa", data, result_of(task, scores, "").model_dump_json(), task.set_id, ("",))


class Task:
    """The installation, as its database says."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.data = folder, folder / "data"
        self.data.mkdir()
        (folder / "seasons").mkdir()
        for set_id in SETS:
            name = f"{set_id.replace('-', '_').replace(':', '_')}.toml"
            (folder / "seasons" / name).write_text(SEASON.format(set=set_id), encoding="utf-8")
        self.seasons = read_seasons(folder / "seasons")
        self.store = Store.open(f"sqlite:///{self.data / 'plumbline.db'}", clock=lambda: RECEIVED)
        own_task, _ = install(pisa_folder(folder), self.data / "tasks")
        registry.add_own_tasks([own_task])
        sets = replace(PromptSets.load(None), own_tasks=(own_task,))
        self.desk = Desk(self.store, Archive(self.data / "archive"), sets, seasons=self.seasons)
        self.runs = {**_runs(folder), "owntask000000000": _own_run(own_task)}
        for ticket, run in self.runs.items():
            self.store.add(
                ticket_id=ticket,
                owner=SUBJECT,
                owner_name="zquokkaaccount",
                role="entry",
                edition=run.edition,
                set_id=run.set_id,
                names=Names("zquokkateam", "zquokkasystem", "zquokkamodel", "zquokkarun"),
                file_name="zquokkafile.json",
                data=run.data,
                received_at=RECEIVED,
            )
            self.store.restore_result(ticket, run.result, RECEIVED)

    def taken_along(self, phase: Phase) -> dict[str, str]:
        """What commands write for everybody."""
        clock = SetClock(at(PHASES[phase]))
        shown = PublicStore(self.store, self.seasons, clock)
        services = Services(store=shown, desk=self.desk, settings=Settings.from_env({}))
        out = self.folder / f"out_{phase}"
        export_boards(services, out / "export")
        write_dataset(services, out / "dataset", with_answers=True)
        write_records(services, out / "records")
        found = {str(path.relative_to(out)): _readable(path) for path in out.rglob("*") if path.is_file()}
        tools = BoardTools(services)
        tools.open(registry.BOARDS)
        for ticket in self.runs:
            with suppress(NoReport):
                files = report_files(team_report(tools, ticket))
                found |= {f"report {ticket} {name}": data.decode() for name, data in files.items()}
            with suppress(NoResults):
                results = run_results(tools, ticket)
                found[f"model card {ticket}"] = yaml_of(entries(results, "o/r", "https://example.org/")) + description(
                    results, ""
                )
        return found


def _readable(path: Path) -> str:
    if path.suffix == ".parquet":
        return json.dumps(pyarrow.parquet.read_table(path).to_pylist(), default=str, ensure_ascii=False)
    return path.read_text(encoding="utf-8", errors="replace")


def _unzipped(data: bytes) -> str:
    """Names and texts of a zip; of anything else the text."""
    if not zipfile.is_zipfile(io.BytesIO(data)):
        return data.decode()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return "\n".join(f"{name}\n{archive.read(name).decode()}" for name in archive.namelist())


def answered(task: Task, client: httpx2.Client, *, is_pressed: bool, may_press: bool) -> dict[str, str]:
    """What one visitor is answered, by the door.

    Args:
        is_pressed: Presses everything that the boards offer, too.
        may_press: Does so on the other pages; an owner who does withdraws their runs.
    """
    found: dict[str, str] = {}
    for path in (*pages(), *ROUTES, *(route.path.lstrip("/") for route in season_routes(task.store, task.desk))):
        answer = client.get(f"/{'' if path == 'overview' else path}", follow_redirects=True)
        found[f"get {path}"] = _unzipped(answer.content) if path.endswith(".zip") else answer.text
    for page_of_runs in {run.page for run in task.runs.values()}:
        records = client.get(f"/every-eval-ever.zip?tab={page_of_runs}")
        found[f"records of {page_of_runs}"] = _unzipped(records.content)
    queue = OpenPage(client, "queue")
    opened = {path: OpenPage(client, path) for path in sorted({run.page for run in task.runs.values()})}
    for number, (ticket, run) in enumerate(task.runs.items()):
        page = opened[run.page]
        row = f"{ticket}/naive" if run.page == "personalization" else ticket
        carried: dict[str, list[dict[str, Any]]] = {
            "near": [{"width": 900}],
            "open": [{"row": row}, {"row": "1"}],
            "wanted": [{"kind": kind} for kind in ("csv", "json", "latex", "cite")],
            "turn": [{"page": 1}],
        }
        for place, query in enumerate((text.format(ticket) for text in run.opened), start=1):
            # With the preview of the row, which a chat reads without running the page.
            found[f"get {run.page}?{query}"] = client.get(f"/{run.page}?{query}").text
            # Every button stands on every view: pressed where most is open, down to one answer.
            is_deepest = place == len(run.opened)
            texts = page.fetched(query, carried) if is_pressed and is_deepest else [("load", page.load(query))]
            found |= {f"{run.page}?{query} {name}": text for name, text in texts}
        for name in choices_of(type(pages()[run.page])):
            found[f"{run.page}?{name}="] = page.load(f"{name}={row}")
        # The queue's buttons are the same for every ticket: pressed where the first one is open.
        found |= _of_page(queue, f"ticket={ticket}", is_pressed=may_press and number == 0)
    for tab in ("mine", "submit", "about", "judge_report", "lab", "judge_quality", ""):
        found |= _of_page(OpenPage(client, tab), "", is_pressed=may_press)
    return found


def reviewed(task: Task, client: httpx2.Client, phase: Phase) -> dict[str, str]:
    """The copy of every run that its review link opens, and all of its answers."""
    until = last_day(at(PHASES[phase]))
    found = {}
    for ticket in task.runs:
        link = ReviewLink.made(KEY, ticket, until).address
        for form in ("html", "csv"):
            answer = client.get(f"{link}&form={form}")
            assert answer.status_code == 200, (ticket, answer.text)
            found[f"review {ticket} {form}"] = f"{answer.headers}\n{answer.text}"
        assert client.get(f"{link}0").status_code == 404
    return found


def _of_page(page: OpenPage, query: str, *, is_pressed: bool) -> dict[str, str]:
    texts = page.fetched(query, {}) if is_pressed else [("load", page.load(query))]
    return {f"{page.path}?{query} {name}": text for name, text in texts}


def called(address: str, task: Task, *, sends_files: bool) -> dict[str, str]:
    """What every endpoint that reads answers, over HTTP and MCP, also to what is wrong.

    Args:
        sends_files: Sends a stranger's files to each, too.
    """
    calls: list[tuple[str, dict[str, Any]]] = []
    for ticket, run in task.runs.items():
        calls.append(("ticket", {"ticket": ticket}))
        calls.append(("board", {"board": run.page, "query": run.opened[0].format(ticket)}))
        calls.append(("board", {"board": run.page, "query": "format=every-eval-ever"}))
        calls += [("item", {"system": ticket, "item": item}) for item in ("901", "nothing")]
        calls.append(("choose", {"ticket": ticket}))
    found = {f"call {name} {arguments}": raw(address, name, *arguments.values()) for name, arguments in calls}
    files = {
        "template": submission_template(PromptSets.load(None).demonstration).encode(),
        "table": _TABLE,
        "nonsense": b"{",
    }
    for name, data in files.items() if sends_files else ():
        as_data = f"data:application/octet-stream;base64,{base64.b64encode(data).decode()}"
        calls += [(endpoint, {"file": as_data}) for endpoint in ("check", "judge_report")]
        found |= {f"upload {endpoint} {name}": raw(address, endpoint, {"url": as_data}) for endpoint in CALLS}
    told = zip(calls, tool_results(address, *calls), strict=True)
    return found | {f"MCP {number} {calls[number][0]}": text for number, (_, (_, text)) in enumerate(told)}


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Task]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(registry, "BOARDS", registry.BOARDS)
        made = Task(tmp_path_factory.mktemp("canaries"))
        yield made
        made.store.close()


def test_the_doors_are_those_that_are_listed(task: Task) -> None:
    """A new page, endpoint, address or command fails here until marks are carried through it."""
    assert tuple(pages()) == PAGES
    assert tuple(ENDPOINTS) == CALLS
    assert tuple(sorted(module.name for module in pkgutil.iter_modules(leaderboard.commands.__path__))) == COMMANDS
    assert [route.path for route in season_routes(task.store, task.desk)] == [
        f"/season/{season.name}.{ending}" for season in task.seasons for ending in ("json", "zip")
    ]


def _where(found: Mapping[str, str], marks: tuple[str, ...]) -> Counter[str]:
    lowered = {name: text.lower() for name, text in found.items()}
    return Counter(mark for mark in marks for text in lowered.values() if mark in text)


def _said(found: Mapping[str, str], marks: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(mark, name) for mark in marks for name, text in found.items() if mark in text.lower()]


def _own(name: str) -> bool:
    """Where owners see their own names before everybody does."""
    return name.startswith(("mine", "get mine"))


def test_every_mark_is_where_it_may_be_and_nowhere_else(task: Task, tmp_path: Path) -> None:
    clock = ProgramClock(tmp_path / "clock", PHASES["open"])
    environ = {
        **SPACE,
        **clock.environment,
        "PLUMBLINE_SEASONS": str(task.folder / "seasons"),
        "PLUMBLINE_WORKERS": "0",
        "PLUMBLINE_PSEUDONYM_KEY": KEY,
    }
    pieces = tuple(SUBJECT[start : start + 8] for start in range(len(SUBJECT) - 7))
    counts: dict[tuple[str, str], tuple[int, int, int]] = {}
    with started_app(task.data, environ) as (address, _):
        for phase, moment in PHASES.items():
            clock.goes_on_from(moment)
            are_names_open, are_answers_open = phase in ("names", "answers"), phase == "answers"
            cookies: dict[str, Callable[[], str]] = {
                "rival": lambda: signed_session(RIVAL_SUBJECT, "rival", now_s=clock.now()),
                "owner": lambda: signed_session(SUBJECT, "zquokkaaccount", now_s=clock.now()),
            }
            # Files are checked behind everything else that this machine does: where most is hidden.
            told = called(address, task, sends_files=phase == "open")
            everything = {"nobody": told | task.taken_along(phase)}
            with httpx2.Client(base_url=address, timeout=120) as client:
                copies = reviewed(task, client, phase)
            assert _said(copies, (*NAME_MARKS, *pieces)) == [], phase
            assert set(_where(copies, ANSWER_MARKS)) == set(ANSWER_MARKS), phase
            for visitor in VISITORS:
                headers = {"cookie": f"session={cookies[visitor]()}"} if visitor in cookies else {}
                with httpx2.Client(base_url=address, timeout=120, headers=headers) as client:
                    found = everything.get(visitor, {}) | answered(
                        task,
                        client,
                        is_pressed=visitor == "nobody" and phase in PRESSED,
                        may_press=visitor != "owner" and phase in PRESSED,
                    )
                names, answers = _said(found, NAME_MARKS), _said(found, ANSWER_MARKS)
                counts[phase, visitor] = len(found), len(names), len(answers)
                logger.info("%s, %s: %d answers; names %d, answers %d", phase, visitor, *counts[phase, visitor])
                if visitor == "owner":
                    # An account is greeted by its own user name wherever it goes.
                    names = [(mark, door) for mark, door in names if not _own(door) and mark != "zquokkaaccount"]
                assert _said(found, pieces) == [], (phase, visitor)
                if visitor != "owner":
                    assert _said(found, ("&seal=",)) == [], (phase, visitor)
                assert are_names_open or names == [], (phase, visitor)
                assert are_answers_open or answers == [], (phase, visitor)
                if are_names_open and visitor == "nobody":
                    assert set(_where(found, NAME_MARKS)) == set(NAME_MARKS)
                if are_answers_open and visitor == "nobody":
                    assert set(_where(found, ANSWER_MARKS)) == set(ANSWER_MARKS)
                if visitor == "owner":
                    assert "zquokkasystem" in "".join(text for door, text in found.items() if _own(door)), phase
        log = (task.data / "app.log").read_text(encoding="utf-8", errors="replace")
    assert _said({"log": log}, (*NAME_MARKS, *ANSWER_MARKS, *pieces, "seal=")) == []
