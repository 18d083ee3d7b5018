"""Every chart of the Judges board with its explanation and the table behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from leaderboard.boards.position_bias import figures
from leaderboard.boards.position_bias.cache import JudgeBoard
from leaderboard.boards.position_bias.figures import cells_of, fitted_curve, gap_points
from leaderboard.boards.position_bias.rows import JudgeRow
from leaderboard.boards.position_bias.state import AGREEMENTS, Agreement
from leaderboard.parts.chart import Chart, ChartRow, ChartTable, Head
from leaderboard.parts.columns import Format, Value


def _outcomes_table(board: JudgeBoard) -> ChartTable:
    heads: list[Head] = [("pairs", "whole"), *((label, "whole") for label in figures.OUTCOME_LABELS.values())]
    keys = ("n_pairs", *figures.OUTCOME_LABELS)
    return _by_judge(board, heads, lambda row: tuple(row.count(key) for key in keys))


def _plane_table(board: JudgeBoard) -> ChartTable:
    heads: list[Head] = [("PC", "interval"), ("PF", "signed"), ("direction", "text")]
    return _by_judge(
        board,
        heads,
        lambda row: (row.metric("position_consistency"), row.metric("preference_fairness"), row.direction_words),
    )


def _agreement_table(way: Agreement) -> Callable[[JudgeBoard], ChartTable]:
    def table(board: JudgeBoard) -> ChartTable:
        judges, matrix = board.judges, board.agreement.get(way, {})
        heads: list[Head] = [(row.label, "decimal") for row in judges]
        return _by_judge(board, heads, lambda row: tuple(matrix.get((row.id, other.id)) for other in judges))

    return table


def _task_table(key: str, kind: Format) -> Callable[[JudgeBoard], ChartTable]:
    def table(board: JudgeBoard) -> ChartTable:
        tasks = sorted({task for row in board.judges for task in row.by_task})
        heads: list[Head] = [(task, kind) for task in tasks]
        return _by_judge(board, heads, lambda row: tuple(row.by_task.get(task, {}).get(key) for task in tasks))

    return table


def _gap_table(board: JudgeBoard) -> ChartTable:
    # The fits come first: a long table shows its beginning only.
    fits = [
        ChartRow(
            f"{row.id}/fit",
            row.label,
            ("", "", _fit_words(row), sum(cell.n_valid for cell in cells_of(row)), None, None, None),
        )
        for row in board.judges
        if cells_of(row)
    ]
    points = [
        ChartRow(
            f"{row.id}/{point.model}/{point.task}",
            row.label,
            (
                point.model,
                point.task,
                "",
                point.valid,
                point.win_rate,
                point.consistency,
                2 * abs(point.win_rate - 0.5),
            ),
        )
        for row in board.judges
        for point in gap_points(row)
    ]
    heads: tuple[Head, ...] = (
        ("model", "text"),
        ("task", "text"),
        ("fitted parabola", "text"),
        ("pairs", "whole"),
        ("win rate", "decimal"),
        ("PC", "decimal"),
        ("floor", "decimal"),
    )
    return ChartTable("Judge", heads, (*fits, *points))


def _fit_words(row: JudgeRow) -> str:
    """The parabola of one judge written out."""
    curve = fitted_curve(row)
    if curve is None:
        return "none: fewer than three different win rates"
    r2 = "n/a" if curve.r2 is None else f"{curve.r2:.2f}"
    return f"b0 {curve.b0:.2f}, b1 {curve.b1:+.2f}, b2 {curve.b2:+.2f}, r2 {r2}, n {curve.n_cells}"


def _disagreement_table(board: JudgeBoard) -> ChartTable:
    rows = (
        ChartRow(f"{place}/{votes}", table.label, (votes, number, ", ".join(table.hardest[:5])))
        for place, table in enumerate(board.disagreements)
        for votes, number in table.histogram.items()
    )
    heads: tuple[Head, ...] = (
        ("against the majority", "whole"),
        ("prompts and orders", "whole"),
        ("hardest queries", "text"),
    )
    return ChartTable("Verdict table", heads, tuple(rows))


def _by_judge(board: JudgeBoard, heads: Sequence[Head], values: Callable[[JudgeRow], tuple[Value, ...]]) -> ChartTable:
    return ChartTable("Judge", tuple(heads), tuple(ChartRow(row.id, row.label, values(row)) for row in board.judges))


AGREEMENT_CHARTS: dict[Agreement, Chart[JudgeBoard]] = {
    way: Chart(
        "agreement",
        "Agreement between judges",
        "Equal verdicts reward a shared liking for a place; kappa removes what chance gives, and consistent outcomes "
        "look only at verdicts that survived the swap.",
        figures.agreement(way),
        _agreement_table(way),
    )
    for way in AGREEMENTS
}

CHARTS: tuple[Chart[JudgeBoard], ...] = (
    Chart(
        "outcomes",
        "What became of the pairs",
        "Blue and green survive the swap; orange flips follow a place; grey pairs had no usable verdict.",
        figures.outcomes,
        _outcomes_table,
    ),
    Chart(
        "plane",
        "Consistency and fairness together",
        "No judge can leave the triangle PC + |PF| ≤ 1. Towards the right tip is good; up is recency, down primacy.",
        figures.plane,
        _plane_table,
    ),
    AGREEMENT_CHARTS["with_ties"],
    Chart(
        "disagreement",
        "How often judges disagree",
        "Per prompt and order: judges that voted against the most frequent verdict.",
        figures.disagreement,
        _disagreement_table,
    ),
    Chart(
        "consistency-by-task",
        "Consistency by task",
        "PC on each task; a task has few queries, so read the pattern, not the second decimal.",
        figures.consistency_by_task,
        _task_table("position_consistency", "decimal"),
    ),
    Chart(
        "fairness-by-task",
        "Fairness by task",
        "PF on each task: blue is primacy, orange recency. Only a star says more than chance (sign-flip test over "
        "queries, Holm's adjustment over the whole map).",
        figures.fairness_by_task,
        _task_table("preference_fairness", "signed"),
    ),
    Chart(
        "quality-gap",
        "Consistency and the gap in quality",
        "Each point is a model on one task under one judge (on all tasks where no more is kept), each line a judge's "
        "fitted parabola. Lopsided comparisons are consistent by arithmetic alone: read points above the dashed floor.",
        figures.quality_gap,
        _gap_table,
    ),
)
"""In the order of the page; the agreement chart follows the chosen way of comparing."""


def charts(way: Agreement) -> tuple[Chart[JudgeBoard], ...]:
    """The charts with agreement compared in that way."""
    return tuple(AGREEMENT_CHARTS[way] if chart.key == "agreement" else chart for chart in CHARTS)
