"""What people might state, in many languages: what the judge is trained on besides English pairs, and measured on.

Every topic is written in every language as a statement, the same in other words, and what contradicts it in nearly the
same words. The sentences that multilingual-e5-small is measured by (`multilingual/texts.tsv`) are read beside them:
their calibration topics train, their test topics test. statements.md says who wrote what.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import Literal, get_args

from evaluator.judge_quality.e5 import pairs as sentences

Split = Literal["train", "validation", "test"]
Contradiction = Literal[
    "negation", "yes_no", "swapped_roles", "changed_number", "changed_name", "opposite", "changed_fact"
]
Kind = Contradiction | Literal["same", "refusal", "other_claim", "other_subject"]
Length = Literal["sentence", "answer"]
"""One sentence of 2 to 16 words, or three of 30 to 60 words together."""

CONTRADICTIONS: tuple[Contradiction, ...] = get_args(Contradiction)
"""`changed_fact` is what `multilingual/topics.tsv` calls a changed number, month or opposite word."""

GRADES: dict[str, int] = {"same": 5, "other_claim": 1}
"""By the scale of the labelled pairs; every other kind is 0."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One topic in one language."""

    language: str
    topic: str
    split: Split
    contradiction: Contradiction
    said: str
    again: str
    """The same in other words."""
    contradicted: str
    other: str = ""
    """Another claim about the same subject; "" where none is written."""
    length: Length = "sentence"


@dataclass(frozen=True, slots=True)
class StatedPair:
    """Two sentences, each in its language, and how they are related."""

    topic: str
    kind: Kind
    first: str
    first_language: str
    second: str
    second_language: str

    @property
    def grade(self) -> int:
        return GRADES.get(self.kind, 0)


def languages() -> tuple[str, ...]:
    """Every language that statements are written in, sorted."""
    return tuple(sorted({statement.language for statement in _all()}))


def languages_trained() -> tuple[str, ...]:
    """The languages that have training topics of their own, beside those that every language has."""
    rows = _rows("statements.tsv")
    train = {row["topic"] for row in _rows("topics.tsv") if row["split"] == "train"}
    return tuple(sorted({row["language"] for row in rows if row["topic"] in train}))


def statements(split: Split, language: str, length: Length = "sentence") -> tuple[Statement, ...]:
    """The statements of a split in one language, in file order; none where a language has none of that length."""
    return tuple(
        statement
        for statement in _all()
        if (statement.split, statement.language, statement.length) == (split, language, length)
    )


def refusals(split: Literal["train", "test"], language: str) -> tuple[str, ...]:
    """Two ways of declining to answer."""
    rows = _rows("refusals.tsv")
    return tuple(row["refusal"] for row in rows if row["split"] == split and row["language"] == language)


def pairs_within(language: str, split: Split, length: Length = "sentence") -> list[StatedPair]:
    """The pairs in one language: of each topic one that says the same, two that contradict, two other claims where one
    is written, one with the next topic; of test sentences also refusals, beside each other and beside statements."""
    pairs = []
    for statement, following in _with_next(statements(split, language, length)):
        kinds: list[tuple[Kind, str, str]] = [
            ("same", statement.said, statement.again),
            (statement.contradiction, statement.said, statement.contradicted),
            (statement.contradiction, statement.again, statement.contradicted),
            ("other_subject", statement.said, following.again),
        ]
        if statement.other:
            kinds += [
                ("other_claim", statement.said, statement.other),
                ("other_claim", statement.again, statement.other),
            ]
        pairs += [StatedPair(statement.topic, kind, a, language, b, language) for kind, a, b in kinds]
    return [*pairs, *(_refused(language, language, split) if length == "sentence" else ())]


def pairs_between(first: str, second: str, split: Split, length: Length = "sentence") -> list[StatedPair]:
    """The pairs in two languages: of each topic that both have three that say the same (a translation among them), two
    that contradict, two other claims where one is written, two with the next topic; refusals as in one language."""
    ones, twos = (statements(split, language, length) for language in (first, second))
    shared = {statement.topic for statement in ones} & {statement.topic for statement in twos}
    of_second = {statement.topic: statement for statement in twos}
    pairs = []
    for left, following in _with_next([statement for statement in ones if statement.topic in shared]):
        right = of_second[left.topic]
        kinds: list[tuple[Kind, str, str]] = [
            ("same", left.said, right.said),
            ("same", left.said, right.again),
            ("same", left.again, right.said),
            (left.contradiction, left.said, right.contradicted),
            (left.contradiction, left.contradicted, right.said),
            ("other_subject", left.said, of_second[following.topic].again),
            ("other_subject", following.again, right.said),
        ]
        if left.other:
            kinds += [("other_claim", left.said, right.other), ("other_claim", left.other, right.said)]
        pairs += [StatedPair(left.topic, kind, a, first, b, second) for kind, a, b in kinds]
    return [*pairs, *(_refused(first, second, split) if length == "sentence" else ())]


def statements_digest() -> str:
    """How many sentences there are, and the SHA-256 of the files they stand in."""
    held = b"".join(_file(name).encode() for name in ("topics.tsv", "statements.tsv", "answers.tsv", "refusals.tsv"))
    count = 3 * (len(_rows("statements.tsv")) + len(_rows("answers.tsv"))) + len(_rows("refusals.tsv"))
    return f"{count} texts, sha256 {hashlib.sha256(held).hexdigest()}; {sentences.texts_digest()}"


def _refused(first: str, second: str, split: Split) -> Iterator[StatedPair]:
    """Of the test split: two refusals are alike, and no refusal says what a statement says."""
    if split != "test":
        return
    declined, also = refusals("test", first), refusals("test", second)
    yield StatedPair("refusal", "same", declined[0], first, also[1], second)
    for place, statement in enumerate(own for own in statements(split, second) if not own.other):
        yield StatedPair(statement.topic, "refusal", declined[place % 2], first, statement.said, second)


def _with_next(stated: Sequence[Statement]) -> Iterator[tuple[Statement, Statement]]:
    return zip(stated, (*stated[1:], *stated[:1]), strict=True)


@cache
def _all() -> tuple[Statement, ...]:
    return tuple(chain(_written_here(), _written_before("calibration", "train"), _written_before("test", "test")))


def _written_here() -> Iterator[Statement]:
    topics = {row["topic"]: row for row in _rows("topics.tsv")}
    by_length: dict[Length, str] = {"sentence": "statements.tsv", "answer": "answers.tsv"}
    for length, file in by_length.items():
        for row in _rows(file):
            topic = topics[row["topic"]]
            yield Statement(
                **row,
                split=next(split for split in get_args(Split) if split == topic["split"]),
                contradiction=next(
                    contradiction for contradiction in CONTRADICTIONS if contradiction == topic["contradiction"]
                ),
                length=length,
            )


def _written_before(theirs: sentences.Split, split: Split) -> Iterator[Statement]:
    contradictions = {topic.name: topic.contradiction for topic in sentences.topics(theirs)}
    for text in sentences.texts(theirs).values():
        yield Statement(
            text.language,
            text.topic,
            split,
            contradictions[text.topic],
            text.said,
            text.again,
            text.contradicted,
            text.other,
        )


def _rows(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(_file(name).splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))


def _file(name: str) -> str:
    return files("evaluator.judge_quality.multilingual_pair").joinpath(name).read_text(encoding="utf-8")
