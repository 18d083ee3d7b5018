from __future__ import annotations

from typing import Any

import pytest

from leaderboard.boards.position_bias.kind import JUDGES
from leaderboard.boards.robustness.kind import ROBUSTNESS, share_of
from leaderboard.boards.robustness.rows import ScoredTicket, board_rows
from leaderboard.page.board_table import EVERYTHING, SEARCH
from leaderboard.parts.board_kind import ALL, BoardKind
from submissions.schema import Count
from tests.registered import KINDS
from tests.rooms import FILTERS_BEGIN, FILTERS_END, FILTERS_PAGE, filters_text
from tests.unit.leaderboard.boards.robustness.made_results import robustness_result, ticket
from tests.unit.leaderboard.boards.toy_board import TOY

EACH = pytest.mark.parametrize("kind", [*KINDS.values(), TOY])


@EACH
def test_filters_and_presets_are_declared_once_and_name_real_columns(kind: BoardKind[Any]) -> None:
    columns = {column.key for column in kind.columns}
    filters = [one.key for one in kind.filters]
    presets = [preset.key for preset in kind.presets]
    assert len(set(filters)) == len(filters)
    assert not {SEARCH, EVERYTHING} & set(filters)
    assert len({ALL, *presets}) == 1 + len(presets)
    assert presets[0] == "essential"
    assert all(set(preset.columns) <= columns for preset in kind.presets)
    assert not {ALL, *presets} & columns  # in a link both stand in one place
    assert all(bool(one.steps) == (one.kind == "at_least") for one in kind.filters)
    assert kind.headline in kind.sort_keys


@EACH
def test_every_preset_shows_the_headline(kind: BoardKind[Any]) -> None:
    assert all(kind.headline in preset.columns for preset in kind.presets)


def test_a_choice_of_columns_keeps_names_and_order_and_forgets_what_is_unknown() -> None:
    assert ROBUSTNESS.column_choice(["date", "score", "salary"]) == ("system", "score", "date")
    assert ROBUSTNESS.column_choice([]) == ("system",)
    assert ROBUSTNESS.column_choice([column.key for column in ROBUSTNESS.columns]) == ()


def test_a_preset_is_known_by_its_columns() -> None:
    essential = JUDGES.column_choice(JUDGES.presets[0].columns)
    assert JUDGES.preset_of(essential) == "essential"
    assert JUDGES.preset_of(()) == ALL
    assert JUDGES.preset_of(("judge",)) is None


def test_a_share_needs_something_expected() -> None:
    assert share_of(Count(4, 3)) == 0.75
    assert share_of(Count(None, 3)) is None
    assert share_of(Count(0, 0)) is None


def test_a_robustness_row_is_read_by_its_filters() -> None:
    entry = ticket("one")
    (row,) = board_rows([ScoredTicket(entry, robustness_result({"901": 3.0}, flags=("constant",)))], "english")
    read = {one.key: one.value(row) for one in ROBUSTNESS.filters}
    assert read["judge"] == "embedding (all-MiniLM-L6-v2)"
    assert read["family"] == "Model"  # a name that speaks of no family stands for itself
    assert read["coverage"] == 1.0
    assert read["flags"] == ("flagged", "constant")
    assert read["received"] == entry.received_at
    assert read["kind"] == "entry"


def test_the_filters_in_the_docs_are_those_of_the_boards() -> None:
    shown = FILTERS_PAGE.read_text(encoding="utf-8").partition(FILTERS_BEGIN)[2].partition(FILTERS_END)[0]
    assert shown == filters_text(), "run `make rooms`"
    assert "| `llm_bar` | `model`, `prompt` |" in shown
