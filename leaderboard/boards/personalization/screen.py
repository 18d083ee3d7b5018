"""Values that the Personalization page shows of its state; no components, so that it is tested without a browser."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from evaluator.results import MetricValue, PersonalizationGroup, PersonalizationResult
from leaderboard.boards.personalization.cache import (
    PersonalizationBoard,
    PersonalizationBoards,
    dataset_label,
    first_choice,
)
from leaderboard.boards.personalization.charts import CHARTS
from leaderboard.boards.personalization.columns import EXAMPLE_COLUMNS, GROUP_COLUMNS
from leaderboard.boards.personalization.examples import (
    OUTCOME_WORDS,
    RULE_WORDS,
    ExampleValue,
    example_rows,
    example_value,
    outcome_counts,
    stored_row,
)
from leaderboard.boards.personalization.kind import PERSONALIZATION
from leaderboard.boards.personalization.published import PUBLICATION, published_datasets
from leaderboard.boards.personalization.rows import ScoredRun, pooled_datasets, pooled_name, run_row
from leaderboard.boards.personalization.sentences import lost_answers_sentence
from leaderboard.boards.personalization.state import PersonalizationState
from leaderboard.page.board_charts import BoardCharts
from leaderboard.page.board_table import BoardTable
from leaderboard.page.judge_card import JudgeReport, card_of_pin
from leaderboard.page.judge_quality import JudgeQualities
from leaderboard.page.links import address_of, ignored
from leaderboard.page.measured import ORIGIN
from leaderboard.page.registered import BoardTools
from leaderboard.page.services import Services
from leaderboard.page.state import PageState, QueueState
from leaderboard.parts.card_values import JudgeCardsValue, JudgeCardValue
from leaderboard.parts.chart import ChartRow, ChartSheet, ChartsValue, ChartTable, Head
from leaderboard.parts.notices import NoticeValue, answers_words, notice, run_head, sent_by
from leaderboard.parts.published import awaiting_notice, published_figures, published_notice
from leaderboard.parts.tables import TableValue, table_value
from leaderboard.parts.visible_text import visible
from submissions.formats.personalization.submission import PersonalizedRow, Setting
from submissions.store.queue import Ticket

SETTING_LABELS: dict[Setting, str] = {
    "relevant": "one relevant",
    "irrelevant": "irrelevant only",
    "mixed": "one relevant among others",
    "none": "none (controls)",
}
"""Which preferences were shown."""

HOW_TO_SUBMIT = (
    "Answer every question once without preferences (the control) and once with them, with the options in the same "
    "order.",
    "Write one row per answer, with the question, its options, the right letter, the preferences as shown, and both "
    "texts; the command python -m submissions template --set personalization prints an example.",
    "On the Submit page, drop the file: checking is free, and nothing becomes public before you submit.",
)


class PersonalizationScreen:
    """Page state -> values of the page's components."""

    @classmethod
    def of(cls, tools: BoardTools) -> PersonalizationScreen:
        """Of the site that the tools are of."""
        return cls(tools.services, tools.shared(PersonalizationBoards.of), tools.report_of, tools.qualities)

    def __init__(
        self,
        services: Services,
        boards: PersonalizationBoards,
        report_of: JudgeReport,
        qualities: JudgeQualities,
    ) -> None:
        self._services = services
        self._boards = boards
        self._report_of = report_of
        self._qualities = qualities
        # The answers of one run may be many: the ones last looked at are kept.
        self._result = lru_cache(maxsize=2)(self._loaded)
        self.board = BoardTable(
            PersonalizationState,
            all_rows=lambda state: self._board(state).rows,
            caption=self._caption,
            empty=lambda state: "Awaiting first submission under these preferences on these data sets.",
            about=lambda state: {"dataset": self.completed(state).dataset, "setting": state.setting},
            completed=self.completed,
        )
        self.board_charts = BoardCharts(self.board, boards.stamp)

    # Choices

    def dataset_ids(self) -> tuple[str, ...]:
        """Choices of data sets a link may name."""
        return self._boards.datasets()

    def dataset_choices(self) -> list[tuple[str, str]]:
        """Choices of data sets: words, id."""
        return [(dataset_label(dataset), dataset) for dataset in self.dataset_ids()]

    def setting_choices(self) -> list[tuple[str, str]]:
        """Settings: words, id."""
        return [(label, setting) for setting, label in SETTING_LABELS.items()]

    def shown_words(self, state: PersonalizationState) -> str:
        """Which rows are shown, said by the drawer that chooses them."""
        return f"Showing {SETTING_LABELS[state.setting]}, {dataset_label(state.dataset)}"

    def completed(self, state: PersonalizationState) -> PersonalizationState:
        """The state with data sets: those that most runs have answered."""
        if state.dataset in self.dataset_ids():
            return state
        return replace(state, dataset=first_choice(self._boards))

    def understood(self, state: PersonalizationState) -> tuple[PersonalizationState, list[str]]:
        """The state of a link with data sets, and with preferences that the opened row was answered under, and what of
        it is unknown here, in words."""
        is_known = not state.dataset or state.dataset in self.dataset_ids()
        notes = [] if is_known else [ignored("dataset", state.dataset)]
        state = self.completed(state)
        run = self._run(state)
        return (state if run is None else _fitting(state, run)), notes

    def _board(self, state: PersonalizationState) -> PersonalizationBoard:
        completed = self.completed(state)
        return self._boards.board(completed.setting, completed.dataset)

    def _caption(self, state: PersonalizationState) -> str:
        state = self.completed(state)
        errors = (row.metrics["robustness_error"] for row in self._board(state).rows)
        # What was printed has none.
        has_intervals = any(isinstance(error, MetricValue) and error.low is not None for error in errors)
        intervals = " with 95% intervals" if has_intervals else ""
        shown = f"{dataset_label(state.dataset)}; preferences: {SETTING_LABELS[state.setting]}"
        return f"{shown}. In percent{intervals}, lower is better"

    # The board

    def state_notice(self, state: PersonalizationState) -> NoticeValue | None:
        """Why the board says little, and what to do; None where it speaks for itself."""
        board = self._board(state)
        runs = board.runs
        if not runs:
            submit = address_of(PageState(tab="submit"))
            if any(row.published for row in board.rows):
                said = awaiting_notice(PUBLICATION, dataset_label(board.dataset), HOW_TO_SUBMIT[0], submit)
                return {**said, "lines": [*said["lines"], *self._recorded_elsewhere()]}
            return {
                "kind": "plain",
                "title": "Awaiting first submission in this view. How to submit answers under preferences:",
                "lines": list(HOW_TO_SUBMIT),
                "link": submit,
                "link_text": "Go to Submit",
            }
        if not any(row.rank for row in runs):
            return notice("plain", "No row is ranked in this view; each says why in its note.", *self._elsewhere(board))
        return None

    def _recorded_elsewhere(self) -> list[str]:
        """Where what we recorded ourselves stands, beside a view of published figures alone."""
        runs = {run.ticket.names.system: run for run in self._boards.runs() if run.ticket.role in ORIGIN}
        return [
            f"Answers of {visible(system)} ({ORIGIN[run.ticket.role]}) are on other questions: choose "
            f"“{dataset_label(run.result.groups[0].dataset)}” under Data sets."
            for system, run in runs.items()
            if system
        ]

    def _elsewhere(self, board: PersonalizationBoard) -> list[str]:
        """Where the paper's figures stand, in a view that has none."""
        if any(row.published for row in board.rows):
            return []
        pooled = dataset_label(pooled_name(published_datasets()))
        return [f"The paper's figures are on other questions: choose “{pooled}” under Data sets."]

    def has_charts(self, state: PersonalizationState) -> bool:
        """Is there anything to draw?"""
        return any(not row.is_null for row in self._board(state).rows)

    def charts_marker(self, state: PersonalizationState) -> str:
        """Changes whenever the charts have to be drawn anew."""
        state = self.completed(state)
        return " ".join([self._boards.stamp(), state.setting, state.dataset, str(state.is_dark)])

    def charts_value(self, state: PersonalizationState) -> ChartsValue:
        """All charts besides those of the rows."""
        return ChartSheet(CHARTS, "personalization-").value(self._board(state), is_dark=state.is_dark)

    # One row

    def _run(self, state: PersonalizationState) -> ScoredRun | None:
        """The run of the opened row; None where none is open, or it is gone."""
        ticket_id = state.answers.partition("/")[0]
        return next((run for run in self._boards.runs() if run.ticket.id == ticket_id), None) if ticket_id else None

    def has_answers(self, state: PersonalizationState) -> bool:
        """Is the opened row one of a submission, whose answers can be read?"""
        return self._run(state) is not None

    def _loaded(self, ticket_id: str, stamp: str) -> PersonalizationResult | None:
        return self._boards.result(ticket_id)

    def _whole(self, run: ScoredRun) -> PersonalizationResult | None:
        return self._result(run.ticket.id, self._boards.stamp())

    def row_notice(self, state: PersonalizationState) -> NoticeValue | None:
        """The head of the opened row, or that there is none to open."""
        if not state.answers:
            return None
        run = self._run(state)
        if run is not None:
            rows = (row for row in self._board(state).rows if row.id == state.answers)
            said = [line for row in rows for line in (lost_answers_sentence(row), f"{PERSONALIZATION.said_of(row)}.")]
            return _head(run, state, said)
        if state.answers.startswith("published/"):
            rows, columns = (row for row in self._board(state).rows if row.id == state.answers), self.board.columns
            return published_notice(
                PUBLICATION,
                state.answers.removeprefix("published/").replace("/", " · "),
                *(line for row in rows for line in (lost_answers_sentence(row), published_figures(columns, row))),
                "From the paper that introduced the measure; another judge rated the answers, and the answers "
                "themselves are not here.",
            )
        if state.answers.startswith("null/"):
            return notice("plain", "A baseline: not a system.", "It shows what answers score that ignore preferences.")
        return notice(
            "warning",
            "This row is not on the board.",
            "A newer run took its place, it was withdrawn, or the link is mistyped.",
        )

    def groups_table(self, state: PersonalizationState) -> TableValue | None:
        """Every group of the opened run."""
        run = self._run(state)
        if run is None:
            return None
        rows = [
            replace(run_row(run, group), id=f"{group.setting}/{group.dataset}/{group.method}")
            for group in _shown_groups(run)
        ]
        return table_value(
            rows, GROUP_COLUMNS, caption="Everything this run was scored on, in percent", empty="", opens=False
        )

    def groups_label(self, groups: TableValue | None) -> str:
        """What stands on the fold around them: how many there are."""
        words = "Everything this run was scored on"
        count = len(groups["rows"]) if groups else 0
        return f"{words} ({count} {'group' if count == 1 else 'groups'})" if count else words

    def rules_table(self, state: PersonalizationState) -> TableValue | None:
        """How the letters of the opened run were found."""
        run = self._run(state)
        if run is None:
            return None
        groups = [group for group in _shown_groups(run) if group.rules]
        rules = [rule for rule in RULE_WORDS if any(rule in group.rules for group in groups)]
        heads: tuple[Head, ...] = (
            ("setting", "text"),
            ("method", "text"),
            *((RULE_WORDS[rule], "percent") for rule in rules),
        )
        rows = tuple(
            ChartRow(
                f"{group.setting}/{group.dataset}/{group.method}",
                group.dataset,
                (group.setting, group.method, *(group.rules.get(rule or "", 0.0) for rule in rules)),
            )
            for group in groups
        )
        return ChartTable("Data set", heads, rows).value("How the letters were found")

    def cards(self, state: PersonalizationState) -> JudgeCardsValue | None:
        """The card of the judge that rated the opened run."""
        run = self._run(state)
        return None if run is None else {"cards": [self._card(run)]}

    def _card(self, run: ScoredRun) -> JudgeCardValue:
        judge = run.result.judge
        no_gap = MetricValue(value=None, n=0, reason="each answer is rated once, alone")
        card = card_of_pin(
            judge,
            no_gap,
            quality=self._qualities.of(judge),
            bias=self._report_of(judge),
            mass=self._mass(run),
            people=self._qualities.checked_by_people(judge),
            canary=self._qualities.canary(judge),
        )
        if run.result.judge_reason is not None:
            said = f"This judge does not rate whether preferences are followed: that {run.result.judge_reason}."
            card["notes"] = [said, *card["notes"]]
        return card

    def _mass(self, run: ScoredRun) -> MetricValue | None:
        result = self._whole(run)
        masses = [mass for mass in (result.outcomes.label_mass if result else ()) if mass is not None]
        return MetricValue(value=sum(masses) / len(masses), n=len(masses)) if masses else None

    # Its examples

    def outcome_choices(self, state: PersonalizationState) -> list[tuple[str, str]]:
        """Outcomes one can choose, with how often they occur."""
        run = self._run(state)
        result = self._open(run)
        if result is None:
            return [("all", "")]
        state = self.completed(state)
        counts = outcome_counts(
            result.outcomes,
            method=_method(state),
            setting=state.setting,
            datasets=pooled_datasets(state.dataset),
        )
        chosen = {state.outcome: 0} if state.outcome and state.outcome not in counts else {}
        return [
            (f"all ({sum(counts.values())})", ""),
            *((f"{OUTCOME_WORDS[name]} ({number})", name) for name, number in (counts | chosen).items()),
        ]

    def examples_table(self, state: PersonalizationState) -> TableValue | None:
        """The answers of the opened row; None before they are public: their letters say what was answered."""
        run = self._run(state)
        result = self._open(run)
        if result is None:
            return None
        state = self.completed(state)
        rows = example_rows(
            result.outcomes,
            method=_method(state),
            setting=state.setting,
            datasets=pooled_datasets(state.dataset),
            outcome=state.outcome,
        )
        return table_value(
            rows,
            EXAMPLE_COLUMNS,
            caption=f"Answers, preferences: {SETTING_LABELS[state.setting]}; open one to read its texts",
            leads=("", "outcome"),
            empty="This row has no such answer; choose another outcome or setting.",
            page=state.table.page if state.answers else 1,
        )

    def example(self, state: PersonalizationState) -> ExampleValue | None:
        """The opened example with its texts."""
        run = self._run(state) if state.example.isascii() and state.example.isdigit() else None
        result = self._open(run)
        if run is None or result is None:
            return None
        number = int(state.example)
        answer = self._stored(run.ticket, result, number)
        return None if answer is None else example_value(result, number, answer, self._card(run))

    def _open(self, run: ScoredRun | None) -> PersonalizationResult | None:
        """The result row by row; None before the answers are public."""
        return self._whole(run) if run is not None and run.ticket.shows_answers else None

    def _stored(self, ticket: Ticket, result: PersonalizationResult, number: int) -> PersonalizedRow | None:
        data = self._services.store.payload(ticket.file_sha256)
        return stored_row(
            data, ticket.file_name, ticket.names, self._services.desk.prompt_sets, result.outcomes, number
        )

    def example_notice(self, state: PersonalizationState, example: ExampleValue | None) -> NoticeValue | None:
        """Says that the opened example cannot be shown."""
        if not state.example or example is not None:
            return None
        return notice("warning", "This example is missing.", "The run has no such row, or its file was withdrawn.")


def _fitting(state: PersonalizationState, run: ScoredRun) -> PersonalizationState:
    """Setting and data sets the opened run has: those chosen where it has them."""
    method = _method(state)
    groups = [group for group in _shown_groups(run) if method in ("", group.method)]
    if any(run.group(group.method, state.setting, state.dataset) for group in groups):
        return state
    of_setting = [group for group in groups if group.setting == state.setting] or groups
    if not of_setting:
        return state
    group = max(of_setting, key=lambda group: (len(group.datasets), group.setting != "none"))
    dataset = "full." + ".".join(group.datasets) if len(group.datasets) > 1 else group.datasets[0]
    return replace(state, setting=group.setting, dataset=dataset)


def _shown_groups(run: ScoredRun) -> list[PersonalizationGroup]:
    """The groups of a run in the order of settings; those that pool one data set only say it twice."""
    shown = [group for group in run.result.groups if group.dataset != "full" or len(group.datasets) > 1]
    order = ("relevant", "mixed", "irrelevant", "none")
    return sorted(shown, key=lambda group: (order.index(group.setting), group.dataset, group.method))


def _method(state: PersonalizationState) -> str:
    return state.answers.partition("/")[2]


def _head(run: ScoredRun, state: PersonalizationState, said: list[str]) -> NoticeValue:
    method = _method(state)
    counts = (
        f"{sum(group.n_rows for group in _shown_groups(run) if len(group.datasets) == 1)} answers, controls included"
    )
    return run_head(
        f"{run.name}{f' · {method}' if method else ''}",
        [*said, sent_by(run.ticket.names), f"{counts}.", answers_words(run.ticket)],
        [f"Profile {run.result.profile}.", f"SHA-256 of the file {run.ticket.file_sha256}."],
        link=address_of(QueueState(ticket=run.ticket.id)),
    )
