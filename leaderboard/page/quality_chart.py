"""The calibration of a judge: does a score of 3 mean a grade of 3?"""

from __future__ import annotations

from plotly.graph_objects import Figure

from evaluator.judge_quality.measurement import JudgeQuality
from leaderboard.parts.chart import Chart, ChartRow, ChartTable, Head
from leaderboard.parts.drawing import Colours, NothingToShow, empty_figure

LARGEST_MARKER = 34
SMALLEST_MARKER = 8


def calibration(quality: JudgeQuality, colours: Colours) -> Figure:
    """Mean grade over mean score in bins of the score; a calibrated judge lies on the dashed line."""
    bins = quality.calibration
    if not bins:
        raise NothingToShow("No labelled pair was scored.")
    figure = empty_figure(colours, height=380)
    figure.add_scatter(
        x=[0, 5],
        y=[0, 5],
        mode="lines",
        line={"color": colours.muted, "width": 1.5, "dash": "dash"},
        name="score = grade",
        hoverinfo="skip",
    )
    most = max(bin_.n for bin_ in bins)
    figure.add_scatter(
        x=[bin_.mean_score for bin_ in bins],
        y=[bin_.mean_grade for bin_ in bins],
        text=[str(bin_.n) for bin_ in bins],
        mode="markers+text",
        textposition="top center",
        textfont={"color": colours.ink},
        marker={
            # The area follows the number of pairs.
            "size": [max(SMALLEST_MARKER, LARGEST_MARKER * (bin_.n / most) ** 0.5) for bin_ in bins],
            "color": colours.judges[0],
            "opacity": 0.8,
        },
        name="pairs, with their number",
        hovertemplate="mean score %{x:.2f}, mean grade %{y:.2f}, %{text} pairs<extra></extra>",
    )
    figure.update_xaxes(title="mean score of the judge", range=[-0.2, 5.2], zeroline=False)
    figure.update_yaxes(title="mean grade", range=[-0.3, 5.5], zeroline=False)
    return figure


def _table(quality: JudgeQuality) -> ChartTable:
    heads: tuple[Head, ...] = (("pairs", "whole"), ("mean score", "decimal"), ("mean grade", "decimal"))
    rows = tuple(
        ChartRow(str(bin_.low), f"{bin_.low:.1f} to {bin_.high:.1f}", (bin_.n, bin_.mean_score, bin_.mean_grade))
        for bin_ in quality.calibration
    )
    return ChartTable("Score", heads, rows)


CALIBRATION: Chart[JudgeQuality] = Chart(
    "calibration",
    "What its scores mean",
    "Our labelled pairs in bins of the judge's score. Above the dashed line it rates pairs too low, below it too high; "
    "a bin of few pairs says little.",
    calibration,
    _table,
)
