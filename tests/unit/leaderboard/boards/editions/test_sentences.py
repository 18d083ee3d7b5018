"""The sentence of a run of 2026, for each sign and edge of its headline; that of 2025 is `test_kept_points.py`."""

from __future__ import annotations

import pytest

from evaluator.results import MetricValue
from leaderboard.boards.editions.sentences import culture_sentence, distance_sentence


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


LIE = "Answers in different languages lie"


@pytest.mark.parametrize(
    ("cd", "cr", "expected"),
    [
        (0.4, 0.9, f"{LIE} 0.40 apart where no culture is named and 0.10 where one is: naming it brings them closer."),
        (0.1, 0.6, f"{LIE} 0.10 apart where no culture is named and 0.40 where one is: naming it drives them apart."),
        # 0.104 and 0.096 are both shown as 0.10.
        (0.104, 0.904, f"{LIE} 0.10 apart where no culture is named and 0.10 where one is: naming it changes nothing."),
        (0.4, None, f"{LIE} 0.40 apart where no culture is named; where one is, there is nothing to compare."),
        (None, 0.6, f"{LIE} 0.40 apart where a culture is named; where none is, there is nothing to compare."),
        (None, None, "Not scored: no two languages have answers that can be compared."),
    ],
)
def test_a_base_question_sets_the_distance_with_a_named_culture_beside_the_one_without(
    cd: float | None, cr: float | None, expected: str
) -> None:
    assert distance_sentence(cd, cr, cd, cr) == expected
    assert distance_sentence(cd, cr, None, None) == expected


def test_what_the_relevance_check_takes_is_named() -> None:
    said = distance_sentence(0.4, 0.9, 0.3, 0.8)
    assert said.endswith("brings them closer. Some answers fail the relevance check, so less of this counts.")
