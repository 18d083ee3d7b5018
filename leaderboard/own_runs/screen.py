"""All that one account submitted: its runs, the versions of each, scores and what changed; no components."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import Literal, TypedDict

from leaderboard.desk.queue_rows import reason_words
from leaderboard.desk.run_titles import run_titles
from leaderboard.desk.ticket_decisions import TicketActs
from leaderboard.desk.ticket_values import season_words, standing_row
from leaderboard.own_runs.scores import OwnScore, own_score, rows_text
from leaderboard.page.identity import Visitor
from leaderboard.page.links import address_of
from leaderboard.page.registered import BoardTools
from leaderboard.page.state import PageState, QueueState
from leaderboard.parts.columns import text_of
from leaderboard.parts.downloads import FileValue
from leaderboard.parts.notices import NoticeValue, notice
from leaderboard.parts.visible_text import visible
from leaderboard.team_report.screen import TeamReportScreen, with_report
from submissions.store.eta import WaitEstimate, estimates_of
from submissions.store.queue import JobStatus, Ticket
from submissions.store.quotas import FILES_OF_A_RUN

MOST_SHOWN = 200
"""Submissions of one account, the newest; the Queue has all of them."""

NO_REPORT = notice(
    "warning", "There is no report of this run now.", "A later run stands in its place, or it was taken off the boards."
)
SIGN_IN = notice("plain", "Sign in to see what your account submitted.", "The button is at the top of the page.")
NOTHING_YET: NoticeValue = {
    "kind": "plain",
    "title": "You have not submitted anything yet.",
    "lines": [],
    "link": address_of(PageState(tab="submit")),
    "link_text": "Submit a file",
}

RunName = tuple[str | None, ...]


class OwnChoiceValue(TypedDict):
    """What its owner can do now about which run is ranked."""

    choice: Literal["", "primary", "latest"]
    """This run, or the latest one again; blank = nothing."""
    choice_words: str


class OwnVersionValue(OwnChoiceValue):
    """One submission; every string is shown as text."""

    ticket: str
    version: str
    """Its number among the versions of its run, or the name of its file where a run has several."""
    received: str
    state: str
    score: str
    """Of a run with one score; what has a row for each judge or method says them in `said`."""
    difference: str
    """To the version before; blank where there is nothing to compare."""
    said: str
    """What else is to know: the figures of several rows, when it will be scored, the season, why it ended."""
    link: str
    row_link: str
    has_report: bool


class OwnRunValue(TypedDict):
    """One run with its versions, the newest first."""

    title: str
    set_title: str
    has_scores: bool
    """Is there one score to show of any version? Else its columns are left out."""
    versions: list[OwnVersionValue]


class OwnRunsValue(TypedDict):
    """Everything of one account (`components.OwnRunsView`)."""

    runs: list[OwnRunValue]
    summary: str


class OwnScreen:
    """Who asks -> what is theirs, and nobody else's."""

    def __init__(self, tools: BoardTools) -> None:
        self._tools = tools
        self._services = tools.services
        self._reports = tools.shared(TeamReportScreen.of)
        self._acts = TicketActs(tools.services)
        self._score = lru_cache(maxsize=1024)(self._read_score)

    def notice(self, visitor: Visitor | None) -> NoticeValue | None:
        """Why nothing is shown; None where something is."""
        if visitor is None:
            return SIGN_IN
        return None if self.own(visitor) else NOTHING_YET

    def own(self, visitor: Visitor | None) -> list[Ticket]:
        """What the visitor's account submitted, newest first; its own names are shown to whoever has signed in."""
        if visitor is None:
            return []
        own = [ticket for ticket in self._tools.tickets() if ticket.owner == visitor.owner and ticket.role == "entry"]
        own = sorted(own, key=lambda ticket: (ticket.received_at, ticket.id), reverse=True)[:MOST_SHOWN]
        # Where nobody signs in everybody is the owner: what a season keeps from everybody stays so.
        if not self._services.identity.is_public:
            return own
        sent = self._services.desk.sent_by(visitor.owner, [ticket.id for ticket in own])
        return [
            replace(ticket, names=sent[ticket.id].names, file_name=sent[ticket.id].file_name)
            if ticket.id in sent
            else ticket
            for ticket in own
        ]

    def value(self, visitor: Visitor | None) -> OwnRunsValue | None:
        """Everything of the visitor's account; None where there is nothing."""
        own = self.own(visitor)
        if not own:
            return None
        is_any_open = any(ticket.status.is_open for ticket in own)
        waits = estimates_of(self._services.store) if is_any_open else {}
        runs: dict[RunName, list[Ticket]] = {}
        for ticket in own:
            runs.setdefault(_run_name(ticket), []).append(ticket)
        scored = sum(ticket.status is JobStatus.SCORED for ticket in own)
        count = f"{len(own)} submission{'s' if len(own) > 1 else ''}"
        last = f", the newest {MOST_SHOWN}" if len(own) == MOST_SHOWN else ""
        return {
            "runs": [self._run(versions, waits, visitor) for versions in runs.values()],
            "summary": f"{count} of {len(runs)} run{'s' if len(runs) > 1 else ''}, {scored} scored{last}; times in UTC",
        }

    def chosen(self, visitor: Visitor | None, ticket_id: object, choice: object) -> NoticeValue | None:
        """Lets a run be the ranked one, or the latest again, and says how that went; None where nothing was asked."""
        if choice not in ("primary", "latest") or not isinstance(ticket_id, str):
            return None
        return self._acts.by_owner("primary" if choice == "primary" else "latest", ticket_id, visitor)

    def report(self, visitor: Visitor | None, ticket_id: object) -> FileValue | None:
        """The report of one of the visitor's runs as a file; None where it is not theirs, or has none."""
        ticket = next((ticket for ticket in self.own(visitor) if ticket.id == ticket_id), None)
        state = with_report(standing_row(ticket)) if ticket is not None else None
        return self._reports.file(state) if state is not None else None

    def _run(
        self, versions: Sequence[Ticket], waits: Mapping[str, WaitEstimate], visitor: Visitor | None
    ) -> OwnRunValue:
        """One run; its versions come newest first."""
        shown: list[OwnVersionValue] = []
        before: OwnScore | None = None
        has_versions = versions[0].edition not in FILES_OF_A_RUN
        for number, ticket in enumerate(reversed(versions), 1):
            # What is withdrawn or hidden has no score to show, and whatever is compared is on the boards.
            score = self._score(ticket.id, ticket.status_at) if ticket.is_on_boards else None
            choice = self._choice(ticket, visitor)
            shown.append(
                self._version(ticket, number if has_versions else 0, score, before, waits.get(ticket.id), choice)
            )
            before = (score or before) if has_versions else None
        names = versions[0].names
        title = " · ".join(visible(name) for name in (names.system, names.model, names.run, names.team) if name)
        titles = run_titles(self._services)
        return {
            "title": title or visible(versions[0].file_name),
            "set_title": titles.get(versions[0].set_id, versions[0].set_id),
            "has_scores": any(version["score"] or version["difference"] for version in shown),
            "versions": shown[::-1],
        }

    def _version(
        self,
        ticket: Ticket,
        number: int,
        score: OwnScore | None,
        before: OwnScore | None,
        wait: WaitEstimate | None,
        choice: OwnChoiceValue,
    ) -> OwnVersionValue:
        rows = rows_text(self._tools, ticket) if score is None and ticket.is_on_boards else ""
        said = (
            rows,
            _waiting(wait),
            _private(ticket),
            season_words(ticket),
            reason_words(ticket),
        )
        return {
            "ticket": ticket.id,
            "version": f"version {number}" if number else visible(ticket.file_name),
            "received": f"{ticket.received_at:%Y-%m-%d %H:%M}",
            "state": f"{ticket.status.value}, primary" if ticket.is_primary else ticket.status.value,
            "score": text_of(score.figure, "interval") if score else "",
            "difference": score.less(before) if score else "",
            "said": "; ".join(dict.fromkeys(words for words in said if words)),
            "link": address_of(QueueState(ticket=ticket.id)),
            "row_link": address_of(row) if (row := standing_row(ticket)) else "",
            "has_report": _has_report(ticket),
            **choice,
        }

    def _choice(self, ticket: Ticket, visitor: Visitor | None) -> OwnChoiceValue:
        acts = self._acts.of_owner(ticket, visitor)
        of = "team's " if ticket.season is not None and ticket.season.one_primary_run else ""
        if "primary" in acts:
            return {"choice": "primary", "choice_words": f"Use this run for my {of}rank"}
        if "latest" in acts:
            return {"choice": "latest", "choice_words": f"Use the latest run for my {of}rank"}
        return {"choice": "", "choice_words": ""}

    def _read_score(self, ticket_id: str, scored_at: datetime) -> OwnScore | None:
        """Of the result that a submission has had since then."""
        result = self._services.store.result(ticket_id)
        return own_score(result) if result is not None else None


def _run_name(ticket: Ticket) -> RunName:
    """What the versions of one run have in common; a file without a name of its run's kind stands alone."""
    names = ticket.names
    return (ticket.set_id, names.team, names.system, names.model, names.run)


def _waiting(wait: WaitEstimate | None) -> str:
    if wait is None:
        return ""
    return wait.words if wait.likely_s is None else f"expected in {wait.words}"


def _private(ticket: Ticket) -> str:
    if ticket.status is not JobStatus.SCORED or ticket.season is None or ticket.season.scores_from is None:
        return ""
    return f"its score is public from {ticket.season.scores_from:%Y-%m-%d %H:%M:%S %Z}"


def _has_report(ticket: Ticket) -> bool:
    return with_report(standing_row(ticket)) is not None
