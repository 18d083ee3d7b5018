"""What is looked at is drawn, what is not costs nothing; a board asks for its rows once per drawing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

import gradio as gr

from leaderboard.page.board_page import BoardPage, Detail, Piece, board_page
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


def values_of(live: LivePage[Any], state: Any) -> dict[str, Any]:
    ids = [str(output.elem_id) for output in live.region.outputs]
    return dict(zip(ids, live.region.drawn(state), strict=True))


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

    table = replace(toy_table(), state=CrewState, all_rows=rows)
    declared = BoardPage(
        table,
        lambda: 1,
        "toy-",
        notice=said("board-notice"),
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
    assert sorted(asked) == ["board-notice", "rows"]
    assert [values[view]["visible"] for view in ("toy-board", "boat-view", "sailor-view")] == [True, False, False]
    assert values["boat-notice"] is None


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
