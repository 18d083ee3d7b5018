"""The gate that asks "is this an answer?": agreeing on texts that answer nothing is not robustness.

A judge that can be asked (kind `answers`) gives the probability that each response answers its prompt, in the prompt's
language. A pair counts as far as both responses do. What says the same to several questions, but for their own words,
is no answer to any of them, and no judge is asked about it. Ours; the 2024 task had no such question.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluator.embeddings.protocol import Embedder, text_vectors
from evaluator.judges.answers.features import MOST_CHARACTERS, own_words
from evaluator.judges.answers.verdict import answer_probability
from evaluator.judges.prompts import ANSWERS
from evaluator.judges.protocol import JudgeRequest, reads_language
from evaluator.judges.recorded import RecordedJudge
from evaluator.robustness.relevance import RELEVANCE_MIN_OTHERS
from evaluator.text.content_checks import content_words, words
from submissions.formats.eloquent.guards import CONSTANT_MIN_RESPONSES, CONSTANT_SHARE
from submissions.schema import Response

NO_ANSWER_BELOW = 0.5
"""Responses that more probably do not answer are flagged `no_answer` and weigh nothing."""

FULL_WEIGHT_FROM = 0.7
"""From this probability on a response counts in full: a plain answer loses nothing to the judge's last doubts."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From where on a response counts at all, and from where on in full: probabilities that it answers."""

    none_below: float
    full_from: float


THRESHOLDS = Thresholds(NO_ANSWER_BELOW, FULL_WEIGHT_FROM)

RECURRING_WORDS = 4
"""Words in a row that are hardly a coincidence when they come back in other items."""
RECURRING_SHARE = 0.8
"""Of a response's words that are not its prompts', from which on it says nothing of its own."""
RECURRING_ITEMS = 3
"""Items in which they come back."""

ASTRAY_MARGIN = 0.2
"""Cosine by which a response must lie nearer to another question: 81% of the answers to other topics do, and 3% of the
answers (validation split of the labelled answers, 35 topics as one set)."""
ASTRAY_MARGINS = {"e5": 0.045}
"""The same for embedders whose cosines all lie close together, by the name of their pin: 40% of the answers to other
topics, and 2.4% of the answers (training and validation prompts in seven languages, 8 to 16 topics as one set)."""

Place = tuple[str, str, int]
"""Item id, language and variant of a response."""


@dataclass(frozen=True, slots=True)
class Answering:
    """How far a response answers its prompt."""

    probability: float | None
    """0-1; None where it could not be said."""
    key: str | None = None
    """Verdict key; None where no judge was asked."""


def answer_weight(probability: float, thresholds: Thresholds = THRESHOLDS) -> float:
    """What a response weighs, 0-1: nothing below the first threshold, all from the second on, linear between.

    >>> answer_weight(0.4), round(answer_weight(0.6), 6), answer_weight(0.7)
    (0.0, 0.5, 1.0)
    """
    share = (probability - thresholds.none_below) / (thresholds.full_from - thresholds.none_below)
    return min(1.0, max(0.0, share))


def pair_weight(first: float | None, second: float | None, thresholds: Thresholds = THRESHOLDS) -> float | None:
    """As far as both of two responses answer: the lesser of what they weigh; None where that of one is not known.

    The lesser and not the product: two responses to one question are not two chances, and one that answers nothing is
    not worth more beside a poor one.

    >>> pair_weight(0.95, 0.6) == answer_weight(0.6), pair_weight(0.95, None)
    (True, None)
    """
    if first is None or second is None:
        return None
    return min(answer_weight(first, thresholds), answer_weight(second, thresholds))


def answering(
    responses: Sequence[Response],
    prompt_of: Callable[[Response], str | None],
    judge: RecordedJudge,
    embedder: Embedder,
) -> Mapping[Place, Answering] | None:
    """How far each response that is not blank answers its prompt; None by judges that cannot be asked.

    A response in a language it should not be in (`wrong_language`) answers nothing, and neither does one that is a
    prompt of the set (`prompts_given_back`), recurs (`recurring`) or answers another question (`astray`); no judge is
    asked about them. Without a prompt, or in a language the judge does not read, nothing can be said.

    Args:
        responses: Of one submission; places may not repeat.
        prompt_of: The prompt a response answers; None where it is not known.
        judge: Asks each question once and keeps the verdict.
        embedder: Tells which question of the set a response lies nearest to.
    """
    if "answers" not in judge.judge.kinds:
        return None
    answered = [response for response in responses if not response.is_blank]
    prompts = {_place(response): prompt_of(response) for response in answered}
    silent = prompts_given_back(answered, prompts) | recurring(answered, prompts) | astray(answered, prompts, embedder)
    gate: dict[Place, Answering] = {}
    asked: list[Place] = []
    requests: list[JudgeRequest] = []
    for response in answered:
        place = _place(response)
        prompt = prompts[place]
        gate[place] = Answering(0.0 if place in silent or "wrong_language" in response.flags else None)
        is_open = gate[place].probability is None
        if is_open and prompt and prompt.strip() and reads_language(judge.judge.gate_pin, response.language):
            asked.append(place)
            where = f"item {response.item_id}, variant {response.variant}: does it answer?"
            fields = {"prompt_1": prompt, "answer": response.response}
            requests.append(JudgeRequest(ANSWERS, fields, response.language, where))
    for place, verdict in zip(asked, judge.verdicts(requests), strict=True):
        gate[place] = Answering(answer_probability(verdict.judgment), verdict.key)
    return gate


def prompts_given_back(answered: Sequence[Response], prompts: Mapping[Place, str | None]) -> frozenset[Place]:
    """Responses that are a prompt of the set, their own or another, in the same language and word for word."""
    asked: defaultdict[str, set[tuple[str, ...]]] = defaultdict(set)
    for (_, language, _), prompt in prompts.items():
        if prompt and (said := tuple(words(prompt))):
            asked[language].add(said)
    return frozenset(
        _place(response) for response in answered if tuple(words(response.response)) in asked[response.language]
    )


def recurring(answered: Sequence[Response], prompts: Mapping[Place, str | None]) -> frozenset[Place]:
    """Responses that say the same to several items, but for words of each item's own prompts.

    An item is a base question in 2026: with a country named or without, it is one question, and may have one answer.
    Of the words that are in none of the item's prompts, `RECURRING_SHARE` stand in runs of `RECURRING_WORDS` words that
    come back in `RECURRING_ITEMS` items. Where fewer words than a run are left, they must be the same in the share of a
    language's responses that the guard for constant texts asks for.

    Args:
        answered: None of them blank.
        prompts: Of each response; None where it is not known.
    """
    item_of = {_place(response): response.base_id for response in answered}
    of_item: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for place, item in item_of.items():
        of_item[item, place[1]].update(words(prompts[place] or ""))
    said = {_place(response): words(response.response) for response in answered}
    items_of: defaultdict[tuple[str, tuple[str, ...]], set[str]] = defaultdict(set)
    for place, text in said.items():
        for run in _runs(text):
            items_of[place[1], run].add(item_of[place])
    repeats: set[Place] = set()
    short: defaultdict[tuple[str, tuple[str, ...]], list[Place]] = defaultdict(list)
    for place, text in said.items():
        language = place[1]
        rest = [number for number, word in enumerate(text) if word not in of_item[item_of[place], language]]
        if len(rest) < RECURRING_WORDS:
            short[language, tuple(text[number] for number in rest)].append(place)
            continue
        back = {
            start + offset
            for start, run in enumerate(_runs(text))
            if len(items_of[language, run]) >= RECURRING_ITEMS
            for offset in range(RECURRING_WORDS)
        }
        if sum(number in back for number in rest) >= RECURRING_SHARE * len(rest):
            repeats.add(place)
    in_language = Counter(response.language for response in answered)
    for (language, _), places in short.items():
        items = {item_of[place] for place in places}
        if len(items) >= RECURRING_ITEMS and _is_common(len(places), in_language[language]):
            repeats.update(places)
    return frozenset(repeats)


def astray(answered: Sequence[Response], prompts: Mapping[Place, str | None], embedder: Embedder) -> frozenset[Place]:
    """Responses that, without the words of their own prompt, lie nearer to another item's prompts than to their own.

    Nearer in the cosine by `ASTRAY_MARGIN`, or by the embedder's own of `ASTRAY_MARGINS`; each item (a base question in
    2026, as in `recurring`) counts with its nearest prompt in the response's language.
    Nothing is said with prompts of fewer than `RELEVANCE_MIN_OTHERS` other items, or in languages the embedder does
    not declare.

    Args:
        answered: None of them blank.
        prompts: Of each response; None where it is not known.
        embedder: Of prompts and responses.
    """
    item_of = {_place(response): response.base_id for response in answered}
    asked: defaultdict[str, dict[tuple[str, str], None]] = defaultdict(dict)
    for place, item in item_of.items():
        prompt, language = prompts[place], place[1]
        if prompt and prompt.strip() and reads_language(embedder.pin, language):
            asked[language][item, prompt] = None
    margin = ASTRAY_MARGINS.get(embedder.pin.name, ASTRAY_MARGIN)
    strays: set[Place] = set()
    for language, pairs in asked.items():
        if len({item for item, _ in pairs}) <= RELEVANCE_MIN_OTHERS:
            continue
        rests = {
            _place(response): rest
            for response in answered
            if response.language == language
            and (prompt := prompts[_place(response)])
            and content_words(rest := own_words(prompt, response.response[:MOST_CHARACTERS]))
        }
        if not rests:
            continue
        items = np.array([item for item, _ in pairs])
        of_prompts = text_vectors(embedder, [prompt for _, prompt in pairs])
        for place, vector in zip(rests, text_vectors(embedder, list(rests.values())), strict=True):
            cosines = of_prompts @ vector
            own = items == item_of[place]
            if cosines[~own].max() - cosines[own].max() > margin:
                strays.add(place)
    return frozenset(strays)


def _runs(text: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(text[start : start + RECURRING_WORDS]) for start in range(len(text) - RECURRING_WORDS + 1)]


def _is_common(count: int, responses: int) -> bool:
    return responses >= CONSTANT_MIN_RESPONSES and count >= CONSTANT_SHARE * responses


def _place(response: Response) -> Place:
    return response.item_id, response.language, response.variant
