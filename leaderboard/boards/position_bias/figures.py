"""Charts of the Judges board: pure functions from a board to a plotly figure, in light or dark colours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle

from plotly.graph_objects import Figure

from evaluator.results import QualityCell
from leaderboard.boards.position_bias.cache import JudgeBoard
from leaderboard.boards.position_bias.rows import JudgeRow, fairness_stars
from leaderboard.boards.position_bias.state import Agreement
from leaderboard.parts.drawing import (
    ROW_PIXELS,
    Colours,
    NothingToShow,
    diverging,
    empty_figure,
    faded,
    heat_cells,
    label_of,
    looks,
    name_columns,
    name_rows,
    sequential,
    whiskers,
)

OUTCOME_COLOURS: dict[str, str] = {
    "consistent_wins_first": "#0072b2",
    "consistent_wins_second": "#56b4e9",
    "consistent_ties": "#009e73",
    "primacy": "#e69f00",
    "recency": "#d55e00",
    "n_invalid": "#999999",
}
OUTCOME_LABELS: dict[str, str] = {
    "consistent_wins_first": "first candidate wins",
    "consistent_wins_second": "second candidate wins",
    "consistent_ties": "tie",
    "primacy": "primacy flip",
    "recency": "recency flip",
    "n_invalid": "unusable",
}
_PATTERNS = {"primacy": "\\", "recency": "/", "n_invalid": "."}
"""Flips differ from consistent outcomes without colour too."""

_PUBLISHED = "(published)"

Maker = Callable[[JudgeBoard, Colours], Figure]


def outcomes(board: JudgeBoard, colours: Colours) -> Figure:
    """What became of every judge's pairs, as 100 % bars: consistent wins and ties, flips to either side, unusable."""
    judges = [row for row in board.judges if row.count("n_pairs")]
    if not judges:
        raise NothingToShow("No judge has a pair run in both orders.")
    figure = empty_figure(colours, height=190 + ROW_PIXELS * len(judges))
    for key, label in OUTCOME_LABELS.items():
        counts = [row.count(key) for row in judges]
        shares = [count / row.count("n_pairs") for count, row in zip(counts, judges, strict=True)]
        figure.add_bar(
            x=shares,
            y=list(range(len(judges))),
            orientation="h",
            name=label,
            marker={
                "color": OUTCOME_COLOURS[key],
                "line": {"color": colours.surface, "width": 1},
                "pattern": {"shape": _PATTERNS.get(key, ""), "fillmode": "overlay", "fgcolor": colours.surface},
            },
            customdata=counts,
            hovertemplate=f"{label}: %{{x:.1%}} (%{{customdata}} pairs)<extra></extra>",
        )
    # Room for the second half of "100%".
    figure.update_layout(barmode="stack", bargap=0.25, legend={"traceorder": "normal"}, margin={"r": 28})
    figure.update_xaxes(tickformat=".0%", range=[0, 1], tickvals=[0, 0.2, 0.4, 0.6, 0.8, 1])
    name_rows(figure, *_called(judges))
    return figure


def plane(board: JudgeBoard, colours: Colours) -> Figure:
    """Every judge at its PC and PF with both intervals, inside the triangle PC + |PF| <= 1 no judge can leave."""
    judges = [row for row in board.judges if row.number("position_consistency") is not None]
    if not judges:
        raise NothingToShow("No judge has a pair of two usable verdicts, so there is no PC.")
    figure = empty_figure(colours, height=430)
    figure.add_scatter(
        x=[0, 1, 0, 0],
        y=[-1, 0, 1, -1],
        mode="lines",
        fill="toself",
        fillcolor=faded(colours.line),
        line={"color": colours.muted, "width": 1, "dash": "dot"},
        hoverinfo="skip",
        showlegend=False,
    )
    for row, (colour, symbol) in zip(judges, looks(colours), strict=False):
        consistency, fairness = row.metric("position_consistency"), row.metric("preference_fairness")
        figure.add_scatter(
            x=[consistency.value],
            y=[fairness.value],
            error_x=whiskers(consistency, colour),
            error_y=whiskers(fairness, colour),
            mode="markers",
            marker={"size": 11, "color": colour, "symbol": symbol, "line": {"color": colours.surface, "width": 1}},
            name=_label(row),
            hovertemplate="PC %{x:.2f}, PF %{y:+.2f}<extra></extra>",
        )
    figure.add_scatter(
        x=[row.number("position_consistency") for row in board.baselines],
        y=[row.number("preference_fairness") for row in board.baselines],
        mode="markers+text",
        marker={"size": 9, "color": colours.muted, "symbol": "diamond-open"},
        text=[row.name for row in board.baselines],
        # To the right of it the chart ends.
        textposition=[
            "bottom center" if row.number("position_consistency") == 1 else "middle right" for row in board.baselines
        ],
        textfont={"color": colours.muted, "size": 11},
        name="baselines",
        hovertemplate="PC %{x:.2f}, PF %{y:+.2f}<extra></extra>",
    )
    # Room on the right for the name of the baseline at PC 1.
    figure.update_xaxes(
        title="position consistency (PC)", range=[-0.03, 1.25], zeroline=False, tickvals=[0, 0.2, 0.4, 0.6, 0.8, 1]
    )
    figure.update_yaxes(
        title="← primacy   PF   recency →", range=[-1.08, 1.08], zeroline=True, zerolinecolor=colours.muted
    )
    return figure


AGREEMENT_LABELS: dict[Agreement, str] = {
    "with_ties": "with ties",
    "without_ties": "without ties",
    "kappa": "Cohen's kappa",
    "consistent_outcomes": "consistent outcomes",
}


def agreement(way: Agreement) -> Maker:
    """How far every two judges agree, one way of comparing."""
    return lambda board, colours: _agreement(board, colours, way)


def _agreement(board: JudgeBoard, colours: Colours, way: Agreement) -> Figure:
    judges = board.judges
    if len(judges) < 2:
        raise NothingToShow("One judge alone cannot agree with anybody.")
    matrix = board.agreement.get(way, {})
    values = [[matrix.get((judge.id, other.id)) for other in judges] for judge in judges]
    if all(value is None for (judge, other), value in matrix.items() if judge != other):
        raise NothingToShow("No two judges have usable verdicts on the same prompts.")
    lowest = -1.0 if way == "kappa" and any(value is not None and value < 0 for value in matrix.values()) else 0.0
    figure = empty_figure(colours, height=160 + ROW_PIXELS * len(judges))
    figure.add_heatmap(
        z=values,
        colorscale=diverging(colours) if lowest < 0 else sequential(colours),
        zmin=lowest,
        zmax=1.0,
        **heat_cells(values, "decimal", colours),
    )
    name_rows(figure, *_called(judges))
    name_columns(figure, [row.name for row in judges])
    return figure


def consistency_by_task(board: JudgeBoard, colours: Colours) -> Figure:
    """PC of every judge on every task."""
    judges, tasks = _judges_and_tasks(board)
    values = [[_task_number(row, task, "position_consistency") for task in tasks] for row in judges]
    figure = empty_figure(colours, height=220 + ROW_PIXELS * len(judges))
    figure.add_heatmap(
        z=values, colorscale=sequential(colours), zmin=0.0, zmax=1.0, **heat_cells(values, "decimal", colours)
    )
    name_rows(figure, *_called(judges))
    name_columns(figure, tasks)
    return figure


def fairness_by_task(board: JudgeBoard, colours: Colours) -> Figure:
    """PF of every judge on every task on a symmetric scale; a star marks what holds after Holm's adjustment."""
    judges, tasks = _judges_and_tasks(board)
    values = [[_task_number(row, task, "preference_fairness") for task in tasks] for row in judges]
    stars = fairness_stars(judges, tasks)
    cells = heat_cells(values, "signed", colours)
    cells["text"] = [
        [f"{text}*" if (row.id, task) in stars else text for text, task in zip(line, tasks, strict=True)]
        for line, row in zip(cells["text"], judges, strict=True)
    ]
    reach = max((abs(value) for line in values for value in line if value is not None), default=1.0) or 1.0
    figure = empty_figure(colours, height=220 + ROW_PIXELS * len(judges))
    figure.add_heatmap(z=values, colorscale=diverging(colours), zmin=-reach, zmax=reach, **cells)
    name_rows(figure, *_called(judges))
    name_columns(figure, tasks)
    return figure


def quality_gap(board: JudgeBoard, colours: Colours) -> Figure:
    """PC against the overall win rate with every judge's fitted parabola, above the floor y = 2 |x - 1/2|.

    A point is a model on a task, or a model where the result holds no such cells.
    """
    points = {row.id: gap_points(row) for row in board.judges}
    if not any(points.values()):
        raise NothingToShow("No model has a pair of two usable verdicts.")
    figure = empty_figure(colours, height=430)
    figure.add_scatter(
        x=[0, 0.5, 1],
        y=[1, 0, 1],
        mode="lines",
        line={"color": colours.muted, "width": 1.5, "dash": "dash"},
        name="floor: 2 |win rate - 1/2|",
        hoverinfo="skip",
    )
    for place, (row, (colour, symbol)) in enumerate(zip(board.judges, looks(colours), strict=False)):
        own, curve = points[row.id], fitted_curve(row)
        figure.add_scatter(
            x=[point.win_rate for point in own],
            y=[point.consistency for point in own],
            text=[label_of(point.model) + (f", {label_of(point.task)}" if point.task else "") for point in own],
            mode="markers",
            marker={"size": 8, "color": colour, "symbol": symbol, "opacity": 0.85},
            name=_label(row),
            legendgroup=f"judge-{place}",
            hovertemplate="%{text}: win rate %{x:.2f}, PC %{y:.2f}<extra></extra>",
        )
        if own and curve:
            rates = _evenly(min(point.win_rate for point in own), max(point.win_rate for point in own))
            figure.add_scatter(
                x=rates,
                y=[curve.b0 + curve.b1 * rate + curve.b2 * rate**2 for rate in rates],
                mode="lines",
                line={"color": colour, "width": 2},
                name=_label(row),
                legendgroup=f"judge-{place}",
                showlegend=False,
                hovertemplate="fitted: win rate %{x:.2f}, PC %{y:.2f}<extra></extra>",
            )
    figure.update_xaxes(title="win rate of the model, as this judge sees it", range=[-0.03, 1.03], zeroline=False)
    figure.update_yaxes(title="position consistency (PC)", range=[-0.03, 1.05], zeroline=False)
    return figure


@dataclass(frozen=True, slots=True)
class GapPoint:
    """PC and overall win rate under one judge."""

    model: str
    task: str
    """Blank for a model over all its tasks."""
    valid: int
    """Valid pairs."""
    win_rate: float
    consistency: float


def gap_points(row: JudgeRow) -> list[GapPoint]:
    """The (model, task) cells of one judge; where its result holds none, its models with a valid pair, by name."""
    if cells := cells_of(row):
        return [
            GapPoint(cell.model, cell.task, cell.n_valid, cell.overall_win_rate, cell.position_consistency)
            for cell in cells
        ]
    numbers = (
        (model, int(figures.get("n_valid") or 0), figures.get("overall_win_rate"), figures.get("position_consistency"))
        for model, figures in sorted(row.by_model.items())
    )
    return [GapPoint(model, "", n, x, y) for model, n, x, y in numbers if x is not None and y is not None]


@dataclass(frozen=True, slots=True)
class FittedCurve:
    """PC = b0 + b1 x + b2 x² over the cells of one judge, x = its own win rate."""

    n_cells: int
    b0: float
    b1: float
    b2: float
    r2: float | None
    """None where PC does not vary."""


def fitted_curve(row: JudgeRow) -> FittedCurve | None:
    """The parabola of one judge; None where the result holds none."""
    curve: Mapping[str, float | int | None] = row.quality_curve or {}
    n, b0, b1, b2 = (curve.get(key) for key in ("n_cells", "b0", "b1", "b2"))
    if n is None or b0 is None or b1 is None or b2 is None:
        return None
    return FittedCurve(int(n), b0, b1, b2, curve.get("r2"))


def cells_of(row: JudgeRow) -> Sequence[QualityCell]:
    """The (model, task) cells of one judge; blank where its result holds none."""
    return row.cells


def _evenly(lowest: float, highest: float, steps: int = 40) -> list[float]:
    """Numbers from the lowest to the highest, both included."""
    return [lowest + (highest - lowest) * step / steps for step in range(steps)] + [highest]


def disagreement(board: JudgeBoard, colours: Colours) -> Figure:
    """How many judges stand against the most frequent verdict, over prompts and orders; one colour per table."""
    if not board.disagreements:
        raise NothingToShow("No prompt has usable verdicts of two judges.")
    figure = empty_figure(colours, height=330)
    for table, colour in zip(board.disagreements, cycle(colours.judges), strict=False):
        figure.add_bar(
            x=list(table.histogram),
            y=list(table.histogram.values()),
            name=label_of(table.label),
            marker={"color": colour},
            text=list(table.histogram.values()),
            textposition="outside",
            cliponaxis=False,
            hovertemplate="%{x} against the majority: %{y} prompts and orders<extra></extra>",
        )
    figure.update_layout(showlegend=len(board.disagreements) > 1, bargap=0.3)
    figure.update_xaxes(title="judges against the most frequent verdict", dtick=1)
    figure.update_yaxes(title="prompts and orders")
    return figure


def _judges_and_tasks(board: JudgeBoard) -> tuple[list[JudgeRow], list[str]]:
    judges = board.judges
    tasks = sorted({task for row in judges for task in row.by_task})
    if not tasks:
        raise NothingToShow("No verdict has been scored by task.")
    return judges, tasks


def _called(judges: Sequence[JudgeRow]) -> tuple[list[str], list[str]]:
    """Their names, and what stands below each."""
    return [row.name for row in judges], [_PUBLISHED if row.published else "" for row in judges]


def _label(row: JudgeRow) -> str:
    """What a legend calls a judge."""
    return f"{label_of(row.name)} {_PUBLISHED}" if row.published else label_of(row.name)


def _task_number(row: JudgeRow, task: str, key: str) -> float | None:
    return row.by_task.get(task, {}).get(key)
