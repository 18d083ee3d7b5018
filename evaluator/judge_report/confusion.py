"""Confusions: what people said of the same answers by row, what the judge said by column, counted.

Of comparisons there is one for each presentation order, as places are what a judge may favour; of ratings one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evaluator.judge_logs.judgements import Judgement
from evaluator.judge_report.figure import Figure
from evaluator.statistics.intervals import MIN_UNITS, drawn_sums, expanded_percentiles
from evaluator.statistics.queries import FloatArray
from submissions.verdicts.swap_outcomes import Verdict

_PLACES: tuple[Verdict, ...] = ("A", "C", "B")
_PLACE_NAMES = ("first", "tie", "second")
_POINTS = np.array([1.0, 0.5, 0.0])
"""What the answer shown first gains by each of them."""
_ORDERS = 2
"""The two orders of a pair; comparisons of which the order is not known stand in a third place."""
MOST_GRADES = 11
"""Different ratings that have a row of their own, as those of 0 to 10; of more there are `RANGES`."""
RANGES = 5


@dataclass(frozen=True, slots=True)
class Confusion:
    """One table of counts about one judge."""

    key: str
    title: str
    classes: tuple[str, ...]
    """What may be said, in order: of rows, which are people's, and of columns, which are the judge's."""
    counts: tuple[tuple[int, ...], ...]
    """By row."""
    of: str
    """What is counted."""
    meaning: str
    """One sentence."""
    shown_first: str = ""
    """The system that stands first in all of them; blank where there are more than two systems, or of ratings."""

    @property
    def n(self) -> int:
        """How many there are."""
        return sum(map(sum, self.counts))


class Labelled(NamedTuple):
    """A usable comparison, with its label by place."""

    judgement: Judgement
    label: Verdict

    @property
    def order(self) -> int:
        """0 = the system whose name comes first in the alphabet is shown first, 1 = the other; 2 = not known."""
        first, second = self.judgement.systems
        return int(first > second) if self.judgement.order_known and first != second else _ORDERS

    @property
    def cell(self) -> tuple[int, int]:
        """Row and column."""
        return _PLACES.index(self.label), _PLACES.index(self.judgement.verdict or "N")


@dataclass(frozen=True, slots=True)
class DrawnConfusions:
    """Labels against verdicts, with whole questions, or clusters of questions, drawn again."""

    units: int
    confusions: FloatArray
    """Draws x order x label x verdict."""


def drawn_confusions(labelled: Sequence[Labelled]) -> DrawnConfusions | None:
    """None with too few questions for an interval."""
    units = sorted({comparison.judgement.unit for comparison in labelled})
    if len(units) < MIN_UNITS:
        return None
    places = {unit: place for place, unit in enumerate(units)}
    confusions = np.zeros((len(units), _ORDERS + 1, 3, 3))
    for comparison in labelled:
        confusions[places[comparison.judgement.unit], comparison.order, *comparison.cell] += 1
    drawn = drawn_sums(confusions.reshape(len(units), -1))
    return DrawnConfusions(len(units), drawn.reshape(-1, *confusions.shape[1:]))


def interval_ends(
    drawn: DrawnConfusions | None, figure: Callable[[FloatArray], FloatArray]
) -> tuple[float | None, float | None]:
    """95% interval of a figure of drawn confusions; draws in which it has no value (nan) are left out."""
    values = np.empty(0) if drawn is None else figure(drawn.confusions)
    known = values[~np.isnan(values)]
    if drawn is None or not known.size:
        return None, None
    low, high = expanded_percentiles(known, drawn.units)
    return low, high


# --- comparisons, by order -------------------------------------------------------------------------------------------


def order_confusions(labelled: Sequence[Labelled]) -> Iterator[Confusion]:
    """A table for each presentation order that is there, where the log says which answer was shown first."""
    names = sorted({system for comparison in labelled for system in comparison.judgement.systems})
    for order, (key, which) in enumerate((("first", "first"), ("second", "last"))):
        counts = _counts([comparison for comparison in labelled if comparison.order == order])
        if counts.any():
            yield Confusion(
                f"confusion_{key}_by_name",
                f"Shown first: the system whose name comes {which} in the alphabet",
                _PLACE_NAMES,
                tuple(tuple(int(count) for count in row) for row in counts),
                "comparisons with a label",
                "Which place people find better by row, the judge by column: on the diagonal they agree, right of it "
                "the judge leans to the second place, left of it to the first.",
                names[order] if len(names) == _ORDERS else "",
            )


def order_difference(labelled: Sequence[Labelled], drawn: DrawnConfusions | None) -> Iterator[Figure]:
    """What an answer gains by being shown first, beyond what people say of the same comparisons.

    In either order the answer shown first has a share of the judge's verdicts and of the labels, a tie counting half.
    The sum of both excesses is how much more often a system wins when it is shown first than when it is second, in the
    judge's verdicts minus in the labels: -2 to 2, at most 1 in size where each pair is asked in both orders. It does
    not depend on which of two systems is called the first.
    """
    both = np.stack(
        [_counts([comparison for comparison in labelled if comparison.order == order]) for order in range(_ORDERS)]
    )
    if not both.any(axis=(1, 2)).all():
        return
    yield Figure(
        "order_difference",
        "Difference between the orders",
        float(_order_differences(both[np.newaxis])[0]),
        *interval_ends(drawn, _order_differences),
        int(both.sum()),
        "comparisons with a label",
        "How much more often an answer wins when it is shown first than when it is second, beyond what people say of "
        "the same comparisons, a tie counting half: 0 is best, above 0 the judge favours the first place.",
    )


def _counts(labelled: Sequence[Labelled]) -> FloatArray:
    counts = np.zeros((3, 3))
    for comparison in labelled:
        counts[comparison.cell] += 1
    return counts


def _order_differences(confusions: FloatArray) -> FloatArray:
    """Of draws x order x label x verdict; nan where a draw has one order only."""
    known = confusions[:, :_ORDERS]
    n = known.sum(axis=(2, 3))
    excess = known.sum(axis=2) @ _POINTS - known.sum(axis=3) @ _POINTS
    is_defined = n > 0
    differences: FloatArray = np.where(is_defined, excess / np.where(is_defined, n, 1.0), np.nan).sum(axis=1)
    return differences


# --- ratings ---------------------------------------------------------------------------------------------------------


def rating_confusion(pairs: Sequence[tuple[float, float]]) -> Confusion:
    """People's ratings against the judge's.

    Args:
        pairs: at least one; the judge's rating and that of people, of one answer.
    """
    values = sorted({value for pair in pairs for value in pair})
    if len(values) <= MOST_GRADES:
        starts, classes = values, tuple(f"{value:g}" for value in values)
    else:
        width = (values[-1] - values[0]) / RANGES
        starts = [values[0] + width * number for number in range(RANGES)]
        ends = [*starts[1:], values[-1]]
        classes = tuple(f"{low:g} to {high:g}" for low, high in zip(starts, ends, strict=True))
    counts = [[0] * len(classes) for _ in classes]
    for judged, said in pairs:
        counts[_class(said, starts)][_class(judged, starts)] += 1
    return Confusion(
        "confusion_ratings",
        "People's ratings against the judge's",
        classes,
        tuple(map(tuple, counts)),
        "ratings with a label",
        "People's rating by row, the judge's of the same answer by column: on the diagonal they agree, right of it the "
        "judge is kinder, left of it stricter.",
    )


def _class(value: float, starts: Sequence[float]) -> int:
    return bisect_right(starts, value) - 1
