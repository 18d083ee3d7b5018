"""Which part of a whole stands apart from the others: each part against the mean of the others, on the same units.

A unit (a question) has one value for each part (a language). The difference of a part is, unit by unit, its value minus
the mean of the other parts' values, so what makes a unit hard in every part cancels out. There is one difference for
each part, and the lowest of many is low by chance: their intervals hold together, each leaving out its share of the 5 %
(Bonferroni), and a part is named only where its own interval excludes 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import fsum

from evaluator.statistics.intervals import SEPARATION_TOLERANCE, simultaneous_metric
from evaluator.values import MetricValue

MIN_PARTS = 3
"""Of two parts each is the mean of the others: their differences are one number with two signs."""


@dataclass(frozen=True, slots=True)
class PartDifference:
    """One part beside the others."""

    part: str
    mean: float
    """Of its values over the units."""
    difference: MetricValue
    """Its mean minus that of the other parts, with an interval that holds together with those of all parts; lower is
    worse where high values are good. `n` = units."""


@dataclass(frozen=True, slots=True)
class PartComparison:
    """All parts beside each other."""

    parts: tuple[PartDifference, ...]
    """The lowest first."""

    @property
    def lowest(self) -> PartDifference | None:
        """The part that stands lowest, where that is more than chance; None where no part can be told to."""
        first = self.parts[0].difference
        return self.parts[0] if first.high is not None and first.high < -SEPARATION_TOLERANCE else None


def compared_parts(values: Mapping[str, Mapping[str, float]]) -> PartComparison | None:
    """The parts of units side by side; None with fewer than `MIN_PARTS` of them, or without units.

    Args:
        values: Unit -> part -> value; every unit has every part.

    Raises:
        ValueError: when a unit lacks a part that another one has.

    >>> of_units = {str(unit): {"de": 4.0, "en": 4.0, "fr": 1.0} for unit in range(20)}
    >>> [(language.part, language.difference.value) for language in compared_parts(of_units).parts]
    [('fr', -3.0), ('de', 1.5), ('en', 1.5)]
    """
    parts = sorted({part for of_unit in values.values() for part in of_unit})
    if len(parts) < MIN_PARTS:
        return None
    lacking = sorted(unit for unit, of_unit in values.items() if len(of_unit) < len(parts))
    if lacking:
        raise ValueError(f"unit {lacking[0]!r} has {sorted(values[lacking[0]])}, expected a value for each of {parts}")
    differences = [_difference(values, part, len(parts)) for part in parts]
    return PartComparison(tuple(sorted(differences, key=lambda entry: (entry.difference.value or 0.0, entry.part))))


def _difference(values: Mapping[str, Mapping[str, float]], part: str, parts: int) -> PartDifference:
    differences = {
        unit: of_unit[part] - fsum(value for other, value in of_unit.items() if other != part) / (parts - 1)
        for unit, of_unit in values.items()
    }
    mean = fsum(of_unit[part] for of_unit in values.values()) / len(values)
    return PartDifference(part, mean, simultaneous_metric(differences, parts))
