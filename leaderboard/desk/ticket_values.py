"""One ticket, ready for the page."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TypedDict

from leaderboard.boards import registry
from leaderboard.desk.queue_rows import reason_words
from leaderboard.page.links import address_of
from leaderboard.page.state import PageState
from leaderboard.parts.card_values import FactValue
from leaderboard.parts.visible_text import visible
from submissions.formats.behavior_alignment.submission import SET_ID as RECOMMENDER
from submissions.promptsets import DEMONSTRATION_2026, ELOQUENT_2026
from submissions.seasons.review import ReviewLink
from submissions.store.eta import WaitEstimate
from submissions.store.queue import JobStatus, Ticket

LOG_LINES = 20
"""The newest lines of the log are shown."""


class TicketValue(TypedDict):
    """A ticket as the page shows it."""

    id: str
    title: str
    status: str
    sentence: str
    place: str
    reason: str
    has_progress: bool
    judged: int
    to_judge: int
    progress: str
    eta: str
    """When it will be scored, in words; blank once it ended."""
    next_step: str
    row_link: str
    review_link: str
    """Opens the run without a name; blank for everybody who may not hand it on."""
    review_words: str
    facts: list[FactValue]
    log: list[str]


_STAYS = "Nothing to do. You may close this page: its link leads back here."

_NEXT_STEPS: dict[JobStatus, str] = {
    JobStatus.RECEIVED: _STAYS,
    JobStatus.QUEUED: _STAYS,
    JobStatus.RUNNING: _STAYS,
    JobStatus.SCORED: "Open its row to see every score, down to the answers. Withdraw it if it should not stand; then "
    "you can erase its answers, too.",
    JobStatus.FAILED: "Read the reason. If it is about the file, correct it and submit it again; if it is about the "
    "judge or the machine, submit the same file again later, or ask the organisers. A failed run costs no quota.",
    JobStatus.CANCELLED: "Submit the file again whenever you like. A cancelled run costs no quota.",
    JobStatus.WITHDRAWN: "It stays off the boards; the attempt stays in the public log. Answers are kept until the "
    "team or an organiser erases them. A new submission is welcome.",
}
"""What a team does in each state."""

_ERASED = "The answers were erased permanently: the file, its result and its verdicts. Only this record remains."
_IS_ERASED = "Nothing to do. The record keeps the attempt countable; a new submission is welcome."
_STANDS = "One cell of it is judged again: the former result stays on the board until that is done."
HIDDEN = "Organisers keep the submission off the boards; the reason says why."
"""What stands in place of the sentence of its state."""
_ASK = "If you think they are wrong, tell them. The attempt stays listed, with the reason."


_TURNS = "which is taken by turns: one file of each who waits, then the next of each"


def ticket_value(
    ticket: Ticket,
    set_title: str,
    wait: WaitEstimate | None = None,
    attempts: Sequence[str] = (),
    review: ReviewLink | None = None,
) -> TicketValue:
    """Everything the page shows about one ticket.

    Args:
        wait: When it will be scored; None once it ended.
        attempts: Tickets of all attempts with its system, oldest first.
        review: Opens the run to reviewers; None where the visitor may not hand it on.
    """
    names = ticket.names
    facts = {
        "Ticket": ticket.id,
        "Prompt set": set_title,
        "Team": names.team,
        "System": names.system,
        "Model": names.model,
        "Run": names.run,
        "Attempt": _attempt_text(ticket, attempts),
        "Submitted by": ticket.owner_name,
        "File": visible(ticket.file_name),
        "SHA-256 of the file": ticket.file_sha256,
        "Received": f"{ticket.received_at:%Y-%m-%d %H:%M:%S} UTC",
        "Season": season_words(ticket),
        "In this state since": f"{ticket.status_at:%Y-%m-%d %H:%M:%S} UTC",
    }
    is_running = ticket.status is JobStatus.RUNNING
    row = standing_row(ticket)
    return {
        "id": ticket.id,
        "title": names.system or visible(ticket.file_name),
        "status": ticket.status.value,
        "sentence": state_sentence(ticket),
        "place": f"It is number {ticket.position} in the queue, {_TURNS}." if ticket.position else "",
        "reason": reason_words(ticket),
        "has_progress": is_running,
        "judged": ticket.judged,
        "to_judge": ticket.to_judge or 1,
        "progress": _progress_text(ticket),
        "eta": wait.words if wait else "",
        "next_step": _next_step(ticket),
        "row_link": address_of(row) if row else "",
        "review_link": review.address.removeprefix("/") if review else "",
        "review_words": f"Review link without names, until {review.until}" if review else "",
        "facts": [{"name": name, "text": text} for name, text in facts.items() if text],
        "log": list(ticket.log[-LOG_LINES:]),
    }


def _next_step(ticket: Ticket) -> str:
    if ticket.is_erased:
        return _IS_ERASED
    if ticket.hidden is not None:
        return _ASK
    return _STAYS if ticket.status is JobStatus.SCORED and not ticket.is_on_boards else _NEXT_STEPS[ticket.status]


def state_sentence(ticket: Ticket) -> str:
    """What the state of a submission means, for people."""
    if ticket.is_erased:
        return _ERASED
    if ticket.hidden is not None:
        return HIDDEN
    if ticket.status is JobStatus.SCORED and ticket.season is not None and ticket.season.scores_from is not None:
        return f"The submission is scored; its season shows no scores before {_day(ticket.season.scores_from)}."
    return f"{ticket.status.sentence} {_STANDS}" if ticket.is_rejudged else ticket.status.sentence


def season_words(ticket: Ticket) -> str:
    """Which season it belongs to, and what that means for its rank; blank where there is none."""
    mark = ticket.season
    if mark is None:
        return ""
    if mark.unranked:
        return f"{mark.unranked}; not ranked"
    return f"{mark.title}, in time"


def _day(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S %Z}"


def standing_row(ticket: Ticket) -> PageState | None:
    """The view of what the ticket's run scored; None where it is on no board, or its task is no longer installed."""
    states = (board.row_of(ticket) for board in registry.BOARDS) if ticket.is_on_boards else ()
    return next((state for state in states if state is not None), None)


def _attempt_text(ticket: Ticket, attempts: Sequence[str]) -> str:
    if ticket.id not in attempts:
        return ""
    of = "team" if ticket.season is not None and ticket.season.one_primary_run else "system"
    ranked = f", the run its {of} is ranked by" if ticket.is_primary else ""
    return f"{attempts.index(ticket.id) + 1} of {len(attempts)} with this system{ranked}"


def _progress_text(ticket: Ticket) -> str:
    work = _WORK.get(ticket.set_id, "judgements")
    if ticket.to_judge is None:
        return f"counting the {work} it needs" if work == "judgements" else "counting what is to be read"
    counted = f"{ticket.judged:,} of {ticket.to_judge:,} {work}"
    return f"{counted}; its figures come next" if ticket.is_all_judged else counted


_WORK = {RECOMMENDER: "sentences read", ELOQUENT_2026: "texts read", DEMONSTRATION_2026: "texts read"}
"""What is counted where no judge is asked: texts that an embedding model reads."""
