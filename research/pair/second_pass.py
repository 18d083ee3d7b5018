"""Second labelling passes: grades given out of view of the first ones, and how far both agree.

`labelled_pairs.md` says how they were made.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from evaluator.judge_quality.labelled_pairs import EQUIVALENT_GRADE, LabelledPair
from evaluator.statistics.label_agreement import label_agreement


@dataclass(frozen=True, slots=True)
class PassAgreement:
    """How far two passes of labelling agree on "the same" (grade 3 or more) or "different"."""

    pairs: int
    alike: int
    """Pairs that both call the same, or both call different."""
    equal_grades: int
    """Pairs with one grade in both."""
    kappa: float | None
    """Cohen's kappa of the two words: 1 full agreement, 0 chance; None where either says one word only."""
    low: float | None
    high: float | None
    """Its 95% interval, over topics."""


WRITTEN = "second_pass.tsv"
"""Of the test pairs that were written one by one."""
SMALL_MODEL = "small_model_second_pass.tsv"
"""Of two answers of a very small model to one question in other words, validation and test pairs."""


def second_grades(file: str = WRITTEN) -> dict[str, int]:
    """Grades 0-5 of a second pass by the id of the pair, in file order."""
    with files("research.pair").joinpath(file).open(encoding="utf-8") as lines:
        return {row["id"]: int(row["grade"]) for row in csv.DictReader(lines, delimiter="\t")}


def pass_agreement(pairs: Sequence[LabelledPair], second: Mapping[str, int]) -> PassAgreement:
    """The agreement of the two passes on the pairs that both graded.

    Args:
        pairs: With the grades of the first pass.
        second: Grades of the second by the id of the pair.
    """
    pairs = [pair for pair in pairs if pair.id in second]
    first_words = [_word(pair.grade) for pair in pairs]
    second_words = [_word(second[pair.id]) for pair in pairs]
    agreement = label_agreement(first_words, second_words, {"topic": [pair.topic for pair in pairs]})
    low, high = agreement["kappa_ci"] or (None, None)
    return PassAgreement(
        pairs=len(pairs),
        alike=sum(first_word == second_word for first_word, second_word in zip(first_words, second_words, strict=True)),
        equal_grades=sum(pair.grade == second[pair.id] for pair in pairs),
        kappa=agreement["kappa"],
        low=low,
        high=high,
    )


def _word(grade: int) -> str:
    return "same" if grade >= EQUIVALENT_GRADE else "different"
