"""Judges' verdicts as whole numbers, and the items they are about: what the desk and the evaluator both count with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from submissions.verdicts.swap_outcomes import Options

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

A, B, C, N, NOT_RUN = range(5)
"""Codes of verdicts in arrays (places in `VERDICTS`), and of the empty cell of an order that was not run."""
VERDICT_CODES: dict[str, int] = {"A": A, "B": B, "C": C, "N": N, "": NOT_RUN}

NAMES = ("judge", "task", "model", "query")
"""The columns that name an item."""
ORDERS = ("original", "swapped")
MAX_REPETITION = 100
"""Of a table with one row per verdict (docs/submit.md#judge-verdict-tables)."""


@dataclass(frozen=True, slots=True)
class VerdictColumn:
    """A text column as whole numbers: the cell of a row is `names[codes[row]]`."""

    names: tuple[str, ...]
    """Distinct cells, sorted, so that codes do not depend on the order of rows."""
    codes: IntArray

    def __getitem__(self, rows: IntArray | BoolArray) -> VerdictColumn:
        return VerdictColumn(self.names, self.codes[rows])

    def cell(self, row: int) -> str:
        """The text of one row."""
        return self.names[int(self.codes[row])]

    def matching(self, accepted: Callable[[str], object]) -> BoolArray:
        """Which rows hold a text that `accepted` accepts; every distinct text is looked at once."""
        return self.mapped(lambda name: int(bool(accepted(name)))).astype(np.bool_)

    def mapped(self, number: Callable[[str], int]) -> IntArray:
        """The number of each row's text."""
        return np.fromiter(map(number, self.names), np.int64, len(self.names))[self.codes]

    def renamed(self, name: Callable[[str], str]) -> VerdictColumn:
        """The column with every cell replaced by `name(cell)`."""
        names = [name(cell) for cell in self.names]
        return text_column(list(dict.fromkeys(names)), distinct_places(names)[self.codes])


@dataclass(frozen=True, slots=True)
class VerdictTable:
    """The verdicts of one benchmark, one row per item and repetition, sorted by names and repetition."""

    judge: VerdictColumn
    task: VerdictColumn
    model: VerdictColumn
    query: VerdictColumn
    item: IntArray
    """(judge, task, model, query) numbered in sorted order."""
    repetition: IntArray
    original: IntArray
    """Verdict codes A B C N NOT_RUN; with 2 options a C stands here as N."""
    swapped: IntArray
    benchmark: str | None
    """None where the table does not say."""

    def __len__(self) -> int:
        return len(self.item)


@dataclass(frozen=True, slots=True)
class VerdictItems:
    """One row per item, with the verdicts that count: those of the lowest repetition that ran both orders."""

    judge: VerdictColumn
    task: VerdictColumn
    model: VerdictColumn
    query: VerdictColumn
    original: IntArray
    swapped: IntArray
    paired: BoolArray
    """False: no repetition ran both orders. The verdicts are then the lowest repetition's of each order, or NOT_RUN."""

    def __getitem__(self, rows: IntArray | BoolArray) -> VerdictItems:
        return VerdictItems(
            self.judge[rows],
            self.task[rows],
            self.model[rows],
            self.query[rows],
            self.original[rows],
            self.swapped[rows],
            self.paired[rows],
        )


def combined_codes(*columns: tuple[IntArray, int]) -> IntArray:
    """One number per distinct row of several columns of codes, dense and in the rows' lexicographic order.

    Args:
        columns: (codes, number of distinct codes) each; at least one.

    >>> combined_codes((np.array([1, 0, 1]), 2), (np.array([0, 2, 0]), 3)).tolist()
    [1, 0, 1]
    """
    combined, size = columns[0]
    for codes, distinct in columns[1:]:
        if size * distinct >= 2**62:
            combined = _dense(combined)
            size = int(combined.max(initial=-1)) + 1
        combined, size = combined * distinct + codes, size * distinct
    return _dense(combined)


def _dense(codes: IntArray) -> IntArray:
    return np.unique(codes, return_inverse=True)[1].astype(np.int64).reshape(-1)


class TextNumbers(dict[str, int]):
    """Text -> number. Gives every new text the next number."""

    def __missing__(self, text: str) -> int:
        number = self[text] = len(self)
        return number


def text_column(names: Sequence[str], codes: IntArray) -> VerdictColumn:
    """A column from distinct names in any order and each row's place among them: sorted, unused names left out."""
    used = np.flatnonzero(np.bincount(codes, minlength=len(names)))
    order = sorted(used.tolist(), key=names.__getitem__)
    ranks = np.zeros(len(names), np.int64)
    ranks[order] = np.arange(len(order))
    return VerdictColumn(tuple(names[code] for code in order), ranks[codes])


def distinct_places(names: Iterable[str]) -> IntArray:
    """The number of each name among the distinct names, in order of appearance."""
    numbers = TextNumbers()
    return np.array([numbers[name] for name in names], np.int64)


def item_codes(columns: Mapping[str, VerdictColumn], repetition: IntArray) -> IntArray:
    """One number per (benchmark, judge, task, model, query, repetition)."""
    named = [columns[name] for name in ("benchmark", *NAMES) if name in columns]
    numbers, repetition_codes = np.unique(repetition, return_inverse=True)
    return combined_codes(
        *((column.codes, len(column.names)) for column in named), (repetition_codes.reshape(-1), len(numbers))
    )


def verdict_table(
    columns: Mapping[str, VerdictColumn],
    repetition: IntArray,
    original: IntArray,
    swapped: IntArray,
    options: Options,
    benchmark: str | None,
) -> VerdictTable:
    """The verdicts of one benchmark from rows that hold both orders.

    Args:
        columns: `NAMES`, and `benchmark` where the rows may be of several.
        repetition: of each row.
        original: verdict code of each row.
        swapped: the same for the swapped order.
        options: with 2, a C becomes N.
        benchmark: which rows to take; None where there is no such column.
    """
    rows = np.arange(len(repetition))
    if benchmark is not None and "benchmark" in columns:
        rows = np.flatnonzero(columns["benchmark"].matching(benchmark.__eq__))
    named = {name: text_column(columns[name].names, columns[name].codes[rows]) for name in NAMES}
    item = combined_codes(*((column.codes, len(column.names)) for column in named.values()))
    order = np.lexsort((repetition[rows], item))
    if options == 2:
        original, swapped = (np.where(verdicts == C, N, verdicts) for verdicts in (original, swapped))
    return VerdictTable(
        **{name: column[order] for name, column in named.items()},
        item=item[order],
        repetition=repetition[rows][order],
        original=original[rows][order],
        swapped=swapped[rows][order],
        benchmark=benchmark,
    )


def table_of_calls(
    columns: Mapping[str, VerdictColumn],
    repetition: IntArray,
    is_swapped: BoolArray,
    verdict: IntArray,
    options: Options,
    benchmark: str | None,
) -> VerdictTable:
    """As `verdict_table`, from rows of one verdict each; an order without a row was not run. No row may repeat."""
    key = item_codes(columns, repetition)
    first = np.unique(key, return_index=True)[1]
    both = np.full((len(first), 2), NOT_RUN, np.int64)
    both[key, is_swapped.astype(np.int64)] = verdict
    wide = {name: columns[name][first] for name in ("benchmark", *NAMES) if name in columns}
    return verdict_table(wide, repetition[first], both[:, 0], both[:, 1], options, benchmark)


def verdict_items(table: VerdictTable) -> VerdictItems:
    """One row per item, in sorted order of (judge, task, model, query), with the verdicts that count.

    See docs/position_bias.md#counts: the numerically lowest repetition with both orders; if none, unpaired.
    """
    items = int(table.item[-1]) + 1 if len(table) else 0
    ran_original, ran_swapped = table.original != NOT_RUN, table.swapped != NOT_RUN
    both = _first_row(table.item, ran_original & ran_swapped, items)
    paired = both >= 0
    first = np.flatnonzero(np.diff(table.item, prepend=-1))
    return VerdictItems(
        table.judge[first],
        table.task[first],
        table.model[first],
        table.query[first],
        _verdict_at(table.original, np.where(paired, both, _first_row(table.item, ran_original, items))),
        _verdict_at(table.swapped, np.where(paired, both, _first_row(table.item, ran_swapped, items))),
        paired,
    )


def _first_row(item: IntArray, wanted: BoolArray, items: int) -> IntArray:
    """The first wanted row of each item, -1 where there is none; `item` is sorted."""
    rows = np.flatnonzero(wanted)
    first = np.full(items, -1, np.int64)
    first[item[rows[::-1]]] = rows[::-1]  # the last assignment, the lowest row, stays
    return first


def _verdict_at(verdicts: IntArray, rows: IntArray) -> IntArray:
    return np.where(rows >= 0, verdicts[rows], NOT_RUN) if len(verdicts) else np.empty(0, np.int64)
