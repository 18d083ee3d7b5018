"""What visitors do to a page faster than it answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import gradio as gr
import pytest
from gradio.context import LocalContext

from leaderboard.page.board_table import columns_chosen, searched, sort_chosen
from leaderboard.page.frame import ViewLink
from leaderboard.page.links import view_link_value
from leaderboard.page.region import Region, answers_once
from tests.unit.leaderboard.boards.toy_board import ToyState

SKIPPED = gr.skip()


def _sorted_unless_broken(state: ToyState, key: object) -> ToyState:
    return sort_chosen(state, {"built": key, "speed": key}[str(key)])


class Page:
    """A page with a search and a list to sort by, and what the server keeps of one visitor."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.while_drawn: Callable[[], object] = lambda: None
        self.drawn: list[ToyState] = []
        self.befores: list[ToyState | None] = []
        """What each drawing left out; None = it drew everything."""
        self.seen = 1
        """The drawing that the browser shows."""
        self.marker = "results"
        # Outside a running loop gradio opens event loops of its own and never closes them.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(lambda: asyncio.run(self._built())).result()
        self.kept: dict[int, Any] = {self._page._id: ToyState(turn=1)}
        monkeypatch.setattr(LocalContext, "blocks", _Set(SimpleNamespace(state_holder={"a": self.kept})))
        monkeypatch.setattr(LocalContext, "request", _Set(SimpleNamespace(session_hash="a")))

    async def _built(self) -> None:
        with gr.Blocks() as blocks:
            self._page, link, shown = gr.State(ToyState()), ViewLink("toy"), gr.Textbox()
            search, sort = gr.Textbox(elem_id="search"), gr.Textbox(elem_id="sort")
            self.region: Region[ToyState] = Region(
                self._page, link, [shown, search], self._draw, self._draw, lambda: self.marker
            )
            region = self.region
            region.on_typing(search, searched, lambda state: state.table.search)
            region.on_inputs((sort, _sorted_unless_broken))
            region.on_click(gr.Button().click, lambda state: ToyState())
            region.on_revisit(lambda query: searched(ToyState(), query["search"]))
            region.on_stale(gr.Button().click, [sort])
            region.on_part(shown.submit, shown, lambda state, carried, request: f"{carried} by {request}")
        self._late, self._typed, self._chosen, self._reset, self._revisited, self._stale, self._voted = (
            event.fn for event in blocks.fns.values()
        )

    @property
    def state(self) -> ToyState:
        found: ToyState = self.kept[self._page._id]
        return found

    def _draw(self, state: ToyState, before: ToyState | None = None) -> tuple[Any, ...]:
        self.befores.append(before)
        during, self.while_drawn = self.while_drawn, lambda: None
        during()
        self.drawn.append(state)
        return f"rows for {state.table.search}", state.table.search

    def types(self, text: str) -> tuple[Any, ...]:
        return self._receives(self._typed(ToyState(), self._link, text))  # the state as it was when the event was sent

    def starts_again(self) -> tuple[Any, ...]:
        return self._receives(self._reset(ToyState(), self._link))

    def hears_late(self) -> tuple[Any, ...]:
        answer: tuple[Any, ...] = self._late(ToyState())
        return self._receives((SKIPPED, *answer))[1:]

    def hears_of_other_results(self) -> tuple[Any, ...]:
        answer: tuple[Any, ...] = self._stale(ToyState())
        return self._receives((SKIPPED, *answer))[1:]

    def goes_back(self, query: str, visit: int) -> tuple[Any, ...]:
        event = SimpleNamespace(_data={"query": query, "visit": visit})
        return self._receives(self._revisited(ToyState(), self._link, event))

    def votes(self, stance: str) -> tuple[Any, ...]:
        answer: tuple[Any, ...] = self._voted(ToyState(turn=1), SimpleNamespace(_data=stance), "anna")
        return answer

    def sorts_by(self, key: str) -> tuple[Any, ...]:
        event = SimpleNamespace(target=SimpleNamespace(elem_id="sort"))
        return self._receives(self._chosen(ToyState(), self._link, event, key))

    @property
    def _link(self) -> dict[str, int]:
        return {"turn": self.seen}

    def _receives(self, answer: tuple[Any, ...]) -> tuple[Any, ...]:
        """The answer as a browser takes it, which then shows that drawing."""
        if answer[1] != SKIPPED:
            self.seen = answer[1]["turn"]
        return answer


class _Set:
    """A context variable that is set."""

    def __init__(self, value: object) -> None:
        self._value = value

    def get(self, default: object = None) -> object:
        return self._value


@pytest.fixture
def visited(monkeypatch: pytest.MonkeyPatch) -> Page:
    return Page(monkeypatch)


def test_two_choices_count_although_both_were_sent_before_either_was_answered(visited: Page) -> None:
    visited.types("keel")
    answer = visited.sorts_by("built")
    both = replace(ToyState(), table=replace(ToyState().table, search="keel", sort="built"))
    assert visited.state == both
    assert visited.state.turn == 3
    assert answer == (SKIPPED, view_link_value(replace(both, turn=3)), "rows for keel", SKIPPED)


def test_what_somebody_types_meanwhile_is_written_over_only_where_it_is_taken_back(visited: Page) -> None:
    assert visited.types("keel")[-1] == SKIPPED
    assert visited.sorts_by("built")[-1] == SKIPPED
    assert visited.starts_again()[-2:] == ("rows for ", "")


def test_of_two_moves_through_the_history_the_later_one_counts_though_it_arrives_first(visited: Page) -> None:
    visited.goes_back("search=keel", 2)
    _, link, rows, _ = visited.goes_back("search=hull", 1)
    assert (link["visit"], rows) == (2, "rows for keel")
    _, link, rows, _ = visited.goes_back("search=hull", 3)
    assert (link["visit"], rows) == (3, "rows for hull")


def test_an_answer_that_is_out_of_date_draws_nothing(visited: Page) -> None:
    visited.while_drawn = lambda: visited.sorts_by("built")
    answer = visited.types("keel")
    assert answer == (SKIPPED,) * 4
    assert visited.drawn[0] == visited.state  # the later choice drew both
    assert (visited.state.table.search, visited.state.table.sort) == ("keel", "built")


def test_a_search_that_came_with_the_link_is_not_drawn_a_second_time(visited: Page) -> None:
    answer = visited.types(ToyState().table.search)
    assert answer == (SKIPPED,) * 4
    assert visited.drawn == []


def test_what_a_late_answer_wrote_over_is_drawn_again_but_for_what_is_typed(visited: Page) -> None:
    visited.types("keel")
    link, *drawn = visited.hears_late()
    assert (link["href"], link["turn"]) == ("?tab=toy&search=keel", 3)
    assert drawn == ["rows for keel", SKIPPED]


def test_what_is_drawn_again_gives_way_to_what_the_visitor_does_meanwhile(visited: Page) -> None:
    visited.while_drawn = lambda: visited.sorts_by("built")
    assert visited.hears_late() == (SKIPPED,) * 3
    assert [state.table.sort for state in visited.drawn] == ["built", ToyState().table.sort]


def test_an_answer_about_one_part_brings_the_turn_it_was_asked_in(visited: Page) -> None:
    visited.types("keel")
    link, part = visited.votes("agreed")
    assert (link["turn"], part) == (1, "agreed by anna")
    assert visited.state.turn == 2


def test_a_browser_hears_from_a_server_that_has_forgotten_it(visited: Page) -> None:
    visited.kept[visited._page._id] = ToyState()
    assert visited.types("keel")[1]["turn"] == 0
    assert visited.hears_late()[0]["turn"] == 0


def test_a_list_that_only_loses_the_focus_draws_nothing(visited: Page) -> None:
    answer = visited.sorts_by(ToyState().table.sort)
    assert answer == (SKIPPED,) * 4
    assert visited.drawn == []


def test_where_no_page_is_served_the_state_is_the_one_that_was_sent(
    visited: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LocalContext, "request", _Set(None))
    state, *_ = visited.types("tide")
    assert state.table.search == "tide"
    assert visited.state == ToyState()
    assert columns_chosen(state, ["speed"]).table.search == "tide"


def test_the_first_answer_draws_everything_and_the_next_leaves_out_what_the_browser_shows(visited: Page) -> None:
    visited.types("keel")
    keel = visited.state
    visited.sorts_by("built")
    assert visited.befores == [None, keel]


def test_a_page_that_was_just_opened_is_known_to_show_its_state(visited: Page) -> None:
    visited.kept[visited._page._id], _ = visited.region.opened(ToyState(turn=1))
    visited.types("keel")
    assert visited.befores[1:] == [ToyState()]  # the first drawing opened it


def test_a_browser_that_did_not_get_the_last_answer_is_sent_everything(visited: Page) -> None:
    visited.types("keel")
    visited.seen = 1  # the answer was lost
    visited.sorts_by("built")
    assert visited.befores == [None, None]


def test_everything_is_drawn_once_results_may_have_changed(visited: Page) -> None:
    visited.types("keel")
    visited.marker = "more results"
    visited.sorts_by("built")
    built = visited.state
    visited.types("tide")
    assert visited.befores == [None, None, built]


def test_the_answer_that_takes_another_ones_place_draws_everything(visited: Page) -> None:
    visited.types("keel")
    # Sorting is answered while the search is drawn, whose own answer draws nothing then.
    visited.while_drawn = lambda: visited.sorts_by("built")
    visited.types("tide")
    assert visited.befores[2] is None
    visited.starts_again()
    assert visited.befores[3] == replace(ToyState(), table=replace(ToyState().table, search="tide", sort="built"))


def test_controls_that_a_timer_left_alone_are_drawn_with_the_next_change(visited: Page) -> None:
    visited.types("keel")
    visited.hears_of_other_results()
    visited.sorts_by("built")
    assert visited.befores == [None, None, None]


def test_a_page_drawn_again_after_a_late_answer_is_known_to_show_its_state(visited: Page) -> None:
    visited.types("keel")
    keel = visited.state
    visited.hears_late()
    visited.sorts_by("built")
    assert visited.befores == [None, None, keel]


def test_after_a_change_that_failed_everything_is_drawn(visited: Page) -> None:
    visited.types("keel")
    with pytest.raises(KeyError):
        visited.sorts_by("broken")
    visited.sorts_by("built")
    assert visited.befores == [None, None]


def test_a_choice_that_changes_nothing_leaves_what_is_known_of_the_page(visited: Page) -> None:
    visited.types("keel")
    keel = visited.state
    visited.types("keel")
    visited.sorts_by("built")
    assert visited.befores == [None, keel]


@pytest.mark.parametrize("count", [0, 1, 3])
def test_the_last_answer_of_an_event_changes_nothing(count: int) -> None:
    closed: list[bool] = []

    @answers_once
    async def counting(name: str) -> AsyncGenerator[tuple[Any, ...], None]:
        try:
            for number in range(count):
                yield name, number
        finally:
            closed.append(True)

    async def all_of_them() -> list[tuple[Any, ...]]:
        return [values async for values in counting("a")]

    said = [("a", number) for number in range(count)]
    assert asyncio.run(all_of_them()) == said + [(SKIPPED, SKIPPED)] * bool(count)
    assert closed == [True]
