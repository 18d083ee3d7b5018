"""What askings come to: which pairs stay, how much noise there is, and when the judge has changed."""

from __future__ import annotations

import pytest

from evaluator.canary.course import Asking, baseline_of, courses, verdict_of
from evaluator.statistics.change_detection import LEAPS
from tests.unit.evaluator.canary.made_askings import CALM, FIRST, PAIRS, askings


def evidence(hits: int, pairs: int, bound: float) -> float:
    """Of the first round: the mean of (r / b)^s ((1 - r) / (1 - b))^(n - s)."""
    rates = [bound + leap * (1 - bound) for leap in LEAPS]
    bets = [(rate / bound) ** hits * ((1 - rate) / (1 - bound)) ** (pairs - hits) for rate in rates]
    return sum(bets) / len(bets)


def test_half_a_point_is_rounded_up_at_every_number() -> None:
    assert [verdict_of(0.5), verdict_of(1.5), verdict_of(2.5), verdict_of(4.49)] == [1, 2, 3, 4]


def test_only_pairs_that_the_judge_repeats_three_times_stay() -> None:
    baseline = baseline_of(askings((0,), (), (1, 2), *CALM[:5]))
    assert set(baseline.verdicts) == set(range(3, PAIRS))  # 0 once another, 1 and 2 once
    assert set(baseline.verdicts.values()) == {5}
    assert baseline.noise == 0
    assert baseline.bound == pytest.approx(1 - 0.05 ** (1 / (37 * 5)))  # none of 37 x 5


def test_the_noise_is_counted_on_the_pairs_that_stay() -> None:
    baseline = baseline_of(askings((0,), (), (), (0, 1), (0, 2), (0, 1), (), ()))
    assert baseline.noise == pytest.approx(3 / (39 * 5))  # pair 0 is out: 1, 2 and 1 again


def test_a_pair_without_a_usable_reply_does_not_stay() -> None:
    blank = Asking(FIRST, (None, *[3.0] * (PAIRS - 1)))
    assert 0 not in baseline_of([blank] * 8).verdicts


def test_a_reply_that_became_unusable_is_another_verdict() -> None:
    usable = Asking(FIRST, (3.0,) * PAIRS)
    (course,) = courses([usable] * 8 + [Asking(FIRST, (None, None, *[3.0] * (PAIRS - 2)))])
    assert course.rounds[0].others == 2


def test_a_baseline_that_was_interrupted_waits_for_the_rest() -> None:
    (course,) = courses(askings(*CALM[:5]))
    assert course.baseline is None
    assert len(course.asked) == 5
    assert not course.is_watching


def test_the_evidence_of_a_round_is_that_of_the_formula() -> None:
    (course,) = courses(askings(*CALM, range(4), ()))
    bound = 1 - 0.05 ** (1 / 200)  # none of 40 x 5
    assert [one.others for one in course.rounds] == [4, 0]
    assert course.rounds[0].evidence == pytest.approx(evidence(4, 40, bound))
    assert course.is_watching


def test_a_change_ends_the_course_and_the_next_asking_begins_another() -> None:
    # 8 of 40 at a bound of 0.0149: (0.25 / 0.0149)^8 alone is above 10^9, the misses take (0.76)^32 = 10^-4 of it.
    found = courses(askings(*CALM, (), range(8), range(8), *[range(8)] * 7, ()))
    first, second = found
    assert first.alarm is first.rounds[-1]
    assert [one.is_alarm for one in first.rounds] == [False, True]
    # The second holds the judge against what it says since: none of its eight is another.
    assert second.baseline is not None
    assert second.baseline.noise == 0
    assert [one.others for one in second.rounds] == [8]  # the judge as it was at first
    assert second.alarm


def test_a_judge_that_never_repeats_itself_is_not_watched() -> None:
    everywhere = [range(0, PAIRS, 2), range(1, PAIRS, 2)] * 4
    first, second = courses(askings(*everywhere, ()))
    assert first.baseline is not None
    assert not first.baseline.can_watch
    assert first.rounds == ()
    assert second.asked == tuple(askings(*everywhere, ())[8:])  # what comes next begins anew


def test_nothing_asked_is_no_course() -> None:
    assert courses([]) == []
