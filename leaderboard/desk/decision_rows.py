"""Rows of the organisers' log: who decided what, when and why, for everybody to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from leaderboard.parts.columns import Column
from leaderboard.parts.visible_text import visible
from submissions.store.queue import QUEUE, Act, Ticket


@dataclass(frozen=True, slots=True)
class ActRow:
    """One act."""

    id: str
    at: datetime
    what: str
    about: str
    """The system and its ticket; blank where the act is about the whole queue."""
    who: str
    reason: str
    style: str = ""
    tier: int = 0


ACT_COLUMNS: tuple[Column[ActRow], ...] = (
    Column("at", "When", "time", lambda row: row.at, "When it was decided (UTC).", sortable=False),
    Column("what", "What", "text", lambda row: row.what, "What was decided.", sortable=False, is_name=True),
    Column("about", "Run", "text", lambda row: row.about, "Which run it is about.", sortable=False),
    Column("who", "By", "text", lambda row: row.who, "Which account decided it.", sortable=False),
    Column("reason", "Reason", "text", lambda row: row.reason, "Why, in their words.", sortable=False),
)
"""The organisers' log, newest first."""


def act_rows(acts: Sequence[Act], tickets: Mapping[str, Ticket]) -> tuple[ActRow, ...]:
    """The acts as rows, in their order.

    Args:
        tickets: The submissions they are about, by id.
    """
    return tuple(
        ActRow(
            id=act.id,
            at=act.at,
            what=visible(act.words),
            about="" if act.subject == QUEUE else _about(act.subject, tickets.get(act.subject)),
            who=visible(act.who),
            reason=visible(act.reason),
        )
        for act in acts
    )


def _about(ticket_id: str, ticket: Ticket | None) -> str:
    name = (ticket.names.system or ticket.file_name) if ticket else ""
    return f"{visible(name)} ({ticket_id[:8]})" if name else ticket_id
