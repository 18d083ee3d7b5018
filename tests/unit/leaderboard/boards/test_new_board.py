"""Another board needs a table of columns, a reader of rows and a page function, and a line in `KINDS`."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import Any, ClassVar
from urllib.parse import parse_qsl

import gradio as gr
import pytest

from leaderboard.page.board_table import (
    PAGE_ROWS,
    baselines_turned,
    columns_chosen,
    direction_chosen,
    filter_chosen,
    first_look,
    preset_chosen,
    searched,
    turned_to,
    undone,
)
from leaderboard.page.frame import ViewLink
from leaderboard.page.links import link_of, parsed
from leaderboard.page.region import LivePage
from leaderboard.parts.export_components import nothing_ready
from leaderboard.parts.tables import NULL_ROW, FoldValue
from tests.unit.leaderboard.boards.toy_board import FLEET, TOY, Boat, ToyState, toy_page, toy_table
from tests.unit.leaderboard.page.test_copies import markdown_cells

AT_SEA = ToyState()
BOARD = toy_table()


PAGE = partial(toy_page, BOARD)


def built(make: Callable[[gr.State, ViewLink], LivePage[ToyState]]) -> tuple[gr.Blocks, LivePage[ToyState]]:
    """The page in a thread with a loop of its own: gradio would open some and never close them."""

    async def page() -> tuple[gr.Blocks, LivePage[ToyState]]:
        with gr.Blocks(analytics_enabled=False) as blocks:
            return blocks, make(gr.State(AT_SEA), ViewLink(AT_SEA.tab))

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(page())).result()


def shown(state: ToyState) -> list[str]:
    return [row["id"] for row in BOARD.value(state)["rows"]]


def test_it_has_every_control_and_every_control_is_drawn() -> None:
    blocks, live = built(PAGE)
    ids = {block.elem_id for block in blocks.blocks.values()}
    assert {f"toy-filter-{one.key}" for one in TOY.filters} <= ids
    assert {
        "toy-search",
        "toy-preset",
        "toy-columns",
        "toy-board-table",
        "toy-handover",
    } <= ids
    values = dict(zip([output.elem_id for output in live.region.outputs], live.region.drawn(AT_SEA), strict=True))
    assert (values["toy-filters-drawer"]["label"], values["toy-columns-drawer"]["label"]) == (
        "Filters",
        "Columns (1 of 3)",
    )  # the first preset
    assert values["toy-filter-harbour"]["choices"] == [("any", ""), ("Kiel", "Kiel"), ("Oslo", "Oslo")]
    assert values["toy-columns"]["value"] == ["speed"]
    assert values["toy-columns"]["choices"] == [("Speed", "speed"), ("Harbour", "harbour"), ("Built", "built")]
    assert [row["id"] for row in values["toy-board-table"]["rows"]] == ["Keel", "Tide", "Drift", "Reef"]


@dataclass(frozen=True, slots=True)
class BareState(ToyState):
    """Of a harbour whose boats may all be undated."""

    kind: ClassVar = replace(
        TOY, columns=tuple(replace(one, is_left_out_when_empty=one.key == "built") for one in TOY.columns)
    )


def test_a_column_that_no_row_fills_is_neither_offered_nor_counted_and_comes_back() -> None:
    def columns(state: BareState, *fleet: Boat) -> tuple[str, list[str], list[str]]:
        table = replace(toy_table(fleet), state=BareState)
        _, live = built(partial(toy_page, table))
        values = dict(zip([output.elem_id for output in live.region.outputs], live.region.drawn(state), strict=True))
        ticks = values["toy-columns"]
        return values["toy-columns-drawer"]["label"], [key for _, key in ticks["choices"]], ticks["value"]

    undated, dated = (Boat("Keel", 4.0, "Kiel"),), FLEET
    everything = replace(BareState(), table=replace(BareState().table, columns=()))
    assert columns(BareState(), *undated) == ("Columns (1 of 2)", ["speed", "harbour"], ["speed"])
    assert columns(everything, *undated) == ("Columns", ["speed", "harbour"], ["speed", "harbour"])
    assert columns(everything, *dated) == ("Columns", ["speed", "harbour", "built"], ["speed", "harbour", "built"])


@dataclass(frozen=True, slots=True)
class HomeState(ToyState):
    """Of boats whose names say their harbour unless it is Oslo."""

    kind: ClassVar = replace(
        TOY,
        columns=tuple(
            replace(one, is_told=lambda boat: boat.harbour != "Oslo") if one.key == "harbour" else one
            for one in TOY.columns
        ),
    )


def test_a_column_that_repeats_all_names_is_in_csv_and_not_on_the_page() -> None:
    kiel, oslo = Boat("Keel", 4.0, "Kiel"), Boat("Tide", 3.0, "Oslo")
    everything = replace(HomeState(), table=replace(HomeState().table, columns=()))

    def heads(*fleet: Boat) -> list[str]:
        table = replace(toy_table(fleet), state=HomeState)
        return [head["key"] for head in table.value(everything)["columns"]]

    assert "harbour" not in heads(kiel)
    assert "harbour" in heads(kiel, oslo)
    table = replace(toy_table((kiel,)), state=HomeState)
    assert "Kiel" in table.csv(everything)
    assert "Kiel" not in table.markdown(everything)


def test_what_is_in_use_is_seen_on_the_closed_box() -> None:
    _, live = built(PAGE)
    state = preset_chosen(filter_chosen(AT_SEA, "harbour", "Oslo"), "essential")
    values = dict(zip([output.elem_id for output in live.region.outputs], live.region.drawn(state), strict=True))
    assert values["toy-filters-drawer"]["label"] == "Filters (1)"
    assert values["toy-columns-drawer"]["label"] == "Columns (1 of 3)"
    assert values["toy-preset"] == "essential"
    assert values["toy-filter-harbour"]["value"] == "Oslo"
    assert values["toy-handover"] == nothing_ready("toy-")


def test_reset_is_there_where_it_would_change_something() -> None:
    _, live = built(PAGE)
    ids = [output.elem_id for output in live.region.outputs]

    def is_reset_shown(state: ToyState) -> bool:
        shown: bool = dict(zip(ids, live.region.drawn(state), strict=True))["toy-reset"]["visible"]
        return shown

    assert not is_reset_shown(AT_SEA)
    assert not is_reset_shown(turned_to(AT_SEA, 2))
    for chosen in (
        searched(AT_SEA, "keel"),
        filter_chosen(AT_SEA, "harbour", "Oslo"),
        direction_chosen(AT_SEA, "ascending"),
        preset_chosen(AT_SEA, "all"),
    ):
        assert is_reset_shown(chosen)
        assert not is_reset_shown(BOARD.reset(chosen))


RAFTS = (
    *FLEET,  # speeds 4, 2 and none, the baseline Drift 1
    Boat("Wreck", 3.0, style=NULL_ROW),
    Boat("Buoy", None, style=NULL_ROW),
)


def folded(state: ToyState, fleet: tuple[Boat, ...] = RAFTS) -> tuple[str, list[str]]:
    """The words of the line of the baselines, and the rows in order with `|` where it stands."""
    value = toy_table(fleet).value(state)
    lines: list[tuple[Sequence[FoldValue], str]] = [(row.get("folds", ()), row["id"]) for row in value["rows"]]
    parts = [(folds, name) for folds, name in [*lines, (value["folds"], "")] if folds or name]
    words = [fold["label"] for folds, _ in parts for fold in folds]
    assert len(words) <= 1
    return "".join(words), [part for folds, name in parts for part in ["|" for _ in folds] + [name] if part]


def test_baselines_are_one_line_where_the_first_of_them_stands() -> None:
    opened = baselines_turned(AT_SEA, "shown")
    assert folded(AT_SEA) == ("3 baselines, best 3.00", ["Keel", "|", "Tide", "Reef"])
    assert folded(opened) == ("3 baselines, best 3.00", ["Keel", "|", "Wreck", "Tide", "Drift", "Buoy", "Reef"])
    slowest_first = direction_chosen(AT_SEA, "ascending")  # Drift comes before Tide
    assert folded(slowest_first) == ("3 baselines, best 3.00", ["|", "Tide", "Keel", "Reef"])
    assert baselines_turned(opened, "folded") == AT_SEA


def test_baselines_stay_rows_where_there_is_one_or_nobody_else() -> None:
    assert folded(AT_SEA, FLEET) == ("", ["Keel", "Tide", "Drift", "Reef"])
    assert folded(AT_SEA, RAFTS[3:]) == ("", ["Wreck", "Drift", "Buoy"])
    assert folded(searched(AT_SEA, "wreck; tide")) == ("", ["Wreck", "Tide"])


def test_baselines_without_a_figure_or_listed_apart_have_no_best() -> None:
    bare = (FLEET[0], *(Boat(name, None, style=NULL_ROW) for name in ("Log", "Plank")))
    assert folded(AT_SEA, bare) == ("2 baselines", ["Keel", "|"])
    apart = (FLEET[0], *(Boat(name, 9.0, style=NULL_ROW, tier=1) for name in ("Log", "Plank")))
    assert folded(AT_SEA, apart) == ("2 baselines", ["Keel", "|"])


def test_the_line_of_the_baselines_stands_on_one_page_of_a_long_board() -> None:
    fleet = (*(Boat(f"B{number:03}", 200.0 - number) for number in range(PAGE_ROWS + 1)), *RAFTS[3:])
    on_pages = [folded(turned_to(AT_SEA, page), fleet) for page in (1, 2)]
    assert on_pages[0] == ("", [f"B{number:03}" for number in range(PAGE_ROWS)])
    assert on_pages[1] == ("3 baselines, best 3.00", [f"B{PAGE_ROWS:03}", "|"])
    assert folded(AT_SEA, fleet[1:])[1][-2:] == [f"B{PAGE_ROWS:03}", "|"]  # exactly one page


def test_a_folded_board_is_written_out_whole() -> None:
    table, opened = toy_table(RAFTS), baselines_turned(AT_SEA, "shown")
    assert table.csv(AT_SEA) == table.csv(opened)
    assert [row["boat"] for row in json.loads(table.json(AT_SEA))["rows"]] == [row.id for row in table.rows(opened)]
    assert table.markdown(AT_SEA) == table.markdown(opened)
    assert table.latex(AT_SEA, date(2026, 11, 30)) == table.latex(opened, date(2026, 11, 30))


@pytest.mark.parametrize("choice", ["gone", None, 1, True])
def test_what_no_baseline_can_be_changes_nothing(choice: object) -> None:
    assert baselines_turned(AT_SEA, choice) == AT_SEA


def test_the_link_keeps_open_baselines() -> None:
    opened = baselines_turned(AT_SEA, "shown")
    assert "baselines=shown" in link_of(opened)
    assert parsed(dict(parse_qsl(link_of(opened).removeprefix("?"))), ToyState).state == opened
    assert "baselines" not in link_of(AT_SEA)


def test_a_filter_that_empties_it_is_named_and_undone() -> None:
    state = filter_chosen(filter_chosen(AT_SEA, "harbour", "Oslo"), "crew", "100")
    table = BOARD.value(state)
    assert shown(state) == ["Drift"]  # the baseline stays
    # Without the harbour Keel (crew 100%) is left; without the crew Tide and Reef are.
    said = "Only baselines or published rows are left, because of Harbour: Oslo or Crew at least 100%."
    assert table["empty"] == said
    assert table["undo"] == [
        {"key": "harbour", "label": "Without Harbour: Oslo (1 row)"},
        {"key": "crew", "label": "Without Crew at least 100% (2 rows)"},
        {"key": "everything", "label": "Without any filter"},
    ]
    assert shown(undone(state, "crew")) == ["Tide", "Drift", "Reef"]
    assert undone(state, "everything") == AT_SEA
    assert BOARD.value(undone(state, "crew"))["undo"] == []


def test_one_guilty_filter_is_not_mixed_up_with_an_innocent_one() -> None:
    state = filter_chosen(filter_chosen(AT_SEA, "harbour", "Kiel"), "built", "2026-12-01")
    table = BOARD.value(filter_chosen(state, "kind", "boat"))
    assert table["rows"] == []
    assert table["empty"] == "Nothing is left, because of Built from 2026-12-01."
    assert [button["key"] for button in table["undo"]] == ["built", "everything"]


def test_filters_that_only_fail_together_are_all_named() -> None:
    state = searched(filter_chosen(AT_SEA, "built", "2026-12-01"), "nobody")
    table = BOARD.value(state)
    assert table["empty"] == "Nothing is left: nothing fits Built from 2026-12-01; the search “nobody”."
    assert [button["key"] for button in table["undo"]] == ["everything"]


def test_an_empty_board_blames_no_filter() -> None:
    empty = toy_table(())
    table = empty.value(filter_chosen(AT_SEA, "crew", "50"))
    assert (table["empty"], table["undo"]) == ("No boat yet: build one.", [])


def test_the_caption_says_that_ranks_are_of_the_whole_board() -> None:
    assert BOARD.value(AT_SEA)["caption"] == "Boats by speed"
    narrowed = BOARD.value(filter_chosen(AT_SEA, "crew", "50"))["caption"]
    assert narrowed == "Boats by speed; filtered; ranks are those of the whole board"


def test_downloads_and_copies_are_exactly_what_is_shown() -> None:
    state = columns_chosen(filter_chosen(AT_SEA, "harbour", "Oslo"), ["speed"])
    table = BOARD.value(state)
    heads = [head["key"] for head in table["columns"]]
    cells = [[cell["text"] for cell in row["cells"]] for row in table["rows"]]
    assert heads == ["boat", "speed"]
    assert cells == [["Tide", "2.00"], ["Drift", "1.00"], ["Reef", "n/a"]]
    records = list(csv.DictReader(io.StringIO(BOARD.csv(state))))
    assert [list(record) for record in records] == [heads] * 3
    assert [record["boat"] for record in records] == ["Tide", "Drift", "Reef"]
    document = json.loads(BOARD.json(state))
    assert [list(row) for row in document["rows"]] == [heads] * 3
    assert document["link"] == "?tab=toy&filter_harbour=Oslo"  # those of the first preset
    assert markdown_cells(BOARD.markdown(state)) == [["Boat", "Speed"], *cells]
    assert r"\arraybackslash}Xr@{}}" in BOARD.latex(state, date(2026, 11, 30))
    assert "3 rows" in BOARD.citation(state, "", date(2026, 11, 30))[1]


def test_a_link_restores_filters_and_columns() -> None:
    state = columns_chosen(filter_chosen(AT_SEA, "paint", "white"), ["built"])
    query = dict(parse_qsl(link_of(state).removeprefix("?")))
    assert query == {"tab": "toy", "filter_paint": "white", "columns": "boat,built"}
    link = parsed(query, ToyState)
    assert (link.state, link.notes) == (state, ())
    assert BOARD.understood(link.state) == (state, ())


def test_a_link_with_unknown_choices_restores_the_rest_with_a_note() -> None:
    query = {
        "tab": "toy",
        "filter_paint": "pink",
        "filter_crew": "many",
        "filter_sails": "2",
        "columns": "built,salary",
    }
    link = parsed(query, ToyState)
    assert len(link.notes) == 3
    assert [note for note in link.notes if "filter_crew (many)" in note]
    assert [note for note in link.notes if "filter_sails (2)" in note]
    assert [note for note in link.notes if "columns (salary)" in note]
    state, notes = BOARD.understood(link.state)
    assert state == columns_chosen(AT_SEA, ["built"])
    assert notes == ("The link's filter_paint (pink) is unknown here and was ignored.",)
    assert parsed({"columns": "salary"}, ToyState).state == AT_SEA


@pytest.mark.parametrize("value", [None, 3, "tomorrow", ["Oslo"], {"a": 1}, "x" * 201])
def test_a_choice_that_is_none_changes_nothing(value: Any) -> None:
    assert filter_chosen(AT_SEA, "built", value) == AT_SEA
    assert filter_chosen(AT_SEA, "sails", "2") == AT_SEA
    assert preset_chosen(AT_SEA, value) == AT_SEA
    assert undone(AT_SEA, value) == AT_SEA
    if not isinstance(value, list):
        assert columns_chosen(AT_SEA, value) == AT_SEA


def test_reset_takes_back_filters_columns_and_search() -> None:
    state = searched(columns_chosen(filter_chosen(AT_SEA, "crew", "50"), []), "keel")
    # Neither the name nor what the table is sorted by can be put away.
    assert [head["key"] for head in BOARD.value(state)["columns"]] == ["boat", "speed"]
    assert first_look(state) == AT_SEA
    assert len(shown(first_look(state))) == len(FLEET)
