"""Charts of recommenders: scores, strategies beside the human's, and one system's turns; each with its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import ceil

from plotly.graph_objects import Figure

from evaluator.behavior_alignment.result import BehaviorResult
from leaderboard.boards.behavior_alignment.rows import BehaviorRow
from leaderboard.boards.behavior_alignment.strategy_words import strategy_words
from leaderboard.boards.behavior_alignment.turns import NOT_KNOWN, alignment_by_turn, confusion
from leaderboard.parts.chart import Chart, ChartRow, ChartTable, Head
from leaderboard.parts.drawing import (
    ROW_PIXELS,
    Colours,
    NothingToShow,
    empty_figure,
    label_of,
    name_rows,
    sequential,
    whiskers,
)
from leaderboard.parts.row_charts import BoardChart, scores_chart
from leaderboard.parts.shown_rows import Axis, ShownRows
from submissions.formats.behavior_alignment.submission import TURN_LABELS, TurnLabel

MOST_MIXES = 16
"""Rows drawn in the chart of strategies."""
HUMAN = "the human"
LEGEND_PIXELS = 21
"""Height of a line of the legend."""
LEGEND_ENTRY_PIXELS = 190
"""Width of an entry of it."""
USUAL_PIXELS = 1_200
"""What a chart has where the width of the browser is not known."""
_PATTERNS = ("", "/", "x")


# --- the board -------------------------------------------------------------------------------------------------------

Mix = tuple[str, dict[str, float], BehaviorRow | None]
"""Name, strategy -> share, and the row; None for the human."""


def mixes(shown: ShownRows[BehaviorRow]) -> list[Mix]:
    """The human's strategies, then those of the rows shown that have any; the human is no row."""
    known = [row for row in shown.rows if row.mix("system")]
    others = [row for row in known if row.mix("human") != row.mix("system")]
    if not known:
        return []
    return [(HUMAN, dict(known[0].mix("human")), None), *((shown.called(r), dict(r.mix("system")), r) for r in others)]


def _mix_figure(shown: ShownRows[BehaviorRow], colours: Colours) -> Figure:
    """One bar a row, as long as all its turns, cut by strategy."""
    row_mixes = mixes(shown)[:MOST_MIXES]
    if not row_mixes:
        raise NothingToShow("No row shown has strategies, annotated or estimated.")
    used = _used(row_mixes)
    legend = LEGEND_PIXELS * ceil(len(used) / max(1, (shown.width or USUAL_PIXELS) // LEGEND_ENTRY_PIXELS))
    figure = empty_figure(colours, height=110 + legend + ROW_PIXELS * len(row_mixes))
    looks = dict(zip(TURN_LABELS, ((c, p) for p, c in product(_PATTERNS, colours.judges)), strict=False))
    for label in used:
        colour, pattern = looks[label]
        figure.add_bar(
            orientation="h",
            x=[mix.get(label, 0.0) for _, mix, _ in row_mixes],
            y=list(range(len(row_mixes))),
            name=strategy_words(label),
            marker={
                "color": colour,
                "pattern": {
                    "shape": pattern,
                    "fillmode": "overlay",
                    "fgcolor": colours.surface,
                    "fgopacity": 0.75,
                    "size": 6,
                    "solidity": 0.3,
                },
                "line": {"color": colours.surface, "width": 1},
            },
            text=[f"{label_of(name)}: {strategy_words(label)} {mix.get(label, 0.0):.1%}" for name, mix, _ in row_mixes],
            textposition="none",
            hovertemplate="%{text}<extra></extra>",
        )
    name_rows(figure, [name for name, _, _ in row_mixes])
    figure.update_xaxes(title="share of turns", range=[0, 1], tickformat=".0%", zeroline=False)
    figure.update_layout(
        barmode="stack",
        bargap=0.3,
        legend={"y": -58 / (ROW_PIXELS * len(row_mixes)), "traceorder": "normal"},
        margin={"r": 28},  # half of "100%", which is not written where it would not fit
    )
    return figure


def _used(row_mixes: Sequence[Mix]) -> list[TurnLabel]:
    return [label for label in TURN_LABELS if any(mix.get(label) for _, mix, _ in row_mixes)]


def _mix_table(shown: ShownRows[BehaviorRow]) -> ChartTable:
    row_mixes = mixes(shown)
    labels = _used(row_mixes)
    heads: tuple[Head, ...] = (
        ("distance to the human", "decimal"),
        *((strategy_words(label), "percent") for label in labels),
    )
    rows = (
        ChartRow(
            row.id if row else HUMAN,
            name,
            (row.mix_distance if row else 0.0, *(mix.get(label, 0.0) for label in labels)),
            row.style if row else "null-row",
        )
        for name, mix, row in row_mixes
    )
    return ChartTable(shown.name.label, heads, tuple(rows))


BEHAVIOR_CHARTS: tuple[BoardChart[BehaviorRow], ...] = (
    scores_chart(
        Axis("behavior alignment, 0-1 (or its estimate)", lambda row: row.alignment, 0.0, 1.0, units="dialogues"),
        title="Alignment with intervals",
        explanation="Whiskers are 95% intervals over dialogues: how far the share could move if other "
        "dialogues of this kind had been answered; of estimated rows also if rates had been measured on others.",
    ),
    Chart(
        "mix",
        "Strategies beside the human's",
        "How often each strategy is used, over all scored turns; the human's bar is on top. A recommender that never "
        "asks lacks the inquiries. Of estimated rows these are mean probabilities.",
        _mix_figure,
        _mix_table,
        is_wide=True,
    ),
)
"""Drawn below the board from the rows it shows."""


# --- one system ------------------------------------------------------------------------------------------------------


def _confusion_figure(result: BehaviorResult, colours: Colours) -> Figure:
    """Down the human's labels in words, across the system's by the same numbers: words would not fit on a phone."""
    table = confusion(result)
    if table is None:
        raise NothingToShow(f"There is no table of strategies: {NOT_KNOWN}.")
    words, places = [strategy_words(label) for label in table.labels], list(range(len(table.labels)))
    counts = [[table.counts.get((human, system), 0) for system in table.labels] for human in table.labels]
    figure = empty_figure(colours, height=120 + 34 * len(table.labels))
    figure.add_heatmap(
        z=counts,
        x=places,
        y=places,
        colorscale=sequential(colours),
        textfont={"color": colours.ink},
        text=[[str(count) if count else "" for count in line] for line in counts],
        texttemplate="%{text}",
        customdata=[[(human, system) for system in words] for human in words],
        hovertemplate="human %{customdata[0]}, system %{customdata[1]}: %{z} turns<extra></extra>",
        xgap=2,
        ygap=2,
        showscale=False,
    )
    name_rows(figure, [f"{place + 1} {word}" for place, word in enumerate(words)])
    figure.update_xaxes(
        title="the system's strategy",
        tickvals=places,
        ticktext=[str(place + 1) for place in places],
        showgrid=False,
        zeroline=False,
    )
    return figure


def _confusion_table(result: BehaviorResult) -> ChartTable:
    table = confusion(result)
    if table is None:
        return ChartTable("The human", (), ())
    heads: tuple[Head, ...] = tuple((strategy_words(label), "whole") for label in table.labels)
    rows = (
        ChartRow(human, strategy_words(human), tuple(table.counts.get((human, system), 0) for system in table.labels))
        for human in table.labels
    )
    return ChartTable("The human", heads, tuple(rows))


def _by_turn_figure(result: BehaviorResult, colours: Colours) -> Figure:
    shares = alignment_by_turn(result)
    if not shares:
        raise NothingToShow("There is no scored turn.")
    figure = empty_figure(colours, height=340)
    reach = [whiskers(value, colours.judges[0]) for value in shares.values()]
    figure.add_scatter(
        x=list(shares),
        y=[value.value for value in shares.values()],
        error_y={
            "type": "data",
            "symmetric": False,
            "array": [whisker["array"][0] if whisker else None for whisker in reach],
            "arrayminus": [whisker["arrayminus"][0] if whisker else None for whisker in reach],
            "color": colours.judges[0],
            "thickness": 1.2,
        },
        mode="markers+lines",
        line={"color": colours.line, "width": 1.5},
        marker={"size": 9, "color": colours.judges[0], "symbol": [_marker(whisker) for whisker in reach]},
        text=[f"turn {number}: {value.value:.2f}, n = {value.n} dialogues" for number, value in shares.items()],
        hovertemplate="%{text}<extra></extra>",
        cliponaxis=False,
    )
    figure.update_xaxes(title="turn", dtick=1 if len(shares) < 20 else None, zeroline=False)
    figure.update_yaxes(title=_by_turn_words(result), range=[-0.03, 1.03], zeroline=False)
    return figure


def _marker(reach: object) -> str:
    """Hollow where there is no interval."""
    return "circle" if reach else "circle-open"


def _by_turn_words(result: BehaviorResult) -> str:
    return "share of hits" if result.is_annotated else "counted as same (estimated)"


def _by_turn_table(result: BehaviorResult) -> ChartTable:
    heads: tuple[Head, ...] = ((_by_turn_words(result), "interval"), ("dialogues", "whole"))
    rows: Iterator[ChartRow] = (
        ChartRow(str(number), f"turn {number}", (value, value.n)) for number, value in alignment_by_turn(result).items()
    )
    return ChartTable("Turn", heads, tuple(rows))


TURN_CHARTS: tuple[Chart[BehaviorResult], ...] = (
    Chart(
        "confusion",
        "What it does in place of the human's strategy",
        "Scored turns by the human's label (down) and the system's (across, in the same order). Hits lie on the "
        "diagonal.",
        _confusion_figure,
        _confusion_table,
    ),
    Chart(
        "by-turn",
        "Alignment by turn",
        "Share of hits at each turn of the dialogues that have it, with 95% intervals over dialogues. Late turns rest "
        "on few dialogues; hollow markers on fewer than six.",
        _by_turn_figure,
        _by_turn_table,
    ),
)
"""Drawn for one opened row."""
