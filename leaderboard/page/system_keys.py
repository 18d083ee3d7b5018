"""Which submissions are of one system."""

from __future__ import annotations

from submissions.store.queue import Ticket

SystemKey = tuple[str, str, str | None, str | None, str | None]
"""Owner, prompt set, team, system, model: what one row stands for."""


def system_key(ticket: Ticket) -> SystemKey:
    """Team names are display text: the account belongs to the key."""
    names = ticket.names
    return (ticket.owner, ticket.set_id, names.team, names.system, names.model)
