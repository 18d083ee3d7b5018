"""docs/add_a_board.md, followed word for word."""

from __future__ import annotations

import asyncio
import importlib
import re
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast, get_args

import pytest

import leaderboard.boards
from leaderboard.boards import registry
from leaderboard.page.board_charts import BoardCharts
from leaderboard.page.board_table import searched
from leaderboard.page.links import address_of, link_of
from leaderboard.page.methods_page import methods_value
from leaderboard.page.registered import Board, BoardTools
from leaderboard.page.services import Services
from leaderboard.parts.columns import Format
from leaderboard.site.export import export_boards
from leaderboard.site.link_reader import LinkReader
from leaderboard.site.page_register import navigation
from leaderboard.ui import build
from tests.registered import KINDS
from tests.unit.leaderboard.boards import test_kinds
from tests.unit.leaderboard.boards.robustness.made_results import robustness_result
from tests.unit.leaderboard.conftest import Submit
from tests.unit.leaderboard.page import test_methods_page
from tests.unit.leaderboard.page.test_methods_page import unexplained
from tests.unit.leaderboard.parts import test_interval_bars

DOC = (Path(__file__).parents[4] / "docs" / "add_a_board.md").read_text(encoding="utf-8")
FILE = re.compile(r"^`leaderboard/boards/(deliveries/\w+\.py)`\n\n```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILES = dict(FILE.findall(DOC))
(LINE,) = re.findall(r"^\+    (\w+),$", DOC, re.MULTILINE)
"""What joins the register."""


@pytest.fixture
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Board]:
    """The files of the page in a folder of their own, and the line."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(leaderboard.boards, "__path__", [*leaderboard.boards.__path__, str(tmp_path)])
    made: Board = getattr(importlib.import_module("leaderboard.boards.deliveries.board"), LINE)
    monkeypatch.setattr(registry, "BOARDS", (*registry.BOARDS, made))
    yield made
    for name in [name for name in sys.modules if name.startswith("leaderboard.boards.deliveries")]:
        del sys.modules[name]


@pytest.fixture
def delivered(score: Submit) -> None:
    """Two runs of one team, one of another."""
    for team, system in (("Aurora", "Keel"), ("Aurora", "Mast"), ("Nordlicht", "Tide")):
        score(robustness_result({"901": 3.0}), team=team, system=system)


def test_its_three_files_and_its_line_are_all_there_is() -> None:
    assert sorted(FILES) == ["deliveries/board.py", "deliveries/kind.py", "deliveries/state.py"]
    assert LINE == "DELIVERIES_BOARD"


@pytest.mark.usefixtures("delivered")
def test_it_has_a_page_with_its_rows(board: Board, services: Services) -> None:
    def opened() -> tuple[Any, dict[str, Any]]:
        pages = build(services)
        (event,) = (
            event for event in pages.fns.values() if event.page == "deliveries" and event.targets[0][1] == "load"
        )
        assert event.fn
        values = event.fn(False, "", SimpleNamespace(query_params={"least": "2"}))
        ids = [str(getattr(output, "elem_id", None)) for output in event.outputs]
        return values[0], dict(zip(ids, values, strict=True))

    state, values = in_own_thread(opened)
    assert address_of(state) == "deliveries?least=2"
    table = values["deliveries-board-table"]
    assert table["caption"] == "Teams with at least 2 scored runs"
    assert [[cell["text"] for cell in row["cells"]][:2] for row in table["rows"]] == [["Aurora", "2"]]
    assert values["link-notice"] is None


@pytest.mark.usefixtures("delivered")
def test_its_chart_has_the_rows_that_the_table_shows(board: Board, services: Services) -> None:
    table = BoardTools(services).open(registry.BOARDS)["deliveries"].table
    charts, state = BoardCharts(table, lambda: 0), cast(Any, board.state())
    for least, teams in ((1, {"Aurora": 2, "Nordlicht": 1}), (2, {"Aurora": 2}), (5, {})):
        (chart,) = charts.charts
        figure, numbers = chart.values(charts.shown(replace(state, least=least)), is_dark=False)
        assert {row["cells"][0]["text"]: int(row["cells"][1]["text"]) for row in numbers["rows"]} == teams
        assert [tuple(bars.x) for bars in figure.data] == ([tuple(teams.values())] if teams else [])


def test_the_masthead_leads_to_it_and_links_name_it(board: Board, services: Services) -> None:
    assert navigation()["Deliveries"] == ("deliveries",)
    links = LinkReader(BoardTools(services).open(registry.BOARDS))
    state = searched(board.state(), "aurora")
    link = links.read({"tab": "deliveries", "search": "aurora", "least": "none"})
    assert link.state == state
    assert link.notes == ("The link's least (none) is unknown here and was ignored.",)
    assert link_of(state) == "?tab=deliveries&search=aurora"


@pytest.mark.usefixtures("delivered")
def test_the_overview_about_and_the_export_have_it(board: Board, services: Services, tmp_path: Path) -> None:
    about = methods_value([one.kind for one in registry.BOARDS], "deliveries")
    assert [one["title"] for one in about["boards"]] == ["Deliveries"]
    written = export_boards(services, tmp_path / "export")
    assert "boards/deliveries/1.csv" in written
    lines = (tmp_path / "export" / "boards/deliveries/1.csv").read_text(encoding="utf-8").splitlines()
    assert [line.split(",")[:2] for line in lines] == [["team", "runs"], ["Aurora", "2"], ["Nordlicht", "1"]]
    tools = BoardTools(services)
    assert "deliveries" in tools.open(registry.BOARDS)


def test_it_passes_what_every_board_has_to_pass(board: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KINDS, board.key, board.kind)
    test_methods_page.test_every_registered_board_says_how_it_comes_about(board.key)
    test_methods_page.test_every_column_has_a_section_with_its_meaning_that_the_guide_links_to(board.key)
    test_kinds.test_filters_and_presets_are_declared_once_and_name_real_columns(board.kind)
    test_kinds.test_every_preset_shows_the_headline(board.kind)
    test_interval_bars.test_the_headline_of_every_board_is_drawn(board.kind)
    assert {column.format for column in board.kind.columns} <= set(get_args(Format))


def test_it_explains_every_figure(board: Board) -> None:
    assert {column.key: unexplained(board.kind, column) for column in board.kind.columns} == {
        "team": [],
        "runs": [],
        "newest": [],
    }


def in_own_thread(work: Callable[[], Any]) -> Any:
    """With a loop of its own: gradio would open some and never close them."""

    async def done() -> Any:
        return work()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(done())).result()
