"""Ranks of one submission, and where it has none and why, in the words of the boards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evaluator.results import Pin
from leaderboard.eval_results.tasks import BenchmarkTask, tasks
from leaderboard.page.board_row import ticket_of_row
from leaderboard.page.links import link_of
from leaderboard.page.registered import BoardTools
from leaderboard.parts.downloads import FigureRecord, figure_record
from leaderboard.parts.manifests import result_manifest
from leaderboard.parts.visible_text import visible
from submissions.store.queue import Ticket

NO_ROW = "no board has a row of this submission: a later one stands in its place, or the season shows no scores yet"


class NoResults(ValueError):
    """Raised where a submission has nothing for a model card; says why, and what to do."""


@dataclass(frozen=True, slots=True)
class RankedResult:
    """A ranked row of the submission on one board in one choice."""

    task: str
    board: str
    """Title of the board."""
    figure: str
    """What its headline is called."""
    shown: str
    """The headline as the board shows it."""
    record: FigureRecord
    """The same, unrounded."""
    counted: str
    """What its n counts; blank where that is not said."""
    is_lower_better: bool
    rank: str
    judge: Pin | None
    """Whose verdicts it rests on; None where no judge of this installation was asked."""
    note: str
    """What else the board says of the row; blank for nothing."""
    link: str
    """Query of the public link of the row."""


@dataclass(frozen=True, slots=True)
class RunResults:
    """All of one submission."""

    ticket: Ticket
    scored_at: str
    """ISO 8601, in seconds."""
    ranked: Sequence[RankedResult]
    unranked: Sequence[str]
    """Task and reason of every row that is not ranked."""


def run_results(tools: BoardTools, ticket_id: str, row_name: str = "") -> RunResults:
    """Every row of a submission, in the order of the boards.

    Args:
        tools: Whose boards are open.
        row_name: The name of one of its rows; blank = all of them.

    Raises:
        NoResults: there is no such submission on the boards, or it has no such row.
    """
    store = tools.services.store
    ticket = store.ticket(ticket_id)
    text = store.result(ticket_id) if ticket is not None and ticket.is_on_boards else None
    if ticket is None or text is None:
        raise NoResults(f"{visible(ticket_id)[:80]}: no scored submission on the boards has this ticket")
    manifest = result_manifest(ticket, text)
    model = Pin.model_validate(manifest["embedding"]) if manifest["embedding"] else None
    ranked, unranked = [], []
    has_rows = False
    for task in tasks(tools):
        rows = [row for row in task.table.rows(task.state) if ticket_of_row(row) == ticket_id]
        rows = [row for row in rows if not row_name or _name(task, row) == row_name]
        has_rows |= bool(rows)
        placed = [row for row in rows if task.rank(row)]
        if len(placed) > 1:
            names = ", ".join(visible(_name(task, row)) for row in placed)
            unranked.append(f"{task.id}: {len(placed)} rows are ranked here; name the one of this model: {names}")
            continue
        ranked += [_result(task, row, model) for row in placed]
        unranked += [f"{task.id}: {_note(task, row) or 'not ranked'}" for row in rows if row not in placed]
    if not has_rows:
        called = f", or none of its rows is called {visible(row_name)}" if row_name else ""
        raise NoResults(f"{ticket_id}: {NO_ROW}{called}")
    return RunResults(ticket, ticket.status_at.isoformat(timespec="seconds"), ranked, unranked)


def _result(task: BenchmarkTask, row: Any, embedding: Pin | None) -> RankedResult:
    kind, headline = task.table.kind, task.headline
    record, rank = figure_record(headline, row), kind.rank
    if record is None or rank is None:
        raise TypeError(f"{task.id}: a board that ranks has a rank and a figure to rank by")
    opened = task.table.opened
    return RankedResult(
        task.id,
        kind.title,
        headline.label,
        headline.text(row),
        record,
        kind.counted,
        task.is_lower_better,
        rank.text(row),
        kind.judge(row) if kind.judge else embedding,
        _note(task, row),
        link_of(opened(task.state, row.id) if opened else task.state),  # rows of own tasks do not open
    )


def _name(task: BenchmarkTask, row: Any) -> str:
    return next(str(column.value(row) or "") for column in task.table.columns if column.is_name)


def _note(task: BenchmarkTask, row: Any) -> str:
    """What the board says of the row, and whether its verdicts are self-reported."""
    columns = {column.key: column for column in task.table.columns}
    said = (columns[key].value(row) for key in ("note", "measured") if key in columns)
    return "; ".join(str(text) for text in said if text)
