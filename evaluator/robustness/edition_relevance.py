"""The relevance check on the answers of a 2025 or 2026 run (docs/metrics.md#relevance).

An answer to base question i, of one kind and variant, in one language, is compared with the prompts of i and with those
of the other base questions of the same kind, variant and language.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from evaluator.embeddings.protocol import Embedder
from evaluator.judges.protocol import reads_language
from evaluator.robustness.answer_vectors import TextVectors
from evaluator.robustness.relevance import AnswerVector, Relevance, Vector, relevances
from submissions.formats.eloquent.guards import prompts_of
from submissions.schema import Kind, PromptSet, Response

AnswerId = tuple[str, str]
"""Item id and language: one answer of a run."""
Stratum = tuple[Kind, int]
"""Kind and variant: prompts are compared within one."""


def question_of(response: Response) -> str:
    """What was asked, as far as the file says: the stated prompt, else the question of the first turn; "" for neither.

    Later turns clarify the first, so it is the first that tells what the answer is to be about.
    """
    return (response.prompt or "").strip() or next((question for question, _ in response.turns if question.strip()), "")


def relevance_prompts(answered: Iterable[Response], prompt_set: PromptSet | None) -> dict[AnswerId, str]:
    """What each answer is compared with: the official prompt where the set has it, else what the file says was asked.

    An answer without either has no entry.
    """
    official = prompts_of(prompt_set) if prompt_set else {}
    by_answer = {
        (response.item_id, response.language): official.get((response.item_id, response.variant, response.language))
        or question_of(response)
        for response in answered
    }
    return {answer: prompt for answer, prompt in by_answer.items() if prompt}


def answer_relevances(
    answered: Sequence[Response], prompts: Mapping[AnswerId, str], vectors: TextVectors, embedder: Embedder
) -> dict[AnswerId, Relevance]:
    """What the check says of every answer that is not blank.

    Args:
        answered: Of one run; each item and language once.
        prompts: As `relevance_prompts`.
        vectors: Of all answers and prompts in languages the embedding model declares.
        embedder: Its pin says which those are.
    """
    strata: defaultdict[Stratum, list[Response]] = defaultdict(list)
    for response in answered:
        strata[response.kind, response.variant].append(response)
    checks: dict[AnswerId, Relevance] = {}
    for responses in strata.values():
        of_questions: defaultdict[tuple[str, str], list[Vector]] = defaultdict(list)
        for response in responses:
            prompt = prompts.get((response.item_id, response.language))
            if prompt is not None and reads_language(embedder.pin, response.language):
                of_questions[response.base_id, response.language].append(vectors.of(prompt))
        answers = [
            AnswerVector(
                response.base_id,
                response.language,
                vectors.of(response.response) if reads_language(embedder.pin, response.language) else None,
            )
            for response in responses
        ]
        checked = relevances(answers, of_questions)
        checks |= {
            (response.item_id, response.language): relevance
            for response, relevance in zip(responses, checked, strict=True)
        }
    return checks
