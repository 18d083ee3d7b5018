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
from evaluator.robustness.figures import level_null_row, not_separable_from
from evaluator.robustness.pairwise import bradley_terry
from evaluator.seeding.null_rows import GATE_ROWS
from evaluator.statistics.rank_bands import RankBand, Ranking
from leaderboard.page.ledger import with_same_answers
from leaderboard.page.measured import ORIGIN, UNGATED
from leaderboard.page.system_keys import NOT_SEPARABLE, unranked_reasons
from submissions.schema import Count, Flag
from submissions.store.queue import Role, Ticket

CHOSEN = "ranked by the run its team chose"
"""Said of a row that does not show its system's latest run as a matter of course."""


@dataclass(frozen=True, slots=True)
class ScoredTicket:
    """A submission with what its evaluation left behind."""

    ticket: Ticket
    result: RobustnessResult


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One run of a system on the board, in one view."""

    id: str
    """Ticket of the run the row shows."""
    role: Role
    team: str
    system: str
    model: str
    rank: RankBand | None
    """Places the system may hold; None for null rows and for rows that are not ranked."""
    figures: Mapping[Figure, FigureSummary]
    coverage: Count
    """Responses answered, of those the prompt set asks for."""
    judged_items: Count
    """Items judged, of those the view has."""
    flags: Mapping[Flag, int]
    judge: Pin
    received_at: datetime
    unranked: str | None
    """Why the row is not ranked; None for ranked rows and null rows."""
    inseparable_from: tuple[str, ...]
    """Null rows the headline score cannot be told from."""
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
    attempts: int | None = None
    account_attempts: int | None = None
    same_file: int | None = None
    same_answers: int | None = None
    run: str = ""

    @property
    def tier(self) -> int:
        """1 = listed after the ranked rows, whichever way the table is sorted."""
        is_placed = self.rank is not None or (self.role == "baseline" and self.unranked is None)
        return 0 if is_placed else 1

    @property
    def style(self) -> str:
        """How the row looks: a null row is grey, an unranked one muted."""
        if self.role == "baseline":
            return "null-row"
        return "unranked-row" if self.rank is None else ""

    @property
    def note(self) -> str:
        """What a reader must know about the row, in words."""
        return with_same_answers(self._standing_note, self.same_answers)

    @property
    def _standing_note(self) -> str:
        if self.role == "baseline":
            return "null row: not a system"
        if self.unranked is not None:
            return f"not ranked: {self.unranked}"
        if self.panel is not None and not all(member.in_mean for member in self.panel.members):
            return "a judge of the system's own family is left out of the panel mean"
        if self.inseparable_from:
            return f"not separable from null row: {', '.join(self.inseparable_from)}"
        if self.is_primary:
            return CHOSEN
        return ORIGIN.get(self.role, "")


def board_rows(scored: Sequence[ScoredTicket], view: View, ranking: Ranking | None = None) -> tuple[BoardRow, ...]:
    """One row per run of one prompt set, in the given view, in no particular order; of a system one run is ranked.

    Ranked rows share places where the interval of their paired difference covers zero (specs: eloquent, section 5).
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
        nulls = {name: found for name, found in nulls.items() if name not in GATE_ROWS}
    own = {entry.ticket.id: _unranked(entry, view, nulls, is_gated=is_gated) for entry in scored}
    unranked = unranked_reasons((entry.ticket for entry in entries), own)
    ranked = [entry.ticket.id for entry in entries if unranked[entry.ticket.id] is None]
    bands = (ranking or Ranking()).bands({id_: units[id_] for id_ in ranked})
    strengths = _strengths(entries)
    return tuple(
        _row(
            entry,
            view,
            strength=strengths.get(entry.ticket.id),
            rank=bands.get(entry.ticket.id),
            unranked=unranked[entry.ticket.id],
            inseparable_from=not_separable_from(units[entry.ticket.id], nulls) if entry.ticket.id in bands else (),
        )
        for entry in scored
    )


def _strengths(entries: Sequence[ScoredTicket]) -> dict[str, float]:
    """Bradley-Terry strengths of the systems that were compared with the reference; each judge's verdicts apart."""
    found: dict[str, float] = {}
    compared = [entry for entry in entries if entry.result.pairwise is not None]
    for judge in {entry.result.judge for entry in compared}:
        own = [entry for entry in compared if entry.result.judge == judge]
        records = {entry.ticket.id: entry.result.pairwise.records for entry in own if entry.result.pairwise}
        found |= bradley_terry(records).strengths
    return found


def _unranked(
    entry: ScoredTicket, view: View, nulls: Mapping[str, Mapping[str, float]], *, is_gated: bool
) -> str | None:
    """Why a row may not be ranked; null rows are compared with none.

    Args:
        entry: The run.
        view: That is shown.
        nulls: Null row -> its units.
        is_gated: Of some run of the board a judge was asked which responses answer.
    """
    shown = entry.result.views[view]
    if not shown.ranked or shown.figures[HEADLINE].mean.value is None:
        return shown.reason or shown.figures[HEADLINE].mean.reason or "no headline score"
    if entry.ticket.role == "baseline":
        return None
    if not is_gated:
        return None
    if entry.result.gate is None:
        return UNGATED
    level = level_null_row(shown.item_values[HEADLINE], nulls)
    return None if level is None else f"{NOT_SEPARABLE}: {level}"


def _row(
    entry: ScoredTicket,
    view: View,
    *,
    rank: RankBand | None,
    unranked: str | None,
    inseparable_from: tuple[str, ...],
    strength: float | None,
) -> BoardRow:
    ticket, result = entry.ticket, entry.result
    shown = result.views[view]
    headline = shown.figures[HEADLINE]
    is_null = ticket.role == "baseline"
    return BoardRow(
        id=ticket.id,
        role=ticket.role,
        team=ticket.names.team or "",
        system=ticket.names.system or "(no system name)",
        model=ticket.names.model or "",
        rank=rank,
        figures=shown.figures,
        coverage=Count(result.coverage.get("expected"), result.coverage.get("answered") or 0),
        judged_items=Count(headline.eligible, headline.mean.n),
        flags=result.flags,
        judge=result.judge,
        received_at=ticket.received_at,
        unranked=unranked if not is_null or headline.mean.value is None else None,
        inseparable_from=inseparable_from,
        comparison=result.pairwise,
        strength=strength,
        panel=result.panel,
        by_language={language: figures[HEADLINE] for language, figures in result.by_language.items()},
        pass_share=result.pass_share,
        is_primary=ticket.is_primary,
        run=ticket.names.run or "",
    )
