"""Rows of the board of recommenders: the systems of one collection, annotated or estimated, beside baselines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from evaluator.behavior_alignment import COPIED, MIN_RANKED_DIALOGUES
from evaluator.behavior_alignment.comparison import (
    dialogue_means,
    headline_draws,
    is_separated,
    measured_by,
    reference_draws,
)
from evaluator.behavior_alignment.result import BehaviorFigures, BehaviorResult, ReferenceName, ScoredTurns, Side
from evaluator.results import MetricValue
from evaluator.statistics.deciding_items import deciding_items
from evaluator.statistics.intervals import FloatArray
from evaluator.statistics.rank_bands import rank_bands
from leaderboard.page.board_row import BoardRow, ticket_fields
from leaderboard.page.measured import ORIGIN
from submissions.store.queue import Ticket

Basis = Literal["annotated", "estimated"]
"""What a headline rests on: strategies that people or the team annotated, or an estimate from the texts."""
BASES: tuple[Basis, ...] = get_args(Basis)

REFERENCE_NAMES: dict[ReferenceName, str] = {
    "previous": "the human's previous turn",
    "constant": "always the most frequent strategy",
    "human": "the human",
}
REFERENCE_REMARKS: dict[ReferenceName, str] = {
    "previous": "baseline: at every turn what the human said one turn earlier",
    "constant": "baseline: at every turn the strategy the human uses most often, without a word",
    "human": "reference row: the human compared with the human",
}
NULL_REFERENCES: tuple[ReferenceName, ...] = ("previous", "constant")
"""What nobody who reads the dialogue should be level with."""

REFERENCE = "reference/"
"""Begins the id of a reference row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BehaviorRow(BoardRow):
    """One system on one collection, or what stands beside it."""

    basis: Basis
    figures: BehaviorFigures
    n: int
    """Dialogues with scored turns."""
    flags: tuple[str, ...] = ()

    @property
    def is_measured_here(self) -> bool:
        """Were its strategies estimated by this site?"""
        return self.basis == "estimated"

    @property
    def alignment(self) -> MetricValue:
        """The headline of its basis, with its interval."""
        return self.explicit if self.basis == "annotated" else self.corrected

    @property
    def explicit(self) -> MetricValue:
        """BA from annotated strategies."""
        explicit = self.figures.explicit
        reason = "not printed" if self.published else _annotated_words(explicit.annotated_share)
        return self._metric(explicit.ba, explicit.ba_ci, reason)

    @property
    def raw(self) -> MetricValue:
        """Share of turns that an estimator takes for the same strategy, as it says."""
        implicit = self.figures.implicit
        return self._metric(
            implicit.raw if implicit else None, implicit.raw_ci if implicit else None, "no words to estimate from"
        )

    @property
    def corrected(self) -> MetricValue:
        """The same, corrected for how often the estimator errs."""
        implicit = self.figures.implicit
        reason = (
            "no words to estimate from" if implicit is None else "no turn to score, or the estimator's rates unknown"
        )
        return self._metric(
            implicit.corrected if implicit else None, implicit.corrected_ci if implicit else None, reason
        )

    def _metric(self, value: float | None, ends: tuple[float, float] | None, reason: str) -> MetricValue:
        low, high = ends or (None, None)
        return MetricValue(value=value, low=low, high=high, n=self.n, reason=reason if value is None else None)

    @property
    def corrected_remark(self) -> str:
        """`(estimated, 0.17 to 0.28)`: an estimate is never shown without its badge, nor without its range."""
        implicit = self.figures.implicit
        if implicit is None or implicit.corrected is None:
            return ""
        ends = implicit.corrected_range
        return f"(estimated, {ends[0]:.2f} to {ends[1]:.2f})" if ends else "(estimated)"

    @property
    def badge(self) -> str:
        """What the headline rests on, with the accuracy of an estimator; blank where no headline is printed."""
        if self.published:
            return ""
        implicit = self.figures.implicit
        if self.basis == "annotated" or implicit is None:
            return self.basis
        return f"estimated ({text_of_accuracy(implicit.pair_accuracy)})"

    @property
    def mix_distance(self) -> float | None:
        """How far its strategies are from the human's, as a whole; of the basis of the row."""
        part = self.figures.explicit if self.basis == "annotated" else self.figures.implicit
        return part.strategy_mix.distance if part and part.strategy_mix else None

    def mix(self, side: Side) -> Mapping[str, float]:
        """Strategy -> share, of the basis of the row; empty where it is not known."""
        part = self.figures.explicit if self.basis == "annotated" else self.figures.implicit
        if part is None or part.strategy_mix is None:
            return {}
        return part.strategy_mix.human if side == "human" else part.strategy_mix.system

    def turns_before(self, side: Side) -> float | None:
        """Mean number of turns before the first recommendation."""
        return self.figures.turns_before_recommendation[side].mean

    def success(self, side: Side) -> float | None:
        """Share of marked dialogues in which a recommendation was accepted."""
        return self.figures.success[side].rate

    def bleu(self, order: int) -> float | None:
        """BLEU@K."""
        return self.figures.bleu.get(str(order))

    def dist(self, order: int) -> float | None:
        """DIST@K per response."""
        variety = self.figures.dist.get(str(order))
        return variety.per_response if variety else None


def text_of_accuracy(accuracy: float | None) -> str:
    """How good an estimator is, in short.

    >>> text_of_accuracy(0.7686), text_of_accuracy(None)
    ('accuracy 0.77', 'accuracy not measured')
    """
    return "accuracy not measured" if accuracy is None else f"accuracy {accuracy:.2f}"


def _annotated_words(share: float | None) -> str:
    return "no turn to score" if share is None else f"{share:.0%} of the scored turns annotated"


# --- systems ---------------------------------------------------------------------------------------------------------

_NO_TURNS = ScoredTurns(dialogue=(), turn=(), human_label=(), system_label=(), equal=(), s=(), same=())


@dataclass(frozen=True, slots=True, eq=False)
class ScoredRecommender:
    """A submission with what its evaluation left behind, without its turns."""

    ticket: Ticket
    result: BehaviorResult
    """Turns and draws of rates are left out: the fields below say what the board needs of them."""
    draws: FloatArray | None
    """The headline in each draw."""
    dialogues: Mapping[str, float]
    """Dialogue -> its part of the headline, by which systems are ranked; none where the headline has no draws."""
    null_draws: Mapping[ReferenceName, FloatArray]
    """The headline of baselines in each draw."""
    human_labels: int
    """Changes with the labels its file gives the human's turns."""

    @property
    def basis(self) -> Basis:
        """What its headline rests on."""
        return "annotated" if self.result.is_annotated else "estimated"

    @property
    def name(self) -> str:
        """What the system is called on the board."""
        return self.ticket.names.system or self.ticket.file_name


def scored_recommender(ticket: Ticket, result: BehaviorResult) -> ScoredRecommender:
    """What the board keeps of a result."""
    null_draws = {name: reference_draws(result, name) for name in NULL_REFERENCES}
    draws = headline_draws(result)
    return ScoredRecommender(
        ticket,
        result.model_copy(update={"per_turn": _NO_TURNS, "rate_draws": ()}),
        draws,
        {} if draws is None else dialogue_means(result),
        {name: draws for name, draws in null_draws.items() if draws is not None},
        hash(result.per_turn.human_label),
    )


# --- the rows of one collection and basis ----------------------------------------------------------------------------


def behavior_rows(scored: Sequence[ScoredRecommender], basis: Basis) -> tuple[BehaviorRow, ...]:
    """Every row of one collection and basis, in no particular order.

    Args:
        scored: The latest submission of every system to that collection, whatever its basis.
    """
    shown = sorted((run for run in scored if run.basis == basis), key=lambda run: run.ticket.received_at)
    if not shown:
        return ()
    usual, labels = usual_measure(shown), Counter(run.human_labels for run in shown).most_common(1)[0][0]
    rows = [_row(run, usual, other_labels=basis == "annotated" and run.human_labels != labels) for run in shown]
    ranked = {row.id for row in rows if not row.unranked}
    dialogues = {run.ticket.id: run.dialogues for run in shown if run.ticket.id in ranked}
    bands, deciding = rank_bands(dialogues), deciding_items(dialogues)
    leader = deciding.leaders[0] if deciding else ""
    rows = [replace(row, rank=bands.get(row.id), deciding=deciding if row.id == leader else None) for row in rows]
    usual_ones = [run for run in shown if measured_by(run.result) == usual]
    # Baselines are counted against the human's labels: of annotated rows, those that most files state.
    speaker = max(usual_ones, key=lambda run: (run.human_labels == labels, run.ticket.received_at))
    return (*rows, *_reference_rows(speaker.result, basis))


def usual_measure(scored: Sequence[ScoredRecommender]) -> str:
    """What made most headlines, the newest of those that tie: only they are ranked."""
    counts = Counter(measured_by(run.result) for run in reversed(scored))
    return counts.most_common(1)[0][0]


def _row(recommender: ScoredRecommender, usual: str, *, other_labels: bool) -> BehaviorRow:
    result = recommender.result
    return BehaviorRow(
        **ticket_fields(recommender.ticket),
        id=recommender.ticket.id,
        name=recommender.name,
        basis=recommender.basis,
        figures=result,
        n=result.scored_dialogues,
        statistics_version=result.statistics_version,
        flags=result.flags,
        unranked=recommender.ticket.out_of_season or unranked_reason(result, usual),
        remark=_remark(recommender, other_labels),
    )


def unranked_reason(result: BehaviorResult, usual: str) -> str:
    """Why a system is not ranked; blank where it is."""
    if COPIED in result.flags:
        return f"copies the human's words in {result.copied_share or 0:.0%} of the longer answers"
    if result.scored_dialogues < MIN_RANKED_DIALOGUES:
        return f"too few: {result.scored_dialogues} scored dialogues of at least {MIN_RANKED_DIALOGUES}"
    if not result.rankable:
        return "no figure to rank by"
    if measured_by(result) != usual:
        return "estimated by another estimator than the other rows"
    return ""


def _remark(recommender: ScoredRecommender, other_labels: bool) -> str:
    remarks = [ORIGIN[recommender.ticket.role]] if recommender.ticket.role in ORIGIN else []
    share = recommender.result.explicit.annotated_share
    if share and recommender.basis == "estimated":
        remarks.append(f"{share:.0%} of the scored turns annotated, so that nothing explicit is known")
    if other_labels:
        remarks.append("its file labels the human's turns differently from most rows")
    level = [
        REFERENCE_NAMES[name] for name, draws in recommender.null_draws.items() if not _is_apart(recommender, draws)
    ]
    if level:
        remarks.append(f"not separable from baseline: {', '.join(level)}")
    return "; ".join(remarks)


def _is_apart(recommender: ScoredRecommender, draws: FloatArray) -> bool:
    return recommender.draws is not None and is_separated(recommender.draws, draws, recommender.result.scored_dialogues)


def _reference_rows(result: BehaviorResult, basis: Basis) -> list[BehaviorRow]:
    """What stands beside the systems, from the newest of them."""
    rows = (
        BehaviorRow(
            id=f"{REFERENCE}{name}",
            name=REFERENCE_NAMES[name],
            basis=basis,
            figures=figures,
            n=result.scored_dialogues,
            is_null=True,
            remark=REFERENCE_REMARKS[name],
        )
        for name, figures in result.references.items()
    )
    return [row for row in rows if row.alignment.value is not None]
