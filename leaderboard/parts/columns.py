"""A column of a table, declared once: key, label, format, direction, explanation; and cells as text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Literal, TypeVar

from evaluator.results import MetricValue
from evaluator.statistics.rank_bands import RankBand
from evaluator.values import fine_decimal, two_decimals
from leaderboard.parts.interval_bars import BarValue, Scale, bar_value
from submissions.schema import Count, Flag

Value = str | int | float | datetime | MetricValue | RankBand | Count | None
"""What a cell holds before it is written out."""

Format = Literal[
    "text", "code", "whole", "decimal", "signed", "interval", "fine", "rank", "share", "percent", "day", "time"
]
"""`fine`: a figure of unknown size, which has three significant digits below 0.01, with its interval where it has one;
`signed`: a decimal that says on which side of 0 it lies, with its interval where it has one; `percent`: a fraction in
percent with one decimal, with its interval where it has one."""

NOT_AVAILABLE = "n/a"

DocsPage = Literal[
    "metrics.md",
    "position_bias.md",
    "personalization.md",
    "personalized_evaluation.md",
    "judges.md",
    "which_judge.md",
    "behavior_alignment.md",
]
"""Pages of docs/ that explain figures under one heading each."""

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Column(Generic[Row]):
    """One column. Code speaks keys; only the page shows labels."""

    key: str
    label: str
    format: Format
    value: Callable[[Row], Value]
    tooltip: str
    better: Literal["higher", "lower", "nearer_zero"] | None = None
    """`nearer_zero` is sorted by size without sign."""
    docs_anchor: str = ""
    """Heading of the docs page that explains the figure; blank where the tooltip says it all."""
    docs_page: DocsPage = "metrics.md"
    sortable: bool = True
    is_searched: bool = False
    """The search looks at it."""
    remark: Callable[[Row], str] | None = None
    """Words that stand behind the value, and in a column of their own in downloads; behind a name they say what the
    row is."""
    about_remark: Callable[[Row], str] | None = None
    """What the words behind a name mean, where they are pointed at or tapped; blank = no more than they say."""
    hint: Callable[[Row], str] | None = None
    """What pointing at a cell tells besides (a p-value, an n); in downloads a column of its own."""
    is_faint: Callable[[Row], bool] | None = None
    """Does the row's value say too little to be read aloud? It is shown grey."""
    missing: str = ""
    """What a cell without a value says; blank = as its format does."""
    is_left_out_when_empty: bool = False
    """Does the table go without it while no row has a value?"""
    icon: str = ""
    """Stands for the words of a cell, which are a press away: a table with long words in it is hard to read."""
    is_told: Callable[[Row], bool] | None = None
    """Does a cell add nothing to what stands beside the row's name? The page then shows no icon for its words, and
    leaves the column out where no cell adds any. None = every cell does."""
    is_name: bool = False
    """The row's header cell; it stays in sight while the rest scrolls and opens the row."""
    scale: Scale | None = None
    """Where its figures can lie: they are drawn there as small bars beside the digits; None = digits alone."""

    @property
    def is_number(self) -> bool:
        return self.format in ("whole", "decimal", "signed", "interval", "fine", "rank", "share", "percent")

    @property
    def descends_first(self) -> bool:
        """Whether the first click on the column lists the largest values first."""
        return self.better == "higher" or self.format in ("day", "time")

    def text(self, row: Row) -> str:
        """The cell as people read it."""
        text = self.value_text(row)
        remark = self.remark(row) if self.remark else ""
        return f"{text} {remark}" if remark else text

    def text_beside_name(self, row: Row) -> str:
        """The cell where the names stand, too: blank where its words add nothing to what stands beside the name."""
        return "" if self.icon and self.is_told and self.is_told(row) else self.text(row)

    def value_text(self, row: Row) -> str:
        """The cell's text without its remark."""
        value = self.value(row)
        return self.missing if self.missing and value is None else text_of(value, self.format)

    def has_value(self, row: Row) -> bool:
        """Whether there is anything to read in the row's cell besides that nothing is known."""
        value = self.value(row)
        return value is not None and text_of(value, self.format) not in ("", NOT_AVAILABLE)

    def bar(self, row: Row) -> BarValue | None:
        """The cell's figure as a bar; None where there is no scale or no figure."""
        return bar_value(self.value(row), self.scale) if self.scale else None


def text_of(value: Value, format_: Format) -> str:
    """A value as people read it.

    >>> text_of(MetricValue(value=3.7251, low=3.134, high=4.2701, n=15), "interval")
    '3.73 [3.13, 4.27]'
    >>> text_of(RankBand(low=2, high=5), "rank")
    '2-5'
    >>> text_of(-0.004, "signed"), text_of(MetricValue(value=0.125, low=-0.05, high=0.3, n=40), "signed")
    ('0.00', '+0.12 [-0.05, +0.30]')
    >>> text_of(0.118, "percent"), text_of(MetricValue(value=0.125, low=0.05, high=0.3, n=40), "percent")
    ('11.8%', '12.5% [5.0, 30.0]')
    >>> text_of(MetricValue(value=5.7e-5, low=0.0, high=0.125, n=40), "fine")
    '0.0000570 [0.00, 0.12]'
    """
    match value:
        case None:
            return "" if format_ in ("text", "rank", "whole") else NOT_AVAILABLE
        case MetricValue() if format_ == "percent":
            return _interval_text(value, _points, "%")
        case MetricValue():
            return _interval_text(value, _WRITTEN[format_] if format_ in ("fine", "signed") else two_decimals)
        case RankBand():
            return str(value.low) if value.low == value.high else f"{value.low}-{value.high}"
        case Count():
            return str(value.answered) if value.expected is None else f"{value.answered}/{value.expected}"
        case datetime():
            return value.strftime("%Y-%m-%d" if format_ == "day" else "%Y-%m-%d %H:%M:%S UTC")
        case float():
            return _WRITTEN.get(format_, two_decimals)(value)
        case _:
            return str(value)


def _signed(value: float) -> str:
    rounded = round(value, 2)
    return f"{rounded:+.2f}" if rounded else "0.00"


def _share(value: float) -> str:
    return f"{value:.0%}"


def _points(value: float) -> str:
    return f"{100 * value:.1f}"


def _percent(value: float) -> str:
    return f"{_points(value)}%"


_WRITTEN: dict[Format, Callable[[float], str]] = {
    "fine": fine_decimal,
    "share": _share,
    "signed": _signed,
    "percent": _percent,
}


def _interval_text(metric: MetricValue, number: Callable[[float], str], unit: str = "") -> str:
    if metric.value is None:
        return NOT_AVAILABLE
    if metric.low is None or metric.high is None:
        return f"{number(metric.value)}{unit}"
    return f"{number(metric.value)}{unit} [{number(metric.low)}, {number(metric.high)}]"


RATING_SCALE: Scale = (0, 5)
SHARE_SCALE: Scale = (0, 1)
SIGNED_SCALE: Scale = (-1, 1)


NOTE_ICON, FLAG_ICON = "i", "\N{BLACK FLAG}"


def note_column() -> Column[Any]:
    """What else one must know about a row of a board, behind an icon."""
    explained = "What else one must know about the row: press the icon."
    return Column(
        "note",
        "Note",
        "text",
        lambda row: row.note,
        explained,
        sortable=False,
        icon=NOTE_ICON,
        is_told=lambda row: row.note in ("", row.origin),
    )


def flags_column() -> Column[Any]:
    """Answers of a row that are marked, behind an icon."""
    explained = "Answers marked by automatic checks, by kind: press the icon."
    return Column(
        "flags",
        "Flags",
        "text",
        lambda row: flag_text(row.flags),
        explained,
        docs_anchor="guards",
        sortable=False,
        icon=FLAG_ICON,
    )


def flag_text(flags: Mapping[Flag, int]) -> str:
    """`constant 12, echo 3`: the most frequent first."""
    counts = sorted((-count, flag) for flag, count in flags.items() if count)
    return ", ".join(f"{flag.replace('_', ' ')} {-count}" for count, flag in counts)
