"""How a board and its figures come about, declared beside its columns: what the Methods page is written from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from evaluator.results import MetricValue
from evaluator.statistics.rank_bands import RankBand
from submissions.schema import Count

ExampleResult = float | MetricValue | RankBand | Count | None


@dataclass(frozen=True, slots=True)
class Example:
    """A worked example: what is given in words, and the function of the program that is asked for the figure."""

    given: str
    """With the arithmetic, up to its result."""
    result: Callable[[], ExampleResult]
    """Computed whenever the page is written, so that the page cannot say what the program does not do."""
    by_hand: str = ""
    """The figure, derived by hand from what is given, as its column writes it; tests hold the computed one to it.
    Blank for tasks of one's own, which are declared while the program runs."""


@dataclass(frozen=True, slots=True)
class Method:
    """How one figure of a board comes about."""

    scale: str
    """Unit and range: "0-5", "share, 0-1"."""
    formula: str
    rests_on: str = ""
    """What n counts, and how the interval is made; blank for plain counts."""
    example: Example | None = None
    undefined: str = ""
    """When there is no value; blank where there always is one."""
    neither: str = ""
    """Why neither end is better, for columns without a direction."""


Named = tuple[str, str]
"""A name and what it means."""


@dataclass(frozen=True, slots=True)
class BoardAbout:
    """What a reader must know of a board before its numbers."""

    ranks: str
    """What it ranks, and by what."""
    steps: tuple[str, ...]
    """From what a team sends to one number, in order."""
    ranking: str
    """How ranks are made, and who has none."""
    null_rows: tuple[Named, ...]
    """Rows that are no entries, and why each stands there."""
    guards: tuple[Named, ...]
    """Flags and notes, and what they do to a row."""
    limits: tuple[str, ...]
    """What not to conclude."""
    licence: str
    methods: Mapping[str, Method]
    """Key of a column -> how its figure comes about; every column of numbers has one."""
    pages: tuple[Named, ...] = ()
    """What its organiser wrote, title and text."""


EXACT = (
    "Gaffke's bounds: one more unit at the end of the scale, random weights for all, the 2.5% and 97.5% points of the "
    "weighted mean; of yes or no the exact binomial interval"
)
BY_UNIT = f"{EXACT}; none below six"
"""How figures between two ends get their interval; docs/metrics.md, interval."""

OVER_ITEMS = (
    f"n = judged items; 95% interval over items: {BY_UNIT}; of 15 items it holds the true score 97-100 times in 100"
)

ABOVE = (
    "above = the difference over what both have in common, divided by its scatter and by what is usual on the board, "
    "exceeds what the largest of any two reaches in 95% of draws of signs, so that with 95% all ranks of the board "
    "hold together"
)
"""When one row ranks above another; docs/metrics.md, rank_band."""


def rank_formula(plural: str) -> str:
    """Return how the places come about that a row may hold.

    >>> rank_formula("judges").partition(";")[0]
    'from 1 + the judges that rank above, to the number of ranked judges - those that rank below'
    """
    return f"from 1 + the {plural} that rank above, to the number of ranked {plural} - those that rank below; {ABOVE}"


FURTHER_OUT = (
    "percentiles further out than 2.5% and 97.5%, as few units need (with 15 the 1.3% and 98.7% points, with many the "
    "plain ones)"
)
EXPANDED = f"{FURTHER_OUT}, none below six"
"""How figures that are no shares get theirs, from a bootstrap; docs/metrics.md, interval."""


def whole(formula: str, scale: str, *, neither: str = "") -> Method:
    """A plain count."""
    return Method(scale, formula, neither=neither)
