"""Keys of systems and runs, and the run by which a system is ranked."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping

from evaluator.robustness.figures import level_null_row
from submissions.store.queue import Ticket

NOT_SEPARABLE = "not separable from baseline"
"""How the reason of a run begins that is not above the best baseline."""

SystemKey = tuple[str, str, str | None, str | None, str | None]
"""Owner, prompt set, team, system, model: what holds one rank."""

RunKey = tuple[SystemKey, str | None]
"""A system and the name of its run (`run` of 2024, `submissionid` of 2025 and 2026): what one row stands for."""


def system_key(ticket: Ticket) -> SystemKey:
    """Team names are display text: the account belongs to the key."""
    names = ticket.names
    return (ticket.owner, ticket.set_id, names.team, names.system, names.model)


def run_key(ticket: Ticket) -> RunKey:
    """What was sent again under it takes the place of what was sent before."""
    return (system_key(ticket), ticket.names.run)


def ranked_by(ticket: Ticket) -> Hashable:
    """What holds one rank: a system, and where the season says so a team."""
    if ticket.season is not None and ticket.season.one_primary_run:
        return (ticket.owner, ticket.set_id, ticket.names.team)
    return system_key(ticket)


def standing_runs(tickets: Iterable[Ticket]) -> list[Ticket]:
    """Of every run on the board the submission its row shows: the primary, else the latest; in order of the first."""
    return list(_greatest(tickets, run_key).values())


def level_words(values: Mapping[str, float], nulls: Mapping[str, Mapping[str, float]]) -> str:
    """The reason of a run that is not above the best baseline; blank where it is.

    Args:
        values: Its headline, by unit.
        nulls: Baseline -> the same.
    """
    level = level_null_row(values, nulls)
    return "" if level is None else f"{NOT_SEPARABLE}: {level}"


def unranked_reasons(tickets: Iterable[Ticket], own: Mapping[str, str]) -> dict[str, str]:
    """Why each run is not ranked: its own reason, or that its system is ranked by another of its runs; blank = it is.

    That is the primary run, else the latest of those with enough to be ranked: a later run that answers a part does not
    displace one that answers everything. One that a baseline equals does: its system is no better today.

    Args:
        tickets: Those that have rows.
        own: Ticket -> its own reason; blank = nothing stands against it.
    """
    tickets = [ticket for ticket in tickets if ticket.is_on_boards]
    in_season = [ticket for ticket in tickets if not ticket.out_of_season]
    ranked = _greatest((ticket for ticket in in_season if ticket.is_primary or _is_enough(own[ticket.id])), ranked_by)
    others = {
        ticket.id: _words(run, ticket)
        for ticket in in_season
        if (run := ranked.get(ranked_by(ticket))) is not None and run.id != ticket.id
    }
    others |= {ticket.id: ticket.out_of_season for ticket in tickets if ticket.out_of_season}
    return {ticket: reason or others.get(ticket, "") for ticket, reason in own.items()}


def _is_enough(reason: str) -> bool:
    return not reason or reason.startswith(NOT_SEPARABLE)


def _words(ranked: Ticket, other: Ticket) -> str:
    name = f"run {ranked.names.run}" if ranked.names.run else "run without a name"
    if system_key(ranked) != system_key(other):
        return f"its team is ranked by the {name} of {ranked.names.system or 'another system'}"
    return f"its system is ranked by its {name}"


def _greatest(tickets: Iterable[Ticket], key: Callable[[Ticket], Hashable]) -> dict[Hashable, Ticket]:
    greatest: dict[Hashable, Ticket] = {}
    for ticket in tickets:
        if ticket.is_on_boards and (
            key(ticket) not in greatest or ticket.rank_order > greatest[key(ticket)].rank_order
        ):
            greatest[key(ticket)] = ticket
    return greatest
