"""Our sentences in many languages: what multilingual-e5-small is measured on, and where the languages lie for it.

Every topic is written in every language as four sentences: one, the same said again, one that contradicts it in nearly
the same words, and another claim about the same subject. From these follow pairs in each language. texts.md says who
wrote what.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal, get_args

Split = Literal["calibration", "test"]
Contradiction = Literal["negation", "changed_fact", "swapped_roles"]
Kind = Literal["same", "negation", "changed_fact", "swapped_roles", "other_claim", "other_subject"]

CONTRADICTIONS: tuple[Contradiction, ...] = get_args(Contradiction)

GRADES: dict[Kind, int] = {
    "same": 5,
    "other_claim": 1,
    "negation": 0,
    "changed_fact": 0,
    "swapped_roles": 0,
    "other_subject": 0,
}
"""By the scale of the labelled pairs: 1 = only the subject is shared, 0 = contradictory or unrelated."""


@dataclass(frozen=True, slots=True)
class Texts:
    """One topic in one language."""

    language: str
    topic: str
    said: str
    again: str
    """The same in other words."""
    contradicted: str
    other: str
    """Another claim about the same subject; neither follows from the other nor contradicts it."""

    @property
    def sentences(self) -> tuple[str, ...]:
        return (self.said, self.again, self.contradicted, self.other)


@dataclass(frozen=True, slots=True)
class Topic:
    name: str
    split: Split
    """`calibration` (all that is fitted) or `test` (all that is published): no topic is in both."""
    contradiction: Contradiction


@dataclass(frozen=True, slots=True)
class MeaningPair:
    """Two sentences of one language, and how they are related."""

    topic: str
    kind: Kind
    language: str
    first: str
    second: str

    @property
    def grade(self) -> int:
        return GRADES[self.kind]


def topics(split: Split) -> tuple[Topic, ...]:
    """The topics of a split, in file order."""
    rows = _rows("topics.tsv")
    return tuple(Topic(row["topic"], split, _contradiction(row)) for row in rows if row["split"] == split)


def languages() -> tuple[str, ...]:
    """Every language the texts are written in, sorted."""
    return tuple(sorted({row["language"] for row in _rows("texts.tsv")}))


def texts(split: Split) -> dict[tuple[str, str], Texts]:
    """Language and topic -> its sentences."""
    known = {topic.name for topic in topics(split)}
    written = (Texts(**row) for row in _rows("texts.tsv"))
    return {(text.language, text.topic): text for text in written if text.topic in known}


def pairs_within(language: str, split: Split) -> list[MeaningPair]:
    """Six pairs of each topic in one language: one that says the same, two that contradict, two other claims, and one
    with the next topic."""
    known, names = texts(split), topics(split)
    pairs = []
    for topic, following in _with_next(names):
        own, of_next = known[language, topic.name], known[language, following.name]
        kinds: tuple[tuple[Kind, str, str], ...] = (
            ("same", own.said, own.again),
            (topic.contradiction, own.said, own.contradicted),
            (topic.contradiction, own.again, own.contradicted),
            ("other_claim", own.said, own.other),
            ("other_claim", own.again, own.other),
            ("other_subject", own.said, of_next.again),
        )
        pairs += [MeaningPair(topic.name, kind, language, a, b) for kind, a, b in kinds]
    return pairs


def texts_digest() -> str:
    """How many sentences there are, and the SHA-256 of the two files they stand in."""
    held = b"".join(_file(name).encode() for name in ("topics.tsv", "texts.tsv"))
    return f"{4 * len(_rows('texts.tsv'))} sentences, sha256 {hashlib.sha256(held).hexdigest()}"


def _with_next(names: Sequence[Topic]) -> Iterator[tuple[Topic, Topic]]:
    return zip(names, (*names[1:], names[0]), strict=True)


def _contradiction(row: dict[str, str]) -> Contradiction:
    return next(contradiction for contradiction in CONTRADICTIONS if contradiction == row["contradiction"])


def _rows(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(_file(name).splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))


def _file(name: str) -> str:
    return files("evaluator.judge_quality.e5").joinpath(name).read_text(encoding="utf-8")
