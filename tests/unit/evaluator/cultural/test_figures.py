"""CD, CR and CSP: distances, means, rank correlations and their draws."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr

from evaluator.cultural.figures import (
    LanguageAnswers,
    correlation_draws,
    distances,
    mean_correlation_draws,
    question_means,
    rank_correlation,
    specificity,
)
from evaluator.statistics.intervals import draw_counts

EAST, NORTH, WEST = np.array([2.0, 0.0]), np.array([0.0, 0.5]), np.array([-1.0, 0.0])


def test_a_failing_pair_counts_as_equal_where_difference_is_wanted_and_as_far_where_agreement_is() -> None:
    english = LanguageAnswers({"7": EAST, "8": EAST}, {("7", 1): EAST, ("7", 2): EAST, ("8", 1): EAST})
    swedish = LanguageAnswers(
        {"7": NORTH, "8": NORTH},
        {("7", 1): NORTH, ("7", 2): EAST, ("8", 1): WEST},
        failing_unspecific=frozenset({"8"}),
        failing_specific=frozenset({("7", 2), ("8", 1)}),
    )
    found = distances({"sv": swedish, "en": english}, ["7", "8"])["en", "sv"]
    assert found.unspecific["raw"].tolist() == [1.0, 1.0]
    assert found.unspecific["gated"].tolist() == [1.0, 0.0]
    assert found.unspecific["passing"].tolist() == [1.0, pytest.approx(np.nan, nan_ok=True)]
    # 7: (1 + 0) / 2; 8: opposite directions, 2.
    assert found.specific["raw"].tolist() == [0.5, 2.0]
    # 7: (1 + max(0, 1)) / 2; 8: max(2, 1)
    assert found.specific["gated"].tolist() == [1.0, 2.0]
    # 7: variant 1 alone; 8: nothing passes.
    assert found.specific["passing"].tolist() == [1.0, pytest.approx(np.nan, nan_ok=True)]


def test_only_what_both_languages_answer_has_a_distance() -> None:
    english = LanguageAnswers({"7": EAST}, {("7", 1): EAST, ("7", 3): EAST})
    swedish = LanguageAnswers({"8": EAST}, {("7", 2): NORTH, ("7", 3): NORTH, ("9", 1): NORTH})
    found = distances({"en": english, "sv": swedish}, ["7", "8", "9"])["en", "sv"]
    assert np.isnan(found.unspecific["raw"]).all()
    assert found.specific["raw"][0] == 1.0  # variant 3
    assert np.isnan(found.specific["raw"][1:]).all()
    assert question_means([found.unspecific["raw"]], ["7", "8", "9"]) == {}


def test_the_order_of_languages_changes_nothing() -> None:
    generator = np.random.default_rng(3)
    answers = {
        language: LanguageAnswers(
            {str(question): generator.normal(size=4) for question in range(12)},
            {(str(question), 1): generator.normal(size=4) for question in range(12)},
        )
        for language in ("fi", "en", "sv")
    }
    questions = [str(question) for question in range(12)]
    forwards, backwards = distances(answers, questions), distances(dict(reversed(answers.items())), questions)
    assert list(forwards) == list(backwards) == [("en", "fi"), ("en", "sv"), ("fi", "sv")]
    for pair, found in forwards.items():
        assert np.array_equal(found.unspecific["raw"], backwards[pair].unspecific["raw"])
        assert np.array_equal(found.specific["gated"], backwards[pair].specific["gated"])


@pytest.mark.parametrize("decimals", [1, 8])
def test_the_rank_correlation_is_spearmans_also_with_ties(decimals: int) -> None:
    generator = np.random.default_rng(4)
    for _ in range(5):
        first, second = np.round(generator.random((2, 30)), decimals)
        expected = spearmanr(np.round(first, 6), np.round(second, 6)).statistic
        assert rank_correlation(first, second) == pytest.approx(expected, abs=1e-12)


def test_a_draw_has_the_correlation_of_the_questions_drawn() -> None:
    generator = np.random.default_rng(5)
    first, second = np.round(generator.random((2, 15)), 1)
    first[3] = np.nan  # not answered in one language
    counts = draw_counts(15)[:20]
    for drawn, found in zip(counts, correlation_draws(first, second, counts), strict=True):
        places = np.repeat(np.arange(15), drawn.astype(int))
        places = places[places != 3]
        assert found == pytest.approx(spearmanr(first[places], second[places]).statistic, abs=1e-12)


def test_a_draw_of_equal_distances_has_no_correlation() -> None:
    counts = np.array([[10.0, 0.0, 0.0], [5.0, 5.0, 0.0]])
    drawn = correlation_draws(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0]), counts)
    assert np.isnan(drawn[0])
    assert drawn[1] == pytest.approx(1.0)


def test_distances_are_ranked_at_six_decimals() -> None:
    rising = np.linspace(0.0, 0.9, 10)
    # What differs in the seventh decimal is the same distance: its range is no range.
    assert rank_correlation(rising, 0.5 + rising * 1e-7) is None
    assert rank_correlation(rising, 0.5 + rising * 1e-5) == pytest.approx(1.0)


def test_csp_is_one_less_the_squared_mean_of_the_correlations() -> None:
    rising, flat = np.arange(10) / 10, np.full(10, 0.5)
    found = specificity([(rising, rising), (rising, -rising), (rising, rising), (rising, flat)])
    assert found.correlations == (1.0, -1.0, 1.0, None)
    assert found.value == pytest.approx(1 - (1 / 3) ** 2)


def test_without_any_correlation_there_is_no_csp() -> None:
    found = specificity([(np.full(10, 0.0), np.full(10, 0.0))])
    assert (found.value, found.interval, found.correlations) == (None, None, (None,))
    assert specificity([]).value is None


def test_the_interval_of_csp_comes_from_draws_of_questions() -> None:
    generator = np.random.default_rng(6)
    unspecific = generator.random(40)
    pairs = [(unspecific, unspecific + generator.random(40)), (unspecific, unspecific + generator.random(40))]
    found = specificity(pairs)
    assert found.value is not None
    assert found.interval is not None
    assert 0.0 <= found.interval.low < found.value < found.interval.high < 1.0
    drawn = 1.0 - mean_correlation_draws(pairs, draw_counts(40)) ** 2
    # The tail of 40 questions, Phi(-2.0227 x sqrt(40 / 39)) = 0.0203, cuts off 40 of the 2,000 draws on either side;
    # no correlation here is anywhere near 0, so that CSP has the same ends.
    assert (drawn < found.interval.low).sum() in (40, 41)
    assert (drawn > found.interval.high).sum() in (40, 41)


def test_where_the_mean_correlation_may_be_zero_csp_may_be_one() -> None:
    generator = np.random.default_rng(9)
    found = specificity([(generator.random(30), generator.random(30))])
    assert found.value is not None
    assert found.interval is not None
    assert found.interval.low < found.value <= found.interval.high == 1.0


def test_noise_reaches_a_csp_near_one_so_it_says_nothing_alone() -> None:
    generator = np.random.default_rng(7)
    found = specificity([(generator.random(101), generator.random(101)) for _ in range(10)])
    assert found.value is not None
    assert found.value > 0.98
