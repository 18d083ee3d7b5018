"""Personalized answers: every code with a file that shows it, and what a good file gives."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from submissions.formats.personalization.reader import PersonalizedReading
from submissions.formats.personalization.submission import PersonalizedRow
from submissions.formats.personalization.template import personalized_template
from submissions.problem_codes import CODES, PERSONALIZED_CODES
from submissions.questionsets.option_order import option_order_hash
from submissions.reading.limits import Limits
from submissions.schema import Names
from tests.readings import personalized, read_as
from tests.unit.submissions.formats.personalization.answer_files import (
    AGAIN,
    CONTROL,
    IRRELEVANT,
    MIXED,
    RELEVANT,
    Document,
    Row,
    as_json,
    as_lines,
    check,
    good_document,
    good_rows,
    told,
)

ROOT = Path(__file__).parents[5]

Change = Callable[[Document], Any]
"""Changes the good document; what it gives back is ignored."""

OTHER_ORDER = ["light", "sand", "noise"]


@dataclass(frozen=True)
class Case:
    """A change to the good document, and the one problem it must show."""

    code: str
    path: str
    change: Change
    says: str = ""


def put(index: int, **fields: Any) -> Change:
    return lambda document: document["rows"][index].update(fields)


def left_out(index: int, *fields: str) -> Change:
    return lambda document: [document["rows"][index].pop(field) for field in fields]


def envelope(**fields: Any) -> Change:
    return lambda document: document.update(fields)


def only(*rows: int, **fields: Any) -> Change:
    """Keeps some rows; the fields go into the last of them."""

    def change(document: Document) -> None:
        document["rows"] = [document["rows"][index] for index in rows]
        document["rows"][-1].update(fields)

    return change


CASES = (
    # What holds for the whole file
    Case("envelope_field", "system", envelope(system="  "), "system is an empty text; accepted"),
    Case("envelope_field", "run", lambda document: document.pop("run"), "run is missing"),
    Case("envelope_field", "model", envelope(model=7), "the number 7"),
    Case("envelope_field", "date", envelope(date="20 November"), "YYYY-MM-DD"),
    Case("envelope_field", "date", envelope(date="2026-02-30"), '"2026-02-30"'),
    Case("envelope_field", "notes", envelope(notes=["a"]), "a list of 1 values"),
    Case("source_placeholder", "team", envelope(team="YOUR TEAM NAME")),
    Case("source_chars", "run", envelope(run="../greedy")),
    Case("unknown_field", "colour", envelope(colour="blue"), '"colour"'),
    Case("no_rows", "rows", envelope(rows=[]), "an empty list"),
    Case("no_rows", "rows", lambda document: document.pop("rows"), "missing"),
    Case("no_rows", "rows", envelope(rows={"a": 1}), "an object"),
    # Types
    Case("missing_field", "rows[2]", lambda document: document["rows"].__setitem__(2, "row"), 'the text "row"'),
    Case("missing_field", "rows[2].gold", left_out(2, "gold"), "rows[2].gold (q1): the field is missing; accepted"),
    Case("missing_field", "rows[2].example_id", put(2, example_id=17), "the number 17"),
    Case("missing_field", "rows[2].dataset", put(2, dataset="Own set"), "a-z, 0-9 and _"),
    Case("missing_field", "rows[2].dataset", put(2, dataset="a" * 41)),
    Case("missing_field", "rows[2].method", put(2, method="my method")),
    Case("missing_field", "rows[2].question", put(2, question=" ")),
    Case("missing_field", "rows[2].options", put(2, options="['sand' 'light']")),
    Case("missing_field", "rows[2].preferences", put(2, preferences=[7])),
    Case("missing_field", "rows[2].relevant_index", put(2, relevant_index=True)),
    Case("missing_field", "rows[2].repeat", put(2, repeat="1")),
    Case("missing_field", "rows[2].fallback", put(2, fallback="no")),
    Case("missing_field", "rows[2].draft", put(2, draft=7)),
    Case("unknown_setting", "rows[2].setting", put(2, setting="Irrelevant"), "none, relevant, irrelevant, mixed"),
    Case("bad_options", "rows[2].options", put(2, options=["light"]), "there is 1 option"),
    Case("bad_options", "rows[2].options", put(2, options=[str(n) for n in range(27)]), "there are 27 options"),
    Case("bad_options", "rows[2].options", put(2, options=["light", " "]), "option B is an empty text"),
    Case("bad_options", "rows[2].options", put(2, options=["light", 3]), "option B is the number 3"),
    # One letter in two encodings, and blanks around it, are one option.
    Case("bad_options", "rows[2].options", put(2, options=["\u00e9t\u00e9", "b", " e\u0301te\u0301"]), "A and C"),
    # Values
    Case("hash_not_of_options", "rows[0].option_order_hash", only(CONTROL, option_order_hash="0" * 16), "0000"),
    Case("gold_not_an_option", "rows[0].gold", only(CONTROL, gold="D"), 'found "D"; accepted: A to C, or null'),
    Case("gold_not_an_option", "rows[0].gold", only(CONTROL, gold="b")),
    Case("gold_not_an_option", "rows[0].gold", only(CONTROL, gold="AB")),
    Case("reserved_dataset", "rows[0].dataset", only(CONTROL, dataset="full")),
    Case("bad_finish_reason", "rows[1].finish_reason", put(1, finish_reason="eos"), '"eos"; accepted: stop, length'),
    Case("rating_out_of_range", "rows[1].followed_rating", put(1, followed_rating=5.5), "5.5"),
    Case("rating_out_of_range", "rows[1].followed_rating", put(1, followed_rating="4")),
    Case("response_too_long", "rows[1].response_with_preference", put(1, response_with_preference="x" * 65_537)),
    Case("control_setting", "rows[0].method", put(0, method="naive"), "setting none with method"),
    Case("control_setting", "rows[1].method", put(1, method="no_preference")),
    Case("control_responses", "rows[0].response_without_preference", only(CONTROL, response_without_preference=None)),
    Case("control_responses", "rows[0].response_with_preference", put(0, response_with_preference="B")),
    Case("preferences_do_not_fit_setting", "rows[0].preferences", put(0, preferences=["One word."])),
    Case("preferences_do_not_fit_setting", "rows[1].preferences", put(1, preferences=["a", "b"])),
    Case("preferences_do_not_fit_setting", "rows[1].relevant_index", put(1, relevant_index=None)),
    Case("preferences_do_not_fit_setting", "rows[2].preferences", put(2, preferences=[])),
    Case("preferences_do_not_fit_setting", "rows[3].relevant_index", put(3, relevant_index=-1)),
    Case("preferences_do_not_fit_setting", "rows[3].preferences", put(3, preferences=["a"], relevant_index=0)),
    Case("preferences_do_not_fit_setting", "rows[2].preferences[1]", put(2, preferences=["a", "x" * 1_001]), "1,001"),
    Case("preferences_do_not_fit_setting", "rows[2].preferences[0]", put(2, preferences=[" "]), "blank"),
    Case("preferences_do_not_fit_setting", "rows[2].preferences[32]", put(2, preferences=["a"] * 33), "33"),
    Case("repeat_not_control", "rows[1].repeat", put(1, repeat=2)),
    Case("repeat_not_control", "rows[1].repeat", put(1, repeat=0)),
    Case("response_missing", "rows[1].response_with_preference", left_out(1, "response_with_preference")),
    Case("response_missing", "rows[1].response_with_preference", put(1, response_with_preference=None)),
    Case("draft_missing", "rows[3].draft", put(3, draft=None)),
    Case("duplicate_row", "rows[5]", lambda d: d["rows"].append(dict(d["rows"][RELEVANT])), "rows[1]"),
    # Beside the control
    Case("control_missing", "rows[0]", only(RELEVANT), "no control row"),
    Case("control_missing", "rows[0]", only(AGAIN), "repeat 2"),
    Case(
        "control_hash_missing",
        "rows[0].control_option_order_hash",
        only(RELEVANT, response_without_preference="B, light."),
    ),
    Case(
        "control_text_differs",
        "rows[2].response_without_preference",
        put(2, response_without_preference="B, light. "),
        "the control row (rows[0])",
    ),
    Case("question_changed", "rows[2].question", put(2, question="What do plants like?"), '"What do plants like?"'),
    Case("gold_changed", "rows[4].gold", put(4, gold="A"), 'gold is "A", but "B" in the control run (rows[0])'),
    Case("gold_changed", "rows[2].gold", put(2, gold=None), "gold is null"),
    Case(
        "option_order_changed",
        "rows[4]",
        put(4, options=OTHER_ORDER, option_order_hash=option_order_hash(OTHER_ORDER), gold="A"),
        "rows[4] (q1): options in another order than in the control run (hash "
        f"{option_order_hash(OTHER_ORDER)}, control {option_order_hash(['sand', 'light', 'noise'])}); letters cannot "
        "be compared. Answer both runs in one order.",
    ),
    Case("option_order_changed", "rows[2]", put(2, control_option_order_hash=option_order_hash(OTHER_ORDER))),
    # Warnings
    Case("unknown_field", "rows[1].temperature", put(1, temperature=0), '"temperature"'),
    Case("unknown_field", 'rows[1]["a b"]', put(1, **{"a b": 0})),
    Case("draft_is_not_control", "rows[3].draft", put(3, draft="B, light!"), "rows[3].draft (q1)"),
)


@pytest.mark.parametrize("case", CASES, ids=[f"{case.code}-{index}" for index, case in enumerate(CASES)])
def test_a_file_shows_the_code_at_its_place_and_no_other(case: Case) -> None:
    document = good_document()
    case.change(document)
    report = check(as_json(document))
    assert told(report) == [(case.code, case.path)]
    problem = report.problems[0]
    assert case.says in problem.message
    assert problem.hint.strip()
    assert problem.severity == CODES[case.code].severity
    assert (report.decision == "refused") == (problem.severity == "error")
    assert (report.entry is None) == (problem.severity == "error")
    if case.path.startswith("rows["):
        assert case.path in problem.message
        assert problem.item in ("q1", None)


def test_every_code_has_such_a_file() -> None:
    assert {case.code for case in CASES} >= set(PERSONALIZED_CODES)


def test_a_good_file_is_accepted_and_read_whole() -> None:
    report = check(as_json(good_document(notes="")))
    assert report.problems == []
    assert report.kind == "personalized_answers"
    assert report.edition is None
    read = personalized(report)
    assert read is not None
    assert read.names == Names("aurora", "aurora-chat", "org/aurora-7b", "greedy")
    assert (read.date, read.notes, read.set_id) == ("2026-11-20", "", "personalization")
    assert read.file_sha256 == report.sha256
    assert read.rows[MIXED] == PersonalizedRow(
        example_id="q1",
        dataset="own",
        setting="mixed",
        method="pref_aligner",
        question="What do plants need?",
        options=("sand", "light", "noise"),
        option_order_hash=option_order_hash(["sand", "light", "noise"]),
        gold="B",
        preferences=("I like tea.", "One word."),
        relevant_index=1,
        response_without_preference="B, light.",
        response_with_preference="Light.",
        draft="B,  light.\n",
        fallback=False,
        finish_reason="stop",
    )
    assert read.rows[RELEVANT].followed_rating == 4.5
    assert [row.example_id for row in read.controls()] == ["q1"]


def test_rows_without_a_control_text_get_it_from_the_first_control_run() -> None:
    read = personalized(check(as_json(good_document())))
    assert read is not None
    assert [row.response_without_preference for row in read.rows] == ["B, light."] * 4 + ["Light: B."]


def test_an_open_question_has_no_options_and_no_gold() -> None:
    open_question: Row = {"options": [], "option_order_hash": option_order_hash([]), "gold": None}
    report = check(as_json(good_document([{**row, **open_question} for row in good_rows()])))
    assert report.problems == []
    with_gold = [{**row, **open_question, "gold": "A"} for row in good_rows()]
    assert set(check(as_json(good_document(with_gold))).problems_by_code) == {"gold_not_an_option"}


def test_an_inline_control_with_its_order_stands_for_a_control_row() -> None:
    hash_ = option_order_hash(["sand", "light", "noise"])
    inline = {"response_without_preference": "B", "control_option_order_hash": hash_}
    report = check(as_json(good_document([{**good_rows()[IRRELEVANT], **inline}])))
    assert report.decision == "accepted"
    other = {**inline, "control_option_order_hash": option_order_hash(OTHER_ORDER)}
    report = check(as_json(good_document([{**good_rows()[IRRELEVANT], **other}])))
    assert told(report) == [("option_order_changed", "rows[0]")]


def test_a_control_of_another_data_set_is_none() -> None:
    rows = good_rows()[:2]
    rows[CONTROL]["dataset"] = "elsewhere"
    assert told(check(as_json(good_document(rows)))) == [("control_missing", "rows[1]")]


def test_a_row_that_cannot_be_read_counts_as_absent_also_as_a_control() -> None:
    rows = good_rows()[:2]
    rows[CONTROL]["options"] = ["sand"]
    rows[CONTROL]["gold"] = "Z"
    assert told(check(as_json(good_document(rows)))) == [
        ("bad_options", "rows[0].options"),
        ("control_missing", "rows[1]"),
    ]


def test_all_faults_are_told_at_once() -> None:
    rows = good_rows()
    rows[CONTROL] |= {"finish_reason": "eos", "followed_rating": 9}
    rows[RELEVANT] |= {"setting": "relevent", "gold": 7}
    rows[IRRELEVANT] |= {"relevant_index": 0, "response_with_preference": None}
    rows[MIXED] |= {"draft": None, "question": "What?"}
    report = check(as_json(good_document(rows, team="")))
    assert sorted(told(report)) == [
        ("bad_finish_reason", "rows[0].finish_reason"),
        ("draft_missing", "rows[3].draft"),
        ("envelope_field", "team"),
        ("missing_field", "rows[1].gold"),
        ("preferences_do_not_fit_setting", "rows[2].relevant_index"),
        ("question_changed", "rows[3].question"),
        ("rating_out_of_range", "rows[0].followed_rating"),
        ("response_missing", "rows[2].response_with_preference"),
        ("unknown_setting", "rows[1].setting"),
    ]


def test_a_value_is_cut_at_80_characters() -> None:
    rows = good_rows()[:1]
    rows[CONTROL]["gold"] = "x" * 500
    rows[CONTROL]["example_id"] = "y" * 500
    message = check(as_json(good_document(rows))).problems[0].message
    assert '"' + "x" * 80 + '…"' in message
    assert "(" + "y" * 80 + "…)" in message
    assert "x" * 81 not in message


def test_flags_fill_names_the_file_leaves_open_and_a_stated_name_wins() -> None:
    names = Names(team="other", system="flagged", model="m", run="r")
    document = good_document(system=None, model=" ", run="ID to distinguish submissions")
    report = check(as_json(document), names)
    assert personalized(report).names == Names("aurora", "flagged", "m", "r")
    assert set(report.problems_by_code) == {"identity_conflict"}


def test_warnings_are_told_once_with_their_count() -> None:
    rows = [{**row, "seed": 1, "top_p": 2} for row in good_rows()]
    report = check(as_json(good_document(rows)))
    assert told(report) == [("unknown_field", "rows[0].seed"), ("unknown_field", "rows[0].top_p")]
    assert "5 rows" in report.problems[0].message
    assert report.decision == "accepted_with_warnings"


@pytest.mark.parametrize(
    ("code", "old", "new", "path"),
    [
        ("duplicate_key", '"gold": "B"', '"gold": "B", "gold": "A"', "rows[0].gold"),
        ("json_nan", "4.5", "NaN", "rows[1].followed_rating"),
        ("lone_surrogate", "The answer is B.", "\\ud83d", "rows[2].response_with_preference"),
        ("control_char", "The answer is B.", "\\u0007", "rows[2].response_with_preference"),
        ("lone_surrogate", '"light"', '"\\ud83d"', "rows[0].options[1]"),
        ("control_char", "aurora-chat", "a\\u0007", "system"),
        ("json_nan", '"2026-11-20"', "Infinity", "date"),
    ],
)
def test_faults_of_values_name_their_place(code: str, old: str, new: str, path: str) -> None:
    text = json.dumps(good_document())
    assert old in text
    report = check(text.replace(old, new, 1).encode())
    assert (code, path) in told(report)
    assert report.entry is None


def test_each_kind_keeps_its_own_limit_of_bytes() -> None:
    limits = Limits(json_bytes=2_000, upload_bytes=20_000, personalized_lines_bytes=40_000)
    rows = [row for n in range(4) for row in ({**row, "example_id": f"q{n}"} for row in good_rows())]
    data = as_json(good_document(rows))
    assert 2_000 < len(data) < 20_000
    assert check(data, limits=limits).decision == "accepted"
    assert check(data + b" " * 20_000, limits=limits).problems_by_code == {"file_too_big": 1}
    assert check(as_lines(good_document(rows)) + b"\n" * 20_000, limits=limits).decision == "accepted"
    assert check(as_lines(good_document(rows)) + b"\n" * 40_000, limits=limits).problems_by_code == {"file_too_big": 1}
    other = json.dumps({"eloquent-robustness-results": {"source": "personalized_answers"}}).ljust(3_000).encode()
    assert check(other, limits=limits).problems_by_code == {"file_too_big": 1}


@pytest.mark.parametrize(("form", "path"), [(as_json, "rows"), (as_lines, "answers.jsonl:6")])
def test_rows_beyond_the_limit_are_not_read(form: Callable[[Document], bytes], path: str) -> None:
    document = good_document()
    assert check(form(document), limits=Limits(personalized_rows=5)).decision == "accepted"
    document["rows"][AGAIN] = {}
    report = check(form(document), limits=Limits(personalized_rows=4))
    assert told(report) == [("file_too_big", path)]


def test_the_coverage_counts_rows_examples_and_gold_of_each_group() -> None:
    second: list[Row] = [{**row, "example_id": "q2", "gold": None} for row in good_rows()[:2]]
    coverage = read_as(PersonalizedReading, check(as_json(good_document([*good_rows(), *second])))).coverage
    assert coverage is not None
    assert (coverage.n_rows, coverage.n_examples, coverage.n_controls, coverage.n_repeats) == (7, 2, 2, 1)
    assert [
        (group.setting, group.method, group.is_repeat, group.n_rows, group.n_examples, group.n_with_gold)
        for group in coverage.groups
    ] == [
        ("none", "no_preference", False, 2, 2, 1),
        ("none", "no_preference", True, 1, 1, 1),
        ("relevant", "naive", False, 2, 2, 1),
        ("irrelevant", "naive", False, 1, 1, 1),
        ("mixed", "pref_aligner", False, 1, 1, 1),
    ]


def test_where_rows_are_not_wanted_the_entry_is_still_given() -> None:
    with_rows, without = (check(as_json(good_document()), keep_rows=keep) for keep in (True, False))
    assert read_as(PersonalizedReading, without).submission is None
    assert without.entry == with_rows.entry
    assert without.entry is not None
    assert without.entry.set_id == "personalization"
    assert read_as(PersonalizedReading, without).coverage == read_as(PersonalizedReading, with_rows).coverage


def test_a_bare_row_is_told_what_is_missing_around_it() -> None:
    rows = good_rows()
    for data in (as_json(rows[0]), b"\n".join(map(as_json, rows))):
        report = check(data)
        assert [problem.code for problem in report.problems] == ["wrong_root"]
        assert "a row of personalized_answers" in report.problems[0].message


def test_the_template_is_valid_but_for_the_names() -> None:
    data = personalized_template().encode()
    assert {code for code, _ in told(check(data))} == {"source_placeholder"}
    report = check(data, Names("aurora", "chat", "org/m", "1"))
    assert report.problems == []
    assert {group.setting for group in read_as(PersonalizedReading, report).coverage.groups} == {  # type: ignore[union-attr]
        "none",
        "relevant",
        "irrelevant",
        "mixed",
    }


def test_the_example_of_the_documentation_is_accepted() -> None:
    text = (ROOT / "docs/submit.md").read_text("utf-8")
    examples = [
        block for block in re.findall(r"```json\n(.*?)```", text, re.DOTALL) if '"personalized_answers"' in block
    ]
    assert len(examples) == 1
    assert check(examples[0].encode()).problems == []
    function = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names: dict[str, Any] = {}
    exec(next(block for block in function if "option_order_hash" in block), names)
    assert names["option_order_hash"]([" \u00c4rger ", "e\u0301t\u00e9"]) == "80b2ef8f47c548fd"  # specification
