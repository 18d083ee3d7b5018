"""Values that the pages of Personal raters show of its state; no components, so that it is tested without a browser."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from statistics import fmean

from evaluator.personalized_evaluation.published import published_memory
from evaluator.personalized_evaluation.result import PersonalizedEvaluationResult
from evaluator.reproduce.personalized_evaluation import HEADLINES
from evaluator.results import MetricValue
from leaderboard.boards.personalized_evaluation.cache import ALL_K, EvaluatorsBoards, RatedCollection, first_k, of_k
from leaderboard.boards.personalized_evaluation.columns import CHOSEN_COLUMNS, RATED_COLUMNS, SAID_OF_SOME
from leaderboard.boards.personalized_evaluation.figures import report_figures
from leaderboard.boards.personalized_evaluation.items import (
    ANSWERED_WORDS,
    PredictedRow,
    ReadingValue,
    answered_counts,
    predicted_rows,
    reading_value,
    stored_item,
)
from leaderboard.boards.personalized_evaluation.rows import PUBLICATION, EvaluatorRow
from leaderboard.boards.personalized_evaluation.runs import EvaluatorsKind, ScoredEvaluator
from leaderboard.boards.personalized_evaluation.sentences import taste_sentence
from leaderboard.boards.personalized_evaluation.state import STATES, EvaluatorsState
from leaderboard.page.board_charts import BoardCharts
from leaderboard.page.board_table import BoardTable
from leaderboard.page.judge_card import JudgeReport, card_of_pin
from leaderboard.page.judge_quality import JudgeQualities
from leaderboard.page.links import address_of, choices_of
from leaderboard.page.registered import BoardTools
from leaderboard.page.services import Services
from leaderboard.page.state import PageState, QueueState
from leaderboard.parts.card_values import JudgeCardsValue, JudgeCardValue
from leaderboard.parts.chart import ChartRow, ChartTable, Head
from leaderboard.parts.downloads import JSON, FileValue, file_value
from leaderboard.parts.manifests import result_manifest
from leaderboard.parts.notices import NoticeValue, answers_words, notice, run_head, sent_by
from leaderboard.parts.published import awaiting_notice, published_figures, published_notice
from leaderboard.parts.tables import TableValue, table_value
from submissions.formats.personalized_evaluation.submission import PAIRS_KIND, RATINGS_KIND, PairItem, RatingItem

VIEWS: tuple[EvaluatorsKind, ...] = (RATINGS_KIND, PAIRS_KIND)

HOW_TO_SUBMIT = (
    "Show your evaluator k earlier reviews of a reader and let it predict the reader's score of a new text, or which "
    "of two texts the reader prefers: one item per prediction. Leave every answer null to let the judge of this site "
    "answer, if it is a language model."
)


class EvaluatorsScreen:
    """Page state -> values of the page's components."""

    @classmethod
    def of(cls, tools: BoardTools) -> EvaluatorsScreen:
        """Of the site that the tools are of."""
        return cls(tools.services, tools.shared(EvaluatorsBoards.of), tools.report_of, tools.qualities)

    def __init__(
        self,
        services: Services,
        boards: EvaluatorsBoards,
        report_of: JudgeReport,
        qualities: JudgeQualities,
    ) -> None:
        self._services = services
        self._boards = boards
        self._report_of = report_of
        self._qualities = qualities
        # The items of one run may be many: the ones last looked at are kept.
        self._result = lru_cache(maxsize=2)(self._loaded)
        self.tables = {kind: self._table(kind) for kind in VIEWS}
        """The table of either board."""
        self.charts = {kind: BoardCharts(table, boards.stamp) for kind, table in self.tables.items()}

    def _table(self, kind: EvaluatorsKind) -> BoardTable[EvaluatorRow, EvaluatorsState]:
        return BoardTable(
            STATES[kind],
            all_rows=lambda state: self._rows(kind, state),
            caption=lambda state: self._caption(kind, state),
            empty=lambda state: "Awaiting first submission.",
            about=lambda state: self._about(kind, state),
            completed=lambda state: self._completed(kind, state),
        )

    # Choices

    def completed(self, state: EvaluatorsState) -> EvaluatorsState:
        """The state with a collection and a k: those that most runs have."""
        return self._completed(view_of(state), state)

    def _completed(self, kind: EvaluatorsKind, state: EvaluatorsState) -> EvaluatorsState:
        collections = self._boards.collections(kind)
        chosen = next((collection for collection in collections if collection.id == state.collection), collections[0])
        ks = {ALL_K, *map(str, chosen.ks)}
        return replace(state, collection=chosen.id, k=state.k if state.k in ks else first_k(chosen))

    def understood(self, state: EvaluatorsState) -> tuple[EvaluatorsState, tuple[str, ...]]:
        """The state of a link, and what of it is unknown here: with the board, the data and the k of the opened row."""
        run = self._boards.run(state.evaluator)
        if run is not None:
            if run.kind != state.tab:  # the other page shows it
                state = replace(
                    STATES[run.kind](), **{name: getattr(state, name) for name in choices_of(EvaluatorsState)}
                )
            return replace(state, collection=run.collection, k=str(run.k)), ()
        completed = self.completed(state)
        asked = {"collection": state.collection, "k": state.k}
        notes = tuple(
            f"The link's {name} ({value[:40]}) is unknown here and was ignored."
            for name, value in asked.items()
            if value and value != getattr(completed, name)
        )
        return completed, notes

    def collection_choices(self, state: EvaluatorsState) -> list[tuple[str, str]]:
        """Data to look at: words, id."""
        return [(collection.label, collection.id) for collection in self._boards.collections(view_of(state))]

    def k_choices(self, state: EvaluatorsState) -> list[tuple[str, str]]:
        """Numbers of reviews shown: words, choice."""
        ks = [(str(k), str(k)) for k in self._collection(view_of(state), state).ks]
        return [*ks, ("all", ALL_K)]

    def collections(self, kind: EvaluatorsKind) -> tuple[RatedCollection, ...]:
        """Every data set of a board."""
        return self._boards.collections(kind)

    def _collection(self, kind: EvaluatorsKind, state: EvaluatorsState) -> RatedCollection:
        completed = self._completed(kind, state)
        collection = self._boards.collection(kind, completed.collection)
        return collection or self._boards.collections(kind)[0]

    def _rows(self, kind: EvaluatorsKind, state: EvaluatorsState) -> tuple[EvaluatorRow, ...]:
        completed = self._completed(kind, state)
        return of_k(self._boards.rows(kind, completed.collection), completed.k)

    def _caption(self, kind: EvaluatorsKind, state: EvaluatorsState) -> str:
        completed, collection = self._completed(kind, state), self._collection(kind, state)
        if not collection.runs:
            return f"{collection.label}, as printed; higher is better"
        shown = "every k, ranked within each" if completed.k == ALL_K else f"k = {completed.k}"
        return f"{collection.label}; {shown}. With 95% intervals over readers, higher is better"

    def _about(self, kind: EvaluatorsKind, state: EvaluatorsState) -> dict[str, str]:
        completed, collection = self._completed(kind, state), self._collection(kind, state)
        return {"dataset": collection.dataset, "collection": completed.collection, "k": completed.k}

    # The board

    def state_notice(self, state: EvaluatorsState) -> NoticeValue | None:
        """Why the board says little, and what to do; None where it speaks for itself."""
        runs = [row for row in self._rows(view_of(state), state) if row.is_entry]
        if not runs:
            dataset = self._collection(view_of(state), state).dataset
            return awaiting_notice(PUBLICATION, dataset, HOW_TO_SUBMIT, address_of(PageState(tab="submit")))
        if not any(row.rank for row in runs):
            return notice("plain", "No row is ranked here; each says why in its note.")
        return None

    def is_empty(self, state: EvaluatorsState) -> bool:
        """Has nobody predicted anything of this kind?"""
        return not any(collection.runs for collection in self._boards.collections(view_of(state)))

    def printed_table(self, state: EvaluatorsState) -> TableValue | None:
        """What the paper prints besides its rows, below data that it alone reports on; None where there is none."""
        kind = view_of(state)
        if kind != PAIRS_KIND or self._collection(kind, state).runs:
            return None
        heads: tuple[Head, ...] = (
            ("form of the synopses", "text"),
            ("accuracy", "decimal"),
            ("consistency", "decimal"),
            ("bias to the first", "signed"),
            ("share of the comparisons", "percent"),
        )
        rows = tuple(
            ChartRow(str(place), row.group, (row.form, row.accuracy, row.consistency, row.bias_first, row.share))
            for place, row in enumerate(published_memory())
        )
        caption = f"GPT-4 comparing two films it may remember: {PUBLICATION.mark} ({PUBLICATION.short}, Table 8)"
        return ChartTable("Films", heads, rows).value(caption)

    # One row

    def _run(self, state: EvaluatorsState) -> ScoredEvaluator | None:
        """The run of the opened row; None where none is open, or it is gone."""
        run = self._boards.run(state.evaluator)
        return run if run is not None and run.kind == view_of(state) else None

    def has_items(self, state: EvaluatorsState) -> bool:
        """Is the opened row one of a submission, whose items can be read?"""
        return self._run(state) is not None

    def _loaded(self, ticket_id: str, stamp: str) -> PersonalizedEvaluationResult | None:
        return self._boards.result(ticket_id)

    def _whole(self, run: ScoredEvaluator | None) -> PersonalizedEvaluationResult | None:
        return self._result(run.ticket.id, self._boards.stamp()) if run else None

    def row_notice(self, state: EvaluatorsState) -> NoticeValue | None:
        """The head of the opened row, or that there is none to open."""
        if not state.evaluator:
            return None
        rows = self._boards.rows(view_of(state), self.completed(state).collection)
        row = next((row for row in rows if row.id == state.evaluator), None)
        run = self._run(state)
        if run is not None:
            kind = self.tables[view_of(state)].kind
            return _head(run, (taste_sentence(row), f"{kind.said_of(row)}.") if row else ())
        if row is not None:
            if row.published:
                columns = [column for column in self.tables[view_of(state)].columns if column.key != "k"]
                figures = published_figures(columns, row)  # the title says k
                note = f"{row.note[:1].upper()}{row.note[1:]}."
                return published_notice(PUBLICATION, row.label, taste_sentence(row), figures, note)
            lines = (f"{row.label}: {row.note}.", "It has no items of its own to show.")
            return notice("plain", "A reference: no evaluator.", *lines)
        return notice(
            "warning",
            "This row is not on the board.",
            "It was withdrawn, or the link is mistyped; go back to the board.",
        )

    def figures_table(self, state: EvaluatorsState) -> TableValue | None:
        """Every figure of the opened run."""
        run = self._run(state)
        if run is None:
            return None
        rows = tuple(
            ChartRow(str(number), name, (value, words))
            for number, (name, value, words) in enumerate(report_figures(run.report, run.headline))
        )
        table = ChartTable("Figure", (("Value", "interval"), ("What it rests on", "text")), rows)
        return table.value("Every figure of this run")

    def cards(self, state: EvaluatorsState) -> JudgeCardsValue | None:
        """The card of the local judge that answered the opened run."""
        run = self._run(state)
        card = self._card(run) if run else None
        return {"cards": [card]} if card else None

    def _card(self, run: ScoredEvaluator) -> JudgeCardValue | None:
        judge = run.result.judge
        if judge is None:
            return None
        whole = self._whole(run)
        columns = (whole.ratings or whole.pairs) if whole else None
        masses = [mass for mass in (columns.label_mass if columns else ()) if mass is not None]
        return card_of_pin(
            judge,
            MetricValue(value=None, n=0, reason="each reader is predicted alone"),
            quality=self._qualities.of(judge),
            bias=self._report_of(judge),
            mass=MetricValue(value=fmean(masses), n=len(masses)) if masses else None,
            people=self._qualities.checked_by_people(judge),
            canary=self._qualities.canary(judge),
        )

    def manifest(self, state: EvaluatorsState) -> FileValue | None:
        """The manifest of the opened run; None where none is open."""
        run = self._run(state)
        result = self._services.store.result(run.ticket.id) if run else None
        if run is None or result is None:
            return None
        headline = {"figure": HEADLINES[run.kind], **run.headline.model_dump(mode="json")}
        body = {**result_manifest(run.ticket, result), "headline": headline}
        text = json.dumps(body, ensure_ascii=False, indent=1) + "\n"
        return file_value(f"plumbline-manifest-{run.ticket.id}.json", JSON, text)

    # Its items

    def answered_choices(self, state: EvaluatorsState) -> list[tuple[str, str]]:
        """Ways of answering one can choose, with how often they occur."""
        result = self._open(self._run(state))
        if result is None:
            return [("all", "")]
        counts = answered_counts(result)
        chosen = {state.answered: 0} if state.answered and state.answered not in counts else {}
        return [
            (f"all ({result.report['n']})", ""),
            *((f"{ANSWERED_WORDS.get(name, name)} ({number})", name) for name, number in (counts | chosen).items()),
        ]

    def items_table(self, state: EvaluatorsState) -> TableValue | None:
        """The predictions of the opened row; None before its answers are public, which they are."""
        run = self._run(state)
        result = self._open(run)
        if run is None or result is None:
            return None
        rows: list[PredictedRow] = predicted_rows(result, state.answered)
        columns = RATED_COLUMNS if run.kind == RATINGS_KIND else CHOSEN_COLUMNS
        return table_value(
            rows,
            [column for column in columns if column.key not in SAID_OF_SOME or any(map(column.value, rows))],
            caption="Predictions, worst first; open one to read its texts",
            leads=("", "gold", "predicted", "swapped"),
            empty="This row has no such item; choose others.",
            page=state.table.page,
        )

    def reading(self, state: EvaluatorsState) -> ReadingValue | None:
        """The opened item with its texts."""
        run = self._run(state) if state.reading.isascii() and state.reading.isdigit() else None
        result = self._open(run)
        if run is None or result is None:
            return None
        place = int(state.reading)
        item = self._stored(run, place)
        return None if item is None else reading_value(result, place, item, self._card(run))

    def _open(self, run: ScoredEvaluator | None) -> PersonalizedEvaluationResult | None:
        """The result item by item; None before the answers are public."""
        return self._whole(run) if run is not None and run.ticket.shows_answers else None

    def _stored(self, run: ScoredEvaluator, place: int) -> RatingItem | PairItem | None:
        ticket = run.ticket
        data = self._services.store.payload(ticket.file_sha256)
        return stored_item(data, ticket.file_name, ticket.names, self._services.desk.prompt_sets, place)

    def reading_notice(self, state: EvaluatorsState, reading: ReadingValue | None) -> NoticeValue | None:
        """Says that the opened item cannot be shown."""
        if not state.reading or reading is not None:
            return None
        return notice("warning", "This item is missing.", "The run has no such item, or its file was withdrawn.")


def view_of(state: EvaluatorsState) -> EvaluatorsKind:
    """Which of the two boards a state is of; ratings where it is of another page."""
    return next((kind for kind in VIEWS if kind == state.tab), RATINGS_KIND)


def _head(run: ScoredEvaluator, said: tuple[str, ...]) -> NoticeValue:
    report = run.report
    return run_head(
        f"{run.name}, k = {run.k}",
        [
            *said,
            sent_by(run.ticket.names),
            f"{report['n']:,} items of {run.n_reviewers:,} readers, {report['answered']:,} answered.",
            answers_words(run.ticket),
        ],
        [
            f"Data set {run.result.dataset}, collection {run.collection}.",
            f"SHA-256 of the file {run.ticket.file_sha256}.",
        ],
        link=address_of(QueueState(ticket=run.ticket.id)),
    )
