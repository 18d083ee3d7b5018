"""Are the controls of a run as good as the run itself? A control spoiled where an answer breaks hides what breaks.

Every figure of the board rests on the questions whose control is right. Whoever sends a wrong control for just those
questions that go wrong under preferences has no breakage. What gives it away is the run's own level: on the same
questions its other controls, or its answers under preferences, are right more often than the controls. Ours.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Literal

from evaluator.personalization.outcome_rows import OutcomeRow, UnitId
from evaluator.statistics.intervals import is_above_zero, paired_difference

Level = Literal["its other control runs", "its answers under preferences"]


@dataclass(frozen=True, slots=True)
class WeakControls:
    """Controls below the level of their own run, on the questions that both answer."""

    level: Level
    """What they are held against."""
    questions: int
    controls_right: float
    """Mean over questions of the share of controls that are right, 0-1."""
    level_right: float
    """The same of what they are held against."""

    @property
    def reason(self) -> str:
        """Why a row with such controls is not ranked."""
        return (
            f"controls below the run's own level: on the same {self.questions} questions {self.level} are "
            f"{self.level_right:.0%} right, its controls {self.controls_right:.0%}"
        )


Right = Mapping[UnitId, Sequence[float]]
"""Question -> 1 for each right text, 0 for each wrong one."""


def weak_controls(of_group: Iterable[OutcomeRow], levels: Mapping[Level, Right]) -> WeakControls | None:
    """What the controls of a group fall short of; None where they are at the level of their run, or above.

    A question counts once, with all its rows. The controls fall short where the 95% interval of the paired difference
    lies on the level's side of zero; with fewer than six common questions nothing can be told.

    Args:
        of_group: Rows of one method, setting and data set, or of several pooled.
        levels: Of the whole run (`own_levels`).

    >>> def row(number, c0, c1):
    ...     return OutcomeRow(str(number), "d", "irrelevant", c0, c1)
    >>> spoiled = [row(n, False, True) for n in range(6)] + [row(n, True, True) for n in range(6, 60)]
    >>> found = weak_controls(spoiled, own_levels(spoiled))
    >>> found.questions, found.controls_right, found.level_right
    (60, 0.9, 1.0)
    >>> honest = [row(n, True, False) for n in range(3)] + [row(n, n > 5, n > 5) for n in range(3, 60)]
    >>> weak_controls(honest, own_levels(honest)) is None
    True
    """
    controls: defaultdict[UnitId, list[float]] = defaultdict(list)
    for row in of_group:
        if row.correct_no_pref is not None:
            controls[row.unit].append(float(row.correct_no_pref))
    for level, right in levels.items():
        shortfall = _shortfall(level, controls, right)
        if shortfall is not None:
            return shortfall
    return None


def own_levels(of_run: Iterable[OutcomeRow]) -> dict[Level, Right]:
    """What the controls of a run are held against: all its rows, in all settings and by all methods."""
    others: defaultdict[UnitId, list[float]] = defaultdict(list)
    answers: defaultdict[UnitId, list[float]] = defaultdict(list)
    for row in of_run:
        for control in (row.correct_no_pref, row.correct_no_pref_repeat):
            if control is not None:
                others[row.unit].append(float(control))
        if row.setting != "none" and row.correct_pref is not None:
            answers[row.unit].append(float(row.correct_pref))
    return {"its other control runs": others, "its answers under preferences": answers}


def _shortfall(level: Level, controls: Right, right: Right) -> WeakControls | None:
    ours = {repr(unit): _mean(of_unit) for unit, of_unit in controls.items() if unit in right}
    theirs = {repr(unit): _mean(right[unit]) for unit in controls if unit in right}
    if not ours or not is_above_zero(paired_difference(theirs, ours)):
        return None
    return WeakControls(level, len(ours), _mean(list(ours.values())), _mean(list(theirs.values())))


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values)
