"""State of a page of Robustness: the choices that all editions share, and those of 2024."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeVar, get_args

from evaluator.results import HEADLINE_VIEW, VIEWS, View
from leaderboard.boards.robustness.kind import ROBUSTNESS
from leaderboard.page.state import PageState, TableState, choice, first_table, one_of, opened, step, text, whole_number

Look = Literal["board", "choices", "atlas", "history"]
LOOKS: tuple[Look, ...] = get_args(Look)
"""Ways to look at the results of one edition: its ranking, its ranks under other choices, its heat maps, what a paper
printed."""

MapFigure = Literal["gated", "raw", "worst", "cr", "cd", "rho"]
MAP_FIGURES: tuple[MapFigure, ...] = get_args(MapFigure)
"""What heat maps can show; each edition has some of them (`atlas.screen`)."""

MapOrder = Literal["hardest", "name"]
MAP_ORDERS: tuple[MapOrder, ...] = get_args(MapOrder)
"""How the rows of heat maps are sorted."""


# Without slots: two classes with slots cannot be the bases of one, and these stand in links in their order.


@dataclass(frozen=True)
class PromptSetState(PageState):
    """Which part of which prompt set is ranked, and by what."""

    set: str = step("", text)
    """Prompt set; blank = the first one that has rows."""
    view: View = choice(HEADLINE_VIEW, one_of(VIEWS))
    variation: str = choice("", text)
    """Items of that type of variation alone; blank = all."""
    language: str = choice("", text)
    """Answers in that language alone, whatever the view; blank = those of the view."""
    without: str = choice("", text)
    """Items that are left out, ids joined by commas; blank = none."""
    judged_by: str = choice("", text)
    """The judge or panel whose scores rank the board, by its key; blank = the judge each run was scored by."""


@dataclass(frozen=True)
class EditionState(PageState):
    """How the results of one edition are looked at."""

    look: Look = step("board", one_of(LOOKS))
    """How the results of the edition are looked at."""
    figure: MapFigure | Literal[""] = choice("", one_of(MAP_FIGURES))
    """What the heat maps show; blank = the first figure of the edition."""
    order: MapOrder = choice("hardest", one_of(MAP_ORDERS))
    """How the rows of the heat maps are sorted."""
    rows: int = choice(1, whole_number)
    """Which page of the rows of long heat maps."""
    system: str = opened("", text, undoes=["item", "pair", "against"], keeps_page=True)
    """Ticket of the opened row."""
    item: str = opened("", text, undoes=["pair"], keeps_page=True)
    """Opened item of that row."""
    pair: str = choice("", text, keeps_page=True)
    """Opened pair of that item, "1-2"; blank = the worst pair of each group."""


@dataclass(frozen=True)
class RobustnessState(EditionState, PromptSetState):
    """What a visitor of the board of 2024 looks at."""

    kind: ClassVar = ROBUSTNESS
    is_named: ClassVar[bool] = False

    tab: str = ROBUSTNESS.key
    table: TableState = first_table(ROBUSTNESS)
    against: str = step("", text)
    """Ticket that the opened row is compared with."""


Edition = TypeVar("Edition", bound=EditionState)
