"""Files of people's labels: what is read, what is left out and said, and what pairs are made of them."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from evaluator.judge_quality.people import (
    AnsweredQuestion,
    PeopleFileError,
    drawn,
    is_held_out,
    part_of,
    read_answers,
    read_likeness,
    read_questions,
    same_answer_pairs,
    short_right_answers,
)

PAIR = {"id": "en-dev-0", "a": "A cat sits.", "b": "A cat is sitting.", "score": 5.0, "language": "en"}


def write(path: Path, rows: Iterable[object]) -> None:
    """Pack rows as JSON lines; a text is written as it is."""
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode()))


def question(question_id: str, **answers: tuple[str, bool]) -> dict[str, object]:
    said = {name: {"text": text, "correct": correct} for name, (text, correct) in answers.items()}
    return {"id": question_id, "question": "who wrote Emma", "gold": "Jane Austen", "answers": said}


def test_the_part_of_a_question_follows_from_the_hash_of_its_id() -> None:
    for place in range(50):
        fifth = int(hashlib.sha256(f"nq{place}".encode()).hexdigest()[:8], 16) % 5
        assert part_of(f"nq{place}") == {0: "held-out", 1: "dev"}.get(fifth, "train")
        assert is_held_out(f"nq{place}") == (fifth == 0)


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ("{", "the row: Invalid JSON"),
        ("[]", "the row: Input should be an object"),
        (PAIR | {"id": "en-dev-1", "score": 5.5}, "score: Input should be less than or equal to 5"),
        (PAIR | {"id": "en-dev-1", "score": "5"}, "score: Input should be a valid number"),
        (PAIR | {"id": "en-dev-1", "a": " "}, "a: the text is blank"),
        ({"id": "en-dev-1", "a": "A", "b": "B", "score": 1.0}, "language: Field required"),
        (PAIR, "the id en-dev-0 stands there twice"),
    ],
)
def test_a_row_with_a_fault_is_left_out_and_said(row: object, fault: str, tmp_path: Path) -> None:
    write(tmp_path / "sts_dev.jsonl.gz", [PAIR, row])
    file = read_likeness(tmp_path, "dev")
    assert [one.id for one in file.rows] == ["en-dev-0"]
    (said,) = file.faults
    assert said.startswith(f"sts_dev.jsonl.gz: line 2: {fault}")


def test_a_line_may_hold_a_separator_that_is_no_end_of_line(tmp_path: Path) -> None:
    write(tmp_path / "sts_dev.jsonl.gz", [PAIR | {"a": "one\u2028two"}])
    assert read_likeness(tmp_path, "dev").rows[0].a == "one\u2028two"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "not found; `make golden-data` rebuilds it"),
        (b"plain", "expected gzip"),
        (gzip.compress(b"whole", mtime=0)[:-3], "expected gzip"),
        (gzip.compress(b"\xff\n", mtime=0), "expected UTF-8 text, found another byte at 0"),
        (
            gzip.compress(b"{}\n", mtime=0),
            "no usable row; the first fault: answers_dev.jsonl.gz: line 1: id: Field required",
        ),
    ],
)
def test_a_file_that_cannot_be_read_is_named_with_what_was_expected(
    content: bytes | None, message: str, tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / "answers_dev.jsonl.gz").write_bytes(content)
    with pytest.raises(PeopleFileError) as raised:
        read_answers(tmp_path)
    assert str(tmp_path / "answers_dev.jsonl.gz") in str(raised.value)
    assert message in str(raised.value)


def test_a_blank_answer_is_left_out_and_the_other_answers_stay(tmp_path: Path) -> None:
    write(tmp_path / "same_answer_nq.jsonl.gz", [question("nq1", first=(" ", True), second=("Austen", True))])
    file = read_questions(tmp_path)
    assert list(file.rows[0].answers) == ["second"]
    assert file.faults == ("same_answer_nq.jsonl.gz: nq1: the answer of first is blank",)


def test_two_right_answers_are_the_same_one_right_is_not_and_two_wrong_ones_say_nothing() -> None:
    row = AnsweredQuestion.model_validate(
        question("nq1", a=("Austen", True), b=("Jane Austen", True), c=("Brontë", False), d=("Eliot", False))
    )
    pairs = {pair.id: pair for pair in same_answer_pairs([row])}
    # Of the six pairs of four systems one is of two wrong answers.
    assert {name: pair.grade for name, pair in pairs.items()} == {
        "nq1 a b": 5,
        "nq1 a c": 0,
        "nq1 a d": 0,
        "nq1 b c": 0,
        "nq1 b d": 0,
    }
    assert {(pair.topic, pair.prompt_a, pair.prompt_b) for pair in pairs.values()} == {
        ("nq1", "who wrote Emma", "who wrote Emma")
    }


def test_short_right_answers_are_taken_once_for_a_question() -> None:
    row = AnsweredQuestion.model_validate(
        question(
            "nq1", a=("Jane Austen", True), b=("Jane Austen", True), c=("Eliot", False), d=("It was Jane Austen", True)
        )
    )
    short = list(short_right_answers([row], 3))
    assert [(one.id, one.prompt, one.text, one.is_answer) for one in short] == [
        ("nq1 0", "who wrote Emma", "Jane Austen", True)
    ]


def test_fewer_rows_that_are_drawn_are_part_of_more() -> None:
    names = [f"row {number}" for number in range(20)]
    some = drawn(names, 5, str)
    assert some == sorted(names, key=lambda name: hashlib.sha256(name.encode()).hexdigest())[:5]
    assert drawn(names[::-1], 8, str)[:5] == some
    assert sorted(drawn(names, None, str)) == sorted(names)
