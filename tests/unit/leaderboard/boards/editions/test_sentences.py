"""The sentence of a run of 2026, for each sign and edge of its headline; that of 2025 is `test_kept_points.py`."""

from __future__ import annotations

import pytest

from evaluator.results import MetricValue
from leaderboard.boards.editions.sentences import culture_sentence


@pytest.mark.parametrize(
    ("value", "low", "high", "beside"),
    [
        (0.3, 0.1, 0.5, "more than"),
        (-0.3, -0.5, -0.1, "less than"),
        (0.1, 0.0, 0.2, "no more than"),  # an end at 0 does not leave it out
        (-0.1, -0.2, 0.0, "no more than"),
    ],
)
def test_it_differs_from_chance_where_the_interval_leaves_out_zero(
    value: float, low: float, high: float, beside: str
) -> None:
    assert culture_sentence("keel", MetricValue(value=value, low=low, high=high, n=40)) == (
        f"What keel answers depends on the culture, and not on the language, {beside} by chance: "
        f"{value:.2f} [{low:.2f}, {high:.2f}], where 1 is always and 0 is chance."
    )


def test_a_score_without_an_interval_claims_nothing_and_a_missing_one_says_why() -> None:
    assert culture_sentence("keel", MetricValue(value=0.3, n=1)) == (
        "How far what keel answers depends on the culture, and not on the language: 0.30, where 1 is always and 0 is "
        "chance; too few for an interval to say more."
    )
    missing = MetricValue(value=None, n=0, reason="answers in one language (fi): nothing to compare")
    assert culture_sentence("keel", missing) == "keel has no score: answers in one language (fi): nothing to compare."
    assert culture_sentence("keel", None) == "keel has no score: nothing was judged."
