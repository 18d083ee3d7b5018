"""How often the 95% intervals of every other kind of figure hold the truth: shares, kappa, tau, PF, distances.

Each kind is simulated with a known truth on units drawn anew, and has the interval that the boards print. Beside it
stands the plain percentile interval of a bootstrap of units, which the boards had before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr
from scipy.stats import rankdata

from evaluator.personalized_evaluation.reviewer_correlations import CountedScores, interval_of
from evaluator.statistics.intervals import (
    TAIL,
    FloatArray,
    bootstrap_interval,
    correlation_interval,
    draw_counts,
    jackknife_interval,
    ratio_interval,
)
from evaluator.statistics.label_agreement import label_agreement
from evaluator.statistics.queries import percentile_interval

DRAWS = 500
"""Of the plain bootstrap that is compared with, and of tau."""
CORRELATION_DRAWS = 100
"""Of the plain bootstrap of Spearman's correlation, which is not to take all of the time."""
UNITS_OF_THE_TRUTH = 100_000
KAPPA_ROWS = tuple(product((50, 100), (0.05, 0.1, 0.5), (0.9, 0.97)))
"""Single rows, how often one of two labels is right, and how often the judge is right on either."""
AUC_ROWS = tuple(product((8, 12, 23), (0.8, 1.5, 3.0)))
"""Topics, and how far the scores of either label lie apart."""

Ends = tuple[float, float]
Trial = Callable[[np.random.Generator], tuple[Sequence[float] | None, Ends]]
"""One simulated figure: its interval as the boards make it, and the plain one."""


@dataclass(frozen=True, slots=True)
class Simulated:
    """A kind of figure with a known truth."""

    figure: str
    population: str
    units: int
    truth: float
    trial: Trial


@dataclass(frozen=True, slots=True)
class FigureReached:
    """What the intervals of one kind of figure reach; shares of the trials."""

    figure: str
    population: str
    units: int
    truth: float
    coverage: float
    plain_coverage: float
    width: float
    """Mean width of the interval."""


def figure_reached(simulated: Simulated, trials: int, seed: int) -> FigureReached:
    """Simulates one row; trials without an interval count as neither."""
    generator = np.random.default_rng(
        [seed, simulated.units, len(simulated.figure), round(1000 * abs(simulated.truth))]
    )
    held, held_plainly, widths = [], [], []
    for _ in range(trials):
        interval, plain = simulated.trial(generator)
        if interval is None:
            continue
        held.append(interval[0] <= simulated.truth <= interval[1])
        held_plainly.append(plain[0] <= simulated.truth <= plain[1])
        widths.append(interval[1] - interval[0])
    means = [float(np.mean(series)) for series in (held, held_plainly, widths)]
    return FigureReached(simulated.figure, simulated.population, simulated.units, simulated.truth, *means)


def figures() -> Iterator[Simulated]:
    """Every row of the table."""
    for units in (10, 50, 200):
        for truth in (0.01, 0.02, 0.05, 0.2, 0.5):
            yield _share("one row a unit", units, truth, rows=1, alike=0.0)
    for units in (20, 50, 200):
        for truth in (0.02, 0.1, 0.5):
            yield _share("1-9 rows a unit, alike by 0.3", units, truth, rows=5, alike=0.3)
    for units in (10, 20, 30, 80):
        yield _share("PC, 22 pairs a query, alike by 0.2", units, 0.95, rows=22, alike=0.2)
    for units in (10, 30, 80):
        yield _fairness(units)
    for units in (8, 15, 30, 100):
        yield _kappa(units)
    for kappa_row in KAPPA_ROWS:
        yield _kappa_of_rows(*kappa_row)
    for auc_row in AUC_ROWS:
        yield _auc(*auc_row)
    for units in (8, 12, 23):
        for right in (0.7, 0.9, 0.97):
            yield _accuracy(units, right)
        for strength in (0.3, 1.0, 3.0):
            yield _spearman(units, strength)
    for units in (10, 30, 100):
        yield _tau(units)
    for units in (15, 101):
        yield _distance(units)


# --- kinds -----------------------------------------------------------------------------------------------------------


def clusters(
    generator: np.random.Generator, units: int, share: float, rows: int, alike: float
) -> tuple[FloatArray, FloatArray]:
    """Right rows and all rows of each unit; rows of a unit correlate by `alike`, their number is up to 2 rows - 1."""
    wholes = generator.integers(1, 2 * rows, units) if rows > 1 else np.ones(units, np.int64)
    own = np.full(units, share)
    if alike:
        spread = (1.0 - alike) / alike
        own = generator.beta(share * spread, (1.0 - share) * spread, units)
    return generator.binomial(wholes, own).astype(np.float64), wholes.astype(np.float64)


def plain_interval(parts: FloatArray, wholes: FloatArray) -> Ends:
    """The percentile interval of a ratio of sums."""
    counts = draw_counts(len(parts), DRAWS, 0)
    low, high = np.quantile((counts @ parts) / np.maximum(counts @ wholes, 1.0), [TAIL, 1.0 - TAIL])
    return float(low), float(high)


def _share(population: str, units: int, truth: float, *, rows: int, alike: float) -> Simulated:
    def trial(generator: np.random.Generator) -> tuple[Sequence[float] | None, Ends]:
        parts, wholes = clusters(generator, units, truth, rows, alike)
        return ratio_interval(parts, wholes), plain_interval(parts, wholes)

    return Simulated("share", population, units, truth, trial)


def _fairness(units: int) -> Simulated:
    """Of 10 pairs a query, 15% flip, two thirds of these towards the second place; queries lean by themselves."""

    def trial(generator: np.random.Generator) -> tuple[Sequence[float] | None, Ends]:
        flips = generator.binomial(10, generator.beta(1.5, 8.5, units))
        second = generator.binomial(flips, generator.beta(4, 2, units))
        direction, pairs = (2.0 * second - flips).astype(np.float64), np.full(units, 10.0)
        counts = draw_counts(units)
        drawn = (counts @ direction) / (counts @ pairs)
        return percentile_interval(drawn, units, lowest=-1.0, highest=1.0), plain_interval(direction, pairs)

    return Simulated("PF", "10 pairs a query", units, 0.15 / 3, trial)


def _kappa(units: int) -> Simulated:
    def trial(generator: np.random.Generator) -> tuple[Sequence[float] | None, Ends]:
        table = labels_of_clusters(generator, units)
        rows = [(cell, unit) for unit, cells in enumerate(table.astype(int)) for cell in np.repeat(range(4), cells)]
        agreement = label_agreement(
            [str(cell // 2) for cell, _ in rows],
            [str(cell % 2) for cell, _ in rows],
            {"cluster": [f"c{unit}" for _, unit in rows]},
        )
        drawn = kappas(draw_counts(units, DRAWS, 0) @ table)
        low, high = np.nanquantile(drawn, [TAIL, 1.0 - TAIL])
        return agreement["kappa_ci"], (float(low), float(high))

    everything = labels_of_clusters(np.random.default_rng(0), UNITS_OF_THE_TRUTH).sum(axis=0)
    return Simulated("kappa", "1-19 rows a unit, one label rare", units, float(kappas(everything)), trial)


def _kappa_of_rows(rows: int, prevalence: float, right: float) -> Simulated:
    """Single rows, one label rare; the judge is as often right on either."""
    chances = agreement_chances(prevalence, right)

    def trial(generator: np.random.Generator) -> tuple[Sequence[float] | None, Ends]:
        cells = np.repeat(range(4), generator.multinomial(rows, chances))
        agreement = label_agreement([str(cell // 2) for cell in cells], [str(cell % 2) for cell in cells])
        drawn = kappas(draw_counts(rows, DRAWS, 0) @ np.eye(4)[cells])
        low, high = np.nanquantile(np.append(drawn, 0.0), [TAIL, 1.0 - TAIL])
        return agreement["kappa_ci"], (float(low), float(high))

    return Simulated(
        "kappa", f"single rows, label of {prevalence}, right {right}", rows, float(kappas(1e6 * chances)), trial
    )


def agreement_chances(prevalence: float, right: float) -> FloatArray:
    """Return the chances of (truth, prediction) 00, 01, 10 and 11, of a judge that is as often right on either."""
    return np.array(
        [(1 - prevalence) * right, (1 - prevalence) * (1 - right), prevalence * (1 - right), prevalence * right]
    )


def topic_scores(generator: np.random.Generator, topics: int, strength: float) -> tuple[FloatArray, FloatArray]:
    """Draw the scores of two pairs of either label a topic, (topics, 2) each, which share what the topic is like."""
    shared = 0.7 * generator.standard_normal((topics, 1))
    own = generator.standard_normal((2, topics, 2))
    return strength + shared + own[0], shared + own[1]


def true_auc(topics: int, strength: float) -> float:
    """Return the AUC that `topic_scores` have on average."""
    # Two scores of different topics differ by a normal variate of variance 2 (1 + 0.49); of one topic by one of 2.
    between, within = ndtr(strength / np.sqrt(2 * 1.49)), ndtr(strength / np.sqrt(2.0))
    return float(((topics - 1) * between + within) / topics)


def _auc(topics: int, strength: float) -> Simulated:
    """Four pairs a topic, two of either label."""

    def contests(positive: FloatArray, negative: FloatArray) -> FloatArray:
        """Share of won contests of each topic's positives with each topic's negatives."""
        return np.asarray((positive[:, None, :, None] > negative[None, :, None, :]).mean(axis=(2, 3)))

    def trial(generator: np.random.Generator) -> tuple[Sequence[float] | None, Ends]:
        won = contests(*topic_scores(generator, topics, strength))
        left_out = won.sum() - won.sum(axis=0) - won.sum(axis=1) + np.diag(won)
        counts = draw_counts(topics, DRAWS, 0)
        drawn = ((counts @ won) * counts).sum(axis=1) / topics**2
        low, high = np.quantile(drawn, [TAIL, 1.0 - TAIL])
        return jackknife_interval(float(won.mean()), left_out / (topics - 1) ** 2), (float(low), float(high))

    return Simulated("AUC", f"4 pairs a topic, {strength} apart", topics, true_auc(topics, strength), trial)


def _accuracy(topics: int, right: float) -> Simulated:
    """Accuracy of a judge on 2 to 13 pairs a topic, whose verdicts are alike by 0.2."""

    def trial(generator: np.random.Generator) -> tuple[Sequence[float] | None, Ends]:
        wholes = generator.integers(2, 14, topics)
        parts = generator.binomial(wholes, generator.beta(4 * right, 4 * (1 - right), topics)).astype(np.float64)
        sizes = wholes.astype(np.float64)
        without = (parts.sum() - parts) / (sizes.sum() - sizes)
        return jackknife_interval(float(parts.sum() / sizes.sum()), without), plain_interval(parts, sizes)

    return Simulated("accuracy", "2-13 pairs a topic, alike by 0.2", topics, right, trial)


def _spearman(topics: int, strength: float) -> Simulated:
    """Spearman's correlation of scores 0-5 and whole grades, on 2 to 13 pairs a topic that share what it is like."""

    def made(generator: np.random.Generator, of: int) -> tuple[FloatArray, FloatArray, npt.NDArray[np.int64]]:
        topic = np.repeat(np.arange(of), generator.integers(2, 14, of))
        alike = 0.9 * generator.standard_normal(len(topic)) + 0.4 * generator.standard_normal(of)[topic]
        own = 0.8 * generator.standard_normal(len(topic)) + 0.3 * generator.standard_normal(of)[topic]
        grades = np.clip(np.round(2.5 + 1.6 * alike), 0.0, 5.0)
        return np.clip(2.5 + 1.3 * strength * alike + own, 0.0, 5.0), grades, topic

    def correlation(scores: FloatArray, grades: FloatArray) -> float:
        return float(np.corrcoef(rankdata(scores), rankdata(grades))[0, 1])

    def trial(generator: np.random.Generator) -> tuple[Sequence[float] | None, Ends]:
        scores, grades, topic = made(generator, topics)
        without = [correlation(scores[topic != out], grades[topic != out]) for out in range(topics)]
        rows = [np.flatnonzero(topic == place) for place in range(topics)]
        drawn = []
        for _ in range(CORRELATION_DRAWS):
            chosen = np.concatenate([rows[place] for place in generator.integers(0, topics, topics)])
            drawn.append(correlation(scores[chosen], grades[chosen]))
        low, high = np.quantile(drawn, [TAIL, 1.0 - TAIL])
        return correlation_interval(correlation(scores, grades), np.array(without)), (float(low), float(high))

    truth = correlation(*made(np.random.default_rng(0), UNITS_OF_THE_TRUTH)[:2])
    return Simulated("Spearman", f"2-13 pairs a topic, strength {strength}", topics, truth, trial)


def labels_of_clusters(generator: np.random.Generator, units: int) -> FloatArray:
    """Rows of each unit by (truth, prediction): 00, 01, 10, 11; shape (units, 4)."""
    sizes = generator.integers(1, 20, units)
    positive = generator.binomial(sizes, generator.beta(1, 6, units))
    wrong = 0.8 * generator.beta(1, 7, units)
    missed, found_wrongly = generator.binomial(positive, wrong), generator.binomial(sizes - positive, wrong)
    table = np.stack([sizes - positive - found_wrongly, found_wrongly, missed, positive - missed], axis=1)
    return table.astype(np.float64)


def kappas(tables: FloatArray) -> FloatArray:
    """Cohen's kappa of tables of two labels, (..., 4) as above; NaN where chance alone agrees."""
    n = tables.sum(axis=-1)
    positive, called = tables[..., 2] + tables[..., 3], tables[..., 1] + tables[..., 3]
    by_chance = positive * called + (n - positive) * (n - called)
    with np.errstate(invalid="ignore"):
        return np.asarray((n * (tables[..., 0] + tables[..., 3]) - by_chance) / (n * n - by_chance))


def _tau(units: int) -> Simulated:
    """Eight items a reader: mild and strict readers, whom the evaluator knows in part."""

    def made(generator: np.random.Generator, of: int) -> CountedScores:
        mild, own = generator.standard_normal((of, 1)), generator.standard_normal((of, 8))
        gold = np.clip(np.round(5.5 + 1.2 * mild + 1.5 * own), 1, 10)
        predicted = 5.5 + 0.8 * mild + 0.8 * own + generator.standard_normal((of, 8))
        return CountedScores(predicted.ravel().round(1).tolist(), gold.ravel().tolist(), np.repeat(np.arange(of), 8))

    def trial(generator: np.random.Generator) -> tuple[Sequence[float] | None, Ends]:
        scores = made(generator, units)
        drawn = [scores.kendall(counts) for counts in draw_counts(units, DRAWS, 0)]
        low, high = np.quantile(drawn, [TAIL, 1.0 - TAIL])
        return interval_of(drawn, units), (float(low), float(high))

    truth = made(np.random.default_rng(0), UNITS_OF_THE_TRUTH // 10).kendall(np.ones(UNITS_OF_THE_TRUTH // 10))
    return Simulated("tau", "8 items a reader", units, truth, trial)


def _distance(units: int) -> Simulated:
    """Mean distances of a question's answers (CD, CR): skewed, far from both ends of 0 to 2."""

    def trial(generator: np.random.Generator) -> tuple[Sequence[float] | None, Ends]:
        values = generator.gamma(6.0, 0.05, units)
        named = {f"{place:03}": float(value) for place, value in enumerate(values)}
        return bootstrap_interval(named), plain_interval(values, np.ones(units))

    return Simulated("CD", "a mean distance a question", units, 0.3, trial)


def figures_table(rows: Sequence[FigureReached]) -> str:
    """The rows as a Markdown table, in percent."""
    head = "| figure | population | units | truth | 95% interval holds | plain percentile | mean width |"
    lines = [
        f"| {row.figure} | {row.population} | {row.units} | {row.truth:.3f} | {row.coverage:.1%} "
        f"| {row.plain_coverage:.1%} | {row.width:.3f} |"
        for row in rows
    ]
    return "\n".join([head, "|---" * 7 + "|", *lines])
