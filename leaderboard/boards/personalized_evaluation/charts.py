"""Charts of the Personalized evaluation boards, drawn from the rows shown, each with the table behind it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from plotly.graph_objects import Figure

from evaluator.results import MetricValue
from leaderboard.boards.personalized_evaluation.rows import ASPECT_KEYS, EvaluatorRow
from leaderboard.parts.chart import Chart, ChartRow, ChartTable, Head
from leaderboard.parts.columns import text_of
from leaderboard.parts.drawing import Colours, NothingToShow, empty_figure, label_of, looks
from leaderboard.parts.row_charts import BoardChart, scores_chart
from leaderboard.parts.row_figures import many_whiskers, panels
from leaderboard.parts.shown_rows import Axis, ShownRows
from submissions.formats.personalized_evaluation.submission import ASPECTS

Shown = ShownRows[EvaluatorRow]

MOST_LINES = 10
"""Evaluators with a line of their own."""
EVEN = 0.5
STEP = 0.04
"""Evaluators stand so far beside each other at one k, or their whiskers would be one line."""


# --- tau against k ---------------------------------------------------------------------------------------------------


def _lines(shown: Shown) -> list[EvaluatorRow]:
    """One row of every evaluator; shown for several k it is still one line."""
    rows: dict[tuple[str, str, str, object], EvaluatorRow] = {}
    for row in shown.rows:
        if row.is_entry and any(metric.value is not None for _, metric in row.by_k):
            rows.setdefault((row.name, row.team, row.model, row.by_k), row)
    return list(rows.values())


def tau_against_k(shown: Shown, colours: Colours) -> Figure:
    """Every evaluator's headline for each number of reviews it was shown; references and published rows stand grey."""
    lines = _lines(shown)
    if not lines:
        raise NothingToShow("No run shown has a tau.")
    figure = empty_figure(colours, height=430)
    for place, (row, (colour, symbol)) in enumerate(zip(lines[:MOST_LINES], looks(colours), strict=False)):
        points = [(k, metric) for k, metric in row.by_k if metric.value is not None]
        aside = STEP * (place - (min(len(lines), MOST_LINES) - 1) / 2)
        figure.add_scatter(
            **_points(row.name, points, aside),
            mode="lines+markers" if len(points) > 1 else "markers",
            error_y=many_whiskers([metric for _, metric in points], colour),
            line={"color": colour, "width": 1.5},
            marker={"size": 10, "color": colour, "symbol": symbol},
            name=label_of(row.name),
        )
    others = [
        (row.k, metric, row.name)
        for row in shown.rows
        if not row.is_entry and row.k is not None and (metric := row.metric("tau")) and metric.value is not None
    ]
    if others:
        figure.add_scatter(
            x=[k for k, _, _ in others],
            y=[metric.value for _, metric, _ in others],
            mode="markers",
            marker={"size": 9, "color": colours.muted, "symbol": "diamond-open", "line": {"width": 1.5}},
            name="references, published",
            text=[f"{label_of(name)}: {text_of(metric, 'interval')}" for _, metric, name in others],
            hovertemplate="%{text}<extra></extra>",
        )
    ks = sorted({k for row in lines for k, _ in row.by_k} | {k for k, _, _ in others})
    figure.update_xaxes(title="k: reviews shown", tickvals=ks, range=[ks[0] - 0.5, ks[-1] + 0.5], zeroline=False)
    figure.update_yaxes(title="tau, all items", zeroline=True)
    figure.update_layout(showlegend=True)
    return figure


def _points(name: str, points: Sequence[tuple[int, MetricValue]], aside: float) -> dict[str, Any]:
    return {
        "x": [k + aside for k, _ in points],
        "y": [metric.value for _, metric in points],
        "text": [f"{label_of(name)}, k = {k}: {text_of(metric, 'interval')}" for k, metric in points],
        "hovertemplate": "%{text}<extra></extra>",
    }


def _k_table(shown: Shown) -> ChartTable:
    heads: tuple[Head, ...] = (("k", "whole"), ("tau, all items", "interval"), ("n items", "whole"))
    runs = (ChartRow(row.id, row.name, (k, metric, metric.n)) for row in _lines(shown) for k, metric in row.by_k)
    others = (
        ChartRow(row.id, row.name, (row.k, row.metric("tau"), row.n), row.style)
        for row in shown.rows
        if not row.is_entry
    )
    return ChartTable(shown.name.label, heads, (*runs, *others))


# --- the five aspects ------------------------------------------------------------------------------------------------


_ACCURACY: Axis[EvaluatorRow] = Axis("accuracy", lambda row: None, 0.0, 1.0, "percent", units="items")


def _with_aspects(shown: Shown) -> list[EvaluatorRow]:
    return [row for row in shown.rows if any(row.value(key) is not None for key in ASPECT_KEYS.values())]


def aspects(shown: Shown, colours: Colours) -> Figure:
    """A panel for each aspect: every row's accuracy among the answered items with its interval."""
    figure = panels(replace(shown, rows=_with_aspects(shown)), _ACCURACY, _by_aspect, colours)
    figure.add_vline(x=EVEN, line={"color": colours.muted, "dash": "dash", "width": 1.2}, row="all", col="all")
    return figure


def _by_aspect(row: EvaluatorRow) -> dict[str, MetricValue]:
    return {aspect: metric for aspect, key in ASPECT_KEYS.items() if (metric := row.metric(key))}


def _aspects_table(shown: Shown) -> ChartTable:
    heads: tuple[Head, ...] = tuple((aspect, "percent") for aspect in ASPECTS)
    rows = (
        ChartRow(row.id, row.label, tuple(row.metric(key) for key in ASPECT_KEYS.values()), row.style)
        for row in _with_aspects(shown)
    )
    return ChartTable(shown.name.label, heads, tuple(rows))


# --- win rates -------------------------------------------------------------------------------------------------------


def calibration(row: EvaluatorRow) -> list[tuple[float, float, int]]:
    """Predicted win rate, the mean of the readers' where it was predicted, and in how many comparisons.

    >>> row = EvaluatorRow(id="1", name="E", k=1, figures={}, win_rates=((0.4, 0.25, 1), (0.4, 0.75, 3)))
    >>> calibration(row)  # (0.25 + 3 * 0.75) / 4
    [(0.4, 0.625, 4)]
    """
    sums: defaultdict[float, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for predicted, gold, count in row.win_rates:
        sums[predicted][0] += gold * count
        sums[predicted][1] += count
    return [(predicted, total / count, int(count)) for predicted, (total, count) in sorted(sums.items())]


def win_rates(shown: Shown, colours: Colours) -> Figure:
    """Predicted share of aspects won by A, and what the readers said where it was predicted; the diagonal is right."""
    rows = [row for row in shown.rows if row.win_rates]
    if not rows:
        raise NothingToShow("No run shown has a comparison that is answered in every aspect.")
    figure = empty_figure(colours, height=430)
    figure.add_scatter(
        x=[0, 1],
        y=[0, 1],
        mode="lines",
        line={"color": colours.muted, "dash": "dash", "width": 1.2},
        name="as the readers",
        hoverinfo="skip",
    )
    for row, (colour, symbol) in zip(rows[:MOST_LINES], looks(colours), strict=False):
        points = calibration(row)
        most = max(count for _, _, count in points)
        figure.add_scatter(
            x=[predicted for predicted, _, _ in points],
            y=[gold for _, gold, _ in points],
            mode="lines+markers",
            line={"color": colour, "width": 1.2},
            marker={
                "size": [8 + 14 * (count / most) ** 0.5 for _, _, count in points],
                "color": colour,
                "symbol": symbol,
                "opacity": 0.8,
            },
            name=label_of(row.label),
            text=[
                f"{label_of(row.label)}<br>predicted {predicted:.0%}, readers {gold:.0%}, {count} comparisons"
                for predicted, gold, count in points
            ],
            hovertemplate="%{text}<extra></extra>",
            cliponaxis=False,
        )
    for update, words in (
        (figure.update_xaxes, "aspects won by A, predicted"),
        (figure.update_yaxes, "the same, by the readers"),
    ):
        update(title=words, tickformat=".0%", range=[-0.05, 1.05], zeroline=False)
    figure.update_layout(showlegend=True)
    return figure


def _win_rates_table(shown: Shown) -> ChartTable:
    heads: tuple[Head, ...] = (
        ("aspects won by A, predicted", "percent"),
        ("the same, by the readers (mean)", "percent"),
        ("comparisons", "whole"),
    )
    rows = (ChartRow(row.id, row.label, point) for row in shown.rows for point in calibration(row))
    return ChartTable(shown.name.label, heads, tuple(rows))


# --- declarations ----------------------------------------------------------------------------------------------------

_WHISKERS = (
    "Whiskers are 95% intervals over readers: how far the figure could move with other readers. Hollow "
    "markers have none: too few readers, references, published figures."
)

RATINGS_CHARTS: tuple[BoardChart[EvaluatorRow], ...] = (
    scores_chart(
        Axis("tau, all items", lambda row: row.metric("tau"), -1.0, 1.0, units="items"),
        title="Tau with intervals",
        explanation=_WHISKERS,
    ),
    Chart(
        "k",
        "Tau against the number of reviews shown",
        "Every evaluator shown, for each k it was run with on this data, whichever k the table shows. A line that "
        "rises says that knowing the reader helps; places are given within one k only.",
        tau_against_k,
        _k_table,
    ),
)

PAIRS_CHARTS: tuple[BoardChart[EvaluatorRow], ...] = (
    scores_chart(
        Axis("macro accuracy, all items", lambda row: row.metric("macro"), 0.0, 1.0, "percent", units="items"),
        title="Macro accuracy with intervals",
        explanation=_WHISKERS,
    ),
    Chart(
        "aspects",
        "The five aspects",
        f"Accuracy among the answered items; the dashed line is one half. {_WHISKERS}",
        aspects,
        _aspects_table,
        is_wide=True,
    ),
    Chart(
        "winrates",
        "Win rates, predicted and by the readers",
        "For every predicted share of aspects won by text A, the mean share by the readers, over comparisons answered "
        "in every aspect; large markers rest on many. On the dashed line the prediction is right on average.",
        win_rates,
        _win_rates_table,
    ),
)
