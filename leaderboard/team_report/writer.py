"""The report of any run: which one is meant, and its files."""

from __future__ import annotations

from leaderboard.boards.robustness.cache import has_prompts
from leaderboard.boards.robustness.state import RobustnessState
from leaderboard.page.registered import BoardTools
from leaderboard.page.system_keys import standing_runs
from leaderboard.team_report.editions import edition_report
from leaderboard.team_report.html import report_html
from leaderboard.team_report.report import NoReport, TeamReport
from leaderboard.team_report.robustness import robustness_report
from submissions.promptsets import SETS_OF_2025, SETS_OF_2026
from submissions.reading.quoting import printable
from submissions.store.queue import Ticket

MOST_NAMED = 10
"""Tickets that are named where a name fits several runs."""


def team_report(tools: BoardTools, ticket_id: str, against: str = "") -> TeamReport:
    """The report of a submission of 2024, 2025 or 2026, in the view that its board has at first.

    Args:
        tools: Whose boards are open.
        against: Ticket of the run it is compared with; blank = none.

    Raises:
        NoReport: with the run and the reason.
    """
    ticket = tools.services.store.ticket(ticket_id)
    if ticket is None or not _has_report(ticket):
        raise NoReport(f"{printable(ticket_id, 80)}: no scored submission of 2024, 2025 or 2026 has this ticket")
    if has_prompts(ticket.set_id):
        return robustness_report(tools, RobustnessState(set=ticket.set_id, system=ticket_id, against=against))
    return edition_report(tools, ticket_id, against)


def run_meant(tools: BoardTools, named: str) -> str:
    """The ticket that a ticket or the name of a system's row names.

    Raises:
        NoReport: nothing is called so, or several runs are; these are named.
    """
    ticket = tools.services.store.ticket(named)
    if ticket is not None and _has_report(ticket):
        return ticket.id
    runs = [
        run for run in standing_runs(filter(_has_report, tools.tickets())) if named in (run.names.system, run.file_name)
    ]
    if len(runs) == 1:
        return runs[0].id
    shown = printable(named, 80)
    if not runs:
        raise NoReport(
            f"{shown}: no scored submission and no row of the boards of 2024, 2025 and 2026 is called so; the ticket "
            "stands in the receipt, in the queue and in the link of the row"
        )
    listed = "; ".join(f"{run.id} ({_words(run)})" for run in runs[:MOST_NAMED])
    raise NoReport(f"{shown}: {len(runs)} rows are called so; name the ticket of one: {listed}")


def report_files(report: TeamReport) -> dict[str, bytes]:
    """File name -> bytes: the page, the table for LaTeX, BibTeX and the manifest."""
    return {
        "report.html": report_html(report).encode(),
        "table.tex": report.latex.encode(),
        "references.bib": report.bibtex.encode(),
        "manifest.json": report.manifest.encode(),
    }


def _has_report(ticket: Ticket) -> bool:
    return ticket.is_on_boards and (has_prompts(ticket.set_id) or ticket.set_id in (*SETS_OF_2025, *SETS_OF_2026))


def _words(ticket: Ticket) -> str:
    stated = (ticket.names.team, ticket.names.model, ticket.names.run, f"{ticket.received_at:%Y-%m-%d %H:%M}")
    return ", ".join(printable(text, 80) for text in stated if text)
