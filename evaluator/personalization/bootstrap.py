"""Intervals of the personalization figures, by example (docs/personalization.md#ci).

An example (dataset, example_id) counts with all its rows: the same question under eleven preferences is one piece of
evidence, not eleven. Figures have the interval of shares of clusters, differences a bootstrap of examples with 2,000
draws and a fixed seed; neither depends on the order of the rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np

from evaluator.personalization.outcome_rows import OutcomeRow, UnitId
from evaluator.statistics.intervals import (
    DRAWS,
    MIN_UNITS,
    SEED,
    FloatArray,
    Interval,
    expanded_percentiles,
    ratio_interval,
)
from evaluator.statistics.queries import resampled_sums
from evaluator.values import MetricValue
from submissions.formats.personalization.submission import FOLLOW_THRESHOLD, Setting

MetricName = Literal["breakage_rate", "alignment_failure", "robustness_error", "performance_variation"]
METRIC_NAMES: tuple[MetricName, ...] = get_args(MetricName)
RepeatMetricName = Literal["repeat_breakage", "excess_breakage"]
REPEAT_METRIC_NAMES: tuple[RepeatMetricName, ...] = get_args(RepeatMetricName)

MAX_UNDEFINED_SHARE = 0.05
"""A figure that is undefined in more of the draws than this has no interval."""
BOOTSTRAP = {"unit": "example", "draws": DRAWS, "seed": SEED, "level": 0.95}
"""What a report says about its intervals."""


class Tally(NamedTuple):
    """Counts of rows with known outcomes, from which every figure is a quotient; one number each, or one per draw."""

    qstar: FloatArray
    """Rows whose control is right: Q*."""
    broken: FloatArray
    """Of those, wrong with preferences."""
    not_followed: FloatArray
    """Of those, judged and not followed."""
    not_robust: FloatArray
    """Of those, wrong or not followed."""
    unjudged: FloatArray
    """Of those, never judged."""
    both_right: FloatArray
    """Of all rows: |A0 ∩ A1|."""
    any_right: FloatArray
    """Of all rows: |A0 ∪ A1|."""
    qstar_repeat: FloatArray
    """Rows of Q* that have another control run."""
    broken_with_repeat: FloatArray
    """Of those, wrong with preferences."""
    repeat_broken: FloatArray
    """Of those, wrong in the other control run."""


_COLUMNS = len(Tally._fields)


def is_judged_setting(setting: Setting) -> bool:
    """Whether answers are judged against a relevant preference; elsewhere robustness is correctness alone."""
    return setting in ("relevant", "mixed")


def row_tally(c0: bool, c1: bool, followed: bool | None, repeat: bool | None, setting: Setting) -> tuple[bool, ...]:
    """What one row adds to each count of a `Tally`."""
    judged = is_judged_setting(setting)
    not_followed = judged and followed is False
    return (
        c0,
        c0 and not c1,
        c0 and not_followed,
        c0 and (not c1 or not_followed),
        c0 and judged and followed is None,
        c0 and c1,
        c0 or c1,
        c0 and repeat is not None,
        c0 and repeat is not None and not c1,
        c0 and repeat is False,
    )


class UnitTallies(NamedTuple):
    """The counts of every example."""

    units: list[UnitId]
    """Sorted."""
    counts: FloatArray
    """Shape (units, fields of `Tally`)."""

    @property
    def total(self) -> Tally:
        return Tally(*self.counts.sum(axis=0))


def unit_tallies(rows: Iterable[OutcomeRow], setting: Setting, threshold: float = FOLLOW_THRESHOLD) -> UnitTallies:
    """The counts of each example over its rows; rows whose outcomes are not known are left out."""
    tallies: list[tuple[bool, ...]] = []
    numbers: dict[UnitId, int] = {}
    places: list[int] = []
    for row in rows:
        if row.correct_no_pref is None or row.correct_pref is None:
            continue
        followed = row.is_followed(threshold)
        tallies.append(row_tally(row.correct_no_pref, row.correct_pref, followed, row.correct_no_pref_repeat, setting))
        places.append(numbers.setdefault(row.unit, len(numbers)))
    counts = np.zeros((len(numbers), _COLUMNS))
    np.add.at(counts, places, np.array(tallies, dtype=np.float64).reshape(-1, _COLUMNS))
    order = sorted(numbers, key=lambda unit: (unit[0] or "", unit[1]))
    return UnitTallies(order, counts[[numbers[unit] for unit in order]])


def metric_values(tally: Tally, setting: Setting) -> dict[MetricName | RepeatMetricName, FloatArray]:
    """The figures of one tally, or of each draw; NaN where undefined (section 5 of the specification)."""
    judged = is_judged_setting(setting)
    unjudged = np.asarray(tally.unjudged) > 0
    breakage = _quotient(tally.broken, tally.qstar)
    undefined = np.full_like(breakage, np.nan)
    robustness = np.where(unjudged, np.nan, _quotient(tally.not_robust, tally.qstar)) if judged else breakage
    alignment = np.where(unjudged, np.nan, _quotient(tally.not_followed, tally.qstar)) if judged else undefined
    repeat = _quotient(tally.repeat_broken, tally.qstar_repeat)
    return {
        "breakage_rate": breakage,
        "alignment_failure": alignment,
        "robustness_error": robustness,
        "performance_variation": _quotient(tally.any_right - tally.both_right, tally.any_right),
        "repeat_breakage": repeat,
        "excess_breakage": _quotient(tally.broken_with_repeat, tally.qstar_repeat) - repeat,
    }


def _quotient(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """A quotient, NaN where its denominator is 0."""
    below = np.asarray(denominator, dtype=np.float64)
    return np.divide(numerator, below, out=np.full_like(below, np.nan), where=below > 0)


def defined(value: FloatArray) -> float | None:
    """A figure as it is stored: None where it is undefined."""
    return None if np.isnan(value) else float(value)


def metric_intervals(tallies: UnitTallies, setting: Setting) -> dict[MetricName | RepeatMetricName, Interval | None]:
    """95 % intervals of the figures, by example (`intervals.ratio_interval`); `excess_breakage` lies between -1 and 1.

    None where the value itself is undefined, and with fewer than `MIN_UNITS` examples that count in it.
    """
    values = metric_values(tallies.total, setting)
    if not tallies.units:
        return dict.fromkeys(values)
    of = Tally(*tallies.counts.T)
    ratios: dict[MetricName | RepeatMetricName, tuple[FloatArray, FloatArray]] = {
        "breakage_rate": (of.broken, of.qstar),
        "alignment_failure": (of.not_followed, of.qstar),
        "robustness_error": (of.not_robust if is_judged_setting(setting) else of.broken, of.qstar),
        "performance_variation": (of.any_right - of.both_right, of.any_right),
        "repeat_breakage": (of.repeat_broken, of.qstar_repeat),
        "excess_breakage": (of.broken_with_repeat - of.repeat_broken, of.qstar_repeat),
    }
    return {
        name: None
        if np.isnan(values[name])
        else ratio_interval(*ratio, (-1.0, 1.0) if name == "excess_breakage" else (0.0, 1.0))
        for name, ratio in ratios.items()
    }


def _interval(value: FloatArray, draws: FloatArray, examples: int) -> Interval | None:
    known = draws[~np.isnan(draws)]
    if np.isnan(value) or examples < MIN_UNITS or len(known) < (1.0 - MAX_UNDEFINED_SHARE) * len(draws):
        return None
    return expanded_percentiles(known, examples)


def paired_method_difference(
    first: Sequence[OutcomeRow], second: Sequence[OutcomeRow], *, threshold: float = FOLLOW_THRESHOLD
) -> dict[MetricName, MetricValue]:
    """Each metric of the first method minus that of the second, on the examples both answered, by the same draws.

    Range -1 to 1; negative = the first loses less. `n` = common examples, `unscored` = examples only one of them has.
    None with a reason where either figure is undefined on the common examples; no interval as `metric_intervals`.

    Args:
        first: rows of one method, in one setting.
        second: rows of the other, in the same setting.
        threshold: a rating of it or above counts as followed.

    Raises:
        ValueError: the rows are not all of one setting.
    """
    settings = {row.setting for row in (*first, *second)}
    if len(settings) > 1:
        raise ValueError(f"rows of several settings cannot be compared: {', '.join(sorted(settings))}")
    if not first or not second:
        return {name: MetricValue(value=None, n=0, reason="no common example") for name in METRIC_NAMES}
    setting = first[0].setting
    first_tallies, second_tallies = (unit_tallies(rows, setting, threshold) for rows in (first, second))
    common = set(first_tallies.units) & set(second_tallies.units)
    first_tallies, second_tallies = _only(first_tallies, common), _only(second_tallies, common)
    unscored = len({row.unit for row in (*first, *second) if row.is_known}) - len(common)
    if not common:
        return {
            name: MetricValue(value=None, n=0, unscored=unscored, reason="no common example") for name in METRIC_NAMES
        }
    values = [metric_values(side.total, setting) for side in (first_tallies, second_tallies)]
    stacked = resampled_sums(np.hstack([first_tallies.counts, second_tallies.counts]), draws=DRAWS, seed=SEED)
    draws = [metric_values(Tally(*columns.T), setting) for columns in (stacked[:, :_COLUMNS], stacked[:, _COLUMNS:])]
    return {
        name: _difference(values[0][name] - values[1][name], draws[0][name] - draws[1][name], len(common), unscored)
        for name in METRIC_NAMES
    }


def _only(tallies: UnitTallies, kept: set[UnitId]) -> UnitTallies:
    places = [place for place, unit in enumerate(tallies.units) if unit in kept]
    return UnitTallies([tallies.units[place] for place in places], tallies.counts[places])


def _difference(value: FloatArray, draws: FloatArray, n: int, unscored: int) -> MetricValue:
    if np.isnan(value):
        reason = "undefined for one of the two on their common examples"
        return MetricValue(value=None, n=n, unscored=unscored, reason=reason)
    low, high = _interval(value, draws, n) or (None, None)
    return MetricValue(value=float(value), low=low, high=high, n=n, unscored=unscored)
