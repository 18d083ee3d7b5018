"""The sentence on who leads a board, on a board of boats."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from evaluator.results import MetricValue
from evaluator.statistics.rank_bands import RankBand
from leaderboard.page.leaders import how_sure, leader_sentence
from leaderboard.parts.board_kind import BoardKind
from leaderboard.parts.columns import Column
from leaderboard.parts.tables import NULL_ROW, PUBLISHED_ROW


@dataclass(frozen=True, slots=True)
class Boat:
    id: str
    place: RankBand | None = None
    speed: float | None = 1.0
    style: str = ""
    tier: int = 0


COLUMNS: tuple[Column[Boat], ...] = (
    Column("boat", "Boat", "text", lambda row: row.id, "Its name.", is_name=True),
    Column("speed", "Speed", "decimal", lambda row: row.speed, "Knots.", "higher"),
)
RANKED: BoardKind[Boat] = BoardKind(
    "toy",
    "Boats",
    (*COLUMNS, Column("place", "Place", "rank", lambda row: row.place, "By speed.")),
    "speed",
    nouns=("boat", "boats"),
    best="Fastest",
)
UNRANKED = replace(RANKED, columns=COLUMNS)
DRIFT = Boat("Drift", style=NULL_ROW)


@pytest.mark.parametrize(
    ("places", "said"),
    [
        ([(1, 1)], "A is the only ranked boat so far."),
        ([(1, 1), (2, 2)], "A is the clear leader among two boats."),
        ([(1, 2), (1, 2), (3, 3)], "A and B may be first, of three boats."),
        ([(1, 3), (1, 3), (1, 3)], "A, B and C may be first, of three boats."),
        ([(1, 5)] * 5, "A, B, C and two more may be first, of five boats."),
        ([(1, 3), (2, 3), (2, 3), (4, 4)], "A is first, but not separable from two of the three others."),
        ([(2, 3), (2, 3)], ""),  # the first place is nobody's
        ([], "The only boat is not ranked; its note says why."),
    ],
)
def test_who_may_be_first_is_named_and_how_many_there_are(places: list[tuple[int, int]], said: str) -> None:
    boats = [Boat(name, RankBand(low, high)) for name, (low, high) in zip("ABCDE", places, strict=False)]
    assert leader_sentence([*boats, Boat("Reef"), DRIFT], RANKED) == said


def test_a_board_on_which_nobody_is_ranked_says_so() -> None:
    assert leader_sentence([Boat("Reef"), Boat("Keel"), DRIFT], RANKED) == (
        "None of the two boats is ranked; their notes say why."
    )
    assert leader_sentence([DRIFT], RANKED) == ""


def test_those_who_may_be_first_are_named_by_their_figures_in_whatever_order_the_rows_come() -> None:
    boats = [Boat("Slow", RankBand(1, 2), 3.0), Boat("Last", RankBand(3, 3), 1.0), Boat("Fast", RankBand(1, 2), 5.0)]
    assert leader_sentence(boats, RANKED) == "Fast and Slow may be first, of three boats."


def test_names_keep_their_marks_which_are_said_once_where_they_are_the_same() -> None:
    def marked(*ours: str) -> BoardKind[Boat]:
        name = replace(COLUMNS[0], remark=lambda row: "(written by us)" if row.id in ours else "")
        return replace(RANKED, columns=(name, *RANKED.columns[1:]))

    boats = [Boat("Keel", RankBand(1, 2)), Boat("Tide", RankBand(1, 2))]
    assert leader_sentence(boats, marked("Keel", "Tide")) == "Keel and Tide (written by us) may be first, of two boats."
    assert leader_sentence(boats, marked("Keel")) == "Keel (written by us) and Tide may be first, of two boats."
    assert leader_sentence(boats[:1], marked("Keel")) == "Keel (written by us) is the only ranked boat so far."


def test_a_figure_without_an_interval_makes_nobody_a_clear_leader() -> None:
    boats = [Boat("A", RankBand(1, 1)), Boat("B", RankBand(2, 2))]
    assert said_of(boats, MetricValue(value=1.0, n=1)) == (
        "A is first of two boats; no interval says how sure that is.",
        "First of two boats, without an interval.",
    )
    assert said_of(boats, MetricValue(value=1.0, low=0.5, high=1.5, n=9)) == (
        "A is the clear leader among two boats.",
        "Clear leader among two boats.",
    )


def said_of(boats: list[Boat], figure: MetricValue) -> tuple[str, str]:
    """What the board and the Overview say where this is everybody's headline."""

    def headline(row: Boat) -> MetricValue:
        return figure

    speed: Column[Boat] = Column("speed", "Speed", "interval", headline, "Knots.", "higher")
    kind = replace(RANKED, columns=(RANKED.columns[0], speed, RANKED.columns[2]))
    return leader_sentence(boats, kind), how_sure(boats, boats[:1], kind)


def test_where_nobody_entered_the_best_published_row_is_named() -> None:
    published = [Boat("Old", speed=9.0, style=PUBLISHED_ROW), Boat("Older", speed=0.0, style=PUBLISHED_ROW)]
    apart = Boat("Other sea", speed=99.0, style=PUBLISHED_ROW, tier=1)
    assert leader_sentence([*published, apart, DRIFT], RANKED) == "Old: fastest of two boats."
    assert leader_sentence([apart, *reversed(published)], RANKED) == "Old: fastest of two boats."  # in any order
    assert leader_sentence([*published, Boat("New", RankBand(1, 1))], RANKED) == "New is the only ranked boat so far."


def test_a_board_without_ranks_says_nothing_of_those_who_came() -> None:
    assert leader_sentence([Boat("A"), Boat("B")], UNRANKED) == ""
