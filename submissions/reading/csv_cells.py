"""Cells of a CSV, whatever separates them: commas, semicolons as Excel writes them in most of Europe, or tabs."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from itertools import chain

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
"""What cells may be separated by, and how that is called; the first wins where two make as many columns."""

_STATED = re.compile(r'\ufeff?"?sep=(?P<separator>[,;\t|])"?\s*', re.IGNORECASE)
"""The line by which Excel is told the separator."""
_COMMA_NUMBER = re.compile(r"[-+]?[0-9]{1,15},[0-9]{1,15}")
_QUOTED = re.compile(r'"(?:[^"]|"")*"?')


def separator_of(header: str) -> str:
    """Return what separates the cells of a header: what makes the most columns.

    >>> separator_of("question;first;second"), separator_of('a,"b;c;d"'), separator_of("score")
    (';', ',', ',')
    """
    bare = _QUOTED.sub("", header)
    return max(SEPARATORS, key=bare.count)


def stated_separator(line: str) -> str | None:
    """Return the separator that a line `sep=;` states; None of any other line."""
    match = _STATED.fullmatch(line)
    return match["separator"] if match else None


def without_stated(lines: Iterable[str]) -> tuple[str, Iterator[str], int]:
    """Return the separator of a CSV, its lines from the header on, and how many lines stand before these."""
    rest, before = iter(lines), 0
    stated: str | None = None
    for line in rest:
        if stated is None and (stated := stated_separator(line)):
            before += 1
        elif line.strip(" \r\n\ufeff"):
            return stated or separator_of(line), chain([line], rest), before
        else:
            before += 1
    return stated or ",", iter(()), before


def separator_note(separator: str) -> str:
    """Return what is said of a CSV whose cells are not separated by commas; blank where they are.

    >>> separator_note(";"), separator_note(",")
    ('the cells are separated by semicolons', '')
    """
    return "" if separator == "," else f"the cells are separated by {SEPARATORS[separator]}"


def with_point(cell: object) -> object:
    """Return a number with a decimal comma, as Excel writes it, with a point; anything else as it is.

    >>> with_point("3,5"), with_point("-0,25"), with_point("1,000.5"), with_point("1,2,3")
    ('3.5', '-0.25', '1,000.5', '1,2,3')
    """
    if isinstance(cell, str) and _COMMA_NUMBER.fullmatch(cell.strip()):
        return cell.strip().replace(",", ".")
    return cell


class CsvRows:
    """The rows of a CSV that are not blank, each with the lines of the file it stands on.

    Args:
        lines: The text, line by line with their ends.
        strict: Whether a quote that is never closed is a `csv.Error`.
    """

    def __init__(self, lines: Iterable[str], *, strict: bool = True) -> None:
        self.separator, rest, self._before = without_stated(lines)
        self._reader = csv.reader(rest, delimiter=self.separator, strict=strict)
        self.first_line = 1
        """Of the last row."""

    @property
    def line_num(self) -> int:
        """The last line of the last row."""
        return self._before + self._reader.line_num

    def __iter__(self) -> CsvRows:
        return self

    def __next__(self) -> list[str]:
        while True:
            self.first_line = self.line_num + 1
            if row := next(self._reader):
                return row
