"""Personalized answers in JSON Lines: a stream, with places NAME:LINE, that says the same as one object."""

from __future__ import annotations

import io
from typing import Any

import pytest

from submissions.formats.personalization.reader import PersonalizedReading
from submissions.reading.limits import Limits
from tests.readings import personalized, read_as
from tests.unit.submissions.formats.personalization.answer_files import (
    as_json,
    as_lines,
    check,
    good_document,
    good_rows,
    told,
)


def lines(*changes: tuple[int, bytes]) -> bytes:
    """The good file with some of its lines, counted from 1, replaced."""
    found = as_lines(good_document()).splitlines()
    for number, line in changes:
        found[number - 1] = line
    return b"\n".join(found)


def test_lines_say_the_same_as_one_object() -> None:
    one, other = check(as_json(good_document())), check(as_lines(good_document()))
    assert personalized(other).rows == personalized(one).rows
    assert personalized(other).names == personalized(one).names
    assert (other.kind, other.decision, read_as(PersonalizedReading, other).coverage) == (
        one.kind,
        one.decision,
        read_as(PersonalizedReading, one).coverage,
    )


def test_places_are_name_and_line_and_messages_name_the_field() -> None:
    rows = good_rows()
    rows[1]["gold"] = "D"
    del rows[2]["question"]
    report = check(as_lines(good_document(rows, date="soon")))
    assert told(report) == [
        ("envelope_field", "answers.jsonl:1"),
        ("gold_not_an_option", "answers.jsonl:3"),
        ("missing_field", "answers.jsonl:4"),
        ("gold_changed", "answers.jsonl:3"),
    ]
    assert report.problems[1].message.startswith('answers.jsonl:3 gold (q1): found "D"; accepted: A to C')
    assert report.problems[2].message.startswith("answers.jsonl:4 question (q1): the field is missing")


def test_blank_lines_are_skipped_and_counted() -> None:
    data = b"\n" + as_lines(good_document()).replace(b"\n", b"\n\n").replace(b"Light.", b"\\ud83d", 1)
    # Blank line 1, envelope 2, blank 3, control 4, blank 5, relevant 6.
    assert told(check(data)) == [("lone_surrogate", "answers.jsonl:6")]


@pytest.mark.parametrize(
    ("line", "code", "says"),
    [
        (b'{"example_id": "q1",', "json_syntax", "at line 3, column 21"),
        (b"{} {}", "json_multiple_documents", "two JSON values"),
        (b'{"example_id": "\xff"}', "encoding", "0xff"),
        (b"[" * 40 + b"]" * 40, "too_deep", "33 levels"),
        (b"[" * 100_000, "too_deep", "33 levels"),
        (b'{"repeat": ' + b"1" * 65 + b"}", "huge_number", "65 characters"),
        (b'{"example_id": "' + b"x" * 5_000_000 + b'"}', "file_too_big", "5,000,019 bytes"),
    ],
)
def test_a_line_that_is_no_json_does_not_hide_the_others(line: bytes, code: str, says: str) -> None:
    report = check(lines((3, line), (4, b"7")))
    found = [problem for problem in report.problems if problem.code == code]
    assert [problem.path for problem in found] == ["answers.jsonl:3"]
    assert says in found[0].message
    assert ("missing_field", "answers.jsonl:4") in told(report)
    coverage = read_as(PersonalizedReading, report).coverage
    assert coverage is not None
    assert coverage.n_rows == 5


def test_a_broken_first_line_does_not_hide_the_rows() -> None:
    report = check(lines((1, b'{"kind": "personalized_answers", "team": }'), (3, b"7")))
    assert sorted(told(report)) == [("json_syntax", "answers.jsonl:1"), ("missing_field", "answers.jsonl:3")]
    assert report.entry is None


def test_a_first_line_alone_has_no_rows() -> None:
    alone = as_lines(good_document([]))
    assert told(check(alone)) == [("no_rows", "rows")]
    # What follows is no row either, but shows that lines were meant: the head alone cannot tell that it is blank.
    assert told(check(alone + b" " * 1024 + b"\n")) == [("no_rows", "rows")]


def test_windows_line_ends_and_a_byte_order_mark_are_read() -> None:
    report = check(b"\xef\xbb\xbf" + as_lines(good_document()).replace(b"\n", b"\r\n"))
    assert told(report) == [("utf8_bom", "$"), ("crlf", "$")]


def test_an_unknown_kind_in_the_first_line_ends_the_check() -> None:
    data = as_lines(good_document()).replace(b"personalized_answers", b"answers", 1)
    assert told(check(data)) == [("wrong_kind", "$.kind")]


class Counted(io.BytesIO):
    """A file that knows the most bytes it was asked for at once."""

    most = 0

    def read(self, size: int | None = -1) -> bytes:
        found = super().read(size)
        self.most = max(self.most, len(found))
        return found

    def readline(self, size: int | None = -1) -> bytes:
        found = super().readline(size)
        self.most = max(self.most, len(found))
        return found


def test_a_file_is_read_line_by_line_and_gives_what_its_bytes_give() -> None:
    rows: list[dict[str, Any]] = [
        {**row, "example_id": f"q{n}", "thoughts": "x" * 1_000} for n in range(500) for row in good_rows()
    ]
    data = as_lines(good_document(rows))
    assert len(data) > 2 * 1024 * 1024
    file = Counted(data)
    one, other = check(data), check(file)  # type: ignore[arg-type]
    assert file.most <= 1024 * 1024
    assert other.sha256 == one.sha256
    assert other.problems == one.problems == []
    assert personalized(other).rows == personalized(one).rows


def test_lines_of_the_other_kinds_keep_their_limit() -> None:
    limits = Limits(upload_bytes=1_000, personalized_lines_bytes=1_000_000)
    assert check(b'{"id": "1", "answer": "a"}\n' * 100, limits=limits).problems_by_code == {"file_too_big": 1}
    assert check(as_lines(good_document()), limits=limits).decision == "accepted"
