"""The relevance guard and its shuffled control."""

from __future__ import annotations

import numpy as np
import pytest

from evaluator.robustness.relevance import AnswerVector, Relevance, Vector, control_pass_share, pass_share, relevances

AXES = np.eye(6)
ITEMS = ("001", "002", "003", "004", "005")


def questions(items: tuple[str, ...] = ITEMS, language: str = "en") -> dict[tuple[str, str], list[Vector]]:
    """One prompt per item, each along its own axis."""
    return {(item, language): [AXES[index]] for index, item in enumerate(items)}


def test_an_answer_near_its_own_prompts_is_on_topic() -> None:
    [found] = relevances([AnswerVector("001", "en", AXES[0] + 0.1 * AXES[5])], questions())
    # cos = 1 / sqrt(1 + 0.01) = 0.99504; the four others are 0, so is their median.
    assert found.own == pytest.approx(1 / 1.01**0.5)
    assert (found.off_topic, found.threshold, found.unchecked) == (False, 0.0, None)


def test_an_answer_as_near_to_the_median_other_item_is_off_topic() -> None:
    # The answer has nothing in common with any prompt: own 0 <= median 0.
    [found] = relevances([AnswerVector("001", "en", AXES[5])], questions())
    assert found.off_topic is True


def test_the_threshold_is_the_linear_median_of_the_other_items() -> None:
    answer = 4 * AXES[1] + 3 * AXES[2] + 2 * AXES[3] + 1 * AXES[4]
    [found] = relevances([AnswerVector("001", "en", answer)], questions())
    # |answer| = sqrt(16 + 9 + 4 + 1); the median of (4, 3, 2, 1) is 2.5.
    assert found.threshold == pytest.approx(2.5 / 30**0.5)
    assert found.off_topic is True


def test_own_relevance_is_the_mean_over_the_items_prompts() -> None:
    prompts = questions()
    prompts["001", "en"] = [AXES[0], 2 * AXES[5]]  # lengths do not matter
    [found] = relevances([AnswerVector("001", "en", AXES[0])], prompts)
    assert found.own == pytest.approx(0.5)  # (1 + 0) / 2


def test_the_control_asks_whether_the_answer_would_pass_for_the_next_item() -> None:
    on_topic, of_next, of_first = relevances(
        [
            AnswerVector("001", "en", AXES[0]),  # as item 002: own 0, others (1, 0, 0, 0), median 0 -> off topic
            AnswerVector("001", "en", AXES[1]),  # as item 002: own 1 -> passes
            AnswerVector("005", "en", AXES[0]),  # the item after the last is the first
        ],
        questions(),
    )
    assert (on_topic.off_topic, on_topic.control_passes) == (False, False)
    assert (of_next.off_topic, of_next.control_passes) == (True, True)
    assert (of_first.off_topic, of_first.control_passes) == (True, True)


def test_with_fewer_than_three_other_items_nothing_is_flagged_and_the_gate_stays_usable() -> None:
    [found] = relevances([AnswerVector("001", "el", AXES[1])], questions(("001", "002", "003"), "el"))
    assert (found.off_topic, found.own, found.threshold) == (None, 0.0, None)
    assert found.unchecked == "few_others"
    assert found.gate_is_known


def test_without_prompts_the_gate_is_unknown() -> None:
    [no_prompts] = relevances([AnswerVector("001", "en", AXES[0])], {})
    [other_item] = relevances([AnswerVector("777", "en", AXES[0])], questions())
    assert no_prompts.unchecked == other_item.unchecked == "set_unavailable"
    assert not no_prompts.gate_is_known


def test_a_language_the_model_does_not_read_gets_no_flag() -> None:
    [found] = relevances([AnswerVector("001", "sv", None)], questions(language="sv"))
    assert (found.off_topic, found.own, found.unchecked) == (None, None, "language_not_read")
    assert found.gate_is_known


def test_languages_do_not_mix_and_answers_keep_their_order() -> None:
    prompts = {**questions(), **questions(tuple(reversed(ITEMS)), "sv")}
    answers = [
        AnswerVector("001", "sv", AXES[4]),  # the Swedish prompt of 001 lies along axis 4
        AnswerVector("001", "en", AXES[4]),
        AnswerVector("005", "sv", AXES[0]),
        AnswerVector("001", "fi", AXES[0]),
    ]
    assert [found.off_topic for found in relevances(answers, prompts)] == [False, True, False, None]


def test_the_order_of_answers_and_prompts_changes_nothing() -> None:
    generator = np.random.default_rng(3)
    prompts = {(item, "en"): [*generator.normal(size=(3, 8))] for item in ITEMS}
    answers = [AnswerVector(item, "en", generator.normal(size=8)) for item in ITEMS for _ in range(4)]
    forwards = relevances(answers, prompts)
    backwards = relevances(answers[::-1], dict(reversed(prompts.items())))
    for one, other in zip(forwards, reversed(backwards), strict=True):
        assert (one.item, one.off_topic, one.control_passes) == (other.item, other.off_topic, other.control_passes)
        assert one.own == pytest.approx(other.own)


def test_unrelated_answers_pass_about_half_the_time_which_is_why_the_control_stands_beside() -> None:
    generator = np.random.default_rng(5)
    items = tuple(f"{number:03}" for number in range(1, 16))
    prompts = {(item, "en"): [*generator.normal(size=(2, 64))] for item in items}
    answers = [AnswerVector(item, "en", generator.normal(size=64)) for item in items for _ in range(40)]
    found = relevances(answers, prompts)
    # Own is above the median of 14 others with probability 8/15 or 7/15 by ranks: close to one half.
    for share in (pass_share(found), control_pass_share(found)):
        assert share.value == pytest.approx(0.5, abs=0.06)
        assert share.n == 600
        assert share.low is not None


def test_shares_count_checked_answers_only_and_cluster_by_item() -> None:
    found = [Relevance(f"{number:03}", off_topic=number == 1, control_passes=False) for number in range(1, 11)]
    found.append(Relevance("011", off_topic=None, unchecked="few_others"))
    share = pass_share(found)
    assert (share.value, share.n, share.unscored) == (0.9, 10, 1)  # 9 of 10
    assert share.high is not None
    assert 0.9 < share.high < 1.0
    control = control_pass_share(found)
    assert (control.value, control.low) == (0.0, 0.0)
    assert control.high == pytest.approx(1 - 0.025 ** (1 / 10))


def test_no_checked_answer_has_no_share() -> None:
    share = pass_share([Relevance("001", off_topic=None, unchecked="set_unavailable")])
    assert (share.value, share.n, share.unscored) == (None, 0, 1)
    assert share.reason == "no answer could be checked for relevance"
