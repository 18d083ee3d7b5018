"""Real answers of real systems, beside the written ones: EVOUNA (Wang et al. 2023, arXiv 2305.12421, Apache-2.0).

Its questions are from Natural Questions, five systems answered each of them, and people said which answers are right. A
wrong answer is an answer too; one that declines is left out. The texts do not ship: they lie in a folder of other
people's data (docs/answer_gate.md#how-it-was-trained), split here by question, never by answer.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evaluator.embeddings.protocol import Embedder, text_vectors
from evaluator.judge_quality.labelled_pairs import Split
from evaluator.judge_quality.people import Part, part_of, read_questions
from evaluator.judges.answers.features import without_addresses
from research.answers.examples import (
    PUT_TOGETHER,
    LabelledAnswer,
    Topic,
    courteous,
    labelled_answers,
    non_answer_pools,
    restated,
    said,
    takes_yes,
    with_topic,
)

SHORT_WORDS = 5
"""Answers of at most so many words are short."""

_PARTS: dict[Split, Part] = {"train": "train", "validation": "dev", "test": "held-out"}
"""Of the questions, by the one rule of `quality.people`: what is held out trains and chooses nothing."""

_DECLINES = re.compile(
    r"\b(sorry|apologi[sz]e|I (?:do not|don't|cannot|can't|am unable|am not able|couldn't|could not|did not|didn't) |"
    r"unable to|not (?:sure|clear|possible)|no (?:information|results)|more (?:context|information|specific)|"
    r"not specified)\b",
    re.IGNORECASE,
)

NEIGHBOURS = 12
"""Of the questions nearest in the embeddings: half of the long answers to another question are to one of these."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question and what five systems answered."""

    id: str
    text: str
    gold: tuple[str, ...]
    """Right answers, as the annotators of Natural Questions found them."""
    answers: dict[str, tuple[str, bool]]
    """System -> its answer, and whether people found it right; blank answers and those that decline are left out."""


def questions(folder: Path, split: Split) -> list[Question]:
    """The questions of a split, in the order of the file.

    Raises:
        PeopleFileError: where the folder does not hold the questions, or not as they should be.
    """
    return [
        Question(
            row.id,
            row.question,
            tuple(row.gold.split("/")),
            {
                system: (answer.text, answer.correct)
                for system, answer in row.answers.items()
                if answer.correct or not _DECLINES.search(answer.text)
            },
        )
        for row in read_questions(folder).rows
        if part_of(row.id) == _PARTS[split]
    ]


def is_short(text: str) -> bool:
    """Has a text at most `SHORT_WORDS` words?"""
    return len(text.split()) <= SHORT_WORDS


def measured_answers(folder: Path, split: Split, seed: int = 0) -> list[LabelledAnswer]:
    """Each answer of a split beside its own question, and beside another one drawn at random from the same split.

    The kinds are `people_short`, `people_long`, and the same with `_other`; the topic is the question asked.
    """
    asked, dice = questions(folder, split), random.Random(seed)
    examples = []
    for question in asked:
        for text, _ in question.answers.values():
            kind = "people_short" if is_short(text) else "people_long"
            other = dice.choice([other for other in asked if other.id != question.id])
            examples += [
                LabelledAnswer(question.id, kind, question.text, text),
                LabelledAnswer(other.id, f"{kind}_other", other.text, text),
            ]
    return examples


def mixed_examples(folder: Path, embedder: Embedder) -> list[LabelledAnswer]:
    """What the head is trained on: two fifths of the written examples, real answers, and longer written ones.

    Three quarters of the long real answers are kept, so that short ones are not drowned.
    """
    written = [
        example._replace(text=without_addresses(example.text))
        for example in labelled_answers("train")
        if random.Random(example.prompt + example.text).random() < 0.4
    ]
    real = [
        example
        for example in _real_answers(questions(folder, "train"), embedder)
        if example.kind not in ("people_long", "people_other")
        or (example.kind == "people_other" and is_short(example.text))
        or random.Random(example.text).random() < 0.75
    ]
    return [*written, *real, *_long_replies()]


def _real_answers(asked: Sequence[Question], embedder: Embedder, seed: int = 0) -> Iterator[LabelledAnswer]:
    """Answers to their own question, to another one, after courtesy or the question, and texts that answer nothing."""
    dice = random.Random(seed)
    vectors = text_vectors(embedder, [question.text for question in asked])
    likeness = vectors @ vectors.T
    np.fill_diagonal(likeness, -1)
    pools = {kind: pool["train"] for kind, pool in non_answer_pools().items()}
    topics = [Topic(question.id, (question.text,), (("written", question.text, question.text),)) for question in asked]

    def worded(question: str) -> str:
        """Natural Questions are in small letters and without a mark; prompts of a board are not."""
        return question if dice.random() < 0.6 else question[:1].upper() + question[1:] + dice.choice(("?", "?", ""))

    for place, question in enumerate(asked):
        nearest = np.argsort(-likeness[place])[:NEIGHBOURS]
        for system, (text, _) in question.answers.items():
            short = is_short(text)
            yield LabelledAnswer(question.id, "people_short" if short else "people_long", worded(question.text), text)
            if system == "fid" and dice.random() < 0.8:
                prompt = worded(question.text)
                gold = dice.choice(question.gold) + dice.choice(("", "", "."))
                yield LabelledAnswer(question.id, "people_short", prompt, gold)
            if short and dice.random() < 0.25:
                continue
            near = dice.random() < 0.5 and not short
            other = asked[int(dice.choice(nearest)) if near else dice.randrange(len(asked))]
            if other.id == question.id or any(gold and gold.lower() in text.lower() for gold in other.gold):
                continue
            shown = text if dice.random() < 0.75 or system == "fid" else with_topic(text, other.text, dice, 1.0)
            yield LabelledAnswer(other.id, "people_other", worded(other.text), shown)
        for kind in dice.sample([kind for kind in PUT_TOGETHER if kind != "other_item"], 3):
            if kind == "yes_no" and takes_yes(question.text):
                continue
            text = said(kind, question.text, dice.sample(topics, 3), pools, dice)
            yield LabelledAnswer(question.id, f"people_{kind}", question.text, text)
        change = dice.random()
        if change < 0.5 and (system := dice.choice(("fid", "gpt4", "gpt35"))) in question.answers:
            text, _ = question.answers[system]
            changed = (
                f"{restated(question.text, pools, dice)} {text}"
                if change < 0.25
                else courteous(text, question.text, pools, dice)
            )
            yield LabelledAnswer(question.id, "people_long", question.text, changed)


_LAYOUTS = ("{}\n\n", "- {}\n", "**{n}.** {}\n\n", "{n}. {}\n", "{} ")


def _long_replies(seed: int = 3) -> Iterator[LabelledAnswer]:
    """Several answers of one topic laid out as a long reply, to its own prompt and to one of another topic."""
    dice = random.Random(seed)
    answers: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for example in labelled_answers("train"):
        if example.kind in ("from_pairs", "written", "small_model"):
            answers[example.topic][example.prompt].append(example.text)
    topics = list(answers)
    for topic in topics:
        for prompt, texts in answers[topic].items():
            if dice.random() < 0.8:
                continue
            own = _drawn(texts, dice)
            foreign = answers[dice.choice([other for other in topics if other != topic])]
            others = _drawn(foreign[dice.choice(list(foreign))], dice)
            for kind, some in (("long_reply", own), ("long_reply_other", others)):
                layout = dice.choice(_LAYOUTS)
                if kind == "long_reply_other":
                    third = answers[dice.choice([other for other in topics if other != topic])]
                    every = dict.fromkeys(text for said_to in third.values() for text in said_to)
                    yield LabelledAnswer(topic, "other_item", prompt, dice.choice(list(every)))
                shown = "".join(layout.format(text, n=number) for number, text in enumerate(some, start=1)).strip()
                yield LabelledAnswer(topic, kind, prompt, shown)


def _drawn(texts: Sequence[str], dice: random.Random) -> list[str]:
    different = list(dict.fromkeys(texts))
    return dice.sample(different, min(len(different), dice.choice((1, 2, 3, 4))))


def kinds_in(examples: Sequence[LabelledAnswer]) -> Counter[str]:
    """How many examples of each kind there are."""
    return Counter(example.kind for example in examples)
