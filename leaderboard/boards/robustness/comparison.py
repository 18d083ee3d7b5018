"""Two systems of the Robustness board item by item: is one ahead, on which items, and what would it take to tell?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

from evaluator.results import HEADLINE, MetricValue, View
from evaluator.robustness.figures import compare
from evaluator.statistics.intervals import MIN_UNITS, SEPARATION_TOLERANCE, excludes_zero
from evaluator.statistics.max_difference import regularised
from evaluator.statistics.rank_bands import RankBand, usual_square_of
from leaderboard.boards.robustness.rows import RobustnessRow, ScoredTicket
from leaderboard.boards.robustness.state import RobustnessState
from leaderboard.page.links import address_of
from leaderboard.page.system_keys import NOT_SEPARABLE
from leaderboard.parts.columns import text_of
from leaderboard.parts.notices import NoticeValue
from leaderboard.parts.verdict_words import planned_words, verdict_words
from submissions.store.queue import Ticket

MOST_LISTED = 8
"""Systems that a rank is explained by, the nearest first; the list of systems to compare with holds all."""


@dataclass(frozen=True, slots=True)
class ComparedItem:
    """One item both systems were judged on."""

    id: str
    variation: str
    first: float
    """Headline value of the item, 0-5."""
    second: float

    @property
    def difference(self) -> float:
        """First minus second; rounding is no difference."""
        difference = self.first - self.second
        return 0.0 if abs(difference) <= SEPARATION_TOLERANCE else difference


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Two runs in one view, on the headline figure."""

    first: ScoredTicket
    second: ScoredTicket
    view: View
    variations: Mapping[str, str]
    """Item -> what differs between its variants."""
    attempts: tuple[int, int] = (1, 1)
    """Submissions of either system, from which the run shown may have been chosen."""

    @property
    def names(self) -> tuple[str, str]:
        """What the two are called; their tickets tell two of one name apart."""
        first, second = (system_name(side.ticket) for side in (self.first, self.second))
        if first != second:
            return first, second
        return f"{first} ({self.first.ticket.id[:8]})", f"{second} ({self.second.ticket.id[:8]})"

    @property
    def difference(self) -> MetricValue:
        """First minus second, paired by item, with its interval."""
        first, second = (side.result.views[self.view] for side in (self.first, self.second))
        return compare(first, second, attempts=self.attempts)

    @property
    def items(self) -> tuple[ComparedItem, ...]:
        """The common items, those that speak most for the first on top."""
        first, second = (side.result.views[self.view].item_values[HEADLINE] for side in (self.first, self.second))
        items = (
            ComparedItem(item, self.variations.get(item, ""), first[item], second[item])
            for item in sorted(first.keys() & second.keys())
        )
        return tuple(sorted(items, key=lambda item: -item.difference))


def system_name(ticket: Ticket) -> str:
    """What a run is called on the board."""
    return ticket.names.system or ticket.file_name


# --- in words --------------------------------------------------------------------------------------------------------


def tally_words(items: Sequence[ComparedItem], first: str, second: str, unit: str = "Item") -> str:
    """How often each is ahead, item by item, or by whatever one `unit` is."""
    wins = sum(item.difference > 0 for item in items)
    losses = sum(item.difference < 0 for item in items)
    level = len(items) - wins - losses
    return f"{unit} by {unit.lower()}: {first} is ahead on {wins}, {second} on {losses}; {level} level."


def comparison_notice(comparison: RunComparison, ranks: Mapping[str, RankBand]) -> NoticeValue:
    """The comparison in words.

    Args:
        ranks: Ticket -> places of its system; runs that are not ranked are absent.
    """
    first, second = comparison.names
    items, difference = comparison.items, comparison.difference
    differences = [item.difference for item in items]
    planned = planned_words(differences, attempts=comparison.attempts)
    lines = [tally_words(items, first, second), planned] if items else []
    lines += attempts_lines(comparison.attempts, comparison.names)
    lines += _rank_lines(comparison, ranks)
    if items and difference.unscored:
        lines.append(f"Items that only one of them was judged on are left out: {difference.unscored}.")
    if comparison.first.result.judge != comparison.second.result.judge:
        lines.append("They were judged by different judges: a difference may be the judges' own.")
    if comparison.first.result.prompt_set != comparison.second.result.prompt_set:
        lines.append("They were scored on different versions of the prompt set.")
    return {
        "kind": "plain",
        "title": f"{verdict_words(difference, first, second)}.",
        "lines": lines,
        "link": "",
        "link_text": "",
    }


def attempts_lines(attempts: tuple[int, int], names: tuple[str, str]) -> list[str]:
    """What the number of attempts does to the interval; nothing where each system has one.

    >>> attempts_lines((10, 1), ("Keel", "Tide"))[0]
    'Keel shows one of 10 attempts. The best of several is better by chance more often, so the interval is wider.'
    """
    counted = zip(names, attempts, strict=True)
    shown = [f"{name} shows one of {number} attempts" for name, number in counted if number > 1]
    if not shown:
        return []
    return [f"{', '.join(shown)}. The best of several is better by chance more often, so the interval is wider."]


def _rank_lines(comparison: RunComparison, ranks: Mapping[str, RankBand]) -> list[str]:
    bands = [ranks.get(side.ticket.id) for side in (comparison.first, comparison.second)]
    (first, second), (first_band, second_band) = comparison.names, bands
    if first_band is None or second_band is None:
        return []
    places = f"Ranks on the board: {first} {text_of(first_band, 'rank')}, {second} {text_of(second_band, 'rank')}."
    if first_band.high < second_band.low or second_band.high < first_band.low:
        return [places]
    return [
        f"{places} Their ranks overlap: ranks count only differences that hold for all pairs of the board together."
    ]


# --- why a rank is shared --------------------------------------------------------------------------------------------


class NeighbourValue(TypedDict):
    """A system that cannot be told apart from the opened one."""

    text: str
    link: str


class RankValue(TypedDict):
    """Where a system stands and why it shares its places; every string is shown as text."""

    title: str
    question: str
    """Blank where there is a rank, and it is not shared."""
    explanation: str
    neighbours: list[NeighbourValue]
    more: str


def rank_value(
    opened: ScoredTicket, others: Sequence[ScoredTicket], rank: RankBand, state: RobustnessState
) -> RankValue:
    """Where a ranked system stands among the other ranked ones of its view.

    A rank is made of paired differences: 1 + the systems that rank above, to all but those that rank below. All systems
    are taken to be judged on the same items, as ranked ones nearly always are.
    """
    total = len(others) + 1
    better, worse = rank.low - 1, total - rank.high
    square = usual_square_of(
        {run.ticket.id: run.result.views[state.view].item_values[HEADLINE] for run in (opened, *others)}
    )
    # One critical value holds for all pairs of a board: those told apart lie furthest apart, regularised.
    comparisons = sorted(
        (RunComparison(opened, other, state.view, {}) for other in others),
        key=lambda comparison: _regularised(comparison, square),
    )
    level = [(comparison, comparison.difference) for comparison in comparisons[: len(others) - better - worse]]
    level.sort(key=lambda pair: (abs(pair[1].value or 0.0), pair[0].names, pair[0].second.ticket.id))
    return {
        "title": f"Rank {text_of(rank, 'rank')} of {total}",
        "question": "Why the same rank?" if level else "",
        "explanation": (
            f"{better} {'system ranks' if better == 1 else 'systems rank'} above, {worse} below, {len(level)} tied. "
            + (
                "Ranks count only differences that hold for all pairs of the board together. Not separable from:"
                if level
                else ""
            )
        ).strip(),
        "neighbours": [
            {
                "text": f"{comparison.names[1]}: difference {text_of(difference, 'signed')} on {difference.n} items"
                + ("; alone it would count" if excludes_zero(difference) else ""),
                "link": compare_link(state, opened.ticket.id, comparison.second.ticket.id),
            }
            for comparison, difference in level[:MOST_LISTED]
        ],
        "more": f"and {len(level) - MOST_LISTED} more" if len(level) > MOST_LISTED else "",
    }


def no_rank_value(row: RobustnessRow) -> RankValue | None:
    """Why a system whose answers were judged has no rank; None where it has one, or where its page says why already.

    A view without a headline, or with too few answers, says so in the notice above.
    """
    if row.is_null or not row.unranked.startswith(NOT_SEPARABLE):
        return None
    missed = row.flags.get("no_answer", 0)
    explanation = (
        f"{row.unranked[0].upper()}{row.unranked[1:]}. That row says nothing, and this score is not above what it gets "
        "by more than chance."
    )
    marked = f" {missed} of {row.coverage.answered} responses are no answer to their prompt: their pairs count 0."
    return {
        "title": "Not ranked",
        "question": "Why no rank?",
        "explanation": explanation + (marked if missed else ""),
        "neighbours": [],
        "more": "",
    }


def _regularised(comparison: RunComparison, square: float) -> float:
    items = comparison.items
    if len(items) < MIN_UNITS:
        return 0.0
    return regularised([item.difference / len(items) for item in items], square)


def compare_link(state: RobustnessState, first: str, second: str) -> str:
    """Link to two runs beside each other, in the view of the page."""
    return address_of(RobustnessState(set=state.set, view=state.view, system=first, against=second))


# --- item by item ----------------------------------------------------------------------------------------------------


class ComparedItemValue(TypedDict):
    """One line of the comparison, ready for the page."""

    item: str
    variation: str
    first: str
    second: str
    difference: str
    ahead: str


class ComparedItemsValue(TypedDict):
    """The items both were judged on, ready for the page; every string is shown as text."""

    caption: str
    first: str
    second: str
    rows: list[ComparedItemValue]


def compared_items_value(comparison: RunComparison) -> ComparedItemsValue:
    """The numbers behind the chart, in its order."""
    first, second = comparison.names
    return {
        "caption": f"Score of every common item, sorted by {first} minus {second}; press a score to read its answers",
        "first": first,
        "second": second,
        "rows": [
            {
                "item": item.id,
                "variation": item.variation,
                "first": text_of(item.first, "decimal"),
                "second": text_of(item.second, "decimal"),
                "difference": text_of(item.difference, "signed"),
                "ahead": first if item.difference > 0 else second if item.difference < 0 else "level",
            }
            for item in comparison.items
        ],
    }
