from __future__ import annotations

import io

from leaderboard.desk.problem_values import problems_value
from leaderboard.page.services import Services
from submissions.problems import Problem
from tests.unit.submissions.formats.eloquent.cultural_files import lines, row, run_files, zipped


def fault(severity: str, code: str = "json_syntax") -> Problem:
    return Problem.model_validate(
        {"code": code, "severity": severity, "path": "$", "message": "found x", "hint": "write y"}
    )


def test_every_problem_is_listed_with_finding_cure_and_place_errors_first() -> None:
    table = problems_value([fault("warning", "extra_key"), fault("error")], io.BytesIO())
    texts = [[cell["text"] for cell in row["cells"]] for row in table["rows"]]
    assert texts[0] == ["error", "found x", "write y", "", "$", "json_syntax"]
    assert texts[1][0] == "warning"
    assert [(row["line"], row["excerpt"]) for row in table["rows"]] == [(0, []), (0, [])]


def test_a_problem_opens_the_lines_of_its_place(services: Services) -> None:
    data = b'{"eloquent-robustness-results":\n {"source": "a", "year": "1999",\n  "items": []}}'
    report = services.desk.check(data, "old.json")
    rows = problems_value(report.problems, io.BytesIO(data))["rows"]
    (year,) = [row for row in rows if row["line"] == 2]
    lines = {line["number"]: line for line in year["excerpt"]}
    assert list(lines) == [1, 2, 3]
    assert lines[2]["marked"] == '"1999"'
    assert [line["is_faulty"] for line in lines.values()] == [False, True, False]


def test_signs_that_hide_or_turn_the_reading_direction_are_written_out(services: Services) -> None:
    data = '{"eloquent-robustness-results": {"source": "\\u202e",\n "items": 1, "\u202etxt": "a"}}'.encode()
    rows = problems_value(services.desk.check(data, "x.json").problems, io.BytesIO(data))["rows"]
    shown = "".join(line["before"] + line["marked"] + line["after"] for row in rows for line in row["excerpt"])
    assert "\u202e" not in shown
    assert "[U+202E]" in shown


def test_an_excerpt_of_a_zip_names_its_entry_and_writes_out_what_is_hostile(services: Services) -> None:
    hostile = "<script>alert(1)</script>${alert(1)}\u202e"
    data = zipped({**run_files(), "sv_specific.jsonl": lines([row("1-1"), row(hostile)])})
    report = services.desk.check(data, "run.zip")
    (found,) = [one for one in problems_value(report.problems, io.BytesIO(data))["rows"] if one["line"] == 2]
    assert found["file"] == "sv_specific.jsonl"
    (faulty,) = [line for line in found["excerpt"] if line["is_faulty"]]
    # The page puts this into text, never into markup; json.dumps wrote the mark of direction as an escape.
    assert faulty["marked"] == '"<script>alert(1)</script>${alert(1)}\\u202e"'


def test_a_file_that_is_no_zip_names_no_entry(services: Services) -> None:
    data = b'{"eloquent-robustness-results":\n {"source": "a", "year": "1999", "items": []}}'
    rows = problems_value(services.desk.check(data, "old.json").problems, io.BytesIO(data))["rows"]
    assert {row["file"] for row in rows} == {""}
