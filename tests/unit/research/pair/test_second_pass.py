"""The second labelling pass over the test pairs: complete, and its agreement as the pages state it."""

from __future__ import annotations

import pytest

from evaluator.judge_quality.labelled_pairs import labelled_pairs
from evaluator.judge_quality.small_model_answers import small_model_pairs
from leaderboard.page.judge_quality import GRADED_BY
from research.pair.second_pass import SMALL_MODEL, pass_agreement, second_grades


def test_every_test_pair_written_singly_was_graded_once_more_and_in_another_order() -> None:
    pairs = [pair.id for pair in labelled_pairs("test")]
    second = list(second_grades())
    assert sorted(second) == sorted(pairs)
    assert second != pairs
    assert set(second_grades().values()) <= set(range(6))


def test_the_two_passes_agree_as_far_as_the_pages_say() -> None:
    found = pass_agreement(labelled_pairs("test"), second_grades())
    # First pass: 219 same, 303 different; the second calls one of the different ones same: 220 and 302.
    chance = (219 * 220 + 303 * 302) / 522**2
    assert (found.pairs, found.alike) == (522, 521)
    assert found.kappa == pytest.approx((521 / 522 - chance) / (1 - chance))
    assert f"kappa {found.kappa:.3f} [{found.low:.3f}, {found.high:.3f}] on {found.pairs}" in GRADED_BY


def test_the_two_passes_agree_on_what_a_very_small_model_answers() -> None:
    second = second_grades(SMALL_MODEL)
    pairs = [pair for pair in small_model_pairs() if pair.id in second]
    assert len(pairs) == len(second) == 186
    assert {pair.split for pair in pairs} == {"validation", "test"}
    found = pass_agreement(pairs, second)
    assert (found.alike, found.equal_grades) == (181, 157)
    assert all(abs(pair.grade - second[pair.id]) <= 1 for pair in pairs)
