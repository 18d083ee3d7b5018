"""Charts any board can declare: drawn from exactly the rows shown, with the table behind each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from evaluator.results import MetricValue
from leaderboard.parts import row_figures
from leaderboard.parts.chart import Chart, ChartRow, ChartTable, Head
from leaderboard.parts.columns import Value, text_of
from leaderboard.parts.shown_rows import Axis, Parts, Run, ShownRows, Threshold, parts_of
from leaderboard.parts.tables import NULL_ROW, Row
from leaderboard.parts.visible_text import NAME_CHARACTERS, shortened, visible

BoardChart = Chart[ShownRows[Row]]


def scores_chart(axis: Axis[Row], *, title: str, explanation: str) -> BoardChart[Row]:
    """Every row's number with its interval."""

    def table(shown: ShownRows[Row]) -> ChartTable:
        return _by_row(shown, _heads(axis), lambda row: _told(axis.value(row)))

    return Chart(
        "scores",
        title,
        explanation,
        lambda shown, colours: row_figures.scores(shown, axis, colours),
        table,
        sentence=lambda shown: extremes_sentence(shown, axis),
    )


def parts_chart(
    key: str,
    axis: Axis[Row],
    parts: Parts[Row],
    *,
    title: str,
    explanation: str,
) -> BoardChart[Row]:
    """One panel per part (language, variation, task) with every row's number there; axes are shared.

    Args:
        axis: Its value is not read: each part brings its own.
        parts: Part -> the row's number; a part the row lacks is shown as missing.
    """

    def table(shown: ShownRows[Row]) -> ChartTable:
        part_names = parts_of(shown, parts)
        heads = tuple(head for part in part_names for head in ((part, axis.format), (f"n, {part}", "whole")))
        return _by_row(
            shown, heads, lambda row: tuple(value for part in part_names for value in _part_values(parts(row), part))
        )

    return Chart(
        key,
        title,
        explanation,
        lambda shown, colours: row_figures.panels(shown, axis, parts, colours),
        table,
        is_wide=True,
    )


def plane_chart(
    key: str, across: Axis[Row], up: Axis[Row], *, title: str, explanation: str, threshold: Threshold | None = None
) -> BoardChart[Row]:
    """Two numbers of every row against each other, both with their intervals."""

    def table(shown: ShownRows[Row]) -> ChartTable:
        heads = (*_heads(across), *_heads(up))
        return _by_row(shown, heads, lambda row: (*_told(across.value(row)), *_told(up.value(row))))

    return Chart(
        key,
        title,
        explanation,
        lambda shown, colours: row_figures.plane(shown, across, up, threshold, colours),
        table,
        sentence=lambda shown: " ".join(filter(None, (extremes_sentence(shown, axis) for axis in (up, across)))),
    )


def front_chart(key: str, cost: Axis[Row], trust: Axis[Row], *, title: str, explanation: str) -> BoardChart[Row]:
    """What is paid for what: rows that no other one beats in both are joined by a line."""

    def table(shown: ShownRows[Row]) -> ChartTable:
        best = row_figures.front(shown.rows, cost, trust)
        heads: tuple[Head, ...] = (*_heads(trust), (cost.label, cost.format), ("on the front", "text"))
        return _by_row(shown, heads, lambda row: (*_told(trust.value(row)), cost.value(row), _on_front(row, best)))

    def _on_front(row: Row, best: Sequence[str]) -> str:
        known = (value is not None and value.value is not None for value in (cost.value(row), trust.value(row)))
        if not all(known):
            return "one of the two is not known"
        return "yes" if row.id in best else "no"

    return Chart(
        key,
        title,
        explanation,
        lambda shown, colours: row_figures.costs(shown, cost, trust, colours),
        table,
    )


def runs_chart(axis: Axis[Row], *, title: str, explanation: str) -> BoardChart[Row]:
    """Every scored run of every row by the day it was received; the run the row shows is marked."""

    def table(shown: ShownRows[Row]) -> ChartTable:
        rows = (
            ChartRow(run.id, shown.name.text(row), (run.received_at, *_told(run.score), _which(run, runs)), row.style)
            for row in shown.rows
            if (runs := shown.runs.get(row.id))
            for run in runs
        )
        heads: tuple[Head, ...] = (("received", "time"), *_heads(axis), ("on the board", "text"))
        return ChartTable(shown.name.label, heads, tuple(rows))

    return Chart("runs", title, explanation, lambda shown, colours: row_figures.over_time(shown, axis, colours), table)


def extremes_sentence(shown: ShownRows[Row], axis: Axis[Row]) -> str:
    """Return which of the shown rows has most and which least; blank where no two differ.

    Baselines are left aside, and so are rows that are not to be read beside those of the best tier.
    """
    known = [
        (row, value)
        for row in shown.rows
        if row.style != NULL_ROW and (value := axis.value(row)) is not None and value.value is not None
    ]
    comparable = min((row.tier for row, _ in known), default=0)
    known = [one for one in known if one[0].tier == comparable]
    most, least = (pick(known, key=lambda one: one[1].value or 0.0, default=None) for pick in (max, min))
    if most is None or least is None or most[1].value == least[1].value:
        return ""
    told = [
        f"{shortened(visible(shown.called(row)), NAME_CHARACTERS)} ({text_of(value, axis.format)})"
        for row, value in (most, least)
    ]
    return f"{axis.label[:1].upper()}{axis.label[1:]}: highest {told[0]}, lowest {told[1]}."


def _heads(axis: Axis[Row]) -> tuple[Head, Head]:
    return (axis.label, axis.format), (f"n, {axis.units}" if axis.units else "n", "whole")


def _told(value: MetricValue | None) -> tuple[Value, Value]:
    return (value, row_figures.stated_n(value) if value else None)


def _part_values(parts: Mapping[str, MetricValue], part: str) -> tuple[Value, Value]:
    value = parts.get(part)
    return (MetricValue(value=None, n=0) if value is None else value, row_figures.stated_n(value) if value else 0)


def _which(run: Run, runs: Sequence[Run]) -> str:
    return "this run" if run is runs[-1] else "an earlier run"


def _by_row(shown: ShownRows[Row], heads: tuple[Head, ...], values: Callable[[Row], tuple[Value, ...]]) -> ChartTable:
    rows = (ChartRow(row.id, shown.name.text(row), values(row), row.style) for row in shown.rows)
    return ChartTable(shown.name.label, heads, tuple(rows))
