"""A CSV as a table of texts: every cell by the name of its column, or one sentence that says why not."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from submissions.reading.csv_cells import CsvRows, separator_note
from submissions.reading.quoting import keys_shown, quoted


class TableUnreadable(ValueError):
    """Raised when a file is no CSV with the columns asked for."""


@dataclass(frozen=True, slots=True)
class CsvTable:
    """All cells as they stand."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def column(self, name: str) -> list[str]:
        """The cells of one column, in order."""
        place = self.header.index(name)
        return [row[place] for row in self.rows]


def read_csv(path: Path, columns: Iterable[str]) -> CsvTable:
    """Reads a CSV in UTF-8, with or without a byte order mark, that has these columns; blank lines are skipped.

    Raises:
        TableUnreadable: one sentence with place, what was found and expected.
        OSError: the file cannot be opened.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TableUnreadable(f"not UTF-8 (byte {error.start}); save it as UTF-8") from error
    lines = CsvRows(io.StringIO(text, newline=""), strict=False)
    try:
        header = tuple(name.strip() for name in next(lines, []))
        _check_header(header, columns, lines.separator)
        return CsvTable(header, tuple(_cells(cells, header, lines.line_num) for cells in lines))
    except csv.Error as error:
        raise TableUnreadable(f"line {lines.line_num} is not CSV: {error}") from error


def write_csv(path: Path, table: CsvTable, added: dict[str, Sequence[object]]) -> None:
    """Writes a table with further columns at its end.

    Raises:
        OSError: the file cannot be written.
    """
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow((*table.header, *added))
        writer.writerows((*row, *more) for row, more in zip(table.rows, zip(*added.values(), strict=True), strict=True))


def _check_header(header: Sequence[str], columns: Iterable[str], separator: str) -> None:
    missing = [name for name in columns if name not in header]
    if missing:
        keys = keys_shown(list(header)) or "an empty file"
        separated = f"; {note}" if (note := separator_note(separator)) else ""
        raise TableUnreadable(f"no column {', '.join(map(quoted, missing))}; found {keys}{separated}")


def _cells(cells: list[str], header: Sequence[str], line: int) -> tuple[str, ...]:
    if len(cells) != len(header):
        raise TableUnreadable(f"line {line} has {len(cells)} cells; expected {len(header)} as in the header")
    return tuple(cells)
