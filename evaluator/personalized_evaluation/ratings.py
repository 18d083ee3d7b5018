"""How well predicted ratings agree with what each reviewer gave (docs/personalized_evaluation.md#ratings).

Higher is better for every correlation and gain, lower for `mae` and the standard deviations. Undefined is None, never
0. The headline, `penalized.kendall`, counts every item: what is missing stands at the middle of the scale.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from statistics import fmean, stdev

from evaluator.personalized_evaluation.explanations import ExplanationModels, explanation_quality
from evaluator.personalized_evaluation.matrix_factorization import KnownRating, factorized_ratings
from evaluator.personalized_evaluation.replies import Answer, MissingReason, parse_score
from evaluator.personalized_evaluation.reports import (
    ContaminationGroup,
    ExplanationQuality,
    Gain,
    OrderShuffle,
    Penalized,
    RatingMetrics,
    RatingRead,
    RatingReferences,
    RatingsReport,
    TestedFigure,
)
from evaluator.personalized_evaluation.reviewer_correlations import (
    MIN_ITEMS,
    MIN_REVIEWERS,
    RESAMPLES,
    SEED,
    CountedScores,
    Estimate,
    Reviewers,
    correlations,
    drawn_values,
    intervals_of,
    kendall,
)
from submissions.formats.personalized_evaluation.submission import Choice, RatingItem, RatingsSubmission, Scale

GOLD_RETURNED = "gold_returned"
"""Flag of such a run."""
MOST_AGREEMENT = 0.9
"""Cohen's kappa of predictions and gold above which nobody has predicted anything: the gold stands in the file that is
submitted, and no model of the paper's table exceeds a Kendall correlation of .3 (PerSE, arXiv 2310.03304)."""
LEAST_PREDICTED = 20
"""With fewer answers such agreement may be luck."""


def is_returned(predicted: Sequence[tuple[Hashable, Hashable]]) -> bool:
    """Are the predictions the gold ones, to the digit and beyond chance?

    Args:
        predicted: Prediction and gold of every answered item.

    Cohen's kappa: what is equal beyond what would be by chance, given how often each value is predicted and gold.

    >>> is_returned([(n % 5, n % 5) for n in range(40)]), is_returned([(3, n % 5) for n in range(40)])
    (True, False)
    """
    n = len(predicted)
    if n < LEAST_PREDICTED:
        return False
    equal = sum(value == gold for value, gold in predicted) / n
    values, golds = Counter(value for value, _ in predicted), Counter(gold for _, gold in predicted)
    by_chance = sum(values[gold] * count for gold, count in golds.items()) / n**2
    # Where all are the same value, there was nothing to predict.
    return by_chance < 1.0 and (equal - by_chance) / (1.0 - by_chance) > MOST_AGREEMENT


LEAST_PARSE_RATE = 0.5
"""With less, a run is not ranked."""


def rating_answer(item: RatingItem, scale: Scale) -> Answer[float]:
    """The prediction: the number given, else what the raw text states."""
    return parse_score(item.response, scale) if item.score is None else Answer(item.score, None)


def calibrated(score: float, scale: Scale, gold_scale: Scale) -> float:
    """A prediction on the scale of the reviewers, by the straight line through both ends.

    >>> calibrated(4, Scale(1, 10), Scale(1, 5))  # 1 + 3 * 4 / 9
    2.333333333333333
    """
    # In this order of operations the halves that a rating can be moved to are exact.
    return gold_scale.low + (score - scale.low) * (gold_scale.high - gold_scale.low) / (scale.high - scale.low)


def ratings_report(
    submission: RatingsSubmission,
    *,
    k0: RatingsSubmission | None = None,
    known: Iterable[KnownRating] = (),
    resamples: int = RESAMPLES,
    seed: int = SEED,
    models: ExplanationModels | None = None,
    reasons: Mapping[str, MissingReason] | None = None,
    marks: Sequence[str] = (),
    per_item: bool = False,
    with_draws: bool = False,
) -> RatingsReport:
    """Every figure of one run.

    Args:
        submission: The run.
        k0: The same system's run on the same items without profiles.
        known: Further ratings of the texts, for matrix factorization.
        resamples, seed: Of the draws of reviewers.
        models: What reads explanations; None = the figures without a model.
        reasons: Item id -> why a local judge gave no answer, where it says more than the file.
        marks: What else is to be known about the run: `shortened`.
        per_item: Whether the answer to each item is wanted.
        with_draws: Whether the headline in every draw is wanted.

    Raises:
        ValueError: `k0` is of another collection, or shows profiles.
    """
    if k0 is not None and (k0.collection != submission.collection or k0.k != 0):
        raise ValueError("the run to compare with must have k = 0 and the same collection")
    items = sorted(submission.items, key=lambda item: item.id)
    answers = [_with_reason(rating_answer(item, submission.scale), item.id, reasons or {}) for item in items]
    figures = _Figures(submission, items, answers, k0, resamples=resamples, seed=seed)
    return figures.report(known, models, marks, per_item=per_item, with_draws=with_draws)


def _with_reason(answer: Answer[float], item_id: str, reasons: Mapping[str, MissingReason]) -> Answer[float]:
    return answer if answer.is_given else Answer(None, reasons.get(item_id, answer.reason))


def defined_draws(drawn: Iterable[float]) -> list[float | None]:
    """A figure draw by draw, as JSON can hold it: undefined is None."""
    return [None if math.isnan(value) else value for value in drawn]


def missing_counts(answers: Iterable[Answer[float] | Answer[Choice]], always: Sequence[str]) -> dict[str, int]:
    """Reason -> number of items; the usual reasons also where there are none."""
    counts = Counter(str(answer.reason) for answer in answers if not answer.is_given)
    return {reason: counts[reason] for reason in (*always, *sorted(counts.keys() - set(always)))}


def unranked_reasons(
    headline: float | None, n_reviewers: int, parse_rate: float, predicted: Sequence[tuple[Hashable, Hashable]]
) -> list[str]:
    """Why a run is not ranked; empty where it is.

    Args:
        predicted: Prediction and gold of every answered item.
    """
    reasons = {
        "headline_undefined": headline is None,
        "few_reviewers": n_reviewers < MIN_REVIEWERS,
        "low_parse_rate": parse_rate < LEAST_PARSE_RATE,
        GOLD_RETURNED: is_returned(predicted),
    }
    return [flag for flag, is_set in reasons.items() if is_set]


class _Figures:
    """One run's items with their answers, and the intervals of its figures on one set of draws."""

    def __init__(
        self,
        submission: RatingsSubmission,
        items: Sequence[RatingItem],
        answers: Sequence[Answer[float]],
        k0: RatingsSubmission | None,
        *,
        resamples: int,
        seed: int,
    ) -> None:
        self._submission = submission
        self._items, self._answers = items, answers
        self._reviewers = Reviewers.of([item.reviewer for item in items])
        self._answered = [
            (item, answer.value) for item, answer in zip(items, answers, strict=True) if answer.value is not None
        ]
        self._filled = _filled(answers, submission.scale)
        self._gold = [item.gold for item in items]
        self._tested = correlations([value for _, value in self._answered], [item.gold for item, _ in self._answered])
        self._penalized = correlations(self._filled, self._gold).values()
        self._estimates = self._all_estimates({"reviewer_avg": self._reviewer_average(), "k0": self._bare_scores(k0)})
        self._drawn = drawn_values(self._estimates, self._reviewers, resamples=resamples, seed=seed)
        self._intervals = intervals_of(self._estimates, self._drawn)

    def _all_estimates(self, others: Mapping[str, list[float] | None]) -> dict[str, Estimate]:
        """All that is resampled: the correlations, the headline, and how much it is above that of other predictions."""
        answered = self._counted([value for _, value in self._answered], [item for item, _ in self._answered])
        is_complete = len(self._answered) == len(self._items)
        headline = answered if is_complete else self._counted(self._filled, self._items)
        tested, top, n_answered = self._tested, self._penalized["kendall"], answered.n_reviewers
        estimates = {
            "pearson": Estimate(tested.pearson.value, answered.pearson, n_answered),
            "spearman": Estimate(tested.spearman.value, answered.spearman, n_answered),
            "kendall": Estimate(tested.kendall.value, answered.kendall, n_answered),
            "penalized": Estimate(top, headline.kendall, headline.n_reviewers),
        }
        for name, predicted in others.items():
            if predicted is not None:
                other = self._counted(predicted, self._items)
                estimates[name] = _difference(top, kendall(predicted, self._gold), headline, other)
        return estimates

    def report(
        self,
        known: Iterable[KnownRating],
        models: ExplanationModels | None,
        marks: Sequence[str],
        *,
        per_item: bool,
        with_draws: bool,
    ) -> RatingsReport:
        submission, n = self._submission, len(self._items)
        parse_rate = len(self._answered) / n
        predicted = [(value, item.gold) for item, value in self._answered]
        unranked = unranked_reasons(self._penalized["kendall"], len(self._reviewers.names), parse_rate, predicted)
        report = RatingsReport(
            kind=submission.kind,
            collection=submission.collection,
            k=submission.k,
            n=n,
            answered=len(self._answered),
            parse_rate=parse_rate,
            missing=missing_counts(self._answers, ("no_answer", "unparsed", "out_of_range")),
            metrics=self._metrics(),
            penalized=Penalized(
                pearson=self._penalized["pearson"],
                spearman=self._penalized["spearman"],
                kendall=self._penalized["kendall"],
                kendall_ci=self._intervals["penalized"],
            ),
            references=self._references(known),
            gain_over_reviewer_avg=self._gain("reviewer_avg"),
            gain_over_k0=self._gain("k0"),
            order_shuffle=self._order_shuffle(),
            contamination=self._contamination(),
            explanation=self._explanation(models),
            flags=[*unranked, *marks],
            rankable=not unranked,
        )
        if per_item:
            report["items"] = [
                RatingRead(id=item.id, score=answer.value, reason=answer.reason)
                for item, answer in zip(self._items, self._answers, strict=True)
            ]
        if with_draws:
            report["headline_draws"] = defined_draws(self._drawn.get("penalized", ()))
        return report

    def _counted(self, predicted: Sequence[float], items: Sequence[RatingItem]) -> CountedScores:
        places = self._reviewers.places([item.reviewer for item in items])
        return CountedScores(predicted, [item.gold for item in items], places)

    def _metrics(self) -> RatingMetrics:
        scales = self._submission.scale, self._submission.gold_scale
        pairs = [(calibrated(value, *scales), item.gold) for item, value in self._answered]
        within = self._within_reviewer()
        return RatingMetrics(
            pearson=self._tested_figure("pearson"),
            spearman=self._tested_figure("spearman"),
            kendall=self._tested_figure("kendall"),
            mae=_mean([abs(predicted - gold) for predicted, gold in pairs]),
            exact_match=_mean([math.floor(predicted + 0.5) == gold for predicted, gold in pairs]),
            within_reviewer_kendall=_mean(within),
            within_reviewer_n=len(within),
        )

    def _tested_figure(self, name: str) -> TestedFigure:
        correlation = self._tested._asdict()[name]
        return TestedFigure(value=correlation.value, p=correlation.p, ci=self._intervals[name])

    def _within_reviewer(self) -> list[float]:
        """The defined tau of each reviewer with enough answered items."""
        of_reviewer: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
        for item, value in self._answered:
            of_reviewer[item.reviewer].append((value, item.gold))
        taus = [kendall(*zip(*pairs, strict=True)) for pairs in of_reviewer.values() if len(pairs) >= MIN_ITEMS]
        return [tau for tau in taus if tau is not None]

    def _reviewer_average(self) -> list[float] | None:
        if not all(item.profile for item in self._items):
            return None
        return [fmean(review.score for review in item.profile) for item in self._items]

    def _bare_scores(self, k0: RatingsSubmission | None) -> list[float] | None:
        """The other run's predictions for the same items, missing ones filled."""
        if k0 is None:
            return None
        of_id = {item.id: item for item in k0.items}
        return _filled([rating_answer(of_id[item.id], k0.scale) for item in self._items], k0.scale)

    def _references(self, known: Iterable[KnownRating]) -> RatingReferences:
        average = self._reviewer_average()
        factorized = factorized_ratings(self._items, self._submission.gold_scale, known)
        return RatingReferences(
            reviewer_avg=None if average is None else correlations(average, self._gold).values(),
            matrix_factorization=None if factorized is None else correlations(factorized, self._gold).values(),
        )

    def _gain(self, name: str) -> Gain | None:
        estimate = self._estimates.get(name)
        return (
            None if estimate is None or estimate.value is None else Gain(value=estimate.value, ci=self._intervals[name])
        )

    def _order_shuffle(self) -> OrderShuffle | None:
        """None without profiles of two, or where an item was run in one order only."""
        runs = [item.shuffled_scores for item in self._items]
        shuffled = [run for run in runs if run is not None]
        if self._submission.k < 2 or len(shuffled) < len(runs):
            return None
        taus = [
            kendall(*_given(zip(predictions, self._gold, strict=True))) for predictions in zip(*shuffled, strict=True)
        ]
        defined = [tau for tau in taus if tau is not None]
        spreads = [spread for run in shuffled if (spread := _spread(run)) is not None]
        return OrderShuffle(
            runs=len(taus),
            kendall=taus,
            kendall_mean=_mean(defined),
            kendall_std=_spread(defined),
            item_std=_mean(spreads),
        )

    def _contamination(self) -> dict[str, ContaminationGroup] | None:
        marked = sum(item.memorized is not None for item in self._items)
        if not marked:
            return None
        return {
            "memorized": self._contamination_group(True, marked),
            "unmemorized": self._contamination_group(False, marked),
        }

    def _contamination_group(self, memorized: bool, marked: int) -> ContaminationGroup:
        n = sum(item.memorized is memorized for item in self._items)
        pairs = [(value, item.gold) for item, value in self._answered if item.memorized is memorized]
        figures = correlations([value for value, _ in pairs], [gold for _, gold in pairs]).values()
        return ContaminationGroup(
            n=n,
            percent=n / marked,
            pearson=figures["pearson"],
            spearman=figures["spearman"],
            kendall=figures["kendall"],
        )

    def _explanation(self, models: ExplanationModels | None) -> ExplanationQuality | None:
        texts = [
            (item.review, item.reference_review)
            for item in self._items
            if item.review and item.review.strip() and item.reference_review and item.reference_review.strip()
        ]
        return explanation_quality(texts, models) if texts else None


def _difference(
    value: float | None, other_value: float | None, scores: CountedScores, other: CountedScores
) -> Estimate:
    """One headline less another, draw by draw."""
    difference = None if value is None or other_value is None else value - other_value
    return Estimate(difference, lambda counts: scores.kendall(counts) - other.kendall(counts), scores.n_reviewers)


def _filled(answers: Iterable[Answer[float]], scale: Scale) -> list[float]:
    """Predictions with the midpoint where one is missing: the reviewer's average would beat most judges."""
    return [scale.midpoint if answer.value is None else answer.value for answer in answers]


def _given(pairs: Iterable[tuple[float | None, float]]) -> tuple[list[float], list[float]]:
    """Predictions that are there, and the gold of their items."""
    known = [(predicted, gold) for predicted, gold in pairs if predicted is not None]
    return [predicted for predicted, _ in known], [gold for _, gold in known]


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def _spread(values: Iterable[float | None]) -> float | None:
    """Standard deviation with n - 1; None with fewer than two values."""
    known = [value for value in values if value is not None]
    return stdev(known) if len(known) > 1 else None
