"""The boards of installed tasks, for the register."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import ClassVar

from leaderboard.boards.own_tasks.kind import own_task_kind
from leaderboard.boards.own_tasks.rows import OwnTaskRow, own_task_rows, scored_run
from leaderboard.page.board_page import BoardPage, board_page
from leaderboard.page.board_table import BoardTable
from leaderboard.page.links import address_of
from leaderboard.page.registered import Board, BoardTools, OpenBoard, Standing
from leaderboard.page.scored_runs import ScoredRuns
from leaderboard.page.state import PageState, TableState, first_table
from leaderboard.parts.columns import text_of
from submissions.own_tasks.task import OwnTask
from submissions.store.queue import Ticket

ENTRY = "Tasks"
"""The entry of the masthead that leads to them."""


@lru_cache
def own_task_board(task: OwnTask) -> Board:
    """The board of a task."""
    declared = own_task_kind(task)

    @dataclass(frozen=True, slots=True)
    class OwnTaskState(PageState):
        """What a visitor of the board looks at."""

        kind: ClassVar = declared

        tab: str = declared.key
        table: TableState = first_table(declared)

    def opened(tools: BoardTools) -> OpenBoard:
        runs = ScoredRuns(tools.services.store, task.set_id.__eq__, scored_run)

        def rows() -> tuple[OwnTaskRow, ...]:
            return runs.rows("all", lambda: own_task_rows(task, runs.all()))

        table: BoardTable[OwnTaskRow, PageState] = BoardTable(
            OwnTaskState,
            all_rows=lambda state: rows(),
            caption=lambda state: _caption(task),
            empty=lambda state: "No run has been scored yet. Submit has the template of the task.",
            about=lambda state: {"task": task.name},
        )

        def standings(tickets: Set[str]) -> Iterator[Standing]:
            link = address_of(OwnTaskState())
            for row in rows():
                if row.ticket_id in tickets:
                    figure = text_of(row.figures[task.headline.key], "fine")
                    place = text_of(row.rank, "rank")
                    yield Standing(task.title, row.run or row.name, f"{task.headline.label} {figure}", place, link)

        return OpenBoard(
            table,
            partial(board_page, BoardPage(table, tools.marker, f"{table.board}-")),
            standings=standings,
        )

    def row_of(ticket: Ticket) -> PageState | None:
        return OwnTaskState() if ticket.set_id == task.set_id else None

    return Board(OwnTaskState, ENTRY, opened, row_of, sets=(task.set_id,))


def _caption(task: OwnTask) -> str:
    if not task.is_bundle:
        return f"{task.title}: {len(task.items):,} items"
    phases = "; ".join(f"{phase.name} {phase.starts or 'open'} to {phase.ends or 'open'}" for phase in task.phases)
    return f"{task.title}: {phases}"
