"""The figures of the charts any board can declare: pure functions from the rows shown to a plotly figure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from plotly.graph_objects import Figure
from plotly.subplots import make_subplots

from evaluator.results import MetricValue
from leaderboard.parts.columns import NOT_AVAILABLE, text_of
from leaderboard.parts.drawing import (
    LEFT_OUT,
    Colours,
    NothingToShow,
    empty_figure,
    label_of,
    label_of_text,
    looks,
    name_rows,
    template,
    whiskers,
)
from leaderboard.parts.shown_rows import Axis, Parts, Run, ShownRows, Threshold, parts_of
from leaderboard.parts.tables import NULL_ROW, PUBLISHED_ROW, Row, is_entry

MOST_ROWS = 40
"""Rows drawn in the chart of scores."""
MOST_PANEL_ROWS = 16
"""Rows drawn in each panel."""
MOST_LOOKS = 12
"""Rows with a look of their own where places do not tell them apart; the others share one."""
ROW_PIXELS = 26
PANEL_ROW_PIXELS = 20
PANEL_PIXELS = 230
"""Least width of a panel beside others."""
NAME_PIXELS = 170
NARROW_PIXELS = 600
"""Below it a sentence is broken into lines."""
HEAD_PIXELS = 80


@dataclass(frozen=True, slots=True)
class Look:
    """How rows of one kind look: never by colour alone."""

    words: str
    colour: str
    symbol: str


def _look(style: str, colours: Colours) -> Look:
    if style == NULL_ROW:
        return Look("baseline", colours.muted, "diamond")
    if style == PUBLISHED_ROW:
        return Look("published", colours.judges[2], "triangle-up")
    if style:
        return Look("not ranked", colours.judges[1], "square")
    return Look("ranked", colours.judges[0], "circle")


def is_certain(value: MetricValue) -> bool:
    """Has the number an interval? Without one its marker is hollow."""
    return value.low is not None and value.high is not None


def _symbol(look: Look, value: MetricValue) -> str:
    return look.symbol if is_certain(value) else f"{look.symbol}-open"


def stated_n(value: MetricValue) -> int | None:
    """What a number rests on; None where nobody says: a published figure is a bare number.

    >>> [stated_n(MetricValue(value=value, n=n)) for value, n in ((0.5, 3), (0.5, 0), (None, 0))]
    [3, None, 0]
    """
    return None if value.value is not None and value.n == 0 else value.n


def _words(axis: Axis[Row], value: MetricValue) -> str:
    """A number with what it rests on: "3.73 [3.13, 4.27], n = 15 items"."""
    n = stated_n(value)
    return text_of(value, axis.format) + ("" if n is None else f", n = {n} {axis.units}".rstrip())


def _judged(value: MetricValue | None) -> bool:
    return value is not None and value.value is not None


def _cut(rows: Sequence[Row], most: int) -> list[Row]:
    return list(rows[:most])


def _cut_words(shown: int, total: int) -> str:
    return f"the first {shown} of {total} rows, in the order of the board" if shown < total else ""


def _say(figure: Figure, text: str, colours: Colours, above: int = 4, *, is_narrow: bool = False) -> None:
    """A line above the drawing, so many pixels above it; on a phone it stands above the names as well."""
    if text:
        side, end = ("right", 1) if is_narrow else ("left", 0)
        figure.add_annotation(
            text=text,
            align="left",
            showarrow=False,
            x=end,
            y=1,
            xref="paper",
            yref="paper",
            xanchor=side,
            yanchor="bottom",
            yshift=above,
            font={"size": 12, "color": colours.muted},
        )
        figure.update_layout(margin={"t": 30 + above + 16 * text.count("<br>")})


# --- scores ----------------------------------------------------------------------------------------------------------


def scores(shown: ShownRows[Row], axis: Axis[Row], colours: Colours) -> Figure:
    """Every row's number with its interval, in the order of the board; rows without one say n/a in their place."""
    rows = _cut(shown.rows, MOST_ROWS)
    if not any(_judged(axis.value(row)) for row in rows):
        raise NothingToShow(f"No row shown has a {axis.label}.")
    figure = empty_figure(colours, height=100 + ROW_PIXELS * len(rows))
    for trace in _row_traces(rows, axis, [axis.value(row) for row in rows], shown, colours):
        figure.add_scatter(**trace)
    name_rows(figure, [shown.called(row) for row in rows])
    figure.update_yaxes(range=[len(rows) - 0.4, -0.6], autorange=False, ticklabelstandoff=6)
    figure.update_xaxes(title=axis.label, **_scale(axis))
    figure.update_layout(legend={"y": -60 / (ROW_PIXELS * len(rows)), "itemclick": False, "itemdoubleclick": False})
    _say(figure, _cut_words(len(rows), len(shown.rows)), colours)
    return figure


def _scale(axis: Axis[Row]) -> dict[str, Any]:
    """A little wider than the scale, so that a marker at its end is whole; written as the figures of the table are."""
    margin = 0.03 * (axis.high - axis.low)
    scale = {"range": [axis.low - margin, axis.high + margin], "zeroline": False}
    return scale | ({"tickformat": ".0%"} if axis.format == "percent" else {})


def _row_traces(
    rows: Sequence[Row],
    axis: Axis[Row],
    values: Sequence[MetricValue | None],
    shown: ShownRows[Row],
    colours: Colours,
) -> list[dict[str, Any]]:
    """One trace per kind of row, and the words n/a where there is no number."""
    traces: list[dict[str, Any]] = []
    places = list(zip(range(len(rows)), rows, values, strict=True))
    for style in dict.fromkeys(row.style for row in rows):
        look = _look(style, colours)
        points = [
            (place, row, value) for place, row, value in places if row.style == style and value and _judged(value)
        ]
        if not points:
            continue
        numbers = [value for _, _, value in points]
        traces.append(
            {
                "x": [value.value for value in numbers],
                "y": [place for place, _, _ in points],
                "error_x": many_whiskers(numbers, look.colour),
                "mode": "markers",
                "marker": {
                    "size": 10,
                    "color": look.colour,
                    "symbol": [_symbol(look, value) for value in numbers],
                    "line": {"color": look.colour, "width": 1.5},
                },
                "name": look.words,
                "legendgroup": look.words,
                "text": [f"{label_of(shown.called(row))}: {_words(axis, value)}" for _, row, value in points],
                "hovertemplate": "%{text}<extra></extra>",
                "cliponaxis": False,
            }
        )
    missing = [(place, row, value) for place, row, value in places if not _judged(value)]
    if missing:
        traces.append(
            {
                "x": [axis.low for _ in missing],
                "y": [place for place, _, _ in missing],
                "mode": "text",
                "text": [NOT_AVAILABLE for _ in missing],
                "textposition": "middle right",
                "textfont": {"color": colours.muted, "size": 11},
                "hovertext": [f"{label_of(shown.called(row))}: no number" for _, row, _ in missing],
                "hoverinfo": "text",
                "showlegend": False,
            }
        )
    return traces


def many_whiskers(values: Sequence[MetricValue], colour: str) -> dict[str, Any]:
    """Intervals of several markers; those without one get none."""
    reach = [whiskers(value, colour) for value in values]
    return {
        "type": "data",
        "symmetric": False,
        "array": [whisker["array"][0] if whisker else None for whisker in reach],
        "arrayminus": [whisker["arrayminus"][0] if whisker else None for whisker in reach],
        "color": colour,
        "thickness": 1.4,
        "width": 3,
    }


# --- small multiples -------------------------------------------------------------------------------------------------


def panels(shown: ShownRows[Row], axis: Axis[Row], parts: Parts[Row], colours: Colours) -> Figure:
    """A panel per part, every row at the same height in all of them and the same scale below them."""
    rows = _cut(shown.rows, MOST_PANEL_ROWS)
    part_names = parts_of(shown, parts)
    names = [name for name in part_names if any(_judged(parts(row).get(name)) for row in rows)]
    if not names:
        raise NothingToShow("No row shown has a number in any part.")
    across = panels_across(len(names), shown.width)
    down = -(-len(names) // across)
    panel = HEAD_PIXELS + PANEL_ROW_PIXELS * len(rows)
    figure = make_subplots(
        rows=down,
        cols=across,
        shared_yaxes=True,
        horizontal_spacing=0.035,
        vertical_spacing=0.72 * HEAD_PIXELS / (panel * down),
        subplot_titles=[_panel_title(name, axis, [parts(row).get(name) for row in rows]) for name in names],
    )
    figure.update_layout(template=template(colours), height=86 + panel * down, modebar={"remove": list(LEFT_OUT)})
    figure.update_annotations(font={"size": 12.5, "color": colours.ink})
    told: set[str] = set()
    for place, name in enumerate(names):
        row_of, column_of = place // across + 1, place % across + 1
        for trace in _row_traces(rows, axis, [parts(row).get(name) for row in rows], shown, colours):
            is_first = "name" in trace and trace["name"] not in told
            told.add(trace.get("name", ""))
            figure.add_scatter(**{**trace, "showlegend": is_first}, row=row_of, col=column_of)
        figure.update_xaxes(**_scale(axis), row=row_of, col=column_of)
    name_rows(figure, [shown.called(row) for row in rows])
    figure.update_yaxes(range=[len(rows) - 0.3, -0.7], autorange=False, ticklabelstandoff=6)
    figure.update_layout(
        legend={"y": -40 / (panel * down), "itemclick": False, "itemdoubleclick": False}, margin={"t": 56}
    )
    unjudged = [label_of(name) for name in part_names if name not in names]
    words = [
        _cut_words(len(rows), len(shown.rows)),
        f"not judged for any row shown: {', '.join(unjudged)}" if unjudged else "",
    ]
    said = "; ".join(word for word in words if word)
    is_narrow = shown.width < NARROW_PIXELS
    _say(figure, label_of_text(said) if is_narrow else said, colours, above=40, is_narrow=is_narrow)
    return figure


def panels_across(parts: int, width: int) -> int:
    """How many panels fit beside each other and the names; one where the width is not known.

    >>> panels_across(6, 1400), panels_across(6, 360), panels_across(2, 1400)
    (5, 1, 2)
    """
    return max(1, min(parts, (width - NAME_PIXELS) // PANEL_PIXELS))


def _panel_title(name: str, axis: Axis[Row], values: Sequence[MetricValue | None]) -> str:
    """The part, and below it how much it rests on: beside each other the two are wider than a panel."""
    counts = sorted({value.n for value in values if value is not None and value.value is not None and stated_n(value)})
    if not counts:
        return f"<b>{label_of(name)}</b>"
    n = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    return f"<b>{label_of(name)}</b><br>n = {n} {axis.units}".rstrip()


# --- two numbers -----------------------------------------------------------------------------------------------------


def plane(
    shown: ShownRows[Row], across: Axis[Row], up: Axis[Row], threshold: Threshold | None, colours: Colours
) -> Figure:
    """Two numbers of every row against each other; baselines are grey."""
    placed = [
        (row, first, second)
        for row in shown.rows
        if (first := across.value(row)) and _judged(first) and (second := up.value(row)) and _judged(second)
    ]
    if not placed:
        raise NothingToShow(f"No row shown has a value for both {across.label} and {up.label}.")
    figure = empty_figure(colours, height=470)
    if threshold:
        figure.add_vline(
            x=threshold.value,
            line={"color": colours.muted, "dash": "dash", "width": 1.5},
            annotation={"text": threshold.words, "font": {"color": colours.muted, "size": 11}, "textangle": -90},
            annotation_position="bottom right",
        )
    entries = [place for place in placed if is_entry(place[0])]
    for (row, first, second), (colour, symbol) in zip(entries[:MOST_LOOKS], looks(colours), strict=False):
        figure.add_scatter(
            **_points([(row, first, second)], across, up, shown),
            error_x=many_whiskers([first], colour),
            error_y=many_whiskers([second], colour),
            mode="markers",
            marker={"size": 11, "color": colour, "symbol": symbol, "line": {"color": colours.surface, "width": 1}},
            name=label_of(shown.called(row)),
        )
    for words, symbol, points in (
        ("other rows", "circle-open", entries[MOST_LOOKS:]),
        ("baselines", "diamond-open", [place for place in placed if place[0].style == NULL_ROW]),
        ("published", "triangle-up-open", [place for place in placed if place[0].style == PUBLISHED_ROW]),
    ):
        if points:
            figure.add_scatter(
                **_points(points, across, up, shown),
                error_x=many_whiskers([first for _, first, _ in points], colours.muted),
                error_y=many_whiskers([second for _, _, second in points], colours.muted),
                mode="markers",
                marker={"size": 9, "color": colours.muted, "symbol": symbol, "line": {"width": 1.5}},
                name=words,
            )
    figure.update_xaxes(title=across.label, **_scale(across))
    figure.update_yaxes(title=up.label, **_scale(up))
    figure.update_layout(showlegend=True)
    left_out = len(shown.rows) - len(placed)
    words = f"{left_out} row{'s lack' if left_out > 1 else ' lacks'} one of the two numbers"
    _say(figure, words if left_out else "", colours)
    return figure


def _points(
    placed: Sequence[tuple[Row, MetricValue, MetricValue]], across: Axis[Row], up: Axis[Row], shown: ShownRows[Row]
) -> dict[str, Any]:
    return {
        "x": [first.value for _, first, _ in placed],
        "y": [second.value for _, _, second in placed],
        "text": [
            f"{label_of(shown.called(row))}<br>{across.label} {_words(across, first)}<br>{up.label} "
            f"{_words(up, second)}"
            for row, first, second in placed
        ],
        "hovertemplate": "%{text}<extra></extra>",
        "cliponaxis": False,
    }


# --- cost and trust --------------------------------------------------------------------------------------------------


def front(rows: Sequence[Row], cost: Axis[Row], trust: Axis[Row]) -> list[str]:
    """Ids of the rows on the Pareto front, the cheapest first: no other row costs less and is trusted as much, or costs
    as much and is trusted more. Rows without one of the two are on none; baselines neither, since nobody uses them.
    """
    best: list[str] = []
    most = -math.inf
    last = math.nan
    for paid, trusted, row_id in sorted((paid, -trusted, row_id) for row_id, paid, trusted in _paid(rows, cost, trust)):
        # Of rows that are equal in both none beats the other.
        if -trusted > most or (-trusted == most and paid == last):
            best.append(row_id)
            most, last = -trusted, paid
    return best


def _paid(rows: Sequence[Row], cost: Axis[Row], trust: Axis[Row]) -> list[tuple[str, float, float]]:
    return [
        (row.id, paid.value, trusted.value)
        for row in rows
        if is_entry(row)
        and (paid := cost.value(row))
        and paid.value is not None
        and (trusted := trust.value(row))
        and trusted.value is not None
    ]


def costs(shown: ShownRows[Row], cost: Axis[Row], trust: Axis[Row], colours: Colours) -> Figure:
    """Trust over cost, on a scale of powers of ten where nothing is free; the front is a line of steps."""
    placed = [
        (row, paid, trusted)
        for row in shown.rows
        if is_entry(row)
        and (paid := cost.value(row))
        and _judged(paid)
        and (trusted := trust.value(row))
        and _judged(trusted)
    ]
    if not placed:
        raise NothingToShow(f"No row shown has a value for both {trust.label} and cost ({cost.label}).")
    best = front(shown.rows, cost, trust)
    steps = [(paid.value, trusted.value) for row_id in best for row, paid, trusted in placed if row.id == row_id]
    figure = empty_figure(colours, height=470)
    figure.add_scatter(
        x=[paid for paid, _ in steps],
        y=[trusted for _, trusted in steps],
        mode="lines",
        line={"color": colours.muted, "width": 1.5, "dash": "dot", "shape": "hv"},
        name="front: none is better in both",
        hoverinfo="skip",
    )
    for (row, paid, trusted), (colour, symbol) in zip(placed[:MOST_LOOKS], looks(colours), strict=False):
        figure.add_scatter(
            **_paid_points([(row, paid, trusted)], cost, trust, shown),
            error_y=many_whiskers([trusted], colour),
            mode="markers",
            marker={"size": 12 if row.id in best else 9, "color": colour, "symbol": symbol},
            name=label_of(shown.called(row)),
        )
    if others := placed[MOST_LOOKS:]:
        figure.add_scatter(
            **_paid_points(others, cost, trust, shown),
            error_y=many_whiskers([trusted for _, _, trusted in others], colours.muted),
            mode="markers",
            marker={"size": 9, "color": colours.muted, "symbol": "circle-open", "line": {"width": 1.5}},
            name="other rows",
        )
    is_free = any(paid.value == 0 for _, paid, _ in placed)
    ticks = None if is_free else round_numbers([paid.value or 0.0 for _, paid, _ in placed])
    figure.update_xaxes(title=cost.label, type="linear" if is_free else "log", tickvals=ticks)
    figure.update_yaxes(title=trust.label, **_scale(trust))
    figure.update_layout(showlegend=True)
    left_out = sum(map(is_entry, shown.rows)) - len(placed)
    words = f"{left_out} row{'s lack' if left_out > 1 else ' lacks'} one of the two numbers"
    _say(figure, words if left_out else "", colours)
    return figure


def round_numbers(values: Sequence[float]) -> list[float]:
    """1, 2 and 5 times the powers of ten, from the last one below all values to the first one above: ticks of an axis
    in powers of ten, which of its own has one tick where all values lie within one power.

    >>> round_numbers([38.0, 140.0])
    [20.0, 50.0, 100.0, 200.0]
    """
    lowest, highest = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    steps = [step * 10.0**power for power in range(lowest, highest + 1) for step in (1, 2, 5)]
    below = max(step for step in steps if step <= min(values))
    above = min(step for step in steps if step >= max(values))
    return [step for step in steps if below <= step <= above]


def _paid_points(
    placed: Sequence[tuple[Row, MetricValue, MetricValue]], cost: Axis[Row], trust: Axis[Row], shown: ShownRows[Row]
) -> dict[str, Any]:
    """Points with what pointing at them tells; a cost is no estimate, and has no n."""
    told = [
        f"{label_of(shown.called(row))}<br>{trust.label} {_words(trust, trusted)}<br>{cost.label}: "
        f"{text_of(paid, cost.format)}"
        for row, paid, trusted in placed
    ]
    return _points(placed, cost, trust, shown) | {"text": told}


# --- over time -------------------------------------------------------------------------------------------------------


def over_time(shown: ShownRows[Row], axis: Axis[Row], colours: Colours) -> Figure:
    """Every scored run by the moment it was received; the run on the board is filled, earlier ones are hollow."""
    lines = [(row, runs) for row in shown.rows if (runs := [run for run in shown.runs.get(row.id, ()) if _scored(run)])]
    if not lines:
        raise NothingToShow("No row shown has a scored run of a team.")
    figure = empty_figure(colours, height=430)
    own, others = lines[:MOST_LOOKS], lines[MOST_LOOKS:]
    for (row, runs), (colour, symbol) in zip(own, looks(colours), strict=False):
        line = _lines([(shown.called(row), runs)], axis, colour, symbol)
        figure.add_scatter(**line, name=label_of(shown.called(row)))
    if others:
        named = [(shown.called(row), runs) for row, runs in others]
        figure.add_scatter(**_lines(named, axis, colours.muted, "circle"), name="other rows")
    moments = [run.received_at for _, runs in lines for run in runs]
    figure.update_xaxes(title="received (UTC)", range=_span(moments), nticks=5)
    figure.update_yaxes(title=axis.label, **_scale(axis))
    figure.update_layout(showlegend=True)
    several = sum(len(runs) > 1 for _, runs in lines)
    words = f"{several} of {len(lines)} rows have more than one scored run"
    _say(figure, words if several else "every row has one scored run so far", colours)
    return figure


def _scored(run: Run) -> bool:
    return run.score.value is not None


NO_RUN = MetricValue(value=None, n=0)
"""Stands between two lines of one trace: the pen is lifted there."""


def _lines(named: Sequence[tuple[str, Sequence[Run]]], axis: Axis[Row], colour: str, symbol: str) -> dict[str, Any]:
    """The runs of some rows, each row's joined by a line; one trace, however many rows there are."""
    x: list[datetime | None] = []
    scores_: list[MetricValue] = []
    symbols: list[str] = []
    text: list[str] = []
    for name, runs in named:
        x += [*(run.received_at for run in runs), None]
        scores_ += [*(run.score for run in runs), NO_RUN]
        symbols += [*[f"{symbol}-open"] * (len(runs) - 1), symbol, symbol]
        text += [*(f"{label_of(name)}: {_words(axis, run.score)}" for run in runs), ""]
    last = len(x) - 1
    return {
        "x": x[:last],
        "y": [score.value for score in scores_[:last]],
        "error_y": many_whiskers(scores_[:last], colour),
        "mode": "lines+markers" if any(len(runs) > 1 for _, runs in named) else "markers",
        "line": {"color": colour, "width": 1.5},
        "marker": {
            "size": 10,
            "color": colour,
            "symbol": symbols[:last],
            "line": {"color": colour, "width": 1.5},
        },
        "text": text[:last],
        "hovertemplate": "%{text}<br>%{x|%Y-%m-%d %H:%M}<extra></extra>",
        "connectgaps": False,
    }


MARGIN = timedelta(minutes=30)


def _span(moments: Sequence[datetime]) -> list[datetime]:
    """From before the first to after the last, so that markers at the ends are whole and one run is no millisecond."""
    first, last = min(moments), max(moments)
    margin = max(0.06 * (last - first), MARGIN)
    return [first - margin, last + margin]
