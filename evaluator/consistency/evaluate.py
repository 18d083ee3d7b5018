"""The recipe of the 2025 edition: all files of one run together, question by question, in pairs of languages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from evaluator.consistency.figures import (
    NOT_REGISTERED,
    consistency_summary,
    other_questions_reason,
    unrankable_reason,
)
from evaluator.embeddings.protocol import Embedder
from evaluator.judges.prompts import SIMILARITY_PAIR
from evaluator.judges.protocol import JudgeRequest, reads_language
from evaluator.judges.recorded import RecordedJudge
from evaluator.results import ItemResult
from evaluator.robustness.answer_gate import Answering, Place, answering
from evaluator.robustness.answer_vectors import embedded
from evaluator.robustness.edition_relevance import AnswerId, answer_relevances, relevance_prompts
from evaluator.robustness.edition_results import (
    CONSISTENCY_HEADLINE,
    ConsistencyResult,
    LanguageFile,
    OtherQuestion,
    QuestionResult,
)
from evaluator.robustness.figures import PairRating, flag_counts, group_result, order_gap
from evaluator.robustness.group_results import GroupResult, SetVersion
from evaluator.robustness.relevance import Relevance, control_pass_share, pass_share
from evaluator.robustness.similarity import TOP_RATING, is_same_text, pair_rating, response_result
from evaluator.statistics.version import STATISTICS_VERSION
from submissions.findings import Findings
from submissions.formats.eloquent.guards import CONSTANT_MIN_RESPONSES, guarded
from submissions.promptsets.questions import Registered, questions_by_language, strange_question
from submissions.schema import PromptSet, Response, ResponseSet, Submission
from submissions.version import VERSION

ByQuestion = Mapping[str, Mapping[str, Response]]
"""Question id -> language -> the answer that is not blank."""
PairId = tuple[int, int]
"""Places of two languages of a question, counted from 1, the lower first."""


def evaluate_consistency(
    submission: Submission,
    run: Sequence[Submission],
    prompt_set: PromptSet,
    judge: RecordedJudge,
    embedder: Embedder,
) -> ConsistencyResult:
    """Scores one run: every two languages of every question, for the last answers and for those to the first turn.

    Verdicts already stored are not asked for again, so one more language of a run costs its own pairs only. Languages
    that the judge or the embedding model does not declare are left unjudged, with the reason.

    Args:
        submission: The file whose arrival asks for this.
        run: All files of its run, this one among them, the oldest first; of two in one language the later counts.
        prompt_set: The registered questions of the edition: what answers are held against, whatever the files say was
            asked. Where none are registered the files' own count, and no run is ranked.
        judge: Rates pairs of answers in two languages, and says what answers its question if it can be asked.
        embedder: Checks relevance.
    """
    of_run = _with_pooled_constants(_of_run(run), prompt_set)
    final = _judged_turn(of_run, prompt_set, judge, embedder)
    first = _judged_turn(_first_turns(of_run, prompt_set), prompt_set, judge, embedder)
    questions = tuple(_question(question, final, first) for question in _question_ids(of_run))
    unread_reason = _unread_reason(of_run, judge, is_gated=final.gate is not None)
    summary = consistency_summary(questions, reason=unread_reason)
    answered = {language: _answered(file) for language, file in of_run.items()}
    registered = questions_by_language(prompt_set)
    others = _other_questions(of_run, registered) if registered else ()
    headline = summary.figures[CONSISTENCY_HEADLINE]
    reason = (
        (None if registered else NOT_REGISTERED)
        or other_questions_reason(others, sum(answered.values()))
        or unrankable_reason(answered, {language: len(registered.get(language, ())) for language in answered})
        or unread_reason
        or (headline.reason if headline.value is None else None)
    )
    finals = [response for question in questions for response in question.final.responses]
    return ConsistencyResult(
        edition=submission.edition,
        prompt_set=SetVersion(set_id=prompt_set.set_id, version=prompt_set.version, sha256=prompt_set.sha256),
        file_sha256=submission.file_sha256,
        files=tuple(
            LanguageFile(language=language, file_sha256=file.file_sha256, answered=answered[language])
            for language, file in sorted(of_run.items())
        ),
        judge=judge.judge.pin,
        embedding=embedder.pin,
        code_version=VERSION,
        statistics_version=STATISTICS_VERSION,
        coverage={
            "expected": sum(len(registered.get(language, ())) for language in answered) if registered else None,
            "answered": sum(answered.values()),
        },
        questions_total=len(questions),
        figures=summary.figures,
        question_values=summary.question_values,
        by_language=summary.by_language,
        questions=questions,
        order_gap=order_gap(
            [ItemResult(id=question.id, variation="", groups=(question.final,)) for question in questions]
        ),
        flags=flag_counts(response.flags for response in finals),
        pass_share=pass_share(final.relevance.values()),
        control_pass_share=control_pass_share(final.relevance.values()),
        ranked=reason is None,
        reason=reason,
        gate=None if final.gate is None else judge.judge.gate_pin,
        other_questions=others,
    )


def _unread_reason(of_run: Mapping[str, Submission], judge: RecordedJudge, *, is_gated: bool) -> str | None:
    """Which languages of a run are left out, because judge or answer gate do not read them; None where all are read."""
    unread = sorted(language for language in of_run if not reads_language(judge.judge.pin, language))
    if unread:
        return f"the judge {judge.judge.pin.name} does not read {', '.join(unread)}"
    ungated = sorted(language for language in of_run if not reads_language(judge.judge.gate_pin, language))
    if is_gated and ungated:
        return f"whether a text answers its question is not known in {', '.join(ungated)}"
    return None


# --- the run ---------------------------------------------------------------------------------------------------------


def _of_run(files: Sequence[Submission]) -> dict[str, Submission]:
    """Language -> the file that counts."""
    submissions: dict[str, Submission] = {}
    for file in files:
        for language in dict.fromkeys(response.language for response in file.responses()):
            submissions[language] = file
    return submissions


def _by_question(of_run: Mapping[str, Submission]) -> ByQuestion:
    responses: defaultdict[str, dict[str, Response]] = defaultdict(dict)
    for language, file in of_run.items():
        for response in file.responses():
            if response.language == language and not response.is_blank:
                responses[response.item_id][language] = response
    return responses


def _other_questions(of_run: Mapping[str, Submission], registered: Registered) -> tuple[OtherQuestion, ...]:
    """Every question that was answered and is not the registered one, by language and number."""
    questions = [
        strange
        for _, file in sorted(of_run.items())
        for response in sorted(file.responses(), key=lambda response: (len(response.item_id), response.item_id))
        if not response.is_blank and (strange := strange_question(response, registered))
    ]
    return tuple(OtherQuestion(language=question.language, id=question.id, why=question.why) for question in questions)


def _question_ids(of_run: Mapping[str, Submission]) -> list[str]:
    """Of all questions that are answered in any language, by number."""
    return sorted(_by_question(of_run), key=lambda question: (len(question), question))


def _with_pooled_constants(of_run: Mapping[str, Submission], prompt_set: PromptSet) -> dict[str, Submission]:
    """The run with one text for many questions flagged also where it is spread over small files.

    The guard needs `CONSTANT_MIN_RESPONSES` answers to see it; languages with fewer are looked at together.
    """
    small = [
        (language, response)
        for language, file in of_run.items()
        if _answered(file) < CONSTANT_MIN_RESPONSES
        for response in file.responses()
    ]
    if not small:
        return dict(of_run)
    pooled = tuple(
        replace(response, item_id=f"{language} {response.item_id}", language="*") for language, response in small
    )
    together = replace(next(iter(of_run.values())), items=(ResponseSet("*", pooled),))
    looked_at = guarded(together, prompt_set, {}, Findings(), detector=lambda text: None)
    constant = {response.item_id for response in looked_at.responses() if "constant" in response.flags}
    return {
        language: _flagged_constant(file, {item for item in constant if item.startswith(f"{language} ")}, language)
        for language, file in of_run.items()
    }


def _flagged_constant(file: Submission, constant: set[str], language: str) -> Submission:
    if not constant:
        return file
    sets = (
        ResponseSet(
            item.item_id,
            tuple(
                replace(response, flags=response.flags | {"constant"})
                if f"{language} {response.item_id}" in constant
                else response
                for response in item.responses
            ),
        )
        for item in file.items
    )
    return replace(file, items=tuple(sets))


def _answered(file: Submission) -> int:
    return sum(not response.is_blank for response in file.responses())


def _first_turns(of_run: Mapping[str, Submission], prompt_set: PromptSet) -> dict[str, Submission]:
    """The run as if every conversation had ended after its first turn; the guards look at those answers anew."""
    first = {language: _first_turn(file, prompt_set) for language, file in of_run.items()}
    return _with_pooled_constants(first, prompt_set)


def _first_turn(file: Submission, prompt_set: PromptSet) -> Submission:
    if all(response.response == _first_answer(response) for response in file.responses()):
        return file
    sets = tuple(
        ResponseSet(
            item.item_id,
            tuple(
                replace(response, response=_first_answer(response), flags=frozenset()) for response in item.responses
            ),
        )
        for item in file.items
    )
    return guarded(replace(file, items=sets), prompt_set, {}, Findings())


def _first_answer(response: Response) -> str:
    return response.turns[0][1] if response.turns else response.response


# --- judging one turn ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _JudgedTurn:
    """The answers of one turn, and what was found about them."""

    answers: ByQuestion
    relevance: Mapping[AnswerId, Relevance]
    ratings: Mapping[str, Mapping[PairId, PairRating]]
    gate: Mapping[Place, Answering] | None
    """How far each answer answers its question; None where nobody can be asked."""


def _judged_turn(
    of_run: Mapping[str, Submission], prompt_set: PromptSet, judge: RecordedJudge, embedder: Embedder
) -> _JudgedTurn:
    answers = _by_question(of_run)
    answered = [response for of_question in answers.values() for response in of_question.values()]
    prompts = relevance_prompts(answered, prompt_set)
    return _JudgedTurn(
        answers,
        _relevance(answered, prompts, judge, embedder),
        _ratings(answers, prompts, judge),
        answering(answered, lambda response: prompts.get((response.item_id, response.language)), judge, embedder),
    )


def _relevance(
    answered: Sequence[Response], prompts: Mapping[AnswerId, str], judge: RecordedJudge, embedder: Embedder
) -> dict[AnswerId, Relevance]:
    texts = [(answer.response, answer.language) for answer in answered]
    texts += [(prompt, language) for (_, language), prompt in prompts.items()]
    return answer_relevances(answered, prompts, embedded(texts, embedder, judge.tell), embedder)


def _ratings(
    answers: ByQuestion, prompts: Mapping[AnswerId, str], judge: RecordedJudge
) -> dict[str, dict[PairId, PairRating]]:
    """Both orders of every pair the judge can read; identical answers get the top rating unasked."""
    ratings: defaultdict[str, dict[PairId, PairRating]] = defaultdict(dict)
    asked: list[tuple[str, PairId]] = []
    requests: list[JudgeRequest] = []
    for question, by_language in answers.items():
        asked_in_each = _prompt_fields(question, by_language, prompts)
        for (place, first), (other, second) in combinations(enumerate(_in_order(by_language), start=1), 2):
            if not all(reads_language(judge.judge.pin, answer.language) for answer in (first, second)):
                continue
            if is_same_text(first, second):
                ratings[question][place, other] = PairRating(TOP_RATING, TOP_RATING)
                continue
            asked.append((question, (place, other)))
            requests += [
                JudgeRequest(
                    SIMILARITY_PAIR,
                    {"answer_a": a.response, "answer_b": b.response} | asked_in_each,
                    a.language,
                    f"question {question}, {first.language} and {second.language}",
                    second_language=b.language,
                )
                for a, b in ((first, second), (second, first))
            ]
    verdicts = judge.verdicts(requests)
    for index, (question, pair) in enumerate(asked):
        ratings[question][pair] = pair_rating(verdicts[2 * index], verdicts[2 * index + 1])
    return ratings


def _in_order(by_language: Mapping[str, Response]) -> list[Response]:
    return [by_language[language] for language in sorted(by_language)]


def _prompt_fields(
    question: str, by_language: Mapping[str, Response], prompts: Mapping[AnswerId, str]
) -> dict[str, str]:
    """What was asked in each language; all pairs of a question show the same, so that a judge can share the work."""
    asked = dict.fromkeys(text for language in sorted(by_language) if (text := prompts.get((question, language))))
    return {f"prompt_{number}": text for number, text in enumerate(asked, start=1)}


# --- putting a question together -------------------------------------------------------------------------------------


def _question(question: str, final: _JudgedTurn, first: _JudgedTurn) -> QuestionResult:
    languages = tuple(sorted(final.answers[question]))
    return QuestionResult(
        id=question,
        languages=languages,
        final=_group(question, languages, final),
        first_turn=_group(question, languages, first),
    )


def _group(question: str, languages: Sequence[str], turn: _JudgedTurn) -> GroupResult:
    """The answers to one question as a group, in which a language is a variant."""
    answers = turn.answers.get(question, {})
    places = {language: place for place, language in enumerate(languages, start=1)}
    # Ratings count places among the languages answered in this turn.
    answered = [places[language] for language in sorted(answers)]
    ratings = {(answered[a - 1], answered[b - 1]): rating for (a, b), rating in turn.ratings.get(question, {}).items()}
    checked = [turn.relevance[question, language] for language in answers]
    return group_result(
        ", ".join(languages),
        [
            response_result(
                places[language],
                answers.get(language),
                turn.relevance.get((question, language)),
                (turn.gate or {}).get((question, language, 1)),
            )
            for language in languages
        ],
        ratings,
        relevance_known=all(response.gate_is_known for response in checked),
        asks_answers=turn.gate is not None,
    )
