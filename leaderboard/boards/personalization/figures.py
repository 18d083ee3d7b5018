"""Charts of the Personalization board: pure functions from a board to a plotly figure, in light or dark colours."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from plotly.graph_objects import Figure

from evaluator.results import MetricValue
from evaluator.statistics.intervals import excludes_zero
from leaderboard.boards.personalization.cache import Change, PersonalizationBoard, PreferenceCell
from leaderboard.boards.personalization.columns import PERSONALIZATION_COLUMNS
from leaderboard.boards.personalization.rows import PersonalizationRow
from leaderboard.parts.columns import text_of
from leaderboard.parts.drawing import (
    ROW_PIXELS,
    Colours,
    NothingToShow,
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
from leaderboard.parts.tables import column_of

BESIDE_BREAKAGE = ("breakage_rate", "alignment_failure", "robustness_error", "unchanged_rate", "fallback_rate")
"""Breakage is never shown without the others (docs/personalization.md#what-not-to-conclude)."""

MOST_ROWS = 14
"""Systems drawn in charts with a line or column each."""
CHANGE_PIXELS = 46
"""Height of an arrow with its words."""
MOST_CELLS = 36
"""Preferences drawn in the heat map."""


def hover(row: PersonalizationRow) -> str:
    """What a point says of its row."""
    columns = (column_of(PERSONALIZATION_COLUMNS, key) for key in BESIDE_BREAKAGE)
    lines = (f"{column.label.lower()} {text_of(column.value(row), 'percent')}" for column in columns)
    return "<br>".join([f"<b>{label_of(row.name)}</b> · {label_of(row.method)}", *lines])


def plane(board: PersonalizationBoard, colours: Colours) -> Figure:
    """Breakage against alignment failure: near the corner both are small; the paper's figures stand grey behind."""
    judged = [row for row in board.ordered_rows if _both(row)]
    if not judged:
        raise NothingToShow("No row has values for both breakage and alignment failure in this view.")
    figure = empty_figure(colours, height=460)
    published = [row for row in judged if row.published]
    figure.add_scatter(
        x=[row.value("breakage_rate") for row in published],
        y=[row.value("alignment_failure") for row in published],
        mode="markers",
        marker={
            "size": 8,
            "color": colours.muted,
            "symbol": ["circle-open" if row.method == "naive" else "diamond-open" for row in published],
        },
        name="published (○ naive, ◇ Pref-Aligner)",
        text=[hover(row) for row in published],
        hovertemplate="%{text}<extra></extra>",
    )
    runs = [row for row in judged if row.is_entry]
    for row, (colour, symbol) in zip(runs, looks(colours), strict=False):
        breakage, alignment = row.metric("breakage_rate"), row.metric("alignment_failure")
        figure.add_scatter(
            x=[row.value("breakage_rate")],
            y=[row.value("alignment_failure")],
            error_x=whiskers(breakage, colour) if isinstance(breakage, MetricValue) else None,
            error_y=whiskers(alignment, colour) if isinstance(alignment, MetricValue) else None,
            mode="markers",
            marker={"size": 11, "color": colour, "symbol": symbol, "line": {"color": colours.surface, "width": 1}},
            name=label_of(row.label),
            text=[hover(row)],
            hovertemplate="%{text}<extra></extra>",
        )
    _share_axis(figure.update_xaxes, "breakage_rate", judged)
    _share_axis(figure.update_yaxes, "alignment_failure", judged)
    return figure


def _share_axis(update: Callable[..., object], key: str, rows: Sequence[PersonalizationRow]) -> None:
    """An axis for a metric: from just below 0, so that a marker at 0 is whole, to what the rows need."""
    metrics = [row.metric(key) for row in rows]
    ends = [
        max(metric.value or 0.0, metric.high or 0.0) if isinstance(metric, MetricValue) else metric or 0.0
        for metric in metrics
    ]
    top = min(1.0, max([0.1, *ends])) * 1.06
    title = column_of(PERSONALIZATION_COLUMNS, key).label.lower()
    update(title=title, tickformat=".0%", range=[-0.03 * top, top], zeroline=False)


def _both(row: PersonalizationRow) -> bool:
    return row.value("breakage_rate") is not None and row.value("alignment_failure") is not None


def changes(board: PersonalizationBoard, colours: Colours) -> Figure:
    """From the plain prompt to Pref-Aligner: an arrow per system, with the paired interval of its change in words."""
    shown = shown_changes(board)
    if not shown:
        raise NothingToShow("No system has both methods, naive and pref_aligner, in this view.")
    figure = empty_figure(colours, height=130 + CHANGE_PIXELS * len(shown))
    for place, change in enumerate(shown):
        start, end = (row.value("robustness_error") or 0.0 for row in (change.naive, change.aligner))
        colour = _change_colour(change, colours)
        figure.add_annotation(
            x=end,
            y=place,
            ax=start,
            ay=place,
            axref="x",
            ayref="y",
            arrowhead=2,
            arrowsize=1.1,
            arrowwidth=2,
            arrowcolor=colour,
            text="",
        )
        figure.add_annotation(
            x=(start + end) / 2,
            y=place,
            yshift=13,
            showarrow=False,
            text=change_words(change.difference),
            font={"size": 11, "color": colours.ink},
        )
        figure.add_scatter(
            x=[start, end],
            y=[place, place],
            mode="markers",
            marker={"size": 9, "color": colour, "symbol": ["circle-open", "circle"]},
            text=[hover(change.naive), f"{hover(change.aligner)}<br>change {change_words(change.difference)}"],
            hovertemplate="%{text}<extra></extra>",
            cliponaxis=False,
            showlegend=False,
        )
    _share_axis(
        figure.update_xaxes, "robustness_error", [row for change in shown for row in (change.naive, change.aligner)]
    )
    name_rows(figure, [_change_name(change) for change in shown])
    figure.update_yaxes(range=[len(shown) - 0.4, -0.7], autorange=False)
    return figure


def shown_changes(board: PersonalizationBoard) -> list[Change]:
    """The changes that can be drawn, submissions first."""
    both = (
        change
        for change in board.changes
        if change.naive.value("robustness_error") is not None and change.aligner.value("robustness_error") is not None
    )
    return list(both)[:MOST_ROWS]


def _change_colour(change: Change, colours: Colours) -> str:
    """Grey where the change may be chance, or is published without an interval."""
    difference = change.difference
    if difference is None or not excludes_zero(difference):
        return colours.muted
    return colours.judges[0] if (difference.value or 0.0) < 0 else colours.judges[1]


def _change_name(change: Change) -> str:
    return f"{change.system} (published)" if change.naive.published else change.system


def change_words(difference: MetricValue | None) -> str:
    """A paired change in percentage points; blank where there is none.

    >>> change_words(MetricValue(value=-0.18, low=-0.25, high=-0.105, n=60))
    '-18.0 [-25.0, -10.5]'
    """
    if difference is None or difference.value is None:
        return ""
    low, high = difference.low, difference.high
    ends = "" if low is None or high is None else f" [{100 * low:+.1f}, {100 * high:+.1f}]"
    return f"{100 * difference.value:+.1f}{ends}"


def noise(board: PersonalizationBoard, colours: Colours) -> Figure:
    """Breakage of every row above the band of what running the control again breaks."""
    runs = [row for row in board.runs if row.value("breakage_rate") is not None][:MOST_ROWS]
    if not runs:
        raise NothingToShow("No submission has a breakage rate in this view.")
    figure = empty_figure(colours, height=190 + ROW_PIXELS * len(runs))
    has_band = False
    for place, row in enumerate(runs):
        floor = row.metric("repeat_breakage")
        if isinstance(floor, MetricValue) and floor.value is not None:
            low, high = (floor.value if end is None else end for end in (floor.low, floor.high))
            figure.add_shape(
                type="rect",
                x0=low,
                x1=max(high, low + 0.001),
                y0=place - 0.38,
                y1=place + 0.38,
                fillcolor=faded(colours.muted),
                line={"width": 0},
                layer="below",
            )
            has_band = True
    for place, (row, (colour, symbol)) in enumerate(zip(runs, looks(colours), strict=False)):
        breakage = row.metric("breakage_rate")
        figure.add_scatter(
            x=[row.value("breakage_rate")],
            y=[place],
            error_x=whiskers(breakage, colour) if isinstance(breakage, MetricValue) else None,
            mode="markers",
            marker={"size": 10, "color": colour, "symbol": symbol},
            text=[f"{hover(row)}<br>noise floor {_floor_words(row)}"],
            hovertemplate="%{text}<extra></extra>",
            showlegend=False,
        )
    if has_band:
        # A shape has no entry in the legend: this one stands for all bands.
        figure.add_scatter(
            x=[None],
            y=[None],
            mode="markers",
            marker={"size": 14, "symbol": "square", "color": faded(colours.muted)},
            name="noise floor: the control run twice",
        )
    _share_axis(figure.update_xaxes, "breakage_rate", runs)
    figure.update_layout(legend={"y": -60 / (ROW_PIXELS * len(runs))})  # below the title of the axis
    name_rows(figure, [row.label for row in runs])
    return figure


def _floor_words(row: PersonalizationRow) -> str:
    floor = row.metric("repeat_breakage")
    return text_of(floor, "percent") + (f" {row.missing('repeat_breakage')}" if row.missing("repeat_breakage") else "")


def preferences(board: PersonalizationBoard, colours: Colours) -> Figure:
    """Robustness error under every relevant preference of every data set; breakage where following was not judged."""
    names, rows = preference_names(board), cell_rows(board)
    if not names:
        raise NothingToShow("No answer was given under a relevant preference in this view.")
    by_place = {(cell.figures.dataset, cell.figures.preference, cell.row.id): cell for cell in board.cells}
    lines = [[by_place.get((*name, row.id)) for row in rows] for name in names]
    values = [[None if cell is None else _shown(cell) for cell in line] for line in lines]
    figure = empty_figure(colours, height=230 + ROW_PIXELS * len(names))
    cells = heat_cells(values, "percent", colours)
    cells["customdata"] = [["" if cell is None else _cell_hover(cell) for cell in line] for line in lines]
    cells["hovertemplate"] = "%{customdata}<extra></extra>"
    known = [value for line in values for value in line if value is not None]
    figure.add_heatmap(z=values, colorscale=sequential(colours), zmin=0.0, zmax=max([0.2, *known]), **cells)
    name_rows(
        figure,
        [
            preference if len(board_datasets(board)) == 1 else f"{dataset}: {preference}"
            for dataset, preference in names
        ],
    )
    name_columns(figure, [row.label for row in rows])
    figure.update_xaxes(tickangle=-40)  # two names side by side would be one on a phone
    return figure


def board_datasets(board: PersonalizationBoard) -> list[str]:
    """The data sets preferences were shown with."""
    return sorted({cell.figures.dataset for cell in board.cells})


def preference_names(board: PersonalizationBoard) -> list[tuple[str, str]]:
    """Data set and preference of every line of the heat map, the ones with the most answers."""
    counts: dict[tuple[str, str], int] = {}
    for cell in board.cells:
        key = (cell.figures.dataset, cell.figures.preference)
        counts[key] = counts.get(key, 0) + cell.figures.n_qstar
    kept = sorted(counts, key=lambda key: (-counts[key], key))[:MOST_CELLS]
    return sorted(kept)


def cell_rows(board: PersonalizationBoard) -> list[PersonalizationRow]:
    """The rows of the board that have figures by preference, best first."""
    ids = {cell.row.id for cell in board.cells}
    return [row for row in board.runs if row.id in ids][:MOST_ROWS]


def _shown(cell: PreferenceCell) -> float | None:
    return cell.figures.breakage_rate if cell.figures.robustness_error is None else cell.figures.robustness_error


def _cell_hover(cell: PreferenceCell) -> str:
    figures = cell.figures
    return "<br>".join(
        [
            f"<b>{label_of(cell.row.label)}</b>",
            f"{label_of(figures.dataset)}: {label_of(figures.preference)}",
            f"breakage {text_of(figures.breakage_rate, 'percent')}",
            f"alignment failure {text_of(figures.alignment_failure, 'percent')}",
            f"robustness error {text_of(figures.robustness_error, 'percent')}",
            f"unchanged {text_of(cell.row.share('unchanged_rate'), 'percent')}, fallback "
            f"{text_of(cell.row.share('fallback_rate'), 'percent')} (whole row)",
            f"{figures.n_qstar} right without preferences",
        ]
    )
