"""Predictions as JSON Lines, JSON and CSV: what is taken, and every fault at its place."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from submissions.check import CheckReport, check_submission
from submissions.formats.own_task.reader import OwnTaskReading
from submissions.own_tasks.task import OwnTask
from submissions.own_tasks.task_file import read_task
from submissions.promptsets import PromptSets
from submissions.schema import Names
from tests.own_tasks import ANSWERS, FILES, pisa_file, pisa_folder

NAMES = Names("Aurora", "Keel", "m", "r")


@pytest.fixture
def task(tmp_path: Path) -> OwnTask:
    return read_task(pisa_folder(tmp_path))[0]


def checked(data: bytes, task: OwnTask, name: str = "run.jsonl", names: Names = Names()) -> CheckReport:
    sets = replace(PromptSets.load(None), own_tasks=(task,))
    return check_submission(data, name, names=names, prompt_sets=sets)


def told(report: CheckReport) -> list[tuple[str, str]]:
    return [(problem.code, problem.path) for problem in report.problems]


def predictions(report: CheckReport) -> object:
    reading = report.of(OwnTaskReading)
    assert reading
    assert reading.submission
    return reading.submission.predictions


def table(rows: dict[str, str]) -> bytes:
    lines = ["task,id,prediction", *(f'pisa,{item},"{said}"' for item, said in rows.items())]
    return "\n".join(lines).encode()


def test_the_three_forms_of_a_run_are_read_alike(task: OwnTask) -> None:
    lines = pisa_file({**ANSWERS})
    head, *rows = (json.loads(line) for line in lines.splitlines())
    document = json.dumps({**head, "rows": rows}).encode()
    reports = [
        checked(lines, task),
        checked(document, task, "run.json"),
        checked(table(ANSWERS), task, "run.csv", NAMES),
        checked(table(ANSWERS), task, "run", NAMES),
    ]
    assert [(report.decision, report.kind) for report in reports] == [("accepted", "own_task")] * 4
    assert [predictions(report) for report in reports] == [ANSWERS] * 4
    assert {report.entry.set_id for report in reports if report.entry} == {"own_task:pisa"}
    assert {report.names for report in reports} == {NAMES}


def test_a_prediction_may_be_any_value(task: OwnTask) -> None:
    values: dict[str, object] = {**ANSWERS, "q1": {"choice": [1, None, 2.5]}, "q2": None, "q3": ""}
    assert predictions(checked(pisa_file(values), task)) == values


def test_the_template_lacks_nothing_but_the_names(task: OwnTask) -> None:
    for form, name in (("jsonl", "t.jsonl"), ("csv", "t.csv")):
        text = replace(task, format=form).template()  # type: ignore[arg-type]
        assert told(checked(text.encode(), task, name, NAMES)) == []
        assert {code for code, _ in told(checked(text.encode(), task, name))} == {"envelope_field"}


def test_every_fault_is_told_at_its_line(task: OwnTask) -> None:
    rows = [
        '{"kind": "own_task", "task": "pisa", "team": "A", "system": "S", "model": "m", "run": "r"}',
        '{"id": "q1", "prediction": "a"}',
        '{"id": "q1", "prediction": "b"}',
        '{"id": "q99", "prediction": "c"}',
        '{"prediction": "d"}',
        '{"id": "q2"}',
        "[]",
        '{"id": "q3", "prediction": NaN}',
        '{"id": "q4", "prediction": "\\u0000"}',
        '{"id": "q5", "prediction": "e", "score": 1}',
    ]
    report = checked("\n".join(rows).encode(), task)
    assert sorted(told(report), key=lambda one: one[1]) == [
        ("missing_items", "run.jsonl:1"),  # q6, q7, q8
        ("unknown_field", "run.jsonl:10"),
        ("duplicate_row", "run.jsonl:3"),
        ("unknown_id", "run.jsonl:4"),
        ("missing_field", "run.jsonl:5"),
        ("missing_field", "run.jsonl:6"),
        ("row_shape", "run.jsonl:7"),
        ("json_nan", "run.jsonl:8"),
        ("control_char", "run.jsonl:9"),
    ]
    assert report.entry is None


def test_an_unknown_task_is_refused_with_those_there_are(task: OwnTask) -> None:
    report = checked(pisa_file({**ANSWERS}, task="pirls"), task)
    assert [problem.message for problem in report.problems] == ['task is the text "pirls"; accepted: pisa']


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b"task,id,prediction\npisa,q1,a,b\n", "run.csv:2"),
        (b"task,number,prediction\npisa,q1,a\n", "run.csv:2"),
        (b"task,id,prediction\npisa,q1,a\npirls,q2,b\n", "run.csv:3"),
        (b"task,id,prediction\n", "run.csv:2"),
    ],
)
def test_a_table_with_a_fault_is_refused_at_its_line(task: OwnTask, data: bytes, place: str) -> None:
    report = checked(data, task, "run.csv", NAMES)
    assert report.decision == "refused"
    assert place in {problem.path for problem in report.problems}


def test_a_run_that_lacks_items_is_taken_and_not_ranked(task: OwnTask) -> None:
    report = checked(pisa_file({"q1": "a"}), task)
    assert report.decision == "accepted_with_warnings"
    assert report.reading
    assert report.reading.rank_words() == "will not be ranked: 7 of 8 items have no prediction"


def test_the_page_shows_the_files_it_speaks_of() -> None:
    assert set(FILES) == {"task.toml", "score.py", "reference.jsonl"}
