"""What labels by people say of a judge: how far it agrees with them, and the scores that follow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import ceil, fsum

import numpy as np

from evaluator.judge_logs.judgements import Judgement
from evaluator.judge_logs.label_sample import LabelKey
from evaluator.judge_report.confusion import (
    Confusion,
    DrawnConfusions,
    Labelled,
    drawn_confusions,
    interval_ends,
    order_confusions,
    order_difference,
    rating_confusion,
)
from evaluator.judge_report.corrected import mean_ratings, win_rates
from evaluator.judge_report.figure import Figure, clusters_of, metric_figure, share_figure
from evaluator.judge_report.labels import TIE, Labels, Pairs, Ratings, label_by_place, winner
from evaluator.statistics.agreement import (
    cohens_kappa,
    krippendorff_alpha_interval,
    krippendorff_alpha_nominal,
    two_raters_alpha,
)
from evaluator.statistics.intervals import (
    MIN_UNITS,
    drawn_sums,
    expanded_percentiles,
    mean_metric,
    ratio_interval,
)
from evaluator.statistics.queries import FloatArray

BINS = 5
"""Points of a calibration curve."""
MIN_BINNED = 10
"""Comparisons behind each, but the last one."""


def label_figures(judgements: Sequence[Judgement], labels: Labels) -> list[Figure] | str:
    """Agreement of one judge with the labels, and corrected scores; or what is missing for them."""
    compared, rated = _compared(judgements, labels), _rated(judgements, labels)
    if not compared and not rated:
        return (
            "Labels: none of them is of a pair that this judge compared or an answer that it rated. Use the questions "
            "and systems of the log."
        )
    figures: list[Figure] = []
    if compared:
        placed = _placed(compared, labels.pairs)
        drawn = drawn_confusions(placed)
        figures += _agreement(compared, labels.pairs, drawn)
        figures += _agreement_with_votes(compared, labels.votes)
        figures += _by_order(compared, labels.pairs)
        figures += order_difference(placed, drawn)
        figures += _calibration(compared, labels.pairs)
        usable = [judgement for judgement in judgements if judgement.is_comparison and judgement.is_usable]
        figures += win_rates(usable, labels.pairs)
    if rated:
        figures += _rating_agreement(rated, labels.ratings)
        ratings = [judgement for judgement in judgements if judgement.rating is not None]
        figures += mean_ratings(ratings, labels.ratings)
    return figures


def label_confusions(judgements: Sequence[Judgement], labels: Labels) -> Iterator[Confusion]:
    """What people said against what the judge said: of comparisons by presentation order, and of ratings."""
    compared, rated = _compared(judgements, labels), _rated(judgements, labels)
    yield from order_confusions(_placed(compared, labels.pairs))
    if rated:
        yield rating_confusion([(rating.rating or 0.0, labels.ratings[rating.key]) for rating in rated])


def _compared(judgements: Sequence[Judgement], labels: Labels) -> list[Judgement]:
    """Usable comparisons that have a label."""
    return [
        judgement
        for judgement in judgements
        if judgement.is_comparison and judgement.is_usable and judgement.key in labels.pairs
    ]


def _rated(judgements: Sequence[Judgement], labels: Labels) -> list[Judgement]:
    """Usable ratings that have a label."""
    return [judgement for judgement in judgements if judgement.rating is not None and judgement.key in labels.ratings]


def _placed(compared: Sequence[Judgement], labels: Pairs) -> list[Labelled]:
    return [Labelled(comparison, label_by_place(comparison, labels)) for comparison in compared]


# --- agreement -------------------------------------------------------------------------------------------------------


def _agreement(labelled: Sequence[Judgement], labels: Pairs, drawn: DrawnConfusions | None) -> Iterator[Figure]:
    of = "comparisons with a label"
    yield share_figure(
        "label_accuracy",
        "Agreement with people",
        labelled,
        lambda comparison: comparison.verdict == label_by_place(comparison, labels),
        of,
        "Share of verdicts equal to the label; 0-1, higher is better.",
    )
    said = [comparison.verdict for comparison in labelled]
    right = [label_by_place(comparison, labels) for comparison in labelled]
    ends = interval_ends(drawn, lambda confusions: _kappas(confusions.sum(axis=1)))
    meaning = "Agreement beyond chance: 1 = always, 0 = as by chance; higher is better."
    yield Figure("label_kappa", "Cohen's kappa", cohens_kappa(said, right), *ends, len(labelled), of, meaning)
    alpha = krippendorff_alpha_nominal(list(zip(said, right, strict=True)))
    ends = interval_ends(drawn, lambda confusions: two_raters_alpha(confusions.sum(axis=1)))
    meaning = "As kappa, with judge and people as two raters of one kind."
    yield Figure("label_alpha", "Krippendorff's alpha", alpha, *ends, len(labelled), of, meaning)


def _agreement_with_votes(
    labelled: Sequence[Judgement], votes: Mapping[LabelKey, Mapping[str, int]]
) -> Iterator[Figure]:
    """MT-bench's agreement (Zheng et al. 2023, section 4.2), where people voted several times on a pair.

    Of one verdict and one vote, and of two votes, each in both of the paper's settings: a tie is a vote as any other,
    or pairs with a tie are left out.
    """
    if all(sum(votes.get(comparison.key, {}).values()) < 2 for comparison in labelled):
        return
    judged = [(comparison.unit, {winner(comparison): 1}, votes.get(comparison.key, {})) for comparison in labelled]
    units = {comparison.key: comparison.unit for comparison in labelled}
    voted = [(unit, votes.get(key, {})) for key, unit in units.items()]
    for suffix, title, is_counted in (
        ("", "", lambda _: True),
        ("_decided", ", without ties", lambda winner: winner != TIE),
    ):
        with_votes = _Agreeing()
        for unit, said, cast in judged:
            with_votes.count(unit, _kept(said, is_counted), _kept(cast, is_counted))
        yield with_votes.figure(
            f"vote_agreement{suffix}",
            f"Agreement with single votes{title}",
            "pairs of a verdict and a vote",
            "Share of them that are equal; compare it with how often people agree with each other.",
        )
        of_people = _Agreeing()
        for unit, cast in voted:
            of_people.count_within(unit, _kept(cast, is_counted))
        yield of_people.figure(
            f"people_agreement{suffix}",
            f"People agree with each other{title}",
            "pairs of votes on the same two answers",
            "Share of them that are equal: no judge can be expected to agree with people more often.",
        )


def _kept(votes: Mapping[str, int], is_counted: Callable[[str], bool]) -> dict[str, int]:
    return {winner: count for winner, count in votes.items() if is_counted(winner)}


@dataclass(slots=True)
class _Agreeing:
    """Equal pairs and all pairs of what was said, by question, or cluster of questions."""

    sums: dict[str, tuple[int, int]] = field(default_factory=dict)

    def count(self, unit: str, said: Mapping[str, int], cast: Mapping[str, int]) -> None:
        """Adds every pair of one of the first and one of the second."""
        equal = sum(count * cast.get(winner, 0) for winner, count in said.items())
        self._add(unit, equal, sum(said.values()) * sum(cast.values()))

    def count_within(self, unit: str, cast: Mapping[str, int]) -> None:
        """Adds every pair of two of them."""
        n = sum(cast.values())
        self._add(unit, sum(count * (count - 1) // 2 for count in cast.values()), n * (n - 1) // 2)

    def _add(self, unit: str, equal: int, pairs: int) -> None:
        before = self.sums.get(unit, (0, 0))
        self.sums[unit] = before[0] + equal, before[1] + pairs

    def figure(self, key: str, title: str, of: str, meaning: str) -> Figure:
        """The share of equal pairs, with its interval over units."""
        equal, pairs = np.array([self.sums[unit] for unit in sorted(self.sums)], np.float64).T
        n = int(pairs.sum())
        low, high = ratio_interval(equal, pairs) or (None, None)
        return Figure(key, title, float(equal.sum()) / n if n else None, low, high, n, of, meaning)


def _kappas(confusions: FloatArray) -> FloatArray:
    """Cohen's kappa of each confusion; nan where one label is all that was said."""
    n = confusions.sum(axis=(1, 2))
    observed = np.trace(confusions, axis1=1, axis2=2) / n
    by_chance = (confusions.sum(axis=2) * confusions.sum(axis=1)).sum(axis=1) / n**2
    is_defined = by_chance < 1
    return np.where(is_defined, (observed - by_chance) / np.where(is_defined, 1 - by_chance, 1.0), np.nan)


def _by_order(labelled: Sequence[Judgement], labels: Pairs) -> Iterator[Figure]:
    for key, letter, place in (("right_first", "A", "first"), ("right_second", "B", "second")):
        shown = [
            comparison
            for comparison in labelled
            if comparison.order_known and label_by_place(comparison, labels) == letter
        ]
        if shown:
            yield share_figure(
                key,
                f"Right when the better answer is {place}",
                shown,
                lambda comparison, letter=letter: comparison.verdict == letter,  # type: ignore[misc]
                "comparisons with a label",
                "Share of verdicts that name the better answer; far from that of the other place, the place decides.",
            )


# --- calibration -----------------------------------------------------------------------------------------------------


def _calibration(labelled: Sequence[Judgement], labels: Pairs) -> Iterator[Figure]:
    """How far stated probabilities are to be believed: the Brier score and the calibration curve, point by point."""
    stated = [
        comparison
        for comparison in labelled
        if comparison.probability is not None and label_by_place(comparison, labels) != "C"
    ]
    if not stated:
        return
    of = "comparisons with a stated probability and a label that is no tie"
    yield metric_figure(
        "label_brier",
        "Brier score",
        mean_metric(
            clusters_of(stated, lambda comparison: (_stated(comparison) - _is_second(comparison, labels)) ** 2)
        ),
        of,
        "Mean squared difference between the stated probability that the second answer is better and the label (1 or "
        "0); 0-1, lower is better. Always to state 0.50 gives 0.25.",
    )
    for number, binned in enumerate(_bins(stated), start=1):
        low, high = _stated(binned[0]), _stated(binned[-1])
        mean = fsum(map(_stated, binned)) / len(binned)
        point = share_figure(
            f"label_calibration_{number}",
            f"Second answer better, where {low:.2f} to {high:.2f} was stated",
            binned,
            lambda comparison: _is_second(comparison, labels) == 1.0,
            of,
            f"Share of labels; {mean:.2f} was stated on average, and of a calibrated judge the two are equal.",
        )
        yield replace(point, stated=mean)


def _bins(stated: Sequence[Judgement]) -> list[list[Judgement]]:
    """In the order of what was stated, about as many in each bin; equal statements stay together."""
    ordered = sorted(stated, key=_stated)
    size = max(MIN_BINNED, ceil(len(ordered) / BINS))
    bins = [[ordered[0]]]
    for before, comparison in pairwise(ordered):
        if len(bins[-1]) >= size and _stated(comparison) != _stated(before):
            bins.append([])
        bins[-1].append(comparison)
    return bins


def _stated(judgement: Judgement) -> float:
    return judgement.probability or 0.0


def _is_second(judgement: Judgement, labels: Pairs) -> float:
    return float(label_by_place(judgement, labels) == "B")


# --- ratings ---------------------------------------------------------------------------------------------------------


def _rating_agreement(rated: Sequence[Judgement], labels: Ratings) -> Iterator[Figure]:
    of = "ratings with a label"
    pairs = [(rating.rating or 0.0, labels[rating.key]) for rating in rated]
    errors = clusters_of(rated, lambda rating: (rating.rating or 0.0) - labels[rating.key])
    widest = max(max(pair) for pair in pairs) - min(min(pair) for pair in pairs)
    yield metric_figure(
        "rating_error",
        "The judge rates higher by",
        mean_metric(errors, (-widest, widest)),
        of,
        "Mean of the judge's rating minus that of people; 0 is best, below 0 the judge is stricter.",
    )
    yield Figure(
        "rating_alpha",
        "Krippendorff's alpha, ratings",
        krippendorff_alpha_interval(pairs),
        *_rating_alpha_ends(rated, labels),
        len(rated),
        of,
        "Agreement of judge and people beyond chance, larger differences weighing more: 1 = always equal, 0 = as by "
        "chance; higher is better.",
    )


def _rating_alpha_ends(rated: Sequence[Judgement], labels: Ratings) -> tuple[float | None, float | None]:
    """95% interval over questions or clusters: sums of whole ones are drawn again."""
    sums: dict[str, FloatArray] = {}
    for rating in rated:
        first, second = rating.rating or 0.0, labels[rating.key]
        parts = np.array([2.0, first + second, first**2 + second**2, (first - second) ** 2])
        sums[rating.unit] = sums.get(rating.unit, np.zeros(4)) + parts
    if len(sums) < MIN_UNITS:
        return None, None
    n, total, squares, apart = drawn_sums(np.array([sums[unit] for unit in sorted(sums)])).T
    # Sums of squared differences over ordered pairs: within each answer, and between all ratings there are.
    expected = 2 * (n * squares - total**2)
    is_defined = expected > 1e-9 * n * squares
    alphas = 1 - (n[is_defined] - 1) * 2 * apart[is_defined] / expected[is_defined]
    if not alphas.size:
        return None, None
    low, high = expanded_percentiles(alphas, len(sums))
    return low, high
