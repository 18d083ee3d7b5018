"""Items of predicted ratings and choices (docs/personalized_evaluation.md#predicted-ratings).

An item becomes a `RatingItem` or `PairItem` where nothing stands against it; the others are told with every fault.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from submissions.findings import Findings, ProblemTally
from submissions.formats.personalized_evaluation.fields import NUMBER, Fields, is_number, report_unknown
from submissions.formats.personalized_evaluation.submission import (
    ASPECTS,
    Aspect,
    Memorized,
    PairItem,
    ProfileComparison,
    ProfileReview,
    RatingItem,
    Scale,
    aspect_of,
)
from submissions.reading.places import Places, RowFaults
from submissions.reading.quoting import described, quoted
from submissions.reading.strict_json import Unreadable

RATING_FIELDS = (
    "id",
    "reviewer",
    "profile",
    "text",
    "gold",
    "item_id",
    "score",
    "response",
    "shuffled_scores",
    "review",
    "reference_review",
    "memorized",
)
REVIEW_FIELDS = ("text", "review", "score", "item_id")
PAIR_FIELDS = (
    "id",
    "reviewer",
    "comparison",
    "aspect",
    "profile",
    "text_a",
    "text_b",
    "gold",
    "choice",
    "response",
    "choice_swapped",
    "response_swapped",
    "memorized",
)
COMPARISON_FIELDS = ("text_a", "text_b", "choice")

PLACES = Places(listed="items")

_MIN_SHUFFLES = 2
_MIN_REVIEWS_TO_SHUFFLE = 2

_Item = TypeVar("_Item", RatingItem, PairItem)
_Entry = TypeVar("_Entry")


@dataclass(frozen=True, slots=True)
class Expected:
    """What the envelope says every item must fit; None where the envelope itself could not be read."""

    k: int | None
    scale: Scale | None = None
    gold_scale: Scale | None = None


class Items(ABC, Generic[_Item]):
    """Reads item after item, and collects every fault."""

    def __init__(self, expected: Expected) -> None:
        self.findings = Findings()
        self.read: list[_Item] = []
        """Those without a fault, in the order of the file."""
        self.expected = expected
        self._faults = RowFaults(PLACES, self.findings)
        self._unknown = ProblemTally()
        self._first_of_id: dict[str, int] = {}

    def add(self, value: object, number: int) -> None:
        """Reads one item; `number` counts from 0."""
        before = self._faults.count
        if not isinstance(value, dict):
            what = f"found {described(value)}; accepted: an object"
            self._faults.add("missing_field", number, None, (), what, "Write one object per item; see the template.")
            return
        item_id = value.get("id")
        fields = Fields(value, number, item_id if isinstance(item_id, str) else None, (), self._faults, self._unknown)
        self._faults.add_values(number, fields.item_id, value)
        item = self.item_of(fields)
        if self._faults.count == before:
            self.read.append(item)

    def finish(self) -> Findings:
        """Everything found, fields the format does not know among them."""
        report_unknown(self._unknown, self.findings)
        return self.findings

    @abstractmethod
    def item_of(self, fields: Fields) -> _Item:
        """The item as far as it could be read."""

    def unique_id(self, fields: Fields) -> str:
        """The item's id, which no other has."""
        item_id = fields.text("id")
        first = self._first_of_id.setdefault(item_id, fields.number)
        if item_id and first != fields.number:
            what = f"the id {quoted(item_id)} is that of {PLACES.row(first)} too; accepted: every id once"
            fields.refuse("duplicate_id", "id", what, "Give each item an id of its own.")
        return item_id

    def profile(
        self, fields: Fields, known: tuple[str, ...], entry_of: Callable[[Fields], _Entry]
    ) -> tuple[_Entry, ...]:
        """The k earlier reviews or comparisons, in order."""
        listed = fields.value("profile")
        if not isinstance(listed, list):
            fields.refuse_type("profile", f"a list of {_entries(self.expected.k)}")
            return ()
        if self.expected.k is not None and len(listed) != self.expected.k:
            what = f"profile has {_entries(len(listed))}; accepted: exactly {self.expected.k}, as k says"
            fields.refuse("profile_length", "profile", what, "Show every item k earlier reviews, or correct k.")
        entries = []
        for index, value in enumerate(listed):
            if not isinstance(value, dict):
                if fields.is_told_often("missing_field"):
                    continue
                what = f"found {described(value)}; accepted: an object with {', '.join(known)}"
                fields.refuse("missing_field", ("profile", index), what, "See the template.")
                continue
            inner = fields.inner("profile", index, value)
            inner.note_unknown(known, "profile")
            entries.append(entry_of(inner))
        return tuple(entries)


class RatingItems(Items[RatingItem]):
    """Items of `personalized_ratings`."""

    def __init__(self, expected: Expected) -> None:
        super().__init__(expected)
        self._shuffles: tuple[int, int] | None = None
        """The first item with shuffles, and how many it has."""

    def item_of(self, fields: Fields) -> RatingItem:
        fields.note_unknown(RATING_FIELDS, "item")
        item = RatingItem(
            id=self.unique_id(fields),
            reviewer=fields.text("reviewer"),
            profile=self.profile(fields, REVIEW_FIELDS, self._review_of),
            text=fields.text("text"),
            gold=fields.score("gold", self.expected.gold_scale),
            item_id=fields.optional_text("item_id"),
            score=fields.optional_score("score", self.expected.scale),
            response=fields.optional_text("response"),
            shuffled_scores=self._shuffled_scores(fields),
            review=fields.optional_text("review"),
            reference_review=fields.optional_text("reference_review"),
            memorized=fields.optional_mark("memorized"),
        )
        fields.refuse_both("score_and_response", "score", "response")
        return item

    def _review_of(self, fields: Fields) -> ProfileReview:
        return ProfileReview(
            text=fields.text("text"),
            review=fields.text("review", may_be_blank=True),
            score=fields.score("score", self.expected.gold_scale),
            item_id=fields.optional_text("item_id"),
        )

    def _shuffled_scores(self, fields: Fields) -> tuple[float | None, ...] | None:
        listed = fields.value("shuffled_scores")
        if listed is None:
            return None
        k = self.expected.k
        if k is not None and k < _MIN_REVIEWS_TO_SHUFFLE:
            what = f"shuffled_scores are given, but k is {k}: there is no other order; accepted: k of 2 or more"
            fields.refuse("shuffles_need_two_reviews", "shuffled_scores", what, "Leave shuffled_scores out.")
            return None
        if not isinstance(listed, list):
            fields.refuse_type("shuffled_scores", f"a list of {NUMBER} or null each; null or left out for none")
            return None
        self._check_count(fields, len(listed))
        return tuple(self._shuffled_score(fields, index, value) for index, value in enumerate(listed))

    def _check_count(self, fields: Fields, count: int) -> None:
        if self._shuffles is None and count >= _MIN_SHUFFLES:
            self._shuffles = (fields.number, count)
        first, wanted = self._shuffles or (fields.number, _MIN_SHUFFLES)
        if count == wanted:
            return
        what = f"found {count} values; accepted: " + (
            f"{wanted}, as in {PLACES.row(first)}" if first != fields.number else f"{_MIN_SHUFFLES} or more"
        )
        fields.refuse("shuffle_count", "shuffled_scores", what, "Run every item with the same number of other orders.")

    def _shuffled_score(self, fields: Fields, index: int, value: object) -> float | None:
        if value is None:
            return None
        place = ("shuffled_scores", index)
        if not isinstance(value, int | float) or not is_number(value):
            if not isinstance(value, Unreadable):  # told as what it is
                what = f"found {described(value)}; accepted: {NUMBER}, or null"
                fields.refuse("missing_field", place, what, "Write the number without quotes.")
            return None
        fields.check_range(place, value, self.expected.scale)
        return float(value)


class PairItems(Items[PairItem]):
    """Items of `personalized_pairs`."""

    def __init__(self, expected: Expected) -> None:
        super().__init__(expected)
        self._first_of_pair: dict[tuple[str, str, Aspect], int] = {}

    def item_of(self, fields: Fields) -> PairItem:
        fields.note_unknown(PAIR_FIELDS, "item")
        item = PairItem(
            id=self.unique_id(fields),
            reviewer=fields.text("reviewer"),
            comparison=fields.text("comparison"),
            aspect=self._aspect(fields) or ASPECTS[0],
            profile=self.profile(fields, COMPARISON_FIELDS, _comparison_of),
            text_a=fields.text("text_a"),
            text_b=fields.text("text_b"),
            gold=fields.choice("gold"),
            choice=fields.optional_choice("choice"),
            response=fields.optional_text("response"),
            choice_swapped=fields.optional_choice("choice_swapped"),
            response_swapped=fields.optional_text("response_swapped"),
            memorized=_memorized(fields),
        )
        fields.refuse_both("choice_and_response", "choice", "response")
        fields.refuse_both("choice_and_response", "choice_swapped", "response_swapped")
        self._check_only(fields, item)
        return item

    def _aspect(self, fields: Fields) -> Aspect | None:
        name = fields.value("aspect")
        if not isinstance(name, str):
            fields.refuse_type("aspect", f"one of {', '.join(ASPECTS)}")
            return None
        aspect = aspect_of(name)
        if aspect is None:
            what = f"aspect is {described(name)}; accepted: {', '.join(ASPECTS)}, or their first letters"
            fields.refuse("unknown_aspect", "aspect", what, "Name one of the five; others are not compared.")
        return aspect

    def _check_only(self, fields: Fields, item: PairItem) -> None:
        """Adds duplicate_item where reviewer, comparison and aspect stand twice."""
        aspect = fields.value("aspect")
        if not (item.reviewer and item.comparison and isinstance(aspect, str) and aspect_of(aspect)):
            return
        first = self._first_of_pair.setdefault((item.reviewer, item.comparison, item.aspect), fields.number)
        if first != fields.number:
            what = f"same reviewer, comparison and aspect as {PLACES.row(first)}; accepted: every three once"
            fields.refuse("duplicate_item", (), what, "Keep one of them, or name the comparison as what it is.")


def _comparison_of(fields: Fields) -> ProfileComparison:
    return ProfileComparison(fields.text("text_a"), fields.text("text_b"), fields.choice("choice"))


def _memorized(fields: Fields) -> Memorized | None:
    memorized = fields.value("memorized")
    if memorized is None:
        return None
    if isinstance(memorized, dict):
        a, b = memorized.get("a"), memorized.get("b")
        if isinstance(a, bool) and isinstance(b, bool):
            return Memorized(a, b)
    fields.refuse_type("memorized", '{"a": true or false, "b": true or false}, null or left out')
    return None


def _entries(count: int | None) -> str:
    if count is None:
        return "k entries"
    return "1 entry" if count == 1 else f"{count} entries"
