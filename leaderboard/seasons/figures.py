"""Figures of a season's report as PDF: every ranked run of a board with its interval, and the places it may hold."""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

from evaluator.results import MetricValue
from evaluator.statistics.rank_bands import RankBand
from leaderboard.parts.visible_text import visible
from leaderboard.seasons.season_boards import SeasonBoard

COLUMN_INCHES = 3.25
"""Width of one column of a paper."""
ROW_INCHES = 0.16
MOST_CHARACTERS = 34
"""Of a name; the tables have it whole."""


@dataclass(frozen=True, slots=True)
class Span:
    """One line of a figure: a run with a value and what it may as well be."""

    name: str
    value: float
    low: float
    high: float


def headline_spans(board: SeasonBoard) -> list[Span]:
    """The headline figure of every row that has one with its interval, as the board has them in order."""
    kind = board.table.kind
    headline = next(column for column in kind.columns if column.key == kind.headline)
    name = next(column for column in kind.columns if column.is_name)
    spans = []
    for row in board.rows:
        value = headline.value(row)
        if isinstance(value, MetricValue) and None not in (value.value, value.low, value.high):
            spans.append(Span(str(name.text(row)), value.value or 0.0, value.low or 0.0, value.high or 0.0))
    return spans


def rank_spans(board: SeasonBoard) -> list[Span]:
    """The places that every ranked row of a board may hold, best first."""
    kind = board.table.kind
    name = next(column for column in kind.columns if column.is_name)
    if kind.rank is None:
        return []
    spans = []
    for row in board.rows:
        band = kind.rank.value(row)
        if isinstance(band, RankBand):
            spans.append(Span(str(name.text(row)), (band.low + band.high) / 2, band.low, band.high))
    return sorted(spans, key=lambda span: (span.low, span.high, span.name))


def interval_figure(spans: Sequence[Span], label: str) -> bytes:
    """A PDF as wide as a column: one line for each run, its interval and its value. The same spans, the same bytes.

    Args:
        label: What the values are.
    """
    from matplotlib import rc_context
    from matplotlib.backends.backend_pdf import FigureCanvasPdf
    from matplotlib.figure import Figure

    # Fonts as outlines in the file: what is set elsewhere looks the same. Names are text, whatever signs they have.
    with (
        rc_context({"pdf.fonttype": 42, "font.size": 7, "text.parse_math": False, "font.family": "DejaVu Sans"}),
        warnings.catch_warnings(),
    ):
        # A sign that the font does not have is drawn as a box: names are as teams write them.
        warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
        figure = Figure(figsize=(COLUMN_INCHES, 0.6 + ROW_INCHES * len(spans)), layout="constrained")
        FigureCanvasPdf(figure)
        axes = figure.add_subplot()
        places = range(len(spans))
        axes.hlines(places, [span.low for span in spans], [span.high for span in spans], color="#0b5566", linewidth=1.2)
        axes.plot([span.value for span in spans], list(places), "o", color="#0b5566", markersize=2.5)
        axes.set_yticks(list(places), [_name(span.name) for span in spans])
        axes.set_ylim(len(spans) - 0.5, -0.5)
        axes.set_xlabel(label)
        axes.grid(axis="x", color="#dddddd", linewidth=0.4)
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(axis="y", length=0)
        buffer = io.BytesIO()
        figure.savefig(buffer, format="pdf", metadata={"CreationDate": None, "Producer": None, "Creator": None})
    return buffer.getvalue()


def _name(text: str) -> str:
    shown = visible(text)
    return shown if len(shown) <= MOST_CHARACTERS else f"{shown[: MOST_CHARACTERS - 1]}…"
