"""What a very small language model answers to one question, graded: sentences that sound alike and say other things.

Systems on the boards answer so, too; nobody who writes a pair by design does. `labelled_pairs.md` says whose answers
they are, and how they were graded.
"""

from __future__ import annotations

from evaluator.judge_quality.labelled_pairs import LabelledPair, Split
from evaluator.judge_quality.written_topics import written_pairs


def small_model_pairs(split: Split | None = None) -> list[LabelledPair]:
    """The labelled pairs of all topics, or of those of one split, in file order."""
    return written_pairs("small_model_answers.jsonl", split)
