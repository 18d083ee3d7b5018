"""The judge of answers in several languages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from evaluator.embeddings.protocol import Embedder, ScriptedEmbedder, Vectors
from evaluator.judges.calibration import Calibration
from evaluator.judges.multilingual.judge import MultilingualJudge, Reading
from evaluator.judges.prompts import SIMILARITY_PAIR
from evaluator.judges.protocol import JudgeRequest, UnsuitableJudge
from evaluator.values import Pin

VECTORS = {"Haus": (1.0, 0.0), "house": (0.6, 0.8), "Baum": (0.0, 1.0), "tree": (0.0, 1.0)}
CENTRES = {"de": np.array([0.0, 0.0], np.float32), "en": np.array([0.6, 0.0], np.float32)}
CALIBRATION = Calibration(id="test", version="1", intercept=-1.0, weights={"cosine": 3.0}, fitted_on="nothing")


class TwoWords(ScriptedEmbedder):
    """Knows four words."""

    @property
    def pin(self) -> Pin:
        return super().pin.model_copy(update={"name": "e5", "languages": ("de", "en")})

    def windows(self, texts: Sequence[str]) -> list[Vectors]:
        return [np.array([VECTORS[text]], dtype=np.float32) for text in texts]


def judge(embedder: Embedder | None = None) -> MultilingualJudge:
    return MultilingualJudge(embedder or TwoWords(), ["de", "en", "uk"], Reading(CENTRES, CALIBRATION))


def request(a: str, b: str, first: str = "de", second: str = "en") -> JudgeRequest:
    return JudgeRequest(SIMILARITY_PAIR, {"answer_a": a, "answer_b": b}, first, second_language=second)


def test_the_place_of_a_language_is_taken_off_before_two_answers_are_compared() -> None:
    # house - centre of en = (0, 0.8), of unit length (0, 1): orthogonal to Haus, the same as Baum
    apart, alike = judge().judge([request("Haus", "house"), request("Baum", "house")])
    assert apart.rating == pytest.approx(5 / (1 + math.exp(1.0)))
    assert alike.rating == pytest.approx(5 / (1 + math.exp(1.0 - 3.0)))
    assert alike.details == {"cosine": pytest.approx(1.0)}


def test_both_orders_are_rated_alike_to_the_last_bit() -> None:
    one, two = judge().judge([request("Haus", "tree"), request("tree", "Haus", "en", "de")])
    assert one.rating == two.rating


def test_blank_answers_and_languages_below_the_bar_are_unscored_with_the_reason() -> None:
    blank, unread = judge().judge([request("Haus", " "), request("Haus", "talo", second="fi")])
    assert (blank.rating, blank.reason) == (None, "an answer is blank")
    assert unread.rating is None
    assert unread.reason == "this judge does not read fi (it reads: de, en, ua, uk)"


def test_one_text_in_one_language_is_the_same_unread_and_in_two_languages_is_read() -> None:
    same, borrowed = judge().judge([request("Baum", "Baum", second="de"), request("Baum", "tree")])
    assert same.rating == 5.0
    assert borrowed.rating is not None
    assert borrowed.rating < 5.0


def test_a_pair_is_stored_under_both_languages() -> None:
    asked = judge()
    assert asked.key(request("Baum", "tree")) != asked.key(replace(request("Baum", "tree"), second_language="uk"))


def test_another_embedding_model_than_the_calibrated_one_is_refused() -> None:
    with pytest.raises(UnsuitableJudge, match="calibrated for the embedding model e5, not for hashed bag of words"):
        MultilingualJudge(ScriptedEmbedder(), ["de"])


def test_the_pin_names_calibration_and_centres() -> None:
    pin = judge().pin
    assert (pin.name, pin.languages) == ("multilingual", ("de", "en", "ua", "uk"))
    assert pin.prompt.startswith("test 1, centres ")
