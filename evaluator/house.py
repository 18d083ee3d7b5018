"""What the house itself enters: the null rows of every board, and our example systems on the demonstration board."""

from __future__ import annotations

import json
import logging
from collections import defaultdict

from evaluator.answer_relevance import question_of
from evaluator.baselines import NullSubmission, null_cultural, null_questions, null_submissions
from evaluator.consistency import RANK_MIN_LANGUAGES, RANK_MIN_QUESTIONS
from submissions.desk import HOUSE_OWNER, Desk
from submissions.promptsets import ELOQUENT_2025, example_submissions
from submissions.queue import JobStatus
from submissions.store import Store

logger = logging.getLogger(__name__)


def open_house(desk: Desk, store: Store, *, demonstration: bool) -> None:
    """Queues what a board needs before anyone comes; what is there already is not entered twice.

    Null rows go to every prompt set whose prompts are at hand, and to the questions that 2025 runs were asked.
    Submissions that were scored without prompts are judged again once the prompts are here (their stored verdicts and
    vectors cost nothing).
    """
    sets = desk.prompt_sets
    for prompt_set in (sets.eloquent_2024, sets.demonstration):
        if prompt_set.has_prompts:
            _enter(desk, null_submissions(prompt_set))
    _enter(desk, null_questions(_questions_asked(desk, store)))
    _enter(desk, null_cultural(sets.eloquent_2026))
    if demonstration:
        for file_name, data in example_submissions():
            desk.submit(data, file_name, owner=HOUSE_OWNER, role="example")
    _judge_again_with_prompts(desk, store)


def _enter(desk: Desk, nulls: tuple[NullSubmission, ...]) -> None:
    for null in nulls:
        desk.submit(null.data, null.file_name, owner=HOUSE_OWNER, names=null.names, role="baseline")


def _questions_asked(desk: Desk, store: Store) -> dict[str, dict[str, str]]:
    """Language -> question id -> question, as scored 2025 files of teams state them, the newest file first.

    The set was not published. Nothing where fewer languages or questions are known than the guards need.
    """
    asked: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for ticket in store.tickets():
        if ticket.set_id != ELOQUENT_2025 or ticket.status is not JobStatus.SCORED or ticket.role != "entry":
            continue
        report = desk.check(store.payload(ticket.file_sha256), ticket.file_name, names=ticket.names)
        for response in report.submission.responses() if report.submission else ():
            if question := question_of(response):
                asked[response.language].setdefault(response.item_id, question)
    enough = {language: found for language, found in asked.items() if len(found) >= RANK_MIN_QUESTIONS}
    return enough if len(enough) >= RANK_MIN_LANGUAGES else {}


def _judge_again_with_prompts(desk: Desk, store: Store) -> None:
    sets = desk.prompt_sets
    at_hand = {one.set_id for one in (sets.eloquent_2024, sets.demonstration, sets.eloquent_2026) if one.has_prompts}
    for ticket, payload in store.results():
        if ticket.set_id in at_hand and json.loads(payload)["prompt_set"]["sha256"] is None:
            store.requeue(ticket.id, "judged again: the official prompts are at hand now")
