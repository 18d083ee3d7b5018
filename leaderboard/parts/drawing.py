"""What all charts share: colours of both themes, the look of axes, and how names and gaps are shown."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any, TypeVar

from plotly.graph_objects import Figure
from plotly.graph_objs.layout import Template

from evaluator.results import MetricValue
from leaderboard.parts.columns import Format, text_of
from leaderboard.parts.visible_text import shortened

logger = logging.getLogger(__name__)

Board = TypeVar("Board")
"""What a chart is drawn from."""

Scale = list[tuple[float, str]]


@dataclass(frozen=True, slots=True)
class Colours:
    """One theme's colours; those of outcomes are safe for colour-blind readers (Okabe and Ito)."""

    ink: str
    muted: str
    line: str
    surface: str
    sequential: tuple[str, str]
    """From little to much; numbers in ink are legible on all of it."""
    diverging: tuple[str, str, str]
    """Primacy, neither, recency; numbers in ink are legible on all of it."""
    judges: tuple[str, ...]
    """Six: with seven symbols 42 judges look different."""


LIGHT = Colours(
    ink="#1c2530",
    muted="#55606c",
    line="#dedbd3",
    surface="#ffffff",
    sequential=("#f3f5f6", "#6db4c1"),
    diverging=("#7db8de", "#f4f2ed", "#f0a063"),
    judges=("#0072b2", "#d55e00", "#00805d", "#b3528a", "#9a6a00", "#2f86b8"),
)
DARK = Colours(
    ink="#e4e8eb",
    muted="#a2adb8",
    line="#2d3741",
    surface="#181f26",
    sequential=("#1d252d", "#28707d"),
    diverging=("#1d699b", "#232c34", "#9a5214"),
    judges=("#56b4e9", "#e69f00", "#2bbf94", "#e39cc4", "#f0e442", "#ff8a4c"),
)

_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "star", "hexagon")

LABEL_CHARACTERS = 24
LEFT_OUT = ("zoom2d", "pan2d", "select2d", "lasso2d", "zoomIn2d", "zoomOut2d", "autoScale2d", "resetScale2d")
ROW_PIXELS = 30


class NothingToShow(Exception):
    """Raised by a figure that has no data; the message says why, for visitors."""


def drawn(make: Callable[[Board, Colours], Figure], board: Board, *, is_dark: bool) -> Figure:
    """The figure, or the reason why there is none: a chart never takes the page down with it."""
    colours = DARK if is_dark else LIGHT
    try:
        return make(board, colours)
    except NothingToShow as reason:
        return message(str(reason), colours)
    except Exception:
        logger.exception("a chart could not be drawn")
        return message("This chart could not be drawn; its table below still holds the numbers.", colours)


def label_of(name: str) -> str:
    """A name as plotly shows it as text: short, and none of its characters is markup.

    >>> label_of("<b>judge</b> & co")
    '&lt;b&gt;judge&lt;/b&gt; &amp; co'
    """
    short = shortened(name, LABEL_CHARACTERS)
    return short.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def template(colours: Colours) -> Template:
    """The look of every chart in one theme; nothing is left to plotly's or gradio's defaults."""
    axis = {
        "gridcolor": colours.line,
        "linecolor": colours.muted,
        "tickcolor": colours.muted,
        "zerolinecolor": colours.line,
        "automargin": True,
        "fixedrange": True,
        "title": {"standoff": 8},
    }
    return Template(
        layout={
            "font": {"color": colours.ink, "family": "system-ui, sans-serif", "size": 12.5},
            "paper_bgcolor": colours.surface,
            "plot_bgcolor": colours.surface,
            "xaxis": axis,
            "yaxis": axis,
            "legend": {"orientation": "h", "yanchor": "top", "y": -0.18, "x": 0, "font": {"color": colours.ink}},
            "hoverlabel": {"bgcolor": colours.surface, "font": {"color": colours.ink}, "bordercolor": colours.muted},
            "modebar": {"remove": list(LEFT_OUT)},
            "margin": {"l": 8, "r": 16, "t": 12, "b": 8},
            "dragmode": False,
        }
    )


def empty_figure(colours: Colours, *, height: int) -> Figure:
    """An empty figure; its width is the page's."""
    return Figure(layout={"template": template(colours), "height": height, "modebar": {"remove": list(LEFT_OUT)}})


def message(text: str, colours: Colours) -> Figure:
    figure = empty_figure(colours, height=140)
    figure.add_annotation(
        text=label_of_text(text), showarrow=False, x=0.5, y=0.5, xref="paper", yref="paper", font={"size": 14}
    )
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    return figure


def label_of_text(text: str) -> str:
    """A sentence broken into lines that a phone can show."""
    words, lines = text.split(), [""]
    for word in words:
        if len(lines[-1]) + len(word) > 40:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return "<br>".join(lines)


def looks(colours: Colours) -> Iterator[tuple[str, str]]:
    """A colour and a symbol for each row, without end."""
    return zip(cycle(colours.judges), cycle(_SYMBOLS), strict=False)


def whiskers(metric: MetricValue, colour: str) -> Mapping[str, Any] | None:
    if metric.value is None or metric.low is None or metric.high is None:
        return None
    return {
        "type": "data",
        "symmetric": False,
        "array": [metric.high - metric.value],
        "arrayminus": [metric.value - metric.low],
        "color": colour,
        "thickness": 1.2,
    }


def faded(colour: str) -> str:
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, 0.35)"


def sequential(colours: Colours) -> Scale:
    return [(0.0, colours.sequential[0]), (1.0, colours.sequential[1])]


def diverging(colours: Colours) -> Scale:
    return [(place / 2, colour) for place, colour in enumerate(colours.diverging)]


def heat_cells(values: Sequence[Sequence[float | None]], written: Format, colours: Colours) -> dict[str, Any]:
    """A heat map's cells with their numbers written in them; undefined ones say n/a."""
    return {
        "textfont": {"color": colours.ink},
        "text": [[text_of(value, written) for value in line] for line in values],
        "texttemplate": "%{text}",
        "hovertemplate": "%{y} · %{x}: %{text}<extra></extra>",
        "xgap": 2,
        "ygap": 2,
        "showscale": False,
    }


def name_rows(figure: Figure, names: Sequence[str], below: Sequence[str] = ()) -> None:
    """Names down the side, the first on top; places are numbers, so that two of one name stay two.

    Args:
        below: A word below each name; blank for none.
    """
    ticks = _ticks(names, below)
    figure.update_yaxes(autorange="reversed", showgrid=False, zeroline=False, **ticks)


def _ticks(names: Sequence[str], below: Sequence[str] = ()) -> dict[str, list[Any]]:
    words = [f"<br>{label_of(word)}" if word else "" for word in below] or [""] * len(names)
    texts = [f"{label_of(name)}{word}" for name, word in zip(names, words, strict=True)]
    return {"tickvals": list(range(len(names))), "ticktext": texts}


def name_columns(figure: Figure, names: Sequence[str]) -> None:
    ticks = _ticks(names)
    figure.update_xaxes(tickangle=-40 if len(names) > 2 else 0, showgrid=False, zeroline=False, **ticks)
