"""What PerSE's paper reports (Wang et al., EMNLP 2024, tables 2, 4 and 5): rows to read ours beside, never ranked.

They hold for the published data alone, whose texts and readers are not ours to pass on.
"""

from __future__ import annotations

from dataclasses import dataclass

from submissions.formats.personalized_evaluation.submission import ASPECTS, PAIRS_KIND, RATINGS_KIND, Aspect

PER_MPST = "PerMPST"
PER_DOC = "PerDOC"
AMAZON = "Amazon"


@dataclass(frozen=True, slots=True)
class PublishedRatings:
    """A row of table 2 (k = 3) or 5."""

    name: str
    dataset: str
    k: int | None
    """None = the table does not say."""
    pearson: float
    spearman: float
    kendall: float

    @property
    def kind(self) -> str:
        return RATINGS_KIND


@dataclass(frozen=True, slots=True)
class PublishedPairs:
    """A row of table 4."""

    name: str
    dataset: str
    k: int
    accuracy: dict[Aspect, float]
    average: float
    """As printed, rounded by the authors."""

    @property
    def kind(self) -> str:
        return PAIRS_KIND


def _pairs(name: str, *figures: float) -> PublishedPairs:
    *accuracy, average = figures
    return PublishedPairs(name, PER_DOC, 1, dict(zip(ASPECTS, accuracy, strict=True)), average)


PUBLISHED_RATINGS = (
    PublishedRatings("Reviewer Avg.", PER_MPST, 3, 0.301, 0.302, 0.230),
    PublishedRatings("Matrix Factorization", PER_MPST, 3, 0.308, 0.313, 0.269),
    PublishedRatings("LLaMA-2-7b", PER_MPST, 3, 0.146, 0.117, 0.094),
    PublishedRatings("LLaMA-2-13b", PER_MPST, 3, 0.172, 0.182, 0.147),
    PublishedRatings("LLaMA-2-70b", PER_MPST, 3, 0.214, 0.232, 0.181),
    PublishedRatings("GPT-4", PER_MPST, 3, 0.315, 0.312, 0.253),
    PublishedRatings("PerSE-7b", PER_MPST, 3, 0.307, 0.329, 0.263),
    PublishedRatings("PerSE-13b", PER_MPST, 3, 0.345, 0.368, 0.293),
    PublishedRatings("Reviewer Avg.", AMAZON, None, 0.146, 0.180, 0.177),
    PublishedRatings("GPT-4", AMAZON, None, 0.152, 0.165, 0.162),
    PublishedRatings("PerSE-7b", AMAZON, None, 0.170, 0.238, 0.219),
    PublishedRatings("PerSE-13b", AMAZON, None, 0.217, 0.247, 0.237),
)

PUBLISHED_PAIRS = (
    _pairs("Reviewer Avg.", 0.466, 0.478, 0.460, 0.469, 0.515, 0.477),
    _pairs("GPT-4", 0.502, 0.496, 0.596, 0.506, 0.543, 0.529),
    _pairs("PerSE-7b", 0.572, 0.565, 0.619, 0.565, 0.560, 0.576),
    _pairs("PerSE-13b", 0.621, 0.570, 0.616, 0.607, 0.597, 0.602),
)
