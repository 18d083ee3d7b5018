"""What a reviewer reads of one run: its figures, what they rest on, and every answer."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from typing import Any

from evaluator.printing.page import printed_page
from evaluator.results import MetricValue
from leaderboard.boards import registry
from leaderboard.eval_results.tasks import BenchmarkTask, tasks
from leaderboard.every_eval_ever.items import item_scores
from leaderboard.page.board_row import ticket_of_row
from leaderboard.page.identity import Identity
from leaderboard.page.registered import BoardTools
from leaderboard.page.services import Services
from leaderboard.parts.columns import text_of
from leaderboard.parts.downloads import neutralised
from leaderboard.parts.visible_text import visible
from leaderboard.review.answers import AnswerTable, Cell, answer_table
from leaderboard.team_report.html import STYLE, sections_html
from leaderboard.team_report.report import (
    MANIFEST_TITLE,
    RESULT_TITLE,
    NoReport,
    Section,
    ShownTable,
    beginning,
    figures_of,
    figures_table,
)
from leaderboard.team_report.writer import team_report
from submissions.desk import Desk
from submissions.seasons.review import NoReview, ReviewStore
from submissions.settings import Settings
from submissions.store.database import StoreError
from submissions.store.queue import Ticket
from submissions.store.store import Store

Standing = Sequence[tuple[BenchmarkTask, Any]]
"""The rows of a run, each with the board and choice it stands on."""
MOST_BYTES = 32 * 2**20
"""Of a file whose answers are shown: larger ones would fill the memory of the page server."""
MOST_ROWS = 500
"""Answers and scores of items that the page lists; all answers stand in the CSV."""
GONE = "There is no run to review: it is not scored yet, was withdrawn, hidden or erased, or no ticket is called so."


@dataclass(frozen=True, slots=True)
class ReviewCopy:
    """One run without a name."""

    title: str
    until: str
    sentence: str
    sections: Sequence[Section]
    answers: AnswerTable

    def html(self, csv_address: str) -> str:
        """One page that prints: no scripts, nothing loaded, every text escaped.

        Args:
            csv_address: Where all answers are, as CSV.
        """
        shown = self.answers.rows[:MOST_ROWS]
        told = f"{len(self.answers.rows):,} answers" + (f"; the first {MOST_ROWS:,} are listed" * self._is_long)
        listed = ShownTable(told, self.answers.heads, [[_shown(cell) for cell in row] for row in shown])
        left_out = [f"Not listed: {self.answers.left_out}."] if self.answers.left_out else []
        answers = Section("Answers", left_out, tables=[listed] if shown else [])
        body = [
            f"<p><strong>{escape(self.sentence)}</strong></p>",
            '<p class="quiet">A copy for review: team, system, model, run, account and rank are left out. '
            f"Its link works until the end of {escape(self.until)}, UTC.</p>",
            *sections_html([*self.sections, answers]),
            f'<p><a href="{escape(csv_address)}">All answers as CSV</a></p>' if self.answers.rows else "",
        ]
        return printed_page(self.title, body, style=STYLE)

    @property
    def _is_long(self) -> bool:
        return len(self.answers.rows) > MOST_ROWS

    def csv(self) -> str:
        """Every answer; text that a spreadsheet would run is disarmed."""
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow(self.answers.heads)
        writer.writerows([neutralised(cell) for cell in row] for row in self.answers.rows)
        return buffer.getvalue()


def review_copy(store: Store, desk: Desk, settings: Settings, ticket_id: str, until: str = "") -> ReviewCopy:
    """The copy of a scored run.

    Args:
        store: The whole one; only the run is read of it.
        until: The last day of the link.

    Raises:
        NoReview: the run is on no board.
    """
    seen = ReviewStore(store, ticket_id, settings.pseudonym_key)
    tickets = {ticket.id: ticket for ticket in seen.tickets() if ticket.is_on_boards}
    ticket = tickets.get(ticket_id)
    if ticket is None:
        raise NoReview(GONE)
    tools = BoardTools(Services(store=seen, desk=desk, settings=settings, identity=Identity.of(settings)))
    tools.open([board for board in registry.BOARDS if board.row_of(ticket) is not None])
    standing = [
        (task, row) for task in tasks(tools) for row in task.table.rows(task.state) if ticket_of_row(row) in tickets
    ]
    if not standing:
        raise NoReview(GONE)
    task, row = standing[0]
    result = seen.result(ticket_of_row(row)) or "{}"
    # Of a run of several files those that its result is of, and not what stood in their place before.
    read = {file["file_sha256"] for file in json.loads(result).get("files", [])} or {ticket.file_sha256}
    try:
        report = team_report(tools, ticket_of_row(row))
        parts = [part for part in report.sections if part.title not in (RESULT_TITLE, MANIFEST_TITLE)]
    except NoReport:
        tables = list(_items(standing, result))
        parts = [Section("Scores by item", tables=tables)] if tables else []
    return ReviewCopy(
        f"A run under review: {task.table.kind.title}",
        until,
        _sentence(task, row),
        [Section("Figures", tables=[_figures(task, row, standing) for task, row in standing]), *parts],
        # Under its own names, by which a file is read; none of them is in the table.
        _answers(seen, desk, [sent for sent in store.tickets_of(list(tickets)).values() if sent.file_sha256 in read]),
    )


def _sentence(task: BenchmarkTask, row: Any) -> str:
    """The headline in one sentence."""
    value, label = task.headline.value(row), task.headline.label
    if not isinstance(value, MetricValue) or value.value is None:
        reason = value.reason if isinstance(value, MetricValue) else ""
        return f"{label}: not scored{f', because {reason}' if reason else ''}."
    counted = task.table.kind.counted
    return f"{label} {text_of(value, 'interval')}{f', from {value.n:,} {counted}' if counted else ''}."


def _figures(task: BenchmarkTask, row: Any, standing: Standing) -> ShownTable:
    table = figures_table(figures_of(task.table.columns, row, None), is_compared=False)
    return replace(table, caption=f"{table.caption}: {_called(task, row, standing)}")


def _called(task: BenchmarkTask, row: Any, standing: Standing) -> str:
    """The choice of the board that a row stands on; where it has several of the run, also which of them it is."""
    said = list(task.table.about(task.state).values())
    if sum(other.id == task.id for other, _ in standing) > 1:
        column = next(column for column in task.table.columns if column.is_name)
        said.append(visible(str(column.value(row))))
    return ", ".join(said) or task.table.kind.title


def _items(standing: Standing, result: str) -> Iterator[ShownTable]:
    """Of every row the scores of its items; no table where it has none."""
    for task, row in standing:
        labels = {column.key: column.label for column in task.table.columns}
        scores = list(item_scores(task, row, result))
        told = f"; the first {MOST_ROWS:,} of {len(scores):,} are listed" if len(scores) > MOST_ROWS else ""
        has_references = any(score.reference for score in scores)
        if scores:
            yield ShownTable(
                f"Scores by item: {_called(task, row, standing)}{told}",
                ("Item", "Figure", "Score", *(["What people said"] if has_references else [])),
                [
                    (
                        *(visible(score.item), labels[score.figure], f"{score.score:g}"),
                        *([", ".join(score.reference)] if has_references else []),
                    )
                    for score in scores[:MOST_ROWS]
                ],
            )


def _answers(store: ReviewStore, desk: Desk, tickets: Iterable[Ticket]) -> AnswerTable:
    """The answers of all files of the run, one below the other."""
    tables, left_out = [], []
    for ticket in sorted(tickets, key=lambda sent: (sent.received_at, sent.id)):
        try:
            data = store.payload(ticket.file_sha256)
        except StoreError:
            left_out.append("a file that is no longer at hand")
            continue
        if len(data) > MOST_BYTES:
            left_out.append(
                f"a file of {len(data) / 2**20:,.0f} MiB; pages show answers of up to {MOST_BYTES >> 20} MiB"
            )
            continue
        report = desk.check(
            data,
            ticket.file_name,
            edition=ticket.edition,
            names=ticket.names,
            choices=ticket.choices,
            keep_rows=True,
        )
        table = answer_table(report, partial(store.judge_name, ticket))
        if table is None:
            left_out.append("a file that this version cannot read")
            continue
        tables.append(table)
        left_out += [table.left_out] if table.left_out else []
    heads = tables[0].heads if tables else ()
    return AnswerTable(heads, [row for table in tables for row in table.rows], "; ".join(left_out))


def _shown(cell: Cell) -> str:
    return "" if cell is None else visible(beginning(cell)) if isinstance(cell, str) else f"{cell:g}"
