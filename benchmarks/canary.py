"""`make bench-canary`: how often a canary gives a false alarm in 1,000 weeks, and how soon it finds an altered judge.

Judges are simulated by their noise: the chance that a reply is another than the judge's usual one, pair by pair. Every
trial makes a baseline of its own by the code of the canary (`evaluator.canary.course`), then 1,000 weeks without a
change; then, after 50 of these weeks, a judge whose verdict is another from then on for a share of the pairs, drawn
anew in every trial. `--between-weeks` lets the noise itself differ, as of a busy server: every day of the baseline and
every week has a factor of its own, of a log-normal distribution or of others (`--shape`). `--at-once` takes the
baseline of earlier records, asked within one hour. No network; a fixed seed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

import numpy as np
import numpy.typing as npt

from benchmarks.provenance import commit
from evaluator.canary.course import (
    ASKED_AT_ONCE,
    CHOOSING,
    DAYS,
    MEASURING,
    ROUNDS_TO_FALSE_ALARM,
    Asking,
    Baseline,
    courses,
)
from evaluator.canary.pairs import OWN_PAIRS
from evaluator.statistics.change_detection import DayNoise, detector_course
from submissions.commands.command_line import OneLineParser

SEED = 2203
TRIALS = 1_000
WEEKS = 1_000
WEEKS_BEFORE = 50
WEEKS_AFTER = 200
YEAR = 52
ALTERED = 0.05
USUAL, OTHER = 5.0, 0.0

DAY_OF_ASKING = (*[0] * CHOOSING, *(day for day in range(DAYS) for _ in range(MEASURING)))
"""On which day of a baseline each of its askings is."""

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

NOISES: Mapping[str, FloatArray] = {
    "none: a judge that repeats itself": np.zeros(OWN_PAIRS),
    "1% on every pair": np.full(OWN_PAIRS, 0.01),
    "2% on every pair": np.full(OWN_PAIRS, 0.02),
    "5% on every pair": np.full(OWN_PAIRS, 0.05),
    "30% on every tenth pair": np.where(np.arange(OWN_PAIRS) % 10 == 0, 0.3, 0.0),
    "40% on every fifth pair, else 0.1%": np.where(np.arange(OWN_PAIRS) % 5 == 0, 0.4, 0.001),
}
"""What a judge's noise is -> chance that it is heard, by pair. Hard pairs have most of it in real judges."""

SHAPES = ("log-normal", "gamma", "bursts")
"""Of what days and weeks multiply the noise by. Bursts: one in ten has four times the noise of the others."""


@dataclass(frozen=True, slots=True)
class Weather:
    """How far the noise differs between days and weeks."""

    spread: float = 0.0
    """Standard deviation of the factor: of its logarithm where it is log-normal; 0 = all alike."""
    shape: str = "log-normal"

    def factors(self, generator: np.random.Generator, number: int) -> FloatArray:
        """One for each day or week."""
        if not self.spread:
            return np.ones(number)
        match self.shape:
            case "gamma":
                return generator.gamma(self.spread**-2, self.spread**2, number)
            case "bursts":
                return np.where(generator.random(number) < 0.1, 4.0, 1.0)
            case _:
                return np.exp(self.spread * generator.standard_normal(number))


@dataclass(frozen=True, slots=True)
class CanaryFigures:
    """What canaries of one kind of judge come to."""

    noise: str
    trials: int
    unwatched: int
    """Baselines by which the judge cannot be watched."""
    false_alarms: float
    """Alarms in `WEEKS` weeks without a change, the detector beginning anew after each; mean over trials."""
    ever: float
    """Share of the trials with one or more."""
    median_weeks: float
    """From the change to the alarm; 1 = the first round after it."""
    most_weeks: float
    """In nine of ten trials it takes so many or fewer."""
    unfound: float
    """Share of the trials without an alarm in the year after the change."""


def canary_figures(
    noise: str,
    trials: int,
    seed: int = SEED,
    altered: float = ALTERED,
    weather: Weather = Weather(),
    *,
    is_at_once: bool = False,
) -> CanaryFigures:
    """Simulate canaries of judges with one kind of noise.

    Args:
        noise: One of `NOISES`.
        trials: Canaries.
        seed: Of all draws.
        altered: Share of the verdicts that change.
        weather: How far the noise differs between days and weeks.
        is_at_once: Whether the baseline is asked within one hour, as in earlier records.
    """
    generator = np.random.default_rng(seed)
    alarms: list[float] = []
    weeks: list[float] = []
    unwatched = 0
    for _ in range(trials):
        outcome = _trial(generator, NOISES[noise], altered, weather, is_at_once=is_at_once)
        if outcome is None:
            unwatched += 1
            continue
        alarms.append(outcome[0])
        weeks.append(outcome[1])
    return CanaryFigures(
        noise,
        trials,
        unwatched,
        false_alarms=float(np.mean(alarms or [np.nan])),
        ever=float(np.mean(np.array(alarms or [np.nan]) > 0)),
        median_weeks=float(np.median(weeks or [np.nan])),
        most_weeks=float(np.quantile(weeks or [np.nan], 0.9, method="inverted_cdf")),
        unfound=float(np.mean(np.array(weeks or [np.nan]) > YEAR)),
    )


def _trial(
    generator: np.random.Generator, noise: FloatArray, altered: float, weather: Weather, *, is_at_once: bool
) -> tuple[int, float] | None:
    """(alarms without a change, weeks until the change is found); None where the baseline cannot watch."""
    baseline = _baseline(generator, noise, weather, is_at_once=is_at_once)
    if not baseline.can_watch:
        return None
    weekly = weather.factors(generator, WEEKS + WEEKS_AFTER)
    places = np.fromiter(baseline.verdicts, np.int64)
    is_usual = np.array([verdict == USUAL for verdict in baseline.verdicts.values()])
    heard = heard_chances(noise[places], weekly[:, None])
    chances = np.where(is_usual, heard, 1 - heard)
    calm = (generator.random((WEEKS, len(places))) < chances[:WEEKS]).sum(axis=1)
    later = chances[WEEKS:]
    changed = np.where(generator.random(len(places)) < altered, 1 - later, later)
    after = (generator.random((WEEKS_AFTER, len(places))) < changed).sum(axis=1)
    course = detector_course([*calm[:WEEKS_BEFORE], *after], len(places), baseline.noises)[WEEKS_BEFORE:]
    alarm_weeks = np.flatnonzero(course >= ROUNDS_TO_FALSE_ALARM)
    return _alarms(calm, len(places), baseline.noises), float(alarm_weeks[0]) + 1 if len(alarm_weeks) else np.inf


def _baseline(generator: np.random.Generator, noise: FloatArray, weather: Weather, *, is_at_once: bool) -> Baseline:
    day_of, steps = DAY_OF_ASKING, [*range(1, len(DAY_OF_ASKING) + 1)]
    if is_at_once:
        day_of, steps = (0,) * ASKED_AT_ONCE, [None] * ASKED_AT_ONCE
    factors = weather.factors(generator, max(day_of) + 1)
    said = [
        _asking(generator.random(len(noise)) < heard_chances(noise, factors[day]), step)
        for day, step in zip(day_of, steps, strict=True)
    ]
    baseline = courses(said)[0].baseline
    assert baseline is not None  # it has all its askings
    return baseline


def heard_chances(noise: FloatArray, weekly: float | FloatArray) -> FloatArray:
    """Return the chances that another verdict is heard, by pair: of one week, or of several as (weeks, pairs)."""
    return np.asarray(np.minimum(0.5, noise * weekly), dtype=np.float64)


def _asking(is_other: BoolArray, step: int | None) -> Asking:
    return Asking(datetime.fromtimestamp(0, UTC), tuple(np.where(is_other, OTHER, USUAL).tolist()), step)


def _alarms(hits: npt.NDArray[np.int64], pairs: int, noises: Sequence[DayNoise]) -> int:
    """Alarms of a detector that begins anew after each."""
    alarms = 0
    while len(hits):
        alarm_weeks = np.flatnonzero(detector_course(hits, pairs, noises) >= ROUNDS_TO_FALSE_ALARM)
        if not len(alarm_weeks):
            break
        alarms += 1
        hits = hits[alarm_weeks[0] + 1 :]
    return alarms


def figures_table(figures: Sequence[CanaryFigures]) -> str:
    """The figures as a table of Markdown."""
    lines = [
        f"| noise of the judge | alarms in {WEEKS:,} weeks without a change | canaries with any | found after, median "
        "weeks | nine of ten within | not found in a year |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {figure.noise} | {figure.false_alarms:.3f} | {figure.ever:.1%} | {figure.median_weeks:.0f} | "
        f"{figure.most_weeks:.0f} | {figure.unfound:.1%} |"
        for figure in figures
    ]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the table."""
    parser = OneLineParser(prog="python -m benchmarks.canary", description=__doc__)
    parser.add_argument("--trials", type=int, default=TRIALS, help=f"canaries of each kind (default {TRIALS:,})")
    parser.add_argument("--altered", type=float, default=ALTERED, help=f"share of the verdicts (default {ALTERED})")
    parser.add_argument(
        "--between-weeks",
        type=float,
        default=0.0,
        metavar="SD",
        help="of the logarithm of what each day and week multiplies the noise by (default 0: all alike)",
    )
    parser.add_argument("--shape", choices=SHAPES, default=SHAPES[0], help="of that factor; SD is then its own")
    parser.add_argument(
        "--at-once", action="store_true", help="a baseline asked within one hour, as in earlier records"
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    weather = Weather(options.between_weeks, options.shape)
    figures = [
        canary_figures(noise, options.trials, altered=options.altered, weather=weather, is_at_once=options.at_once)
        for noise in NOISES
    ]
    if options.json:
        print(json.dumps({"commit": commit(), "figures": [asdict(figure) for figure in figures]}))
    else:
        print(
            f"{options.trials:,} canaries of {OWN_PAIRS} pairs of each kind, {options.altered:.0%} altered, days and "
            f"weeks differ by {options.between_weeks}, baseline of {'an hour' if options.at_once else f'{DAYS} days'}\n"
        )
        print(figures_table(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
