"""Columns of the queue, and of its states and workers."""

from __future__ import annotations

from leaderboard.desk.queue_rows import QueueRow, StateRow, WorkerRow
from leaderboard.parts.columns import Column

QUEUE_COLUMNS: tuple[Column[QueueRow], ...] = (
    Column("system", "System", "text", lambda row: row.system, "Opens the ticket.", is_name=True, sortable=False),
    Column("status", "State", "text", lambda row: row.status, "Where it stands.", sortable=False),
    Column("position", "Position", "whole", lambda row: row.position, "Place in the queue, 1 = next.", sortable=False),
    Column(
        "progress", "Judged", "whole", lambda row: row.progress, "Judgements made, of those needed.", sortable=False
    ),
    Column(
        "eta",
        "Expected in",
        "text",
        lambda row: row.eta,
        "From now until it is scored, at least to at most. Those who wait take turns: one file of each, then the next.",
        sortable=False,
    ),
    Column("team", "Team", "text", lambda row: row.team, "Who submitted it.", sortable=False),
    Column("set", "Prompt set", "text", lambda row: row.set_title, "What was answered.", sortable=False),
    Column("since", "Since", "time", lambda row: row.status_at, "When the state was entered.", sortable=False),
    Column("reason", "Reason", "text", lambda row: row.reason, "Why it stands where it stands.", sortable=False),
)
"""Submissions in the queue, newest first."""


STATE_COLUMNS: tuple[Column[StateRow], ...] = (
    Column("state", "State", "text", lambda row: row.id, "State of a submission.", is_name=True, sortable=False),
    Column("count", "Submissions", "whole", lambda row: row.count, "How many are in it now.", sortable=False),
    Column("sentence", "Meaning", "text", lambda row: row.sentence, "What the state means.", sortable=False),
)
"""The states of the queue."""


WORKER_COLUMNS: tuple[Column[WorkerRow], ...] = (
    Column("worker", "Worker", "text", lambda row: row.id, "Name of the process.", is_name=True, sortable=False),
    Column("judge", "Judge", "text", lambda row: row.judge, "The judge it runs.", sortable=False),
    Column("status", "Status", "text", lambda row: row.status, "Whether it reported within one lease.", sortable=False),
    Column("rate", "Rate", "text", lambda row: row.rate, "Its measured rate so far.", sortable=False),
    Column("seen", "Last seen", "time", lambda row: row.seen_at, "When it last reported.", sortable=False),
)
"""The workers."""
