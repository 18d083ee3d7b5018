"""Guesses of how one reader rates a text, or which of two this reader prefers (PerSE, arXiv 2310.03304).

A judge sees a profile, the `k` earlier reviews of one reviewer, and predicts the same reviewer's next rating
(`personalized_ratings`) or choice between two texts in one aspect (`personalized_pairs`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, get_args

from submissions.schema import Names

RatingsKind = Literal["personalized_ratings"]
PairsKind = Literal["personalized_pairs"]
RATINGS_KIND: RatingsKind = "personalized_ratings"
PAIRS_KIND: PairsKind = "personalized_pairs"
PERSE_KINDS: tuple[str, ...] = (RATINGS_KIND, PAIRS_KIND)

SET_ID = "personalized_evaluation"
"""What files of both kinds are entered under."""

Choice = Literal["A", "B"]
"""A text, never a place: A is `text_a`, in whichever order the two were shown."""
CHOICES: tuple[Choice, ...] = get_args(Choice)

Aspect = Literal["Interestingness", "Adaptability", "Surprise", "Character Development", "Ending"]
ASPECTS: tuple[Aspect, ...] = get_args(Aspect)
"""In the order of the published tables."""

_ASPECT_OF_NAME: dict[str, Aspect] = {
    **{aspect.casefold(): aspect for aspect in ASPECTS},
    **{aspect[0].casefold(): aspect for aspect in ASPECTS},
    "character": "Character Development",
}
_CHOICE_OF_NAME: dict[str, Choice] = {"a": "A", "plot a": "A", "b": "B", "plot b": "B"}


def aspect_of(name: str) -> Aspect | None:
    """The aspect a name stands for, in any accepted spelling; None for none of the five.

    >>> aspect_of("character"), aspect_of("e"), aspect_of("Humour")
    ('Character Development', 'Ending', None)
    """
    return _ASPECT_OF_NAME.get(" ".join(name.split()).casefold())


def choice_of(name: str) -> Choice | None:
    """The text a name stands for; None for anything but one of the two.

    >>> choice_of("plot b"), choice_of("Both")
    ('B', None)
    """
    return _CHOICE_OF_NAME.get(" ".join(name.split()).casefold())


def other(choice: Choice) -> Choice:
    """The text that was not chosen."""
    return "B" if choice == "A" else "A"


@dataclass(frozen=True, slots=True)
class Scale:
    """Both ends of a rating scale, included."""

    low: float
    high: float

    def __contains__(self, score: float) -> bool:
        return self.low <= score <= self.high

    def __str__(self) -> str:
        return f"{self.low:g} to {self.high:g}"

    @property
    def midpoint(self) -> float:
        return (self.low + self.high) / 2


DEFAULT_SCALE = Scale(1.0, 10.0)


@dataclass(frozen=True, slots=True)
class ProfileReview:
    """An earlier text with what the reviewer wrote and gave, on the gold scale."""

    text: str
    review: str
    score: float
    item_id: str | None = None


@dataclass(frozen=True, slots=True)
class RatingItem:
    """One reviewer's rating of one new text, and a prediction of it."""

    id: str
    reviewer: str
    profile: tuple[ProfileReview, ...]
    """In the order shown."""
    text: str
    gold: float
    """What the reviewer gave, on the gold scale."""
    item_id: str | None = None
    """Names the text where several reviewers rated it."""
    score: float | None = None
    """The prediction as a number on the prediction scale."""
    response: str | None = None
    """The prediction as the model wrote it; at most one of the two is given."""
    shuffled_scores: tuple[float | None, ...] | None = None
    """Predictions with the profile in other orders; None inside = no answer in that order."""
    review: str | None = None
    """Why the judge expects this rating."""
    reference_review: str | None = None
    """What the reviewer wrote about the new text."""
    memorized: bool | None = None
    """Whether the model recognised the text; None = not asked."""

    @property
    def has_answer(self) -> bool:
        return self.score is not None or self.response is not None


@dataclass(frozen=True, slots=True)
class ProfileComparison:
    """An earlier choice of the reviewer between two texts in the same aspect."""

    text_a: str
    text_b: str
    choice: Choice


@dataclass(frozen=True, slots=True)
class Memorized:
    """Which of two texts the model recognised."""

    a: bool
    b: bool


@dataclass(frozen=True, slots=True)
class PairItem:
    """One reviewer's choice between two texts in one aspect, and predictions of it in one order or both."""

    id: str
    reviewer: str
    comparison: str
    """Joins the aspects in which one reviewer compared the same two texts."""
    aspect: Aspect
    profile: tuple[ProfileComparison, ...]
    text_a: str
    text_b: str
    gold: Choice
    choice: Choice | None = None
    """Predicted with text_a shown first."""
    response: str | None = None
    """The same as the model wrote it."""
    choice_swapped: Choice | None = None
    """Predicted with text_b shown first; still the name of a text."""
    response_swapped: str | None = None
    """The same as the model wrote it: about the swapped prompt, so that its "Plot A" is our B."""
    memorized: Memorized | None = None

    @property
    def pair(self) -> tuple[str, str]:
        """Reviewer and comparison: the two texts whose aspects belong together."""
        return (self.reviewer, self.comparison)

    @property
    def has_answer(self) -> bool:
        answers = (self.choice, self.response, self.choice_swapped, self.response_swapped)
        return any(answer is not None for answer in answers)


@dataclass(frozen=True)
class PerseSubmission:
    """What a file of either kind says once for all items."""

    names: Names
    dataset: str
    k: int
    """Earlier reviews shown with each item."""
    date: str | None
    notes: str | None
    file_sha256: str
    """Of the bytes as uploaded."""

    @property
    def set_id(self) -> str:
        """What it is entered under."""
        return SET_ID


@dataclass(frozen=True)
class RatingsSubmission(PerseSubmission):
    """One run of one judge that predicts ratings."""

    items: tuple[RatingItem, ...]
    scale: Scale = DEFAULT_SCALE
    """Of the predictions."""
    gold_scale: Scale = DEFAULT_SCALE
    """Of gold and profile."""

    def without_items(self) -> RatingsSubmission:
        """What it says once for all items."""
        return replace(self, items=())

    @property
    def kind(self) -> RatingsKind:
        return RATINGS_KIND

    @cached_property
    def collection(self) -> str:
        """Names the ratings to predict: only runs of one (collection, k) are compared."""
        return collection_id([item.id, item.reviewer, float(item.gold)] for item in self.items)


@dataclass(frozen=True)
class PairsSubmission(PerseSubmission):
    """One run of one judge that predicts choices."""

    items: tuple[PairItem, ...]

    def without_items(self) -> PairsSubmission:
        """What it says once for all items."""
        return replace(self, items=())

    @property
    def kind(self) -> PairsKind:
        return PAIRS_KIND

    @cached_property
    def collection(self) -> str:
        """Names the choices to predict: only runs of one (collection, k) are compared."""
        return collection_id([item.reviewer, item.comparison, item.aspect, item.gold] for item in self.items)


AnyPerseSubmission = RatingsSubmission | PairsSubmission


@dataclass(frozen=True, slots=True)
class PerseCoverage:
    """What a file of either kind holds."""

    n_items: int
    n_reviewers: int
    n_with_answer: int
    """Items with any prediction; whether it can be read, the evaluation says."""
    k: int | None
    """None where it could not be read."""


def coverage_of_items(items: Iterable[RatingItem | PairItem], k: int | None) -> PerseCoverage:
    """Counts what could be read."""
    known = tuple(items)
    return PerseCoverage(
        n_items=len(known),
        n_reviewers=len({item.reviewer for item in known}),
        n_with_answer=sum(item.has_answer for item in known),
        k=k,
    )


def collection_id(rows: Iterable[list[str | float]]) -> str:
    """16 hex digits that name a set of rows in any order (docs/personalized_evaluation.md#collection)."""
    text = json.dumps(sorted(rows), ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
