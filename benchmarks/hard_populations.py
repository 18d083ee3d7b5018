"""Populations that intervals and ranks were not made for: rare losses, two kinds of systems, topics, ceilings, ties.

Each was named by somebody who looked for a case that fails, or is harder than one that did. Part of `make
bench-coverage`; every share has its Monte Carlo error, sqrt(p (1 - p) / trials).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from evaluator.statistics.intervals import TAIL, FloatArray, difference_interval, draw_counts, ratio_interval
from evaluator.statistics.rank_bands import rank_bands

TOP = 5.0
ITEMS_OF_THE_TRUTH = 1_000_000

Draw = Callable[[np.random.Generator, tuple[int, ...]], FloatArray]


# --- scores of one system --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HardScores:
    """Item values of one system on the scale 0-5, drawn independently."""

    name: str
    draw: Draw
    items: tuple[int, ...] = (8, 15, 30, 100)


@dataclass(frozen=True, slots=True)
class HardScoresReached:
    """What the intervals of one population and number of items reach; shares of the trials."""

    population: str
    items: int
    true_score: float
    coverage: float
    plain_coverage: float
    """Of the plain percentile interval."""
    width: float
    trials: int


def _losing(lost: float, rest: float, scatter: float) -> Draw:
    def draw(generator: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
        kept = np.clip(rest + scatter * generator.standard_normal(shape), 0.0, TOP)
        return np.where(generator.random(shape) < lost, 0.0, kept)

    return draw


def _rounded(draw: Draw, step: float) -> Draw:
    return lambda generator, shape: np.round(draw(generator, shape) / step) * step


def beta(first: float, second: float) -> Draw:
    """Item values spread over the scale as a beta distribution."""
    return lambda generator, shape: TOP * generator.beta(first, second, shape)


RARE_LOSSES = (
    HardScores("10 % of items lost, the rest 4.8 +- 0.25", _losing(0.1, 4.8, 0.25), (8, 15, 18, 30, 100)),
    HardScores("3 % lost, the rest 4.9 +- 0.1", _losing(0.03, 4.9, 0.1), (8, 15, 30, 50, 100)),
)
HARD_SCORES = (
    *RARE_LOSSES,
    HardScores("1 % lost, the rest 5", _losing(0.01, 5.0, 0.0), (15, 30, 100, 300)),
    HardScores("1 % gained, the rest 0", lambda generator, shape: TOP - _losing(0.01, 5.0, 0.0)(generator, shape)),
    HardScores("a third lost, the rest 4.9", _losing(0.33, 4.9, 0.1)),
    HardScores("ceiling with ties: 0, 2.5 or 5, mostly 5", _rounded(_losing(0.05, 4.6, 1.0), 2.5)),
    HardScores("nearly all at either end", beta(0.1, 0.1)),
    HardScores("skewed to the floor", beta(0.2, 4.0)),
    HardScores("skewed to the ceiling", beta(6.0, 0.3)),
    HardScores("all items alike", lambda generator, shape: np.full(shape, 3.0) + 0.0 * generator.random(shape)),
)


def hard_scores_reached(population: HardScores, items: int, trials: int, seed: int) -> HardScoresReached:
    """Simulates one row of the table."""
    generator = np.random.default_rng([seed, items, len(population.name)])
    truth = float(population.draw(np.random.default_rng(0), (ITEMS_OF_THE_TRUTH,)).mean())
    values = population.draw(generator, (trials, items))
    ends = np.array([ratio_interval(row, np.ones(items), (0.0, TOP)) for row in values])
    plain = np.quantile(values @ draw_counts(items).T / items, [TAIL, 1.0 - TAIL], axis=1).T
    held, held_plainly = (
        float(((interval[:, 0] <= truth + 1e-9) & (truth - 1e-9 <= interval[:, 1])).mean())
        for interval in (ends, plain)
    )
    return HardScoresReached(
        population.name, items, truth, held, held_plainly, float((ends[:, 1] - ends[:, 0]).mean()), trials
    )


def hard_scores_table(rows: Sequence[HardScoresReached]) -> str:
    """The rows as a Markdown table."""
    head = "| population | items | true score | 95% interval holds | plain percentile | mean width |"
    lines = [
        f"| {row.population} | {row.items} | {row.true_score:.2f} | {with_error(row.coverage, row.trials)} "
        f"| {row.plain_coverage:.1%} | {row.width:.2f} |"
        for row in rows
    ]
    return "\n".join([head, "|---" * 6 + "|", *lines])


def with_error(share: float, trials: int) -> str:
    """A share in percent with its Monte Carlo error, in which nobody takes 0 or 100 % for certain.

    >>> with_error(0.95, 1_000)  # sqrt(0.95 x 0.05 / 1,000) = 0.0069
    '95.0 ± 0.7%'
    """
    mixed = (share * trials + 1.0) / (trials + 2.0)
    return f"{100 * share:.1f} ± {100 * np.sqrt(mixed * (1 - mixed) / trials):.1f}%"


# --- boards of unlike systems ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HardBoards:
    """Systems with equal true means, of which some are steady and the others lose items whole."""

    name: str
    steady: int
    items_of_a_topic: int = 1
    """Items of one topic share most of what makes them hard for a system."""
    lost: float = 0.2
    """Share of the items that systems lose which are not steady."""
    systems: int = 20


@dataclass(frozen=True, slots=True)
class HardBoardsReached:
    """Share of the boards that tell any two systems apart, which is an error on each."""

    population: str
    items: int
    told_apart: float
    trials: int


SYSTEMS = 20
MEAN = 3.6
"""True mean of each of them."""
HARD_BOARD_ITEMS = (8, 15, 18, 30)
HARD_BOARDS = (
    *(HardBoards(f"{steady} steady, {SYSTEMS - steady} that lose a fifth", steady) for steady in (10, 15, 18, 19, 5)),
    *(
        HardBoards(f"{steady} steady, {SYSTEMS - steady} that lose{'s' * (steady == 19)} a tenth", steady, lost=0.1)
        for steady in (17, 18, 19)
    ),
    *(HardBoards(f"{number - 1} steady, 1 that loses a fifth", number - 1, systems=number) for number in (2, 3, 5)),
    HardBoards("topics of three items, by topic", SYSTEMS, 3),
)


def hard_board_values(generator: np.random.Generator, boards: HardBoards, items: int, trials: int) -> FloatArray:
    """Item values, shape (trials, systems, items), true means all the same."""
    shape = (trials, boards.systems, items)
    shared = 1.1 * generator.standard_normal((trials, 1, items))
    topics = -(-items // boards.items_of_a_topic)
    by_topic = np.repeat(generator.standard_normal((trials, boards.systems, topics)), boards.items_of_a_topic, axis=2)
    own = by_topic[..., :items] if boards.items_of_a_topic > 1 else generator.standard_normal(shape)
    steady = MEAN + 0.3 * shared + 0.4 * own
    losing = np.where(generator.random(shape) < boards.lost, 0.0, MEAN / (1.0 - boards.lost) + 0.1 * own)
    return np.where(np.arange(boards.systems)[None, :, None] < boards.steady, steady, losing)


def hard_boards_reached(boards: HardBoards, items: int, trials: int, seed: int) -> HardBoardsReached:
    """Simulates one row."""
    generator = np.random.default_rng([seed, items, boards.steady, boards.items_of_a_topic])
    told = []
    for values in hard_board_values(generator, boards, items, trials):
        named = {
            str(place): {f"{item:03}": float(value) for item, value in enumerate(row)}
            for place, row in enumerate(values)
        }
        topics = {f"{item:03}": str(item // boards.items_of_a_topic) for item in range(items)}
        told.append(set(rank_bands(named, topics).values()) != {(1, boards.systems)})
    return HardBoardsReached(boards.name, items, float(np.mean(told)), trials)


def hard_boards_table(rows: Sequence[HardBoardsReached]) -> str:
    """The rows as a Markdown table."""
    head = "| systems with equal true scores | items | boards that tell any two apart |"
    lines = [f"| {row.population} | {row.items} | {with_error(row.told_apart, row.trials)} |" for row in rows]
    return "\n".join([head, "|---" * 3 + "|", *lines])


# --- the difference of a steady system and one that loses items ------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HardDifferenceReached:
    """How often the interval of the difference of two systems with equal true means holds 0."""

    lost: float
    """Share of the items that the second one loses."""
    items: int
    coverage: float
    trials: int


HARD_DIFFERENCES = tuple((lost, items) for lost in (0.03, 0.1, 0.2) for items in (8, 15, 30, 50))


def hard_difference_reached(lost: float, items: int, trials: int, seed: int) -> HardDifferenceReached:
    """Simulates one row."""
    generator = np.random.default_rng([seed, items, round(1_000 * lost)])
    pairs = hard_board_values(generator, HardBoards("", 1, lost=lost, systems=2), items, trials)
    held = 0
    for steady, losing in pairs:
        interval = difference_interval((steady - losing).tolist())
        held += interval is not None and interval.low <= 0.0 <= interval.high
    return HardDifferenceReached(lost, items, held / trials, trials)


def hard_differences_table(rows: Sequence[HardDifferenceReached]) -> str:
    """The rows as a Markdown table."""
    head = "| items lost by one of the two | items | 95% interval of the difference holds |"
    lines = [f"| {row.lost:.0%} | {row.items} | {with_error(row.coverage, row.trials)} |" for row in rows]
    return "\n".join([head, "|---" * 3 + "|", *lines])
