"""Row tables of answers under preferences: one outcome per row, refused with line and code.

All cells are texts with outer blanks trimmed; other columns than the ones named here are ignored
(docs/personalization.md#your-own-table).
"""

from __future__ import annotations

import csv
import gzip
import os
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from string import ascii_uppercase
from typing import IO, Literal, TypedDict, cast

from evaluator.judges.text_replies import Profile
from evaluator.personalization.outcome_rows import OutcomeRow
from submissions.formats.personalization.submission import FOLLOW_THRESHOLD, SETTINGS, Setting
from submissions.reading.csv_cells import CsvRows, with_point
from submissions.reading.quoting import keys_shown, quoted

Code = Literal[
    "missing_column",
    "unknown_setting",
    "bad_flag",
    "gold_not_an_option",
    "bad_rating",
    "duplicate_row",
    "reserved_dataset",
    "verdict_conflict",
    "correct_conflict",
    "repeated_column",
    "unreadable_file",
    "row_length",
]

UNPARSABLE = "unparsable"
RESERVED_DATASET = "full"
_FLAGS = {"": None, "0": False, "1": True}
_NUMBER = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,30})?")
_OPTION_NUMBERS = {str(number): number for number in range(1, len(ascii_uppercase) + 1)}
_GZIP_MAGIC = b"\x1f\x8b"


class TableProblem(TypedDict):
    """One fault of a table."""

    line: int
    """Of the file; the header is line 1."""
    code: Code
    severity: Literal["error"]
    message: str


class RowTableRefused(ValueError):
    """Raised when a table cannot be read as it stands; carries every fault found, in the order of the file."""

    def __init__(self, problems: Sequence[TableProblem]) -> None:
        self.problems = list(problems)
        super().__init__("; ".join(f"line {fault['line']}: {fault['message']}" for fault in self.problems))


def read_outcome_rows(path: str | os.PathLike[str], *, profile: Profile = "recommended") -> list[OutcomeRow]:
    """The rows of a CSV file, plain or gzip, UTF-8 with or without a byte order mark.

    Columns: example_id, dataset, setting, one of system and run, and for each side (without and with preferences)
    either the flag correct_... or gold and the answer; all others are optional (see docs/personalization.md).
    `perg` takes ratings of any size, as that profile has no range.

    Raises:
        RowTableRefused: with all faults of the table.
        OSError: the file cannot be opened.
    """
    reading = _Reading(profile)
    try:
        with _lines_of(Path(path)) as lines:
            reading.read(lines)
    except UnicodeDecodeError as error:
        reading.refuse(f"the file is not UTF-8 (byte {error.start}: {error.reason}); save it as UTF-8")
    except csv.Error as error:
        reading.refuse(f"the file is not CSV: {error}")
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        reading.refuse(f"the file is not whole gzip: {error}")
    if reading.problems:
        raise RowTableRefused(sorted(reading.problems, key=lambda fault: fault["line"]))
    return reading.rows


@contextmanager
def _lines_of(path: Path) -> Iterator[IO[str]]:
    with path.open("rb") as file:
        is_gzip = file.read(2) == _GZIP_MAGIC
    if is_gzip:
        with gzip.open(path, "rt", encoding="utf-8-sig", newline="") as text:
            yield text
    else:
        with path.open(encoding="utf-8-sig", newline="") as text:
            yield text


_GROUP_KEY = ("system", "run", "method", "dataset", "setting")


class _Row:
    """One line of the table: its cells by name, and where its faults go."""

    def __init__(self, line: int, cells: dict[str, str], problems: list[TableProblem]) -> None:
        self.line = line
        self._cells = cells
        self._problems = problems

    def __getitem__(self, column: str) -> str:
        """The cell; blank where the table has no such column."""
        return self._cells.get(column, "")

    def __contains__(self, column: str) -> bool:
        return column in self._cells

    def name(self, column: str) -> str | None:
        return self[column] or None

    def fault(self, code: Code, message: str) -> None:
        self._problems.append(_problem(self.line, code, f"{quoted(self['example_id'])}: {message}"))

    def flag(self, column: str) -> bool | None:
        cell = self[column]
        if cell not in _FLAGS:
            self.fault("bad_flag", f"{column} is {quoted(cell)}; accepted: 0, 1, or blank where it is not known")
        return _FLAGS.get(cell)


def _problem(line: int, code: Code, message: str) -> TableProblem:
    return TableProblem(line=line, code=code, severity="error", message=message)


class _Reading:
    """Reads a table row by row and keeps rows and faults."""

    def __init__(self, profile: Profile) -> None:
        self.rows: list[OutcomeRow] = []
        self.problems: list[TableProblem] = []
        self._profile = profile
        self._line_of: dict[tuple[str | None, ...], int] = {}

    def refuse(self, message: str) -> None:
        """Notes that the file cannot be read to its end."""
        self.problems.append(_problem(1, "unreadable_file", message))

    def read(self, lines: IO[str]) -> None:
        numbered = _numbered(lines)
        _, header = next(numbered, (1, []))
        header = [name.strip() for name in header]
        self._check_header(header)
        if self.problems:
            return
        for line, cells in numbered:
            if len(cells) == len(header):
                self._add(_Row(line, dict(zip(header, map(str.strip, cells), strict=True)), self.problems))
            else:
                message = f"{len(cells)} cells, expected {len(header)} ({keys_shown(header)})"
                self.problems.append(_problem(line, "row_length", message))

    def _check_header(self, header: list[str]) -> None:
        for name in _missing_columns(header):
            message = f"missing column {name} (found: {keys_shown(header) or 'none'}); add it to the header"
            self.problems.append(_problem(1, "missing_column", message))
        for name in sorted(name for name, count in Counter(header).items() if name and count > 1):
            message = f"the header names {quoted(name)} more than once; keep one"
            self.problems.append(_problem(1, "repeated_column", message))

    def _add(self, row: _Row) -> None:
        self._check_key(row)
        n_options = _option_number(row)
        self._check_gold(row, n_options)
        rating, unparsable = self._rating(row)
        followed = row.flag("followed")
        _check_verdict(row, rating, unparsable, followed)
        self.rows.append(
            OutcomeRow(
                example_id=row["example_id"],
                dataset=row.name("dataset"),
                setting=cast(Setting, row["setting"]),  # checked above: a table with another one is refused
                correct_no_pref=_correct(row, "correct_no_pref", "no_pref_answer", n_options),
                correct_pref=_correct(row, "correct_pref", "pref_answer", n_options),
                system=row.name("system"),
                run=row.name("run"),
                method=row.name("method"),
                pref_id=row.name("pref_id"),
                rating=rating,
                unparsable=unparsable,
                followed=followed,
                correct_no_pref_repeat=row.flag("correct_no_pref_repeat"),
                unchanged=row.flag("unchanged"),
                fallback=row.flag("fallback"),
                invalid_no_pref=_is_invalid(row, "no_pref_answer", n_options),
                invalid_pref=_is_invalid(row, "pref_answer", n_options),
            )
        )

    def _check_key(self, row: _Row) -> None:
        if row["setting"] not in SETTINGS:
            row.fault("unknown_setting", f"setting is {quoted(row['setting'])}; accepted: {', '.join(SETTINGS)}")
        if row["dataset"] == RESERVED_DATASET:
            row.fault("reserved_dataset", 'dataset "full" is the name of all data sets pooled; name the data set')
        key = tuple(row.name(column) for column in (*_GROUP_KEY, "example_id", "pref_id"))
        first = self._line_of.setdefault(key, row.line)
        if first != row.line:
            columns = ", ".join(column for column in (*_GROUP_KEY, "example_id", "pref_id") if column in row)
            row.fault("duplicate_row", f"repeats the ({columns}) of line {first}; keep one of the two")

    def _check_gold(self, row: _Row, n_options: int | None) -> None:
        """Refuses a gold that decides what is right and is no letter of an option: no answer could ever be right."""
        is_used = "no_pref_answer" in row or "pref_answer" in row
        if not row["gold"] or not is_used or _is_letter(row["gold"], n_options):
            return
        last = ascii_uppercase[(n_options or len(ascii_uppercase)) - 1]
        accepted = f"the letter of an option, A to {last}, or blank where none is right"
        message = f"gold is {quoted(row['gold'])}; accepted: {accepted}"
        if row["gold"].isdecimal():
            message += "; write numbers of options as letters, in gold and answers alike (1 is A where they begin at 1)"
        row.fault("gold_not_an_option", message)

    def _rating(self, row: _Row) -> tuple[float | None, bool]:
        """The rating, and whether it was unparsable."""
        cell = str(with_point(row["rating"]))
        if cell in ("", UNPARSABLE):
            return None, bool(cell)
        rating = float(cell) if _NUMBER.fullmatch(cell) else None
        if rating is not None and (1 <= rating <= 5 or self._profile == "perg"):
            return rating, False
        accepted = f"a number from 1 to 5, {UNPARSABLE}, or blank where it was never judged"
        row.fault("bad_rating", f"rating is {quoted(cell)}; accepted: {accepted}")
        return None, False


def _numbered(lines: IO[str]) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank lines, with the line each starts on."""
    rows = CsvRows(lines)
    for cells in rows:
        yield rows.first_line, cells


def _missing_columns(header: Sequence[str]) -> list[str]:
    missing = [name for name in ("example_id", "dataset", "setting") if name not in header]
    if "system" not in header and "run" not in header:
        missing.append("system or run")
    for flag, answer in (("correct_no_pref", "no_pref_answer"), ("correct_pref", "pref_answer")):
        if flag not in header and not {"gold", answer} <= set(header):
            missing.append(f"{flag}, or gold and {answer}")
    return missing


def _option_number(row: _Row) -> int | None:
    cell = row["n_options"]
    if cell and cell not in _OPTION_NUMBERS:
        row.fault("bad_flag", f"n_options is {quoted(cell)}; accepted: a whole number from 1 to 26, or blank")
    return _OPTION_NUMBERS.get(cell)


def _correct(row: _Row, flag: str, answer: str, n_options: int | None) -> bool | None:
    """Right or wrong as the flag states it, else by gold and answer; None where neither is known."""
    stated = row.flag(flag)
    if not row["gold"] or answer not in row:
        return stated
    is_right = row[answer] == row["gold"] and _is_letter(row[answer], n_options)
    if stated is not None and stated != is_right:
        letters = f"gold {quoted(row['gold'])} and {answer} {quoted(row[answer])}"
        row.fault("correct_conflict", f"{flag} is {row[flag]}, but {letters} say {int(is_right)}; correct one of them")
    return is_right if stated is None else stated


def _is_invalid(row: _Row, answer: str, n_options: int | None) -> bool | None:
    if n_options is None or answer not in row:
        return None
    return not _is_letter(row[answer], n_options)


def _is_letter(answer: str, n_options: int | None) -> bool:
    """Whether an answer is one of the options' letters."""
    return len(answer) == 1 and answer in ascii_uppercase[:n_options]


def _check_verdict(row: _Row, rating: float | None, unparsable: bool, followed: bool | None) -> None:
    if followed is None or (rating is None and not unparsable):
        return
    is_followed = rating is not None and rating >= FOLLOW_THRESHOLD
    if followed != is_followed:
        says = f"says {int(is_followed)} (followed = {FOLLOW_THRESHOLD} or above)"
        row.fault("verdict_conflict", f"followed is {row['followed']}, but rating {quoted(row['rating'])} {says}")
