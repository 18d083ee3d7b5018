"""Do a few items rank systems as the whole set does, and does it matter which? (docs/public_record.md)

A rule chooses items by what half of the systems did on them; the other half is then ranked by these items alone, and
held against its ranks by all items (Kendall's tau-b). Halves are drawn again and again. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.cluster.vq import kmeans2
from scipy.stats import kendalltau

from evaluator.statistics.intervals import FloatArray
from evaluator.values import Frozen

SPLITS = 100
SIZES = (25, 50, 100)
"""Items that a selection of a published record has."""
LEAST_SYSTEMS = 8
DIGITS = 6
"""Decimals of the figures: more would differ between processors."""
REPEATS = 10
"""Times a rule that draws is asked in each split."""
SEED = 14_992
"""Arbitrary but fixed: from the number of arXiv 2402.14992."""
GROUP_SHARE = 0.27
"""Share of the systems in the upper and in the lower group: Kelley 1939, who shows that it separates best."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """Items and how much each counts."""

    items: np.ndarray[tuple[int], np.dtype[np.intp]]
    weights: FloatArray


Rule = Callable[[FloatArray, int, np.random.Generator], Chosen]
"""Outcomes of the known systems (systems x items), how many items, and what draws -> the choice."""


def random_items(known: FloatArray, size: int, generator: np.random.Generator) -> Chosen:
    """Items drawn with equal chances: the rule to beat."""
    return _equal(generator.choice(known.shape[1], size, replace=False))


def discriminating_items(known: FloatArray, size: int, generator: np.random.Generator) -> Chosen:
    """The items whose outcomes correlate most with the systems' mean on all other items (item-rest correlation).

    >>> known = np.array([[0.0, 1.0, 0.0], [0.5, 1.0, 0.5], [1.0, 0.9, 1.0]])
    >>> discriminating_items(known, 2, np.random.default_rng(0)).items.tolist()
    [0, 2]
    """
    count = known.shape[1]
    rest = (known.sum(axis=1, keepdims=True) - known) / max(1, count - 1)
    return _equal(np.sort(np.argsort(-_correlations(known, rest), kind="stable")[:size]))


def upper_lower_items(known: FloatArray, size: int, generator: np.random.Generator) -> Chosen:
    """The items on which the best systems are furthest ahead of the worst (discrimination index of upper and lower).

    Kelley 1939, The selection of upper and lower groups for the validation of test items, Journal of Educational
    Psychology 30, 17-24: the upper and the lower 27% by the mean over all items.

    >>> known = np.array([[1.0, 0.6, 1.0], [0.5, 0.5, 0.5], [0.5, 0.5, 0.5], [1.0, 0.4, 0.0]])
    >>> upper_lower_items(known, 2, np.random.default_rng(0)).items.tolist()
    [1, 2]
    """
    group = max(1, round(GROUP_SHARE * len(known)))
    order = np.argsort(known.mean(axis=1), kind="stable")
    ahead = known[order[-group:]].mean(axis=0) - known[order[:group]].mean(axis=0)
    return _equal(np.sort(np.argsort(-ahead, kind="stable")[:size]))


def varying_items(known: FloatArray, size: int, generator: np.random.Generator) -> Chosen:
    """The items whose outcomes vary most between systems (item variance of classical test theory).

    Lord and Novick 1968, Statistical Theories of Mental Test Scores, section 15.2.

    >>> known = np.array([[1.0, 0.6, 1.0], [0.0, 0.4, 0.1]])
    >>> varying_items(known, 2, np.random.default_rng(0)).items.tolist()
    [0, 2]
    """
    return _equal(np.sort(np.argsort(-known.var(axis=0), kind="stable")[:size]))


def stratified_items(known: FloatArray, size: int, generator: np.random.Generator) -> Chosen:
    """One item drawn from each of so many equal parts of the items, from the hardest to the easiest."""
    parts = np.array_split(np.argsort(known.mean(axis=0), kind="stable"), size)
    return _equal(np.array([generator.choice(part) for part in parts]))


def anchor_items(known: FloatArray, size: int, generator: np.random.Generator) -> Chosen:
    """Anchor points: the item nearest to the middle of each of so many clusters of items, weighed by its cluster.

    Items are clustered by what the known systems did on them: Maia Polo et al. 2024, tinyBenchmarks, arXiv 2402.14992,
    section 3 ("correctness"). Of items on which all did alike one is enough: there are no more clusters than others.
    """
    points = known.T
    clusters = min(size, len(np.unique(points, axis=0)))
    centres, cluster_of = kmeans2(points, clusters, minit="++", rng=generator, missing="warn")
    filled, weights = np.unique(cluster_of, return_counts=True)
    distances = ((points[:, None, :] - centres[None, filled, :]) ** 2).sum(axis=2)
    distances[cluster_of[:, None] != filled[None, :]] = np.inf
    return Chosen(distances.argmin(axis=0), weights / weights.sum())


RULES: Mapping[str, Rule] = {
    "random": random_items,
    "discriminating": discriminating_items,
    "upper minus lower": upper_lower_items,
    "varying": varying_items,
    "stratified": stratified_items,
    "anchors": anchor_items,
}


class RuleFigures(Frozen):
    """How well so many items of one rule rank systems that the rule did not see."""

    rule: str
    size: int
    systems: int
    """That are ranked: half of all."""
    tau: float
    """Mean of Kendall's tau-b with the ranks by all items; -1 to 1, higher is better."""
    low: float
    """2.5% of the splits lie below."""
    high: float
    gain: float
    """Mean difference from random items in the same splits."""
    gain_low: float
    gain_high: float
    splits: int

    @property
    def is_better_than_random(self) -> bool:
        """Whether it gains in 97.5% of the splits."""
        return self.gain_low > 0


def rule_figures(
    outcomes: FloatArray, sizes: Sequence[int], rules: Mapping[str, Rule] = RULES, splits: int = SPLITS
) -> list[RuleFigures]:
    """Return the figures of every rule at every size.

    Args:
        outcomes: Of each system on each item, shape (systems, items), without gaps.
        sizes: Numbers of items, each fewer than there are.
        rules: By name; the first one is what the others are held against.
        splits: How often the systems are cut into halves.

    Raises:
        ValueError: fewer than eight systems, or a size that is not below the number of items.
    """
    systems, items = outcomes.shape
    if systems < LEAST_SYSTEMS:
        raise ValueError(f"{systems} systems; expected at least {LEAST_SYSTEMS}, four in each half")
    if max(sizes) >= items:
        raise ValueError(f"{max(sizes)} of {items} items; expected fewer than all")
    first, *_ = rules
    figures = []
    for size in sizes:
        reached = {name: np.array(list(_taus(outcomes, size, rule, splits))) for name, rule in rules.items()}
        figures += [
            _figures(name, size, systems - systems // 2, taus, taus - reached[first]) for name, taus in reached.items()
        ]
    return figures


def selection_line(figures: RuleFigures, units: str) -> str:
    """One rule at one size, in words; `units` is what items are called."""
    gain = f"{figures.gain:+.2f} [{figures.gain_low:+.2f}, {figures.gain_high:+.2f}] beside random ones"
    return (
        f"{figures.size} {figures.rule} {units}: tau {figures.tau:.2f} [{figures.low:.2f}, {figures.high:.2f}], {gain}"
    )


def _taus(outcomes: FloatArray, size: int, rule: Rule, splits: int) -> Iterator[float]:
    """Tau in each split; the same splits for every rule."""
    generator, drawing = np.random.default_rng(SEED), np.random.default_rng(SEED + size)
    whole = outcomes.mean(axis=1)
    for _ in range(splits):
        order = generator.permutation(len(outcomes))
        known, others = order[: len(order) // 2], order[len(order) // 2 :]
        times = REPEATS if rule in (random_items, stratified_items) else 1
        chosen = [rule(outcomes[known], size, drawing) for _ in range(times)]
        yield float(np.mean([_tau(outcomes[others][:, own.items] @ own.weights, whole[others]) for own in chosen]))


def _tau(scores: FloatArray, whole: FloatArray) -> float:
    tau = float(kendalltau(scores, whole).statistic)
    return 0.0 if np.isnan(tau) else tau  # all scores are the same: they say nothing about the order


def _figures(rule: str, size: int, systems: int, taus: FloatArray, gains: FloatArray) -> RuleFigures:
    low, high = np.quantile(taus, (0.025, 0.975)).tolist()
    gain_low, gain_high = np.quantile(gains, (0.025, 0.975)).tolist()
    return RuleFigures(
        rule=rule,
        size=size,
        systems=systems,
        tau=round(float(taus.mean()), DIGITS),
        low=round(low, DIGITS),
        high=round(high, DIGITS),
        gain=round(float(gains.mean()), DIGITS),
        gain_low=round(gain_low, DIGITS),
        gain_high=round(gain_high, DIGITS),
        splits=len(taus),
    )


def _equal(items: np.ndarray[tuple[int], np.dtype[np.intp]]) -> Chosen:
    return Chosen(items, np.full(len(items), 1.0 / len(items)))


def _correlations(first: FloatArray, second: FloatArray) -> FloatArray:
    """Pearson's correlation of each pair of columns; -1 where one does not vary."""
    left, right = first - first.mean(axis=0), second - second.mean(axis=0)
    spread = np.sqrt((left**2).sum(axis=0) * (right**2).sum(axis=0))
    none = np.full(first.shape[1], -1.0)
    return np.asarray(np.divide((left * right).sum(axis=0), spread, out=none, where=spread > 1e-12), np.float64)
