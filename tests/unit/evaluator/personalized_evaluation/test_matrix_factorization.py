"""The predictor that reads no text: what it knows, and that it fits what it should."""

from __future__ import annotations

import numpy as np
import pytest

from evaluator.personalized_evaluation.matrix_factorization import factorized_ratings, known_ratings
from submissions.formats.personalized_evaluation.submission import ProfileReview, RatingItem, Scale
from tests.unit.evaluator.personalized_evaluation.perse_runs import rating

TEN = Scale(1, 10)


def query(number: int, item_id: str | None, shown: dict[str, float], reviewer: str) -> RatingItem:
    profile = tuple(ProfileReview("t", "", score, name) for name, score in shown.items())
    return rating(number, 5, None, profile=profile, item_id=item_id, reviewer=reviewer)


def test_what_is_to_be_predicted_is_never_known() -> None:
    items = [
        query(0, "b", {"a": 4}, "ann"),
        query(1, "c", {"a": 6, "b": 9}, "ann"),  # ann's b is a query elsewhere
        query(2, "a", {"b": 2}, "bo"),
    ]
    further = [("ann", "c", 1.0), ("bo", "b", 4.0), ("cy", "a", 7.0)]
    assert known_ratings(items, further) == {("ann", "a"): 5.0, ("bo", "b"): 3.0, ("cy", "a"): 7.0}


def test_reviews_without_a_named_text_are_not_known() -> None:
    assert known_ratings([rating(0, 5, None, item_id="a")]) == {}


def test_mild_readers_and_good_texts_are_told_apart() -> None:
    readers, texts = [f"reader {number}" for number in range(20)], [f"text {number}" for number in range(20)]
    liking = {name: place % 3 - 1 for place, name in enumerate(readers)}
    worth = {name: place % 5 - 2 for place, name in enumerate(texts)}
    further = [(reader, text, 5.0 + liking[reader] + worth[text]) for reader in readers for text in texts]
    items = [query(place, text, {}, reader) for place, (reader, text) in enumerate(zip(readers, texts, strict=True))]
    found = factorized_ratings(items, TEN, further)
    assert found is not None
    # the 20 queries are held out of 400 ratings, which are additive in reader and text
    wanted = [5.0 + liking[reader] + worth[text] for reader, text in zip(readers, texts, strict=True)]
    assert np.corrcoef(found, wanted)[0, 1] > 0.97
    assert found == pytest.approx(wanted, abs=1.0)


def test_unknown_readers_and_texts_contribute_nothing() -> None:
    items = [query(0, "a", {}, "nobody"), query(1, "unheard of", {}, "neither")]
    found = factorized_ratings(items, TEN, [("cy", "a", 7.0), ("di", "b", 3.0)])
    assert found is not None
    assert found[1] == 5.0  # the mean of 7 and 3
    assert found[0] > 5.0


def test_predictions_stay_on_the_scale_and_the_order_of_items_means_nothing() -> None:
    items = [query(number, "a", {}, f"r{number}") for number in range(4)]
    further = [(f"x{number}", "a", 10.0) for number in range(40)] + [(f"x{number}", "b", 1.0) for number in range(40)]
    found = factorized_ratings(items, Scale(1, 8), further)
    assert found is not None
    assert set(found) == {8.0}
    assert factorized_ratings(items[::-1], Scale(1, 8), further[::-1]) == found[::-1]


def test_fewer_than_half_of_the_texts_known_is_not_enough() -> None:
    items = [query(number, f"t{number}", {}, "ann") for number in range(4)]
    assert factorized_ratings(items, TEN, [("bo", "t0", 5.0)]) is None
    assert factorized_ratings(items, TEN, [("bo", "t0", 5.0), ("bo", "t1", 6.0)]) is not None
    assert factorized_ratings([], TEN) is None
