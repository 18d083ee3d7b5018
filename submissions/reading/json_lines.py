"""The lines of a JSON Lines file, one after the other: never more than one of them in memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import BinaryIO

from submissions.findings import Findings
from submissions.reading.limits import Limits
from submissions.reading.strict_json import ABSENT, Document, may_be_unclean, read_json, strict_decoder

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Line:
    """One line that is not blank."""

    number: int
    """Counted from 1, blank lines too."""
    value: object
    """ABSENT where it could not be read."""
    is_clean: bool
    """Whether no text of it can hold half a character or a control character."""


class JsonLines:
    """Reads the lines of one file; faults of their text are at `NAME:LINE`."""

    def __init__(
        self,
        stream: BinaryIO,
        name: str,
        limits: Limits,
        is_plain: Callable[[object], bool],
        *,
        with_columns: bool = False,
    ) -> None:
        """
        Args:
            stream: The file, at its start.
            name: Its base name, for places.
            limits: Length of a line; nesting and numbers as in any JSON.
            is_plain: Whether a value is what most lines hold; only others are looked at for depth and long numbers.
            with_columns: Whether faults of the text are at `NAME:LINE:COLUMN`.
        """
        self.findings = Findings()
        self._stream = stream
        self._name = name
        self._limits = replace(limits, json_bytes=limits.personalized_line_bytes)
        self._is_plain = is_plain
        self._with_columns = with_columns
        self._decode = strict_decoder(limits).decode

    def __iter__(self) -> Iterator[Line]:
        for number, raw in enumerate(self._raw_lines(), start=1):
            if raw is None:
                yield Line(number, ABSENT, is_clean=True)
            elif text := raw.rstrip(b" \t\r\n"):  # blanks before it count among its columns
                yield Line(number, self._value(text, number), is_clean=not may_be_unclean(text))

    def _raw_lines(self) -> Iterator[bytes | None]:
        """Line by line; None for one that is too long, after reporting it."""
        most = self._limits.personalized_line_bytes
        number, ends_as_on_windows = 0, False
        while raw := self._stream.readline(most + 1):
            number += 1
            if number == 1 and raw.startswith(_BOM):
                raw = raw[len(_BOM) :]
                self._report_bom()
            ends_as_on_windows = ends_as_on_windows or raw.endswith(b"\r\n")
            if len(raw) > most:
                self._report_too_long(number, self._rest_of_line(raw, most))
                yield None
            else:
                yield raw
        if ends_as_on_windows:
            hint = "Nothing to do: both line ends are read."
            self.findings.add("crlf", "$", "lines end as on Windows (CR LF)", hint)

    def _rest_of_line(self, raw: bytes, most: int) -> int:
        """Reads on to the end of a line; returns its whole length."""
        length = len(raw)
        while not raw.endswith(b"\n") and (raw := self._stream.readline(most)):
            length += len(raw)
        return length

    def _value(self, text: bytes, number: int) -> object:
        try:
            value: object = self._decode(text.decode("utf-8"))
        except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
            return self._strictly(text, number).value
        return value if self._is_plain(value) else self._strictly(text, number).value

    def _strictly(self, text: bytes, number: int) -> Document:
        """Reads a line once more, to tell every fault of its text at its line."""
        document = read_json(text, self._name, self._limits)
        for problem in document.findings.problems:
            message = problem.message.replace(" at line 1, ", f" at line {number}, ", 1)
            hint = problem.hint
            if problem.code == "json_multiple_documents":
                message, hint = "two JSON values stand in this line; expected one", "Write one row per line."
            column = problem.path.removeprefix(f"{self._name}:1:")
            is_known = self._with_columns and column != problem.path
            place = f"{self._name}:{number}:{column}" if is_known else f"{self._name}:{number}"
            self.findings.add(problem.code, place, message, hint)
        return document

    def _report_bom(self) -> None:
        hint = 'Write the file as plain UTF-8 (in Python: encoding="utf-8", not "utf-8-sig").'
        self.findings.add("utf8_bom", "$", "the file begins with a byte order mark", hint)

    def _report_too_long(self, number: int, length: int) -> None:
        most = self._limits.personalized_line_bytes
        message = f"this line has {length:,} bytes; at most {most:,} are read"
        self.findings.add(
            "file_too_big", f"{self._name}:{number}", message, "Write one row per line; shorten its texts."
        )
