"""docs/add_a_file_kind.md, followed word for word."""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import evaluator
import leaderboard.boards
import submissions.formats
from evaluator import tasks
from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.evaluate import CannotBeJudged, evaluate_payload, result_text
from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
from evaluator.judges.scripted import ScriptedJudge
from leaderboard.boards import file_views
from leaderboard.desk.checked_file import checked_file
from leaderboard.desk.submit_screen import decision_notice
from submissions import kinds
from submissions.archive.record import Archive
from submissions.check import CheckReport, check_submission
from submissions.commands.check import report_text
from submissions.desk import Desk
from submissions.promptsets import PromptSets
from submissions.schema import Names
from submissions.store.store import Store

DOC = (Path(__file__).parents[3] / "docs" / "add_a_file_kind.md").read_text(encoding="utf-8")
FILE = re.compile(r"^`([\w/]+\.py)`\n\n```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINE = re.compile(r"^`([\w/]+\.py)`\n\n```diff\n.*?^\+    (\w+),$", re.MULTILINE | re.DOTALL)
FILES, LINES = dict(FILE.findall(DOC)), dict(LINE.findall(DOC))

ROOMS: dict[str, ModuleType] = {
    "submissions/formats": submissions.formats,
    "evaluator": evaluator,
    "leaderboard/boards": leaderboard.boards,
}
"""Where the folders of the page are put."""

SETS = PromptSets.load(None)
ANSWERS = [{"text": "one two three", "words": 3}, {"text": "one two three", "words": 2}] * 6


@pytest.fixture(autouse=True)
def _added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The files of the page in folders of their own, and the three lines."""
    for room, package in ROOMS.items():
        (name,) = (name for name in FILES if name.rsplit("/", 2)[0] == room)
        folder = tmp_path / room / "length_limits"
        folder.mkdir(parents=True)
        (folder / Path(name).name).write_text(FILES[name], encoding="utf-8")
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder.parent)])
    for register, attribute, file in (
        (kinds, "KINDS", "submissions/formats/length_limits/kind.py"),
        (tasks, "TASKS", "evaluator/length_limits/task.py"),
        (file_views, "FILE_VIEWS", "leaderboard/boards/length_limits/file_view.py"),
    ):
        made = getattr(importlib.import_module(file.removesuffix(".py").replace("/", ".")), LINES[_path(register)])
        monkeypatch.setattr(register, attribute, (*getattr(register, attribute), made))
    yield
    for name in [name for name in sys.modules if ".length_limits" in name]:
        del sys.modules[name]


def _path(module: ModuleType) -> str:
    return module.__name__.replace(".", "/") + ".py"


def file_of(rows: object) -> bytes:
    names = {"team": "Aurora", "system": "Keel", "model": "m", "run": "r"}
    return json.dumps({"kind": "limited_answers", **names, "rows": rows}).encode()


def check(rows: object) -> CheckReport:
    return check_submission(file_of(rows), "answers.json", prompt_sets=SETS)


def evaluated(rows: object) -> Any:
    return evaluate_payload(
        file_of(rows),
        "answers.json",
        edition="",
        names=Names(),
        prompt_sets=SETS,
        judge=RecordedJudge(ScriptedJudge(), MemoryVerdicts()),
        embedder=ScriptedEmbedder(),
    )


def test_three_files_and_three_lines_are_all_there_is() -> None:
    assert len(FILES) == len(LINES) == 3


def test_a_file_is_accepted_and_told_in_a_terminal() -> None:
    report = check(ANSWERS)
    assert (report.decision, report.kind, report.names.team) == ("accepted", "limited_answers", "Aurora")
    assert report_text(report, "answers.json").splitlines() == [
        "accepted: answers.json (limited_answers)",
        "limited answers: 12",
    ]


def test_every_fault_is_told_at_its_place() -> None:
    report = check([*ANSWERS, {"text": "no number"}, 7])
    assert [(problem.code, problem.path, problem.line) for problem in report.problems] == [
        ("row_shape", "rows[12]", 1),
        ("row_shape", "rows[13]", 1),
    ]
    assert report.decision == "refused"
    with pytest.raises(CannotBeJudged, match=r"rows\[12\]"):
        evaluated([*ANSWERS, {"text": "no number"}, 7])


def test_an_unknown_kind_is_told_that_there_is_this_one() -> None:
    report = check_submission(b'{"kind": "recipes"}', "file.json", prompt_sets=SETS)
    assert "limited_answers" in report.problems[0].message


def test_the_desk_shows_it_and_takes_it_in(tmp_path: Path) -> None:
    report = check(ANSWERS)
    assert "Read as 12 limited answers" in json.dumps(decision_notice(report))
    with (tmp_path / "answers.json").open("wb+") as file:
        file.write(file_of(ANSWERS))
        preview = checked_file(report, file).preview
    assert preview is not None
    assert preview["rows"][0] == ["one two three", "3"]
    store = Store.open(f"sqlite:///{tmp_path / 'plumbline.db'}")
    receipt = Desk(store, Archive(tmp_path / "archive"), SETS).submit(file_of(ANSWERS), "answers.json", owner="local")
    assert (receipt.ticket.set_id, receipt.ticket.names.system) == ("length_limits", "Keel")
    store.close()


def test_its_result_is_the_share_that_kept_to_the_limit() -> None:
    assert (evaluated(ANSWERS).kept.value, evaluated(ANSWERS).kept.n) == (0.5, 12)
    kept = evaluated([{"text": "one two three", "words": 3}] * 12)
    assert result_text(kept) == "* kept 1.00 [0.74, 1.00] of 12"  # 0.025^(1/12)


def test_a_team_can_start_from_its_template() -> None:
    template = kinds.templates()["limited_answers"]
    report = check_submission(template.text().encode(), "template.json", prompt_sets=SETS)
    assert {problem.code for problem in report.problems} == {"envelope_field"}  # the names are to be filled in
