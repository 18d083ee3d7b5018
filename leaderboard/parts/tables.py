"""Rows and columns -> what a table component shows: searched, sorted, cut into pages. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import ceil
from typing import Literal, NotRequired, Protocol, TypedDict, TypeVar

from evaluator.results import MetricValue
from evaluator.statistics.rank_bands import RankBand
from leaderboard.parts.columns import NOT_AVAILABLE, Column, Value
from leaderboard.parts.interval_bars import BarValue
from submissions.reading.normal_forms import normal_form
from submissions.schema import Count

PAGE_ROWS = 200
"""Beyond 200-300 rows a table takes noticeably longer to draw."""
NULL_ROW = "null-row"
"""Style of rows that are no entries: grey, and in sight whatever is filtered."""
PUBLISHED_ROW = "published-row"
"""Style of rows that others published: in sight whatever is filtered, unless the filter is about them."""
Baselines = Literal["folded", "shown"]
"""Whether the baselines of a board are one line or rows."""


class TableRow(Protocol):
    """What a table needs to know of a row besides its cells."""

    @property
    def id(self) -> str: ...

    @property
    def tier(self) -> int:
        """Rows of a higher tier are listed after the others in both directions."""
        ...

    @property
    def style(self) -> str:
        """CSS class of the row; blank for none."""
        ...


Row = TypeVar("Row", bound=TableRow)


def is_entry(row: TableRow) -> bool:
    """Did somebody enter the row? Null and published rows stand beside those that were."""
    return row.style not in (NULL_ROW, PUBLISHED_ROW)


@dataclass(frozen=True, slots=True)
class Order:
    """A column and a direction."""

    key: str
    descending: bool


class CellValue(TypedDict):
    """One cell, written out."""

    text: str
    style: str
    is_name: bool
    opens: bool
    bar: NotRequired[BarValue]
    """The same figure drawn; absent where there is nothing to draw."""
    hint: NotRequired[str]
    """What pointing at it tells; absent where there is nothing more to tell."""
    told: NotRequired[str]
    """What the cell is, where it stands on a card and is not what the card is about; absent elsewhere."""
    more: NotRequired[str]
    """What the button is called that shows the whole row where rows are cards; absent where they are none."""
    icon: NotRequired[str]
    """Stands for the text until it is asked for; absent where the text stands there itself."""
    about: NotRequired[str]
    """What the words behind the icon are."""
    mark: NotRequired[str]
    """What a row is, beside its name; absent where that goes without saying."""
    mark_about: NotRequired[str]
    """What the mark means; absent where it says all."""


@dataclass(frozen=True, slots=True)
class Fold:
    """A line that baselines are folded into, and by which they are opened."""

    label: str
    is_open: bool
    before: int
    """How many rows of all pages stand above it."""


class FoldValue(TypedDict):
    """The line, written out."""

    label: str
    is_open: bool
    turned: Baselines
    """What pressing it makes of the baselines."""
    span: int
    """How many columns it is over."""


class RowValue(TypedDict):
    """One row, written out."""

    id: str
    style: str
    cells: list[CellValue]
    heading: NotRequired[str]
    """Stands above the row, over all columns; absent where no group begins."""
    span: NotRequired[int]
    """How many columns the heading is over."""
    folds: NotRequired[list[FoldValue]]
    """The line of the baselines stands above the row; absent where it does not."""


class HeadValue(TypedDict):
    """One column header."""

    key: str
    label: str
    tooltip: str
    style: str
    sortable: bool
    aria_sort: str
    arrow: str
    is_stop: bool
    """Tab reaches this header; arrow keys lead from it to the others."""


class UndoValue(TypedDict):
    """A button that takes back what emptied the table."""

    key: str
    label: str


class LinkValue(TypedDict):
    """A link and its words."""

    label: str
    href: str


class NamedItemValue(LinkValue):
    """An item in the sentence about the first place; its link is blank where the board has no page of it."""

    before: str
    """What stands between it and the item before."""


class FirstPlaceValue(TypedDict):
    """On which items the first place rests, as one sentence: its claim, the items, and who leads without them."""

    claim: str
    link: str
    """The board without these items; blank where a board cannot leave items out."""
    items: list[NamedItemValue]
    after: str


class TableValue(TypedDict):
    """All a table component shows; every string is shown as text."""

    caption: str
    views: list[LinkValue]
    """Other ways to look at the same rows."""
    leader: str
    """Who leads, as one sentence; may be blank."""
    first_place: list[FirstPlaceValue]
    """The sentence on which items the first place rests; at most one."""
    empty: str
    """Why nobody is listed, and what to do; blank where somebody is."""
    undo: list[UndoValue]
    columns: list[HeadValue]
    rows: list[RowValue]
    folds: list[FoldValue]
    """The line of the baselines below all rows; at most one."""
    is_cards: bool
    """Are rows shown as cards where the screen is narrow?"""
    summary: str
    has_pages: bool
    previous: int
    """Page before this one; 0 = none."""
    next: int
    page: str


def folded(text: str) -> str:
    """Text as it is compared: compatibility-normalised, without case.

    >>> folded("Ｓtraße")
    'strasse'
    """
    return normal_form("NFKC", text).casefold()


def matching(rows: Iterable[Row], search: str, columns: Sequence[Column[Row]]) -> list[Row]:
    """Rows one of whose searched columns contains a term; terms are separated by `;`, a blank search matches all."""
    terms = [folded(term.strip()) for term in search.split(";") if term.strip()]
    names = [column for column in columns if column.is_searched]
    if not terms:
        return list(rows)
    return [row for row in rows if any(term in folded(name.text(row)) for term in terms for name in names)]


def ordered(rows: Iterable[Row], column: Column[Row], *, descending: bool) -> list[Row]:
    """Rows by one column; rows without a value come last within their tier, in both directions. Stable."""
    tiers: dict[int, list[Row]] = {}
    for row in rows:
        tiers.setdefault(row.tier, []).append(row)
    return [row for tier in sorted(tiers) for row in _ordered_tier(tiers[tier], column, descending=descending)]


def _ordered_tier(rows: Sequence[Row], column: Column[Row], *, descending: bool) -> list[Row]:
    keyed = [(_sort_key(row, column), row) for row in rows]
    present = [(key, row) for key, row in keyed if key is not None]
    present.sort(key=lambda pair: pair[0], reverse=descending)
    return [row for _, row in present] + [row for key, row in keyed if key is None]


SortKey = tuple[float, float, str]


def _sort_key(row: Row, column: Column[Row]) -> SortKey | None:
    key = sort_key(column.value(row))
    return (abs(key[0]), *key[1:]) if key and column.better == "nearer_zero" else key


def sort_key(value: Value) -> SortKey | None:
    """What a value is sorted by; None = missing."""
    match value:
        case None | "":
            return None
        case MetricValue():
            return None if value.value is None else (value.value, 0.0, "")
        case RankBand():
            return (float(value.low), float(value.high), "")
        case Count():
            return (value.answered if value.share is None else value.share, float(value.answered), "")
        case datetime():
            return (value.timestamp(), 0.0, "")
        case str():
            return (0.0, 0.0, folded(value))
        case _:
            return (float(value), 0.0, "")


def column_of(columns: Sequence[Column[Row]], key: str) -> Column[Row]:
    """The column of that key.

    Raises:
        KeyError: no such column.
    """
    for column in columns:
        if column.key == key:
            return column
    raise KeyError(key)


def marks_explained(
    columns: Sequence[Column[Row]], rows: Sequence[Row], group: Callable[[Row], str] | None
) -> list[Column[Row]]:
    """Let the marks of published rows say what their notes say, and leave an icon where a row's note is not the usual.

    The usual note is the most frequent of all rows with that mark under one heading. Without any icon the column of
    notes goes.

    Args:
        rows: All rows of the board, so that no search and no filter changes what stands behind an icon.
        group: The heading that a row stands under; None = no headings.
    """
    name = next((column for column in columns if column.is_name), None)
    note = next((column for column in columns if column.key == "note"), None)
    if name is None or name.remark is None or note is None:
        return list(columns)
    alike: dict[tuple[str, str], Counter[str]] = {}
    beside: dict[str, Counter[str]] = {}
    for row in rows:
        if row.style == PUBLISHED_ROW:
            mark = (group(row) if group else "", name.remark(row))
            beside[row.id] = alike.setdefault(mark, Counter())
            beside[row.id][note.text(row)] += 1

    def is_told(row: Row) -> bool:
        notes = beside.get(row.id)
        if notes is None:
            return note.is_told is not None and note.is_told(row)
        ((usual, count), *others) = notes.most_common()
        return note.text(row) == usual and (count > 1 or not others)

    explained = {
        name.key: replace(name, about_remark=lambda row: note.text(row) if row.id in beside else ""),
        note.key: replace(note, is_told=is_told),
    }
    kept = [column for column in columns if column is not note or not all(map(is_told, rows))]
    return [explained.get(column.key, column) for column in kept]


def table_value(
    rows: Sequence[Row],
    columns: Sequence[Column[Row]],
    *,
    caption: str,
    empty: str,
    order: Order | None = None,
    page: int = 1,
    page_rows: int = PAGE_ROWS,
    opens: bool = True,
    why_empty: str = "",
    undo: Sequence[UndoValue] = (),
    views: Sequence[LinkValue] = (),
    leader: str = "",
    first_place: Sequence[FirstPlaceValue] = (),
    leads: Sequence[str] = (),
    group: Callable[[Row], str] | None = None,
    fold: Fold | None = None,
) -> TableValue:
    """The table of one page of rows, which come filtered, searched and sorted.

    Args:
        empty: what to say, and to do, when there is no row.
        why_empty: said instead, also where only baselines are left.
        undo: buttons beside it.
        views: links to other ways to look at the same rows, beside the caption.
        leader: the sentence on who leads (`page.leaders`), above the table.
        first_place: the sentence on which items the first place rests (`page.first_place`), behind it.
        order: how the rows are sorted; None where the visitor cannot sort them.
        opens: whether a row can be opened.
        leads: keys of the columns that stand on a row's card where the screen is narrow, besides rank, name and icons,
            first what the card is about (blank: each column says what it is); empty = rows are never cards.
        group: the heading that a row stands under, with those beside it; None = no headings.
        fold: the line of the baselines; None where they are rows like the others.
    """
    pages = max(1, ceil(len(rows) / page_rows))
    page = min(max(page, 1), pages)
    first = (page - 1) * page_rows
    shown = rows[first : first + page_rows]
    written = [_written(row, columns, opens=opens, leads=leads) for row in shown]
    folds = _with_fold(written, fold, first, len(columns))
    return {
        "caption": caption,
        "views": list(views),
        "leader": leader,
        "first_place": list(first_place),
        "empty": why_empty or ("" if rows else empty),
        "undo": list(undo),
        "columns": _heads(columns, order),
        "rows": _under_headings(written, shown, group),
        "folds": folds if page == pages else [],
        "is_cards": bool(leads),
        "summary": _summary(first, len(shown), len(rows)),
        "has_pages": pages > 1,
        "previous": page - 1,
        "next": page + 1 if page < pages else 0,
        "page": f"Page {page} of {pages}",
    }


def _summary(first: int, shown: int, total: int) -> str:
    if shown == total:
        return f"{total} row" if total == 1 else f"{total} rows"
    return f"Rows {first + 1} to {first + shown} of {total}"


def _heads(columns: Sequence[Column[Row]], order: Order | None) -> list[HeadValue]:
    """The headers, of which the Tab key reaches the sorted one alone; the first term where nothing can be sorted."""
    heads = [_head(column, order) for column in columns]
    stop = next((head for head in heads if (head["arrow"] if order else head["tooltip"])), None)
    return [{**head, "is_stop": head is stop} for head in heads]


def _head(column: Column[Row], order: Order | None) -> HeadValue:
    is_sorted = order is not None and order.key == column.key
    descending = order is not None and order.descending
    return {
        "key": column.key,
        "label": column.label,
        "tooltip": column.tooltip,
        "style": _style(column),
        "sortable": column.sortable and order is not None,
        "aria_sort": ("descending" if descending else "ascending") if is_sorted else "none",
        "arrow": ("▼" if descending else "▲") if is_sorted else "",
        "is_stop": False,
    }


def _with_fold(written: list[RowValue], fold: Fold | None, first: int, span: int) -> list[FoldValue]:
    """Put the line of the baselines above its row, and return it where it stands below all of them."""
    if fold is None or fold.before < first:
        return []
    turned: Baselines = "folded" if fold.is_open else "shown"
    value: FoldValue = {"label": fold.label, "is_open": fold.is_open, "turned": turned, "span": span}
    if fold.before >= first + len(written):
        return [value]
    written[fold.before - first]["folds"] = [value]
    return []


def _under_headings(written: list[RowValue], rows: Sequence[Row], group: Callable[[Row], str] | None) -> list[RowValue]:
    """The rows, the first of each group with its heading."""
    last = ""
    for value, row in zip(written, rows, strict=True) if group else ():
        heading = group(row) if group else ""
        if heading and heading != last and "folds" not in value:
            value |= {"heading": heading, "span": len(value["cells"])}
        last = heading
    return written


def _written(row: Row, columns: Sequence[Column[Row]], *, opens: bool, leads: Sequence[str]) -> RowValue:
    cells = [_cell(row, column, opens=opens) for column in columns]
    for cell, column in zip(cells, columns, strict=True) if leads else ():
        if column.key in leads and cell["text"]:
            cell["style"] += " lead"
            if column.key != leads[0]:
                cell["told"] = column.label
    if leads and (name := next((cell for cell in cells if cell["is_name"]), None)):
        name["more"] = f"All figures of {name['text']}"
    return {"id": row.id, "style": row.style, "cells": cells}


def _cell(row: Row, column: Column[Row], *, opens: bool) -> CellValue:
    cell: CellValue = {
        "text": column.value_text(row) if column.is_name else column.text_beside_name(row),
        "style": _cell_style(row, column),
        "is_name": column.is_name,
        "opens": opens and column.is_name,
    }
    if hint := _hint(row, column):
        cell["hint"] = hint
    if column.is_name and column.remark and (mark := column.remark(row)):
        cell["mark"] = mark
        if column.about_remark and (about := column.about_remark(row)):
            cell["mark_about"] = about
    if column.icon and cell["text"]:
        cell["icon"], cell["about"] = column.icon, column.label
    bar = column.bar(row)
    return {**cell, "bar": bar} if bar else cell


def _hint(row: Row, column: Column[Row]) -> str:
    """What pointing at a cell tells: what its column says, else how many units its figure rests on."""
    if column.hint:
        return column.hint(row)
    value = column.value(row)
    return f"n = {value.n}" if isinstance(value, MetricValue) and value.value is not None else ""


def _cell_style(row: Row, column: Column[Row]) -> str:
    is_faint = column.is_faint and column.is_faint(row)
    has_words = column.is_number and column.remark and column.value_text(row) == NOT_AVAILABLE and column.remark(row)
    return _style(column) + (" faint" if is_faint else "") + (" with-words" if has_words else "")


def _style(column: Column[Row]) -> str:
    kind = "number" if column.is_number else column.format
    return f"{kind} column-{column.key}" + (" name" if column.is_name else "")
