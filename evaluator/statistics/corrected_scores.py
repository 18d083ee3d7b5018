"""What a score would be without the judge's errors, from a few labels by people beside many verdicts of the judge.

Two ways. Rogan-Gladen divides the judge's share by how often it is right on either kind of item: simple, for yes or no,
and as uncertain as its two rates. Prediction-powered inference corrects the judge's mean by its mean error on the
labelled items and weighs the judge by what it is worth, so that a useless judge does no harm.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt
from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv

from evaluator.statistics.clusters import Clusters, ClusterSums, cluster_sums
from evaluator.statistics.intervals import (
    DRAWS,
    MIN_UNITS,
    SEED,
    SEPARATION_TOLERANCE,
    TAIL,
    FloatArray,
    Interval,
)
from evaluator.statistics.queries import Z

UNSEEN_UNITS = 2.0
"""How many labelled items that were not seen are counted as lying half a scale from their mean: a judge that did not
err on few labels is not perfect."""
MIN_LABELS = 100
"""Fewer labels correct a value and give it no interval: with 50 it held the truth 92 to 98 times in 100, as 95 was
promised (`make bench-corrected`, docs/judge_report.md)."""
HALF = 0.5
"""Of a yes and of a no that are counted as seen beside the others: Jeffreys' prior of a share."""
THIRD = 1 / 3
"""Of a yes and of a no where only the variance of a share is asked for: the neutral prior of Kerman 2011 (Electronic
Journal of Statistics 5). With `HALF` the delta interval held the truth 97.4 times in 100 of a judge that errs on 2."""


UNSEEN_OF_CLUSTERS = 6.0
"""The same of labels in clusters, of as many independent labels as say as much. With 2 of them intervals of 20 topics
whose answers are alike held a truth of 0.1 in 93 logs of 100, with 6 in 95."""

UNLIKE_TAIL = 0.005
UNLIKE = 2.58
"""Standard errors between the judge's means with and without labels, from which labels are no random sample: 1 %. At
3.29 (0.1 %) 100 labels of rare verdicts, chosen by the verdict, were missed in 16 to 24 logs of 100."""


class CorrectedShare(NamedTuple):
    """A share without the judge's errors."""

    value: float
    """Cut to 0-1."""
    delta: Interval | None
    """95% interval by the delta method (`_delta_interval`), within 0-1; None with fewer than `MIN_LABELS` labels, or
    where it lies outside of 0-1: the judge says yes less often, or more often, than its rates on the labels allow."""
    bootstrap: Interval | None
    """95% interval by drawing the three shares again (`_drawn_shares`), cut to 0-1; None with as few labels."""
    sensitivity: float
    """Share of the items labelled yes to which the judge says yes."""
    specificity: float
    """Share of the items labelled no to which the judge says no."""


class PoweredMean(NamedTuple):
    """A mean of labels, sharpened by a judge's values."""

    value: float
    """Cut to 0-1."""
    interval: Interval | None
    """95%, within 0-1; None with fewer than `MIN_LABELS` labels."""
    weight: float
    """Of the judge's values, 0-1: 0 = the labels alone."""
    effective_labels: float
    """How many labels alone would have an interval as short."""


def are_labels_unlike(judged: Sequence[float], unlabelled: Sequence[float], clusters: Clusters | None = None) -> bool:
    """Whether the judge's values say that the labelled items are not a random sample of all.

    Of a random sample the judge's mean differs from that of the others by chance: by more than 2.58 standard errors
    (Welch) in about one log of 100. Labels that were chosen by the judge's verdict differ by far more; what is right
    for random labels, as the rates of Rogan and Gladen, is then wrong by any amount.

    Args:
        judged: The judge's values of labelled items.
        unlabelled: Its values of the others.
        clusters: Where items stand in clusters, whose means then scatter more; Student's t takes the place of 2.58.

    >>> are_labels_unlike([1.0] * 80 + [0.0] * 20, [1.0, 0.0] * 200)
    True
    >>> are_labels_unlike([1.0, 0.0] * 50, [1.0, 0.0] * 200)
    False
    """
    seen, others = np.array(judged, np.float64), np.array(unlabelled, np.float64)
    if min(len(seen), len(others)) < MIN_UNITS:
        return False
    if clusters is not None:
        grouped = cluster_sums(clusters)
        if not grouped.is_enough:
            return False
        parts = grouped.covariance([_added(seen)], [-_added(others)])
        plain = _mixed_variance(seen) / len(seen) + _mixed_variance(others) / len(others)
        spread = max(plain, float(sum(part[0, 0] for part in parts)))
        return abs(float(seen.mean() - others.mean())) > grouped.quantile(UNLIKE_TAIL) * sqrt(spread)
    error = sqrt(_mixed_variance(seen) / len(seen) + _mixed_variance(others) / len(others))
    return abs(float(seen.mean() - others.mean())) > UNLIKE * error


def rogan_gladen(
    verdicts: Sequence[bool], labelled: Sequence[tuple[bool, bool]], clusters: Clusters | None = None
) -> CorrectedShare | None:
    """The share of yes among all items, corrected for the judge's errors.

    (p + specificity - 1) / (sensitivity + specificity - 1), p the judge's share of yes. It counts the labelled items,
    too, as in truescore 0.7.4: they are a random sample of all. How often both intervals hold the truth is measured by
    `make bench-corrected`, and beside truescore by `make bench-rivals`.

    Args:
        verdicts: of the judge on items without a label.
        labelled: (verdict, label) of items with one; none of them among `verdicts`.
        clusters: Of both, where items stand in clusters: then there is the delta interval alone, with the covariances
            of the three shares between clusters and Student's t (`evaluator.statistics.clusters`).

    Returns:
        None with fewer than `MIN_UNITS` labels of either kind or as few verdicts, or where the judge is no better
        than a coin (sensitivity + specificity not above 1), which nothing can correct.

    Source: Rogan and Gladen 1978, American Journal of Epidemiology 107(1), equation 1; variance as Lang and Reiczigel
    2014, Preventive Veterinary Medicine 113, section 2, with the covariances of labelled items that count in p.

    >>> labelled = [(True, True)] * 90 + [(False, True)] * 10 + [(False, False)] * 80 + [(True, False)] * 20
    >>> verdicts = [True] * 310 + [False] * 390  # with the labelled ones 420 of 900
    >>> round(rogan_gladen(verdicts, labelled).value, 9)  # (7/15 + 0.8 - 1) / (0.9 + 0.8 - 1) = 8/21
    0.380952381
    """
    yes = np.array([verdict for verdict, label in labelled if label], np.float64)
    no = np.array([not verdict for verdict, label in labelled if not label], np.float64)
    seen = np.array(verdicts, np.float64)
    if min(len(yes), len(no), len(seen)) < MIN_UNITS:
        return None
    sensitivity, specificity, share = float(yes.mean()), float(no.mean()), _pooled(seen, yes, no)
    better = sensitivity + specificity - 1
    if better <= 0:
        return None
    value = (share + specificity - 1) / better
    cut = min(1.0, max(0.0, value))
    if len(labelled) < MIN_LABELS:
        return CorrectedShare(cut, None, None, sensitivity, specificity)
    if clusters is not None:
        delta = _clustered_delta(seen, np.array(labelled, np.float64), cluster_sums(clusters))
        return CorrectedShare(cut, delta, None, sensitivity, specificity)
    covariance = _independent_covariance(seen, yes, no)
    delta = _delta_interval([share, sensitivity, specificity], covariance, Z)
    return CorrectedShare(cut, delta, _redrawn_interval(seen, yes, no), sensitivity, specificity)


def _pooled(seen: FloatArray, yes: FloatArray, no: FloatArray) -> float:
    """The judge's share of yes among all items.

    Args:
        seen: Its verdicts on items without a label.
        yes: Its verdicts on items labelled yes.
        no: Whether it was right on items labelled no.
    """
    return float((seen.sum() + yes.sum() + len(no) - no.sum()) / (len(seen) + len(yes) + len(no)))


def _independent_covariance(seen: FloatArray, yes: FloatArray, no: FloatArray) -> FloatArray:
    """Of the pooled share, the sensitivity and the specificity, of independent items; arguments as for `_pooled`.

    Of N items the share counts each labelled one 1 / N: its covariance with a rate over n_k of them is n_k / N times
    the variance of that rate, below 0 of the specificity, whose right answers are no yes.
    """
    everything = np.concatenate([seen, yes, 1 - no])
    covariance = np.diag([_variance(everything), _variance(yes), _variance(no)])
    for place, kind, sign in ((1, yes, 1), (2, no, -1)):
        covariance[0, place] = covariance[place, 0] = sign * len(kind) / len(everything) * covariance[place, place]
    return covariance


def _redrawn_interval(seen: FloatArray, yes: FloatArray, no: FloatArray) -> Interval:
    """By drawing all shares again, that of the labels, too, since the labelled items count in the pooled share."""
    generator = np.random.default_rng(SEED)
    drawn_yes, drawn_no, drawn = (_drawn_shares(outcomes, generator) for outcomes in (yes, no, seen))
    labels = _drawn_shares(np.concatenate([np.ones(len(yes)), np.zeros(len(no))]), generator)
    said = labels * drawn_yes + (1 - labels) * (1 - drawn_no)
    n = len(yes) + len(no)
    pooled = (len(seen) * drawn + n * said) / (len(seen) + n)
    usable = drawn_yes + drawn_no > 1
    corrected = (pooled[usable] + drawn_no[usable] - 1) / (drawn_yes[usable] + drawn_no[usable] - 1)
    low, high = np.quantile(np.clip(corrected, 0.0, 1.0), [TAIL, 1.0 - TAIL])
    return Interval(float(low), float(high))


def _delta_interval(rates: Sequence[float], covariance: FloatArray, reach: float) -> Interval | None:
    """The share t that the three rates come to, give or take its standard errors, cut to 0-1; None where that is out of
    it.

    t = A / J, A = share + specificity - 1 and J = sensitivity + specificity - 1, moves by 1 / J with the share, by
    -t / J with the sensitivity and by (1 - t) / J with the specificity.

    Args:
        rates: The judge's share of yes, its sensitivity and its specificity.
        covariance: Of these, in that order.
        reach: Standard errors, 1.96 or Student's t.
    """
    share, sensitivity, specificity = rates
    better = sensitivity + specificity - 1
    value = (share + specificity - 1) / better
    moves = np.array([1.0, -value, 1.0 - value]) / better
    half = reach * sqrt(max(0.0, float(moves @ covariance @ moves)))
    if value + half < 0 or value - half > 1:
        return None
    return Interval(max(0.0, value - half), min(1.0, value + half))


def _clustered_delta(seen: FloatArray, labelled: FloatArray, grouped: ClusterSums) -> Interval | None:
    """`_delta_interval` with the covariances of the three rates between clusters; none with too few of these.

    Args:
        seen: The judge's verdicts on the others.
        labelled: Its verdict and the label of each labelled item, shape (items, 2).
        grouped: The clusters of both.
    """
    if not grouped.is_enough:
        return None
    verdict, label = labelled.T
    right = np.where(label == 1, verdict, 1 - verdict)
    kinds = [label == 1, label == 0]
    rates = [float(right[kind].mean()) for kind in kinds]
    added = [kind * (right - rate) / kind.sum() for kind, rate in zip(kinds, rates, strict=True)]
    yes, no = (right[kind] for kind in kinds)
    share, everything = _pooled(seen, yes, no), len(seen) + len(verdict)
    nothing = np.zeros(len(seen))
    parts = grouped.covariance(
        [(verdict - share) / everything, *added], [(seen - share) / everything, nothing, nothing]
    )
    covariance = sum(parts[1:], parts[0])
    short = np.maximum(0.0, np.diag(_independent_covariance(seen, yes, no)) - np.diag(covariance))
    return _delta_interval([share, *rates], covariance + np.diag(short), grouped.quantile())


def _variance(outcomes: FloatArray) -> float:
    """Of a share, as if `THIRD` a yes and a no more had been seen."""
    n = len(outcomes)
    share = (float(outcomes.sum()) + THIRD) / (n + 2 * THIRD)
    return share * (1 - share) / n


def _drawn_shares(outcomes: FloatArray, generator: np.random.Generator) -> FloatArray:
    """Shares of yes that outcomes of yes and no leave possible, with `HALF` a yes and a no more.

    A resample of the items themselves never errs where the judge did not err on the few that are labelled.
    """
    yes = float(outcomes.sum())
    return generator.beta(yes + HALF, len(outcomes) - yes + HALF, DRAWS)


def powered_mean(
    labels: Sequence[float], judged: Sequence[float], unlabelled: Sequence[float], clusters: Clusters | None = None
) -> PoweredMean | None:
    """The mean label over all items: the judge's mean, plus its mean error where there are labels.

    mean(labels) + weight x (mean(unlabelled) - mean(judged)), with the weight that makes the variance smallest,
    cov(label, judged) / ((1 + n / N) var(judged)), cut to 0-1. Items are independent: give one value per question.

    The interval is that of a share of as many trials as have the variance of the mean: quantiles of Beta(x + 1/2, m - x
    + 1/2), m = value (1 - value) / variance, x = m value. It is skewed near the ends of the scale, where an interval
    alike on both sides misses the truth. The labels' variance is mixed with that of units that were not seen: a judge
    without an error on few labels is not taken for perfect.

    Items in clusters have the same value and weight, and the variance of sums of whole clusters
    (`evaluator.statistics.clusters`): n labels whose residuals have the variance s^2, and whose mean has the variance V
    by the sums of clusters, are as good as m = s^2 / V independent ones, at most n; the variance of m labels is mixed
    with that of `UNSEEN_OF_CLUSTERS` more. Student's t takes the place of 1.96.

    Args:
        labels: by people, 0-1, one per labelled item; n of them.
        judged: the judge's values of the same items.
        unlabelled: the judge's values of other items of the same kind; N of them.
        clusters: of both, where items stand in clusters; fewer than `MIN_UNITS` of either give no interval.

    Returns:
        None with fewer than `MIN_UNITS` labels or unlabelled items.

    Source: Angelopoulos, Duchi and Zrnic 2023, PPI++: Efficient Prediction-Powered Inference, arXiv 2311.01453,
    sections 2 and 6 (power tuning); the mean as in example 1. The interval: Jeffreys' of a share (Brown, Cai and
    DasGupta 2001, Statistical Science 16(2)), with the effective trials of Korn and Graubard 1998, as elsewhere here.

    >>> powered = powered_mean([0, 1] * 30, [0, 1] * 30, [0, 1] * 3_000)  # a perfect judge: weight 1 / (1 + 0.01)
    >>> round(powered.weight, 6), round(powered.value, 6)
    (0.990099, 0.5)
    >>> powered_mean([0, 1] * 30, [0, 0, 1, 1] * 15, [0, 1] * 50).weight  # a judge that knows nothing
    0.0

    Labels of 20 topics of 5 that are all alike: the variance of their mean is (20 / 19) 20 (5 / 2)^2 / 100^2 = 1 / 76
    and that of one label 25 / 99, so that they count as 1900 / 99 = 19.2 labels.

    >>> topics = Clusters([str(item // 5) for item in range(100)], [str(item) for item in range(100, 160)])
    >>> alike = powered_mean(([1.0] * 10 + [0.0] * 10) * 5, [1.0, 0.0] * 50, [1.0, 0.0] * 30, topics)
    >>> [round(end, 2) for end in alike.interval]  # of 100 independent labels [0.40, 0.60], of 19 [0.29, 0.71]
    [0.28, 0.72]
    """
    known, seen, others = (np.array(values, np.float64) for values in (labels, judged, unlabelled))
    if len(known) != len(seen):
        raise ValueError(f"{len(known)} labels and {len(seen)} values of the judge; expected as many")
    n, more = len(known), len(others)
    if min(n, more) < MIN_UNITS:
        return None
    pooled = float(np.concatenate([seen, others]).var())
    covariance = float(((known - known.mean()) * (seen - seen.mean())).mean())
    weight = min(1.0, max(0.0, covariance / ((1 + n / more) * pooled))) if pooled > 0 else 0.0
    value = float(known.mean() + weight * (others.mean() - seen.mean()))
    of_labels = _mixed_variance(known - weight * seen) / n
    variance = of_labels + weight**2 * float(others.var(ddof=1)) / more
    widening, is_enough = 1.0, n >= MIN_LABELS
    if clusters is not None:
        grouped = cluster_sums(clusters)
        variance = _clustered_variance(known - weight * seen, weight * others, grouped)
        widening, is_enough = grouped.widening, is_enough and grouped.is_enough
    effective = _mixed_variance(known) / variance
    interval = _share_interval(value, widening * variance, n) if is_enough else None
    return PoweredMean(min(1.0, max(0.0, value)), interval, weight, effective)


def _clustered_variance(residuals: FloatArray, others: FloatArray, grouped: ClusterSums) -> float:
    """Of mean(residuals) + mean(others), whose items stand in clusters."""
    of_labels, of_others, of_both = (
        float(part[0, 0]) for part in grouped.covariance([_added(residuals)], [_added(others)])
    )
    plain = float(others.var(ddof=1)) / len(others)
    independent = _independent_labels(float(residuals.var(ddof=1)), of_labels, grouped)
    return _mixed(float(residuals.var(ddof=1)), independent) + max(of_others, plain) + of_both


def _independent_labels(scatter: float, of_mean: float, grouped: ClusterSums) -> float:
    """How many independent labels of this scatter have a mean that scatters as theirs does; as many as clusters where
    nothing scatters."""
    n = len(grouped.labelled)
    if of_mean <= SEPARATION_TOLERANCE**2:
        return float(len(np.unique(grouped.labelled)))
    return min(float(n), max(1.0, scatter / of_mean))


def _mixed(scatter: float, n: float) -> float:
    """The variance of the mean of n labels of this scatter and `UNSEEN_OF_CLUSTERS` more, half a scale away."""
    return ((n - 1) * scatter + UNSEEN_OF_CLUSTERS * 0.25) / (n - 1 + UNSEEN_OF_CLUSTERS) / n


def _added(values: FloatArray) -> FloatArray:
    """What each item adds to their mean, less that mean."""
    return np.asarray((values - values.mean()) / len(values))


def stratified_mean(
    labels: Sequence[float], judged: Sequence[float], unlabelled: Sequence[float], clusters: Clusters | None = None
) -> PoweredMean | None:
    """The mean label over all items, with each of the judge's values counted as often as it occurs among all of them.

    The sum over the judge's values h of W_h mean(labels where the judge said h), W_h the share of h among all items.
    Right also where items were chosen to be labelled by what the judge said of them, for which `powered_mean` and
    `rogan_gladen` are not. Variance: the sum of W_h^2 s_h^2 / n_h, s_h^2 mixed as in `powered_mean`, and that of the
    shares themselves, the sum of W_h (mean_h - mean)^2, divided by all items. The interval is that of `powered_mean`.

    Args:
        labels: As for `powered_mean`, and so are the others; with clusters no variance is below that without.

    Returns:
        The weight is 1; None where one of the judge's values has fewer than `MIN_UNITS` labels.

    Source: Cochran 1977, Sampling Techniques, sections 5A.9 (post-stratification) and 12.2 (strata of estimated size).

    >>> chosen = stratified_mean([1.0] * 54 + [0.0] * 6 + [1.0] * 8 + [0.0] * 32, [1.0] * 60 + [0.0] * 40, [0.0] * 900)
    >>> round(chosen.value, 9)  # 0.06 x 0.9 + 0.94 x 0.2
    0.242
    """
    known, seen, others = (np.array(values, np.float64) for values in (labels, judged, unlabelled))
    values, counts = np.unique(np.concatenate([seen, others]), return_counts=True)
    strata = [known[seen == value] for value in values]
    if not strata or min(map(len, strata)) < MIN_UNITS:
        return None
    shares = counts / counts.sum()
    means = np.array([stratum.mean() for stratum in strata])
    scatters = np.array([_mixed_variance(stratum) for stratum in strata])
    value = float((shares * means).sum())
    between = float((shares * (means - value) ** 2).sum())
    sizes = np.array([len(stratum) for stratum in strata])
    variance = float((shares**2 * scatters / sizes).sum()) + between / float(counts.sum())
    widening, is_enough = 1.0, len(known) >= MIN_LABELS
    total = float((shares * scatters).sum()) + between
    if clusters is not None:
        grouped = cluster_sums(clusters)
        stratum, other_stratum = np.searchsorted(values, seen), np.searchsorted(values, others)
        residuals = (shares / sizes)[stratum] * (known - means[stratum])
        expected = (means - value) / counts.sum()
        variance = max(
            variance, _clustered_strata_variance(residuals, expected[stratum], expected[other_stratum], grouped)
        )
        widening, is_enough = grouped.widening, is_enough and grouped.is_enough
    interval = _share_interval(value, widening * variance, len(known)) if is_enough else None
    effective = total / variance
    return PoweredMean(min(1.0, max(0.0, value)), interval, 1.0, effective)


def _clustered_strata_variance(
    residuals: FloatArray, expected: FloatArray, others: FloatArray, grouped: ClusterSums
) -> float:
    """Of the mean by verdict, whose items stand in clusters.

    Args:
        residuals: What each labelled item adds by its label; the sum is 0.
        expected: What it adds by its verdict.
        others: What each of the others adds by its verdict.
        grouped: The clusters of both.
    """
    of_labels = float(grouped.covariance([residuals], [0.0 * others])[0][0, 0])
    whole = sum(float(part[0, 0]) for part in grouped.covariance([residuals + expected], [others]))
    scatter = len(residuals) * float((residuals**2).sum())
    return _mixed(scatter, _independent_labels(scatter, of_labels, grouped)) + whole - of_labels


class LabelsNeeded(NamedTuple):
    """How many labels would tell a mean from one half."""

    helped: int | None
    """Beside the judge's values of all other items; None where labels of all items are too few."""
    alone: int | None
    """Without the judge; None where no number is enough, because the mean is one half."""


def labels_needed(labels: Sequence[float], judged: Sequence[float], powered: PoweredMean, items: int) -> LabelsNeeded:
    """How many labels in all would have the interval of a powered mean exclude 1/2, if further ones scatter as these.

    With n of T items labelled and the best weight, the variance of a powered mean is
    var(label - b judged) / n + b^2 var(judged) / T, b = cov(label, judged) / var(judged). It is at most (d / 1.96)^2, d
    the distance from 1/2, from n = var(label - b judged) / ((d / 1.96)^2 - b^2 var(judged) / T) on: what is taken off
    is what T items leave unknown however good the judge is. Labels alone are b = 0. Variances of labels are mixed as in
    `powered_mean`. Both are rounded up and at least `MIN_LABELS`, below which nothing is corrected. There is no margin
    for power: at this n a difference of exactly the size seen is found every second time.

    Derivation: the variance at a weight w is var(label - w judged) / n + w^2 var(judged) / N, N = T - n. Its minimum
    is at w = b / (1 + n / N), where it is var(label) / n - b^2 var(judged) N / (n T); var(label) =
    var(label - b judged) + b^2 var(judged) and N / T = 1 - n / T give the above.

    Args:
        labels: as for `powered_mean`, and so is `judged`.
        powered: their powered mean.
        items: T, those with and without a label together.

    Source: Angelopoulos, Duchi and Zrnic 2023, arXiv 2311.01453, section 6 (the variance at the best weight).

    >>> both, label_only, judge_only, neither = 40, 15, 10, 35  # of 100 items that is how many are 1
    >>> labels = [1] * both + [1] * label_only + [0] * judge_only + [0] * neither
    >>> judged = [1] * both + [0] * label_only + [1] * judge_only + [0] * neither
    >>> labels_needed(labels, judged, powered_mean(labels, judged, [0, 1] * 450), 1_000)
    LabelsNeeded(helped=320, alone=385)
    """
    known, seen = np.array(labels, np.float64), np.array(judged, np.float64)
    distance = abs(powered.value - 0.5)
    if distance <= SEPARATION_TOLERANCE:
        return LabelsNeeded(None, None)
    spread = float(seen.var())
    covariance = float(((known - known.mean()) * (seen - seen.mean())).mean())
    slope = min(1.0, max(0.0, covariance / spread)) if spread > 0 else 0.0
    wanted = (distance / Z) ** 2
    alone = max(MIN_LABELS, ceil(_mixed_variance(known) / wanted))
    room = wanted - slope**2 * spread / items
    helped = max(MIN_LABELS, ceil(_mixed_variance(known - slope * seen) / room)) if room > 0 else items + 1
    return LabelsNeeded(helped if helped <= items else None, alone)


def _share_interval(value: float, variance: float, n: int) -> Interval:
    """95% interval of a mean on the scale 0-1 with this variance; its centre at least `HALF` a unit from the ends."""
    nearest = HALF / (n + 1)
    centre = min(1.0 - nearest, max(nearest, value))
    trials = centre * (1.0 - centre) / variance
    yes, no = trials * centre + HALF, trials * (1.0 - centre) + HALF
    low = 0.0 if value <= nearest else float(betaincinv(yes, no, TAIL))
    high = 1.0 if value >= 1.0 - nearest else float(betaincinv(yes, no, 1.0 - TAIL))
    return Interval(low, high)


def _mixed_variance(values: FloatArray) -> float:
    """The variance of values on a scale of 0-1, as if `UNSEEN_UNITS` more had been seen that lie half a scale away."""
    n = len(values)
    return ((n - 1) * float(values.var(ddof=1)) + UNSEEN_UNITS * 0.25) / (n - 1 + UNSEEN_UNITS)
