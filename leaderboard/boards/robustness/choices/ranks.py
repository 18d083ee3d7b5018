"""Sensitivity of ranks to what we chose to count: ranks under one other choice at a time. Pure.

The board rests on choices: which judge, which view, which items. Each choice here changes one of them and keeps the
others, and ranks everybody anew by the rules of the board. See docs/boards.md#how-stable-is-each-rank.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from evaluator.results import HEADLINE, VIEWS, Figure, View
from evaluator.robustness.figures import ENGLISH, GATES, MIN_TEXTS, Gate, Subset, SubsetStanding, standing
from evaluator.statistics.intervals import MIN_UNITS
from evaluator.statistics.rank_bands import RankBand, Ranking
from leaderboard.boards.robustness.cache import WHOLE
from leaderboard.boards.robustness.choices.judges import AS_SCORED, JudgeChoice, Judged, names_of
from submissions.promptsets import ELOQUENT_2024
from submissions.schema import Item, PromptSet

ChoiceKind = Literal["whole", "judge", "gate", "pairs", "view", "language", "variation", "items"]
KIND_LABELS: dict[ChoiceKind, str] = {
    "whole": "As now",
    "judge": "Judge",
    "gate": "Relevance check",
    "pairs": "Pairs of an item",
    "view": "View",
    "language": "One language",
    "variation": "Items of one variation",
    "items": "Items left out",
}
VIEW_LABELS: dict[View, str] = {"english": "English", "all": "All languages"}


@dataclass(frozen=True, slots=True)
class ChoicePreset:
    """Items that are left out together, for a reason somebody published."""

    label: str
    items: frozenset[str]


PRESETS: dict[str, ChoicePreset] = {
    ELOQUENT_2024: ChoicePreset(
        "Without 05 and 11 (files 005 and 012): the authors say their variants differ in meaning",
        frozenset({"005", "012"}),
    )
}
"""By prompt set. The paper leaves out file 009, so that its number 11 is file 012."""


@dataclass(frozen=True, slots=True)
class RankChoice:
    """What a board may be ranked by."""

    kind: ChoiceKind
    label: str
    view: View
    judged_by: str = AS_SCORED
    subset: Subset = WHOLE
    counted: Figure | Gate = HEADLINE

    @property
    def key(self) -> str:
        """Another one for every choice of a table."""
        left_out = ",".join(sorted(self.subset.without))
        parts = (self.view, self.judged_by, self.subset.language, self.subset.variation, left_out)
        return "|".join((*parts, *((self.counted,) if self.counted != HEADLINE else ())))


def choices(
    prompt_set: PromptSet, judges: Sequence[JudgeChoice], *, view: View, judged_by: str = AS_SCORED
) -> tuple[RankChoice, ...]:
    """Every choice that changes one thing, the unchanged one first.

    Args:
        judges: whose scores may rank the set (`Boards.judges`).
        view, judged_by: what is kept where something else changes.
    """
    return (
        RankChoice("whole", "Whole set", view, judged_by),
        *_other_judges(judges, view, judged_by),
        *_other_counts(view, judged_by),
        *(RankChoice("view", VIEW_LABELS[other], other, judged_by) for other in VIEWS if other != view),
        *_parts(prompt_set, view, judged_by),
    )


def _other_judges(judges: Sequence[JudgeChoice], view: View, judged_by: str) -> Iterator[RankChoice]:
    labels = {AS_SCORED: "as scored", **names_of(judges)}
    for key, label in labels.items():
        if key != judged_by:
            yield RankChoice("judge", label, view, key)


def _other_counts(view: View, judged_by: str) -> Iterator[RankChoice]:
    """The gate off and elsewhere, and the worst pair of an item in place of the mean of its pairs."""
    yield RankChoice("gate", "off", view, judged_by, counted="pair_mean")
    # Of a judge that is not every run's own, pairs were not kept.
    for gate, thresholds in GATES.items() if judged_by == AS_SCORED else ():
        label = f"{gate} ({thresholds.none_below:g} to {thresholds.full_from:g})"
        yield RankChoice("gate", label, view, judged_by, counted=gate)
    yield RankChoice("pairs", "the worst", view, judged_by, counted="pair_worst_gated")


def _parts(prompt_set: PromptSet, view: View, judged_by: str) -> Iterator[RankChoice]:
    groups = [(item, language) for item in prompt_set.items for language in _languages(item)]
    seen = [(item, language) for item, language in groups if view == "all" or language == ENGLISH]
    # The English view and its one language are one choice.
    for language in sorted({language for _, language in groups} - ({ENGLISH} if view == "english" else set())):
        yield RankChoice("language", language, view, judged_by, Subset(language=language))
    for variation in sorted({item.variation for item, _ in seen}):
        yield RankChoice("variation", variation, view, judged_by, Subset(variation=variation))
    ids = list(dict.fromkeys(item.id for item, _ in seen))
    for item_id in ids:
        yield RankChoice("items", f"without {item_id}", view, judged_by, Subset(without=frozenset({item_id})))
    preset = PRESETS.get(prompt_set.set_id)
    if preset:
        label = f"without {' and '.join(sorted(preset.items))}"
        yield RankChoice("items", label, view, judged_by, Subset(without=preset.items))


def _languages(item: Item) -> list[str]:
    """Those in which the item has variants to compare."""
    stated = [variant.language for variant in item.variants]
    return [language for language in item.languages() if stated.count(language) >= MIN_TEXTS]


@dataclass(frozen=True, slots=True)
class RankCell:
    """One system under one choice."""

    standing: SubsetStanding
    band: RankBand | None
    """None where it is not ranked; `reason` says why."""
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class RankRange:
    """Where a system may stand, over every choice that can tell systems apart."""

    low: int | None
    """The best rank it may hold under any of them; None where none ranks it."""
    high: int | None
    ranked: int
    """Choices that rank it."""
    of: int
    """Choices that can tell systems apart."""


@dataclass(frozen=True, slots=True)
class ChoiceRanks:
    """The ranks of some systems under every choice."""

    choices: tuple[RankChoice, ...]
    items: tuple[int, ...]
    """Items each choice rests on."""
    cells: Mapping[str, tuple[RankCell, ...]]
    """Ticket -> one cell for every choice."""
    left_out: int = 0
    """Systems of the board that were not compared, since there are so many."""

    def ranked(self, place: int) -> int:
        """Systems that a choice ranks."""
        return sum(cells[place].band is not None for cells in self.cells.values())

    def tells_apart(self, place: int) -> bool:
        """Rests a choice on enough items for an interval? If not, everybody may hold every rank."""
        return self.items[place] >= MIN_UNITS

    def range(self, ticket_id: str) -> RankRange:
        """The range of a system's rank."""
        told = [place for place in range(len(self.choices)) if self.tells_apart(place)]
        bands = [band for place in told if (band := self.cells[ticket_id][place].band)]
        low, high = min((band.low for band in bands), default=None), max((band.high for band in bands), default=None)
        return RankRange(low, high, ranked=len(bands), of=len(told))


def choice_ranks(
    chosen: Sequence[RankChoice],
    judged: Mapping[str, Mapping[str, Judged]],
    rankings: Mapping[str, Ranking],
    *,
    left_out: int = 0,
) -> ChoiceRanks:
    """Ranks everybody under every choice, among each other.

    Args:
        judged: key of a judge -> ticket -> what it made of the run; every judge of a choice with the same tickets.
        rankings: by the keys of choices; what an earlier call left behind, so that only what changed is compared.
    """
    columns = [_column(choice, judged[choice.judged_by], rankings[choice.key]) for choice in chosen]
    tickets = list(next(iter(judged.values()), {}))
    items = tuple(max((cell.standing.eligible for cell in column.values()), default=0) for column in columns)
    cells = {ticket: tuple(column[ticket] for column in columns) for ticket in tickets}
    return ChoiceRanks(tuple(chosen), items, cells, left_out)


def _column(choice: RankChoice, judged: Mapping[str, Judged], ranking: Ranking) -> dict[str, RankCell]:
    standings = {
        ticket: standing(run.groups, choice.view, choice.subset, choice.counted) for ticket, run in judged.items()
    }
    reasons = {ticket: _unranked(judged[ticket], run_standing) for ticket, run_standing in standings.items()}
    bands = ranking.bands({ticket: standings[ticket].item_values for ticket in standings if reasons[ticket] is None})
    return {
        ticket: RankCell(run_standing, bands.get(ticket), reasons[ticket]) for ticket, run_standing in standings.items()
    }


def _unranked(judged: Judged, standing: SubsetStanding) -> str | None:
    return judged.reason or standing.unranked or (None if standing.mean is not None else "no headline score")
