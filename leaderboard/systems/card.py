"""The card of one system: every board it stands on, all its runs, and what rebuilds its number."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

from evaluator.reproduce.robustness import robustness_facts
from evaluator.results import MetricValue, Pin, View
from leaderboard.boards.robustness.rows import ScoredTicket
from leaderboard.desk.queue_rows import reason_words
from leaderboard.page.links import address_of
from leaderboard.page.registered import Standing
from leaderboard.page.state import QueueState
from leaderboard.parts.columns import text_of
from submissions.store.queue import JobStatus, Ticket

NO_SCORE = "n/a"


class RunValue(TypedDict):
    """One attempt, ready for the page."""

    received: str
    system: str
    state: str
    since: str
    score: str
    reason: str
    link: str


class StandingValue(TypedDict):
    """One board the system stands on, ready for the page."""

    board: str
    row: str
    headline: str
    rank: str
    link: str


class FactValue(TypedDict):
    """One line of the manifest."""

    name: str
    text: str


class SystemCardValue(TypedDict):
    """Everything the card shows; every string is shown as text."""

    title: str
    standings: list[StandingValue]
    score_label: str
    runs: list[RunValue]
    runs_summary: str
    facts: list[FactValue]
    command: str


TeamKey = tuple[str, str | None]
"""Account and team: names are display text, so the account belongs to the key."""


def team_key(ticket: Ticket) -> TeamKey:
    """Whose run it is."""
    return (ticket.owner, ticket.names.team)


def runs_of_system(tickets: Iterable[Ticket], ticket: Ticket) -> list[Ticket]:
    """All runs of the ticket's team and system on all boards, newest first; of a run without a name itself alone."""
    if ticket.names.system is None:
        return [ticket]
    key = (team_key(ticket), ticket.names.system)
    runs = [ticket for ticket in tickets if (team_key(ticket), ticket.names.system) == key]
    return sorted(runs, key=lambda ticket: (ticket.received_at, ticket.id), reverse=True)


def card_value(
    run: ScoredTicket,
    standings: Sequence[Standing],
    runs: Sequence[tuple[Ticket, MetricValue | None]],
    view_label: str,
    titles: Mapping[str, str],
) -> SystemCardValue:
    """The card.

    Args:
        run: The opened run.
        standings: Rows of its system on every board.
        runs: Its system's attempts, newest first, each with its headline score on this board.
        view_label: Which view the scores are of.
        titles: What people call the sets that were answered, by id.
    """
    names = run.ticket.names
    return {
        "title": " · ".join(name for name in (names.system, names.team) if name) or run.ticket.file_name,
        "standings": [
            {
                "board": standing.board,
                "row": standing.row,
                "headline": standing.headline,
                "rank": standing.rank,
                "link": standing.link,
            }
            for standing in standings
        ],
        "score_label": f"Score ({view_label})",
        "runs": [_run_value(ticket, score, titles) for ticket, score in runs],
        "runs_summary": _runs_summary([ticket for ticket, _ in runs]),
        "facts": [{"name": name, "text": text} for name, text in _facts(run).items() if text],
        "command": rebuild_command(run.result.judge),
    }


def _run_value(ticket: Ticket, score: MetricValue | None, titles: Mapping[str, str]) -> RunValue:
    answered = titles.get(ticket.set_id, ticket.set_id)
    return {
        "received": f"{ticket.received_at:%Y-%m-%d %H:%M}",
        "system": " · ".join(name for name in (answered, ticket.names.model, ticket.names.run) if name),
        "state": f"{ticket.status.value}, primary" if ticket.is_primary else ticket.status.value,
        "since": f"{ticket.status_at:%Y-%m-%d %H:%M}",
        "score": NO_SCORE if score is None else text_of(score, "interval"),
        "reason": reason_words(ticket),
        "link": address_of(QueueState(ticket=ticket.id)),
    }


def _runs_summary(tickets: Sequence[Ticket]) -> str:
    withdrawn = sum(ticket.status is JobStatus.WITHDRAWN for ticket in tickets)
    attempts = f"{len(tickets)} attempt" if len(tickets) == 1 else f"{len(tickets)} attempts"
    return f"{attempts}, {withdrawn} withdrawn; times in UTC"


def _facts(run: ScoredTicket) -> dict[str, str]:
    result = run.result
    return {
        "Judge": _pin_text(result.judge),
        "Embedding (relevance)": _pin_text(result.embedding),
        "Prompt set": f"{result.prompt_set.set_id}: {result.prompt_set.version}",
        "SHA-256 of the prompt set": result.prompt_set.sha256 or "",
        "File": run.ticket.file_name,
        "SHA-256 of the file": result.file_sha256,
        "Code version": result.code_version,
    }


def _pin_text(pin: Pin) -> str:
    parts = (f"{pin.name}: {pin.model}", f"revision {pin.revision}", pin.prompt, pin.dtype, pin.engine)
    return ", ".join(part for part in parts if part != "-")


_NAMED_ALONE = ("pair", "embedding", "multilingual", "scripted")
"""Judges whose name is the whole flag."""
COMMIT_CHARACTERS = 40


def judge_flag(pin: Pin) -> str:
    """What --judge is given to load the judge of a pin; capitals stand for what a pin does not hold.

    A local model folder has no address, and the address of a server is nobody else's business. A `pair` judge trained
    anew is called `pair` too: only the revision of its pin tells it from the one that ships.
    """
    if pin.name in _NAMED_ALONE:
        return pin.name
    if pin.name == "transformers":
        is_commit = len(pin.revision) == COMMIT_CHARACTERS and "/" in pin.model
        return f"transformers:{pin.model}@{pin.revision}" if is_commit else "transformers:FOLDER"
    return f"{pin.name}:URL#{pin.model}"


def rebuild_command(pin: Pin) -> str:
    """The command that makes the result anew from the submitted file."""
    return f"python -m evaluator evaluate FILE --json --judge {judge_flag(pin)}"


def manifest_text(run: ScoredTicket, view: View) -> str:
    """What one must know to rebuild the run's number, as JSON; numbers are unrounded.

    `headline` is the score of the view the page shows; `figures` holds every figure of every view.
    """
    ticket, result = run.ticket, run.result
    names = ticket.names
    body: dict[str, Any] = {
        "board": result.board,
        "ticket": ticket.id,
        "names": {"team": names.team, "system": names.system, "model": names.model, "run": names.run},
        "received_at": ticket.received_at.isoformat(),
        "file": {"name": ticket.file_name, "sha256": result.file_sha256},
        "prompt_set": result.prompt_set.model_dump(mode="json"),
        "embedding": result.embedding.model_dump(mode="json"),
        "gate": None if result.gate is None else result.gate.model_dump(mode="json"),
        "code_version": result.code_version,
        "statistics_version": result.statistics_version,
        **robustness_facts(result, view),
        "command": rebuild_command(result.judge),
    }
    return json.dumps(body, ensure_ascii=False, indent=2) + "\n"
