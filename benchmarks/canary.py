"""`make bench-canary`: how often a canary cries wolf in 1,000 weeks, and how soon it finds a judge that was altered.

Judges are simulated by their noise: the chance that a reply is another than the judge's usual one, pair by pair. Every
trial makes a baseline of its own by the code of the canary (`evaluator.canary.course`), then 1,000 weeks without a
change; then, after 50 of these weeks, a judge whose verdict is another from then on for a share of the pairs, drawn
anew in every trial. `--between-weeks` lets the noise itself differ from week to week, as of a busy server: the baseline
is asked in one week. No network; a fixed seed.
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
from evaluator.canary.course import BASELINE, ROUNDS_TO_FALSE_ALARM, Asking, baseline_of
from evaluator.canary.pairs import OWN_PAIRS
from evaluator.statistics.change_detection import detector_course
from submissions.commands.command_line import OneLineParser

SEED = 2203
TRIALS = 1_000
WEEKS = 1_000
WEEKS_BEFORE = 50
WEEKS_AFTER = 200
YEAR = 52
ALTERED = 0.05
USUAL, OTHER = 5.0, 0.0

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
    noise: str, trials: int, seed: int = SEED, altered: float = ALTERED, between: float = 0.0
) -> CanaryFigures:
    """Simulates canaries of judges with one kind of noise.

    Args:
        noise: One of `NOISES`.
        trials: Canaries.
        seed: Of all draws.
        altered: Share of the verdicts that change.
        between: Standard deviation of the logarithm of what each week multiplies the noise by; its median is 1.
    """
    generator = np.random.default_rng(seed)
    alarms: list[float] = []
    weeks: list[float] = []
    unwatched = 0
    for _ in range(trials):
        outcome = _trial(generator, NOISES[noise], altered, between)
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
    generator: np.random.Generator, noise: FloatArray, altered: float, between: float
) -> tuple[int, float] | None:
    """(alarms without a change, weeks until the change is found); None where the baseline cannot watch."""
    weekly = np.ones(1 + WEEKS + WEEKS_AFTER)
    if between:
        weekly = np.exp(between * generator.standard_normal(len(weekly)))
    first = _heard(noise, weekly[0])
    baseline = baseline_of([_asking(generator.random(len(noise)) < first) for _ in range(BASELINE)])
    if not baseline.can_watch:
        return None
    places = np.fromiter(baseline.verdicts, np.int64)
    is_usual = np.array([verdict == USUAL for verdict in baseline.verdicts.values()])
    heard = _heard(noise[places], weekly[1:, None])
    chances = np.where(is_usual, heard, 1 - heard)
    calm = (generator.random((WEEKS, len(places))) < chances[:WEEKS]).sum(axis=1)
    later = chances[WEEKS:]
    changed = np.where(generator.random(len(places)) < altered, 1 - later, later)
    after = (generator.random((WEEKS_AFTER, len(places))) < changed).sum(axis=1)
    course = detector_course([*calm[:WEEKS_BEFORE], *after], len(places), baseline.bound)[WEEKS_BEFORE:]
    alarm_weeks = np.flatnonzero(course >= ROUNDS_TO_FALSE_ALARM)
    return _alarms(calm, len(places), baseline.bound), float(alarm_weeks[0]) + 1 if len(alarm_weeks) else np.inf


def _heard(noise: FloatArray, weekly: float | FloatArray) -> FloatArray:
    """The chances of one week, or of several."""
    return np.asarray(np.minimum(0.5, noise * weekly), dtype=np.float64)


def _asking(is_other: BoolArray) -> Asking:
    return Asking(datetime.fromtimestamp(0, UTC), tuple(np.where(is_other, OTHER, USUAL).tolist()))


def _alarms(hits: npt.NDArray[np.int64], pairs: int, bound: float) -> int:
    """Alarms of a detector that begins anew after each."""
    alarms = 0
    while len(hits):
        alarm_weeks = np.flatnonzero(detector_course(hits, pairs, bound) >= ROUNDS_TO_FALSE_ALARM)
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
        help="of the logarithm of what each week multiplies the noise by (default 0: all weeks alike)",
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    figures = [
        canary_figures(noise, options.trials, altered=options.altered, between=options.between_weeks)
        for noise in NOISES
    ]
    if options.json:
        print(json.dumps({"commit": commit(), "figures": [asdict(figure) for figure in figures]}))
    else:
        print(
            f"{options.trials:,} canaries of {OWN_PAIRS} pairs of each kind, {options.altered:.0%} altered, weeks "
            f"differ by {options.between_weeks}\n"
        )
        print(figures_table(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
