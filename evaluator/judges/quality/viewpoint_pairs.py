"""Pairs about who is spoken to and who does what: another person, address or part in it is no other content."""

from __future__ import annotations

from evaluator.judges.quality.labelled_pairs import LabelledPair, Split
from evaluator.judges.quality.written_topics import written_pairs


def viewpoint_pairs(split: Split | None = None) -> list[LabelledPair]:
    """The labelled pairs of all topics, or of those of one split, in file order. None is of the test split.

    `labelled_pairs.md` says how they were written.
    """
    return written_pairs("viewpoint_pairs.jsonl", split)
