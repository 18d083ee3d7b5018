"""State of the two boards of Personal raters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from leaderboard.boards.personalized_evaluation.items import ANSWERED_WORDS
from leaderboard.boards.personalized_evaluation.kinds import PERSONALIZED_PAIRS, PERSONALIZED_RATINGS
from leaderboard.boards.personalized_evaluation.runs import EvaluatorsKind
from leaderboard.page.state import PageState, TableState, choice, first_table, one_of, opened, step, text


@dataclass(frozen=True, slots=True)
class EvaluatorsState(PageState):
    """Which runs, and what of them."""

    collection: str = step("", text, undoes=["k"])
    """Which data, by its id; blank = what most runs have predicted."""
    k: str = choice("", text)
    """Runs with so many reviews shown, or `all`; blank = what most of its runs have."""
    evaluator: str = opened("", text, undoes=["answered", "reading"])
    """Opened row: a ticket, or a reference."""
    answered: str = choice("", one_of(tuple(ANSWERED_WORDS)))
    """Which of its items are listed; blank = all."""
    reading: str = opened("", text, keeps_page=True)
    """Opened item of that row: its place in the file, from 0."""


@dataclass(frozen=True, slots=True)
class RatingsState(EvaluatorsState):
    """What a visitor of the board of ratings looks at."""

    kind: ClassVar = PERSONALIZED_RATINGS

    tab: str = PERSONALIZED_RATINGS.key
    table: TableState = first_table(PERSONALIZED_RATINGS)


@dataclass(frozen=True, slots=True)
class PairsState(EvaluatorsState):
    """What a visitor of the board of pairs looks at."""

    kind: ClassVar = PERSONALIZED_PAIRS

    tab: str = PERSONALIZED_PAIRS.key
    table: TableState = first_table(PERSONALIZED_PAIRS)


STATES: dict[EvaluatorsKind, type[EvaluatorsState]] = {
    "personalized_ratings": RatingsState,
    "personalized_pairs": PairsState,
}
"""The page of either kind of runs."""
