"""Tables of judges' verdicts: read as text, refused with row and value, kept as whole numbers.

Two layouts are read. *Wide*: one row per item and repetition, with `verdict_original` and `verdict_swapped`. *Long*
(it has a column `order`): one row per verdict, as teams submit them (docs/submit.md#judge-verdict-tables).
"""

# Why csv and not pandas.read_csv: pandas fills a row that ends early with empty cells, and here an empty cell says
# "this order was not run". Cells become whole numbers while reading, so a million rows stay small. pandas is imported
# where a DataFrame is given: workers and processes that check files, which have none, are 30 MB smaller without it.

from __future__ import annotations

import csv
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np

from submissions.reading.csv_cells import without_stated
from submissions.reading.quoting import keys_shown, quoted
from submissions.verdicts.items import (
    MAX_REPETITION,
    NAMES,
    ORDERS,
    VERDICT_CODES,
    BoolArray,
    IntArray,
    N,
    TextNumbers,
    VerdictColumn,
    VerdictTable,
    distinct_places,
    item_codes,
    table_of_calls,
    text_column,
    verdict_table,
)
from submissions.verdicts.parsing import VerdictFormat, parse_verdict
from submissions.verdicts.swap_outcomes import Options

if TYPE_CHECKING:
    import pandas as pd

TextTable: TypeAlias = "str | os.PathLike[str] | pd.DataFrame"
"""A CSV file, or its texts."""
Table: TypeAlias = "TextTable | VerdictTable"
"""The same, or verdicts that were read already."""
_WIDE = (*NAMES, "verdict_original", "verdict_swapped")
_LONG = (*NAMES, "benchmark", "order", "verdict")
_WHOLE_NUMBER = re.compile(r"[0-9]{1,15}")
_CHUNK_ROWS = 50_000
_LISTED_FAULTS = 20
"""Faults of one kind, and of one message, that are written out."""


class TableRefused(ValueError):
    """Raised when a table cannot be read as it stands; the message names rows (from 1, without header) and values."""


# --- cells -----------------------------------------------------------------------------------------------------------


class _Source(Protocol):
    """Where columns come from: a file or a DataFrame."""

    @property
    def header(self) -> list[str]: ...

    def columns(self, wanted: Sequence[str]) -> dict[str, VerdictColumn]: ...


class _FrameSource:
    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame
        self.header = [str(name) for name in frame.columns]

    def columns(self, wanted: Sequence[str]) -> dict[str, VerdictColumn]:
        return {name: self._column(name) for name in wanted}

    def _column(self, name: str) -> VerdictColumn:
        import pandas as pd

        values = self._frame.iloc[:, self.header.index(name)]
        codes, distinct = pd.factorize(values, use_na_sentinel=True)
        missing = codes < 0
        if missing.any() and name in NAMES:
            row = int(np.flatnonzero(missing)[0]) + 1
            raise TableRefused(f"row {row}: {name} is missing (read the table with dtype=str, keep_default_na=False)")
        names = [*(str(value) for value in distinct), ""]
        return text_column(list(dict.fromkeys(names)), distinct_places(names)[np.where(missing, len(names) - 1, codes)])


class _FileSource:
    """A CSV file, opened only while it is read; blank lines are skipped."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        with self._reader() as lines:
            self.header = next(filter(None, lines), [])
        if not self.header:
            raise TableRefused("the file is empty; a header is expected")

    def columns(self, wanted: Sequence[str]) -> dict[str, VerdictColumn]:
        places = [self.header.index(name) for name in wanted]
        numbered = [TextNumbers() for _ in wanted]
        codes: list[list[IntArray]] = [[np.empty(0, np.int64)] for _ in wanted]
        with self._reader() as lines:
            next(filter(None, lines), None)
            for cells in self._chunks(lines):
                for place, numbers, parts in zip(places, numbered, codes, strict=True):
                    column = cells[place :: len(self.header)]
                    parts.append(np.fromiter(map(numbers.__getitem__, column), np.int64, len(column)))
        return {
            name: text_column(list(numbers), np.concatenate(parts))
            for name, numbers, parts in zip(wanted, numbered, codes, strict=True)
        }

    def _chunks(self, lines: Iterator[list[str]]) -> Iterator[list[str]]:
        """The cells of many rows in one list, row after row."""
        rows_before = 0
        while chunk := list(islice(lines, _CHUNK_ROWS)):
            if set(map(len, chunk)) != {len(self.header)}:
                chunk = [row for row in chunk if row]
                self._refuse_other_lengths(chunk, rows_before)
            rows_before += len(chunk)
            yield list(chain.from_iterable(chunk))

    def _refuse_other_lengths(self, rows: Sequence[list[str]], rows_before: int) -> None:
        for number, row in enumerate(rows, start=rows_before + 1):
            if len(row) != len(self.header):
                expected = f"{len(self.header)} ({keys_shown(self.header)})"
                raise TableRefused(f"row {number}: {len(row)} values, expected {expected}")

    @contextmanager
    def _reader(self) -> Iterator[Iterator[list[str]]]:
        try:
            with self._path.open(encoding="utf-8-sig", newline="") as file:
                separator, lines, _ = without_stated(file)
                yield csv.reader(lines, delimiter=separator, strict=True)
        except UnicodeDecodeError as error:
            raise TableRefused(f"the file is not UTF-8 (byte {error.start}: {error.reason})") from error
        except csv.Error as error:
            raise TableRefused(f"the file is not CSV: {error}") from error


def _source(table: TextTable) -> _Source:
    source: _Source = _FileSource(table) if isinstance(table, (str, os.PathLike)) else _FrameSource(table)
    repeated = sorted(name for name, count in Counter(source.header).items() if count > 1)
    if repeated:
        raise TableRefused(f"the header names {keys_shown(repeated)} more than once")
    return source


# --- faults ----------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Faults:
    """The faults of a table, collected over all its rows before it is refused."""

    found: list[tuple[int, str]] = field(default_factory=list)
    count: int = 0

    def add(self, rows: IntArray, description: Callable[[int], str]) -> None:
        """Notes the fault of each of these rows (from 0)."""
        self.count += len(rows)
        self.found += [(row, description(row)) for row in rows[:_LISTED_FAULTS].tolist()]

    def add_unaccepted(self, name: str, column: VerdictColumn, accepted: BoolArray, what: str) -> None:
        """Notes each row whose cell is not accepted, with the cell and what would be."""
        self.add(np.flatnonzero(~accepted), lambda row: f"{name} is {quoted(column.cell(row))}; accepted: {what}")

    def add_repeated(self, key: IntArray, columns: Sequence[str]) -> None:
        """Notes each row whose key an earlier row has."""
        _, first, place = np.unique(key, return_index=True, return_inverse=True)
        earlier = first[place.reshape(-1)]
        repeated = np.flatnonzero(earlier != np.arange(len(key)))
        self.add(repeated, lambda row: f"repeats the ({', '.join(columns)}) of row {earlier[row] + 1}")

    def refuse(self) -> None:
        """Raises `TableRefused` if anything was found."""
        if not self.count:
            return
        listed = [f"row {row + 1}: {text}" for row, text in sorted(self.found)[:_LISTED_FAULTS]]
        more = self.count - len(listed)
        raise TableRefused("; ".join(listed) + (f"; and {more} more" if more else ""))


# --- verdicts --------------------------------------------------------------------------------------------------------


def read_verdicts(
    table: Table,
    *,
    options: Options = 3,
    benchmark: str | None = None,
    verdict_format: VerdictFormat = "brackets",
) -> VerdictTable:
    """The verdicts of one benchmark from a wide or long table; a `VerdictTable` is given back as it is.

    Names are compared as written: "NA", "1" against "01", ";" and capitals survive; only the long layout trims outer
    blanks, as its rules say. An empty verdict cell of the wide layout is an order that was not run.

    Args:
        table: CSV file, or DataFrame of texts (`dtype=str, keep_default_na=False`), or verdicts already read.
        options: of the judge; with 2, a C counts as N.
        benchmark: which one to read; needed where the table holds several. A table without the column is all of one.
        verdict_format: how a long row's `raw_text` is parsed where its `verdict` is empty.

    Raises:
        TableRefused: missing column, value that is not accepted, repeated row; with rows (from 1) and values.
        OSError: the file cannot be opened.
    """
    if options not in (2, 3):
        raise ValueError(f"options is {options!r}; accepted: 2, 3")
    if isinstance(table, VerdictTable):
        return table
    source = _source(table)
    if "order" in source.header:
        return _long_verdicts(source, options, benchmark, verdict_format)
    return _wide_verdicts(source, options, benchmark)


def _wide_verdicts(source: _Source, options: Options, benchmark: str | None) -> VerdictTable:
    columns = _columns(source, _WIDE, ("repetition", "benchmark"))
    faults = _Faults()
    for name in ("verdict_original", "verdict_swapped"):
        accepted = columns[name].matching(VERDICT_CODES.__contains__)
        faults.add_unaccepted(name, columns[name], accepted, "A, B, C, N, or empty where the order was not run")
    repetition = _repetitions(columns.get("repetition"), len(columns["judge"].codes), None, faults)
    faults.refuse()
    key = item_codes(columns, repetition)
    faults.add_repeated(key, [name for name in (*NAMES, "benchmark", "repetition") if name in source.header])
    faults.refuse()
    original, swapped = (
        columns[name].mapped(VERDICT_CODES.__getitem__) for name in ("verdict_original", "verdict_swapped")
    )
    chosen = _chosen_benchmark(columns.get("benchmark"), benchmark)
    return verdict_table(columns, repetition, original, swapped, options, chosen)


def _long_verdicts(
    source: _Source, options: Options, benchmark: str | None, verdict_format: VerdictFormat
) -> VerdictTable:
    required = [name for name in _LONG if name != "verdict" or "raw_text" not in source.header]
    columns = _columns(source, required, ("repetition", "verdict", "raw_text"))
    faults = _Faults()
    for name in (*NAMES, "benchmark"):
        columns[name] = columns[name].renamed(str.strip)
        faults.add_unaccepted(name, columns[name], columns[name].matching(bool), "any text that is not blank")
    order = columns["order"]
    faults.add_unaccepted("order", order, order.matching(ORDERS.__contains__), "original, swapped")
    verdict = _long_verdict_codes(columns, options, verdict_format, faults)
    rows = len(order.codes)
    repetition = _repetitions(columns.get("repetition"), rows, MAX_REPETITION, faults)
    faults.refuse()
    is_swapped = order.matching("swapped".__eq__)
    faults.add_repeated(item_codes(columns, repetition) * 2 + is_swapped, (*NAMES, "benchmark", "order", "repetition"))
    faults.refuse()
    chosen = _chosen_benchmark(columns["benchmark"], benchmark)
    return table_of_calls(columns, repetition, is_swapped, verdict, options, chosen)


def _long_verdict_codes(
    columns: dict[str, VerdictColumn], options: Options, verdict_format: VerdictFormat, faults: _Faults
) -> IntArray:
    """Codes of the stated verdicts; where the cell is empty, of the parsed raw text."""
    rows = len(columns["order"].codes)
    empty = VerdictColumn(("",), np.zeros(rows, np.int64)) if rows else VerdictColumn((), np.empty(0, np.int64))
    stated, text = columns.get("verdict", empty), columns.get("raw_text", empty)
    is_stated = stated.matching(bool)
    has_text = text.matching(bool)
    faults.add_unaccepted(
        "verdict",
        stated,
        stated.matching(VERDICT_CODES.__contains__) & (is_stated | has_text),
        "A, B, C, N (A and B name the place shown first or second), or empty beside a raw_text",
    )
    parsed = text.mapped(
        lambda raw: VERDICT_CODES[parse_verdict(raw, verdict_format=verdict_format, options=options).verdict]
    )
    return np.where(is_stated, stated.mapped(lambda verdict: VERDICT_CODES.get(verdict, N)), parsed)


def _columns(source: _Source, required: Sequence[str], optional: Sequence[str]) -> dict[str, VerdictColumn]:
    missing = [name for name in required if name not in source.header]
    if missing:
        raise TableRefused(f"missing column {', '.join(missing)} (found: {keys_shown(source.header)})")
    also = [name for name in optional if name in source.header and name not in required]
    return source.columns([*required, *also])


def _repetitions(column: VerdictColumn | None, rows: int, highest: int | None, faults: _Faults) -> IntArray:
    """The repetition of each row; 1 where the table does not say."""
    if column is None:
        return np.ones(rows, np.int64)

    def is_accepted(cell: str) -> bool:
        if not cell:
            return True
        return bool(_WHOLE_NUMBER.fullmatch(cell)) and (highest is None or 1 <= int(cell) <= highest)

    accepted = column.matching(is_accepted)
    faults.add_unaccepted("repetition", column, accepted, f"a whole number{f' from 1 to {highest}' if highest else ''}")
    return column.mapped(lambda cell: int(cell or 1) if is_accepted(cell) else 0)


def _chosen_benchmark(column: VerdictColumn | None, benchmark: str | None) -> str | None:
    if column is None or not column.names:
        return benchmark
    if benchmark is None and len(column.names) > 1:
        raise TableRefused(f"the table holds several benchmarks ({keys_shown(list(column.names))}): choose one")
    if benchmark is not None and benchmark not in column.names:
        raise TableRefused(f"no row of benchmark {quoted(benchmark)} (found: {keys_shown(list(column.names))})")
    return benchmark or column.names[0]


# --- lengths of answers ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AnswerLengths:
    """How many characters each answer has."""

    characters: dict[tuple[str, str, str], int]
    """(task, query, model) -> characters; the task is "" where the table has no such column."""
    by_task: bool

    def of(self, task: str, query: str, model: str) -> int | None:
        """Characters of one answer; None where unknown."""
        return self.characters.get((task if self.by_task else "", query, model))


def read_lengths(table: TextTable, *, benchmark: str | None = None) -> AnswerLengths:
    """The lengths of answers from a table with the columns query, model, answer_chars (and task, benchmark).

    An empty answer_chars is unknown. With `benchmark`, rows of other benchmarks are left out.

    Raises:
        TableRefused: missing column, answer_chars not a whole number, or two lengths for one answer.
    """
    try:
        return _answer_lengths(_source(table), benchmark)
    except TableRefused as error:
        raise TableRefused(f"lengths: {error}") from error


def _answer_lengths(source: _Source, benchmark: str | None) -> AnswerLengths:
    columns = _columns(source, ("query", "model", "answer_chars"), ("task", "benchmark"))
    length = columns["answer_chars"]
    faults = _Faults()
    accepted = length.matching(lambda cell: not cell or _WHOLE_NUMBER.fullmatch(cell))
    faults.add_unaccepted("answer_chars", length, accepted, "a whole number, or empty where unknown")
    faults.refuse()
    rows = np.flatnonzero(length.matching(bool))
    if benchmark is not None and "benchmark" in columns:
        rows = rows[columns["benchmark"][rows].matching(benchmark.__eq__)]
    characters: dict[tuple[str, str, str], int] = {}
    for row in rows.tolist():
        task = columns["task"].cell(row) if "task" in columns else ""
        answer = (task, columns["query"].cell(row), columns["model"].cell(row))
        number = int(length.cell(row))
        if characters.setdefault(answer, number) != number:
            raise TableRefused(
                f"row {row + 1}: answer_chars is {number}, but an earlier row says {characters[answer]} for the same "
                f"answer (query {quoted(answer[1])}, model {quoted(answer[2])})"
            )
    return AnswerLengths(characters, "task" in columns)
