"""Small runs of predicted ratings and choices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from submissions.formats.personalized_evaluation.submission import (
    ASPECTS,
    DEFAULT_SCALE,
    PairItem,
    PairsSubmission,
    ProfileComparison,
    ProfileReview,
    RatingItem,
    RatingsSubmission,
    Scale,
)
from submissions.schema import Names

NAMES = Names("aurora", "reader", "org/m", "1")


def ratings_run(
    items: Sequence[RatingItem], k: int = 1, scale: Scale = DEFAULT_SCALE, gold_scale: Scale = DEFAULT_SCALE
) -> RatingsSubmission:
    return RatingsSubmission(NAMES, "own", k, None, None, "", tuple(items), scale, gold_scale)


def pairs_run(items: Sequence[PairItem], k: int = 1) -> PairsSubmission:
    return PairsSubmission(NAMES, "own", k, None, None, "", tuple(items))


def rating(number: int, gold: float, score: float | None, shown: Sequence[float] = (5,), **changes: Any) -> RatingItem:
    """One item of its own reviewer."""
    profile = tuple(ProfileReview(f"text {place}", "a review", one) for place, one in enumerate(shown))
    fields = {"reviewer": f"reader {number}", "profile": profile, "text": "new", "gold": gold, "score": score}
    return RatingItem(id=f"r{number:03}", **{**fields, **changes})


def pair(number: int, aspect: int = 0, **changes: Any) -> PairItem:
    """One item of its own reviewer; gold A unless said otherwise."""
    fields = {
        "id": f"p{number:03}-{aspect}",
        "reviewer": f"reader {number}",
        "comparison": "one",
        "aspect": ASPECTS[aspect],
        "profile": (ProfileComparison("old a", "old b", "A"),),
        "text_a": "new a",
        "text_b": "new b",
        "gold": "A",
    }
    return PairItem(**{**fields, **changes})
