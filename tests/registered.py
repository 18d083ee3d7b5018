"""What is registered, by name: boards and pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from leaderboard.boards.registry import BOARDS
from leaderboard.page.links import Link, parsed
from leaderboard.parts.board_kind import BoardKind
from leaderboard.site.page_register import page_of, pages

KINDS: dict[str, BoardKind[Any]] = {board.key: board.kind for board in BOARDS}
"""What is declared about every board, in the order of the pages."""
TABS = tuple(pages())
"""Every page."""


def opened(query: Mapping[str, str]) -> Link[Any]:
    """The page that a public link opens, before it is said whether what it names exists."""
    return parsed(query, type(pages()[page_of(query)]))
