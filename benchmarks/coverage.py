"""`make bench-coverage`: how often 95% intervals hold the truth, and how often equal systems are told apart.

Systems with known true scores answer items that are drawn anew each time; the intervals, paired differences and rank
bands are those of the boards (`evaluator.statistics.intervals`, `evaluator.statistics.rank_bands`). Beside them stands
the plain percentile interval, which the boards had before. More tables follow: every other kind of figure
(`benchmarks.figure_coverage`), boards of equal systems, populations that were chosen to be hard
(`benchmarks.hard_populations`), the lab's ratings, what chance alone gains (`benchmarks.chance_gains`), and CSP. No
network; a fixed seed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from benchmarks.chance_gains import (
    ATTEMPTS_ROWS,
    NOISE_ROWS,
    attempts_reached,
    attempts_table,
    noise_reached,
    noise_table,
)
from benchmarks.figure_coverage import figure_reached, figures, figures_table
from benchmarks.hard_populations import (
    HARD_BOARD_ITEMS,
    HARD_BOARDS,
    HARD_DIFFERENCES,
    HARD_SCORES,
    hard_boards_reached,
    hard_boards_table,
    hard_difference_reached,
    hard_differences_table,
    hard_scores_reached,
    hard_scores_table,
)
from benchmarks.lab_ratings import RATING_ROWS, ratings_reached, ratings_table
from benchmarks.provenance import commit
from evaluator.cultural.figures import mean_correlation_draws, rank_correlation, specificity_interval
from evaluator.results import MetricValue
from evaluator.statistics.intervals import (
    SEPARATION_TOLERANCE,
    TAIL,
    FloatArray,
    draw_counts,
    excludes_zero,
    expanded_tail,
    mean_metric,
    paired_difference,
)
from evaluator.statistics.rank_bands import rank_bands
from submissions.commands.command_line import OneLineParser

TOP = 5.0
ITEMS = (8, 10, 15, 30, 100)
SEED = 1993
TRIALS = 1_000
RANKED_SYSTEMS = 6
RANKED_STEP = 0.3
"""How far the quality of two systems next to each other in rank lies apart, before ends of the scale and flags."""
ITEMS_OF_THE_TRUTH = 400_000
"""A score's standard deviation over items is below 2, so its true mean is known to 0.003."""

VARIANTS = (3, 4, 4, 2, 2, 3, 6, 4, 2, 2, 4, 2, 3, 2, 3)
"""Answers in the English groups of 2024, of a system that skips one."""


@dataclass(frozen=True, slots=True)
class Population:
    """Which items and answers a system's score is drawn from; deviations on the scale 0-5.

    The item's part, which all systems share, and the system's own part of it make item values scatter by 1.4 and
    correlate by 0.5 between systems before the gate, as the cells of Table 2 of the 2024 paper do (0.9-1.4, mean 0.54);
    pairs of one group scatter by 1.15, as in the acceptance data, where 9% of the answers carry a gating flag and some
    items are lost to it whole.
    """

    quality: float
    """Mean pair score before the ends of the scale and the flags."""
    item: float = 1.1
    own: float = 0.5
    pair: float = 1.15
    lost_items: float = 0.0
    """Share of items all of whose answers carry a gating flag."""
    flagged: float = 0.0
    """Share of the other answers that do."""


POPULATIONS = {
    "raw, middle of the scale": Population(2.5),
    "gated, middle of the scale": Population(2.5, lost_items=0.08, flagged=0.04),
    "gated, near the top": Population(4.5, lost_items=0.08, flagged=0.04),
    "gated, near the baselines": Population(0.3, lost_items=0.08, flagged=0.04),
    "gated, but for lost items at the top": Population(6.5, lost_items=0.08, flagged=0.04),
    "gated, at the floor": Population(-1.0, lost_items=0.08, flagged=0.04),
}


def item_values(generator: np.random.Generator, systems: Sequence[Population], items: int, trials: int) -> FloatArray:
    """Group means of gated pair scores, shape (trials, systems, items); systems share the items they are asked."""
    shape = (trials, len(systems), items)
    most = max(VARIANTS)

    def of(name: str) -> FloatArray:
        return np.array([getattr(system, name) for system in systems])[None, :, None]

    shared = generator.standard_normal((trials, 1, items))
    level = of("quality") + of("item") * shared + of("own") * generator.standard_normal(shape)
    variants = generator.choice(VARIANTS, (trials, 1, items))
    # The parts of two answers add up to the scatter of their pair.
    answers = of("pair")[..., None] / np.sqrt(2) * generator.standard_normal((*shape, most))
    lost = generator.random((*shape, 1)) < of("lost_items")[..., None]
    flagged = lost | (generator.random((*shape, most)) < of("flagged")[..., None])
    total, pairs = np.zeros(shape), np.zeros(shape)
    for first in range(most):
        for second in range(first + 1, most):
            asked = variants > second
            passes = ~(flagged[..., first] | flagged[..., second])
            total += np.clip(level + answers[..., first] + answers[..., second], 0.0, TOP) * passes * asked
            pairs += asked
    return total / pairs


def true_scores(generator: np.random.Generator, systems: Sequence[Population]) -> list[float]:
    """The score each system would have over endlessly many items."""
    blocks = [item_values(generator, systems, 1_000, 1)[0].mean(axis=1) for _ in range(ITEMS_OF_THE_TRUTH // 1_000)]
    return [float(score) for score in np.mean(blocks, axis=0)]


@dataclass(frozen=True, slots=True)
class Reached:
    """What the intervals of one population and number of items reach; shares of the trials."""

    population: str
    items: int
    true_score: float
    coverage: float
    """Of the interval of a system's score."""
    plain_coverage: float
    """The same of the plain percentile interval."""
    difference_coverage: float
    """Of the interval of the paired difference from a system half a point better."""
    false_separation: float
    """Paired differences of equal systems whose interval excludes 0."""
    plain_false_separation: float
    bands_hold: float
    """Rank bands, of systems a step apart, that hold the true rank."""
    boards_hold: float
    """Boards of these systems all of whose bands hold their true rank."""


def reached(name: str, items: int, trials: int, seed: int) -> Reached:
    """Simulates one row of the table."""
    generator = np.random.default_rng([seed, items, list(POPULATIONS).index(name)])
    system = POPULATIONS[name]
    better = Population(**(asdict(system) | {"quality": system.quality + 0.5}))
    low, high = true_scores(generator, [system, better])
    scores = item_values(generator, [system, system, better], items, trials)
    own = [_named(values[0]) for values in scores]
    equal = [_named(values[1]) for values in scores]
    other = [_named(values[2]) for values in scores]
    bands = [rank_bands(_board(values)) for values in _ranked(generator, system, items, trials, RANKED_STEP)]
    return Reached(
        population=name,
        items=items,
        true_score=low,
        coverage=_share(
            _holds(mean_metric({unit: [value] for unit, value in values.items()}, (0.0, TOP)), low) for values in own
        ),
        plain_coverage=_share(_plain_holds(scores[:, 0], low)),
        difference_coverage=_share(
            _holds(paired_difference(second, first), high - low) for first, second in zip(own, other, strict=True)
        ),
        false_separation=_share(
            excludes_zero(paired_difference(first, second)) for first, second in zip(own, equal, strict=True)
        ),
        plain_false_separation=1.0 - _share(_plain_holds(scores[:, 0] - scores[:, 1], 0.0)),
        bands_hold=_share(
            board[str(rank)].low <= rank <= board[str(rank)].high for board in bands for rank in _ranks()
        ),
        boards_hold=_share(
            all(board[str(rank)].low <= rank <= board[str(rank)].high for rank in _ranks()) for board in bands
        ),
    )


def _ranks() -> range:
    return range(1, RANKED_SYSTEMS + 1)


def _ranked(generator: np.random.Generator, system: Population, items: int, trials: int, step: float) -> FloatArray:
    """Boards of systems named by their true rank; a tenth of the trials, of which each gives a band per system."""
    middle = (RANKED_SYSTEMS + 1) / 2
    systems = [
        Population(**(asdict(system) | {"quality": system.quality + step * (middle - rank)})) for rank in _ranks()
    ]
    return item_values(generator, systems, items, max(1, trials // 10))


def _named(values: FloatArray) -> dict[str, float]:
    return {f"{number:03}": float(value) for number, value in enumerate(values)}


def _board(values: FloatArray) -> dict[str, Mapping[str, float]]:
    return {str(rank): _named(values[rank - 1]) for rank in _ranks()}


def _holds(metric: MetricValue, truth: float) -> bool:
    return metric.low is not None and metric.high is not None and metric.low <= truth <= metric.high


def _plain_holds(values: FloatArray, truth: float) -> list[bool]:
    """Does the percentile interval of each row's mean hold the truth?"""
    counts = draw_counts(values.shape[1])
    ends = [np.quantile(counts @ row / len(row), [TAIL, 1.0 - TAIL]) for row in values]
    return [bool(low <= truth <= high) for low, high in ends]


def _share(outcomes: Any) -> float:
    return float(np.mean(list(outcomes)))


# --- boards of equal systems -----------------------------------------------------------------------------------------

EQUALS = 20
UNLIKE = (Population(3.7, own=0.2, pair=0.6), Population(6.75, lost_items=0.22, flagged=0.02, own=1.0))
"""Both score 3.6: one answers all items alike, the other loses a fifth of them whole and has nearly 5 on the rest."""


@dataclass(frozen=True, slots=True)
class BoardsReached:
    """Boards of equal systems on which any two are told apart; shares of the boards."""

    ranked_by: str
    population: str
    units: int
    systems: int
    told_apart: float
    one_by_one: float
    """The same where each pair has a 95% interval of its own, as the boards had before."""


def boards_reached(trials: int, seed: int) -> Iterator[BoardsReached]:
    """Every row of the table."""
    for units in (8, 10, 15, 30, 100):
        for name in ("raw, middle of the scale", "gated, near the top", "gated, near the baselines"):
            yield score_boards(name, [POPULATIONS[name]] * EQUALS, units, trials, seed)
        yield score_boards("two kinds, equal scores", [*UNLIKE] * (EQUALS // 2), units, trials, seed)
    yield score_boards("raw, middle of the scale", [POPULATIONS["raw, middle of the scale"]] * 2, 15, trials, seed)
    for queries, share in ((10, 0.8), (30, 0.95), (80, 0.8)):
        yield _share_boards("PC, 22 pairs a query", share, queries, 22, trials, seed)
    yield _share_boards("robustness error, one row an example", 0.1, 100, 1, trials, seed)


def score_boards(name: str, systems: Sequence[Population], units: int, trials: int, seed: int) -> BoardsReached:
    """Boards ranked by scores, of systems of these populations."""
    generator = np.random.default_rng([seed, units, len(systems), len(name)])
    told, one_by_one = [], []
    for values in item_values(generator, systems, units, trials):
        board = {str(place): _named(row) for place, row in enumerate(values)}
        told.append(set(rank_bands(board).values()) != {(1, len(systems))})
        one_by_one.append(_any_apart(values))
    return BoardsReached("score", name, units, len(systems), _share(told), _share(one_by_one))


def _share_boards(name: str, share: float, units: int, rows: int, trials: int, seed: int) -> BoardsReached:
    """Systems that find the same units hard: the chance of each unit is drawn once for all."""
    generator = np.random.default_rng([seed, units, rows])
    told, one_by_one = [], []
    for _ in range(trials):
        chance = generator.beta(4.0 * share, 4.0 * (1.0 - share), units)
        parts = generator.binomial(rows, chance, (EQUALS, units)).astype(np.float64)
        bands = rank_bands({str(place): _named(row) for place, row in enumerate(parts)})  # all units have as many rows
        told.append(set(bands.values()) != {(1, EQUALS)})
        one_by_one.append(_any_apart(parts))
    return BoardsReached(name, f"share {share}", units, EQUALS, _share(told), _share(one_by_one))


def _any_apart(values: FloatArray) -> bool:
    """Has any pair of rows a bootstrap interval of its difference that excludes 0?"""
    units = values.shape[1]
    means, tail = values @ draw_counts(units).T / units, expanded_tail(units)
    for place, row in enumerate(means[:-1]):
        ends = np.quantile(row - means[place + 1 :], [tail, 1.0 - tail], axis=1)
        if ((ends[0] > SEPARATION_TOLERANCE) | (ends[1] < -SEPARATION_TOLERANCE)).any():
            return True
    return False


def boards_table(rows: Sequence[BoardsReached]) -> str:
    """The rows as a Markdown table, in percent."""
    head = "| ranked by | population | units | systems | boards that tell any two apart | pair by pair |"
    lines = [
        f"| {row.ranked_by} | {row.population} | {row.units} | {row.systems} | {row.told_apart:.1%} "
        f"| {row.one_by_one:.1%} |"
        for row in rows
    ]
    return "\n".join([head, "|---" * 6 + "|", *lines])


# --- CSP, which is no mean -------------------------------------------------------------------------------------------

CORRELATIONS = (0.0, 0.2, 0.5)
"""Of what all language pairs share of U and of A; what is each pair's own weakens it."""
CSP_QUESTIONS = (15, 30, 101)
LANGUAGE_PAIRS = 6
OWN_OF_PAIR = 0.7
QUESTIONS_OF_THE_TRUTH = 100_000

Distances = list[tuple[FloatArray, FloatArray]]
"""U and A of every pair of languages."""


def language_pairs(generator: np.random.Generator, correlation: float, questions: int) -> Distances:
    """Distances of one run: a part that all pairs of languages share, and a part of each pair's own."""
    unspecific, other = generator.standard_normal((2, questions))
    specific = correlation * unspecific + np.sqrt(1.0 - correlation**2) * other
    own = OWN_OF_PAIR * generator.standard_normal((LANGUAGE_PAIRS, 2, questions))
    return [(unspecific + of_u, specific + of_a) for of_u, of_a in own]


@dataclass(frozen=True, slots=True)
class SpecificityReached:
    """What the intervals of CSP reach; shares of the trials."""

    correlation: float
    questions: int
    true_csp: float
    coverage: float
    percentile_coverage: float
    """Of percentiles of CSP itself."""
    false_separation: float


def specificity_reached(correlation: float, questions: int, trials: int, seed: int) -> SpecificityReached:
    """Simulates one row of the table of CSP."""
    generator = np.random.default_rng([seed, questions, round(100 * correlation)])
    truth = specificity_of(language_pairs(generator, correlation, QUESTIONS_OF_THE_TRUTH)) if correlation else 1.0
    counts, tail = draw_counts(questions), expanded_tail(questions)
    held, held_plainly, separated = [], [], []
    for _ in range(trials):
        first, second = (
            mean_correlation_draws(language_pairs(generator, correlation, questions), counts) for _ in range(2)
        )
        interval = specificity_interval(first, questions)
        held.append(interval.low <= truth <= interval.high)
        held_plainly.append(_is_between(truth, 1.0 - first**2, tail))
        separated.append(not _is_between(0.0, second**2 - first**2, tail))
    return SpecificityReached(correlation, questions, truth, _share(held), _share(held_plainly), _share(separated))


def specificity_of(pairs: Distances) -> float:
    """CSP of many questions, without an interval."""
    return 1.0 - float(np.mean([rank_correlation(unspecific, specific) or 0.0 for unspecific, specific in pairs])) ** 2


def _is_between(value: float, drawn: FloatArray, tail: float) -> bool:
    low, high = np.quantile(drawn[~np.isnan(drawn)], [tail, 1.0 - tail])
    return bool(low <= value <= high)


def csp_table(rows: Sequence[SpecificityReached]) -> str:
    """The rows as a Markdown table, in percent."""
    lines = [
        f"| {row.correlation} | {row.questions} | {row.true_csp:.3f} | {row.coverage:.1%} "
        f"| {row.percentile_coverage:.1%} | {row.false_separation:.1%} |"
        for row in rows
    ]
    head = "| shared correlation | questions | true CSP | interval holds | percentiles of CSP | equal runs separated |"
    return "\n".join([head, "|---" * 6 + "|", *lines])


# --- the command -----------------------------------------------------------------------------------------------------


def table(rows: Sequence[Reached]) -> str:
    """The rows as a Markdown table, in percent."""
    head = (
        "| population | items | true score | 95% interval holds | plain percentile | difference holds "
        "| equal systems separated | plain percentile | rank bands hold | boards of six all hold |"
    )
    lines = [
        f"| {row.population} | {row.items} | {row.true_score:.2f} | {row.coverage:.1%} | {row.plain_coverage:.1%} "
        f"| {row.difference_coverage:.1%} | {row.false_separation:.1%} | {row.plain_false_separation:.1%} "
        f"| {row.bands_hold:.1%} | {row.boards_hold:.1%} |"
        for row in rows
    ]
    return "\n".join([head, "|---" * 10 + "|", *lines])


TABLES = (
    "rows",
    "figures",
    "boards",
    "hard_scores",
    "hard_boards",
    "hard_differences",
    "ratings",
    "attempts",
    "noise",
    "csp",
)


def _simulated(
    name: str, trials: int, items: Sequence[int], figure: str | None, seed: int
) -> tuple[Sequence[Any], str]:
    """Simulates one table: its rows, and these as a Markdown table."""

    def some(part: int) -> int:
        return max(1, trials // part)

    match name:
        case "rows":
            rows = [reached(name, number, trials, seed) for name in POPULATIONS for number in items]
            return rows, table(rows)
        case "figures":
            kinds = [kind for kind in figures() if figure in (None, kind.figure)]
            others = [figure_reached(figure, some(2), seed) for figure in kinds]
            return others, figures_table(others)
        case "boards":
            boards = list(boards_reached(some(5), seed))
            return boards, boards_table(boards)
        case "hard_scores":
            hard = [
                hard_scores_reached(population, number, trials, seed)
                for population in HARD_SCORES
                for number in population.items
            ]
            return hard, hard_scores_table(hard)
        case "hard_boards":
            unlike = [
                hard_boards_reached(population, number, some(2), seed)
                for population in HARD_BOARDS
                for number in HARD_BOARD_ITEMS
            ]
            return unlike, hard_boards_table(unlike)
        case "hard_differences":
            apart = [hard_difference_reached(*row, trials, seed) for row in HARD_DIFFERENCES]
            return apart, hard_differences_table(apart)
        case "ratings":
            ratings = [ratings_reached(*row, some(2), seed) for row in RATING_ROWS]
            return ratings, ratings_table(ratings)
        case "attempts":
            attempts = [attempts_reached(*row, trials, seed) for row in ATTEMPTS_ROWS]
            return attempts, attempts_table(attempts)
        case "noise":
            noise = [noise_reached(*row, trials, seed) for row in NOISE_ROWS]
            return noise, noise_table(noise)
        case _:
            csp = [
                specificity_reached(correlation, questions, some(10), seed)
                for correlation in CORRELATIONS
                for questions in CSP_QUESTIONS
            ]
            return csp, csp_table(csp)


def main() -> int:
    """Prints the table, or one JSON object as the last line."""
    parser = OneLineParser(prog="make bench-coverage", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    parser.add_argument("--trials", type=int, default=TRIALS, help=f"simulated submissions a row (default {TRIALS})")
    parser.add_argument("--items", type=int, nargs="+", default=ITEMS, help="numbers of items, at least 6")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--table", choices=TABLES, help="one of the tables alone")
    parser.add_argument("--figure", help="of the table of figures, one figure alone: AUC")
    options = parser.parse_args()
    told: dict[str, Sequence[Any]] = {}
    for name in (options.table,) if options.table else TABLES:
        told[name], printed = _simulated(name, options.trials, options.items, options.figure, options.seed)
        print(f"{printed}\n", flush=True)
    if options.json:
        report = {"commit": commit(), "trials": options.trials, "seed": options.seed}
        print(json.dumps(report | {name: [asdict(row) for row in rows] for name, rows in told.items()}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
