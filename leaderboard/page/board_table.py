"""The table of any board as a visitor looks at it, on the page and in downloads, and what a visitor does to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Generic

from evaluator.statistics.deciding_items import DecidingItems
from leaderboard.page.copies import BoardVersion, bibtex_text, citation_text, latex_text, markdown_text, version_of
from leaderboard.page.first_place import FirstPlaceWords, first_place_of, first_place_record, first_place_values
from leaderboard.page.leaders import leader_sentence
from leaderboard.page.links import FILTER_PREFIX, address_of, ignored, link_of
from leaderboard.page.row_columns import STATISTICS_COLUMN
from leaderboard.page.state import PageState, State, TableState, all_closed, chosen, first_table, opened_fields
from leaderboard.parts.board_kind import ALL, Board, BoardKind
from leaderboard.parts.columns import Column
from leaderboard.parts.downloads import csv_text, json_text
from leaderboard.parts.filters import ANY, Filter, fitting
from leaderboard.parts.tables import (
    NULL_ROW,
    FirstPlaceValue,
    Fold,
    LinkValue,
    Order,
    Row,
    TableValue,
    UndoValue,
    column_of,
    is_entry,
    marks_explained,
    matching,
    ordered,
    sort_key,
    table_value,
)

SEARCH = "search"
"""What takes back the search, beside the keys of filters."""
EVERYTHING = "everything"
"""What takes back the search and every filter."""
PAGE_ROWS = 100
"""Of a board, whose rows are wide: a browser takes about a millisecond for each, and the first table waits for it."""
WHOLE_BOARD = "filtered; ranks are those of the whole board"


def _nothing_more(state: Any) -> dict[str, Any]:
    return {}


def _no_links(state: Any) -> list[LinkValue]:
    return []


def _as_it_is(state: Any) -> Any:
    return state


def first_look(state: State) -> State:
    """The table as at first: unfiltered, with the columns that matter most, and nothing opened."""
    return replace(all_closed(state), table=first_table(_kind_of(state)))


@dataclass(frozen=True, slots=True)
class BoardTable(Generic[Row, State]):
    """One board: where its rows come from."""

    state: type[State]
    """What a visitor of its page looks at."""
    all_rows: Callable[[State], Sequence[Row]]
    """The rows of what the visitor chose, in no particular order."""
    caption: Callable[[State], str]
    empty: Callable[[State], str]
    """What to say, and to do, where nobody stands on the board."""
    about: Callable[[State], dict[str, str]]
    """What the rows are, for JSON; its values after the first name the downloaded file."""
    details: Callable[[State], dict[str, Any]] = _nothing_more
    """What the board says beside its rows, for JSON."""
    completed: Callable[[State], State] = _as_it_is
    """Makes the choices that a visitor has not made: which rows are shown at first."""
    reset: Callable[[State], State] = first_look
    """Takes back what a visitor chose: order, search, filters and columns, and what else its page counts as such."""
    other_views: Callable[[State], list[LinkValue]] = _no_links
    """Other ways to look at the same rows, named above the table."""
    item_opened: Callable[[State, str, str], State] | None = None
    """Opens an item of a row, by their ids; None where items have no page."""
    without_items: Callable[[State, Sequence[str]], State | None] | None = None
    """Leaves items out of the rows, besides those that are; None where that cannot be done."""
    says_who_leads: bool = True
    """Does a sentence above the table say so? No where the page opens with one of its own."""

    @property
    def kind(self) -> BoardKind[Row]:
        """What is declared about the board."""
        return _kind_of(self.state())

    @property
    def opened(self) -> Callable[[State, object], State] | None:
        """Opens a row, by its id; None where the state of the page declares nothing that is opened."""
        row = next(iter(opened_fields(self.state())), None)
        return chosen(row.name) if row else None

    @property
    def board(self) -> Board:
        """Key of the board."""
        return self.kind.key

    @property
    def columns(self) -> tuple[Column[Row], ...]:
        """The columns of the board."""
        return self.kind.columns

    @property
    def filters(self) -> tuple[Filter[Row], ...]:
        """The filters of the board."""
        return self.kind.filters

    def with_rows_of(self, state: State) -> BoardTable[Row, State]:
        """The same table for whatever is made of one state: its rows are asked for once."""
        rows = self.all_rows(state)
        return replace(self, all_rows=lambda state: rows)

    def is_changed(self, state: State) -> bool:
        """Would *Reset* change what is shown? The page of a long board alone is no choice."""
        return self.reset(state) != from_first_page(state)

    def _look(self, state: State) -> TableState:
        """How the table is looked at; as at first where a link to this page leads to a row of another board."""
        return state.table if state.kind is self.kind else first_table(self.kind)

    def rows(self, state: State) -> list[Row]:
        """The rows as shown: filtered, searched and sorted, all pages."""
        look = self._look(state)
        names = [column for column in self.columns if column.is_name or column.is_searched]
        matches = self._found(state, look)
        by_name = sorted(matches, key=lambda row: (*(column.text(row) for column in names), row.id))
        return ordered(by_name, column_of(self.columns, look.sort), descending=look.direction == "descending")

    def _found(self, state: State, look: TableState) -> list[Row]:
        """The rows that a look leaves, unsorted."""
        return matching(fitting(self.all_rows(state), self.filters, dict(look.filters)), look.search, self.columns)

    def shown_columns(self, state: State) -> list[Column[Row]]:
        """The chosen columns that have something to say of the rows, and what they are sorted by."""
        rows, look = self.all_rows(state), self._look(state)
        entries = [row for row in rows if row.style != NULL_ROW] or rows
        chosen = {*look.columns, look.sort} if look.columns else ()
        return [
            column
            for column in self.columns
            if (not chosen or column.key in chosen)
            and (not column.is_left_out_when_empty or any(column.has_value(row) for row in entries))
        ]

    def page_columns(self, state: State) -> list[Column[Row]]:
        """The shown columns without those that add nothing to any name; CSV and JSON have them."""
        rows, sort = self.all_rows(state), self._look(state).sort
        return [
            column
            for column in self.shown_columns(state)
            if not rows or column.is_told is None or column.key == sort or not all(map(column.is_told, rows))
        ]

    def drawn_columns(self, state: State) -> list[Column[Row]]:
        """The columns of the table on the page, which goes without notes where the marks beside the names say them."""
        return marks_explained(self.page_columns(state), self.all_rows(state), self.kind.group)

    def filter_choices(self, state: State) -> list[list[tuple[str, str]]]:
        """What one can choose, for each filter in order: words, choice."""
        rows, chosen = self.all_rows(state), dict(self._look(state).filters)
        return [filter_.choices(rows, chosen.get(filter_.key, ANY)) for filter_ in self.filters]

    def understood(self, state: State) -> tuple[State, tuple[str, ...]]:
        """The state of a link without choices that no row of the board offers, and what was left out, in words."""
        look, rows = state.table, self.all_rows(state)
        unknown = {
            filter_.key: choice
            for filter_ in self.filters
            for key, choice in look.filters
            if key == filter_.key and not filter_.is_known(rows, choice)
        }
        kept = tuple((key, choice) for key, choice in look.filters if key not in unknown)
        notes = tuple(ignored(f"{FILTER_PREFIX}{key}", choice) for key, choice in unknown.items())
        return replace(state, table=replace(look, filters=kept)), notes

    def value(self, state: State) -> TableValue:
        """The table."""
        look = self._look(state)
        rows = self.rows(state)
        why_empty, undo = self._emptied(state, rows)
        fold = self._fold(rows, is_open=look.baselines == "shown")
        return table_value(
            [row for row in rows if row.style != NULL_ROW] if fold and not fold.is_open else rows,
            self.drawn_columns(state),
            caption=f"{self.caption(state)}; {WHOLE_BOARD}" if look.filters or look.search else self.caption(state),
            empty=self.empty(state),
            order=Order(look.sort, look.direction == "descending"),
            page=look.page,
            page_rows=PAGE_ROWS,
            opens=self.opened is not None,
            why_empty=why_empty,
            undo=undo,
            views=self.other_views(state),
            leader=self.leader(state),
            first_place=self.first_place(state),
            group=self.kind.group,
            leads=(self.kind.headline, look.sort, *self.kind.beside_name, *filter(None, [self.kind.instead])),
            fold=fold,
        )

    def _fold(self, rows: Sequence[Row], *, is_open: bool) -> Fold | None:
        """The line of the baselines, where the first of them stands; None for a single one, or where nobody else is."""
        places = [place for place, row in enumerate(rows) if row.style == NULL_ROW]
        if not 1 < len(places) < len(rows):
            return None
        headline = column_of(self.columns, self.kind.headline)
        # Baselines that are listed apart are not compared with the others.
        compared = [row for row in (rows[place] for place in places) if row.tier == 0]
        told = [row for row in compared if sort_key(headline.value(row)) is not None]
        best = ordered(told, headline, descending=self.kind.direction == "descending")[:1]
        label = ", best ".join([f"{len(places)} baselines", *(headline.value_text(row) for row in best)])
        return Fold(label, is_open, before=places[0])

    def leader(self, state: State) -> str:
        """Who leads the whole board and how sure that is; blank where nobody does."""
        return leader_sentence(self.all_rows(state), self.kind) if self.says_who_leads else ""

    def first_place(self, state: State) -> list[FirstPlaceValue]:
        """The sentence on which items the first place of the whole board rests; empty where the board does not say."""
        first = first_place_of(self.all_rows(state))
        if first is None:
            return []
        leader = first.leader
        without = self.without_items(state, first.deciding.items) if self.without_items else None

        def item_link(item: str) -> str:
            return address_of(self.item_opened(state, leader, item)) if self.item_opened else ""

        return first_place_values(
            first,
            FirstPlaceWords.from_kind(self.kind),
            self._names(state, first.deciding),
            link="" if without is None else address_of(without),
            item_link=item_link,
        )

    def _first_place_record(self, state: State) -> dict[str, Any]:
        first = first_place_of(self.all_rows(state))
        if first is None:
            return {}
        return {"first_place": first_place_record(first, self._names(state, first.deciding))}

    def _names(self, state: State, deciding: DecidingItems) -> dict[str, str]:
        """What the rows are called that an answer names, by their ids."""
        named = {*deciding.leaders, deciding.successor}
        return {row.id: " · ".join(self.kind.title_of(row)) for row in self.all_rows(state) if row.id in named}

    def _emptied(self, state: State, rows: Sequence[Row]) -> tuple[str, list[UndoValue]]:
        """What leaves nobody besides baselines, and the buttons that take it back; blank where some are left."""
        look = self._look(state)
        if _entries(rows) or not _entries(self.all_rows(state)) or not (look.filters or look.search):
            return "", []
        words = self._words(look)
        without = {key: _entries(self._found(state, undone_look(look, key))) for key in words}
        guilty = [key for key, count in without.items() if count]
        undo: list[UndoValue] = [
            {"key": key, "label": f"Without {words[key]} ({_rows_text(without[key])})"} for key in guilty
        ]
        if len(words) > 1:
            undo.append({"key": EVERYTHING, "label": "Without any filter"})
        if list(words) == [SEARCH]:
            return f"No {self._searched} matches the search. Clear the search, or press Reset.", undo
        left = "Only baselines or published rows are left" if rows else "Nothing is left"
        if guilty:
            return f"{left}, because of {' or '.join(words[key] for key in guilty)}.", undo
        return f"{left}: nothing fits {'; '.join(words.values())}.", undo

    def _words(self, look: TableState) -> dict[str, str]:
        """Everything that narrows the board, in words: filters by key, and the search."""
        chosen = dict(look.filters)
        words = {filter_.key: filter_.words(chosen[filter_.key]) for filter_ in self.filters if filter_.key in chosen}
        return words | ({SEARCH: f"the search “{look.search}”"} if look.search else {})

    @property
    def _searched(self) -> str:
        return " or ".join(column.label.lower() for column in self.columns if column.is_searched)

    def file_columns(self, state: State) -> list[Column[Row]]:
        """The columns of a file: those shown, and the version of the statistics where a row has one."""
        has_version = STATISTICS_COLUMN.has_value
        versions = [STATISTICS_COLUMN] if any(map(has_version, self.rows(state))) else []
        return [*self.shown_columns(state), *versions]

    def csv(self, state: State) -> str:
        """The board as shown, all pages, as CSV."""
        return csv_text(self.rows(state), self.file_columns(state))

    def json(self, state: State) -> str:
        """The board as shown, all pages, as JSON."""
        about = {"board": self.board, **self.about(state), "link": link_of(state)}
        about |= self._first_place_record(state) | self.details(state)
        return json_text(self.rows(state), self.file_columns(state), about=about)

    def markdown(self, state: State) -> str:
        """The board as shown, all pages, as a Markdown table with what to cite."""
        return markdown_text(self.rows(state), self.page_columns(state), self.version(state))

    def latex(self, state: State, today: date) -> str:
        """The board as shown, all pages, as a LaTeX table that fits one column of a paper."""
        rows, columns = self.rows(state), self.page_columns(state)
        return latex_text(rows, columns, self.version(state), self.kind.headline, today, self.kind.group)

    def citation(self, state: State, address: str, today: date) -> tuple[str, str]:
        """This view of the board in one line and as BibTeX, with the paper its measure is from.

        Args:
            address: Of this site, as the visitor's browser knows it; blank = the link stays a query.
        """
        version = self.version(state, address)
        return citation_text(version, today), bibtex_text(version, today)

    def version(self, state: State, address: str = "") -> BoardVersion:
        """Which board this is, to the row."""
        kind = self.kind
        set_ = ", ".join(dict.fromkeys(text for text in self.about(state).values() if text))
        rows, columns = self.rows(state), self.page_columns(state)
        pins = {kind.judge(row): None for row in rows if is_entry(row)} if kind.judge else {}
        return version_of(
            *(rows, columns, kind.columns),
            title=kind.title,
            set_=set_,
            link=f"{address}{link_of(state)}",
            paper=kind.paper,
            judges=tuple(f"{pin.name} ({pin.model}, revision {pin.revision[:12]})" for pin in pins if pin),
            counted=kind.counted,
        )

    def file_name(self, state: State) -> str:
        """Name of a download, without its ending."""
        return "-".join(["plumbline", self.board, *(text for text in self.about(state).values() if text)])


def _entries(rows: Sequence[Row]) -> int:
    """How many rows are neither null nor published."""
    return sum(map(is_entry, rows))


def _rows_text(count: int) -> str:
    return f"{count} row" if count == 1 else f"{count} rows"


# What a visitor does to the table. Values come from the browser: anything unknown changes nothing.


def _kind_of(state: PageState) -> BoardKind[Any]:
    """What is declared about the board of the page.

    Raises:
        TypeError: the page shows none.
    """
    if state.kind is None:
        raise TypeError(f"the page {state.tab} has no table")
    return state.kind


def sorted_by(state: State, key: object) -> State:
    """A click on a header: the column's natural direction first, then the other."""
    kind, look = _kind_of(state), state.table
    if not isinstance(key, str) or key not in kind.sort_keys:
        return state
    descending = column_of(kind.columns, key).descends_first
    if look.sort == key:
        descending = look.direction == "ascending"
    return replace(state, table=replace(look, sort=key, direction="descending" if descending else "ascending", page=1))


def sort_chosen(state: State, key: object) -> State:
    """A column from the list; the direction stays."""
    if not isinstance(key, str) or key not in _kind_of(state).sort_keys:
        return state
    return replace(state, table=replace(state.table, sort=key, page=1))


def direction_chosen(state: State, direction: object) -> State:
    """A direction from the list."""
    if direction != "descending" and direction != "ascending":
        return state
    return replace(state, table=replace(state.table, direction=direction, page=1))


def turned_to(state: State, page: object) -> State:
    """A page of a long board."""
    if not isinstance(page, int) or page < 1:
        return state
    return replace(state, table=replace(state.table, page=page))


def baselines_turned(state: State, choice: object) -> State:
    """The baselines of a board as rows, or folded into one line."""
    if choice != "folded" and choice != "shown":
        return state
    return replace(state, table=replace(state.table, baselines=choice))


def searched(state: State, text: str) -> State:
    """A new search begins on the first page."""
    look = state.table
    return state if text == look.search else replace(state, table=replace(look, search=text, page=1))


def filter_chosen(state: State, key: str, choice: object) -> State:
    """A choice of one filter; a blank one takes the filter back."""
    kind, look = _kind_of(state), state.table
    filter_ = kind.filter(key)
    read = filter_.read(choice) if filter_ and isinstance(choice, str) else None
    if filter_ is None or (read is None and choice != ANY):
        return state
    chosen = {**dict(look.filters), key: read or ANY}
    filters = tuple((each.key, chosen[each.key]) for each in kind.filters if chosen.get(each.key, ANY) != ANY)
    return replace(state, table=replace(look, filters=filters, page=1))


def undone(state: State, key: object) -> State:
    """Takes back one filter, the search, or everything that narrows the board."""
    return replace(state, table=undone_look(state.table, key)) if isinstance(key, str) else state


def undone_look(look: TableState, key: str) -> TableState:
    """The look without one filter, without the search, or without both and every filter."""
    if key == EVERYTHING:
        return replace(look, filters=(), search="", page=1)
    if key == SEARCH:
        return replace(look, search="", page=1)
    return replace(look, filters=tuple(pair for pair in look.filters if pair[0] != key), page=1)


def columns_chosen(state: State, keys: object) -> State:
    """Columns ticked in the list; the names stay whatever is ticked."""
    if not isinstance(keys, list):
        return state
    return replace(state, table=replace(state.table, columns=_kind_of(state).column_choice(keys)))


def preset_chosen(state: State, key: object) -> State:
    """Columns that are read together."""
    kind = _kind_of(state)
    presets = {preset.key: kind.column_choice(preset.columns) for preset in kind.presets} | {ALL: ()}
    if not isinstance(key, str) or key not in presets:
        return state
    return replace(state, table=replace(state.table, columns=presets[key]))


def from_first_page(state: State) -> State:
    """Another choice of rows begins on the first page."""
    return replace(state, table=replace(state.table, page=1))
