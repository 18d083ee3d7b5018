"""The embedded baseline judge: what it scores, what it leaves alone, what it must notice."""

from __future__ import annotations

import json
from importlib.resources import files

import numpy as np
import pytest

from evaluator.embeddings.minilm import MiniLMEmbedder
from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.judges.calibration import Calibration
from evaluator.judges.embedding import (
    CALIBRATION_TOPICS,
    ENOUGH_COSINE,
    FEATURES,
    EmbeddingJudge,
    best_match,
    calibration_pairs,
    fit_calibration,
    pair_features,
    shipped_calibration,
)
from evaluator.judges.prompts import SIMILARITY_GROUP, SIMILARITY_PAIR
from evaluator.judges.protocol import JudgeRequest, Judgment
from evaluator.judges.quality.labelled_pairs import labelled_pairs, pairs_digest

SAME = ("Go to bed at the same time every night.", "Keep a fixed bedtime, seven days a week.")
DENIED = ("You should drink coffee before bed.", "You should not drink coffee before bed.")
RENUMBERED = ("Bake the bread for 35 minutes at 230 degrees.", "Bake the bread for 70 minutes at 160 degrees.")
SWAPPED = ("Brazil beat Germany in the final.", "Germany beat Brazil in the final.")
REFUSED = ("Mix flour and water and bake the bread.", "I'm sorry, but I can't tell you how to bake bread.")
UNRELATED = ("Mix flour and water and bake the bread.", "The train leaves at noon from platform six.")


@pytest.fixture(scope="module")
def judge() -> EmbeddingJudge:
    return EmbeddingJudge(MiniLMEmbedder())


def _request(first: str, second: str, language: str = "en") -> JudgeRequest:
    return JudgeRequest(SIMILARITY_PAIR, {"answer_a": first, "answer_b": second}, language)


def _rating(judge: EmbeddingJudge, pair: tuple[str, str]) -> float:
    rating = judge.judge([_request(*pair)])[0].rating
    assert rating is not None
    return rating


def test_the_same_content_is_above_the_middle_and_different_content_below(judge: EmbeddingJudge) -> None:
    assert _rating(judge, SAME) > 2.5
    for pair in (DENIED, RENUMBERED, SWAPPED, REFUSED, UNRELATED):
        assert _rating(judge, pair) < 2.5, pair


def test_both_orders_get_the_same_judgment(judge: EmbeddingJudge) -> None:
    for pair in calibration_pairs()[:8]:
        ab, ba = judge.judge([_request(pair.a, pair.b), _request(pair.b, pair.a)])
        assert ab == ba


def test_a_judgment_does_not_depend_on_its_neighbours(judge: EmbeddingJudge) -> None:
    requests = [_request(pair.a, pair.b) for pair in calibration_pairs()[:10]]
    together = judge.judge(requests)
    assert [judge.judge([request])[0] for request in requests[::-1]] == together[::-1]


def test_the_details_name_every_feature(judge: EmbeddingJudge) -> None:
    (judgment,) = judge.judge([_request(*RENUMBERED)])
    assert tuple(judgment.details) == FEATURES
    assert judgment.details["numbers"] == 0.75  # two numbers changed: 1 - 2**-2
    assert judgment.details["cosine"] == ENOUGH_COSINE  # plain cosine is blind to it


def test_a_contradiction_beyond_256_tokens_changes_the_rating(judge: EmbeddingJudge) -> None:
    head = next(pair.a for pair in calibration_pairs() if pair.id == "photosynthesis-08").rsplit(". ", 1)[0]
    ends = (" Use 5 grams of salt, and never eat the leaves.", " Use 50 grams of salt, and always eat the leaves.")
    assert _rating(judge, (head + ends[0], head + ends[1])) < _rating(judge, (head + ends[0], head + "  " + ends[0]))


def test_identical_answers_are_5_without_any_embedding() -> None:
    embedder = ScriptedEmbedder()
    assert EmbeddingJudge(embedder).judge([_request("Eat  well.\n", " Eat well.")]) == [Judgment(5.0)]
    assert embedder.texts_embedded == 0


def test_other_languages_are_not_read() -> None:
    judge = EmbeddingJudge(ScriptedEmbedder(languages=("en",)))
    (judgment,) = judge.judge([_request("Ät väl.", "Ät gott.", "sv")])
    assert (judgment.rating, judgment.reason) == (None, "this judge does not read 'sv' (it reads: en)")


def test_blank_answers_are_unscored() -> None:
    (judgment,) = EmbeddingJudge(ScriptedEmbedder()).judge([_request(" ", "Eat well.")])
    assert (judgment.rating, judgment.reason) == (None, "an answer is blank")


def test_groups_are_not_its_business() -> None:
    judge = EmbeddingJudge(ScriptedEmbedder())
    assert judge.kinds == {"similarity_pair"}
    with pytest.raises(ValueError, match="reads pairs only"):
        judge.judge([JudgeRequest(SIMILARITY_GROUP, {"answer_a": "x", "answer_b": "y"}, "en")])


def test_mixed_batches_keep_their_order() -> None:
    judge = EmbeddingJudge(ScriptedEmbedder(languages=("en",)))
    requests = [_request("a cat", "a dog"), _request("x", "x"), _request("", "x"), _request("a cow", "an owl")]
    ratings = [judgment.rating for judgment in judge.judge(requests)]
    assert ratings[1:3] == [5.0, None]
    assert ratings[0] == judge.judge(requests[:1])[0].rating
    assert ratings[3] == judge.judge(requests[3:])[0].rating


def test_the_pin_and_the_key_name_the_calibration() -> None:
    judge = EmbeddingJudge(ScriptedEmbedder())
    assert (judge.pin.name, judge.pin.prompt) == ("embedding", "embedding-calibration 2")
    other = EmbeddingJudge(ScriptedEmbedder(), Calibration(id="x", version="2", intercept=0, weights={}, fitted_on="-"))
    request = _request("x", "y")
    assert judge.key(request) != other.key(request)
    assert judge.key(request) == EmbeddingJudge(ScriptedEmbedder()).key(request)


def test_best_match_is_the_mean_of_the_best_cosine_of_each_row() -> None:
    first = np.array([[1, 0], [0, 1]], dtype=np.float32)
    second = np.array([[1, 0]], dtype=np.float32)
    # rows of first find 1 and 0 in second -> 0.5; the row of second finds 1
    assert best_match(first, second) == (0.5, 1.0)


def test_more_agreement_never_lowers_and_more_conflict_never_raises_the_rating() -> None:
    calibration = shipped_calibration()
    assert set(calibration.weights) == set(FEATURES)
    assert all((weight >= 0) == (name in ("cosine", "coverage")) for name, weight in calibration.weights.items())


def test_a_rating_is_five_times_the_logistic_of_the_weighted_sum() -> None:
    calibration = Calibration(id="x", version="1", intercept=-1.0, weights={"cosine": 2.0}, fitted_on="-")
    assert calibration.rating({"cosine": 0.5}) == 2.5  # -1 + 2 x 0.5 = 0 -> one half


def test_the_fit_recovers_the_direction_of_made_up_grades() -> None:
    pairs = calibration_pairs()[:40]
    embedder = ScriptedEmbedder()
    features = pair_features(embedder, [(pair.a, pair.b) for pair in pairs])
    graded = [
        pair.model_copy(update={"grade": 0 if row["numbers"] else 5}) for pair, row in zip(pairs, features, strict=True)
    ]
    fitted = fit_calibration(embedder, graded)
    assert fitted.weights["numbers"] == min(fitted.weights.values()) < -1


def test_the_calibration_says_which_pairs_it_was_fitted_on() -> None:
    shipped = json.loads(files("evaluator.judges").joinpath("embedding_calibration.json").read_text())
    assert shipped["fitted_on"] == pairs_digest(calibration_pairs())


def test_no_calibration_pair_is_a_test_pair() -> None:
    assert {pair.topic for pair in calibration_pairs()} == CALIBRATION_TOPICS
    assert not CALIBRATION_TOPICS & {pair.topic for pair in labelled_pairs("test")}
