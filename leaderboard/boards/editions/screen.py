"""What the boards of the 2025 and 2026 editions show; no components, so that no test needs a browser."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from evaluator.results import ResponseResult
from evaluator.robustness.edition_results import ConsistencyResult, CulturalResult, LanguagePair, QuestionResult
from evaluator.robustness.relevance import Relevance, pass_share
from leaderboard.boards.editions.cache import EditionBoards
from leaderboard.boards.editions.columns import (
    BASE_QUESTION_COLUMNS,
    LANGUAGE_COLUMNS,
    PAIR_COLUMNS,
    QUESTION_COLUMNS,
    BaseQuestionRow,
    LanguageRow,
    PairRow,
    QuestionRow,
)
from leaderboard.boards.editions.cultural_items import pair_id
from leaderboard.boards.editions.items import pair_ids
from leaderboard.boards.editions.manifest import edition_manifest_text
from leaderboard.boards.editions.rows import EDITION_BOARDS, SETS_OF_BOARD, EditionBoard, EditionRow, ScoredEdition
from leaderboard.boards.editions.sentences import edition_sentence
from leaderboard.boards.editions.state import STATES, LaterEditionState
from leaderboard.boards.robustness.lost_points import counted_in_full
from leaderboard.boards.robustness.perspectives import other_looks, shown_words
from leaderboard.boards.robustness.screen import order_gap_text, pin_text
from leaderboard.boards.robustness.state import EditionState
from leaderboard.page.answer_card import answer_card
from leaderboard.page.board_charts import BoardCharts
from leaderboard.page.board_table import BoardTable
from leaderboard.page.language_quality import is_measured, is_pair_judge, languages_card, pair_languages_card
from leaderboard.page.links import address_of, ignored
from leaderboard.page.registered import BoardTools
from leaderboard.page.services import Services
from leaderboard.page.state import PageState, QueueState, chosen
from leaderboard.parts.card_values import JudgeCardsValue
from leaderboard.parts.columns import text_of
from leaderboard.parts.downloads import JSON, FileValue, file_value
from leaderboard.parts.notices import NoticeValue, answers_words, run_head
from leaderboard.parts.tables import TableValue, table_value
from submissions.promptsets import DEMONSTRATION_2025, DEMONSTRATION_2026, ELOQUENT_2025, ELOQUENT_2026
from submissions.schema import Count

_CAPTIONS: dict[EditionBoard, str] = {
    "consistency": "score 0-5 with 95% interval over questions, higher is better",
    "cultural": "response to culture, -1 to 1, with 95% intervals over base questions, higher is better",
}
SET_TITLES = {
    ELOQUENT_2025: "ELOQUENT 2025",
    DEMONSTRATION_2025: "Demonstration",
    ELOQUENT_2026: "ELOQUENT 2026",
    DEMONSTRATION_2026: "Demonstration",
}
_TITLES_IN_A_SENTENCE = SET_TITLES | {
    DEMONSTRATION_2025: "our demonstration questions in the form of 2025",
    DEMONSTRATION_2026: "our demonstration questions in the form of 2026",
}
_OR_OURS = (
    "Where the edition's texts are not installed nobody is ranked on them: our demonstration questions are, with the "
    "prompt set Demonstration above, and have a template on the Submit page."
)
_HOW_TO_SUBMIT: dict[EditionBoard, tuple[str, ...]] = {
    "consistency": (
        "Send one JSON file for each language, under the same team, system, model and submissionid: they are one run.",
        "A run is ranked once two languages of at least 20 answered questions each have come.",
        _OR_OURS,
        "On the Submit page, drop a file: checking is free, and nothing becomes public before you submit.",
    ),
    "cultural": (
        "Send one zip with submission_metadata.json, and xx_unspecific.jsonl and xx_specific.jsonl for each language.",
        "A run is ranked with at least five languages of which both files are answered to 95%, where the prompts of "
        "2026 are installed.",
        _OR_OURS,
        "On the Submit page, drop the zip: checking is free, and nothing becomes public before you submit.",
    ),
}


def board_of(state: EditionState) -> EditionBoard | None:
    """Which of the two boards is looked at; None for the board of 2024."""
    return next((board for board in EDITION_BOARDS if board == state.tab), None)


class EditionsScreen:
    """Page state -> values of the components."""

    @classmethod
    def of(cls, tools: BoardTools) -> EditionsScreen:
        """Of the site that the tools are of."""
        return cls(tools.services, tools.shared(EditionBoards.of))

    def __init__(self, services: Services, boards: EditionBoards) -> None:
        self._services = services
        self._boards = boards
        self.tables = {board: self._table(board) for board in EDITION_BOARDS}
        """The table of either board."""
        self.charts = {board: BoardCharts(table, boards.marker) for board, table in self.tables.items()}

    def _table(self, board: EditionBoard) -> BoardTable[EditionRow, LaterEditionState]:
        edition = "2025" if board == "consistency" else "2026"

        def about(state: LaterEditionState) -> dict[str, str]:
            ours = {"set": state.set} if state.set in (DEMONSTRATION_2025, DEMONSTRATION_2026) else {}
            return {"edition": edition, **ours}

        return BoardTable(
            STATES[board],
            all_rows=lambda state: self._boards.rows(board, state.set),
            caption=lambda state: self._caption(board, self.completed(state).set),
            empty=lambda state: "Awaiting first submission in this edition.",
            about=about,
            details=self._details,
            completed=self.completed,
            other_views=other_looks,
            item_opened=lambda state, row, item: replace(chosen("system")(state, row), item=item),
        )

    def _caption(self, board: EditionBoard, set_id: str) -> str:
        languages = self._boards.languages(set_id) if board == "consistency" else None
        title = _TITLES_IN_A_SENTENCE[set_id]
        return f"{title[:1].upper()}{title[1:]}: {_CAPTIONS[board]}" + (f"; {languages.sentence}" if languages else "")

    def _details(self, state: LaterEditionState) -> dict[str, Any]:
        """Which language hurts most, where that is asked."""
        languages = self._boards.languages(self.completed(state).set) if state.tab == "consistency" else None
        return {"languages": languages.record} if languages else {}

    def completed(self, state: LaterEditionState) -> LaterEditionState:
        """The state with a prompt set, and that one of its edition."""
        board = board_of(state)
        if board is None or state.set in SETS_OF_BOARD[board]:
            return state
        return replace(state, set=self._boards.first_set(board))

    def closed(self, state: LaterEditionState) -> LaterEditionState:
        """The board that the opened run stands on."""
        run = self.opened(state)
        is_elsewhere = run is not None and run.ticket.set_id != self.completed(state).set
        return replace(state, system="", set=run.ticket.set_id if run and is_elsewhere else state.set)

    def set_title(self, state: EditionState) -> str:
        """What the chosen prompt set is called within a heading."""
        assert isinstance(state, LaterEditionState)
        return _TITLES_IN_A_SENTENCE[self.completed(state).set]

    def set_choices(self, board: EditionBoard) -> list[tuple[str, str]]:
        """Label and value of the prompt sets of a board."""
        return [(SET_TITLES[set_id], set_id) for set_id in SETS_OF_BOARD[board]]

    def shown_words(self, state: LaterEditionState) -> str:
        """Which rows are shown, and how, said by the drawer that chooses it."""
        return shown_words(state, [SET_TITLES[self.completed(state).set]])

    def state_notice(self, state: LaterEditionState) -> NoticeValue | None:
        """Why a board says little, and what to do; None where it speaks for itself."""
        board = board_of(state)
        if board is None or state.system:
            return None
        rows = [row for row in self._boards.rows(board, state.set) if row.role != "baseline"]
        if not rows:
            return {
                "kind": "plain",
                "title": "Awaiting first submission in this edition. How to submit a run:",
                "lines": list(_HOW_TO_SUBMIT[board]),
                "link": address_of(PageState(tab="submit")),
                "link_text": "Go to Submit",
            }
        return None

    # One run

    def understood(self, state: LaterEditionState) -> tuple[LaterEditionState, list[str]]:
        """The state without a prompt set that the edition does not have, and without a question or pair that the opened
        run does not have; what was left out, in words."""
        board = board_of(state)
        is_known = not state.set or board is None or state.set in SETS_OF_BOARD[board]
        unknown = [] if is_known else [ignored("set", state.set)]
        state = state if is_known else replace(state, set="")
        run = self.opened(state)
        if run is None:
            return state, unknown
        items, pairs = _parts(run.result, state.item)
        known = {"item": state.item if state.item in items else "", "pair": state.pair if state.pair in pairs else ""}
        notes = [ignored(name, getattr(state, name)) for name, value in known.items() if getattr(state, name) != value]
        return replace(state, item=known["item"], pair=known["pair"]), unknown + notes

    def opened(self, state: LaterEditionState) -> ScoredEdition | None:
        """The opened run; None where none is open, or it has no result on this board."""
        board = board_of(state)
        run = self._boards.run(state.system) if board and state.system else None
        return run if run is not None and run.result.board == board else None

    def run_notice(self, state: LaterEditionState) -> NoticeValue | None:
        """The head of the opened run, or that there is none to open."""
        if board_of(state) is None or not state.system:
            return None
        run = self.opened(state)
        if run is None:
            return {
                "kind": "warning",
                "title": "This submission has no result to show.",
                "lines": ["It was withdrawn, is still being judged, or the link is mistyped. The queue says which."],
                "link": address_of(QueueState(ticket=state.system)),
                "link_text": "Look it up in the queue",
            }
        return _head(run)

    def manifest(self, state: LaterEditionState) -> FileValue | None:
        """What rebuilds the figures of the opened run; None where none is open."""
        run = self.opened(state)
        result = self._services.store.result(run.ticket.id) if run else None
        if run is None or result is None:
            return None
        return file_value(f"plumbline-manifest-{run.ticket.id}.json", JSON, edition_manifest_text(run, result))

    def languages_table(self, state: LaterEditionState) -> TableValue | None:
        """The languages of the opened run."""
        run = self.opened(state)
        if run is None:
            return None
        rows = languages_2025(run.result) if isinstance(run.result, ConsistencyResult) else languages_2026(run.result)
        columns = [column for column in LANGUAGE_COLUMNS if any(column.value(row) is not None for row in rows)]
        return table_value(rows, columns, caption="Languages of this run", empty="It has no answers.", opens=False)

    def parts_table(self, state: LaterEditionState) -> TableValue | None:
        """The questions of the opened run."""
        run = self.opened(state)
        if run is None:
            return None
        if isinstance(run.result, ConsistencyResult):
            return table_value(
                sorted(
                    (question_row(question) for question in run.result.questions),
                    key=lambda row: worst_first(row.score),
                ),
                QUESTION_COLUMNS,
                caption="Questions, worst first: open one to read its answers and verdicts",
                leads=("", "score", "worst"),
                empty="No question is answered.",
                page=state.table.page,
            )
        return table_value(
            sorted(base_question_rows(run.result), key=lambda row: worst_first(row.culture)),
            BASE_QUESTION_COLUMNS,
            caption="Base questions, worst first: open one to read its answers",
            leads=("", "culture"),
            empty="No two of its languages are read by the embedding model.",
            page=state.table.page,
        )

    def pairs_table(self, state: LaterEditionState) -> TableValue | None:
        """The pairs of languages of a 2026 run, over all its questions."""
        run = self.opened(state)
        if run is None or isinstance(run.result, ConsistencyResult):
            return None
        return table_value(
            [pair_row(pair) for pair in run.result.pairs],
            PAIR_COLUMNS,
            caption="Pairs of languages",
            empty="No two of its languages are read by the embedding model.",
            opens=False,
            page=state.table.page,
        )

    def cards(self, state: LaterEditionState) -> JudgeCardsValue | None:
        """How well the run's languages were read, and how often what said which answers answer is right."""
        run = self.opened(state)
        if run is None:
            return None
        is_judged = isinstance(run.result, ConsistencyResult) and is_pair_judge(run.result.judge)
        cards = [pair_languages_card()] if is_judged else []
        cards += [languages_card()] if is_measured(run.result.embedding) else []
        cards += [answer_card(run.result.gate)] if run.result.gate else []
        return {"cards": cards} if cards else None


def _parts(result: ConsistencyResult | CulturalResult, item: str) -> tuple[set[str], set[str]]:
    """The questions of a run, and what the pairs of one of them are opened by."""
    if isinstance(result, CulturalResult):
        questions = set(result.questions)
        return questions, {pair_id(pair) for pair in result.pairs} if item in questions else set()
    by_id = {question.id: question for question in result.questions}
    return set(by_id), pair_ids(by_id[item]) if item in by_id else set()


def _head(run: ScoredEdition) -> NoticeValue:
    names, result = run.ticket.names, run.result
    title = " · ".join(name for name in (names.system, names.team, names.model, names.run) if name)
    gated, raw = (
        ", ".join(
            f"{_said(figure)} {text_of(value, 'interval')}"
            for figure, value in sorted(result.figures.items(), key=lambda entry: _place(entry[0]))
            if figure.endswith("_gated") == is_gated
        )
        for is_gated in (True, False)
    )
    lines = [
        edition_sentence(names.system or run.ticket.file_name, result, is_null=run.ticket.role == "baseline"),
        f"{gated[:1].upper()}{gated[1:]}.",
        f"Answers on topic {text_of(result.pass_share, 'interval')}, against the next question "
        f"{text_of(result.control_pass_share, 'interval')}.",
        answers_words(run.ticket),
        "" if result.ranked else f"Not ranked: {result.reason}.",
    ]
    folded = [f"Before the relevance check: {raw}.", f"Prompt set {result.prompt_set.set_id}."]
    if isinstance(result, ConsistencyResult):
        files = ", ".join(f"{file.language} {file.file_sha256[:12]}" for file in result.files)
        folded += [f"Files of the run: {files}.", f"Judged by {pin_text(result.judge)}."]
        folded.append(order_gap_text(result.order_gap))
    folded.append(f"Embedding: {pin_text(result.embedding)}.")
    folded.append(f"Relevance check: {pin_text(result.gate)}." if result.gate else "")
    return run_head(title or run.ticket.file_name, lines, folded, link=address_of(QueueState(ticket=run.ticket.id)))


_FIGURE_WORDS = {
    "consistency": "score",
    "worst": "worst pair",
    "first_turn": "first turn",
    "culture": "response to culture",
    "named": "named",
    "open": "open",
    "cd": "difference where no culture is named (CD)",
    "cr": "agreement where one is (CR)",
}
"""Words of the figures, what the board ranks by first."""


def _place(figure: str) -> int:
    """Where the head of a run names a figure: what the board ranks by first, others last."""
    known, name = list(_FIGURE_WORDS), figure.removesuffix("_gated")
    return known.index(name) if name in known else len(known)


def _said(figure: str) -> str:
    """A figure as the head of a run names it.

    >>> _said("consistency_gated"), _said("csp"), _said("cr_gated")
    ('score', 'CSP', 'agreement where one is (CR)')
    """
    name = figure.removesuffix("_gated")
    return _FIGURE_WORDS.get(name, name.upper())


def languages_2025(result: ConsistencyResult) -> list[LanguageRow]:
    """The languages of a run of 2025."""
    answers = [
        (language, question.id, response)
        for question in result.questions
        for language, response in zip(question.languages, question.final.responses, strict=True)
    ]
    rows = []
    for file in result.files:
        own = [(question, response) for language, question, response in answers if language == file.language]
        flags = [flag for _, response in own for flag in response.flags]
        figures = result.by_language.get(file.language, {})
        rows.append(
            LanguageRow(
                id=file.language,
                answered=Count(None, file.answered),
                score=figures.get("consistency_gated"),
                pass_share=pass_share(_relevance(question, response) for question, response in own),
                flags={flag: flags.count(flag) for flag in sorted(set(flags))},
            )
        )
    return rows


def _relevance(question: str, response: ResponseResult) -> Relevance:
    is_checked = response.relevance_threshold is not None
    return Relevance(question, off_topic="off_topic" in response.flags if is_checked else None)


def languages_2026(result: CulturalResult) -> list[LanguageRow]:
    """The languages of a run of 2026."""
    return [
        LanguageRow(
            id=language,
            answered=Count(share.expected, share.answered),
            score=None,
            pass_share=share.pass_share,
            flags=share.flags,
            remark="" if share.read else "not judged: the embedding model does not declare it",
        )
        for language, share in result.languages.items()
    ]


def base_question_rows(result: CulturalResult) -> list[BaseQuestionRow]:
    """The base questions of a run of 2026, in its order."""
    values = result.question_values
    return [
        BaseQuestionRow(
            id=question,
            culture=values.get("culture_gated", {}).get(question),
            named=values.get("named_gated", {}).get(question),
            open=values.get("open_gated", {}).get(question),
            cd=values["cd_gated"].get(question),
            cr=values["cr_gated"].get(question),
            cd_raw=values["cd"].get(question),
            cr_raw=values["cr"].get(question),
            pairs=Count(
                len(result.pairs),
                sum(pair.unspecific[place] is not None and pair.specific[place] is not None for pair in result.pairs),
            ),
        )
        for place, question in enumerate(result.questions)
    ]


def worst_first(score: float | None) -> tuple[bool, float]:
    """Orders what was scored from the lowest score on; what was not comes last, in its own order.

    >>> sorted([None, 2.5, 0.0], key=worst_first)
    [0.0, 2.5, None]
    """
    return (score is None, 0.0 if score is None else score)


def question_row(question: QuestionResult) -> QuestionRow:
    """One question of a run of 2025."""
    figures, pairs = question.final.figures, question.final.pairs
    return QuestionRow(
        id=question.id,
        languages=", ".join(question.languages),
        score=figures["pair_mean_gated"],
        raw=figures["pair_mean"],
        worst=figures["pair_worst_gated"],
        pairs=counted_in_full(pairs),
        reason=question.final.reason or "",
    )


def pair_row(pair: LanguagePair) -> PairRow:
    """Two languages of a 2026 run: correlation, CD and CR, gated."""
    apart = _mean(pair.specific_gated)
    known = zip(pair.unspecific_passing or (), pair.specific_passing or (), strict=True)
    return PairRow(
        id=f"{pair.a} - {pair.b}",
        rho=pair.rho_gated,
        cd=_mean(pair.unspecific_gated),
        cr=None if apart is None else 1.0 - apart,
        questions=sum(u is not None and a is not None for u, a in known),
    )


def _mean(column: tuple[float | None, ...] | None) -> float | None:
    known = [value for value in column or () if value is not None]
    return float(np.mean(known)) if known else None
