"""Contrast sets: a statement beside texts that say the same and texts that differ in one decisive place.

The name and the idea are of Gardner et al. 2020, "Evaluating Models' Local Decision Boundaries via Contrast Sets"
(arXiv 2004.02709); they measure with such sets, the pair judge is trained on most of these.
"""

from __future__ import annotations

from evaluator.judge_quality.labelled_pairs import LabelledPair, Split
from evaluator.judge_quality.written_topics import written_pairs


def contrast_sets(split: Split | None = None) -> list[LabelledPair]:
    """The labelled pairs of all sets, or of those of one split, in file order; none are of the validation split.

    `labelled_pairs.md` says how they were written.
    """
    return written_pairs("contrast_sets.jsonl", split)
