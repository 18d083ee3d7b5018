"""Corrected scores hold the truth about 95 times in 100, and the judge only ever helps."""

from __future__ import annotations

import numpy as np
import pytest

from evaluator.statistics.corrected_scores import LabelsNeeded, labels_needed, powered_mean, rogan_gladen

TRIALS = 250
# A coverage of 0.95 in 250 trials has a standard error of 0.014: three of them below and above 0.95.
LEAST, MOST = 0.909, 0.991


def _draw(
    generator: np.random.Generator, n: int, prevalence: float, sensitivity: float, specificity: float
) -> tuple[list[bool], list[bool]]:
    labels = generator.random(n) < prevalence
    says_yes = np.where(labels, generator.random(n) < sensitivity, generator.random(n) >= specificity)
    return labels.tolist(), says_yes.tolist()


@pytest.mark.parametrize(
    ("prevalence", "sensitivity", "specificity"), [(0.5, 0.9, 0.8), (0.3, 0.8, 0.9), (0.5, 0.7, 0.6)]
)
def test_both_intervals_of_a_corrected_share_hold_the_truth(
    prevalence: float, sensitivity: float, specificity: float
) -> None:
    generator = np.random.default_rng(1978)
    held_by_delta = held_by_bootstrap = 0
    for _ in range(TRIALS):
        labels, says_yes = _draw(generator, 1_200, prevalence, sensitivity, specificity)
        corrected = rogan_gladen(says_yes[200:], list(zip(says_yes[:200], labels[:200], strict=True)))
        assert corrected is not None
        assert corrected.delta is not None
        assert corrected.bootstrap is not None
        held_by_delta += corrected.delta.low <= prevalence <= corrected.delta.high
        held_by_bootstrap += corrected.bootstrap.low <= prevalence <= corrected.bootstrap.high
    assert held_by_delta / TRIALS >= LEAST  # a weak judge's holds it more often
    assert LEAST <= held_by_bootstrap / TRIALS <= MOST


def test_the_delta_interval_has_the_standard_error_of_all_three_shares() -> None:
    labelled = [(True, True)] * 90 + [(False, True)] * 10 + [(False, False)] * 80 + [(True, False)] * 20
    share = rogan_gladen([True] * 310 + [False] * 490, labelled)
    assert share is not None
    assert share.delta is not None
    # 420 of 1,000: (0.42 + 0.8 - 1) / (0.9 + 0.8 - 1) = 22/70. Shares as if 1/3 of a yes and of a no more were seen.
    yes, no, seen = 90 + 1 / 3, 80 + 1 / 3, 420 + 1 / 3
    of_yes = yes * (100 + 2 / 3 - yes) / (100 + 2 / 3) ** 2 / 100
    of_no = no * (100 + 2 / 3 - no) / (100 + 2 / 3) ** 2 / 100
    of_seen = seen * (1_000 + 2 / 3 - seen) / (1_000 + 2 / 3) ** 2 / 1_000
    value = 22 / 70
    # A tenth of all items is labelled yes, and a tenth no: these count in the share, too.
    together = 2 * (-value * 0.1 * of_yes - (1 - value) * 0.1 * of_no)
    error = (of_seen + value**2 * of_yes + (1 - value) ** 2 * of_no + together) ** 0.5 / 0.7
    assert share.value == pytest.approx(value)
    assert share.delta == pytest.approx((value - 1.96 * error, value + 1.96 * error), abs=1e-4)


def test_rates_that_no_share_explains_have_no_delta_interval() -> None:
    # The judge says yes to 1 in 100 of the others, and to half of the labelled items that are no.
    labelled = [(True, True)] * 90 + [(False, True)] * 10 + [(True, False), (False, False)] * 50
    share = rogan_gladen([True] * 40 + [False] * 3_960, labelled)
    assert share is not None
    assert (share.value, share.delta) == (0.0, None)


@pytest.mark.parametrize(("sensitivity", "specificity"), [(0.95, 0.95), (0.7, 0.6)])
def test_the_interval_of_a_powered_mean_holds_the_truth(sensitivity: float, specificity: float) -> None:
    generator = np.random.default_rng(2311)
    held, effective = 0, []
    for _ in range(TRIALS):
        labels, says_yes = _draw(generator, 1_100, 0.4, sensitivity, specificity)
        powered = powered_mean(labels[:100], says_yes[:100], says_yes[100:])
        assert powered is not None
        assert powered.interval is not None
        held += powered.interval.low <= 0.4 <= powered.interval.high
        effective.append(powered.effective_labels)
    assert held / TRIALS >= LEAST
    # Worth more than 100 labels alone. With the good judge r² = 0.81 and 100 / (1 - 0.81 / 1.1) = 379, less what is
    # counted as not seen: two units of 1/4 beside 100 residuals of 0.06 add about a tenth.
    assert np.median(effective) > (300 if sensitivity == 0.95 else 100)


def test_a_judge_no_better_than_a_coin_corrects_nothing() -> None:
    labelled = [(True, True), (False, True), (True, False), (False, False)] * 10
    assert rogan_gladen([True, False] * 20, labelled) is None


def test_a_judge_that_says_the_same_of_everything_leaves_the_labels_as_they_are() -> None:
    powered = powered_mean([0, 1, 1, 1] * 15, [1] * 60, [1] * 100)
    assert powered is not None
    assert (powered.weight, powered.value) == (0.0, 0.75)
    assert powered.effective_labels == pytest.approx(60)


def test_fewer_labels_than_hold_the_promise_correct_the_value_and_give_no_interval() -> None:
    # A judge that is always right, and all three means 1/2: whatever its weight, the value stays 1/2.
    powered = powered_mean([0, 1] * 49, [0, 1] * 49, [0, 1] * 50)
    assert powered is not None
    assert (powered.value, powered.interval) == (0.5, None)
    share = rogan_gladen([True, False] * 50, [(True, True), (False, False)] * 49)
    assert share is not None
    assert (share.value, share.delta, share.bootstrap) == (0.5, None, None)


def test_too_few_labels_have_no_correction() -> None:
    assert powered_mean([0, 1, 0, 1, 0], [0, 1, 0, 1, 0], [1] * 100) is None
    assert powered_mean([0, 1] * 50, [0, 1] * 50, [1] * 5) is None
    assert rogan_gladen([True] * 100, [(True, True)] * 100 + [(False, False)] * 5) is None


def test_labels_that_are_all_alike_leave_an_interval_that_reaches_the_end_and_not_beyond() -> None:
    powered = powered_mean([0] * 100, [0] * 100, [0] * 1_000)
    assert powered is not None
    assert powered.interval is not None
    assert (powered.value, powered.interval.low) == (0.0, 0.0)
    # Centre (1/2) / 101 = 0.00495, variance (2 x 1/4 / 101) / 100 = 0.0000495: 99.5 trials, 0.49 of them yes. That is
    # about Beta(1, 100), whose 97.5% point is 1 - 0.025^(1 / 100).
    assert powered.interval.high == pytest.approx(1 - 0.025 ** (1 / 100), abs=0.001)


def test_rare_errors_of_a_good_judge_are_not_overlooked() -> None:
    """Student's t around the mean held 0.1 in 87.5 to 92.8 of 100 such logs: it is alike on both sides."""
    generator = np.random.default_rng(2001)
    held = 0
    for _ in range(TRIALS):
        labels, says_yes = _draw(generator, 1_100, 0.1, 0.95, 0.95)
        powered = powered_mean(labels[:100], says_yes[:100], says_yes[100:])
        assert powered is not None
        assert powered.interval is not None
        held += powered.interval.low <= 0.1 <= powered.interval.high
    assert held / TRIALS >= LEAST


JOINT = ((1, 1, 0.40), (1, 0, 0.15), (0, 1, 0.10), (0, 0, 0.35))
"""Label, judged, and how often: 0.55 of the labels are 1."""


def _needed(items: int) -> LabelsNeeded:
    labels = [label for label, _, share in JOINT for _ in range(round(100 * share))]
    judged = [said for _, said, share in JOINT for _ in range(round(100 * share))]
    powered = powered_mean(labels, judged, [0, 1] * 500)
    assert powered is not None
    assert powered.value == pytest.approx(0.55)  # the judge says 1 of half of either
    return labels_needed(labels, judged, powered, items)


def test_labels_needed_are_those_of_the_derivation() -> None:
    # cov = 0.40 - 0.55 x 0.50 = 0.125, var(judged) = 0.25, b = 0.5; var(label) = 0.2475, of which b explains 0.0625,
    # which leaves 0.185. With two units unseen: (100 x 0.2475 + 0.5) / 101 = 0.25 and (18.5 + 0.5) / 101 = 0.188119.
    # (0.05 / 1.96)^2 = 0.00065077: alone 0.25 / 0.00065077 = 384.2.
    assert _needed(1_000).alone == 385
    # 0.0625 / 1,000 is left unknown: 0.188119 / (0.00065077 - 0.0000625) = 319.8.
    assert _needed(1_000).helped == 320
    # Of very many items 0.188119 / 0.00065077 = 289.07.
    assert _needed(10_000_000).helped == 290
    # 320 labels of 319 items there are not, and 0.0625 / 90 alone is more than 0.00065077.
    assert _needed(300).helped is None
    assert _needed(90) == LabelsNeeded(None, 385)
    even = powered_mean([0, 1] * 50, [0, 1] * 50, [0, 1] * 50)
    assert even is not None
    assert labels_needed([0, 1] * 50, [0, 1] * 50, even, 200) == LabelsNeeded(None, None)


def test_with_the_labels_needed_every_second_log_tells_the_two_apart() -> None:
    generator = np.random.default_rng(7)
    items, trials, told = 1_000, 400, 0
    n = _needed(items).helped
    assert n is not None
    for _ in range(trials):
        cells = generator.choice(4, items, p=[share for _, _, share in JOINT])
        labels, judged = (np.array([cell[column] for cell in JOINT])[cells] for column in (0, 1))
        powered = powered_mean(list(labels[:n]), list(judged[:n]), list(judged[n:]))
        assert powered is not None
        assert powered.interval is not None
        told += powered.interval.low > 0.5
    # 200 of 400 with a standard deviation of 10.
    assert abs(told - 200) <= 30
