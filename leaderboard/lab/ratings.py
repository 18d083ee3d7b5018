"""The blind votes of all visitors as a table: who is preferred to whom, with what it rests on."""

from __future__ import annotations

from dataclasses import dataclass

from evaluator.lab.ratings import MIN_SYSTEM_VOTES, MIN_VOTERS, MIN_VOTES, REASONS, LabRatings
from evaluator.results import MetricValue
from evaluator.statistics.deciding_items import DecidingItems
from evaluator.statistics.preference_ratings import SystemRating, chosen_share
from leaderboard.page.first_place import FirstPlace, FirstPlaceWords, first_place_values
from leaderboard.parts.columns import Column, text_of
from leaderboard.parts.notices import NoticeValue, notice
from leaderboard.parts.tables import FirstPlaceValue, TableValue, table_value
from leaderboard.parts.visible_text import visible

HOW_MADE = (
    "Bradley-Terry with a term for the place of an answer; a tie and “both bad” count half for each side.",
    "Strengths are shrunk as by one vote between equals; systems with fewer than "
    f"{MIN_SYSTEM_VOTES} votes are not rated.",
    "Deciding votes: one after the other is left out and all strengths are fitted anew, so that fewer may do.",
    "All intervals hold together with 95%. They leave out one visitor at a time: votes of one visitor are not "
    "independent.",
    "A visitor is a pseudonym that changes when the server restarts. All settings of preferences are taken together.",
)


@dataclass(frozen=True, slots=True)
class RatingLine:
    """One system."""

    id: str
    system: str
    share: MetricValue
    strength: MetricValue
    votes: int
    voters: int
    style: str = ""
    tier: int = 0


RATING_COLUMNS: tuple[Column[RatingLine], ...] = (
    Column("system", "System", "text", lambda line: line.system, "Model and method.", sortable=False, is_name=True),
    Column(
        "share",
        "Preferred",
        "percent",
        lambda line: line.share,
        "Share of choices before the mean of the systems here, were neither place favoured; all intervals hold "
        "together with 95%.",
        better="higher",
        sortable=False,
    ),
    Column("votes", "Votes", "whole", lambda line: line.votes, "Blind votes that count.", sortable=False),
    Column("voters", "Visitors", "whole", lambda line: line.voters, "Who gave them.", sortable=False),
    Column(
        "strength",
        "Strength",
        "signed",
        lambda line: line.strength,
        "The same as log odds; the strengths have the sum 0.",
        better="higher",
        sortable=False,
    ),
)


def rating_line(rating: SystemRating) -> RatingLine:
    """A system as it is shown."""
    return RatingLine(
        id=rating.system,
        system=visible(rating.system),
        share=chosen_share(rating.strength),
        strength=rating.strength,
        votes=rating.strength.n,
        voters=rating.voters,
    )


def ratings_table(ratings: LabRatings | None) -> TableValue:
    """The ratings; an empty table where there are none yet."""
    systems = ratings.ratings.systems if ratings and ratings.ratings else ()
    return table_value(
        [rating_line(system) for system in systems],
        RATING_COLUMNS,
        caption="Preferred by visitors who did not see the names, with intervals that hold together with 95%; higher "
        "is better",
        empty=f"No rating is shown with fewer than {MIN_VOTES} votes, {MIN_VOTERS} visitors or {MIN_SYSTEM_VOTES} "
        "votes on a system.",
        opens=False,
        first_place=_first_place(ratings.deciding) if ratings and ratings.deciding else (),
        leads=("share", "votes", "voters"),
    )


def _first_place(deciding: DecidingItems) -> list[FirstPlaceValue]:
    names = {system: visible(system) for system in (*deciding.leaders, deciding.successor)}
    first = FirstPlace(deciding.leaders[0], deciding)
    words = FirstPlaceWords(("system", "systems"), "votes")
    return first_place_values(first, words, names, link="", item_link=lambda vote: "")


def ratings_notice(ratings: LabRatings | None) -> NoticeValue | None:
    """What the ratings rest on, or what is missing for them; None where nothing can be voted on."""
    if ratings is None:
        return None
    left_out = sum(ratings.left_out.values())
    details = [f"Left out: {_votes(count)} {REASONS[reason]}." for reason, count in ratings.left_out.items()]
    if ratings.unrated:
        apart = f"on systems with fewer than {MIN_SYSTEM_VOTES}, or that no vote connects with those here"
        details.append(f"Not rated yet: {_votes(ratings.unrated)} {apart}.")
    without = f"; {left_out:,} left out" if left_out else ""
    if ratings.ratings is None:
        visitors = "1 visitor" if ratings.voters == 1 else f"{ratings.voters:,} visitors"
        missing = (
            f"No rating yet: {_votes(ratings.votes)} by {visitors}{without}; it takes {MIN_VOTES} by {MIN_VOTERS}."
        )
        said = notice("plain", missing, "Tick Blind, press Run, and vote for the better answer.")
    else:
        place = text_of(chosen_share(ratings.ratings.place_effect), "percent")
        said = notice(
            "plain",
            f"{_votes(ratings.ratings.place_effect.n)} by {ratings.ratings.voters:,} visitors{without}.",
            f"Of two equal answers the one shown first is chosen in {place}; strengths are free of that.",
        )
    return {**said, "folded_title": "How this is made, and which votes count", "folded": [*details, *HOW_MADE]}


def _votes(count: int) -> str:
    return "1 vote" if count == 1 else f"{count:,} votes"
