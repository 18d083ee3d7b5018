"""Long answers written for this project, and the labelled pairs that follow from editing them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files

from pydantic import BaseModel, ConfigDict

from evaluator.judge_quality.contrast_sets import contrast_sets
from evaluator.judge_quality.labelled_pairs import LabelledPair, Split, labelled_pairs
from evaluator.judge_quality.small_model_answers import small_model_pairs
from evaluator.judge_quality.written_topics import written_pairs


def viewpoint_pairs(split: Split | None = None) -> list[LabelledPair]:
    """The labelled pairs of all topics, or of those of one split, in file order. None is of the test split.

    `labelled_pairs.md` says how they were written.
    """
    return written_pairs("viewpoint_pairs.jsonl", split)


Edit = tuple[str, str]
"""A stretch of a text, and what is written in its place."""

_SENTENCE_END = re.compile(r"(?<=[.!?]) ")


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Roles(_Frozen):
    """Who does what to whom: said, said in other words, and with the roles exchanged in other words."""

    said: str
    reworded: str
    exchanged: str


class Claim(_Frozen):
    """A short answer to a question of yes or no: said, said in other words, and denied."""

    said: str
    reworded: str
    denied: str


class LongAnswer(_Frozen):
    """An answer of 110 to 230 words, and what its pairs are made of; every text and every edit was written."""

    topic: str
    split: Split
    prompt_a: str
    prompt_b: str
    paragraphs: tuple[str, ...]
    """Each makes sense in any place, so that their order says nothing."""
    retold: str
    """The whole answer in other words."""
    changed_facts: tuple[Edit, ...]
    """Each makes the answer say something else in one place."""
    retold_wrongly: tuple[Edit, ...]
    """Each makes the retold answer contradict the answer in one place."""
    flipped: Edit
    """Makes a no of its yes, or a yes of its no."""
    spelled: tuple[Edit, ...]
    """Words of the answer, and other spellings of them."""
    noncommittal: str
    """A reply that says nothing about the question."""
    refusals: tuple[str, ...]
    roles: tuple[Roles, ...]
    claims: tuple[Claim, ...]

    @property
    def text(self) -> str:
        return "\n\n".join(self.paragraphs)


def long_answers() -> list[LongAnswer]:
    """The long answers of all splits, in file order."""
    text = files("evaluator.judge_quality").joinpath("long_answers.jsonl").read_text(encoding="utf-8")
    return [LongAnswer.model_validate_json(line) for line in text.splitlines()]


def all_pairs(split: Split | None = None) -> list[LabelledPair]:
    """What pair judges are trained and measured on: the pairs written one by one, those of the long answers, those
    about who is spoken to and who does what, the contrast sets, and answers of a very small model.

    None of the last three is of the test split: the contrast sets to measure with are 1,040 pairs of one kind, and
    would outweigh the 834 others; the answers are measured on apart.
    """
    of_one_kind = [pair for pair in (*contrast_sets(split), *small_model_pairs(split)) if pair.split != "test"]
    return [*labelled_pairs(split), *edited_pairs(split), *viewpoint_pairs(split), *of_one_kind]


def edited_pairs(split: Split | None = None) -> list[LabelledPair]:
    """The labelled pairs of all long answers, or of those of one split, in file order."""
    return [
        LabelledPair(
            id=f"{answer.topic}-{number:02d}",
            topic=answer.topic,
            split=answer.split,
            category=category,
            prompt_a=answer.prompt_a,
            prompt_b=answer.prompt_b,
            a=first,
            b=second,
            grade=grade,
        )
        for answer in long_answers()
        if split is None or answer.split == split
        for number, (category, first, second, grade) in enumerate(_pairs(answer), start=1)
    ]


def _pairs(answer: LongAnswer) -> Iterator[tuple[str, str, str, int]]:
    """(category, answer, other answer, grade)"""
    text, retold = answer.text, answer.retold
    wrong = [_edited(text, edit) for edit in answer.changed_facts]
    yield "near_identical", text, _nearly(text), 5
    yield "moved_parts", text, _moved(text), 5
    yield "reformatted", text, _as_list(text), 5
    yield "reformatted", text, _with_headings(text), 5
    yield "spelling_variant", text, _spelled(answer), 5
    yield "paraphrase", text, retold, 5
    yield "paraphrase", _moved(text), retold, 5
    yield "list_or_prose", text, _as_list(retold), 5
    for changed in wrong:
        yield "changed_fact", text, changed, 1
    yield "changed_fact", text, _moved(wrong[0]), 1
    yield "changed_fact", text, _as_list(wrong[1]), 1
    for edit in answer.retold_wrongly:
        yield "changed_fact", text, _edited(retold, edit), 1
    yield "yes_no_flip", text, _edited(text, answer.flipped), 0
    yield "noncommittal", text, answer.noncommittal, 0
    yield "noncommittal", answer.paragraphs[0], answer.noncommittal, 0
    yield "refusal", text, answer.refusals[0], 0
    for refusal in answer.refusals:
        yield "refusal", answer.claims[0].said, refusal, 0
    for roles in answer.roles:
        yield "minor_edit", roles.said, roles.reworded, 5
        yield "swapped_roles", roles.said, roles.exchanged, 0
        yield "swapped_roles", roles.reworded, roles.exchanged, 0
    for claim in answer.claims:
        yield "paraphrase", claim.said, claim.reworded, 5
        yield "yes_no_flip", claim.said, claim.denied, 0
        yield "yes_no_flip", claim.reworded, claim.denied, 0


def _edited(text: str, edit: Edit) -> str:
    return text.replace(*edit, 1)


def _spelled(answer: LongAnswer) -> str:
    text = answer.text
    for edit in answer.spelled:
        text = text.replace(*edit)
    return text


def _nearly(text: str) -> str:
    """The text without paragraphs, its second comma and its last full stop: slips that a reader passes over."""
    first, second, *rest = text.replace("\n\n", " ").split(",")
    return ",".join([f"{first},{second}{rest[0]}", *rest[1:]]).removesuffix(".")


def _moved(text: str) -> str:
    """The last paragraph first."""
    *others, last = text.split("\n\n")
    return "\n\n".join([last, *others])


def _as_list(text: str) -> str:
    """A Markdown list with a sentence to an item."""
    return "\n".join(f"- {sentence}" for part in text.split("\n\n") for sentence in _SENTENCE_END.split(part))


def _with_headings(text: str) -> str:
    """Each paragraph under a numbered heading, its first sentence in bold."""
    parts = []
    for number, part in enumerate(text.split("\n\n"), start=1):
        first, *rest = _SENTENCE_END.split(part)
        parts.append(" ".join([f"## {number}.\n\n**{first}**", *rest]))
    return "\n\n".join(parts)
