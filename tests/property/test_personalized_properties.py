"""Laws of personalized answers: any rows are answered, what is written is read, and the form of a file says nothing."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from submissions.check import CheckReport
from submissions.formats.personalization.reader import PersonalizedReading
from submissions.formats.personalization.rows import ROW_FIELDS
from submissions.questionsets.option_order import normalised_option, option_order_hash
from tests.readings import personalized, read_as
from tests.unit.submissions.formats.personalization.answer_files import (
    as_json,
    as_lines,
    check,
    good_document,
    good_rows,
)

RANK = {"accepted": 0, "accepted_with_warnings": 1, "refused": 2}
ROW_KEYS = sorted(ROW_FIELDS)

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(
        ["none", "mixed", "naive", "pref_aligner", "no_preference", "A", "full", [], ["a", "b"], "\ud83d"]
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
CHANGES = st.lists(st.tuples(st.integers(0, 4), st.sampled_from(ROW_KEYS), JSON_VALUES), min_size=1, max_size=4)
# Without half characters and control characters, which are refused.
TEXTS = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=30)


def is_well_formed(report: CheckReport) -> None:
    """What holds for the report of any file of this kind."""
    shown = json.loads(json.dumps(report.as_json(), ensure_ascii=False).encode("utf-8"))
    assert shown["problems_total"] == sum(shown["problems_by_code"].values())
    assert (report.decision == "refused") == any(problem.severity == "error" for problem in report.problems)
    assert (report.entry is None) == (report.decision == "refused")
    for problem in report.problems:
        assert problem.path
        assert problem.message.strip()
        assert problem.hint.strip()
        assert "\n" not in problem.path + problem.message


@given(CHANGES)
@settings(max_examples=200)
def test_any_value_in_any_field_is_answered_alike_in_both_forms(changes: list[tuple[int, str, Any]]) -> None:
    rows = good_rows()
    for index, key, value in changes:
        rows[index][key] = value
    one, other = check(as_json(good_document(rows))), check(as_lines(good_document(rows)))
    is_well_formed(one)
    is_well_formed(other)
    assert other.problems_by_code == one.problems_by_code
    assert read_as(PersonalizedReading, other).coverage == read_as(PersonalizedReading, one).coverage


@given(st.lists(JSON_VALUES, max_size=4), st.dictionaries(st.text(max_size=6), JSON_VALUES, max_size=3))
@settings(max_examples=150)
def test_any_rows_and_any_fields_of_the_file_are_answered(rows: list[Any], fields: dict[str, Any]) -> None:
    document = good_document(rows, **{key: value for key, value in fields.items() if key != "kind"})
    is_well_formed(check(as_json(document)))
    is_well_formed(check(as_lines(document)))


LINES = as_lines(good_document())


@given(st.integers(0, len(LINES) - 1), st.integers(0, 60), st.binary(max_size=6))
@settings(max_examples=200)
def test_lines_with_some_bytes_replaced_are_answered(start: int, length: int, replacement: bytes) -> None:
    data = LINES[:start] + replacement + LINES[start + length :]
    report = check(data)
    assert report.as_json() == check(data).as_json()
    assert report.decision == "refused" or report.entry is not None


@given(
    TEXTS.filter(str.strip),
    TEXTS.filter(str.strip),
    st.lists(TEXTS, min_size=3, max_size=3),
    st.lists(TEXTS.filter(str.strip), min_size=1, max_size=4),
    st.none() | st.floats(1, 5),
)
@settings(max_examples=100)
def test_what_was_written_is_what_is_read(
    example_id: str, question: str, answers: list[str], preferences: list[str], rating: float | None
) -> None:
    rows = good_rows()[:3]
    for row in rows:
        row |= {"example_id": example_id, "question": question}
    rows[0]["response_without_preference"] = answers[0]
    rows[1] |= {"response_with_preference": answers[1], "followed_rating": rating}
    rows[2] |= {"response_with_preference": answers[2], "preferences": preferences}
    report = check(as_json(good_document(rows)))
    assert report.problems == []
    for written, read in zip(rows, personalized(report).rows, strict=True):
        assert {key: getattr(read, key) for key in written} == {
            **written,
            "options": tuple(written["options"]),
            "preferences": tuple(written["preferences"]),
        }
    assert [row.response_without_preference for row in personalized(report).rows] == [answers[0]] * 3


@given(CHANGES)
@settings(max_examples=80)
def test_a_further_fault_never_improves_the_decision(changes: list[tuple[int, str, Any]]) -> None:
    document = good_document()
    before = check(as_json(document))
    for index, key, value in changes:
        document["rows"][index][key] = value
        document["rows"][index]["finish_reason"] = "of our own"
        after = check(as_json(copy.deepcopy(document)))
        assert RANK[after.decision] >= RANK[before.decision]


@given(st.lists(TEXTS, min_size=1, max_size=5), st.randoms())
@settings(max_examples=80)
def test_the_hash_tells_orders_apart_and_not_blanks_around(options: list[str], random: Any) -> None:
    assert option_order_hash([f"  {option}\n" for option in options]) == option_order_hash(options)
    shuffled = random.sample(options, len(options))
    is_same_order = [*map(normalised_option, shuffled)] == [*map(normalised_option, options)]
    assert (option_order_hash(shuffled) == option_order_hash(options)) == is_same_order
