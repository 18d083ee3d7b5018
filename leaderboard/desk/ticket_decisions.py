"""What a visitor may do with a run, and doing it: whoever asks is checked at every act, not when buttons are drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

from leaderboard.page.identity import Visitor
from leaderboard.page.services import Services
from leaderboard.parts.notices import NoticeValue, notice
from submissions.store.decisions import MOST_REASON
from submissions.store.erasing import erasure_fault
from submissions.store.queue import QUEUE, Act, JobStatus, NotYours, Ticket
from submissions.store.quotas import QuotaExceeded
from submissions.store.store import StoreError, StoreUnavailable

OwnerAct = Literal["cancel", "withdraw", "rerun", "primary", "latest", "erase", "keep_answers", "share_answers"]
OWNER_ACTS: tuple[OwnerAct, ...] = get_args(OwnerAct)
OrganiserAct = Literal["pause", "resume", "hide", "show", "rerun", "primary", "latest", "erase"]
ORGANISER_ACTS: tuple[OrganiserAct, ...] = get_args(OrganiserAct)

_DONE: dict[str, str] = {
    "cancel": "Cancelled.",
    "withdraw": "Withdrawn; a record of it stays.",
    "pause": "The queue is paused: runs in progress continue, no other is started.",
    "resume": "The queue goes on.",
    "hide": "Hidden from the boards; the reason is public.",
    "show": "On the boards again.",
    "rerun": "In the queue again. Verdicts that are stored are not asked for a second time.",
    "erase": "Its answers are erased; a tombstone stays.",
    "keep_answers": "The answers of its team stay out of public exports from now on; scores are shown.",
    "share_answers": "The answers of its team may be in public exports again.",
    "primary": "Its system is ranked by this run now.",
    "latest": "Its system is ranked by its latest run now.",
    "primary_of_team": "Its team is ranked by this run once it is scored, whatever it sends later.",
    "latest_of_team": "Its team is ranked by its latest run now.",
}
_CELL_IN_THE_QUEUE = (
    "This cell is in the queue again: its verdicts are asked anew, and the former result stands meanwhile."
)
_STANDS = "It is not judged again: the former result stands."

ASKED: dict[OwnerAct, NoticeValue] = {
    "withdraw": notice(
        "warning",
        "Withdraw permanently?",
        "The row leaves the boards and does not come back. Answers are kept until you erase them. The attempt stays in "
        "the public log with its names.",
    ),
    "erase": notice(
        "warning",
        "Erase the answers permanently?",
        "The file, the result and every verdict that no other run uses are erased, here and in the archive. This "
        "record stays, with its names and the reason. You cannot undo this.",
    ),
}
"""Said beside the button that does it for good."""
SIGN_IN_FIRST = notice("bad", "Sign in first: only the account that submitted this run can do that.")
SAY_WHY = notice("warning", f"Say why, in at most {MOST_REASON} characters: everybody can read it.")
NOT_AN_ORGANISER = notice("bad", "Only organisers can do that.")


class TicketActs:
    """Acts of owners and organisers."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def of_owner(self, ticket: Ticket, visitor: Visitor | None, *, has_cells: bool = False) -> frozenset[OwnerAct]:
        """What the visitor may do as the owner of a run.

        Args:
            has_cells: One cell of the run can be judged again; owners have a scored run judged again cell by cell.
        """
        if visitor is None or visitor.owner != ticket.owner:
            return frozenset()
        keeps = ticket.id in self._services.store.answers_kept()
        has_answers = ticket.status.is_open or ticket.status is JobStatus.SCORED
        sensible: dict[OwnerAct, bool] = {
            "cancel": ticket.status.is_open,
            "withdraw": ticket.status is not JobStatus.WITHDRAWN,
            "rerun": ticket.status is JobStatus.FAILED or (ticket.status is JobStatus.SCORED and has_cells),
            "primary": not ticket.is_primary and self._can_be_ranked(ticket, by_owner=True),
            "latest": ticket.is_primary and not self._services.desk.choice_refusal(ticket, by_owner=True),
            "erase": not erasure_fault(ticket.status, ticket.hidden, ticket.reason),
            "keep_answers": has_answers and not keeps,
            "share_answers": has_answers and keeps,
        }
        return frozenset(act for act, is_sensible in sensible.items() if is_sensible)

    def _can_be_ranked(self, ticket: Ticket, *, by_owner: bool) -> bool:
        """May it be chosen as the run that is ranked? In a season also before it is scored, or its score is public."""
        will_be = ticket.season is not None and (ticket.status.is_open or ticket.status is JobStatus.SCORED)
        is_there = ticket.is_on_boards or (will_be and ticket.hidden is None)
        return is_there and not self._services.desk.choice_refusal(ticket, by_owner=by_owner)

    def of_organiser(self, ticket: Ticket | None, visitor: Visitor | None) -> frozenset[OrganiserAct]:
        """What the visitor may do as an organiser: with a run, or with the queue where none is opened."""
        if not self._services.identity.is_organiser(visitor):
            return frozenset()
        if ticket is None:
            return frozenset({"resume" if self._services.store.pause() else "pause"})
        sensible: dict[OrganiserAct, bool] = {
            "hide": ticket.hidden is None,
            "show": ticket.hidden is not None,
            "rerun": ticket.status in (JobStatus.SCORED, JobStatus.FAILED),
            "primary": not ticket.is_primary and self._can_be_ranked(ticket, by_owner=False),
            "latest": ticket.is_primary and not self._services.desk.choice_refusal(ticket, by_owner=False),
            "erase": not erasure_fault(ticket.status, ticket.hidden, ticket.reason),
        }
        return frozenset(act for act, is_sensible in sensible.items() if is_sensible)

    def by_owner(
        self, act: OwnerAct, ticket_id: str, visitor: Visitor | None, *, cell: object = "", reason: object = ""
    ) -> NoticeValue:
        """Does it as the owner, and says how that went.

        Args:
            cell: What of a scored run is to be judged again.
            reason: Why, for everybody; owners need one for a cell only.
        """
        if visitor is None:
            return SIGN_IN_FIRST
        desk, owner = self._services.desk, visitor.owner
        if act == "cancel":
            return self._cancelled(ticket_id, owner)
        if act == "withdraw":
            return _said(act, lambda: desk.withdraw(ticket_id, owner))
        if act == "erase":
            why = "asked for by its team"
            return _said(
                act, lambda: desk.erase(ticket_id, actor=owner, actor_name=visitor.name, reason=why, owner=owner)
            )
        chosen, why = _cell_of(act, cell), _words(reason) if act == "rerun" else ""
        if chosen and not why:
            return SAY_WHY
        quotas = self._services.identity.quotas
        return _said(
            act,
            lambda: desk.act(
                act,
                ticket_id,
                actor=owner,
                actor_name=visitor.name,
                reason=why or "",
                owner=owner,
                quotas=quotas,
                cell=chosen,
            ),
            _CELL_IN_THE_QUEUE if chosen else "",
        )

    def _cancelled(self, ticket_id: str, owner: str) -> NoticeValue:
        was_rejudged = (ticket := self._services.store.ticket(ticket_id)) is not None and ticket.is_rejudged
        return _said("cancel", lambda: self._services.desk.cancel(ticket_id, owner), _STANDS if was_rejudged else "")

    def by_organiser(
        self, act: OrganiserAct, ticket_id: str, visitor: Visitor | None, reason: object, *, cell: object = ""
    ) -> NoticeValue:
        """Does it as an organiser, and says how that went.

        Args:
            ticket_id: Blank to pause and resume.
            reason: Public; without one nothing is done.
            cell: What of a scored run is to be judged again; blank = all of it.
        """
        if visitor is None or not self._services.identity.is_organiser(visitor):
            return NOT_AN_ORGANISER
        why, chosen = _words(reason), _cell_of(act, cell)
        if not why:
            return SAY_WHY
        if act == "erase":
            desk = self._services.desk
            return _said(act, lambda: desk.erase(ticket_id, actor=visitor.owner, actor_name=visitor.name, reason=why))
        subject = QUEUE if act in ("pause", "resume") else ticket_id
        return _said(
            act,
            lambda: self._services.desk.act(
                act, subject, actor=visitor.owner, actor_name=visitor.name, reason=why, cell=chosen
            ),
            _CELL_IN_THE_QUEUE if chosen else "",
        )


def _words(reason: object) -> str:
    """A reason somebody gave; blank where it is none, or too long."""
    why = reason.strip() if isinstance(reason, str) else ""
    return why if len(why) <= MOST_REASON else ""


def _cell_of(act: str, cell: object) -> str:
    return cell if act == "rerun" and isinstance(cell, str) else ""


def _said(act: str, do: Callable[[], object], done: str = "") -> NoticeValue:
    try:
        act_done = do()
    except NotYours:
        return notice("bad", "Only the account that submitted this run can do that.")
    except StoreUnavailable:
        raise  # the page says so in its own words: these are for whoever runs it
    except (StoreError, QuotaExceeded) as error:
        return notice("warning", str(error))
    return notice("good", done or _DONE[act_done.kind if isinstance(act_done, Act) else act])
