"""Every place leads to its line: lines are counted by hand beside each text."""

from __future__ import annotations

import io
import json

import pytest

from submissions.check import CheckReport, check_submission
from submissions.reading.source_lines import Spot, json_spots, row_spots
from submissions.schema import VerdictChoices
from tests.unit.submissions.formats.personalization.answer_files import SETS, as_lines, good_document, good_rows


def line_of(text: str, path: str) -> int:
    return json_spots(text.encode(), [path])[path].line


NESTED = """{"items": [
  [1, [2,
    3]],
  {"id": "b"}
]}"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("$", 1),
        ("$.items", 1),  # the bracket stands behind its key
        ("$.items[0]", 2),
        ("$.items[0][1]", 2),
        ("$.items[0][1][1]", 3),  # the 3
        ("$.items[1].id", 4),
        ("items[1].id", 4),  # as the other kinds write it
    ],
)
def test_a_value_is_found_in_nested_lists(path: str, line: int) -> None:
    assert line_of(NESTED, path) == line


def test_a_place_that_is_missing_leads_to_the_innermost_value_around_it() -> None:
    assert line_of(NESTED, "$.items[1].responses[4]") == 4  # the object that lacks the key
    assert line_of(NESTED, "$.items[9]") == 1  # the list that is too short
    assert line_of(NESTED, "$.colour") == 1


def test_lines_end_with_a_line_feed_and_a_mark_or_carriage_return_shifts_nothing() -> None:
    text = NESTED.replace("\n", "\r\n")
    assert line_of(text, "$.items[1].id") == 4
    assert line_of("\ufeff" + text, "$.items[1].id") == 4
    # {"a":\n"b"}: three bytes of the mark, six of the first line
    assert json_spots("\ufeff".encode() + b'{"a":\n"b"}', ["$.a"]) == {"$.a": Spot(2, 9)}


def test_of_a_key_that_stands_twice_the_last_counts_as_for_readers() -> None:
    text = '{"a": {"b": 1,\n "c": 2},\n "a":\n {"c": 3}}'
    assert line_of(text, "$.a") == 4
    assert line_of(text, "$.a.c") == 4
    assert line_of(text, "$.a.b") == 4  # the last "a" has no "b"


def test_a_key_may_be_written_with_escapes() -> None:
    # A tab, an accent, a quote and half a character, as paths quote them.
    text = '{"\\u0061":\n 1, "\\u00e9 b":\n 2, "q\\"]":\n 3, "\\ud83d":\n 4}'
    assert line_of(text, "$.a") == 2
    assert line_of(text, '$["é b"]') == 3
    assert line_of(text, '$["q\\"]"]') == 4
    assert line_of(text, '$["\\ud83d"]') == 5


def test_brackets_and_quotes_inside_of_texts_open_nothing() -> None:
    text = '{"a": "]}\\"[{", "b": ["}", "\\\\"],\n "c": 1}'
    assert line_of(text, "$.c") == 2


@pytest.mark.parametrize(
    "text", ["", "  ", "[", '{"a"', '{"a":', '{"a": ]', "{,}", "[,]", '["a" "b"]', "[[[[", '{"a": "']
)
def test_a_broken_text_raises_nothing(text: str) -> None:
    json_spots(text.encode(), ["$.a", "$[1]", "$[0][0]"])


TABLE = (
    b"judge,benchmark,task,model,query,order,verdict\n"  # line 1
    b"j,own,t,m,1,orig,A\n"  # line 2: row 0
    b"\n"
    b'j,own,"two\nlines",m,1,swapped,Q\n'  # lines 4 and 5: row 1
    b"j,own,t,m\n"  # line 6: row 2
)


def test_rows_of_a_table_are_found_over_blank_lines_and_line_breaks_in_quotes() -> None:
    wanted = [("a", 0, "order"), ("b", 1, "task"), ("c", 1, "verdict"), ("d", 2, ""), ("e", 7, "")]
    found = {key: spot.line for key, spot in row_spots(TABLE, wanted).items()}
    assert found == {"a": 2, "b": 4, "c": 5, "d": 6}
    # Behind the header (47 bytes) stand `j,own,t,m,1,`, 12 bytes, before the order.
    assert row_spots(b"\xef\xbb\xbf" + TABLE, wanted)["a"].offset == 3 + 47 + 12


def lines_told(report: CheckReport) -> dict[tuple[str, str], int | None]:
    return {(problem.code, problem.path): problem.line for problem in report.problems}


def test_a_table_is_told_its_lines() -> None:
    report = check_submission(TABLE, "v.csv", prompt_sets=SETS, choices=VerdictChoices(options=2))
    told = lines_told(report)
    assert told[("bad_order", "rows[0].order")] == 2
    assert told[("bad_verdict", "rows[1].verdict")] == 5
    assert told[("row_shape", "rows[2]")] == 6


def test_a_verdict_document_is_told_its_lines() -> None:
    text = (
        '{"kind": "judge_verdicts", "schema_version": 1, "options": 2, "verdicts": [\n\n {"judge": "j",\n "order": 3}]}'
    )
    told = lines_told(check_submission(text.encode(), "v.json", prompt_sets=SETS))
    assert told[("missing_field", "verdicts[0].order")] == 4
    assert told[("missing_field", "verdicts[0].task")] == 3  # the row that lacks it


def test_personalized_answers_are_told_their_lines_in_both_forms() -> None:
    rows = good_rows()
    rows[1]["gold"] = "Z"
    document = good_document(rows)
    told = lines_told(check_submission(as_lines(document), "a.jsonl", prompt_sets=SETS))
    assert told[("gold_not_an_option", "a.jsonl:3")] == 3
    text = json.dumps(document, indent=1)
    (line,) = [number for number, written in enumerate(text.split("\n"), start=1) if '"Z"' in written]
    told = lines_told(check_submission(text.encode(), "a.json", prompt_sets=SETS))
    assert told[("gold_not_an_option", "rows[1].gold")] == line


def test_a_row_of_json_lines_is_found_to_the_byte() -> None:
    rows = good_rows()
    rows[1]["gold"] = "Z"
    data = as_lines(good_document(rows))
    problems = check_submission(data, "a.jsonl", prompt_sets=SETS).problems
    problem = next(one for one in problems if one.code == "gold_not_an_option")
    assert problem.offset is not None
    assert data[problem.offset :].startswith(b'"Z"')


def test_a_fault_of_the_text_has_the_line_it_names() -> None:
    # Nine bytes of the first line, five before the 2 where a colon is missing.
    (problem,) = check_submission(b'{"a": 1,\n "b" 2}', "x.json", prompt_sets=SETS).problems
    assert (problem.path, problem.line, problem.offset) == ("x.json:2:6", 2, 9 + 5)


def test_a_fault_at_the_end_of_a_file_stands_behind_its_last_line_feed() -> None:
    (problem,) = check_submission(b"{\n", "x.json", prompt_sets=SETS).problems
    assert (problem.path, problem.line, problem.offset) == ("x.json:2:1", 2, 2)


def test_a_file_and_its_bytes_are_told_the_same() -> None:
    assert (
        check_submission(io.BytesIO(TABLE), "v.csv", prompt_sets=SETS, choices=VerdictChoices(options=2)).problems
        == check_submission(TABLE, "v.csv", prompt_sets=SETS, choices=VerdictChoices(options=2)).problems
    )


def test_the_whole_file_has_no_line() -> None:
    (problem,) = check_submission(b"", "x.json", prompt_sets=SETS).problems
    assert problem.line is None
    assert problem.model_dump()["line"] is None
    assert "offset" not in problem.model_dump()
