"""Charts of one system: beside another one item by item, and its team's runs over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from plotly.graph_objects import Figure

from evaluator.results import HEADLINE, MetricValue, View
from leaderboard.boards.robustness.comparison import RunComparison, system_name
from leaderboard.boards.robustness.rows import ScoredTicket
from leaderboard.parts.chart import Chart, ChartRow, ChartTable, Head
from leaderboard.parts.drawing import (
    ROW_PIXELS,
    Colours,
    NothingToShow,
    empty_figure,
    label_of,
    looks,
    name_rows,
    whiskers,
)

SHORTEST_SPAN = timedelta(hours=1)
"""Between the first and the last run of a chart over time: runs sent in one go are no history."""


def dumbbell(comparison: RunComparison, colours: Colours) -> Figure:
    """Both scores of every common item on one line; the item that speaks most for the first system on top."""
    items = comparison.items
    if not items:
        raise NothingToShow("The two were judged on no common item in this view.")
    figure = empty_figure(colours, height=120 + ROW_PIXELS * len(items))
    for place, item in enumerate(items):
        figure.add_scatter(
            x=[item.first, item.second],
            y=[place, place],
            mode="lines",
            line={"color": colours.muted, "width": 2},
            hoverinfo="skip",
            showlegend=False,
        )
    scores = ([item.first for item in items], [item.second for item in items])
    for name, own_scores, (colour, symbol) in zip(comparison.names, scores, looks(colours), strict=False):
        figure.add_scatter(
            x=own_scores,
            y=list(range(len(items))),
            mode="markers",
            marker={"size": 11, "color": colour, "symbol": symbol, "line": {"color": colours.surface, "width": 1}},
            name=label_of(name),
            text=[label_of(item.id) for item in items],
            hovertemplate=f"item %{{text}}, {label_of(name)}: %{{x:.2f}}<extra></extra>",
        )
    name_rows(figure, [item.id for item in items])
    figure.update_xaxes(title="score of the item, 0-5", range=[-0.15, 5.15], zeroline=False)
    figure.update_layout(legend={"y": 1.02, "yanchor": "bottom"})
    return figure


def _comparison_table(comparison: RunComparison) -> ChartTable:
    first, second = comparison.names
    heads: tuple[Head, ...] = ((first, "decimal"), (second, "decimal"), ("difference", "signed"))
    rows = (ChartRow(item.id, item.id, (item.first, item.second, item.difference)) for item in comparison.items)
    return ChartTable("Item", heads, tuple(rows))


@dataclass(frozen=True, slots=True)
class History:
    """The scored runs of one team on one prompt set, oldest first."""

    runs: Sequence[ScoredTicket]
    view: View

    def score(self, run: ScoredTicket) -> MetricValue:
        """The headline of a run."""
        return run.result.views[self.view].figures[HEADLINE].mean

    @property
    def spans_time(self) -> bool:
        """Do the runs lie far enough apart for a line over time? The attempts in the card's table say the rest."""
        received = [run.ticket.received_at for run in self.runs]
        return max(received) - min(received) >= SHORTEST_SPAN

    @property
    def systems(self) -> list[str]:
        """Names of its systems, in the order they came."""
        return list(dict.fromkeys(system_name(run.ticket) for run in self.runs))


def _over_time(history: History, colours: Colours) -> Figure:
    """The score of each run at the time it was received, one line per system."""
    if len(history.runs) < 2:
        raise NothingToShow("There is one run so far.")
    figure = empty_figure(colours, height=320)
    for system, (colour, symbol) in zip(history.systems, looks(colours), strict=False):
        runs = [run for run in history.runs if system_name(run.ticket) == system]
        scores = [history.score(run) for run in runs]
        reach = [whiskers(score, colour) for score in scores]
        figure.add_scatter(
            x=[run.ticket.received_at for run in runs],
            y=[score.value for score in scores],
            error_y={
                "type": "data",
                "symmetric": False,
                "array": [whisker["array"][0] if whisker else 0.0 for whisker in reach],
                "arrayminus": [whisker["arrayminus"][0] if whisker else 0.0 for whisker in reach],
                "color": colour,
                "thickness": 1.2,
            },
            mode="lines+markers",
            line={"color": colour, "width": 1.5},
            marker={"size": 10, "color": colour, "symbol": symbol},
            name=label_of(system),
            hovertemplate="%{x|%Y-%m-%d %H:%M}: %{y:.2f}<extra></extra>",
        )
    figure.update_xaxes(title="received (UTC)", nticks=5)
    figure.update_yaxes(title="score, 0-5", range=[-0.15, 5.15], zeroline=False)
    figure.update_layout(showlegend=True, legend={"y": 1.02, "yanchor": "bottom"})
    return figure


def _history_table(history: History) -> ChartTable:
    rows = (
        ChartRow(run.ticket.id, system_name(run.ticket), (run.ticket.received_at, history.score(run)))
        for run in history.runs
    )
    return ChartTable("System", (("received", "time"), ("score", "interval")), tuple(rows))


HISTORY: Chart[History] = Chart(
    "history",
    "The team's runs over time",
    "Score of every scored run on this prompt set, with its 95% interval. Withdrawn runs have no score and are listed "
    "above with their date.",
    _over_time,
    _history_table,
)

COMPARISON: Chart[RunComparison] = Chart(
    "comparison",
    "Item by item",
    "Both scores of every common item on one line, sorted by difference: where all lines lean to one side the systems "
    "differ, where they lean both ways the items decide.",
    dumbbell,
    _comparison_table,
)
"""Drawn for an opened system beside another one."""
