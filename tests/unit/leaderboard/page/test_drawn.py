"""What is looked at is drawn, what is not costs nothing; a board asks for its rows once per drawing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

import gradio as gr

from leaderboard.page.board_charts import BoardCharts
from leaderboard.page.board_page import BoardPage, Detail, Piece, board_page
from leaderboard.page.board_table import filter_chosen, sorted_by, turned_to
from leaderboard.page.drawn import Choice, Level, Part, chooser, shows
from leaderboard.page.frame import ViewLink
from leaderboard.page.region import LivePage
from leaderboard.page.state import opened, text
from leaderboard.parts.components import Notice
from tests.unit.leaderboard.boards.test_new_board import built
from tests.unit.leaderboard.boards.toy_board import FLEET, TOY, Boat, ToyState, toy_table

SKIPPED = gr.skip()

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class CrewState(ToyState):
    """A harbour whose boats open, and in them their sailors."""

    kind: ClassVar = TOY

    boat: str = opened("", text, undoes=["sailor"])
    sailor: str = opened("", text)


def in_blocks(make: Callable[[], Made]) -> Made:
    """Components in a thread with a loop of its own, as `built` makes a page."""

    async def components() -> Made:
        with gr.Blocks(analytics_enabled=False):
            return make()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(components())).result()


def values_of(live: LivePage[Any], state: Any, before: Any = None) -> dict[str, Any]:
    ids = [str(output.elem_id) for output in live.region.outputs]
    return dict(zip(ids, live.region.drawn(state, before=before), strict=True))


def sent(live: LivePage[Any], state: Any, before: Any) -> set[str]:
    """What a page that shows `before` is sent, by elem_id."""
    return {name for name, value in values_of(live, state, before).items() if value != SKIPPED}


def crew_page(asked: list[str]) -> Callable[[gr.State, ViewLink], LivePage[Any]]:
    """A page with two levels below its board; whatever is made notes its name."""

    def said(name: str) -> Callable[[CrewState], Any]:
        def value(state: CrewState) -> Any:
            asked.append(name)
            return {"kind": "plain", "title": name, "lines": []}

        return value

    def rows(state: CrewState) -> tuple[Boat, ...]:
        asked.append("rows")
        return FLEET

    def made(name: str) -> Callable[[gr.State], Piece[CrewState]]:
        return lambda page: Piece([shows(Notice(elem_id=name), said(name))])

    def seas(state: CrewState) -> list[tuple[str, str | int]]:
        asked.append("seas")
        return [("North", "north"), ("South", "south")]

    table = replace(toy_table(), state=CrewState, all_rows=rows)
    declared = BoardPage(
        table,
        lambda: 1,
        "toy-",
        BoardCharts(table, lambda: 1),
        notice=said("board-notice"),
        choices=[Choice("sea", "Sea", seas, "sea")],
        details=[
            Detail("boat", "Back", "to-fleet", "boat-view", made("boat-notice")),
            Detail("sailor", "Back", "to-boat", "sailor-view", made("sailor-notice")),
        ],
    )
    return lambda page, link: board_page(declared, page, link)


def test_a_board_asks_for_its_rows_once_and_for_nothing_of_what_is_closed() -> None:
    asked: list[str] = []
    _, live = built(crew_page(asked))
    asked.clear()
    values = values_of(live, CrewState())
    assert sorted(asked) == ["board-notice", "rows", "seas"]
    assert [values[view]["visible"] for view in ("toy-board", "boat-view", "sailor-view")] == [True, False, False]
    assert values["boat-notice"] is None


ALWAYS = {"toy-search", "toy-reset", "toy-sort-by", "toy-direction", "toy-handover", "toy-board-table"}
"""What is sent whatever changed; a search that did not is left out by the region."""
COLUMN_CHOICE = {"toy-columns-drawer", "toy-preset", "toy-columns"}


def test_a_click_on_a_column_draws_the_table_its_order_and_the_choice_of_columns_alone() -> None:
    asked: list[str] = []
    _, live = built(crew_page(asked))
    asked.clear()
    state = CrewState()
    # Charts have the order of the table.
    assert sent(live, sorted_by(state, "built"), state) == ALWAYS | COLUMN_CHOICE | {"toy-board-charts-marker"}
    assert asked == ["rows"]


def test_another_page_of_the_table_leaves_its_charts_alone() -> None:
    _, live = built(crew_page([]))
    state = CrewState()
    assert sent(live, turned_to(state, 2), state) == ALWAYS


def test_what_a_change_concerns_is_drawn() -> None:
    asked: list[str] = []
    _, live = built(crew_page(asked))
    state = CrewState()
    filters = {"toy-filters-drawer", *(f"toy-filter-{one.key}" for one in TOY.filters)}
    assert filters <= sent(live, filter_chosen(state, "harbour", "Oslo"), state)
    asked.clear()
    other = sent(live, replace(state, sea="south"), state)
    assert filters | COLUMN_CHOICE | {"sea", "toy-board-notice", "toy-board-charts-marker"} <= other
    assert sorted(asked) == ["board-notice", "rows", "seas"]


def test_a_level_is_drawn_when_it_opens_and_again_when_it_is_come_back_to() -> None:
    asked: list[str] = []
    _, live = built(crew_page(asked))
    board, opened_boat = CrewState(), CrewState(boat="Keel")
    asked.clear()
    assert {"toy-board", "boat-view", "boat-notice"} <= sent(live, opened_boat, board)
    assert asked == ["boat-notice"]
    asked.clear()
    searched_for = replace(board, table=replace(board.table, search="oslo"))
    back = values_of(live, searched_for, opened_boat)
    assert (back["toy-search"], back["toy-board"]["visible"], back["boat-view"]["visible"]) == ("oslo", True, False)
    assert sorted(asked) == ["board-notice", "rows", "seas"]


def test_an_opened_row_asks_for_no_row_of_the_board_whose_table_stays_as_it_is() -> None:
    asked: list[str] = []
    _, live = built(crew_page(asked))
    asked.clear()
    values = values_of(live, CrewState(boat="Keel"))
    assert asked == ["boat-notice"]
    assert [values[view]["visible"] for view in ("toy-board", "boat-view", "sailor-view")] == [False, True, False]
    assert values["toy-board-table"] == values["toy-reset"] == SKIPPED


def test_a_hidden_search_is_filled_since_a_box_is_left_alone_where_nothing_else_is_searched_for() -> None:
    _, live = built(crew_page([]))
    state = CrewState(boat="Keel")
    assert values_of(live, replace(state, table=replace(state.table, search="oslo")))["toy-search"] == "oslo"


def test_an_opened_item_hides_its_row_and_an_item_of_no_row_is_none() -> None:
    asked: list[str] = []
    _, live = built(crew_page(asked))
    asked.clear()
    values = values_of(live, CrewState(boat="Keel", sailor="Ann"))
    assert asked == ["sailor-notice"]
    assert [values[view]["visible"] for view in ("toy-board", "boat-view", "sailor-view")] == [False, False, True]
    assert values_of(live, CrewState(sailor="Ann"))["toy-board"]["visible"]


def test_a_hidden_part_is_emptied_and_a_hidden_control_keeps_its_value() -> None:
    def made() -> Level[ToyState]:
        part: Part[ToyState] = Part([Notice(elem_id="notice"), gr.Textbox()], lambda state: ("a", "b"))
        return Level(gr.Column(), lambda state: False, [part])

    assert in_blocks(made).values(ToyState()) == (gr.update(visible=False), None, SKIPPED)


def test_a_choice_that_is_not_offered_is_not_shown_as_chosen() -> None:
    north = [("North", "north")]
    sea: Choice[ToyState] = Choice(
        "sea", "Sea", lambda state: north, "sea", is_shown=lambda state: state.sea == "north"
    )
    made = in_blocks(lambda: chooser(sea))
    (shown,) = made.values(ToyState(sea="south"))
    assert (shown["value"], shown["choices"], shown["visible"]) == (None, north, False)
    (shown,) = made.values(ToyState(sea="north"))
    assert (shown["value"], shown["visible"]) == ("north", True)
