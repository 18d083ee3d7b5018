"""Faults inside of a 2026 zip lead to the line of their entry, and to what stands there."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import replace

import pytest

from submissions.check import CheckReport, check_submission
from submissions.formats.excerpts import ExcerptLine, problem_excerpts
from submissions.problems import Problem
from submissions.promptsets import PromptSets
from submissions.reading.limits import Limits
from tests.unit.submissions.formats.eloquent.cultural_files import METADATA, lines, metadata, row, run_files, zipped

SETS = PromptSets.load(None)
SPECIFIC = "sv_specific.jsonl"


def checked(data: bytes, limits: Limits = Limits()) -> CheckReport:
    return check_submission(data, "run.zip", prompt_sets=SETS, limits=limits)


def the_problem(report: CheckReport, code: str) -> Problem:
    (found,) = [one for one in report.problems if one.code == code]
    return found


def shown(data: bytes, problem: Problem) -> tuple[ExcerptLine, ...]:
    return problem_excerpts([problem], io.BytesIO(data))[0]


def faulty(data: bytes, problem: Problem) -> ExcerptLine:
    (found,) = [line for line in shown(data, problem) if line.is_faulty]
    return found


def with_rows(rows: list[object], **more: str | bytes) -> bytes:
    return zipped({**run_files(), SPECIFIC: lines(rows), **more})


def with_entry(changes: Mapping[str, str | bytes]) -> bytes:
    return zipped({**run_files(), **changes})


THIRTY = [row(f"1-{variant}", f"b {variant}") for variant in range(1, 31)]


def test_a_fault_on_line_17_of_an_entry_shows_that_line_and_two_on_either_side() -> None:
    rows: list[object] = [*THIRTY]
    rows[16] = row("1-17", 7)
    data = with_rows(rows)
    fault = the_problem(checked(data), "response_type")
    assert (fault.path, fault.line, fault.entry) == ("sv_specific.jsonl:17", 17, SPECIFIC)
    assert [line.number for line in shown(data, fault)] == [15, 16, 17, 18, 19]
    assert faulty(data, fault) == ExcerptLine(
        17, '{"id": "1-17", "prompt": "Question 1-17?", "answer": ', "7", "}", is_faulty=True
    )


def test_a_report_in_json_names_the_line_and_nothing_new() -> None:
    rows: list[object] = [*THIRTY, row("1-99")]
    (fault,) = [one for one in checked(with_rows(rows)).as_json()["problems"] if one["code"] == "unknown_id"]
    assert set(fault) == {"code", "severity", "path", "item", "variant", "language", "message", "hint", "line"}
    assert fault["line"] == 31


def test_a_fault_in_the_metadata_is_at_the_line_of_its_value() -> None:
    text = json.dumps(metadata(label="other"), indent=1)
    number = next(number for number, line in enumerate(text.split("\n"), start=1) if '"label"' in line)
    data = with_entry({METADATA: text})
    fault = the_problem(checked(data), "wrong_edition")
    assert (fault.path, fault.line, fault.entry) == (f"{METADATA}:$.label", number, METADATA)
    assert faulty(data, fault).marked == '"other"'


def test_a_broken_text_of_metadata_is_at_its_line_also_under_a_name_in_capitals() -> None:
    files = run_files()
    del files[METADATA]
    data = zipped({"Submission_Metadata.json": '{"team": "a",\n "system": }', **files})
    fault = the_problem(checked(data), "json_syntax")
    # ` "system": ` are eleven characters: the bracket is the twelfth.
    assert (fault.path, fault.line) == (f"{METADATA}:2:12", 2)
    assert faulty(data, fault) == ExcerptLine(2, ' "system": ', "}", "", is_faulty=True)


def test_a_column_counts_the_blanks_before_a_row() -> None:
    data = with_entry({SPECIFIC: lines(THIRTY[:2]) + '   {"id": "1-3", "answer": }\n'})
    fault = the_problem(checked(data), "json_syntax")
    # Three blanks, `{"id": "1-3", "answer": ` of 24 characters.
    assert (fault.path, fault.line) == ("sv_specific.jsonl:3:28", 3)
    assert faulty(data, fault).marked == "}"


def test_what_is_wrong_with_a_whole_entry_has_no_line() -> None:
    report = checked(with_entry({SPECIFIC: b"", "other.txt": "x"}))
    for code in ("empty_file", "file_name"):
        fault = the_problem(report, code)
        assert (fault.line, fault.offset, fault.entry) == (None, None, None)


def test_an_entry_that_is_called_like_a_place_in_another_one_has_no_line() -> None:
    fault = the_problem(checked(with_entry({f"{SPECIFIC}:3": "x"})), "file_name")
    assert (fault.path, fault.line) == (f"{SPECIFIC}:3", None)


def test_a_damaged_entry_shows_nothing_and_the_others_still_do() -> None:
    rows: list[object] = [*THIRTY, row("1-99")]
    whole = zipped({**run_files(), SPECIFIC: lines(rows), "el_specific.jsonl": lines(rows)}, method=0)
    place = whole.rindex(b'"1-99"')
    damaged = whole[:place] + b'"1-98"' + whole[place + 6 :]  # its checksum tells
    report = checked(damaged)
    broken = the_problem(report, "zip_damaged")
    assert broken.line is None
    other = the_problem(report, "unknown_id")
    assert faulty(damaged, other).marked == '"1-99"'

    # The same place in a file that was damaged after its check.
    assert shown(whole[: len(whole) // 2], other) == ()
    in_the_broken = other.model_copy(update={"entry": broken.path, "offset": 10**6})
    assert shown(damaged, in_the_broken) == ()


def test_an_entry_beyond_the_limits_is_not_expanded_for_an_excerpt() -> None:
    rows: list[object] = [*THIRTY, row("1-99")]
    data = with_rows(rows)
    fault = the_problem(checked(data), "unknown_id")
    assert problem_excerpts([fault], io.BytesIO(data), replace(Limits(), zip_entry_bytes=1_000)) == [()]


@pytest.mark.parametrize("characters", [10, 300_000])
def test_a_line_of_megabytes_is_cut_around_the_place(characters: int) -> None:
    prompt = "x" * characters + "é" * characters
    data = with_entry({SPECIFIC: f'{{"id": "1-1", "prompt": "{prompt}", "answer": 7, "notes": "{prompt}"}}\n'})
    fault = the_problem(checked(data), "response_type")
    found = faulty(data, fault)
    assert (found.number, found.marked) == (1, "7")
    assert found.before.endswith('", "answer": ')
    assert len(found.before + found.marked + found.after) < 170


def test_a_line_too_long_to_read_shows_its_beginning() -> None:
    answer = "y" * (8 * 1024 * 1024)
    data = with_entry({SPECIFIC: lines([*THIRTY[:2], row("1-3", answer), row("1-99")])})
    report = checked(data)
    too_long = the_problem(report, "file_too_big")
    assert (too_long.path, too_long.line) == ("sv_specific.jsonl:3", 3)
    assert faulty(data, too_long).after.endswith("…")
    after = the_problem(report, "unknown_id")
    assert (after.line, faulty(data, after).marked) == (4, '"1-99"')


def test_many_places_of_an_entry_are_read_in_one_pass() -> None:
    rows: list[object] = [row(f"1-{number}", number) for number in range(1, 37)]  # answers that are no texts
    data = with_rows(rows)
    problems = [one for one in checked(data).problems if one.code == "response_type"]
    assert len(problems) == 36
    backwards = problems[::-1]
    excerpts = problem_excerpts(backwards, io.BytesIO(data))
    marked = [line.marked for excerpt in excerpts for line in excerpt if line.is_faulty]
    assert marked == [str(number) for number in range(36, 0, -1)]
