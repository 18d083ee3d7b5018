"""A scored file of predicted ratings or choices, as the board keeps it: its figures, without its items."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from evaluator.personalized_evaluation.reports import PairsReport, RatingsReport
from evaluator.personalized_evaluation.result import ChosenItems, PersonalizedEvaluationResult, RatedItems
from evaluator.personalized_evaluation.reviewer_contributions import headline_contributions
from evaluator.personalized_evaluation.reviewer_correlations import interval_of
from evaluator.reproduce.personalized_evaluation import headline_of
from evaluator.results import MetricValue, Pin
from leaderboard.boards.personalized_evaluation.headline_draws import Draws, draws_of
from submissions.formats.personalized_evaluation.submission import Choice, Scale
from submissions.store.queue import Ticket

EvaluatorsKind = Literal["personalized_ratings", "personalized_pairs"]
"""What is predicted; also the key of its board."""

WinRate = tuple[float, float, int]
"""Predicted and the reader's share of aspects won by A, and how many comparisons have both."""


@dataclass(frozen=True, slots=True, eq=False)
class ScoredEvaluator:
    """One run with what the board needs of its items."""

    ticket: Ticket
    result: PersonalizedEvaluationResult
    """Its items are left out."""
    draws: Draws
    contributions: Mapping[str, float]
    """Reviewer -> what its items add to the headline, by which runs are ranked."""
    headline: MetricValue
    """The penalized headline with its interval; n = the items it counts."""
    n_reviewers: int
    win_rates: tuple[WinRate, ...] = ()
    """Of choices: complete comparisons, by both rates."""
    constant_error: float | None = None
    """Of ratings: mean absolute error of always saying the middle of the scale."""

    @property
    def report(self) -> RatingsReport | PairsReport:
        return self.result.report

    @property
    def kind(self) -> EvaluatorsKind:
        return self.report["kind"]

    @property
    def collection(self) -> str:
        return self.report["collection"]

    @property
    def k(self) -> int:
        return self.report["k"]

    @property
    def name(self) -> str:
        """What the run is called on the board."""
        return self.ticket.names.system or self.ticket.file_name

    @property
    def evaluator(self) -> EvaluatorKey:
        """Whose run it is, whatever k it was run with."""
        names = self.ticket.names
        return (self.ticket.owner, names.team, names.system, names.model, self.result.judge)


EvaluatorKey = tuple[str, str | None, str | None, str | None, Pin | None]
"""Account, team, system, model, and the local judge that answered: one evaluator."""

_UNDEFINED: dict[EvaluatorsKind, str] = {
    "personalized_ratings": "all predictions or all scores are the same",
    "personalized_pairs": "an aspect has no item",
}


def scored_evaluator(ticket: Ticket, result: PersonalizedEvaluationResult) -> ScoredEvaluator:
    """What the board keeps of a result."""
    report = result.report.copy()
    draws = draws_of(report.pop("headline_draws", []))
    reviewers: Iterable[str] = (result.ratings or result.pairs or _NOTHING).reviewer
    n_reviewers = len(set(reviewers))
    return ScoredEvaluator(
        ticket=ticket,
        result=result.model_copy(update={"report": report, "ratings": None, "pairs": None}),
        draws=draws,
        contributions=headline_contributions(result),
        headline=_headline(result, draws, n_reviewers),
        n_reviewers=n_reviewers,
        win_rates=win_rates(result.pairs) if result.pairs else (),
        constant_error=_constant_error(result.ratings, result) if result.ratings else None,
    )


def _headline(result: PersonalizedEvaluationResult, draws: Draws, n_reviewers: int) -> MetricValue:
    report, value = result.report, headline_of(result)
    low, high = (interval_of(draws.tolist(), n_reviewers) if len(draws) else None) or (None, None)
    why_not = None if value is not None else _UNDEFINED[report["kind"]]
    return MetricValue(value=value, low=low, high=high, n=report["n"], reason=why_not)


_NOTHING = RatedItems(id=(), reviewer=(), gold=(), score=(), reason=(), memorized=())


def _constant_error(items: RatedItems, result: PersonalizedEvaluationResult) -> float | None:
    middle = Scale(*result.gold_scale).midpoint if result.gold_scale else math.nan
    return fmean(abs(gold - middle) for gold in items.gold) if items.gold else None


def win_rates(items: ChosenItems) -> tuple[WinRate, ...]:
    """Predicted and gold share of aspects won by A, over the comparisons with every aspect answered.

    >>> columns = dict(id=("1", "2"), reviewer=("anna",) * 2, comparison=("1",) * 2, aspect=("Ending", "Surprise"))
    >>> more = dict(gold=("A", "B"), choice=("A", "A"), reason=(None,) * 2, choice_swapped=(None,) * 2)
    >>> win_rates(ChosenItems(**columns, **more))  # both aspects predicted for A, one of two won by it
    ((1.0, 0.5, 1),)
    """
    comparisons: defaultdict[tuple[str, str], list[tuple[Choice | None, Choice]]] = defaultdict(list)
    for reviewer, comparison, choice, gold in zip(
        items.reviewer, items.comparison, items.choice, items.gold, strict=True
    ):
        comparisons[reviewer, comparison].append((choice, gold))
    counts = Counter(
        (fmean(choice == "A" for choice, _ in pairs), fmean(gold == "A" for _, gold in pairs))
        for pairs in comparisons.values()
        if all(choice is not None for choice, _ in pairs)
    )
    return tuple((predicted, gold, count) for (predicted, gold), count in sorted(counts.items()))
