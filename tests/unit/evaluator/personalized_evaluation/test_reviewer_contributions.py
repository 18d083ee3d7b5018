"""What reviewers add to a headline: together they are the headline, apart they say how it moves with their weight."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from evaluator.personalized_evaluation import reviewer_contributions
from evaluator.personalized_evaluation.reviewer_contributions import headline_contributions, kendall_influence
from evaluator.personalized_evaluation.reviewer_correlations import CountedScores
from evaluator.reproduce.personalized_evaluation import headline_of
from submissions.formats.personalized_evaluation.submission import ASPECTS
from tests.unit.leaderboard.boards.personalized_evaluation.made_personalized_evaluation import choices, ratings, scored


def scores(n: int, seed: int) -> tuple[list[float], list[float]]:
    generator = np.random.default_rng(seed)
    gold = generator.integers(1, 11, n)
    return np.clip(gold + generator.integers(-3, 4, n), 1, 10).tolist(), gold.tolist()


def test_tau_is_that_of_scipy_and_its_influence_is_how_it_moves_with_an_item_weight() -> None:
    predicted, gold = scores(60, seed=1)
    tau, influence = kendall_influence(predicted, gold)
    assert tau == pytest.approx(stats.kendalltau(predicted, gold).statistic)
    assert influence.sum() == pytest.approx(0.0, abs=1e-12)
    counted, step = CountedScores(predicted, gold, np.arange(60)), 1e-4
    for item in (0, 17, 59):
        more, less = np.ones(60), np.ones(60)
        more[item] += step
        less[item] -= step
        moved = (counted.kendall(more) - counted.kendall(less)) / (2 * step)
        assert influence[item] == pytest.approx(moved, abs=1e-6)


def test_many_different_scores_are_compared_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    predicted, gold = scores(60, seed=2)
    whole = kendall_influence(predicted, gold)[1]
    monkeypatch.setattr(reviewer_contributions, "_MOST_CELLS", 1)
    monkeypatch.setattr(reviewer_contributions, "_BLOCK_CELLS", 60 * 7)
    assert kendall_influence(predicted, gold)[1].tolist() == pytest.approx(whole.tolist())


@pytest.mark.parametrize(("predicted", "gold"), [([], []), ([5.0, 5.0], [1.0, 2.0])])
def test_a_constant_score_has_no_tau(predicted: list[float], gold: list[float]) -> None:
    tau, influence = kendall_influence(predicted, gold)
    assert tau is None
    assert influence.tolist() == [0.0] * len(gold)


@pytest.mark.parametrize(
    "document",
    [
        ratings(3.0),
        ratings(3.0, missing=(1, 2, 9)),
        choices(wrong=(0, 1, 7, 12, 13)),
        choices(wrong=(4,), flipped=(8,)),
    ],
)
def test_reviewers_add_up_to_the_headline(document: dict[str, object]) -> None:
    result = scored(document)
    found = headline_contributions(result)
    assert set(found) == {f"reader {number}" for number in range(6)}
    assert sum(found.values()) == pytest.approx(headline_of(result))


def test_without_a_headline_nobody_adds_to_it() -> None:
    constant = scored(ratings(changes={number: {"score": 5} for number in range(24)}))
    assert headline_contributions(constant) == {}
    four_aspects = choices() | {"items": [item for item in choices()["items"] if item["aspect"] != ASPECTS[0]]}
    assert headline_contributions(scored(four_aspects)) == {}
