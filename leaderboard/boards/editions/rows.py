"""Rows of the 2025 and 2026 boards: every run of a system, one of them ranked, and that honestly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from evaluator.cultural.evaluate import NO_PROMPTS
from evaluator.results import MetricValue, Pin
from evaluator.robustness.edition_results import (
    CONSISTENCY_HEADLINE,
    CULTURAL_HEADLINE,
    HEADLINE_SINCE,
    ConsistencyResult,
    CulturalResult,
)
from evaluator.robustness.figures import not_separable_from
from evaluator.seeding.null_rows import GATE_ROWS
from evaluator.statistics.deciding_items import deciding_items
from evaluator.statistics.intervals import MIN_UNITS
from evaluator.statistics.rank_bands import rank_bands
from leaderboard.page.answer_card import is_earlier_head
from leaderboard.page.board_row import UNRANKED_ROW, BoardRow, run_fields
from leaderboard.page.ledger import choice_words, with_same_answers
from leaderboard.page.measured import EARLIER_HEAD, ORIGIN, UNGATED
from leaderboard.page.system_keys import SystemKey, level_words, standing_runs, system_key, unranked_reasons
from leaderboard.parts.tables import NULL_ROW
from submissions.promptsets import SETS_OF_2025, SETS_OF_2026
from submissions.schema import Count, Flag
from submissions.store.queue import Ticket

EditionBoard = Literal["consistency", "cultural"]
EDITION_BOARDS: tuple[EditionBoard, ...] = ("consistency", "cultural")
SETS_OF_BOARD: dict[EditionBoard, tuple[str, ...]] = {"consistency": SETS_OF_2025, "cultural": SETS_OF_2026}
"""The official set, and our own; each is ranked by itself."""

OTHER_MODEL = "made with another embedding model than the newest run"
OTHER_JUDGE = "judged by another judge or embedding model than the newest run"

OTHER_HEADLINE = "scored before the response to culture was measured: to be judged again"
OTHER_QUESTIONS = "held against other registered questions than the newest run: to be judged again"

NOT_COMPARABLE = (OTHER_JUDGE, OTHER_MODEL, OTHER_QUESTIONS, OTHER_HEADLINE, UNGATED, EARLIER_HEAD)


@dataclass(frozen=True, slots=True)
class ScoredEdition:
    """A submission of 2025 or 2026 with what its evaluation left behind."""

    ticket: Ticket
    result: ConsistencyResult | CulturalResult
    language_values: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Question -> language -> the headline of the pairs that it is one of (2025)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionRow(BoardRow):
    """One run of a system on one of the boards; its id is that of its submission, of 2025 of its newest file.

    Baselines that have figures are not ranked, without a reason why not.
    """

    figures: Mapping[str, MetricValue]
    """Of the result, by its own key."""
    languages: tuple[str, ...]
    coverage: Count
    judged: Count
    """Questions with a headline value, of all of them."""
    flags: Mapping[Flag, int]
    pass_share: MetricValue
    control_pass_share: MetricValue
    judge: Pin
    """The judge of 2025, the embedding model of 2026."""
    received_at: datetime
    inseparable_from: tuple[str, ...] = ()
    is_primary: bool = False
    """The team chose this run; else it is the system's latest."""
    by_language: Mapping[str, MetricValue] = field(default_factory=dict)
    """Language code -> headline (2025) or share of answers on topic (2026)."""
    language_values: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """As `ScoredEdition.language_values`."""

    @property
    def style(self) -> str:
        """How the row looks: a baseline is grey, one without a rank muted."""
        if self.is_null:
            return NULL_ROW
        return UNRANKED_ROW if self.rank is None else ""

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
        if self.inseparable_from:
            return f"not separable from baseline: {', '.join(self.inseparable_from)}"
        chosen = choice_words(is_primary=self.is_primary, attempts=self.attempts) if self.role == "entry" else ""
        return chosen or ORIGIN.get(self.role, "")


def latest_runs(scored: Sequence[ScoredEdition]) -> list[ScoredEdition]:
    """Of every run the submission its row shows: its primary, else its newest; of a run in several files the newest."""
    standing = {ticket.id for ticket in standing_runs(run.ticket for run in scored)}
    return [run for run in scored if run.ticket.id in standing]


def with_attempts(rows: Iterable[EditionRow], tickets: Sequence[Ticket]) -> tuple[EditionRow, ...]:
    """Rows of 2025 with how often was tried: a run has a file for each language, further files are further attempts.

    Args:
        tickets: Every submission to the board.
    """
    files: dict[SystemKey, Counter[str | None]] = {}
    for ticket in tickets:
        files.setdefault(system_key(ticket), Counter())[ticket.names.run] += 1
    system_of = {ticket.id: system_key(ticket) for ticket in tickets}
    return tuple(replace(row, attempts=_runs_tried(files[system_of[row.id]].values(), row)) for row in rows)


def _runs_tried(files: Iterable[int], row: EditionRow) -> int:
    return sum(max(1, of_run - len(row.languages) + 1) for of_run in files)


def edition_rows(scored: Sequence[ScoredEdition]) -> tuple[EditionRow, ...]:
    """One row per run of one board, in no particular order; of a system one run is ranked."""
    consistency = [(run.ticket, run.result) for run in scored if isinstance(run.result, ConsistencyResult)]
    cultural = [(run.ticket, run.result) for run in scored if isinstance(run.result, CulturalResult)]
    rows = (*_consistency_rows(consistency), *_cultural_rows(cultural))
    language_values = {run.ticket.id: run.language_values for run in scored}
    return tuple(replace(row, language_values=language_values[row.id]) for row in rows)


def _consistency_rows(
    scored: Sequence[tuple[Ticket, ConsistencyResult]],
) -> tuple[EditionRow, ...]:
    if not scored:
        return ()
    newest = max(scored, key=lambda run: (run[0].received_at, run[0].id))[1]
    values = {ticket.id: result.question_values[CONSISTENCY_HEADLINE] for ticket, result in scored}
    is_gated = any(result.gate is not None for _, result in scored)
    nulls = {
        ticket.names.system or ticket.id: values[ticket.id]
        for ticket, result in scored
        if ticket.role == "baseline" and not _other_judge(result, newest)
        if is_gated or ticket.names.system not in GATE_ROWS
    }
    own = {
        ticket.id: result.reason
        or _other_judge(result, newest)
        or (
            _gate_reason(result, values[ticket.id], {} if ticket.role == "baseline" else nulls, is_gated=is_gated)
            if is_gated
            else ""
        )
        for ticket, result in scored
    }
    reasons = unranked_reasons((ticket for ticket, _ in scored if ticket.role != "baseline"), own)
    ranked = {ticket.id for ticket, _ in scored if not reasons[ticket.id] and ticket.role != "baseline"}
    ranked_values = {id_: own_values for id_, own_values in values.items() if id_ in ranked}
    bands = rank_bands(ranked_values)
    deciding = deciding_items(ranked_values)
    rows = []
    for ticket, result in scored:
        headline = result.figures[CONSISTENCY_HEADLINE]
        # A baseline on other questions says nothing of this run.
        known = {
            name: null_values
            for name, null_values in nulls.items()
            if len(null_values.keys() & values[ticket.id].keys()) >= MIN_UNITS
        }
        rows.append(
            EditionRow(
                **run_fields(ticket),
                is_primary=ticket.is_primary,
                figures={str(figure): value for figure, value in result.figures.items()},
                languages=tuple(file.language for file in result.files),
                coverage=Count(None, result.coverage["answered"] or 0),
                judged=Count(result.questions_total, headline.n),
                flags=result.flags,
                pass_share=result.pass_share,
                control_pass_share=result.control_pass_share,
                judge=result.judge,
                statistics_version=result.statistics_version,
                unranked=_unranked(ticket, reasons[ticket.id], headline),
                rank=bands.get(ticket.id),
                deciding=deciding if deciding and deciding.leaders[0] == ticket.id else None,
                inseparable_from=not_separable_from(values[ticket.id], known) if ticket.id in bands else (),
                by_language={
                    language: figures[CONSISTENCY_HEADLINE] for language, figures in result.by_language.items()
                },
            )
        )
    return tuple(rows)


def _gate_reason(
    result: ConsistencyResult | CulturalResult,
    values: Mapping[str, float],
    nulls: Mapping[str, Mapping[str, float]],
    *,
    is_gated: bool,
) -> str:
    """Why a run is not ranked: it is not above the best baseline, or was scored before it could be compared with it.

    Args:
        result: Of the run.
        values: Its headline, by question.
        nulls: Baseline -> the same.
        is_gated: Of some run of the board a judge was asked which responses answer.
    """
    if isinstance(result, CulturalResult) and (
        CULTURAL_HEADLINE not in result.figures or result.statistics_version < HEADLINE_SINCE
    ):
        return OTHER_HEADLINE
    if is_gated and result.gate is None:
        return UNGATED
    if result.gate is not None and is_earlier_head(result.gate):
        return EARLIER_HEAD
    return level_words(values, nulls)


def _other_judge(result: ConsistencyResult, newest: ConsistencyResult) -> str:
    """Why a run cannot stand beside the newest one; blank where it can."""
    if (result.judge, result.embedding) != (newest.judge, newest.embedding):
        return OTHER_JUDGE
    return "" if result.prompt_set.sha256 == newest.prompt_set.sha256 else OTHER_QUESTIONS


def _cultural_rows(
    scored: Sequence[tuple[Ticket, CulturalResult]],
) -> tuple[EditionRow, ...]:
    if not scored:
        return ()
    model = max(scored, key=lambda run: (run[0].received_at, run[0].id))[1].embedding
    values = {ticket.id: result.question_values.get(CULTURAL_HEADLINE, {}) for ticket, result in scored}
    is_gated = any(result.gate is not None for _, result in scored)
    nulls = {
        ticket.names.system or ticket.id: values[ticket.id]
        for ticket, result in scored
        if ticket.role == "baseline" and result.embedding == model and result.statistics_version >= HEADLINE_SINCE
    }
    own = {
        ticket.id: result.reason
        # Results from before this was asked for say that they are ranked.
        or ("" if result.prompt_set.sha256 else NO_PROMPTS)
        or ("" if result.embedding == model else OTHER_MODEL)
        or _gate_reason(result, values[ticket.id], {} if ticket.role == "baseline" else nulls, is_gated=is_gated)
        for ticket, result in scored
    }
    reasons = unranked_reasons((ticket for ticket, _ in scored if ticket.role != "baseline"), own)
    ranked_values = {
        ticket.id: values[ticket.id] for ticket, _ in scored if not reasons[ticket.id] and ticket.role != "baseline"
    }
    bands, deciding = rank_bands(ranked_values), deciding_items(ranked_values)
    return tuple(
        EditionRow(
            **run_fields(ticket),
            is_primary=ticket.is_primary,
            figures={str(figure): value for figure, value in result.figures.items()},
            languages=tuple(result.languages),
            coverage=Count(result.coverage["expected"], result.coverage["answered"] or 0),
            judged=Count(len(result.questions), len(values[ticket.id])),
            flags=result.flags,
            pass_share=result.pass_share,
            control_pass_share=result.control_pass_share,
            judge=result.embedding,
            statistics_version=result.statistics_version,
            unranked=_unranked(ticket, reasons[ticket.id], result.figures["cd_gated"]),
            rank=bands.get(ticket.id),
            deciding=deciding if deciding and deciding.leaders[0] == ticket.id else None,
            by_language={language: share.pass_share for language, share in result.languages.items()},
        )
        for ticket, result in scored
    )


def _unranked(ticket: Ticket, reason: str, figure: MetricValue) -> str:
    """A baseline that has figures, made as those of the newest run, stands among the ranked ones, without a rank."""
    is_comparable = figure.value is not None and reason not in NOT_COMPARABLE
    return "" if ticket.role == "baseline" and is_comparable else reason
