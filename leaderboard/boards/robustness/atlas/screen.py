"""Values that the variation atlas shows, in every edition; no components, so that no test needs a browser."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, Final

from evaluator.results import MetricValue
from evaluator.robustness.edition_results import ConsistencyResult, CulturalResult
from leaderboard.boards.editions.cache import EditionBoards
from leaderboard.boards.editions.screen import EditionsScreen, board_of, pair_row
from leaderboard.boards.robustness.atlas.cells import RunCells, cells_2024, cells_2025, cells_2026, part_name
from leaderboard.boards.robustness.atlas.maps import HeatMap, MapKey, MapPart, MapSystem, cells_csv
from leaderboard.boards.robustness.atlas.values import (
    AtlasChoice,
    AtlasValue,
    ShownMap,
    hardest_sentence,
    map_value,
    shown_map,
)
from leaderboard.boards.robustness.cache import Boards
from leaderboard.boards.robustness.perspectives import is_looked_at
from leaderboard.boards.robustness.screen import RobustnessScreen
from leaderboard.boards.robustness.state import Edition, EditionState, MapFigure, RobustnessState
from leaderboard.page.board_row import BoardRow
from leaderboard.page.board_table import BoardTable
from leaderboard.page.links import address_of, link_of, parsed
from leaderboard.page.registered import BoardTools
from leaderboard.parts.downloads import CSV, FileValue, file_value

MOST_SYSTEMS = 40
"""Columns of a map; of longer boards the beginning is drawn."""
KEPT_MAPS = 8
"""Looks at the maps that are kept until a result changes."""

FIGURES: Final[Mapping[str, Mapping[MapFigure, str]]] = {
    "robustness": {
        "gated": "pair mean after the relevance check",
        "raw": "pair mean before the relevance check",
        "worst": "worst pair after the relevance check",
    },
    "consistency": {
        "gated": "mean of the pairs after the relevance check",
        "raw": "mean of the pairs before the relevance check",
        "worst": "worst pair after the relevance check",
    },
    "cultural": {
        "cr": "agreement where a culture is named (CR), after the relevance check",
        "cd": "difference where none is named (CD), after the relevance check",
        "rho": "correlation of the distances",
    },
}
"""What the maps of an edition can show, the first one at first."""


@dataclass(frozen=True, slots=True)
class MapWords:
    """How a map is called and what its numbers count."""

    title: str
    part: str
    parts: str
    units: str


_WORDS: Final[Mapping[tuple[str, MapKey], MapWords]] = {
    ("robustness", "items"): MapWords("Items", "item", "items", "answers"),
    ("robustness", "variations"): MapWords("Types of variation", "variation", "variations", "items"),
    ("robustness", "languages"): MapWords("Languages", "language", "languages", "items"),
    ("consistency", "questions"): MapWords("Questions", "question", "questions", "question"),
    ("consistency", "languages"): MapWords("Languages", "language", "languages", "questions"),
    ("cultural", "pairs"): MapWords("Pairs of languages", "pair", "pairs", "questions"),
    ("cultural", "questions"): MapWords("Base questions", "question", "questions", "question"),
    ("cultural", "languages"): MapWords("Answers on topic, by language", "language", "languages", "checked answers"),
}
_MAPS: Final[Mapping[str, tuple[MapKey, ...]]] = {
    "robustness": ("items", "variations", "languages"),
    "consistency": ("questions", "languages"),
    "cultural": ("pairs", "languages", "questions"),
}
"""The maps of an edition, in the order of the page."""


@dataclass(frozen=True, slots=True)
class Atlas:
    """The maps of one choice of systems, before they are sorted, cut into pages and written out."""

    systems: tuple[MapSystem, ...]
    maps: tuple[HeatMap, ...]
    left_out: int
    """Systems that fit the choice and have no column."""


class AtlasScreen:
    """Page state -> the maps, kept until a result changes."""

    @classmethod
    def of(cls, tools: BoardTools) -> AtlasScreen:
        """Of the site that the tools are of."""
        return cls(
            tools.shared(Boards.of),
            tools.shared(RobustnessScreen.of),
            tools.shared(EditionBoards.of),
            tools.shared(EditionsScreen.of),
        )

    def __init__(
        self,
        boards: Boards,
        robustness: RobustnessScreen,
        edition_boards: EditionBoards,
        editions: EditionsScreen,
    ) -> None:
        self._boards = boards
        self._robustness = robustness
        self._edition_boards = edition_boards
        self._editions = editions
        self._lock = Lock()
        self._marker: int | None = None
        self._atlases: OrderedDict[str, Atlas] = OrderedDict()

    def value(self, state: EditionState) -> AtlasValue | None:
        """The maps as the visitor looks at them; None where they are not looked at."""
        if not is_looked_at(state, "atlas"):
            return None
        atlas = self._atlas(state)
        shown = _shown(atlas, state)
        pages = max((map_.pages for map_ in shown), default=1)
        page = min(max(state.rows, 1), pages)
        maps = [
            map_value(
                map_,
                atlas.systems,
                lambda *place: _link(state, *place),
                order=state.order,
                page=page,
                is_first=map_ is shown[0],
            )
            for map_ in shown
        ]
        return {
            "title": self._title(state),
            "said": _said(atlas, state),
            "notes": [*_NOTES, _OPENED[state.tab]],
            "empty": "" if maps else _nobody(atlas),
            "figures": _figure_choices(state),
            "to_names": address_of(replace(state, order="name", rows=1)),
            "to_hardest": address_of(replace(state, order="hardest", rows=1)),
            "maps": maps,
            "page": f"Page {page} of {pages}" if pages > 1 else "",
            "previous": address_of(replace(state, rows=page - 1)) if page > 1 else "",
            "next": address_of(replace(state, rows=page + 1)) if page < pages else "",
        }

    def file(self, state: EditionState) -> FileValue:
        """Exactly what is shown, all pages, as CSV in long form."""
        atlas = self._atlas(state)
        maps = [(map_.map, map_.parts) for map_ in _shown(atlas, state)]
        name = f"{self._table_of(state).file_name(state)}-atlas-{figure_of(state)}.csv"
        return file_value(name, CSV, cells_csv(maps, atlas.systems))

    def _title(self, state: EditionState) -> str:
        figure = FIGURES[state.tab][figure_of(state)]
        if isinstance(state, RobustnessState):
            return f"Scores by variation: {self._robustness.described(state)}, {figure}"
        return f"Scores by variation: {self._editions.set_title(state)}, {figure}"

    def _table_of(self, state: EditionState) -> BoardTable[Any, Any]:
        edition = board_of(state)
        return self._robustness.board if edition is None else self._editions.tables[edition]

    # The maps, computed once per change of results

    def _atlas(self, state: EditionState) -> Atlas:
        # Sorting and pages are cheap: the same maps serve all of them.
        key = link_of(replace(state, order="hardest", rows=1))
        with self._lock:
            marker = self._boards.marker()
            if marker != self._marker:
                self._atlases.clear()
                self._marker = marker
            if key not in self._atlases:
                self._atlases[key] = self._computed(state)
                while len(self._atlases) > KEPT_MAPS:
                    self._atlases.popitem(last=False)
            return self._atlases[key]

    def _computed(self, state: EditionState) -> Atlas:
        rows: Sequence[BoardRow] = self._table_of(state).rows(state)
        nulls = [row for row in rows if row.role == "baseline"]
        entries = [row for row in rows if row.role != "baseline"]
        fitting = entries[: max(MOST_SYSTEMS - len(nulls), 0)]
        systems = tuple(_system(row) for row in (*fitting, *nulls))
        remarks: dict[str, str] = {}
        if isinstance(state, RobustnessState):
            subset, judge = self._robustness.subset(state), self._robustness.judged_by(state)
            judged = self._boards.judged(state.set, [system.id for system in systems], judge)
            remarks = {group.item: group.variation for run in judged.values() for group in run.groups}
            figure = figure_of(state)
            cells = {id_: cells_2024(run.groups, state.view, subset, figure) for id_, run in judged.items()}
        else:
            cells = {system.id: self._edition_cells(state, system.id) for system in systems}
        maps = (_heat_map(state, key, cells, remarks) for key in _MAPS[state.tab])
        filled_maps = tuple(map_ for map_ in maps if map_.parts)
        return Atlas(systems, filled_maps, len(entries) - len(fitting))

    def _edition_cells(self, state: EditionState, ticket_id: str) -> RunCells:
        """What one run of a later edition says; nothing where it was withdrawn meanwhile."""
        edition = board_of(state)
        figure, result = figure_of(state), self._edition_boards.result(edition, ticket_id) if edition else None
        if isinstance(result, ConsistencyResult):
            return cells_2025(result, figure)
        if isinstance(result, CulturalResult):
            return cells_2026(result, [pair_row(pair) for pair in result.pairs], figure)
        return {}


def figure_of(state: EditionState) -> MapFigure:
    """What the maps show: as the state says, else the first figure of its edition.

    >>> from leaderboard.boards.editions.state import CulturalState
    >>> figure_of(RobustnessState(figure="raw")), figure_of(CulturalState(figure="raw"))
    ('raw', 'cr')
    """
    known = FIGURES[state.tab]
    return state.figure if state.figure and state.figure in known else next(iter(known))


def _shown(atlas: Atlas, state: EditionState) -> list[ShownMap]:
    return [shown_map(map_, atlas.systems, state.order) for map_ in atlas.maps]


def _system(row: BoardRow) -> MapSystem:
    about = " · ".join(text for text in (row.name, row.team, row.model, row.place_words) if text)
    return MapSystem(row.id, row.name, about, row.is_null)


def _heat_map(state: EditionState, key: MapKey, cells: Mapping[str, RunCells], remarks: Mapping[str, str]) -> HeatMap:
    """One map of all systems."""
    by_part: dict[str, dict[str, MetricValue]] = {}
    for system, maps in cells.items():
        for part, metric in maps.get(key, {}).items():
            by_part.setdefault(part, {})[system] = metric
    words, figure = _WORDS[state.tab, key], figure_of(state)
    is_share, is_correlation = state.tab == "cultural", figure == "rho" and key == "pairs"
    return HeatMap(
        key=key,
        title=words.title,
        part_word=words.part,
        parts_word=words.parts,
        units=words.units,
        parts=tuple(
            MapPart(part, part_name(key, part), remarks.get(part, "") if key == "items" else "")
            for part in sorted(by_part, key=_natural)
        ),
        cells=by_part,
        scale=(0.0, 1.0) if is_share else (0.0, 5.0),
        format="signed" if is_correlation else "decimal",
        better="nearer_zero" if is_correlation else "higher",
    )


def _natural(part: str) -> tuple[bool, int, str]:
    """Numbers by size, before all else by letters."""
    is_number = re.fullmatch(r"\d{1,9}", part, re.ASCII) is not None
    return (not is_number, int(part) if is_number else 0, part)


# --- links and words -------------------------------------------------------------------------------------------------


def _link(state: EditionState, key: MapKey, part: str, ticket: str) -> str:
    """Where a place of a map leads; blank = nowhere."""
    target = _target(state, key, part, ticket)
    return address_of(target) if target else ""


def _target(state: EditionState, key: MapKey, part: str, ticket: str) -> EditionState | None:
    if ticket and (not part or key == "pairs" or (key == "languages" and board_of(state) is not None)):
        return _alone(replace(state, system=ticket, item="", pair=""))
    if ticket and key in ("items", "questions"):
        return _alone(replace(state, system=ticket, item=part, pair=""))
    if isinstance(state, RobustnessState) and key == "variations":
        return replace(state, variation=part, rows=1)
    if isinstance(state, RobustnessState) and key == "languages":
        return replace(state, language=part, rows=1)
    return None


def _alone(state: Edition) -> Edition:
    """With no other system beside the opened one."""
    return replace(state, against="") if isinstance(state, RobustnessState) else state


def _figure_choices(state: EditionState) -> list[AtlasChoice]:
    now, known = figure_of(state), FIGURES[state.tab]
    first = next(iter(known))
    return [
        {
            "label": label[0].upper() + label[1:],
            "href": address_of(replace(state, figure="" if figure == first else figure, rows=1)),
            "is_chosen": figure == now,
        }
        for figure, label in known.items()
    ]


def _nobody(atlas: Atlas) -> str:
    if atlas.systems:
        return "The systems shown have no figure to draw here. Choose another figure, view or part of the prompt set."
    return "There is no scored system to draw: submit a file, or take back search and filters on the ranking."


def _said(atlas: Atlas, state: EditionState) -> list[str]:
    """What is hardest, what the numbers are, and what the maps leave out."""
    hardest = (hardest_sentence(map_, atlas.systems) for map_ in atlas.maps)
    said = [*filter(None, hardest), _SCALES[state.tab]]
    if figure_of(state) == "rho":
        said.append(
            "Of a correlation 0 is best: colours and means show its distance from 0. It is taken over many questions, "
            "so a single one has none."
        )
    if state.tab == "consistency" and figure_of(state) == "worst":
        said.append("A language has no worst pair of its own.")
    if atlas.left_out:
        said.append(
            f"The map has {MOST_SYSTEMS} columns and leaves out {atlas.left_out} more systems: search, filter or sort "
            "the ranking to choose which are shown."
        )
    return said


_NOTES = (
    "The hardest rows stand on top: those with the lowest mean over the systems shown, baselines left out.",
    "Columns are in the order of the ranking; baselines stand in grey at the end.",
    "n/a means not judged, not zero. Pointing at a cell tells n, interval or reason.",
    "The Tab key reaches the map, and the arrow keys move within it.",
)
_SCALES: Final[Mapping[str, str]] = {
    "robustness": "0-5, higher is better: how far the answers to one question mean the same.",
    "consistency": "0-5, higher is better: how far the answers to one question mean the same in several languages.",
    "cultural": (
        "0-1, higher is better: CD, how far answers differ between languages where no culture is named; CR, how far "
        "they agree where one is. By language: the share of answers that are on topic."
    ),
}
_OPENED: Final[Mapping[str, str]] = {
    "robustness": "A cell of an item opens its answers; a variation or a language narrows the map to it.",
    "consistency": "A cell of a question opens its answers, one of a language the run.",
    "cultural": "A cell of a question opens its answers, any other the run.",
}


_FOLLOWED = ("figure", "order", "rows", "system", "item")
_FOLLOWED_2024 = ("variation", "language")
"""What a link of the maps may change."""


# What a visitor does to the page state. Values come from the browser: anything unknown changes nothing.


def followed(state: Edition, place: object) -> Edition:
    """A link of the maps, as the parameters of its query: where the maps lead, the rest of the state stays."""
    if not isinstance(place, Mapping) or not all(isinstance(text, str) for pair in place.items() for text in pair):
        return state
    there = parsed(place, type(state)).state
    taken = {name: getattr(there, name) for name in (*_FOLLOWED, *_FOLLOWED_2024) if hasattr(there, name)}
    return _alone(replace(state, pair="", **taken))
