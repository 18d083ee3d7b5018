"""Which part of a whole stands apart: differences worked out by hand, and intervals that hold together."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t

from evaluator.statistics.intervals import excludes_zero, least_units, simultaneous_metric
from evaluator.statistics.part_differences import PartComparison, compared_parts

LANGUAGES = ("de", "en", "es", "fr", "sv")


def comparison(values: dict[str, dict[str, float]]) -> PartComparison:
    result = compared_parts(values)
    assert result is not None
    return result


def test_a_difference_is_to_the_mean_of_the_other_parts_unit_by_unit() -> None:
    # q1: fr 1 - (4 + 3) / 2 = -2.5; q2: fr 2 - (3 + 2) / 2 = -0.5; their mean is -1.5.
    # de: 4 - 2 = 2 and 3 - 2 = 1, mean 1.5; en: 3 - 2.5 = 0.5 and 2 - 2.5 = -0.5, mean 0.
    parts = comparison({"q1": {"de": 4, "en": 3, "fr": 1}, "q2": {"de": 3, "en": 2, "fr": 2}}).parts
    assert [(part.part, part.mean, part.difference.value) for part in parts] == [
        ("fr", 1.5, -1.5),
        ("en", 2.5, 0.0),
        ("de", 3.5, 1.5),
    ]
    assert [part.difference.n for part in parts] == [2, 2, 2]


def test_a_part_that_is_always_lower_is_named_from_eight_questions_on() -> None:
    # Five parts leave 1 % to each: seven questions that all say the same have a chance of 2^-6 = 1.6 %, eight of 0.8 %.
    def values(units: int) -> dict[str, dict[str, float]]:
        return {str(unit): dict.fromkeys(LANGUAGES, 4.0) | {"fr": 3.0} for unit in range(units)}

    assert comparison(values(7)).lowest is None
    lowest = comparison(values(8)).lowest
    assert lowest is not None
    # 3 - 4 = -1 in every question, so every draw has it.
    assert (lowest.part, lowest.difference.value, lowest.difference.high) == ("fr", -1.0, -1.0)


def test_what_makes_a_question_hard_in_every_language_does_not_blur_the_difference() -> None:
    rng = np.random.default_rng(1)
    hard = rng.uniform(1, 4, size=20)
    values = {str(unit): dict.fromkeys(LANGUAGES, level) | {"sv": level - 0.1} for unit, level in enumerate(hard)}
    lowest = comparison(values).lowest
    assert lowest is not None
    assert lowest.part == "sv"
    assert lowest.difference.low == pytest.approx(-0.1)


def test_the_lowest_of_equal_languages_is_rarely_named_though_it_often_lies_below_its_own_interval() -> None:
    """One interval of five is missed by chance at least five times as often as it says; five together are not."""
    rng = np.random.default_rng(7)
    named, alone = 0, 0
    for _ in range(100):
        drawn = rng.normal(3, 1, size=(20, 5))
        values = {str(unit): dict(zip(LANGUAGES, row, strict=True)) for unit, row in enumerate(drawn)}
        result = comparison(values)
        named += result.lowest is not None
        lowest = result.parts[0].part
        others = {
            unit: of_unit[lowest] - (sum(of_unit.values()) - of_unit[lowest]) / 4 for unit, of_unit in values.items()
        }
        alone += excludes_zero(simultaneous_metric(others, 1))
    # At most 2.5 % are named below; 100 trials of 0.025 exceed 8 with a chance of 0.1 %.
    assert named <= 8
    assert alone > 2 * named


def test_an_interval_of_five_lies_where_students_t_puts_the_ends_of_99_percent() -> None:
    values = {f"{unit:02}": (unit - 9.5) ** 3 for unit in range(20)}
    metric = simultaneous_metric(values, 5)
    deviation = np.std(list(values.values()), ddof=1)
    reach = t.ppf(1 - 0.025 / 5, 19) * deviation / np.sqrt(20)  # 2.861 standard errors
    assert (metric.low, metric.high) == pytest.approx((-reach, reach))


def test_two_parts_are_one_difference_and_no_unit_is_none() -> None:
    assert compared_parts({"q1": {"de": 4.0, "en": 1.0}}) is None
    assert compared_parts({}) is None


def test_a_unit_without_one_of_the_parts_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"unit 'q2' has \['de', 'en'\], expected a value for each of .*'fr'"):
        compared_parts({"q1": {"de": 1.0, "en": 1.0, "fr": 1.0}, "q2": {"de": 1.0, "en": 1.0}})


@pytest.mark.parametrize(("intervals", "units"), [(1, 6), (2, 7), (3, 7), (5, 8), (24, 10)])
def test_intervals_that_hold_together_need_more_units(intervals: int, units: int) -> None:
    assert least_units(intervals) == units
    assert 2.0 ** (1 - units) <= 0.05 / intervals
