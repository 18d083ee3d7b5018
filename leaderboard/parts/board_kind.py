"""Declaration of one board: columns, first sort, filters, choices of columns, charts, methods, paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Literal

from evaluator.results import Pin
from leaderboard.parts.columns import Column
from leaderboard.parts.filters import Filter
from leaderboard.parts.methods import BoardAbout
from leaderboard.parts.row_charts import BoardChart
from leaderboard.parts.tables import Row

Board = str
"""Key of a board: of its page and in links."""

Direction = Literal["descending", "ascending"]

ALL = "all"
"""The preset of every column."""


@dataclass(frozen=True, slots=True)
class Preset:
    """Columns that are read together, one click away."""

    key: str
    label: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Paper:
    """What to cite for the measure of a board."""

    key: str
    authors: str
    """As BibTeX joins them."""
    title: str
    year: int
    published: str
    """Where, in words."""


@dataclass(frozen=True, slots=True)
class BoardKind(Generic[Row]):
    """All that is declared about a board; its rows come from a `BoardTable`."""

    key: Board
    title: str
    columns: tuple[Column[Row], ...]
    headline: str
    """The column it is sorted by at first."""
    direction: Direction = "descending"
    """The best on top."""
    filters: tuple[Filter[Row], ...] = ()
    presets: tuple[Preset, ...] = ()
    """The first is what a board shows at first; every column where there is none."""
    paper: Paper | None = None
    charts: tuple[BoardChart[Row], ...] = ()
    """Drawn below the table from the rows it shows."""
    about: BoardAbout | None = None
    """How it and its figures come about; every registered board says so."""
    question: str = ""
    """What the board answers, as a visitor would ask it."""
    nouns: tuple[str, str] = ("entry", "entries")
    """What its rows are called, one and several."""
    best: str = "Best"
    """What the row with the best headline is among the others: "Most consistent"."""
    counted: str = ""
    """What the headline rests on: the word behind its n."""
    deciders: str = ""
    """What is left out to see who is first then; blank = what is counted."""
    judge: Callable[[Row], Pin | None] | None = None
    """Which judge a row's headline comes from; None where no judge is asked."""
    is_example: Callable[[Row], bool] = lambda row: False
    """Is the row an example of ours, entered so that there is something to look at?"""
    group: Callable[[Row], str] | None = None
    """The heading that a row stands under among rows of its tier; blank = none. None where the board has no groups."""
    beside_name: tuple[str, ...] = ()
    """Columns by which rows of one name are told apart: on a narrow screen they stay with the name."""
    sentence: Callable[[Row], str] = lambda row: ""
    """What the headline of a row says, as the first sentence of its page; blank = the figure says it."""
    instead: str = ""
    """The column that tells of published rows whose headline was not printed; blank = none does."""

    @property
    def rank(self) -> Column[Row] | None:
        """The column of places; None where the board ranks nobody."""
        return next((column for column in self.columns if column.format == "rank"), None)

    @property
    def note(self) -> Column[Row] | None:
        """The column that says what else one must know about a row; None where the board has none."""
        return next((column for column in self.columns if column.key == "note"), None)

    def title_of(self, row: Row) -> list[str]:
        """What a row is called: its name, then what else rows of one name are told apart by."""
        name = " ".join(column.value_text(row) for column in self.columns if column.is_name)
        beside = (column for column in self.columns if column.key in self.beside_name and not column.is_number)
        return [name, *(text for column in beside if (text := column.text(row)))]

    def mark_of(self, row: Row) -> str:
        """What its name is marked with, in brackets: `(published)`; blank where nothing is."""
        names = (column for column in self.columns if column.is_name and column.remark)
        return " ".join(mark for column in names if column.remark and (mark := column.remark(row)))

    def said_of(self, row: Row) -> str:
        """The headline of a row with its place, in words: `Robustness error 1.7% [0.0, 9.0], rank 1`."""
        headline = next(column for column in self.columns if column.key == self.headline)
        place = self.rank.value_text(row) if self.rank else ""
        return f"{headline.label} {headline.text(row)}" + (f", rank {place}" if place else "")

    @property
    def sort_keys(self) -> tuple[str, ...]:
        """Columns one can sort by."""
        return tuple(column.key for column in self.columns if column.sortable)

    @property
    def name_keys(self) -> tuple[str, ...]:
        """Columns that cannot be put away, because they say whose row it is."""
        return tuple(column.key for column in self.columns if column.is_name)

    @property
    def first_columns(self) -> tuple[str, ...]:
        """The columns a board shows at first; empty = all of them."""
        return self.column_choice(self.presets[0].columns) if self.presets else ()

    def filter(self, key: str) -> Filter[Row] | None:
        """A filter by its key."""
        return next((filter_ for filter_ in self.filters if filter_.key == key), None)

    def column_choice(self, keys: Sequence[str]) -> tuple[str, ...]:
        """A choice of columns in their order, with the names; empty = all of them.

        Keys that no column has are left out.
        """
        wanted = {*keys, *self.name_keys}
        chosen = tuple(column.key for column in self.columns if column.key in wanted)
        return () if len(chosen) == len(self.columns) else chosen

    def preset_of(self, columns: tuple[str, ...]) -> str | None:
        """The preset that chooses just these columns; None where none does."""
        if not columns:
            return ALL
        return next((preset.key for preset in self.presets if self.column_choice(preset.columns) == columns), None)
