"""Freezing the board of a season: a copy of it as it stands, kept by its SHA-256; nothing later changes it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from leaderboard.page.board_row import BoardRow
from leaderboard.page.measured import EARLIER_HEAD
from leaderboard.parts.manifests import result_manifest
from leaderboard.seasons.season_boards import SeasonBoards
from submissions.desk import Desk
from submissions.seasons.season import Season
from submissions.settings import Settings
from submissions.store.queue import Act
from submissions.store.store import Store
from submissions.version import VERSION

FORMAT = "plumbline-frozen-board"
FORMAT_VERSION = 1


class NotFrozen(Exception):
    """Raised when a board cannot be frozen now; the text says why, and what to do."""


def freeze(
    store: Store, desk: Desk, settings: Settings, season: Season, *, actor: str, actor_name: str = "", reason: str = ""
) -> Act:
    """Keeps the board of a season as it stands now.

    Args:
        store: The whole one.
        actor: Who decides it; `actor_name` is what people call them.

    Raises:
        NotFrozen: before the season may be frozen, while a run of it is still to be scored, and while a row of its
            boards was checked by an earlier version of the relevance check.
        StoreError: when it is frozen already.
    """
    now = desk.clock()
    if now < season.freezes.timestamp():
        raise NotFrozen(f"the season {season.name} freezes at {season.when(season.freezes)}: come back then")
    boards = SeasonBoards(store, desk, settings, season)
    waiting = [ticket for ticket in boards.tickets if ticket.status.is_open or ticket.is_rejudged]
    if waiting:
        named = ", ".join(f"{ticket.id} ({ticket.status})" for ticket in waiting[:5])
        raise NotFrozen(
            f"{len(waiting)} submissions of the season {season.name} are still to be scored: {named}. Wait for them, "
            "or have them cancelled"
        )
    earlier = sorted({row.id for board in boards.boards for row in board.rows if _is_to_be_judged_again(row)})
    if earlier:
        raise NotFrozen(
            f"{len(earlier)} rows on the boards of the season {season.name} were checked by an earlier version of the "
            f"answer head: {', '.join(earlier[:5])}. Wait until a worker has judged them again, or start "
            "python -m evaluator rejudge-all"
        )
    copy = frozen_copy(boards, now)
    return desk.freeze(season, copy, actor=actor, actor_name=actor_name, reason=reason)


def _is_to_be_judged_again(row: Any) -> bool:
    return isinstance(row, BoardRow) and row.unranked == EARLIER_HEAD


def frozen_copy(boards: SeasonBoards, now: float) -> bytes:
    """The boards of a season with every column, and the manifest of every result, which pins its judge.

    Numbers are unrounded and times those of the record: the same store and the same moment give the same bytes.
    """
    season = boards.season
    body = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "code_version": VERSION,
        "season": {
            "name": season.name,
            "title": season.title,
            "set": season.set_id,
            "opens": season.opens.isoformat(),
            "closes": season.closes.isoformat(),
            "freezes": season.freezes.isoformat(),
        },
        "frozen_at": datetime.fromtimestamp(int(now), UTC).isoformat(),
        "boards": [_board(board.table.json(board.state)) for board in boards.boards],
        "manifests": [result_manifest(ticket, result) for ticket, result in boards.results()],
    }
    return (json.dumps(body, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()


def _board(text: str) -> dict[str, Any]:
    board: dict[str, Any] = json.loads(text)
    return board
