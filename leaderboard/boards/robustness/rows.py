"""Rows of the Robustness board: every run of a system, one of them ranked, and that honestly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from evaluator.results import (
    HEADLINE,
    Figure,
    FigureSummary,
    MetricValue,
    PairwiseResult,
    PanelResult,
    Pin,
    RobustnessResult,
    View,
)
from evaluator.robustness.figures import not_separable_from
from evaluator.robustness.pairwise import bradley_terry
from evaluator.seeding.null_rows import GATE_ROWS
from evaluator.statistics.deciding_items import DecidingItems, deciding_items
from evaluator.statistics.rank_bands import RankBand, Ranking
from leaderboard.page.answer_card import is_earlier_head
from leaderboard.page.board_row import BoardRow, run_fields
from leaderboard.page.ledger import choice_words, with_same_answers
from leaderboard.page.measured import EARLIER_HEAD, ORIGIN, UNGATED
from leaderboard.page.system_keys import level_words, unranked_reasons
from submissions.schema import Count, Flag
from submissions.store.queue import Ticket

"""Said of a row that does not show its system's latest run as a matter of course."""


@dataclass(frozen=True, slots=True)
class ScoredTicket:
    """A submission with what its evaluation left behind."""

    ticket: Ticket
    result: RobustnessResult


@dataclass(frozen=True, slots=True, kw_only=True)
class RobustnessRow(BoardRow):
    """One run of a system on the board, in one view; its id is that of its submission."""

    figures: Mapping[Figure, FigureSummary]
    coverage: Count
    """Responses answered, of those the prompt set asks for."""
    judged_items: Count
    """Items judged, of those the view has."""
    flags: Mapping[Flag, int]
    judge: Pin
    received_at: datetime
    inseparable_from: tuple[str, ...]
    """Baselines the headline score cannot be told from."""
    comparison: PairwiseResult | None = None
    """With the reference system; None where the judge states no preferences."""
    strength: float | None = None
    """Bradley-Terry log odds against the reference."""
    panel: PanelResult | None = None
    """The configured judges together; None with one judge."""
    by_language: Mapping[str, MetricValue] = field(default_factory=dict)
    """Language code -> headline over its groups, in every view."""
    pass_share: MetricValue | None = None
    """Share of responses that are on topic."""
    is_primary: bool = False
    """The team chose this run; else it is the system's latest."""

    @property
    def note(self) -> str:
        """What a reader must know about the row, in words."""
        return with_same_answers(self._standing_note, self.same_answers)

    @property
    def _standing_note(self) -> str:
        if self.is_null:
            return "baseline: not a system"
        if self.unranked:
            return f"not ranked: {self.unranked}"
        if self.panel is not None and not all(member.in_mean for member in self.panel.members):
            return "a judge of the system's own family is left out of the panel mean"
        if self.inseparable_from:
            return f"not separable from baseline: {', '.join(self.inseparable_from)}"
        chosen = choice_words(is_primary=self.is_primary, attempts=self.attempts) if self.role == "entry" else ""
        return chosen or ORIGIN.get(self.role, "")


def board_rows(scored: Sequence[ScoredTicket], view: View, ranking: Ranking | None = None) -> tuple[RobustnessRow, ...]:
    """One row per run of one prompt set, in the given view, in no particular order; of a system one run is ranked.

    Ranked rows that their common items cannot tell apart share places (docs/metrics.md#rank_band).
    `ranking` is what an earlier call for the same set and view left behind: only what changed is compared again.
    """
    units = {entry.ticket.id: entry.result.views[view].item_values[HEADLINE] for entry in scored}
    entries = [entry for entry in scored if entry.ticket.role != "baseline"]
    nulls = {
        entry.ticket.names.system or entry.ticket.id: units[entry.ticket.id]
        for entry in scored
        if entry.ticket.role == "baseline"
    }
    is_gated = any(entry.result.gate is not None for entry in scored)
    if not is_gated:
        nulls = {name: null_values for name, null_values in nulls.items() if name not in GATE_ROWS}
    own = {entry.ticket.id: _unranked(entry, view, nulls, is_gated=is_gated) for entry in scored}
    unranked = unranked_reasons((entry.ticket for entry in entries), own)
    ranked = [entry.ticket.id for entry in entries if not unranked[entry.ticket.id]]
    ranked_units = {id_: units[id_] for id_ in ranked}
    bands = (ranking or Ranking()).bands(ranked_units)
    deciding = deciding_items(ranked_units)
    strengths = _strengths(entries)
    return tuple(
        _row(
            entry,
            view,
            strength=strengths.get(entry.ticket.id),
            rank=bands.get(entry.ticket.id),
            unranked=unranked[entry.ticket.id],
            inseparable_from=not_separable_from(units[entry.ticket.id], nulls) if entry.ticket.id in bands else (),
            deciding=deciding if deciding and deciding.leaders[0] == entry.ticket.id else None,
        )
        for entry in scored
    )


def _strengths(entries: Sequence[ScoredTicket]) -> dict[str, float]:
    """Bradley-Terry strengths of the systems that were compared with the reference; each judge's verdicts apart."""
    strengths: dict[str, float] = {}
    compared = [entry for entry in entries if entry.result.pairwise is not None]
    for judge in {entry.result.judge for entry in compared}:
        own = [entry for entry in compared if entry.result.judge == judge]
        records = {entry.ticket.id: entry.result.pairwise.records for entry in own if entry.result.pairwise}
        strengths |= bradley_terry(records).strengths
    return strengths


def _unranked(entry: ScoredTicket, view: View, nulls: Mapping[str, Mapping[str, float]], *, is_gated: bool) -> str:
    """Why a row may not be ranked, blank where it may; baselines are compared with none.

    Args:
        entry: The run.
        view: That is shown.
        nulls: Baseline -> its units.
        is_gated: Of some run of the board a judge was asked which responses answer.
    """
    shown = entry.result.views[view]
    if not shown.ranked or shown.figures[HEADLINE].mean.value is None:
        return shown.reason or shown.figures[HEADLINE].mean.reason or "no headline score"
    if entry.ticket.role == "baseline" or not is_gated:
        return ""
    if entry.result.gate is None:
        return UNGATED
    return EARLIER_HEAD if is_earlier_head(entry.result.gate) else level_words(shown.item_values[HEADLINE], nulls)


def _row(
    entry: ScoredTicket,
    view: View,
    *,
    rank: RankBand | None,
    unranked: str,
    inseparable_from: tuple[str, ...],
    strength: float | None,
    deciding: DecidingItems | None,
) -> RobustnessRow:
    ticket, result = entry.ticket, entry.result
    shown = result.views[view]
    headline = shown.figures[HEADLINE]
    return RobustnessRow(
        **run_fields(ticket),
        rank=rank,
        deciding=deciding,
        figures=shown.figures,
        coverage=Count(result.coverage.get("expected"), result.coverage.get("answered") or 0),
        judged_items=Count(headline.eligible, headline.mean.n),
        flags=result.flags,
        judge=result.judge,
        statistics_version=result.statistics_version,
        unranked=unranked if ticket.role != "baseline" or headline.mean.value is None else "",
        inseparable_from=inseparable_from,
        comparison=result.pairwise,
        strength=strength,
        panel=result.panel,
        by_language={language: figures[HEADLINE] for language, figures in result.by_language.items()},
        pass_share=result.pass_share,
        is_primary=ticket.is_primary,
    )
