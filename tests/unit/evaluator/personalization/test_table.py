"""Row tables: what is read, and every fault by its code and line."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from evaluator.judges.text_replies import Profile
from evaluator.personalization.figures import personalization_report
from evaluator.personalization.outcome_rows import OutcomeRow
from evaluator.personalization.table import RowTableRefused, read_outcome_rows
from evaluator.personalization.text import report_text

HEADER = "system,method,dataset,setting,example_id,correct_no_pref,correct_pref,rating,followed\n"
LETTERS = "run,dataset,setting,example_id,n_options,gold,no_pref_answer,pref_answer\n"


def read(folder: Path, text: str | bytes, *, profile: Profile = "recommended") -> list[OutcomeRow]:
    path = folder / "rows.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_outcome_rows(path, profile=profile)


def faults(folder: Path, text: str | bytes) -> list[tuple[int, str]]:
    with pytest.raises(RowTableRefused) as refused:
        read(folder, text)
    assert all(fault["severity"] == "error" and fault["message"] for fault in refused.value.problems)
    return [(fault["line"], fault["code"]) for fault in refused.value.problems]


def test_flags_and_verdicts_are_read_as_they_stand(tmp_path: Path) -> None:
    rows = read(
        tmp_path,
        HEADER
        + "s,naive,mmlu,relevant,q1,1,0,4.5,1\n"
        + "s,naive,mmlu,relevant,q2,0,1,unparsable,\n"
        + "s,naive,mmlu,relevant,q3,1,1,,0\n"
        + "s,naive,mmlu,relevant,q4,1,,,\n",
    )
    assert rows[0] == OutcomeRow(
        "q1", "mmlu", "relevant", True, False, system="s", method="naive", rating=4.5, followed=True
    )
    assert [row.is_followed() for row in rows] == [True, False, False, None]
    assert [row.unparsable for row in rows] == [False, True, False, False]
    assert [row.is_known for row in rows] == [True, True, True, False]


def test_letters_are_right_only_where_they_are_the_gold_letter_of_an_option(tmp_path: Path) -> None:
    answers = ["B", "b", "", "-1", "OTHER", "A"]
    rows = read(tmp_path, LETTERS + "".join(f"1,mmlu,none,q{n},2,B,B,{answer}\n" for n, answer in enumerate(answers)))
    assert [row.correct_pref for row in rows] == [True, False, False, False, False, False]
    assert [row.invalid_pref for row in rows] == [False, True, True, True, True, False]
    assert [row.correct_no_pref for row in rows] == [True] * 6


@pytest.mark.parametrize("gold", ["C", "1", "b", "a lake"])
def test_a_gold_that_is_no_letter_of_an_option_is_refused(tmp_path: Path, gold: str) -> None:
    with pytest.raises(RowTableRefused) as refused:
        read(tmp_path, LETTERS + f"1,mmlu,none,q,2,{gold},A,A\n")
    assert [(fault["line"], fault["code"]) for fault in refused.value.problems] == [(2, "gold_not_an_option")]


def test_without_a_number_of_options_it_is_not_known_which_letters_are_invalid(tmp_path: Path) -> None:
    (row,) = read(tmp_path, LETTERS + "1,mmlu,none,q,,B,B,OTHER\n")
    assert (row.correct_no_pref, row.invalid_no_pref, row.invalid_pref) == (True, None, None)


def test_a_row_without_gold_is_not_known(tmp_path: Path) -> None:
    (row,) = read(tmp_path, LETTERS + "1,mmlu,none,q,2,,B,X\n")
    assert (row.is_known, row.invalid_no_pref, row.invalid_pref) == (False, False, True)


def test_missing_columns_and_blank_cells_of_the_key_are_null(tmp_path: Path) -> None:
    (row,) = read(tmp_path, HEADER + ",,mmlu,none,q,1,1,,\n")
    assert (row.system, row.run, row.method) == (None, None, None)


def test_unchanged_fallback_and_the_repeat_are_read(tmp_path: Path) -> None:
    header = (
        "run,dataset,setting,example_id,correct_no_pref,correct_pref,correct_no_pref_repeat,unchanged,fallback,note\n"
    )
    rows = read(tmp_path, header + "1,d,relevant,q1,1,1,0,1,0,x\n1,d,relevant,q2,1,1,,,,y\n")
    assert [(row.correct_no_pref_repeat, row.unchanged, row.fallback) for row in rows] == [
        (False, True, False),
        (None, None, None),
    ]


def test_gzip_and_a_byte_order_mark_are_read(tmp_path: Path) -> None:
    text = ("\ufeff" + HEADER + "s,naive,mmlu,none,q,1,1,,\n").encode()
    assert read(tmp_path, gzip.compress(text)) == read(tmp_path, text)


def test_a_table_of_a_header_only_has_no_rows(tmp_path: Path) -> None:
    assert read(tmp_path, HEADER) == []


def test_all_missing_columns_are_named_at_once(tmp_path: Path) -> None:
    with pytest.raises(RowTableRefused, match="missing column setting") as refused:
        read(tmp_path, "dataset,example_id,gold,pref_answer\nd,q,A,A\n")
    messages = [fault["message"] for fault in refused.value.problems]
    assert len(messages) == 3
    assert messages[1].startswith("missing column system or run (found: ")
    assert messages[2].startswith("missing column correct_no_pref, or gold and no_pref_answer")
    assert {(fault["line"], fault["code"]) for fault in refused.value.problems} == {(1, "missing_column")}


def test_an_empty_file_has_no_columns(tmp_path: Path) -> None:
    assert {code for _, code in faults(tmp_path, "")} == {"missing_column"}


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ("s,naive,mmlu,relevent,q,1,1,,", "unknown_setting"),
        ("s,naive,mmlu,,q,1,1,,", "unknown_setting"),
        ("s,naive,mmlu,relevant,q,yes,1,,", "bad_flag"),
        ("s,naive,mmlu,relevant,q,1,1.0,,", "bad_flag"),
        ("s,naive,mmlu,relevant,q,1,1,,2", "bad_flag"),
        ("s,naive,mmlu,relevant,q,1,1,0.99,", "bad_rating"),
        ("s,naive,mmlu,relevant,q,1,1,5.1,", "bad_rating"),
        ("s,naive,mmlu,relevant,q,1,1,nan,", "bad_rating"),
        ("s,naive,mmlu,relevant,q,1,1,4/5,", "bad_rating"),
        ("s,naive,mmlu,relevant,q,1,1,1e0,", "bad_rating"),
        ("s,naive,mmlu,relevant,q,1,1,٤,", "bad_rating"),
        ("s,naive,full,relevant,q,1,1,,", "reserved_dataset"),
        ("s,naive,mmlu,relevant,q,1,1,3,0", "verdict_conflict"),
        ("s,naive,mmlu,relevant,q,1,1,2.9,1", "verdict_conflict"),
        ("s,naive,mmlu,relevant,q,1,1,unparsable,1", "verdict_conflict"),
        ("s,naive,mmlu,relevant,q,1,1", "row_length"),
    ],
)
def test_a_bad_row_is_refused_with_its_line_and_code(row: str, code: str, tmp_path: Path) -> None:
    assert faults(tmp_path, HEADER + "s,naive,mmlu,relevant,good,1,1,3,1\n" + row + "\n") == [(3, code)]


def test_all_faults_of_a_table_come_at_once_in_the_order_of_its_lines(tmp_path: Path) -> None:
    text = HEADER + "s,m,full,other,q,x,1,9,\ns,m,d,none,q,1,1,,\ns,m,d,none,q,1,1,3,0\n"
    assert faults(tmp_path, text) == [
        (2, "unknown_setting"),
        (2, "reserved_dataset"),
        (2, "bad_rating"),
        (2, "bad_flag"),
        (4, "duplicate_row"),
        (4, "verdict_conflict"),
    ]


def test_the_same_example_may_occur_once_per_preference(tmp_path: Path) -> None:
    header = "run,dataset,setting,example_id,pref_id,correct_no_pref,correct_pref\n"
    assert len(read(tmp_path, header + "1,d,relevant,q,1,1,1\n1,d,relevant,q,2,1,1\n")) == 2
    assert faults(tmp_path, header + "1,d,relevant,q,1,1,1\n1,d,relevant,q,1,1,0\n") == [(3, "duplicate_row")]


@pytest.mark.parametrize(("flags", "is_fine"), [("1,0", True), (",", True), ("0,0", False), ("1,1", False)])
def test_flags_must_agree_with_letters(flags: str, is_fine: bool, tmp_path: Path) -> None:
    header = "run,dataset,setting,example_id,gold,no_pref_answer,pref_answer,correct_no_pref,correct_pref\n"
    text = header + f"1,d,relevant,q,B,B,A,{flags}\n"
    if is_fine:
        (row,) = read(tmp_path, text)
        assert (row.correct_no_pref, row.correct_pref) == (True, False)
    else:
        assert faults(tmp_path, text) == [(2, "correct_conflict")]


def test_a_number_of_options_that_is_none_is_refused(tmp_path: Path) -> None:
    assert faults(tmp_path, LETTERS + "1,d,none,q,four,A,A,A\n") == [(2, "bad_flag")]


def test_a_line_is_where_a_row_starts(tmp_path: Path) -> None:
    text = HEADER + '"s\ns",m,d,none,q,1,1,,\n\ns,m,d,none,q,x,1,,\n'
    assert faults(tmp_path, text) == [(5, "bad_flag")]


@pytest.mark.parametrize(
    "data",
    [
        HEADER.encode() + b"\xff,m,d,none,q,1,1,,\n",
        HEADER.encode() + b's,"m"x,d,none,q,1,1,,\n',
        gzip.compress(HEADER.encode() * 100)[:-9],
        b"\x1f\x8bnot gzip at all",
    ],
)
def test_a_file_that_is_no_utf8_csv_or_gzip_is_refused(data: bytes, tmp_path: Path) -> None:
    assert (1, "unreadable_file") in faults(tmp_path, data)


def test_a_column_named_twice_is_refused(tmp_path: Path) -> None:
    assert faults(tmp_path, HEADER.replace("rating", "method")) == [(1, "repeated_column")]


def test_messages_name_what_was_found_and_what_is_accepted(tmp_path: Path) -> None:
    with pytest.raises(RowTableRefused) as refused:
        read(tmp_path, HEADER + f"s,m,d,none,q1,1,1,{'9' * 200},\n")
    (fault,) = refused.value.problems
    assert fault["message"] == (
        f'"q1": rating is "{"9" * 80}…"; accepted: a number from 1 to 5, unparsable, or blank where it was never judged'
    )


def test_the_published_profile_has_no_range(tmp_path: Path) -> None:
    text = HEADER + "s,m,d,relevant,q1,1,1,7,\ns,m,d,relevant,q2,1,1,0,\n"
    assert [row.is_followed() for row in read(tmp_path, text, profile="perg")] == [True, False]


def test_answers_that_are_no_letters_are_told_of_above_the_table(tmp_path: Path) -> None:
    rows = read(
        tmp_path, LETTERS + "r,mmlu,relevant,q1,4,B,B,b\nr,mmlu,relevant,q2,4,B,B,B.\nr,mmlu,relevant,q3,4,B,B,B\n"
    )
    said = report_text(personalization_report(rows)).splitlines()
    assert said[0].startswith("Answers that are none of the options' letters count as wrong")
    assert said[1] == "r, relevant, mmlu: 0 of 3 without preferences, 2 with"


def test_a_decimal_comma_in_a_rating_is_a_point(tmp_path: Path) -> None:
    (row,) = read(tmp_path, HEADER.replace(",", ";") + "s;naive;mmlu;relevant;q1;1;1;4,5;1\n")
    assert row.rating == 4.5
