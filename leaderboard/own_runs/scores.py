"""What one submission scored, on the board or displaced from it, and how that differs from what was sent before."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from evaluator.results import MetricValue
from evaluator.tasks import TASKS
from leaderboard.boards import registry
from leaderboard.page.board_row import ticket_of_row
from leaderboard.page.registered import BoardTools
from leaderboard.parts.columns import text_of
from submissions.store.queue import Ticket

MOST_ROWS = 3
"""Of one submission with a row for each judge, method or setting, so many are named."""


@dataclass(frozen=True, slots=True)
class OwnScore:
    """The headline figure of an ELOQUENT run."""

    figure: MetricValue
    made_by: str
    """Pins of the judge and of the embedding model, as JSON: scores by others are not compared."""

    def less(self, before: OwnScore | None) -> str:
        """The difference to an earlier score, in words for the page; blank where there is none to compare with.

        The two are scores of other answers to the same prompts; the difference is of their values, without an interval.
        """
        if before is None or self.figure.value is None or before.figure.value is None:
            return ""
        if before.made_by != self.made_by:
            return "by another judge"
        return text_of(self.figure.value - before.figure.value, "signed")


def own_score(result: str) -> OwnScore | None:
    """The headline of a stored result (JSON); None where its measure has none for a whole run."""
    body: dict[str, Any] = json.loads(result)
    task = next((task for task in TASKS if body["board"] in task.boards), None)
    said = task.headline(body) if task else None
    if said is None:
        return None
    made_by = json.dumps([body.get("judge"), body.get("embedding")], sort_keys=True)
    return OwnScore(MetricValue.model_validate(said), made_by)


def rows_text(tools: BoardTools, ticket: Ticket) -> str:
    """The headline of every row that a submission has on its boards, in words; blank where it has none."""
    scores = []
    for board in registry.BOARDS:
        state = board.row_of(ticket)
        if state is None:
            continue
        table = tools.opened[board.key].table
        headline = next(column for column in table.columns if column.key == table.kind.headline)
        name = next(column for column in table.columns if column.is_name)
        rows = [row for row in table.rows(state) if ticket_of_row(row) == ticket.id]
        scores += [f"{name.text(row)}: {headline.label} {headline.text(row)}" for row in rows]
    more = f" and {len(scores) - MOST_ROWS} more" if len(scores) > MOST_ROWS else ""
    return "; ".join(scores[:MOST_ROWS]) + more
