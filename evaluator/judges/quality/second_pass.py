"""The second labelling pass over the test pairs: grades given out of view of the first ones, and how far both agree.

`labelled_pairs.md` says how it was made.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from importlib.resources import files

from evaluator.judges.quality.labelled_pairs import EQUIVALENT_GRADE, labelled_pairs
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


def second_grades() -> dict[str, int]:
    """Grades 0-5 of the second pass by the id of the pair, in the order in which they were given."""
    with files("evaluator.judges.quality").joinpath("second_pass.tsv").open(encoding="utf-8") as lines:
        return {row["id"]: int(row["grade"]) for row in csv.DictReader(lines, delimiter="\t")}


def pass_agreement() -> PassAgreement:
    """The agreement of the two passes on the pairs that both graded."""
    second = second_grades()
    pairs = [pair for pair in labelled_pairs("test") if pair.id in second]
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
