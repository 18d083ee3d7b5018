"""Heat maps -> what the atlas shows: numbers written out, colours as places on a scale, every cell with its link."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import TypedDict

from evaluator.results import MetricValue
from leaderboard.boards.robustness.atlas.maps import (
    MEAN,
    NOT_THERE,
    HeatMap,
    MapKey,
    MapPart,
    MapSystem,
    hardest_first,
    mean_over_systems,
)
from leaderboard.boards.robustness.state import MapOrder
from leaderboard.parts.columns import NOT_AVAILABLE, text_of
from leaderboard.parts.interval_bars import bar_value
from leaderboard.parts.visible_text import shortened

PAGE_PARTS = 25
"""Rows of one map on one page: with the most systems shown, a value that is still sent at once."""

HEAD_CHARACTERS = 40
"""Of a system's name at the head of its column; pointing at it tells the whole."""

Linked = Callable[[MapKey, str, str], str]
"""Map, part, ticket -> where a cell leads; a blank part = the head of a system, a blank ticket = the head of a row.
Blank = nowhere."""


class AtlasCell(TypedDict):
    """One cell, written out."""

    text: str
    at: str
    """Where the figure lies on the scale, "0" to "1"; blank = no colour."""
    hint: str
    """Figure, interval and n, or why there is none."""
    href: str
    tab: str
    """Its tabindex: one cell of a map is reached with Tab, the others with arrow keys."""


class AtlasSystem(TypedDict):
    """The head of a column."""

    name: str
    about: str
    href: str
    style: str


class AtlasLine(TypedDict):
    """One row of a map."""

    id: str
    name: str
    remark: str
    href: str
    mean: AtlasCell
    cells: list[AtlasCell]


class AtlasMap(TypedDict):
    """The rows of one kind of part, below their title; all kinds stand in one table of the same columns."""

    key: MapKey
    title: str
    width: str
    """Columns of the table."""
    order_by_name: str
    """`aria-sort` of the names."""
    order_by_mean: str
    systems: list[AtlasSystem]
    lines: list[AtlasLine]
    summary: str
    low: str
    """What the pale end of the colours means."""
    high: str


class AtlasChoice(TypedDict):
    """One of several ways to look at the maps."""

    label: str
    href: str
    is_chosen: bool


class AtlasValue(TypedDict):
    """All that is shown; every string is shown as text."""

    title: str
    said: list[str]
    """What the numbers are, and what is left out: above the maps."""
    notes: list[str]
    """How to read them: below."""
    empty: str
    """Why there is nothing, and what to do; blank where there is something."""
    figures: list[AtlasChoice]
    to_names: str
    """Link to the rows by name, and to the hardest first."""
    to_hardest: str
    maps: list[AtlasMap]
    page: str
    """Which page of the rows; blank where all are shown."""
    previous: str
    next: str


@dataclass(frozen=True, slots=True)
class ShownMap:
    """A heat map with its rows in the order shown, all pages."""

    map: HeatMap
    parts: Sequence[MapPart]

    @property
    def pages(self) -> int:
        return max(1, ceil(len(self.parts) / PAGE_PARTS))

    def page(self, number: int) -> Sequence[MapPart]:
        """The rows of a page; of a map with fewer pages its last one."""
        first = (min(max(number, 1), self.pages) - 1) * PAGE_PARTS
        return self.parts[first : first + PAGE_PARTS]


def shown_map(heat_map: HeatMap, systems: Sequence[MapSystem], order: MapOrder) -> ShownMap:
    """A map with its rows sorted."""
    return ShownMap(heat_map, heat_map.parts if order == "name" else hardest_first(heat_map, systems))


def hardest_sentence(heat_map: HeatMap, systems: Sequence[MapSystem]) -> str:
    """Return which part is hardest and which easiest on average over the systems; blank where all are alike."""
    judged = [
        (part, mean)
        for part in hardest_first(heat_map, systems)
        if (mean := mean_over_systems(heat_map, part.id, systems)).value is not None
    ]
    if not judged or judged[0][1].value == judged[-1][1].value:
        return ""
    (hardest, low), (easiest, high) = judged[0], judged[-1]
    return (
        f"Hardest {heat_map.part_word}: {hardest.name}, {_mean_text(heat_map, low)}; easiest: {easiest.name}, "
        f"{_mean_text(heat_map, high)}."
    )


def _mean_text(heat_map: HeatMap, mean: MetricValue) -> str:
    over = f"{mean.n} {'system' if mean.n == 1 else 'systems'}"
    return f"{text_of(mean.value, heat_map.format)} on average over {over}"


def map_value(
    shown: ShownMap, systems: Sequence[MapSystem], linked: Linked, *, order: MapOrder, page: int, is_first: bool = True
) -> AtlasMap:
    """One map, written out; the first one is reached with Tab."""
    heat_map = shown.map
    parts = shown.page(page)
    first = shown.parts.index(parts[0]) if parts else 0
    by_mean = "descending" if heat_map.better == "nearer_zero" else "ascending"
    return {
        "key": heat_map.key,
        "title": heat_map.title,
        "width": str(2 + len(systems)),
        "order_by_name": "ascending" if order == "name" else "none",
        "order_by_mean": by_mean if order == "hardest" else "none",
        "systems": [
            {
                "name": shortened(system.name, HEAD_CHARACTERS),
                "about": system.about,
                "href": linked(heat_map.key, "", system.id),
                "style": "null-system" if system.is_null else "",
            }
            for system in systems
        ],
        "lines": [
            _line(heat_map, part, systems, linked, is_first=is_first and place == 0) for place, part in enumerate(parts)
        ],
        "summary": _summary(heat_map, len(parts), first, len(shown.parts)),
        "low": f"{heat_map.scale[0]:g}",
        "high": f"{heat_map.scale[1]:g}",
    }


def _summary(heat_map: HeatMap, shown: int, first: int, total: int) -> str:
    if shown == total:
        return f"{total} {heat_map.part_word if total == 1 else heat_map.parts_word}"
    return f"{heat_map.parts_word.capitalize()} {first + 1} to {first + shown} of {total}"


def _line(
    heat_map: HeatMap, part: MapPart, systems: Sequence[MapSystem], linked: Linked, *, is_first: bool
) -> AtlasLine:
    mean = mean_over_systems(heat_map, part.id, systems)
    cells = []
    for place, system in enumerate(systems):
        metric = heat_map.cell(part.id, system.id)
        href = "" if metric is NOT_THERE else linked(heat_map.key, part.id, system.id)
        cells.append(
            _cell(heat_map, metric, heat_map.units, href, is_null=system.is_null, is_tab=is_first and not place)
        )
    return {
        "id": part.id,
        "name": part.name,
        "remark": part.remark,
        "href": linked(heat_map.key, part.id, ""),
        "mean": _cell(heat_map, mean, "systems", "", is_null=False, is_tab=False, of=MEAN),
        "cells": cells,
    }


def _cell(
    heat_map: HeatMap, metric: MetricValue, units: str, href: str, *, is_null: bool, is_tab: bool, of: str = ""
) -> AtlasCell:
    bar = None if is_null or metric.value is None else bar_value(heat_map.size(metric.value), heat_map.scale)
    return {
        "text": NOT_AVAILABLE if metric.value is None else text_of(metric.value, heat_map.format),
        "at": bar["at"] if bar else "",
        "hint": hint(heat_map, metric, units, of=of),
        "href": href,
        "tab": "0" if is_tab else "-1",
    }


def hint(heat_map: HeatMap, metric: MetricValue, units: str, *, of: str = "") -> str:
    """What pointing at a cell tells: figure, interval and n; or why there is no figure.

    `3.25 [2.90, 3.61]; n = 8 items, 1 not judged`
    """
    if metric.value is None:
        return f"{NOT_AVAILABLE}: {metric.reason or 'not judged'}"
    text = text_of(metric.value, heat_map.format)
    if metric.low is not None and metric.high is not None:
        text += f" [{text_of(metric.low, heat_map.format)}, {text_of(metric.high, heat_map.format)}]"
    text += f"; n = {metric.n} {units}"
    if metric.unscored:
        text += f", {metric.unscored} not judged"
    return f"{of}: {text}" if of else text
