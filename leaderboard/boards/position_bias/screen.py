"""Values that the Judges page shows of its state; no components, so that it is tested without a browser."""

from __future__ import annotations

from dataclasses import replace

from leaderboard.boards.position_bias.cache import JudgeBoard, JudgeBoards
from leaderboard.boards.position_bias.cards import card_of_row
from leaderboard.boards.position_bias.charts import charts
from leaderboard.boards.position_bias.columns import MODEL_COLUMNS, TASK_COLUMNS
from leaderboard.boards.position_bias.kind import JUDGES
from leaderboard.boards.position_bias.published import provenance_lines, publication_of_judges
from leaderboard.boards.position_bias.rows import JudgeRow, group_rows
from leaderboard.boards.position_bias.sentences import judge_sentence
from leaderboard.boards.position_bias.state import JudgesState
from leaderboard.page.board_charts import BoardCharts
from leaderboard.page.board_table import BoardTable
from leaderboard.page.judge_boards import MEASURED_BEFORE, address_of_measured
from leaderboard.page.judge_effects import effects_sentence
from leaderboard.page.judge_quality import JudgeQualities
from leaderboard.page.links import address_of, ignored
from leaderboard.page.quality_chart import CALIBRATION
from leaderboard.page.registered import BoardTools
from leaderboard.page.state import PageState, QueueState
from leaderboard.parts.card_values import JudgeCardsValue
from leaderboard.parts.chart import Chart, ChartSheet, ChartsValue
from leaderboard.parts.notices import NoticeValue, notice, run_head
from leaderboard.parts.published import awaiting_notice, published_notice
from leaderboard.parts.tables import TableValue, table_value

HOW_TO_SUBMIT = (
    "Run every comparison twice, with the two answers in both places, and keep each verdict as A (the answer shown "
    "first is better), B (the one shown second), C (tie) or N (no usable verdict).",
    "Write a CSV with the columns judge, benchmark, task, model, query, order (original or swapped) and verdict; "
    "repetition and raw_text are optional.",
    "On the Submit page, say what the judges could answer and drop the file: checking is free, and nothing becomes "
    "public before you submit.",
)


class JudgesScreen:
    """Page state -> values of the page's components."""

    @classmethod
    def of(cls, tools: BoardTools) -> JudgesScreen:
        """Of the site that the tools are of."""
        return cls(tools.shared(JudgeBoards.of), tools.qualities)

    def __init__(self, boards: JudgeBoards, qualities: JudgeQualities) -> None:
        self._boards = boards
        self._qualities = qualities
        self.board = BoardTable(
            JudgesState,
            all_rows=lambda state: [self._measured(row) for row in self._board(state).rows],
            caption=lambda state: (
                f"{self._board(state).key.title}: consistency 0-1 with 95% interval, higher is better"
            ),
            empty=lambda state: "Awaiting first submission of verdicts on this benchmark.",
            about=lambda state: {"benchmark": state.benchmark},
            completed=self.completed,
        )
        self.board_charts = BoardCharts(self.board, boards.stamp)

    def benchmark_ids(self) -> tuple[str, ...]:
        """Boards a link may name."""
        return tuple(self._boards.boards())

    def benchmark_choices(self) -> list[tuple[str, str]]:
        """Boards one can choose: title, id."""
        return [(board.key.title, id_) for id_, board in self._boards.boards().items()]

    def completed(self, state: JudgesState) -> JudgesState:
        """The state with a board: the first one that ranks a judge, else the first one with any row."""
        boards = self._boards.boards()
        if state.benchmark in boards:
            return state
        ranking = (id_ for id_, board in boards.items() if any(row.rank for row in board.rows))
        filled = (id_ for id_, board in boards.items() if board.rows)
        return replace(state, benchmark=next(ranking, None) or next(filled, None) or next(iter(boards)))

    def understood(self, state: JudgesState) -> tuple[JudgesState, list[str]]:
        """The state of a link with a board, and what of it is unknown here, in words."""
        is_known = not state.benchmark or state.benchmark in self.benchmark_ids()
        return self.completed(state), [] if is_known else [ignored("benchmark", state.benchmark)]

    def _board(self, state: JudgesState) -> JudgeBoard:
        return self._boards.boards()[self.completed(state).benchmark]

    def _measured(self, row: JudgeRow) -> JudgeRow:
        """The row with its agreement with our labelled pairs, where it was measured."""
        quality = self._qualities.of(row.judge)
        return replace(row, agreement=quality.quality.auc) if quality else row

    def state_notice(self, state: JudgesState) -> NoticeValue | None:
        """Why the board says little or nothing, and what to do; None where it speaks for itself."""
        board = self._board(state)
        entries = board.entries
        if not entries:
            if not board.judges:
                return _how_to_submit(board)
            submit = address_of(PageState(tab="submit"))
            said = awaiting_notice(publication_of_judges(), board.key.title, HOW_TO_SUBMIT[0], submit)
            effects = effects_sentence((row.effects for row in board.rows), has_labels=False)
            cited, *how = said["lines"]
            return said | {"lines": [cited, *filter(None, [effects]), *how]}
        if not any(row.count("n_pairs") for row in entries):
            return notice(
                "warning",
                "Consistency needs both orders; only one was run.",
                "Position bias shows when the same two answers swap places. Run every comparison in both orders and "
                "submit the table again.",
            )
        if not any(row.count("n_valid") for row in entries):
            return notice(
                "warning",
                "No pair has two usable verdicts, so there is no figure to show.",
                "Every pair holds a verdict N. Check the verdict format: A and B name the place, not the candidate.",
            )
        if len(board.judges) == 1:
            return notice("plain", "One judge: nothing to compare it with, so there is no agreement.")
        return None

    def opened(self, state: JudgesState) -> JudgeRow | None:
        """The opened row; None when none is open or it is gone."""
        return self._board(state).row(state.judge) if state.judge else None

    def judge_notice(self, state: JudgesState) -> NoticeValue | None:
        """Says that the opened judge is not on this board, or leads to the ticket of its table."""
        if not state.judge:
            return None
        if state.judge.startswith(MEASURED_BEFORE):
            return _moved(state.judge)
        row = self.opened(state)
        if row is None:
            return notice(
                "warning",
                "This judge is not on this board.",
                "A newer table took its place, it was withdrawn, or the link is mistyped.",
            )
        if row.published:
            return _published(row)
        return _origin(row) if row.ticket_id else notice("plain", row.name, judge_sentence(row))

    def cards(self, state: JudgesState) -> JudgeCardsValue | None:
        """The card of the opened judge."""
        row = self.opened(state)
        if row:
            people = self._qualities.checked_by_people(row.judge) if row.judge else None
            canary = self._qualities.canary(row.judge) if row.judge else ""
            return {"cards": [card_of_row(row, self._board(state).key, self._qualities.of(row.judge), people, canary)]}
        return None

    def tasks_table(self, state: JudgesState) -> TableValue | None:
        """The opened judge by task."""
        row = self.opened(state)
        if row is None or not row.by_task:
            return None
        return table_value(group_rows(row.by_task), TASK_COLUMNS, caption=f"{row.name} by task", empty="", opens=False)

    def models_table(self, state: JudgesState) -> TableValue | None:
        """The opened judge by the model that wrote the answers."""
        row = self.opened(state)
        if row is None or not row.by_model:
            return None
        return table_value(
            group_rows(row.by_model), MODEL_COLUMNS, caption=f"{row.name} by model", empty="", opens=False
        )

    def calibration(self, state: JudgesState) -> ChartsValue | None:
        """The calibration of the opened judge; None where it was not measured."""
        row = self.opened(state)
        quality = self._qualities.of(row.judge) if row else None
        return ChartSheet([CALIBRATION]).value(quality, is_dark=state.is_dark) if quality else None

    # Charts

    def has_charts(self, state: JudgesState) -> bool:
        """Is there a judge to draw?"""
        return bool(self._board(state).judges)

    def charts_marker(self, state: JudgesState) -> str:
        """Changes whenever the charts have to be drawn anew."""
        return " ".join([self._boards.stamp(), state.benchmark, state.agreement, str(state.is_dark)])

    def charts(self, state: JudgesState) -> tuple[Chart[JudgeBoard], ...]:
        """The charts as the visitor chose them."""
        return charts(state.agreement)

    def charts_value(self, state: JudgesState) -> ChartsValue:
        """All charts."""
        return ChartSheet(self.charts(state)).value(self._board(state), is_dark=state.is_dark)


def _how_to_submit(board: JudgeBoard) -> NoticeValue:
    return {
        "kind": "plain",
        "title": f"{board.key.title}: awaiting first submission. How to submit a verdict table:",
        "lines": list(HOW_TO_SUBMIT),
        "link": address_of(PageState(tab="submit")),
        "link_text": "Go to Submit",
    }


def _moved(judge: str) -> NoticeValue:
    """Where links to measured judges lead, which once stood on this page."""
    return {
        "kind": "plain",
        "title": "Judges measured on our labelled pairs have a board of their own.",
        "lines": [],
        "link": address_of_measured(judge),
        "link_text": "Which judge?",
    }


def _published(row: JudgeRow) -> NoticeValue:
    said = published_notice(publication_of_judges(), row.name, judge_sentence(row), _figures_line(row))
    return said | {"folded_title": "Where these figures come from", "folded": list(provenance_lines())}


def _figures_line(row: JudgeRow) -> str:
    pairs, valid = row.count("n_pairs"), row.count("n_valid")
    return f"{JUDGES.said_of(row)}. {pairs:,} pairs, {valid:,} usable, on {row.count('n_queries'):,} questions."


def _origin(row: JudgeRow) -> NoticeValue:
    return run_head(
        f"{row.name}{f', sent by {row.team}' if row.team else ''}",
        [judge_sentence(row), _figures_line(row)],
        [f"SHA-256 of the table {row.file_sha256}."],
        link=address_of(QueueState(ticket=row.ticket_id)),
    )
