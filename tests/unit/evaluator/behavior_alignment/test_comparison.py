"""Two recommenders of one collection: paired differences, and ranks that only significant differences make."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from evaluator.behavior_alignment.comparison import (
    NO_HEADLINE,
    OTHER_COLLECTION,
    OTHER_KIND,
    dialogue_means,
    headline,
    headline_draws,
    is_separated,
    paired_difference,
    reference_draws,
)
from evaluator.behavior_alignment.result import BehaviorResult
from evaluator.statistics.rank_bands import RankBand, rank_bands
from tests.unit.leaderboard.boards.behavior_alignment.made_behavior_alignment import file_of, scored


@pytest.fixture(scope="module")
def results() -> dict[str, BehaviorResult]:
    """Of 24 dialogues a system aligns wholly in so many and not at all in the others."""
    annotated = {f"{hits}": scored(file_of(hits)) for hits in (0, 15, 18, 24)}
    return annotated | {f"{hits} estimated": scored(file_of(hits, labels=False)) for hits in (0, 18)}


def test_a_difference_is_that_of_the_headlines_on_the_common_dialogues(results: dict[str, BehaviorResult]) -> None:
    found = paired_difference(results["18"], results["15"])
    assert (found.value, found.n) == (0.125, 24)  # 18/24 - 15/24
    assert found.low is not None
    assert found.high is not None
    # Each of 3 dialogues gives 1, the others 0: the lower end of a bootstrap of 24 is 0, the upper one near 7/24.
    assert found.low == pytest.approx(0.0, abs=1e-12)
    assert found.high == pytest.approx(7 / 24, abs=0.05)
    turned = paired_difference(results["15"], results["18"])
    assert turned.value == -0.125
    assert (turned.low, turned.high) == pytest.approx((-found.high, 0.0), abs=1e-12)


def test_differences_without_spread_have_an_interval_without_width(results: dict[str, BehaviorResult]) -> None:
    whole = paired_difference(results["24"], results["0"])
    assert (whole.value, whole.low, whole.high) == (1.0, 1.0, 1.0)
    none = paired_difference(results["18"], results["18"])
    assert (none.value, none.low, none.high) == (0.0, 0.0, 0.0)


def test_what_cannot_be_compared_says_why(results: dict[str, BehaviorResult]) -> None:
    assert paired_difference(results["18"], results["18 estimated"]).reason == OTHER_KIND
    elsewhere = results["15"].model_copy(update={"collection": "0" * 16})
    assert paired_difference(results["18"], elsewhere).reason == OTHER_COLLECTION
    implicit = results["18 estimated"].implicit
    assert implicit is not None
    empty = results["18 estimated"].model_copy(update={"implicit": implicit.model_copy(update={"corrected": None})})
    assert paired_difference(results["18 estimated"], empty).reason == NO_HEADLINE


def test_estimated_headlines_are_compared_as_they_are_shown(results: dict[str, BehaviorResult]) -> None:
    aligned, eager = results["18 estimated"], results["0 estimated"]
    one, other = headline(aligned), headline(eager)
    assert one is not None
    assert other is not None
    found = paired_difference(aligned, eager)
    assert found.value == one - other
    assert paired_difference(aligned, aligned).low == 0  # its rates are drawn alike for both


def test_the_draws_of_an_estimate_are_those_of_its_interval(results: dict[str, BehaviorResult]) -> None:
    result = results["18 estimated"]
    draws = headline_draws(result)
    assert draws is not None
    assert result.implicit is not None
    # t with 23 degrees of freedom: 2.0687 x sqrt(24 / 23) = 2.1132, the 1.73 % point.
    assert np.quantile(draws, [0.017291, 0.982709]).tolist() == pytest.approx(result.implicit.corrected_ci, abs=1e-4)


def test_an_annotated_headline_has_the_interval_of_a_share_of_dialogues(results: dict[str, BehaviorResult]) -> None:
    exact = stats.binomtest(18, 24).proportion_ci(method="exact")
    assert results["18"].explicit.ba_ci == pytest.approx(tuple(exact))
    assert results["24"].explicit.ba_ci == pytest.approx((0.025 ** (1 / 24), 1.0))


def test_few_dialogues_have_no_draws() -> None:
    assert headline_draws(scored(file_of(2, size=4))) is None


def test_means_are_by_dialogue(results: dict[str, BehaviorResult]) -> None:
    means = dialogue_means(results["18"])
    assert (means["d00"], means["d17"], means["d18"]) == (1.0, 1.0, 0.0)


def test_a_null_row_is_paired_with_every_system(results: dict[str, BehaviorResult]) -> None:
    previous, human = (reference_draws(results["0"], name) for name in ("previous", "human"))
    eager = headline_draws(results["0"])
    assert previous is not None
    assert human is not None
    assert eager is not None
    assert not is_separated(eager, previous, 24)  # both never hit
    assert is_separated(eager, human, 24)
    assert reference_draws(results["0 estimated"], "constant") is None  # nobody labelled the human


def test_ranks_are_shared_unless_a_difference_is_certain(results: dict[str, BehaviorResult]) -> None:
    assert rank_bands({name: dialogue_means(results[name]) for name in ("0", "15", "18", "24")}) == {
        # 15 differs from 24 on nine dialogues, 2^-8, and 0 from all on more. Of the two pairs that are left then, 18
        # differs from 24 on six, alike by chance in 2^-5 = 3 %, and from 15 on three.
        "24": RankBand(1, 1),
        "18": RankBand(2, 3),
        "15": RankBand(2, 3),
        "0": RankBand(4, 4),
    }


def test_an_estimate_is_ranked_as_it_is_shown(results: dict[str, BehaviorResult]) -> None:
    one, other = results["18 estimated"], results["0 estimated"]
    assert (headline(one) or 0) > (headline(other) or 0)
    bands = rank_bands({"18": dialogue_means(one), "0": dialogue_means(other)})
    assert bands == {"18": RankBand(1, 1), "0": RankBand(2, 2)}


def test_undefined_draws_separate_nobody() -> None:
    assert not is_separated(np.ones(100), np.full(100, np.nan), 24)
