"""Pairs about who is spoken to and who does what: another person, address or part in it is no other content."""

from __future__ import annotations

from importlib.resources import files

from pydantic import BaseModel, ConfigDict

from evaluator.judges.quality.labelled_pairs import LabelledPair, Split


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Said(_Frozen):
    """A statement, and what else was written: (category, grade 0-5, text)."""

    text: str
    others: tuple[tuple[str, int, str], ...]


class Viewpoints(_Frozen):
    """What was written on one topic."""

    topic: str
    split: Split
    prompt_a: str
    prompt_b: str
    said: tuple[Said, ...]


def viewpoint_pairs(split: Split | None = None) -> list[LabelledPair]:
    """The labelled pairs of all topics, or of those of one split, in file order. None is of the test split.

    `labelled_pairs.md` says how they were written.
    """
    text = files("evaluator.judges.quality").joinpath("viewpoint_pairs.jsonl").read_text(encoding="utf-8")
    topics = [Viewpoints.model_validate_json(line) for line in text.splitlines()]
    return [pair for topic in topics if split is None or topic.split == split for pair in _pairs(topic)]


def _pairs(viewpoints: Viewpoints) -> list[LabelledPair]:
    written = [(said.text, *other) for said in viewpoints.said for other in said.others]
    return [
        LabelledPair(
            id=f"{viewpoints.topic}-{number:02d}",
            topic=viewpoints.topic,
            split=viewpoints.split,
            category=category,
            prompt_a=viewpoints.prompt_a,
            prompt_b=viewpoints.prompt_b,
            a=text,
            b=other,
            grade=grade,
        )
        for number, (text, category, grade, other) in enumerate(written, start=1)
    ]
