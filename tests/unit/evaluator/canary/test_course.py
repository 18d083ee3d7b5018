"""What askings come to: which pairs stay, how much noise there is, and when the judge has changed."""

from __future__ import annotations

from datetime import timedelta

import pytest

from evaluator.canary.course import Asking, Baseline, courses, verdict_of
from evaluator.statistics.change_detection import LEAPS, DayNoise
from tests.unit.evaluator.canary.made_askings import CALM, FIRST, PAIRS, askings, baseline_days, rounds


def baseline_of(asked: list[Asking]) -> Baseline:
    """Of one course with nothing but a baseline."""
    (course,) = courses(asked)
    assert course.baseline is not None
    return course.baseline


def evidence(hits: int, pairs: int, bound: float) -> float:
    """Of the first round: the mean of (r / b)^s ((1 - r) / (1 - b))^(n - s)."""
    rates = [bound + leap * (1 - bound) for leap in LEAPS]
    bets = [(rate / bound) ** hits * ((1 - rate) / (1 - bound)) ** (pairs - hits) for rate in rates]
    return sum(bets) / len(bets)


def test_half_a_point_is_rounded_up_at_every_number() -> None:
    assert [verdict_of(0.5), verdict_of(1.5), verdict_of(2.5), verdict_of(4.49)] == [1, 2, 3, 4]


# --- a baseline of seven days -----------------------------------------------------------------------------------------


def test_only_pairs_that_the_judge_repeats_three_times_stay() -> None:
    baseline = baseline_of(baseline_days({1: (0,), 3: (1, 2)}))
    assert set(baseline.verdicts) == set(range(3, PAIRS))  # 0 once another, 1 and 2 once
    assert set(baseline.verdicts.values()) == {5}
    assert (baseline.noise, baseline.days) == (0, 7)


def test_the_noise_is_counted_on_the_pairs_that_stay_on_all_days() -> None:
    baseline = baseline_of(baseline_days({1: (0,), 4: (0, 1), 9: (0, 2), 17: (0, 1)}))
    assert baseline.noise == pytest.approx(3 / (39 * 14))  # pair 0 is out: 1, 2 and 1 again


def test_days_that_differ_leave_a_noisier_day_possible() -> None:
    # 28 others both times: four on each day, or all on the first.
    even = baseline_of(baseline_days(dict.fromkeys(range(4, 18), range(2))))
    uneven = baseline_of(baseline_days({4: range(14), 5: range(14)}))
    assert even.noise == uneven.noise
    assert uneven.bound > 1.5 * even.bound
    assert min(noise.spread for noise in even.noises) == 0
    assert min(noise.spread for noise in uneven.noises) >= 0.5


def test_a_pair_without_a_usable_reply_does_not_stay() -> None:
    blank = [Asking(one.at, (None, *one.ratings[1:]), one.step) for one in baseline_days()]
    assert 0 not in baseline_of(blank).verdicts


def test_a_baseline_waits_for_its_next_day() -> None:
    (course,) = courses(baseline_days()[:9])  # five askings on the first day, two on each of two more
    assert course.baseline is None
    assert not course.is_watching
    assert course.day_asked == 3
    assert course.steps_due == range(10, 12)
    assert course.next_day() == FIRST + timedelta(days=2, hours=20)


def test_a_day_that_was_interrupted_goes_on_at_once() -> None:
    for asked, day, due in ((1, 0, range(2, 6)), (6, 1, range(7, 8))):
        (course,) = courses(baseline_days()[:asked])
        assert (course.day_asked, course.steps_due, course.next_day()) == (day, due, None)


def test_rounds_follow_the_last_day() -> None:
    (course,) = courses(baseline_days() + rounds((), range(20)))
    assert [one.others for one in course.rounds] == [0, 20]
    assert course.alarm is course.rounds[1]


def test_a_first_day_on_which_nothing_is_repeated_ends_the_baseline() -> None:
    first, second = courses(baseline_days({1: range(30)})[:3] + baseline_days()[:1])
    assert first.baseline is not None
    assert not first.baseline.can_watch  # 10 of 40 pairs
    assert second.day_asked == 0


def test_a_new_baseline_ends_one_that_watches_and_one_that_is_not_whole() -> None:
    found = courses(baseline_days() + rounds(()) + baseline_days()[:4] + baseline_days() + rounds((), ()))
    assert [len(one.asked) for one in found] == [17, 4, 17]
    assert [len(one.rounds) for one in found] == [1, 0, 2]
    assert courses(askings(*CALM, ()) + baseline_days())[1].baseline is not None


# --- a baseline asked at once, in earlier records ---------------------------------------------------------------------


def test_the_noise_of_an_hour_has_one_bound() -> None:
    baseline = baseline_of(askings((0,), (), (1, 2), *CALM[:5]))
    assert (baseline.noise, baseline.days) == (0, 1)
    assert baseline.bound == pytest.approx(1 - 0.05 ** (1 / (37 * 5)))  # none of 37 x 5
    assert baseline.noises == (DayNoise(baseline.bound, 0.0),)


def test_the_noise_of_an_hour_is_counted_on_the_pairs_that_stay() -> None:
    baseline = baseline_of(askings((0,), (), (), (0, 1), (0, 2), (0, 1), (), ()))
    assert baseline.noise == pytest.approx(3 / (39 * 5))  # pair 0 is out: 1, 2 and 1 again


def test_a_reply_that_became_unusable_is_another_verdict() -> None:
    usable = Asking(FIRST, (3.0,) * PAIRS)
    (course,) = courses([usable] * 8 + [Asking(FIRST, (None, None, *[3.0] * (PAIRS - 2)))])
    assert course.rounds[0].others == 2


def test_a_baseline_at_once_that_was_interrupted_is_none() -> None:
    (course,) = courses(askings(*CALM[:5]))
    assert course.baseline is None
    assert len(course.asked) == 5
    assert not course.is_watching
    assert course.day_asked is None  # the next run begins one of several days


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
