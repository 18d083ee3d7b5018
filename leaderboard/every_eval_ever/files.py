"""Records of boards as files: all boards, or one as a visitor looks at it, as a zip."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from leaderboard.boards import registry
from leaderboard.eval_results.tasks import BenchmarkTask, tasks
from leaderboard.every_eval_ever.records import StoredRun, row_files
from leaderboard.page.board_row import ticket_of_row
from leaderboard.page.board_table import first_look
from leaderboard.page.registered import BoardTools
from leaderboard.page.services import Services

EVERY_EVAL_EVER = "every-eval-ever"
"""What commands and the API call the form."""

_EPOCH = datetime.fromtimestamp(0, UTC)


def write_records(services: Services, folder: Path) -> list[str]:
    """Write the ranked rows of every board in every choice; return the paths below the folder.

    Only what stands on the boards is in them: withdrawn and hidden submissions are left out, and so are baselines,
    published figures and rows without a rank.
    """
    tools = BoardTools(services)
    tools.open(registry.BOARDS)
    files = record_files(tools, tasks(tools))
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return sorted(files)


def record_files(tools: BoardTools, chosen: Iterable[BenchmarkTask]) -> dict[str, bytes]:
    """Return path -> bytes of every ranked row of these boards, in order of the paths."""
    store = tools.services.store
    on_boards = {ticket.id: ticket for ticket in tools.tickets() if ticket.is_on_boards}
    keeping = store.answers_kept()
    retrieved_at = max((ticket.status_at for ticket in on_boards.values()), default=_EPOCH)
    files: dict[str, bytes] = {}
    for task in chosen:
        rows = task.table.rows(task.state)
        # A row has one record, however a visitor came to see it: filters and columns choose rows alone.
        named = replace(task, state=first_look(task.table.completed(task.state)))
        for row in rows:
            ticket = on_boards.get(ticket_of_row(row))
            result = store.result(ticket.id) if ticket else None
            if task.rank(row) is None or (ticket_of_row(row) and result is None):
                continue
            run = None
            if ticket and result is not None:
                run = StoredRun(ticket, result, ticket.shows_answers and ticket.id not in keeping)
            files |= row_files(named, row, run, retrieved_at)
    return dict(sorted(files.items()))
