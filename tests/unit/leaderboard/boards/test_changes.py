"""A page that is sent only what a change concerns shows the same as one that is drawn whole, on every board."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, get_args, get_type_hints

import gradio as gr
import pytest

from leaderboard.boards import registry
from leaderboard.boards.robustness.cache import Boards
from leaderboard.page.board_table import EVERYTHING, sorted_by, undone_look
from leaderboard.page.frame import ViewLink
from leaderboard.page.region import Region
from leaderboard.page.registered import BoardTools, OpenBoard
from leaderboard.page.services import Services
from leaderboard.page.state import READ, PageState, all_closed, chosen, opened_fields
from leaderboard.parts.filters import ANY
from submissions.settings import Settings
from tests.unit.leaderboard.boards.editions.test_screen import House, question_file
from tests.unit.leaderboard.every_eval_ever.filled_boards import empty_services, fill_boards
from tests.unit.leaderboard.page.test_drawn import in_blocks
from tests.unit.submissions.formats.eloquent.cultural_files import run_files
from tests.unit.submissions.formats.eloquent.cultural_files import zipped as zip_of

BOARDS = [board.key for board in registry.BOARDS]
EDITIONS = {"consistency", "cultural"}
CONTROLS = {"conversations": "collection-choice"}
"""The controls of choices that are not called as the choice is."""
STEPS = 30
SKIPPED = gr.skip()


@dataclass(frozen=True, slots=True)
class Page:
    """A board over some rows, and its page."""

    board: OpenBoard
    region: Region[Any]


def pages_of(services: Services) -> dict[str, Page]:
    tools = BoardTools(services)

    def made() -> dict[str, Page]:
        boards = tools.open(registry.BOARDS)
        return {
            key: Page(board, board.page(gr.State(board.table.state()), ViewLink(key)).region)
            for key, board in boards.items()
        }

    return in_blocks(made)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Page]]:
    """Every board with rows."""
    services = empty_services(tmp_path_factory.mktemp("filled"))
    fill_boards(services)
    house = House(tmp_path_factory.mktemp("editions"))
    house.submit(question_file("keel", "en", 3), "en.json")
    house.submit(zip_of(run_files()), "aurora.zip")
    editions = Services(store=house.store, desk=house.desk, settings=Settings.from_env({}))
    later = pages_of(editions)
    yield pages_of(services) | {key: later[key] for key in EDITIONS}
    for each in (services, editions):
        each.checks.close()
        each.store.close()


class Browser:
    """What a page shows, from the values it was sent."""

    def __init__(self, region: Region[Any], state: PageState) -> None:
        self.region = region
        self.state = state
        self.shown = list(region.drawn(state))

    def goes_to(self, state: PageState) -> None:
        sent = self.region.drawn(state, before=self.state)
        self.shown = [was if value == SKIPPED else value for was, value in zip(self.shown, sent, strict=True)]
        self.state = state

    def differences(self) -> list[object]:
        """Where a page that is drawn whole shows something else."""
        whole = zip(self.region.outputs, self.region.drawn(self.state), self.shown, strict=True)
        return [(output.elem_id, value, shown) for output, value, shown in whole if value not in (SKIPPED, shown)]


def looks(page: Page, state: Any) -> Iterator[PageState]:
    """The table looked at in other ways."""
    kind, look = page.board.table.kind, state.table
    for key in kind.sort_keys:
        yield sorted_by(state, key)
    others: list[dict[str, Any]] = [
        {"search": "aurora"},
        {"search": ""},
        {"page": 2},
        {"page": 1},
        {"baselines": "shown"},
        *({"columns": kind.column_choice(preset.columns)} for preset in kind.presets),
        {"columns": ()},
    ]
    for filter_, offered in zip(kind.filters, page.board.table.filter_choices(state), strict=True):
        others += [{"filters": ((filter_.key, choice),)} for _, choice in offered if choice != ANY]
    yield from (replace(state, table=replace(look, **other)) for other in others)
    yield replace(state, table=undone_look(look, EVERYTHING))


def choices(page: Page, state: Any) -> Iterator[PageState]:
    """Other choices of the page, each by what its declaration reads."""
    drawn = zip(page.region.outputs, page.region.drawn(state), strict=True)
    offered = {
        str(output.elem_id): [value for _, value in shown["choices"]]
        for output, shown in drawn
        if isinstance(shown, dict) and "choices" in shown
    }
    types = get_type_hints(type(state))
    for each in fields(state):
        if READ in each.metadata:
            known = [value for arg in (types[each.name], *get_args(types[each.name])) for value in get_args(arg)]
            values = known or offered.get(CONTROLS.get(each.name, f"{each.name}-choice"), [])
            yield from (chosen(each.name)(state, value) for value in [*values, each.default])


def openings(page: Page, state: Any) -> Iterator[PageState]:
    """A row opened, an item of an opened one, and what is opened closed."""
    table, opens = page.board.table, [chosen(each.name) for each in opened_fields(state)]
    if opens:
        yield from (opens[0](state, row.id) for row in table.all_rows(page.board.understood(state)[0])[:3])
        yield opens[0](state, "nobody")
    items = page.board.items.table(state) if page.board.items and state.opened_row else None
    if items and len(opens) > 1:
        yield from (opens[1](state, row["id"]) for row in items["rows"][:2])
    yield all_closed(state)


@pytest.mark.parametrize("key", BOARDS)
def test_a_page_that_is_sent_what_changed_shows_what_one_that_is_drawn_whole_shows(
    pages: dict[str, Page], key: str
) -> None:
    page, chance = pages[key], random.Random(f"walk over {key}")
    first = page.board.understood(page.board.table.state())[0]
    browser, visited = Browser(page.region, first), [first]
    for _ in range(STEPS):
        ways: list[Callable[[Page, Any], Iterator[PageState]]] = [looks, choices, openings]
        there = list(chance.choice(ways)(page, browser.state)) or [first]
        # Every fifth step goes back.
        state = chance.choice(visited if chance.random() < 0.2 else there)
        browser.goes_to(state)
        visited.append(state)
        assert browser.differences() == []
    assert len({repr(state) for state in visited}) > STEPS / 6


@pytest.mark.parametrize("key", BOARDS)
def test_a_column_that_is_sorted_by_leaves_filters_and_other_choices_alone(pages: dict[str, Page], key: str) -> None:
    page = pages[key]
    first = page.board.understood(page.board.table.state())[0]
    sent = page.region.drawn(sorted_by(first, page.board.table.kind.sort_keys[-1]), before=first)
    ids = [str(output.elem_id) for output, value in zip(page.region.outputs, sent, strict=True) if value != SKIPPED]
    assert any(name.endswith("board-table") for name in ids)
    assert not [name for name in ids if "-filter" in name or name.endswith(("choice", "-view", "drawer-shown"))]


def test_robustness_asks_for_its_rows_once_per_drawing(pages: dict[str, Page], monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def counted(boards: Boards, *arguments: Any) -> Any:
        asked.append(arguments)
        return rows(boards, *arguments)

    rows = Boards.rows
    monkeypatch.setattr(Boards, "rows", counted)
    page = pages["robustness"]
    first = replace(page.board.table.state(), set="demonstration")
    page.region.drawn(first)
    assert len(asked) == 1
    page.region.drawn(sorted_by(first, "team"), before=first)
    assert len(asked) == 2
