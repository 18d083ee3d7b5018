"""`python -m benchmarks.shorter_intervals`: is there an interval of a score that is as honest as ours and shorter?

Candidates beside Gaffke's bounds (`evaluator.statistics.mean_bounds`), on hard populations and on ordinary ones:

- the value that is added at the end of the scale weighs less: w in place of 1. Of x yes among n the ends are the points
  of Beta(x, n - x + w) and Beta(x + w, n - x), for w = 1 those of Clopper and Pearson;
- Student's t, whose reach on either side grows by what n values can hide, in quadrature: as much of the distance to the
  end as 1 - tail^(1/n), the share of lost items of which n show none in `tail` of the cases;
- Student's t.

No interval is both short on ordinary populations and right where losses are rare. Of a population F lose e of the
items: the n values are still those of F in (1 - e)^n of the samples. An interval that misses the new mean in at most 7%
then lies, on F itself, above that mean in at most 7% / (1 - e)^n (after Bahadur and Savage 1956, Annals of Mathematical
Statistics 27(4)). With n = 15 and e = 5% these are 15%.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv, stdtrit
from scipy.stats import binom

from benchmarks.hard_populations import HARD_SCORES, ITEMS_OF_THE_TRUTH, TOP, Draw, HardScores, beta
from benchmarks.provenance import commit
from evaluator.statistics.intervals import TAIL, FloatArray
from submissions.commands.command_line import OneLineParser

DRAWS = 4_000
"""Of the random weights of one cell: the 2.5% point is then off by at most 0.25% (one standard error)."""
WANTED = (0.94, 0.97)
"""What an interval of 95% is to hold, typically."""

Ends = tuple[FloatArray, FloatArray]
Rule = Callable[[FloatArray, np.random.Generator], Ends]
"""Values, shape (trials, items), 0-5 -> both ends of each trial."""


def _normal(mean: float, scatter: float) -> Draw:
    return lambda generator, shape: (mean + scatter * generator.standard_normal(shape)).clip(0.0, TOP)


def _yes(share: float) -> Draw:
    return lambda generator, shape: np.where(generator.random(shape) < share, TOP, 0.0)


def _stars(mean: float, scatter: float) -> Draw:
    draw = _normal(mean, scatter)
    return lambda generator, shape: draw(generator, shape).round()


UNITS = (*range(6, 41), 50, 80, 100, 200, 300)

ORDINARY = (
    HardScores("normal, 2.5 +- 1", _normal(2.5, 1.0)),
    HardScores("normal, 4.3 +- 0.8, cut at 5", _normal(4.3, 0.8)),
    HardScores("evenly spread", beta(1.0, 1.0)),
    HardScores("one-sided, beta 5, 2", beta(5.0, 2.0)),
    HardScores("stars 0 to 5, 3.2 +- 1.3", _stars(3.2, 1.3)),
    HardScores("yes in 70%", _yes(0.7)),
    HardScores("yes in 50%", _yes(0.5)),
)
"""Populations of the kind that intervals are usually shown on."""


def with_end(weight: float) -> Rule:
    """Random weights for the values, and for one at the end of the scale that weighs so much; 1 is Gaffke's."""

    def ends(values: FloatArray, generator: np.random.Generator) -> Ends:
        drawn = generator.exponential(size=(DRAWS, values.shape[1]))
        end = generator.gamma(weight, size=DRAWS)
        sums, total = values @ drawn.T, drawn.sum(axis=1) + end
        lower = np.quantile(sums / total, TAIL, axis=1)
        return lower, np.quantile((sums + TOP * end) / total, 1.0 - TAIL, axis=1)

    return ends


def with_unseen(tail: float) -> Rule:
    """Student's t and what n values can hide, in quadrature; tail 1 is Student's t."""

    def ends(values: FloatArray, generator: np.random.Generator) -> Ends:
        items = values.shape[1]
        mean = values.mean(axis=1)
        reach = -stdtrit(items - 1, TAIL) * values.std(axis=1, ddof=1) / items**0.5
        hidden = 1.0 - tail ** (1.0 / items)
        lower = np.maximum(mean - np.hypot(reach, hidden * mean), 0.0)
        return lower, np.minimum(mean + np.hypot(reach, hidden * (TOP - mean)), TOP)

    return ends


RULES: Mapping[str, Rule] = {
    "Gaffke's bounds (ours)": with_end(1.0),
    "the end weighs 0.75": with_end(0.75),
    "the end weighs 0.5": with_end(0.5),
    "t and what is hidden, 2.5%": with_unseen(0.025),
    "t and what is hidden, 5%": with_unseen(0.05),
    "t and what is hidden, 10%": with_unseen(0.1),
    "Student's t": with_unseen(1.0),
}


@dataclass(frozen=True, slots=True)
class Cell:
    """What one rule reaches on one population and number of items."""

    coverage: float
    width: float


def cells_of(population: HardScores, items: int, trials: int, seed: int) -> dict[str, Cell]:
    """Return what each rule reaches on the same draws."""
    truth = float(population.draw(np.random.default_rng(0), (ITEMS_OF_THE_TRUTH,)).mean())
    values = population.draw(np.random.default_rng([seed, items, len(population.name)]), (trials, items))
    cells = {}
    for name, rule in RULES.items():
        low, high = rule(values, np.random.default_rng([seed, items]))
        holds = (low <= truth + 1e-9) & (truth - 1e-9 <= high)
        cells[name] = Cell(float(holds.mean()), float((high - low).mean()))
    return cells


def table(populations: Sequence[HardScores], trials: int, seed: int) -> str:
    """Return a line for each rule as Markdown: its least and usual coverage, and its width beside ours."""
    cells = [cells_of(population, items, trials, seed) for population in populations for items in population.items]
    lines = [f"| rule, {len(cells)} cells | least | median | cells at 94 to 97% | width / ours |", "|---" * 5 + "|"]
    for name in RULES:
        held = np.array([cell[name].coverage for cell in cells])
        ours = next(iter(RULES))
        width = np.mean([cell[name].width / cell[ours].width for cell in cells])
        typical = ((WANTED[0] <= held) & (held <= WANTED[1])).mean()
        lines.append(f"| {name} | {held.min():.1%} | {np.median(held):.1%} | {typical:.0%} | {width:.2f} |")
    return "\n".join(lines)


def least_of_yes_or_no(weight: float, units: Sequence[int] = UNITS) -> float:
    """Return the least share of intervals that hold, of any share of yes and any of these numbers of units.

    No draws: the cases of each number of yes are summed. A share is tried just beside each end, where the sum falls.
    """
    least = 1.0
    for number in units:
        yes = np.arange(number + 1)
        low = np.append(0.0, betaincinv(yes[1:], number - yes[1:] + weight, TAIL))
        high = np.append(betaincinv(yes[:-1] + weight, number - yes[:-1], 1.0 - TAIL), 1.0)
        ends = np.concatenate([low[1:], high[:-1]])
        shares = np.concatenate([ends - 1e-9, ends + 1e-9])
        shares = shares[(shares > 0.0) & (shares < 1.0)]
        holds = (low[:, None] <= shares) & (shares <= high[:, None])
        least = min(least, float((binom.pmf(yes[:, None], number, shares) * holds).sum(axis=0).min()))
    return least


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table of the hard populations and one of the ordinary ones."""
    parser = OneLineParser(prog="python -m benchmarks.shorter_intervals", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--trials", type=int, default=2_000, help="simulated systems of each cell (default 2,000)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    print(f"commit {commit()}, {options.trials:,} trials a cell")
    for name, populations in (("hard", HARD_SCORES), ("ordinary", ORDINARY)):
        print(f"\n{name} populations: {', '.join(population.name for population in populations)}\n", flush=True)
        print(table(populations, options.trials, options.seed), flush=True)
    print(f"\nyes or no, {UNITS[0]} to {UNITS[-1]} units, at worst")
    for weight in (1.0, 0.75, 0.5):
        print(f"the end weighs {weight:g}: {least_of_yes_or_no(weight):.1%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
