"""What the answer head is trained, calibrated and measured on: prompts with real answers, and with texts that are none.

Real answers are those of our labelled pairs and of `own_answers.jsonl`; what is no answer is put together from the
sentences in `non_answers.json`, from other prompts and from answers to other topics, or was written for each topic
(`beside_the_question.jsonl`), or was drawn from the labelled pairs and answers nothing (`pair_texts_beside.jsonl`).
What a very small model said, some of it an answer, is in `small_model_texts.jsonl`. Topics and sentences of one split
occur in no other, and no topic is one of the demonstration set. `answered_prompts.md` says who wrote what.
"""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Literal, NamedTuple

from evaluator.judge_quality.labelled_pairs import Split, labelled_pairs
from evaluator.text.content_checks import content_words, sentences, words

SMALL_MODEL, SMALL_MODEL_RAMBLING = "small_model", "small_model_rambling"
"""What a very small model said that answers, and that answers nothing, as its readers found."""

REAL_KINDS = (
    "written", "from_pairs", "first_sentence", "with_courtesy", "after_restating", "after_facts", SMALL_MODEL,
)  # fmt: skip
"""Kinds of real answers: written for this set, taken from the labelled pairs, four made of those, and a model's."""

REAL_KINDS_IN_TRAINING = ("people_short", "people_long", "long_reply", "task_output")
"""More of them, in no split of this set: of real systems, written ones laid out as a long reply (`people`), and outputs
of tasks that people made (`tasks`)."""

FACTS = "subject_facts"
"""What is true of the subject of a prompt, and answers nothing."""

PUT_TOGETHER = (
    "refusal", "hedge", "own_prompt", "foreign_prompt", "topic_words", "vacuous", "shell", "courtesy",
    "generic_advice", "promise", "judge_text", "yes_no", "harmful", "question_back", "nonsense", "other_language",
    "other_item",
)  # fmt: skip

SAME_TOPIC = "same_topic"
"""A text of the labelled pairs that is about the topic and answers nothing, as a reader of every text drawn found."""

FALSE_KINDS = (*PUT_TOGETHER, FACTS, SAME_TOPIC, SMALL_MODEL_RAMBLING)
"""Kinds of texts that answer nothing; `answered_prompts.md` describes each."""

BESIDE_THE_QUESTION = ("definition", "rambling", "facts", "short")
"""What was written of each topic about its subject, as in `beside_the_question.jsonl`; the last two of plain topics."""

Kind = str
"""One of `REAL_KINDS` or `FALSE_KINDS`."""

DEMONSTRATION_TOPICS = frozenset(
    {
        "bicycle_repair", "tyres", "landlord_letter", "heating_bill", "first_aid_burns", "sleep", "figures_of_sleep",
        "recycling", "glass_recycling", "plastic_waste", "train_travel", "houseplants", "swimming",
        "figures_of_swimming", "interview", "vaccines", "pet_vaccines", "thank_you_letter", "cat_care",
        "rainbow_physics", "mushroom_picking", "dog_training", "sheepdog_training", "phone_contract",
    }
)  # fmt: skip
"""Topics of the labelled pairs that the demonstration set asks about too: they are in no split of this set."""

NO_ANSWERS = frozenset({"off_topic", "refusal", "other_word_sense"})
"""Categories of labelled pairs whose second text need not answer its prompt."""

REAL_PER_TOPIC: Mapping[Split, int] = {"train": 14, "validation": 12, "test": 12}
"""Answers taken from the labelled pairs of one topic: enough to be many, few enough that none outweighs the others."""


WRITTEN_TIMES: Mapping[Split, int] = {"train": 2, "validation": 1, "test": 1}
"""How often each answer written for this set is shown: prompts that ask for a letter or a line of code are rare among
the labelled pairs."""

FALSE_SHARE: Mapping[Split, float] = {"train": 0.5, "validation": 1.0, "test": 1.0}
"""Of the texts that answer nothing, which a split has of each kind for each prompt: training with all of them would
take twice as long."""

FACTS_PER_PROMPT: Mapping[Split, int] = {"train": 4, "validation": 1, "test": 1}
"""Texts about its subject beside each of a topic's first two prompts: in training all that were written, since they are
the hardest to tell from answers."""

RAMBLING_TIMES: Mapping[Split, int] = {"train": 3, "validation": 1, "test": 1}
"""How often each text of the small model that answers nothing is shown: it is the rarer, and as often as one that
answers the head would learn the model's manner instead."""


class LabelledAnswer(NamedTuple):
    """A prompt, a text, and whether the one answers the other."""

    topic: str
    """The unit of the split and of the bootstrap."""
    kind: Kind
    prompt: str
    text: str

    @property
    def is_answer(self) -> bool:
        return self.kind in REAL_KINDS or self.kind in REAL_KINDS_IN_TRAINING


class Topic(NamedTuple):
    name: str
    prompts: tuple[str, ...]
    answers: tuple[tuple[Literal["written", "from_pairs"], str, str], ...]
    """Kind, prompt, answer."""
    beside: tuple[tuple[str, str], ...] = ()
    """Prompt, text of the labelled pairs that answers nothing."""


def labelled_answers(split: Split) -> list[LabelledAnswer]:
    """All examples of a split, the same ones in the same order each time."""
    dice = random.Random(f"answers {split}")
    topics = [*_written_topics(split), *_pair_topics(split, dice)]
    pools = {kind: pool[split] for kind, pool in non_answer_pools().items()}
    answers: list[LabelledAnswer] = []
    for topic in topics:
        others = [other for other in topics if other.name != topic.name]
        answers += _real(topic, pools, dice)
        answers += _false(topic, others, pools, dice, FALSE_SHARE[split])
    return [*answers, *_about_the_subject(topics, split), *_said_by_a_small_model(split)]


def _written_topics(split: Split) -> list[Topic]:
    return [
        Topic(
            row["topic"],
            tuple(row["prompts"]),
            WRITTEN_TIMES[split]
            * tuple(("written", prompt, answer) for prompt in row["prompts"] for answer in row["answers"]),
        )
        for row in _rows("own_answers.jsonl")
        if row["split"] == split
    ]


def _pair_topics(split: Split, dice: random.Random) -> list[Topic]:
    prompts: defaultdict[str, dict[str, None]] = defaultdict(dict)
    answers: defaultdict[str, dict[tuple[str, str], None]] = defaultdict(dict)
    for pair in labelled_pairs(split):
        if pair.topic in DEMONSTRATION_TOPICS:
            continue
        prompts[pair.topic] |= {pair.prompt_a: None, pair.prompt_b: None}
        answers[pair.topic][pair.prompt_a, pair.a] = None
        if pair.category not in NO_ANSWERS:
            answers[pair.topic][pair.prompt_b, pair.b] = None
    drawn = {name: dice.sample(list(of), min(REAL_PER_TOPIC[split], len(of))) for name, of in answers.items()}
    beside = _pair_texts_beside()
    return [
        Topic(
            name,
            tuple(asked),
            tuple(("from_pairs", *both) for both in drawn[name] if both not in beside),
            tuple(both for both in drawn[name] if both in beside),
        )
        for name, asked in prompts.items()
    ]


@cache
def _pair_texts_beside() -> frozenset[tuple[str, str]]:
    """Prompt and text of the labelled pairs, of those drawn, where the text answers nothing."""
    return frozenset((row["prompt"], row["text"]) for row in _rows("pair_texts_beside.jsonl"))


# --- real answers ----------------------------------------------------------------------------------------------------


def _real(topic: Topic, pools: Mapping[str, Sequence[str]], dice: random.Random) -> Iterator[LabelledAnswer]:
    for kind, prompt, answer in topic.answers:
        yield LabelledAnswer(topic.name, kind, prompt, answer)
    for _, prompt, answer in dice.sample(topic.answers, min(4, len(topic.answers))):
        yield LabelledAnswer(topic.name, "with_courtesy", prompt, courteous(answer, prompt, pools, dice))
    for _, prompt, answer in dice.sample(topic.answers, min(2, len(topic.answers))):
        yield LabelledAnswer(topic.name, "after_restating", prompt, f"{restated(prompt, pools, dice)} {answer}")
    for _, prompt, answer in dice.sample(topic.answers, min(2, len(topic.answers))):
        if len(sentences(answer)) > 1:
            yield LabelledAnswer(topic.name, "first_sentence", prompt, sentences(answer)[0])


def courteous(answer: str, prompt: str, pools: Mapping[str, Sequence[str]], dice: random.Random) -> str:
    before, after = ([_filled(dice.choice(pools[kind]), prompt, dice)] for kind in ("shell", "courtesy"))
    for _ in range(dice.choice((0, 0, 1, 5))):
        after.append(_filled(dice.choice(pools["courtesy"]), prompt, dice))
    return " ".join([*(before if dice.random() < 0.6 else []), answer, *(after if dice.random() < 0.6 else [])])


def restated(prompt: str, pools: Mapping[str, Sequence[str]], dice: random.Random) -> str:
    return _filled(dice.choice([*pools["own_prompt"], "{w}:", "{t}:"]), prompt, dice)


# --- texts that answer nothing ---------------------------------------------------------------------------------------


def _false(
    topic: Topic, others: Sequence[Topic], pools: Mapping[str, Sequence[str]], dice: random.Random, share: float
) -> Iterator[LabelledAnswer]:
    for prompt in topic.prompts[:2]:
        for kind in PUT_TOGETHER:
            if (kind == "yes_no" and takes_yes(prompt)) or dice.random() >= share:
                continue
            text = (
                _other_item(prompt, others, dice) if kind == "other_item" else said(kind, prompt, others, pools, dice)
            )
            yield LabelledAnswer(topic.name, kind, prompt, text)
    for prompt, other in zip(topic.prompts, topic.prompts[1:], strict=False):
        yield LabelledAnswer(topic.name, "own_prompt", prompt, other)


def _about_the_subject(topics: Sequence[Topic], split: Split) -> Iterator[LabelledAnswer]:
    """What is about the subject of each topic and answers nothing, and real answers that come after such a text.

    With dice of its own, so that the examples of other kinds do not change with it.
    """
    dice = random.Random(f"about the subject {split}")
    written = _beside_the_question()
    for topic in topics:
        texts = written[topic.name]
        for prompt in topic.prompts[:2]:
            for text in dice.sample(texts, min(FACTS_PER_PROMPT[split], len(texts))):
                yield LabelledAnswer(topic.name, FACTS, prompt, with_topic(text, prompt, dice, 0.25))
        for _, prompt, answer in dice.sample(topic.answers, min(2, len(topic.answers))):
            yield LabelledAnswer(topic.name, "after_facts", prompt, f"{dice.choice(texts)} {answer}")
        for prompt, text in topic.beside:
            yield LabelledAnswer(topic.name, SAME_TOPIC, prompt, text)


def _said_by_a_small_model(split: Split) -> Iterator[LabelledAnswer]:
    for row in _rows("small_model_texts.jsonl"):
        if row["split"] == split:
            kind, times = (SMALL_MODEL, 1) if row["answers"] else (SMALL_MODEL_RAMBLING, RAMBLING_TIMES[split])
            yield from times * [LabelledAnswer(row["topic"], kind, row["prompt"], row["text"])]


@cache
def _beside_the_question() -> dict[str, list[str]]:
    """Topic -> the texts about its subject, in the order of `BESIDE_THE_QUESTION`."""
    rows = _rows("beside_the_question.jsonl")
    return {row["topic"]: [row[name] for name in BESIDE_THE_QUESTION if name in row] for row in rows}


_ALONE = frozenset({"own_prompt", "foreign_prompt", "topic_words"})
"""Kinds of which one sentence is enough, and that hold the topic by themselves."""


def said(
    kind: Kind, prompt: str, others: Sequence[Topic], pools: Mapping[str, Sequence[str]], dice: random.Random
) -> str:
    pool = pools[kind]
    count = 1 if kind in _ALONE else min(len(pool), dice.choice((1, 1, 2, 3, 4, 6)))
    foreign = [dice.choice(dice.choice(others).prompts) for _ in range(2)]
    text = " ".join(_filled(sentence, prompt, dice, foreign) for sentence in dice.sample(pool, count))
    return text if kind in _ALONE else with_topic(text, prompt, dice, 0.55)


def _other_item(prompt: str, others: Sequence[Topic], dice: random.Random) -> str:
    _, _, answer = dice.choice(dice.choice(others).answers)
    return with_topic(answer, prompt, dice, 0.4)


def with_topic(text: str, prompt: str, dice: random.Random, share: float) -> str:
    """The text, in a share of cases with the prompt's own words before it, after it or on both sides."""
    if dice.random() >= share:
        return text
    before, after = (_filled(dice.choice(("{w}", "{w}.", "{w}:", "{s}", "{t}:", "{t}.")), prompt, dice) for _ in "ab")
    return dice.choice((f"{before} {text}", f"{text} {after}", f"{before} {text} {after}"))


# --- the topic of a prompt -------------------------------------------------------------------------------------------

_ASKING = re.compile(
    r"""^(?:(?:please|pls|so|hi|hello|tell\sme|explain|kindly)[\s,]+)*
    (?:(?:could|can|would|will)\syou\s(?:please\s|kindly\s)?(?:explain|tell\sme|advise\sme(?:\son)?|say|describe)?\s*)?
    (?:(?:how|what|when|where|why|which|who)\s
       (?:(?:much|many|long|far|best|else|exactly|age|things)\s)*
       (?:(?:do|does|did|is|are|was|were|can|could|should|shall|must|may|might|would|ought|will|has|have|s)\s)?
       (?:(?:i|we|you|one|he|she|they|it|people)\s)?(?:to\s)?
     |(?:is|are|do|does|can|should|may|must)\s(?:it|i|we|one|you)\s(?:advisable\sto\s)?)?""",
    re.IGNORECASE | re.VERBOSE,
)
_YES_NO = re.compile(
    r"^(?:is|are|was|were|do|does|did|can|could|may|might|must|should|shall|would|will|has|have|am)\b|\by/n\b|yes or no"
    r"|\b(?:is|are|can|do|does|should|shall|may|will|did) (?:it|that|i|we|they|this|he|she|the|my|a)\b",
    re.IGNORECASE,
)


def takes_yes(prompt: str) -> bool:
    """Might yes or no be an answer?

    >>> takes_yes("Can cats eat tuna?"), takes_yes("How do I boil rice?")
    (True, False)
    """
    return _YES_NO.search(prompt) is not None and not re.match(r"(?:how|why|what|when|where|which|who)\b", prompt, re.I)


def clause(prompt: str) -> str:
    """What a prompt asks about, without the asking.

    >>> clause("How do I reverse a string in Python?"), clause("Write a limerick about a lazy cat.")
    ('reverse a string in Python', 'Write a limerick about a lazy cat')
    """
    return _ASKING.sub("", prompt.strip()).strip(" ?!.") or prompt.strip(" ?!.")


def topic_words(prompt: str) -> list[str]:
    """The words of a prompt that carry content, each once, in order.

    >>> topic_words("How do I boil the rice?")
    ['boil', 'rice']
    """
    return list(dict.fromkeys(word for word in words(prompt) if content_words(word))) or words(prompt)[:3] or ["it"]


def _filled(sentence: str, prompt: str, dice: random.Random, foreign: Sequence[str] = ("", "")) -> str:
    """A sentence with the prompt's words in its places: {w} several, {s} and {s2} one, {t} what is asked, {p} it all.

    {o} and {o2} are prompts of other topics.
    """
    own = topic_words(prompt)
    some = own if dice.random() < 0.3 else dice.sample(own, min(len(own), dice.choice((1, 2, 3, 4))))
    if dice.random() < 0.3:
        some = dice.sample(some, len(some))
    places = {
        "w": dice.choice((" ", " ", ", ", " and ")).join(some),
        "s": dice.choice(own),
        "s2": dice.choice(own),
        "t": clause(prompt),
        "p": prompt,
        "o": foreign[0],
        "o2": foreign[-1],
    }
    text = re.sub(r"\{(w|s2|s|t|p|o2|o)\}", lambda place: places[place[1]], sentence)
    return text[:1].upper() + text[1:] if dice.random() < 0.7 else text


@cache
def non_answer_pools() -> dict[str, dict[str, list[str]]]:
    """Kind -> split -> sentences."""
    answers: dict[str, dict[str, list[str]]] = json.loads(_shipped("non_answers.json"))
    return answers


def _rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in _shipped(name).splitlines()]


def _shipped(name: str) -> str:
    return files("research.answers").joinpath(name).read_text(encoding="utf-8")
