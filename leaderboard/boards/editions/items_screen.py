"""What is opened of a 2025 or 2026 run: one question with its words; no components, so that no test needs a browser."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING

from evaluator.robustness.edition_results import ConsistencyResult, CulturalResult, QuestionResult
from leaderboard.boards.editions.cultural_items import CulturalItemValue, Texts, cultural_item_value, shown_texts
from leaderboard.boards.editions.items import groups_shown, question_value
from leaderboard.boards.editions.screen import EditionsScreen
from leaderboard.boards.editions.state import LaterEditionState
from leaderboard.boards.robustness.items import verdict_keys
from leaderboard.page.human_check import HumanChecks, JudgedItem
from leaderboard.page.identity import current_request
from leaderboard.page.judge_card import JudgeReport, card_of_pin
from leaderboard.page.judge_quality import JudgeQualities
from leaderboard.page.registered import BoardTools
from leaderboard.page.services import Services
from leaderboard.parts.item_values import ItemValue
from submissions.formats.eloquent.one_question import answer_2025, answers_2026
from submissions.schema import Response
from submissions.store.database import StoreError
from submissions.store.queue import Ticket

if TYPE_CHECKING:
    import gradio as gr

FILES_KEPT = 64
"""2025 files of which the answers to one question are kept, so that drawing it again reads no file."""
QUESTIONS_KEPT = 8
"""2026 questions whose answers are kept, cut as they are shown: 10 MB at the most, 1 MB of what the task asks for."""


OpenedQuestion = tuple[Ticket, ConsistencyResult, QuestionResult]
"""A run of 2025 and one of its questions."""


class EditionItemsScreen:
    """Page state -> the opened question of the opened run."""

    @classmethod
    def of(cls, tools: BoardTools) -> EditionItemsScreen:
        """Of the site that the tools are of."""
        return cls(tools.services, tools.shared(EditionsScreen.of), tools.report_of, tools.qualities)

    def __init__(
        self, services: Services, editions: EditionsScreen, report_of: JudgeReport, qualities: JudgeQualities
    ) -> None:
        self._services = services
        self._editions = editions
        self._report_of = report_of
        self._qualities = qualities
        self._human_checks = HumanChecks(services, qualities)
        self._answer = lru_cache(maxsize=FILES_KEPT)(self._read_answer)
        self._texts = lru_cache(maxsize=QUESTIONS_KEPT)(self._read_texts)

    def question(self, state: LaterEditionState) -> ItemValue | None:
        """The opened question of a 2025 run with its answers, its verdicts and the visitor's votes on them."""
        return self._question(state, current_request())

    def voted(self, state: LaterEditionState, carried: object, request: gr.Request | None) -> ItemValue | None:
        """The opened question, once the vote an event carries was kept for whoever makes the request.

        Raises:
            StoreUnavailable: when the database does not answer.
        """
        opened = self._opened_question(state)
        if opened is None:
            return None
        return self._question(state, request, self._human_checks.vote(_judged_item(*opened), carried, request))

    def _question(self, state: LaterEditionState, request: gr.Request | None, said: str = "") -> ItemValue | None:
        opened = self._opened_question(state)
        if opened is None:
            return None
        ticket, result, question = opened
        card = card_of_pin(
            result.judge,
            result.order_gap,
            quality=self._qualities.of(result.judge),
            bias=self._report_of(result.judge),
            people=self._qualities.checked_by_people(result.judge),
            canary=self._qualities.canary(result.judge),
        )
        judgments = self._services.judgments(ticket, verdict_keys(groups_shown(question)))
        value = question_value(question, self._answers(*opened), card, judgments, state.pair)
        return self._human_checks.with_ballots(value, _judged_item(*opened), request, said)

    def _opened_question(self, state: LaterEditionState) -> OpenedQuestion | None:
        run = self._editions.opened(state) if state.item else None
        if run is None or not isinstance(run.result, ConsistencyResult) or not run.ticket.shows_answers:
            return None
        question = next((question for question in run.result.questions if question.id == state.item), None)
        return (run.ticket, run.result, question) if question else None

    def base_question(self, state: LaterEditionState) -> CulturalItemValue | None:
        """The opened base question of a 2026 run with its distances and answers."""
        run = self._editions.opened(state) if state.item else None
        if run is None or not isinstance(run.result, CulturalResult) or state.item not in run.result.questions:
            return None
        if not run.ticket.shows_answers:
            return None
        try:
            texts = self._texts(run.ticket.file_sha256, state.item)
        except StoreError:
            texts = None
        return cultural_item_value(run.result, state.item, texts, state.pair)

    def _answers(self, ticket: Ticket, result: ConsistencyResult, question: QuestionResult) -> Mapping[str, Response]:
        """Language -> answer, of the files of the run that still stand."""
        standing = {file.file_sha256 for file in self._services.store.run_files(ticket.id)}
        answers = {}
        for file in result.files:
            if file.language in question.languages and file.file_sha256 in standing:
                with suppress(StoreError):  # no longer stored: the page says so
                    answers[file.language] = self._answer(file.file_sha256, question.id)
        return {language: answer for language, answer in answers.items() if answer is not None}

    def _read_answer(self, sha256: str, question: str) -> Response | None:
        data = self._services.store.payload(sha256)
        return answer_2025(data, question, self._services.desk.prompt_sets)

    def _read_texts(self, sha256: str, question: str) -> Texts:
        return shown_texts(answers_2026(self._services.store.payload(sha256), question))


def _judged_item(ticket: Ticket, result: ConsistencyResult, question: QuestionResult) -> JudgedItem:
    return JudgedItem(ticket, result.judge, question.id, groups_shown(question))
