"""What the pages offer of reports: the file of an opened run, and whom it may be compared with."""

from __future__ import annotations

from operator import attrgetter

from leaderboard.boards.editions.cache import EditionBoards
from leaderboard.boards.editions.rows import EditionRow
from leaderboard.boards.editions.screen import board_of
from leaderboard.boards.robustness.state import EditionState, RobustnessState
from leaderboard.page.registered import BoardTools
from leaderboard.page.state import PageState
from leaderboard.parts.downloads import FileValue, file_value
from leaderboard.team_report.editions import edition_report
from leaderboard.team_report.html import report_html
from leaderboard.team_report.report import NoReport
from leaderboard.team_report.robustness import robustness_report

HTML = "text/html"
NO_CHOICE = "no other run"
PRINT_WORDS = "Print report or save as PDF"


class TeamReportScreen:
    """Page state -> the report of the opened run."""

    @classmethod
    def of(cls, tools: BoardTools) -> TeamReportScreen:
        """Of the site that the tools are of."""
        return cls(tools)

    def __init__(self, tools: BoardTools) -> None:
        self._tools = tools

    def file(self, state: EditionState, against: object = "") -> FileValue | None:
        """The report as a file; None where no run is open that has one.

        Args:
            against: Ticket of the run a run of 2025 or 2026 is compared with, as the browser sent it. Of 2024 the page
                itself knows.
        """
        other = against if isinstance(against, str) and against in {ticket for _, ticket in self.choices(state)} else ""
        try:
            if isinstance(state, RobustnessState):
                report = robustness_report(self._tools, state)
            else:
                report = edition_report(self._tools, state.system, other)
        except NoReport:
            return None
        return file_value(f"plumbline-report-{report.ticket}.html", HTML, report_html(report))

    def choices(self, state: EditionState) -> list[tuple[str, str]]:
        """Runs of 2025 or 2026 to compare the opened one with: words, ticket; ranked ones first."""
        board = board_of(state)
        if board is None or not state.system:
            return []
        boards = self._tools.shared(EditionBoards.of)
        run = boards.run(state.system)
        rows = [row for row in boards.rows(board, run.ticket.set_id if run else "") if row.id != state.system]
        return [(NO_CHOICE, ""), *((_words(row), row.id) for row in sorted(rows, key=attrgetter("place")))]


def with_report(state: PageState | None) -> EditionState | None:
    """The view of a run, where runs of its board have reports; None for others."""
    return state if isinstance(state, EditionState) else None


def _words(row: EditionRow) -> str:
    return " · ".join(word for word in (row.name, row.run, row.team, row.place_words) if word)
