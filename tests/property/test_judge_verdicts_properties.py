"""Laws of verdict tables: any content is answered, and neither the order of rows nor the format matters."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.position_bias.evaluate import evaluate_judges
from evaluator.results import JudgesResult, JudgesResults
from submissions.check import CheckReport, check_submission
from submissions.formats.judge_verdicts.reader import VerdictReading
from submissions.formats.judge_verdicts.rows import ROW_FIELDS
from submissions.problem_codes import CODES
from submissions.promptsets import PromptSets, eloquent_2024_without_prompts, load_demonstration
from submissions.schema import VerdictChoices
from tests.readings import read_as, verdicts

SETS = PromptSets(eloquent_2024_without_prompts(), load_demonstration())
THREE = VerdictChoices(options=3, reference_model="reference")
HEADER = ",".join(ROW_FIELDS)

ANYTHING = st.text(max_size=6) | st.sampled_from(["A", "B", "original", "swapped", "1", "demo", "reference", "[[A]]"])
VALUES = st.none() | st.booleans() | st.integers() | st.floats() | ANYTHING | st.lists(ANYTHING, max_size=2)

Row = dict[str, Any]


def check(data: bytes, choices: VerdictChoices = THREE) -> CheckReport:
    return check_submission(data, "file", choices=choices, prompt_sets=SETS)


def is_well_formed(report: CheckReport) -> None:
    """What holds for the report of any table."""
    shown = json.loads(json.dumps(report.as_json(), ensure_ascii=False).encode("utf-8"))
    assert shown["problems_total"] == sum(shown["problems_by_code"].values())
    assert (report.decision == "refused") == (report.entry is None)
    for problem in shown["problems"]:
        assert problem["code"] in CODES
        assert problem["path"]
        assert problem["message"].strip()
        assert problem["hint"].strip()
        assert "\n" not in problem["path"] + problem["message"]


@st.composite
def tables(draw: st.DrawFn) -> list[Row]:
    """Readable rows over a small grid with gaps and repetitions, with one complete pair at least."""
    cells = st.tuples(
        st.sampled_from("ij"),
        st.sampled_from(["demo", "other"]),
        st.sampled_from("tu"),
        st.sampled_from("mn"),
        st.sampled_from("pqr"),
        st.sampled_from(["original", "swapped"]),
        st.integers(1, 3),
    )
    keys = set(draw(st.lists(cells, max_size=40)))
    keys |= {("i", "demo", "t", "m", "p", order, 1) for order in ("original", "swapped")}
    names = ("judge", "benchmark", "task", "model", "query", "order", "repetition")
    verdicts = st.sampled_from("ABCN")
    return [{**dict(zip(names, key, strict=True)), "verdict": draw(verdicts)} for key in sorted(keys)]


def as_csv(rows: list[Row]) -> bytes:
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, list(ROW_FIELDS))
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue().encode()


def as_json(rows: list[Row]) -> bytes:
    return json.dumps({"kind": "judge_verdicts", "verdicts": rows}).encode()


def result(data: bytes) -> JudgesResult | JudgesResults:
    report = check(data)
    return evaluate_judges(verdicts(report))


def without_sha(found: JudgesResult | JudgesResults) -> list[JudgesResult]:
    results = found.results if isinstance(found, JudgesResults) else (found,)
    return [one.model_copy(update={"file_sha256": ""}) for one in results]


@given(st.binary(max_size=200))
@settings(max_examples=150)
def test_any_bytes_below_a_header_are_answered(data: bytes) -> None:
    is_well_formed(check(HEADER.encode() + b"\n" + data))


@given(st.lists(st.lists(ANYTHING, max_size=10), max_size=6), st.lists(st.sampled_from([*ROW_FIELDS, "x"]), max_size=9))
@settings(max_examples=150)
def test_any_csv_is_answered(rows: list[list[str]], header: list[str]) -> None:
    buffer = io.StringIO()
    csv.writer(buffer).writerows([["judge", "verdict", *header], *rows])
    is_well_formed(check(buffer.getvalue().encode("utf-8", "surrogatepass")))


@given(
    st.lists(st.dictionaries(st.sampled_from([*ROW_FIELDS, "x"]), VALUES) | VALUES, max_size=6),
    st.dictionaries(st.sampled_from(["judge", "benchmark", "options", "reference_model", "judge_card", "x"]), VALUES),
)
@settings(max_examples=200)
def test_any_json_of_the_kind_is_answered(rows: list[Any], envelope: Row) -> None:
    document = {"kind": "judge_verdicts", **envelope, "verdicts": rows}
    is_well_formed(check(json.dumps(document).encode()))


@given(tables(), st.integers(0, 200), st.sampled_from(ROW_FIELDS), VALUES)
@settings(max_examples=150)
def test_any_value_in_any_field_is_answered(rows: list[Row], row: int, name: str, value: Any) -> None:
    rows[row % len(rows)][name] = value
    report = check(as_json(rows))
    is_well_formed(report)
    coverage = read_as(VerdictReading, report).coverage
    assert coverage is None or coverage.n_rows == len(rows)


@given(tables(), st.randoms(use_true_random=False))
@settings(max_examples=15)
def test_neither_the_order_of_rows_nor_the_format_changes_a_figure(rows: list[Row], random: Any) -> None:
    expected = without_sha(result(as_csv(rows)))
    assert without_sha(result(as_json(rows))) == expected
    random.shuffle(rows)
    assert without_sha(result(as_csv(rows))) == expected
    coverage = read_as(VerdictReading, check(as_csv(rows))).coverage
    assert coverage is not None
    assert coverage.n_items == coverage.n_pairs + coverage.n_unpaired
