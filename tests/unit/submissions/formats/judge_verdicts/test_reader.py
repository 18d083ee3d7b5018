"""Tables of judge verdicts: every code with a file that shows it, and what a good file gives."""

from __future__ import annotations

import copy
import csv
import io
import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from submissions.check import CheckReport, check_submission
from submissions.formats.judge_verdicts.reader import VerdictReading
from submissions.problem_codes import CODES, VERDICT_CODES
from submissions.promptsets import PromptSets
from submissions.reading.limits import Limits
from submissions.schema import Names, VerdictChoices
from submissions.verdicts.items import verdict_items
from tests.readings import read_as, verdicts

HEADER = ["judge", "benchmark", "task", "model", "query", "order", "repetition", "verdict"]
THREE = VerdictChoices(options=3, reference_model="reference")

Row = dict[str, Any]
Rows = list[Row]


def good_rows(queries: int = 30) -> Rows:
    """Both orders of one item per query; the model wins each: BA."""
    return [
        {
            "judge": "gauge",
            "benchmark": "demo",
            "task": "writing",
            "model": "aurora",
            "query": f"q{query:02}",
            "order": order,
            "repetition": "1",
            "verdict": verdict,
        }
        for query in range(queries)
        for order, verdict in (("original", "B"), ("swapped", "A"))
    ]


def as_csv(rows: Rows, header: list[str] | None = None) -> bytes:
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, header or list(dict.fromkeys(name for row in rows for name in row)) or HEADER)
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue().encode()


def as_json(rows: Any, **envelope: Any) -> bytes:
    listed = [_with_numbers(row) if isinstance(row, dict) else row for row in rows]
    document = {"kind": "judge_verdicts", "schema_version": 1, "options": 3, "verdicts": listed, **envelope}
    return json.dumps({key: value for key, value in document.items() if value is not None}).encode()


def _with_numbers(row: Row) -> Row:
    repetition = row.get("repetition")
    return {**row, "repetition": int(repetition)} if isinstance(repetition, str) else row


def check(data: bytes, choices: VerdictChoices = THREE, **options: Any) -> CheckReport:
    return check_submission(data, "verdicts", choices=choices, prompt_sets=PromptSets.load(None), **options)


def told(report: CheckReport) -> list[tuple[str, str]]:
    return [(problem.code, problem.path) for problem in report.problems]


@dataclass(frozen=True)
class Case:
    """A change to the good rows, and the problem it must show."""

    code: str
    path: str
    change: Callable[[Rows], bytes | None]
    says: str = ""
    item: str | None = None
    choices: VerdictChoices = THREE


def cell(row: int, name: str, value: Any) -> Callable[[Rows], None]:
    """Puts a value into one cell of the CSV."""

    def change(rows: Rows) -> None:
        rows[row][name] = value

    return change


def in_json(row: int, name: str, value: Any) -> Callable[[Rows], bytes]:
    """Puts a value into one field of the JSON file."""

    def change(rows: Rows) -> bytes:
        if isinstance(rows[row], dict):
            rows[row][name] = value
        return as_json(rows)

    return change


def envelope(**fields: Any) -> Callable[[Rows], bytes]:
    return lambda rows: as_json(rows, **fields)


def every(**fields: str) -> Callable[[Rows], None]:
    def change(rows: Rows) -> None:
        for row in rows:
            row.update(fields)

    return change


def lines(text: str) -> Callable[[Rows], bytes]:
    """Appends raw lines to the CSV."""
    return lambda rows: as_csv(rows) + text.encode()


def without_column(name: str) -> Callable[[Rows], None]:
    def change(rows: Rows) -> None:
        for row in rows:
            del row[name]

    return change


def one_order(rows: Rows) -> bytes:
    return as_csv(rows[::2])


def four_errors(rows: Rows) -> None:
    for row in rows[:8:2]:
        row["verdict"] = "N"


def candidate_language(rows: Rows) -> None:
    # The model always wins, written as if A were the reference and B the model: BB and, for others, AA.
    for number, row in enumerate(rows):
        row["verdict"] = "AB"[number // 2 % 2]


CASES = (
    # The whole file
    Case("missing_column", "$", without_column("order"), "order is missing"),
    Case("missing_column", "$", without_column("verdict"), "or raw_text in its place"),
    Case("envelope_field", "$", lambda _: None, "2 options (A, B) or 3", choices=VerdictChoices()),
    Case("envelope_field", "options", envelope(options="3"), 'the text "3"; accepted: the number 2 or 3'),
    Case("envelope_field", "options", envelope(options=4), "the number 4"),
    Case("envelope_field", "options", envelope(options=True), "true"),
    Case("envelope_field", "schema_version", envelope(schema_version=2), "the number 2; accepted: the number 1"),
    Case("envelope_field", "verdict_format", envelope(verdict_format="xml"), '"brackets" or "choice"'),
    Case("envelope_field", "reference_model", envelope(reference_model=7), "the number 7"),
    Case("envelope_field", "reference_model", envelope(reference_model="x" * 201), "at most 200"),
    Case("envelope_field", "verdicts", envelope(verdicts={}), "an empty object; accepted: a list"),
    Case(
        "envelope_field",
        "verdicts",
        lambda _: b'{"kind": "judge_verdicts", "options": 3}',
        "absent",
    ),
    Case("no_rows", "$", lambda _: as_csv([])),
    Case("no_rows", "verdicts", lambda _: as_json([])),
    Case("no_complete_pair", "$", one_order, "both orders"),
    Case("duplicate_key", "$", lambda rows: as_csv(rows).replace(b",model", b",task,model", 1), '"task" 2 times'),
    Case("duplicate_key", "verdicts[0].task", lambda rows: as_json(rows).replace(b'"task"', b'"task": "", "task"', 1)),
    Case("duplicate_key", "options", lambda rows: as_json(rows).replace(b'"options"', b'"options": 2, "options"', 1)),
    Case("json_nan", "verdicts[2].query", in_json(2, "query", float("nan"))),
    Case("encoding", "verdicts:62:1", lambda rows: as_csv(rows) + b"\xff\n"),
    # Rows
    Case("row_shape", "rows[60]", lines("gauge,demo\n"), "row 61: has 2 values; accepted: 8"),
    Case("row_shape", "rows[60]", lines('"gauge"x,demo\n'), "row 61: cannot be read as CSV"),
    Case(
        "row_shape", "verdicts[60]", lambda rows: as_json([*rows, "A"]), 'row 61: is the text "A"; accepted: an object'
    ),
    Case("missing_field", "rows[4].judge", cell(4, "judge", " "), "row 5: judge is an empty text", item="q02"),
    Case("missing_field", "rows[4].verdict", cell(4, "verdict", ""), "row 5: verdict is empty; accepted: A, B, C or N"),
    Case("missing_field", "verdicts[4].model", in_json(4, "model", 7), "the number 7; accepted: a text"),
    Case("missing_field", "verdicts[4].task", in_json(4, "task", True), "true; accepted: a text or a whole number"),
    Case("missing_field", "verdicts[4].task", in_json(4, "task", 1.5), "the number 1.5"),
    Case("missing_field", "verdicts[4].order", in_json(4, "order", None), "order is absent"),
    Case("missing_field", "verdicts[4].verdict", in_json(4, "verdict", 1), "the number 1"),
    Case("missing_field", "verdicts[4].benchmark", in_json(4, "benchmark", []), "an empty list"),
    Case("missing_field", "verdicts[4].raw_text", in_json(4, "raw_text", 1), "raw_text is the number 1"),
    Case("control_char", "rows[5].task", cell(5, "task", "wri\tting"), "U+0009", item="q02"),
    Case("lone_surrogate", "verdicts[5].query", in_json(5, "query", "q\ud83d"), "U+D83D"),
    Case("too_long", "rows[6].judge", cell(6, "judge", "g" * 101), "101 characters; accepted: at most 100"),
    Case("too_long", "rows[6].query", cell(6, "query", "g" * 201), "at most 200"),
    Case("too_long", "rows[6].benchmark", cell(6, "benchmark", "g" * 51), "at most 50"),
    Case("too_long", "rows[6].raw_text", cell(6, "raw_text", "g" * 50_001), "50,001 characters"),
    Case("too_long", "rows[60]", lines(f'"{"x" * 140_000}",demo\n'), "field larger"),
    Case("bad_benchmark", "rows[6].benchmark", cell(6, "benchmark", "MT bench"), 'row 7: benchmark is "MT bench"'),
    Case(
        "bad_order", "rows[6].order", cell(6, "order", "AB"), 'row 7: order is "AB"; accepted: "original"', item="q03"
    ),
    Case("bad_repetition", "rows[6].repetition", cell(6, "repetition", "0"), 'the text "0"; accepted: a whole number'),
    Case("bad_repetition", "rows[6].repetition", cell(6, "repetition", "1.5"), "from 1 to 100"),
    Case("bad_repetition", "verdicts[6].repetition", in_json(6, "repetition", 101), "the number 101"),
    Case("bad_repetition", "verdicts[6].repetition", in_json(6, "repetition", True), "true"),
    Case("bad_verdict", "rows[6].verdict", cell(6, "verdict", "tie"), '"tie"; accepted: A, B, C (tie)'),
    Case("bad_verdict", "rows[6].verdict", cell(6, "verdict", "a"), "shown first"),
    Case("candidate_is_reference", "rows[6].model", cell(6, "model", " reference"), "reference model"),
    Case("duplicate_row", "rows[60]", lambda rows: rows.append(dict(rows[3])), "of row 4", item="q01"),
    # Warnings
    Case("unknown_field", "$", every(colour="blue"), '"colour"'),
    Case(
        "unknown_field",
        "verdicts[0].colour",
        lambda rows: as_json([{**row, "colour": "blue"} for row in rows]),
        "60 times",
    ),
    Case("unknown_field", 'verdicts[0][""]', lambda rows: as_json([{**row, "": "blue"} for row in rows]), '""'),
    Case("unknown_field", "colour", envelope(colour="blue"), '"colour"'),
    Case("unknown_field", "judge_card.colour", envelope(judge_card={"colour": "blue"}), '"colour"'),
    Case("metadata_field", "judge_card", envelope(judge_card=[]), "accepted: an object"),
    Case("metadata_field", "judge_card.temperature", envelope(judge_card={"temperature": "0"}), "a number"),
    Case("metadata_field", "judge_card.family", envelope(judge_card={"family": 7}), "a text"),
    Case("tie_counted_as_error", "rows[6].verdict", cell(6, "verdict", "C"), "1 verdicts", choices=VerdictChoices(2)),
    Case(
        "text_disagrees",
        "rows[6].verdict",
        cell(6, "raw_text", "[[A]]"),
        "row 7 says B, its raw_text A",
    ),
    Case("csv_separator", "$", lambda rows: as_csv(rows).replace(b",", b";"), "separated by semicolons"),
    Case("unpaired_items", "$", lambda rows: as_csv(rows[:-1]), '"gauge" on demo: 1 of 30 items'),
    # 4 of 30 items: 13 % > 10 %.
    Case("many_errors", "$", four_errors, "4 of 30 items"),
    Case("few_queries", "$", lambda rows: as_csv(rows[2:]), "29 queries have a valid pair"),
    Case("maybe_candidate_language", "$", candidate_language, "15 pairs say A twice and 15 say B twice, of 30"),
)


@pytest.mark.parametrize("case", CASES, ids=[f"{case.code}-{number}" for number, case in enumerate(CASES)])
def test_a_file_shows_the_code_at_its_place(case: Case) -> None:
    rows = copy.deepcopy(good_rows())
    report = check(case.change(rows) or as_csv(rows), case.choices)
    found = [problem for problem in report.problems if problem.code == case.code]
    assert [problem.path for problem in found] == [case.path]
    assert case.says in found[0].message
    assert case.item in (None, found[0].item)
    assert found[0].severity == CODES[case.code].severity
    # Nothing else is wrong with it: other warnings may follow from the same cause.
    others = {problem.code for problem in report.problems if problem.severity == "error"} - {case.code}
    assert others == set()


def test_every_code_has_such_a_file() -> None:
    by_limits = {"too_many_columns", "too_many_rows", "too_many_names"}
    assert {case.code for case in CASES} >= set(VERDICT_CODES) - by_limits


def test_a_table_of_thousands_of_columns_is_refused_in_one_problem() -> None:
    wide = as_csv(good_rows(), [*HEADER, *(f"c{number}" for number in range(9_000))])
    report = check(wide)
    assert told(report) == [("too_many_columns", "$")]
    # 8 columns that a row needs, and those added.
    assert "names 9,008 columns; accepted: at most 1,000" in report.problems[0].message
    assert check(wide, limits=Limits(verdict_columns=9_008)).decision == "accepted_with_warnings"


def test_reading_a_header_takes_as_many_times_longer_as_it_has_more_columns() -> None:
    limits = Limits(verdict_columns=100_000)

    def compute_s(columns: int) -> float:
        header = ",".join(["judge", "task", "task", *(f"c{number}" for number in range(columns))]).encode()
        times = []
        for _ in range(3):
            begun = time.process_time()
            assert check(header, limits=limits).decision == "refused"
            times.append(time.process_time() - begun)
        return min(times)

    # Linear: 4 times; comparing every column with every other: 16 times.
    assert compute_s(20_000) < 8 * compute_s(5_000)


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        (Limits(verdict_rows=59), "too_many_rows"),
        (Limits(verdict_judges=0), "too_many_names"),
        (Limits(verdict_benchmarks=0), "too_many_names"),
        (Limits(verdict_groups=1), "too_many_names"),
    ],
)
@pytest.mark.parametrize("write", [as_csv, as_json])
def test_a_table_beyond_the_limits_is_refused_as_a_whole(
    limits: Limits, code: str, write: Callable[[Rows], bytes]
) -> None:
    report = check(write(good_rows()), limits=limits)
    assert told(report) == [(code, "$")]
    assert check(write(good_rows()), limits=Limits(verdict_rows=60)).decision == "accepted"


def test_a_good_table_is_accepted_without_a_word_and_covered() -> None:
    for data in (as_csv(good_rows()), as_json(good_rows())):
        report = check(data)
        assert (report.decision, report.kind, report.edition, told(report)) == ("accepted", "judge_verdicts", None, [])
        assert report.as_json()["coverage"] == {
            "n_rows": 60,
            "n_items": 30,
            "n_pairs": 30,
            "n_unpaired": 0,
            "n_error_calls": 0,
            "judges": ("gauge",),
            "benchmarks": ("demo",),
        }
        assert verdicts(report) is report.entry
        assert verdicts(report).set_id == "judges:demo"
        assert verdicts(report).choices == VerdictChoices(3, "reference", "brackets")


def test_every_fault_of_every_row_is_told_at_once() -> None:
    rows = good_rows()
    rows[0].update(judge="", order="first", verdict="tie")
    rows[7].update(repetition="x")
    assert told(check(as_csv(rows))) == [
        ("missing_field", "rows[0].judge"),
        ("bad_order", "rows[0].order"),
        ("bad_verdict", "rows[0].verdict"),
        ("bad_repetition", "rows[7].repetition"),
    ]


def test_a_fault_of_the_file_stops_the_check_and_all_of_them_are_told() -> None:
    data = as_csv([{**row, "verdict": "tie"} for row in good_rows()], HEADER).replace(b"order", b"Order", 1)
    report = check(data, VerdictChoices())
    assert set(report.problems_by_code) == {"missing_column", "envelope_field", "unknown_field"}
    assert read_as(VerdictReading, report).coverage is None
    assert 'Rename "Order" to order.' in [problem.hint for problem in report.problems]


def test_rows_are_numbered_without_blank_lines_and_texts_may_span_lines() -> None:
    rows = good_rows()
    for row in rows:
        row.update(verdict="", raw_text=f"Well,\n[[{row['verdict']}]]")
    rows[6]["order"] = "AB"
    data = as_csv(rows).replace(b"\r\n", b"\r\n\r\n")
    assert told(check(b"\xef\xbb\xbf" + data)) == [("bad_order", "rows[6].order")]


def test_a_row_that_is_no_csv_hides_no_other() -> None:
    data = as_csv(good_rows()) + b'"gauge"x\ngauge,demo,writing,aurora,q99,AB,1,A\n'
    assert told(check(data)) == [("row_shape", "rows[60]"), ("bad_order", "rows[61].order")]


def test_a_verdict_is_parsed_from_the_text_in_the_format_and_with_the_options_chosen() -> None:
    rows = [{**row, "verdict": "", "raw_text": f"Choice: {row['verdict']}"} for row in good_rows()]
    rows[0]["raw_text"] = "Choice: C"
    by_format = {
        choices: check(as_csv(rows), choices).as_json()["coverage"]["n_error_calls"]
        for choices in (VerdictChoices(3), VerdictChoices(3, None, "choice"), VerdictChoices(2, None, "choice"))
    }
    assert list(by_format.values()) == [60, 0, 1]


def test_what_a_json_file_states_wins_over_the_form() -> None:
    report = check(
        as_json(good_rows(), options=2, reference_model=" other ", verdict_format="choice"),
        VerdictChoices(3, "reference", "brackets"),
    )
    assert verdicts(report).choices == VerdictChoices(2, "other", "choice")
    silent = check(as_json(good_rows(), options=None), VerdictChoices(3, "reference", "choice"))
    assert verdicts(silent).choices == VerdictChoices(3, "reference", "choice")


def test_top_level_judge_and_benchmark_are_defaults_for_rows() -> None:
    rows = [{key: value for key, value in row.items() if key not in ("judge", "benchmark")} for row in good_rows()]
    rows += [{**row, "judge": "level"} for row in rows]
    card = {"model_id": "org/gauge", "temperature": 0, "revision": None}
    report = check(as_json(rows, judge="gauge", benchmark="demo", judge_card=card))
    coverage = read_as(VerdictReading, report).coverage
    assert coverage is not None
    assert coverage.judges == ("gauge", "level")
    assert verdicts(report).cards == {"gauge": {"model_id": "org/gauge", "temperature": 0.0}}


def test_a_card_that_names_no_judge_goes_to_the_only_one_or_nobody() -> None:
    card = {"family": "plumb"}
    report = check(as_json(good_rows(), judge_card=card))
    assert verdicts(report).cards == {"gauge": card}
    rows = good_rows() + [{**row, "judge": "level"} for row in good_rows()]
    assert ("metadata_field", "judge_card") in told(check(as_json(rows, judge_card=card)))


def test_whole_numbers_name_tasks_and_queries_and_outer_blanks_are_trimmed() -> None:
    rows = [{**row, "query": int(row["query"][1:]), "judge": " gauge "} for row in good_rows()]
    rows[1].update(query=" 0 ", judge="gauge")
    report = check(as_json(rows))
    assert report.decision == "accepted"
    assert verdicts(report).tables["demo"].judge.names == ("gauge",)


def test_several_benchmarks_are_one_entry_and_keep_their_tables_apart() -> None:
    rows = good_rows() + [{**row, "benchmark": "another"} for row in good_rows()]
    report = check(as_csv(rows))
    assert verdicts(report).set_id == "judges"
    assert list(verdicts(report).tables) == ["another", "demo"]
    assert [len(verdict_items(table).paired) for table in verdicts(report).tables.values()] == [30, 30]


def test_names_of_the_form_are_checked_as_everywhere() -> None:
    report = check(as_csv(good_rows()), names=Names(team="../aurora"))
    assert told(report) == [("source_chars", "$")]
    report = check(as_csv(good_rows()), names=Names(team=" aurora "))
    assert report.entry is not None
    assert report.entry.names == Names(team="aurora")


def test_json_of_this_kind_may_be_as_large_as_any_upload_and_no_other() -> None:
    limits = Limits(json_bytes=2_000, upload_bytes=100_000)
    assert check(as_json(good_rows()), limits=limits).decision == "accepted"
    hidden = json.dumps({"eloquent-robustness-results": {"x": json.loads(as_json(good_rows()))}}).encode()
    assert told(check(hidden, limits=limits)) == [("file_too_big", "$")]


def test_the_examples_in_the_documentation_are_accepted() -> None:
    text = (Path(__file__).parents[5] / "docs/submit.md").read_text("utf-8")
    table = re.findall(r"```csv\n(.*?)```", text, re.DOTALL)[-1]
    document = next(one for one in re.findall(r"```json\n(.*?)```", text, re.DOTALL) if '"judge_verdicts"' in one)
    choices = VerdictChoices(options=3, reference_model="vicuna-13b-v1.3")
    assert check(table.encode(), choices).as_json()["coverage"]["n_pairs"] == 3
    report = check(document.encode(), VerdictChoices())
    # One query only, and in the table one pair of three is unusable.
    assert set(report.problems_by_code) == {"few_queries"}
    assert verdicts(report).cards["gauge-7b"]["parameters"] == "7B"
