"""How many items would tell two systems apart: published sample sizes of the paired t-test, each sign, each edge."""

from __future__ import annotations

import pytest

from leaderboard.parts.verdict_words import planned_words


def effect(size: float, seen: int = 10) -> list[float]:
    """Differences with that mean and a sample standard deviation of 1: half above, half below by sqrt((n - 1) / n)."""
    reach = ((seen - 1) / seen) ** 0.5
    return [size + reach, size - reach] * (seen // 2)


@pytest.mark.parametrize(
    ("size", "needed"),
    [(0.2, "199"), (0.5, "34"), (0.8, "15")],  # Cohen 1988, two-sided 5%, power 80%, pairs (G*Power 3.1)
)
@pytest.mark.parametrize("sign", [1, -1])
def test_the_plan_is_that_of_the_tables_whoever_is_ahead(size: float, needed: str, sign: int) -> None:
    assert planned_words(effect(sign * size)).startswith(f"{needed} items would tell them apart")


def test_what_is_told_apart_already_is_planned_to_be_told_again() -> None:
    # 10 items with d = 0.8: t = 0.8 x sqrt(10) = 2.53, above 2.262 of Student with 9 degrees; with d = 0.5 it is 1.58.
    assert "would tell them apart again with a power of 80%" in planned_words(effect(0.8))
    assert "would tell them apart again with a power of 80%" in planned_words(effect(-0.8))
    assert "would tell them apart with a power of 80%" in planned_words(effect(0.5))


def test_a_difference_without_scatter_needs_no_more_than_an_interval_does() -> None:
    assert planned_words([0.5] * 8).startswith("6 items would tell them apart again")


@pytest.mark.parametrize("differences", [[0.0] * 6, [1.0, -1.0] * 4, [0.1, 0.2, -0.3] * 2])
def test_equal_means_are_told_apart_by_no_number(differences: list[float]) -> None:
    assert planned_words(differences).endswith(f"on these {len(differences)} they are equal.")


def test_a_difference_that_ten_million_items_do_not_show_is_too_small() -> None:
    # (2.8 / 0.0005)² = 31 million
    assert planned_words(effect(0.0005)).endswith("on these 10 they differ by too little.")


def test_too_few_units_plan_nothing_and_are_called_by_their_name() -> None:
    assert planned_words([1.0] * 5, ("question", "questions")) == (
        "How many questions would tell them apart cannot be planned from 5: it takes at least 6."
    )


def test_several_attempts_are_planned_as_one_and_nothing_is_told_again() -> None:
    words = planned_words(effect(0.8), attempts=(1, 4))
    assert words.startswith("With one attempt each, 15 items would tell them apart with a power")
