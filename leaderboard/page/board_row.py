"""A row of any board: whose it is, where it stands, what must be known about it. Each board adds its own figures."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TypedDict

from evaluator.results import Pin
from evaluator.statistics.deciding_items import DecidingItems
from evaluator.statistics.rank_bands import RankBand
from leaderboard.page.measured import HERE, ORIGIN, SELF_REPORTED
from leaderboard.parts.columns import text_of
from leaderboard.parts.published import Mark
from leaderboard.parts.tables import NULL_ROW, PUBLISHED_ROW
from submissions.store.queue import Role, Ticket

UNRANKED_ROW = "unranked-row"
"""Style of entries that hold no rank: muted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardRow:
    """What the rows of all boards have in common."""

    id: str
    name: str
    """What stands on the board: a system, a judge, an evaluator, as its team calls it."""
    team: str = ""
    """Of published rows, what is cited."""
    model: str = ""
    run: str = ""
    role: Role = "entry"
    ticket_id: str = ""
    """The submission the row comes from; blank for rows that are nobody's."""
    received_at: datetime | None = None
    judge: Pin | None = None
    """Exactly which judge or model of this installation its figures rest on."""
    statistics_version: int | None = None
    """Of its figures and intervals; None for rows whose figures this installation did not compute from a submission."""
    rank: RankBand | None = None
    """Places it may hold; None for baselines, published ones, and those that are not ranked."""
    deciding: DecidingItems | None = None
    """What the first place rests on; None for every row but the leader, and where a board does not say."""
    deciding_among: str = ""
    """Among which of the rows it is first, where they are not all ranked together."""
    unranked: str = ""
    """Why it is not ranked, and of a published row why it cannot be read beside the others; blank for the rest."""
    remark: str = ""
    """What else a reader must know, in words."""
    is_null: bool = False
    """Is it a baseline or a reference, which nobody entered?"""
    published: Mark | None = None
    """The mark of a row that others published; None for all others."""
    attempts: int | None = None
    """Submissions of what the row shows so far; None for rows that are no submission, as with the next three."""
    account_attempts: int | None = None
    same_file: int | None = None
    same_answers: int | None = None

    @property
    def is_entry(self) -> bool:
        """Did a team send it, or this site make it as one does?"""
        return not (self.is_null or self.published)

    @property
    def is_measured_here(self) -> bool:
        """Do the figures of an entry rest on what this site has seen?"""
        return True

    @property
    def measured(self) -> str:
        """Whether its figures rest on what this site measured, or are published; blank for baselines."""
        if self.is_entry:
            return HERE if self.is_measured_here else SELF_REPORTED
        return self.published or ""

    @property
    def tier(self) -> int:
        """1 = listed after the ranked rows, whichever way the table is sorted."""
        return 1 if self.unranked else 0

    @property
    def style(self) -> str:
        """How the row looks: a baseline is grey, a published one marked, an unranked one muted."""
        if self.is_null:
            return NULL_ROW
        if self.published:
            return PUBLISHED_ROW
        return UNRANKED_ROW if self.unranked else ""

    @property
    def note(self) -> str:
        """What a reader must know about the row, in words."""
        unranked = f"not ranked: {self.unranked}" if self.unranked else ""
        return "; ".join(part for part in (unranked, self.remark) if part)

    @property
    def origin(self) -> str:
        """What the note says that the mark beside the name says, too; blank = nothing, as where it names a source."""
        if self.is_null and self.note.startswith("baseline: not a "):
            return self.note
        return ORIGIN.get(self.role, "")

    @property
    def place(self) -> tuple[bool, int, int, str, str]:
        """The order of lists of runs: ranked ones by rank, then the others by name."""
        rank = self.rank
        return (rank is None, rank.low if rank else 0, rank.high if rank else 0, self.name, self.id)

    @property
    def place_words(self) -> str:
        """Its rank; else what it is."""
        if self.rank:
            return f"rank {text_of(self.rank, 'rank')}"
        return "baseline" if self.is_null else "not ranked"


class TicketFields(TypedDict):
    """What a row has from its submission."""

    team: str
    model: str
    run: str
    role: Role
    ticket_id: str
    received_at: datetime


def ticket_fields(ticket: Ticket) -> TicketFields:
    """What a row has from its submission; what it is called is up to the board."""
    names = ticket.names
    return {
        "team": names.team or "",
        "model": names.model or "",
        "run": names.run or "",
        "role": ticket.role,
        "ticket_id": ticket.id,
        "received_at": ticket.received_at,
    }


class RunFields(TicketFields):
    """The same of a board whose rows are runs of systems, baselines among them."""

    id: str
    name: str
    is_null: bool


def run_fields(ticket: Ticket) -> RunFields:
    """What the row of a run has from its submission."""
    return {
        **ticket_fields(ticket),
        "id": ticket.id,
        "name": ticket.names.system or "(no system name)",
        "is_null": ticket.role == "baseline",
    }


def statistics_version_of(row: object) -> int | None:
    """The version of the statistics that made the figures of a row of any board; None where none is known."""
    return row.statistics_version if isinstance(row, BoardRow) else None


def ticket_of_row(row: object) -> str:
    """The submission that a row of any board comes from; blank for a row that is nobody's, or of several."""
    return row.ticket_id if isinstance(row, BoardRow) else ""
