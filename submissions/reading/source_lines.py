"""Lines of problems in the bytes of a file: the line, and the byte at which it begins.

Places are JSON paths, rows of a table, or `NAME:LINE:COLUMN`; people mend lines. The file is read once more for this,
only where something was found in it, and only from bracket to bracket, so that nothing is built in memory.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

from submissions.problems import Problem
from submissions.reading.csv_cells import stated_separator, without_stated
from submissions.reading.strict_json import path_step

_BOM = b"\xef\xbb\xbf"
_TEXT = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_BLANKS = re.compile(rb"[ \t\r\n]*+")
_SCALAR = re.compile(rb"[^ \t\r\n,:\[\]{}\"]++")
_TO_BRACKET = re.compile(rb'(?:[^"\[\]{}]++|"(?:[^"\\]++|\\.)*+")*+[\[\]{}]', re.DOTALL)
_TEXT_PLACE = re.compile(r"(\d{1,9})(?::(\d{1,9}))?")
_ROW = re.compile(r"rows\[(\d{1,9})\](?:\.(.*))?", re.DOTALL)
_READ_AT_ONCE = 1024 * 1024
_CHARACTER_BYTES = 4
"""The most bytes of one character in UTF-8."""
_PARSED_LINE_BYTES = 8 * 1024 * 1024
"""No longer line is read as JSON in any format, so that no longer one has a place inside."""


@dataclass(frozen=True, slots=True)
class Spot:
    """One place in a file."""

    line: int
    """Counted from 1; a line ends with a line feed."""
    offset: int
    """Bytes of the file before it."""


def json_spots(data: bytes, paths: Iterable[str]) -> dict[str, Spot]:
    r"""Where the values of JSON paths begin.

    Args:
        data: A JSON document in UTF-8. What follows its first value is not looked at.
        paths: As problems show them, `$.items[3].id` or `items[3].id`.

    Returns:
        Path -> where its value stands. Where a path leads to nothing, as for a key that is missing, the innermost value
        around it; of a key that stands several times, the last one, as JSON readers take it.

    >>> json_spots(b'{"items": [\n 1,\n 2]}', ["$.items[1]", "$.items[7]"])
    {'$.items[1]': Spot(line=3, offset=17), '$.items[7]': Spot(line=1, offset=10)}
    """
    wanted = {path: path if path.startswith("$") else f"${'' if path[:1] == '[' else '.'}{path}" for path in paths}
    if not wanted:
        return {}
    scan = _Scan(data, {start for full in wanted.values() for start in _starts(full)})
    root = scan.root()
    if root is None:
        return {}
    offsets = {path: root.reached(full).offset for path, full in wanted.items()}
    lines = _lines_of(data, set(offsets.values()))
    return {path: Spot(lines[offset], offset) for path, offset in offsets.items()}


def row_spots(data: bytes, rows: Iterable[tuple[str, int, str]]) -> dict[str, Spot]:
    """Where rows of a CSV and their values begin.

    Args:
        data: A CSV in UTF-8 with a header.
        rows: Key, row counted from 0 without the header and blank lines, and column name; blank for the row itself.

    Returns:
        Key -> where it stands; keys of rows or columns that are not there are left out or lead to the row.
    """
    wanted: dict[int, list[tuple[str, str]]] = {}
    for key, row, column in rows:
        wanted.setdefault(row, []).append((key, column))
    spots: dict[str, Spot] = {}
    if not wanted:
        return spots
    header: list[str] = []
    separator = _separator(data)
    for index, record in enumerate(_records(data, separator), start=-1):
        if index < 0:
            header = record.cells
        for key, column in wanted.get(index, ()):
            number = header.index(column) if column in header else 0
            inner = _value_offset(record.raw, number, ord(separator))
            spots[key] = Spot(record.line + record.raw.count(b"\n", 0, inner), record.offset + inner)
        if index >= max(wanted):
            break
    return spots


def text_spots(stream: BinaryIO, name: str, problems: Sequence[Problem]) -> dict[str, Spot]:
    """Where `NAME:LINE` and `NAME:LINE:COLUMN` stand.

    Args:
        stream: The file, at its start.
        name: Its base name, as in the places.
        problems: Other places are left out. A path inside of a line (`Problem.within`) makes its place exact.

    Returns:
        `spot_key` of the problem -> where it stands.
    """
    wanted: dict[int, list[tuple[str, int, str | None]]] = {}
    most: dict[int, int] = {}
    for problem in problems:
        match = _TEXT_PLACE.fullmatch(problem.path.removeprefix(f"{name}:"))
        if match and problem.path.startswith(f"{name}:"):
            column = int(match[2] or 1)
            number = int(match[1])
            wanted.setdefault(number, []).append((spot_key(problem), column, problem.within))
            needed = _PARSED_LINE_BYTES if problem.within else len(_BOM) + _CHARACTER_BYTES * column
            most[number] = max(needed, most.get(number, 0))
    spots: dict[str, Spot] = {}
    if not wanted:
        return spots
    for number, offset, raw in _numbered_lines(stream, most):
        for key, column, within in wanted[number]:
            spots[key] = Spot(number, offset + _in_line(raw, column, within))
    return spots


def spot_key(problem: Problem) -> str:
    """What tells the places of problems apart: the path, and the path inside of the line it names."""
    return f"{problem.path}\0{problem.within}" if problem.within else problem.path


def located(
    listed: Sequence[Problem], problems: Sequence[Problem], stream: BinaryIO, name: str, *, is_table: bool
) -> list[Problem]:
    """The problems with their lines.

    Args:
        listed: Those that are shown; of others no line is looked for.
        problems: All of them.
        stream: The file.
        name: Its base name.
        is_table: Whether the file is a table of verdicts, as CSV (`rows[3]`) or JSON (`verdicts[3]`).
    """
    stream.seek(0)
    spots = text_spots(stream, name, listed)
    paths = [problem.path for problem in listed if problem.path != "$" and not problem.path.startswith(f"{name}:")]
    rows = list(_rows_of(paths)) if is_table else []
    if paths:
        stream.seek(0)
        data = stream.read()
        spots |= row_spots(data, rows) if rows else json_spots(data, paths)
    return at_spots(problems, spots)


def at_spots(problems: Sequence[Problem], spots: Mapping[str, Spot], entry: str | None = None) -> list[Problem]:
    """The problems, those with a spot at its line.

    Args:
        problems: All of a report.
        spots: `spot_key` of a problem -> where it stands.
        entry: Entry of a zip that the spots are of.
    """
    return [
        problem.model_copy(update={"line": spot.line, "offset": spot.offset, "entry": entry})
        if (spot := spots.get(spot_key(problem)))
        else problem
        for problem in problems
    ]


def _rows_of(paths: Iterable[str]) -> Iterator[tuple[str, int, str]]:
    for path in paths:
        if row := _ROW.fullmatch(path):
            yield path, int(row[1]), row[2] or ""


# --- JSON ------------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Value:
    """A value on the way to a wanted path, and those below it; a key that comes again replaces what it led to."""

    offset: int
    below: dict[str, _Value] = field(default_factory=dict)

    def reached(self, path: str) -> _Value:
        """The value of a path, or the innermost one around it."""
        value = self
        for start in _starts(path)[1:]:
            value = value.below.get(start, value)
        return value


def _starts(path: str) -> list[str]:
    """Every beginning of a path that may be a path itself; a few that are none do no harm.

    >>> _starts("$.items[3].id")
    ['$', '$.items', '$.items[3]', '$.items[3].id']
    """
    return [path[:end] for end, sign in enumerate(path) if sign in ".[" and end] + [path]


class _Scan:
    """Goes through a JSON text and down only where a wanted path leads."""

    def __init__(self, data: bytes, wanted: set[str]) -> None:
        self._data = data
        self._wanted = wanted

    def root(self) -> _Value | None:
        """The document; None where there is none."""
        start = self._after_blanks(len(_BOM) if self._data.startswith(_BOM) else 0)
        if start >= len(self._data):
            return None
        value = _Value(start)
        self._read(value, "$")
        return value

    def _read(self, value: _Value, path: str) -> int:
        """Looks into a value; returns where it ends."""
        sign = self._data[value.offset : value.offset + 1]
        if sign == b"{":
            return self._members(value, path)
        if sign == b"[":
            return self._elements(value, path)
        return self._after(value.offset)

    def _members(self, value: _Value, path: str) -> int:
        position = self._after_blanks(value.offset + 1)
        while key := _TEXT.match(self._data, position):
            colon = self._after_blanks(key.end())
            start = self._after_blanks(colon + 1)
            position = self._child(value, path + path_step(_key_text(key.group())), start)
            position = self._after_comma(position)
        return position + 1

    def _elements(self, value: _Value, path: str) -> int:
        position, index = self._after_blanks(value.offset + 1), 0
        while self._data[position : position + 1] not in (b"]", b""):
            after = self._child(value, f"{path}[{index}]", position)
            if after <= position:
                break
            position, index = self._after_comma(after), index + 1
        return position + 1

    def _child(self, value: _Value, path: str, start: int) -> int:
        if path not in self._wanted:
            return self._after(start)
        value.below[path] = _Value(start)
        return self._read(value.below[path], path)

    def _after(self, start: int) -> int:
        """Where a value ends."""
        sign = self._data[start : start + 1]
        if sign not in (b"{", b"["):
            match = (_TEXT if sign == b'"' else _SCALAR).match(self._data, start)
            return match.end() if match else len(self._data)
        depth, position = 1, start + 1
        while depth:
            bracket = _TO_BRACKET.match(self._data, position)
            if bracket is None:
                return len(self._data)
            position = bracket.end()
            depth += 1 if self._data[position - 1] in b"[{" else -1
        return position

    def _after_blanks(self, position: int) -> int:
        blanks = _BLANKS.match(self._data, position)
        return blanks.end() if blanks else position

    def _after_comma(self, position: int) -> int:
        position = self._after_blanks(position)
        return self._after_blanks(position + 1) if self._data[position : position + 1] == b"," else position


def _key_text(literal: bytes) -> str:
    """The text of a key as it is written, quotes and escapes included."""
    text = literal.decode("utf-8", "replace")
    if "\\" not in text:
        return text[1:-1]
    try:
        return str(json.loads(text))
    except ValueError:
        return text


def _lines_of(data: bytes, offsets: set[int]) -> dict[int, int]:
    """Offset -> line, counted in one pass."""
    lines, line, before = {}, 1, 0
    for offset in sorted(offsets):
        line += data.count(b"\n", before, offset)
        lines[offset], before = line, offset
    return lines


# --- lines of a text -------------------------------------------------------------------------------------------------


def _numbered_lines(stream: BinaryIO, most: Mapping[int, int]) -> Iterator[tuple[int, int, bytes]]:
    """Number and offset of the lines that `most` names, and the first bytes of each, so many as it says.

    A line may be as long as its file: no more of it than that is in memory.
    """
    offset = 0
    for number in range(1, max(most) + 1):
        raw = stream.readline(most.get(number, _READ_AT_ONCE))
        if number in most:
            yield number, offset, raw
        offset += len(raw)
        while raw and not raw.endswith(b"\n"):
            raw = stream.readline(_READ_AT_ONCE)
            offset += len(raw)
        if not raw:
            return


def _in_line(raw: bytes, column: int, within: str | None) -> int:
    """Bytes of a line before a column, or before the value of a path inside of it."""
    mark = len(_BOM) if raw.startswith(_BOM) else 0
    if within is not None:
        spots = json_spots(raw, [within])
        return spots[within].offset if within in spots else mark
    before = raw[mark : mark + _CHARACTER_BYTES * column].decode("utf-8", "replace")[: column - 1]
    return min(mark + len(before.encode("utf-8", "replace")), len(raw.rstrip(b"\r\n")))


# --- rows of a CSV ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Record:
    """One row of a CSV, over one line or several."""

    line: int
    offset: int
    raw: bytes
    cells: list[str]
    """Empty where it is no CSV."""


def _separator(data: bytes) -> str:
    return without_stated(_Lines(data))[0]


def _records(data: bytes, separator: str) -> Iterator[_Record]:
    """The rows that are not blank, the header first, as the reader of the format tells them apart."""
    lines = _Lines(data)
    reader = csv.reader(lines, delimiter=separator, strict=True)
    is_first = True
    while True:
        line, offset = lines.line, lines.offset
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            cells = []
            yield _Record(line, offset, data[offset : lines.offset], cells)
            continue
        is_stated = is_first and stated_separator(separator.join(cells).rstrip("\r\n")) is not None
        is_first &= not cells
        if cells and not is_stated:
            yield _Record(line, offset, data[offset : lines.offset], cells)


class _Lines:
    """The lines of a CSV as its reader wants them, and how far it has read."""

    def __init__(self, data: bytes) -> None:
        mark = len(_BOM) if data.startswith(_BOM) else 0
        self.line, self.offset = 1, mark
        # As the format is read: a lone carriage return ends a line of a CSV, though not one of an editor.
        self._text = io.TextIOWrapper(io.BytesIO(data[mark:] if mark else data), "utf-8", newline="")

    def __iter__(self) -> Iterator[str]:
        for text in self._text:
            self.line += text.endswith("\n")
            self.offset += len(text.encode("utf-8"))
            yield text


def _value_offset(raw: bytes, number: int, separator: int) -> int:
    """Bytes of a row before its value of that number, counted from 0; 0 where it has fewer."""
    is_quoted = False
    for position, sign in enumerate(raw):
        if not number:
            return position
        if sign == ord('"'):
            is_quoted = not is_quoted
        elif sign == separator and not is_quoted:
            number -= 1
            if not number:
                return position + 1
    return 0
