"""The recipe of the Robustness board, top to bottom: from answers to the result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from evaluator.embeddings.protocol import Embedder, text_vectors
from evaluator.judges.prompts import SIMILARITY_GROUP, SIMILARITY_PAIR
from evaluator.judges.protocol import JudgeRequest, reads_language
from evaluator.judges.recorded import RecordedJudge, Verdict
from evaluator.results import (
    GroupResult,
    ItemResult,
    RobustnessResult,
    SetVersion,
)
from evaluator.robustness.answer_gate import Answering, Place, answering
from evaluator.robustness.figures import MIN_TEXTS, PairRating, flag_counts, group_result, order_gap, summarise
from evaluator.robustness.pairwise import pairwise_result
from evaluator.robustness.relevance import AnswerVector, Relevance, Vector, control_pass_share, pass_share, relevances
from evaluator.robustness.similarity import TOP_RATING, is_same_text, pair_rating, response_result
from evaluator.statistics.version import STATISTICS_VERSION
from evaluator.task import Reference
from submissions.formats.eloquent.guards import prompts_of
from submissions.schema import (
    Coverage,
    Item,
    PromptSet,
    Response,
    Submission,
)
from submissions.version import VERSION

GroupId = tuple[str, str]
"""Item id and language."""
PairId = tuple[int, int]
"""The two variant numbers, the lower first."""
Ratings = dict[GroupId, dict[PairId, PairRating]]


def evaluate_robustness(
    submission: Submission,
    coverage: Coverage,
    prompt_set: PromptSet,
    judge: RecordedJudge,
    embedder: Embedder,
    reference: Reference | None = None,
) -> RobustnessResult:
    """The result of a run of ELOQUENT 2024: judge every pair, check relevance, ask what answers, gate, aggregate.

    Every pair of answers to one item in one language is judged in both orders; a verdict already stored is not asked
    for again. Languages the judge or the embedding model does not declare are left unjudged, with the reason.
    """
    ratings = _pair_ratings(submission, prompt_set, judge)
    group_verdicts = _group_verdicts(submission, prompt_set, judge)
    relevance = _relevance(submission, prompt_set, embedder)
    official = prompts_of(prompt_set)
    gate = answering(
        list(submission.responses()),
        lambda response: official.get((response.item_id, response.variant, response.language)) or response.prompt,
        judge,
        embedder,
    )
    answers = _answers_by_group(submission)
    items = tuple(
        ItemResult(
            id=item.id,
            variation=item.variation,
            groups=tuple(
                _group(item, language, answers, ratings, group_verdicts, relevance, gate, judge)
                for language in item.languages()
            ),
        )
        for item in prompt_set.items
    )
    views, by_language = summarise(items, rankable=coverage.rankable)
    responses = [response for item in items for group in item.groups for response in group.responses]
    return RobustnessResult(
        edition=submission.edition,
        prompt_set=SetVersion(set_id=prompt_set.set_id, version=prompt_set.version, sha256=prompt_set.sha256),
        file_sha256=submission.file_sha256,
        judge=judge.judge.pin,
        embedding=embedder.pin,
        gate=None if gate is None else judge.judge.gate_pin,
        code_version=VERSION,
        statistics_version=STATISTICS_VERSION,
        coverage={"expected": coverage.total.expected, "answered": coverage.total.answered},
        views=views,
        by_language=by_language,
        items=items,
        order_gap=order_gap(items),
        flags=flag_counts(response.flags for response in responses),
        pass_share=pass_share(relevance.values()),
        control_pass_share=control_pass_share(relevance.values()),
        pairwise=pairwise_result(submission, reference, prompt_set, judge) if reference else None,
    )


# --- judging ---------------------------------------------------------------------------------------------------------


def _answers_by_group(submission: Submission) -> dict[GroupId, list[Response]]:
    groups: dict[GroupId, list[Response]] = {}
    for response in submission.responses():
        groups.setdefault((response.item_id, response.language), []).append(response)
    return groups


def _answered(responses: Sequence[Response]) -> list[Response]:
    return sorted((response for response in responses if not response.is_blank), key=lambda response: response.variant)


def _pairs(submission: Submission) -> Iterator[tuple[GroupId, Response, Response]]:
    for group, responses in _answers_by_group(submission).items():
        for first, second in combinations(_answered(responses), 2):
            yield group, first, second


def _pair_ratings(submission: Submission, prompt_set: PromptSet, judge: RecordedJudge) -> Ratings:
    """Both orders of every pair the judge can read; identical answers get the top rating unasked."""
    ratings: Ratings = {}
    prompts = _prompt_fields(submission, prompt_set)
    asked: list[tuple[GroupId, PairId]] = []
    requests: list[JudgeRequest] = []
    for group, first, second in _pairs(submission):
        if not reads_language(judge.judge.pin, group[1]):
            continue
        pair = (first.variant, second.variant)
        if is_same_text(first, second):
            ratings.setdefault(group, {})[pair] = PairRating(TOP_RATING, TOP_RATING)
            continue
        asked.append((group, pair))
        requests += [
            JudgeRequest(
                SIMILARITY_PAIR,
                {"answer_a": a.response, "answer_b": b.response} | prompts[group],
                group[1],
                f"item {group[0]}, variants {first.variant} and {second.variant}",
            )
            for a, b in ((first, second), (second, first))
        ]
    verdicts = judge.verdicts(requests)
    for index, (group, pair) in enumerate(asked):
        ratings.setdefault(group, {})[pair] = pair_rating(verdicts[2 * index], verdicts[2 * index + 1])
    return ratings


def _group_verdicts(submission: Submission, prompt_set: PromptSet, judge: RecordedJudge) -> dict[GroupId, Verdict]:
    """J: one call on all texts of a group, by judges that read groups."""
    if "similarity_group" not in judge.judge.kinds:
        return {}
    prompts = _prompt_fields(submission, prompt_set)
    asked: list[GroupId] = []
    requests: list[JudgeRequest] = []
    for group, responses in _answers_by_group(submission).items():
        answered = _answered(responses)
        if len(answered) < MIN_TEXTS or not reads_language(judge.judge.pin, group[1]):
            continue
        answers = {f"answer_{number}": response.response for number, response in enumerate(answered, start=1)}
        asked.append(group)
        place = f"item {group[0]}, all variants in {group[1]}"
        requests.append(JudgeRequest(SIMILARITY_GROUP, answers | prompts[group], group[1], place))
    verdicts = judge.verdicts(requests)
    return dict(zip(asked, verdicts, strict=True))


def _prompt_fields(submission: Submission, prompt_set: PromptSet) -> dict[GroupId, dict[str, str]]:
    """The distinct prompts of each group, as the judge is shown them: the official ones, else those the file states.

    All pairs of a group show the same prompts, so that a judge can share the work on them.
    """
    fields: dict[GroupId, dict[str, str]] = {}
    for group, responses in _answers_by_group(submission).items():
        item = prompt_set.item(group[0])
        official = {variant.number: variant.prompt for variant in item.variants} if item else {}
        stated = (official.get(response.variant) or response.prompt for response in responses)
        distinct = dict.fromkeys(text for text in stated if text)
        fields[group] = {f"prompt_{number}": text for number, text in enumerate(distinct, start=1)}
    return fields


# --- relevance -------------------------------------------------------------------------------------------------------


def _relevance(submission: Submission, prompt_set: PromptSet, embedder: Embedder) -> dict[tuple[str, int], Relevance]:
    """What the relevance check says of each answered response, by item id and variant number."""
    answered = [response for response in submission.responses() if not response.is_blank]
    prompts = _relevance_prompts(answered, prompt_set)
    vectors = _vectors(
        [response.response for response in answered if reads_language(embedder.pin, response.language)]
        + [
            text for (_, language), texts in prompts.items() if reads_language(embedder.pin, language) for text in texts
        ],
        embedder,
    )
    answers = [
        AnswerVector(response.item_id, response.language, _vector_of(response, vectors, embedder))
        for response in answered
    ]
    known = {
        group: [vectors[text] for text in texts]
        for group, texts in prompts.items()
        if reads_language(embedder.pin, group[1])
    }
    checked = relevances(answers, known)
    return {
        (response.item_id, response.variant): relevance for response, relevance in zip(answered, checked, strict=True)
    }


def _vector_of(response: Response, vectors: dict[str, Vector], embedder: Embedder) -> Vector | None:
    return vectors[response.response] if reads_language(embedder.pin, response.language) else None


def _relevance_prompts(answered: Sequence[Response], prompt_set: PromptSet) -> dict[GroupId, list[str]]:
    """Prompts of each item and language: the official ones, else those the file states."""
    prompts: dict[GroupId, list[str]] = {}
    if prompt_set.has_prompts:
        for item in prompt_set.items:
            for variant in item.variants:
                prompts.setdefault((item.id, variant.language), []).append(variant.prompt or "")
        return prompts
    for response in answered:
        if response.prompt and response.prompt.strip():
            prompts.setdefault((response.item_id, response.language), []).append(response.prompt)
    return prompts


def _vectors(texts: Sequence[str], embedder: Embedder) -> dict[str, Vector]:
    distinct = list(dict.fromkeys(texts))
    if not distinct:
        return {}
    return dict(zip(distinct, np.asarray(text_vectors(embedder, distinct)), strict=True))


# --- putting a group together ----------------------------------------------------------------------------------------


def _group(
    item: Item,
    language: str,
    answers: dict[GroupId, list[Response]],
    ratings: Ratings,
    group_verdicts: dict[GroupId, Verdict],
    relevance: dict[tuple[str, int], Relevance],
    gate: Mapping[Place, Answering] | None,
    judge: RecordedJudge,
) -> GroupResult:
    responses = answers.get((item.id, language), [])
    checked = [relevance[item.id, response.variant] for response in responses if not response.is_blank]
    readable = reads_language(judge.judge.pin, language)
    whole = group_verdicts.get((item.id, language))
    result = group_result(
        language,
        [
            response_result(
                response.variant,
                response,
                relevance.get((item.id, response.variant)),
                (gate or {}).get((item.id, language, response.variant)),
            )
            for response in responses
        ],
        ratings.get((item.id, language), {}),
        relevance_known=all(response.gate_is_known for response in checked),
        asks_answers=gate is not None,
        group_rating=whole.judgment.rating if whole else None,
        reason=None if readable else f"the judge {judge.judge.pin.name} does not read the language {language}",
    )
    return result.model_copy(update={"group_key": whole.key}) if whole else result
