"""Statements on a topic with what else was written beside each: the file format of three sets of labelled pairs."""

from __future__ import annotations

from importlib.resources import files

from pydantic import BaseModel, ConfigDict

from evaluator.judge_quality.labelled_pairs import LabelledPair, Split


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Said(_Frozen):
    """A statement, and what else was written: (category, grade 0-5, text)."""

    text: str
    others: tuple[tuple[str, int, str], ...]


class WrittenTopic(_Frozen):
    """What was written on one topic."""

    topic: str
    split: Split
    prompt_a: str
    prompt_b: str
    said: tuple[Said, ...]


def written_pairs(file: str, split: Split | None) -> list[LabelledPair]:
    """The labelled pairs of all topics of a file beside this module, or of those of one split, in file order."""
    text = files("evaluator.judge_quality").joinpath(file).read_text(encoding="utf-8")
    topics = [WrittenTopic.model_validate_json(line) for line in text.splitlines()]
    return [pair for topic in topics if split is None or topic.split == split for pair in _pairs(topic)]


def _pairs(topic: WrittenTopic) -> list[LabelledPair]:
    written = [(said.text, *other) for said in topic.said for other in said.others]
    return [
        LabelledPair(
            id=f"{topic.topic}-{number:02d}",
            topic=topic.topic,
            split=topic.split,
            category=category,
            prompt_a=topic.prompt_a,
            prompt_b=topic.prompt_b,
            a=text,
            b=other,
            grade=grade,
        )
        for number, (text, category, grade, other) in enumerate(written, start=1)
    ]
