"""Where a run of 2025 loses, its worst pairs of languages, and what the gate took."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from evaluator.robustness.edition_results import (
    CONSISTENCY_HEADLINE,
    ConsistencyResult,
    QuestionResult,
)
from evaluator.robustness.group_results import PairResult
from leaderboard.boards.editions.columns import LANGUAGE_COLUMNS, QUESTION_COLUMNS
from leaderboard.boards.editions.screen import languages_2025, question_row, worst_first
from leaderboard.boards.robustness.items import score_text
from leaderboard.boards.robustness.pair_values import opened_pair_value
from leaderboard.page.registered import BoardTools
from leaderboard.parts.visible_text import visible
from leaderboard.team_report.report import (
    FILE_GONE,
    WORST_PAIRS,
    Section,
    ShownAnswer,
    ShownPair,
    beginning,
    counted_score,
    gate_section,
    table_of,
    taken_answers,
)
from submissions.formats.eloquent.one_question import answer_2025
from submissions.schema import Response
from submissions.store.database import StoreError
from submissions.store.queue import Ticket


def parts_2025(tools: BoardTools, ticket: Ticket, result: ConsistencyResult) -> list[Section]:
    """The sections between the figures and the comparison."""
    languages = sorted(languages_2025(result), key=lambda row: worst_first(row.score.value if row.score else None))
    questions = sorted(map(question_row, result.questions), key=lambda row: worst_first(row.score))
    losses = Section(
        "Where it loses",
        ["The lowest stand first in every table."],
        tables=[
            table_of("By language", LANGUAGE_COLUMNS, languages),
            table_of("By question", QUESTION_COLUMNS, questions),
        ],
    )
    taken = [line for question in result.questions for line in _taken(question)]
    gate = gate_section(
        result.figures["consistency"],
        result.figures[CONSISTENCY_HEADLINE],
        (result.pass_share, result.control_pass_share),
        taken,
    )
    return [losses, _worst_pairs(tools, ticket, result), gate]


def _taken(question: QuestionResult) -> list[list[str]]:
    return taken_answers(question.id, question.final.responses, lambda number: question.languages[number - 1])


def _worst_pairs(tools: BoardTools, ticket: Ticket, result: ConsistencyResult) -> Section:
    judged_pairs = [
        (question, pair) for question in result.questions for pair in question.final.pairs if pair.score is not None
    ]
    judged_pairs.sort(
        key=lambda judged_pair: (
            counted_score(judged_pair[1]),
            judged_pair[1].score or 0.0,
            judged_pair[0].id,
            judged_pair[1].a,
            judged_pair[1].b,
        )
    )
    worst = judged_pairs[:WORST_PAIRS]
    answers, is_gone = _answers(tools, ticket, result, [question for question, _ in worst])
    pairs = [_shown_pair(tools, ticket, question, pair, answers) for question, pair in worst]
    lines = [FILE_GONE] if is_gone else []
    return Section("The worst pairs", lines or ([] if pairs else ["No pair of answers was judged."]), pairs=pairs)


def _shown_pair(
    tools: BoardTools,
    ticket: Ticket,
    question: QuestionResult,
    pair: PairResult,
    answers: dict[tuple[str, str], Response],
) -> ShownPair:
    languages = dict(enumerate(question.languages, start=1))
    own = {
        number: answer for number, name in languages.items() if (answer := answers.get((question.id, name))) is not None
    }
    judgments = tools.services.judgments(ticket, [key for key in (pair.key_ab, pair.key_ba) if key])
    texts = {number: beginning(answer.response) for number, answer in own.items()}
    value = opened_pair_value(pair, texts, judgments, languages)
    prompts = {languages[number]: visible(beginning(answer.prompt or "")) for number, answer in own.items()}
    return ShownPair(
        f"Question {visible(question.id)}: {languages[pair.a]} and {languages[pair.b]}",
        [
            f"Score {score_text(counted_score(pair))}, before the relevance check {score_text(pair.score)}.",
            *value["said"],
        ],
        [
            ShownAnswer(answer["title"], prompts.get(answer["title"], ""), answer["parts"])
            for answer in value["answers"]
        ],
    )


def _answers(
    tools: BoardTools, ticket: Ticket, result: ConsistencyResult, questions: Iterable[QuestionResult]
) -> tuple[dict[tuple[str, str], Response], bool]:
    """(Question, language) -> answer, and whether a file is no longer at hand."""
    store, prompt_sets = tools.services.store, tools.services.desk.prompt_sets
    wanted = {(question.id, language) for question in questions for language in question.languages}
    standing = {file.file_sha256 for file in store.run_files(ticket.id)}
    responses: dict[tuple[str, str], Response] = {}
    is_gone = False
    for file in result.files:
        asked = sorted(id_ for id_, language in wanted if language == file.language)
        data = None
        with suppress(StoreError):
            data = store.payload(file.file_sha256) if file.file_sha256 in standing else None
        if data is None:
            is_gone |= bool(asked)
            continue
        for question in asked:
            answer = answer_2025(data, question, prompt_sets)
            if answer is not None:
                responses[question, file.language] = answer
    return responses, is_gone
