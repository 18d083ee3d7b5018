"""The calibration curve of a judge's report: is what a judge states with 80% right 80% of the time?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from plotly.graph_objects import Figure as Drawing

from evaluator.judge_report.figure import Figure
from evaluator.judge_report.text import shown_name
from evaluator.results import MetricValue
from leaderboard.parts.chart import Chart, ChartRow, ChartSheet, ChartsValue, ChartTable, Head
from leaderboard.parts.drawing import Colours, empty_figure
from leaderboard.parts.row_figures import many_whiskers

PREFIX = "report-"
Judged = tuple[str, Sequence[Figure]]
"""A judge's name, and its figures."""


def calibration_value(judges: Iterable[Judged], *, is_dark: bool) -> ChartsValue | None:
    """The curve of every judge that states probabilities, each with its numbers; None where none does."""
    curves = [(shown_name(name), points) for name, figures in judges if (points := _points(figures))]
    if not curves:
        return None
    charts = [_chart(place, name, points) for place, (name, points) in enumerate(curves)]
    return ChartSheet(charts, prefix=PREFIX, source="Plumbline, judge report.").value(None, is_dark=is_dark)


def _points(figures: Sequence[Figure]) -> list[Figure]:
    """Of the curve, from the least that was stated to the most."""
    known = (figure for figure in figures if figure.stated is not None and figure.value is not None)
    return sorted(known, key=lambda figure: figure.stated or 0.0)


def _chart(place: int, name: str, points: Sequence[Figure]) -> Chart[None]:
    return Chart(
        f"calibration-{place}",
        f"Calibration of {name}",
        "How often people found the second answer better, over how probable the judge stated that to be, with 95% "
        "intervals. On the dashed line stated probabilities can be taken at face value; a flatter curve is that of a "
        "judge that is too sure.",
        lambda nothing, colours: calibration_curve(points, colours),
        lambda nothing: _table(points),
    )


def calibration_curve(points: Sequence[Figure], colours: Colours) -> Drawing:
    """Shares of labels over what was stated, with their intervals; a calibrated judge lies on the dashed line."""
    drawing = empty_figure(colours, height=380)
    drawing.add_scatter(
        x=[0, 1],
        y=[0, 1],
        mode="lines",
        line={"color": colours.muted, "width": 1.5, "dash": "dash"},
        name="calibrated",
        hoverinfo="skip",
    )
    shares = [_share(point) for point in points]
    drawing.add_scatter(
        x=[point.stated for point in points],
        y=[point.value for point in points],
        error_y=many_whiskers(shares, colours.judges[0]),
        text=[f"{point.n:,}" for point in points],
        mode="lines+markers",
        line={"color": colours.judges[0], "width": 1.5},
        marker={"size": 9, "color": colours.judges[0]},
        name="this judge",
        hovertemplate="stated %{x:.2f}, of labels %{y:.2f}, n = %{text}<extra></extra>",
    )
    drawing.update_xaxes(title="probability stated", range=[-0.03, 1.03], zeroline=False)
    drawing.update_yaxes(title="share of labels", range=[-0.03, 1.03], zeroline=False)
    drawing.update_layout(showlegend=True)
    return drawing


def _table(points: Sequence[Figure]) -> ChartTable:
    heads: tuple[Head, ...] = (("stated on average", "decimal"), ("share of labels", "interval"), ("n", "whole"))
    rows = tuple(
        ChartRow(point.key, f"{place}", (point.stated, _share(point), point.n))
        for place, point in enumerate(points, start=1)
    )
    return ChartTable("Point", heads, rows)


def _share(point: Figure) -> MetricValue:
    return MetricValue(value=point.value, low=point.low, high=point.high, n=point.n)
