"""What a pair lost at the gate and why, as the item page says it."""

from __future__ import annotations

import pytest

from evaluator.results import GroupResult, ResponseResult
from evaluator.robustness.figures import PairRating, group_result
from leaderboard.boards.robustness.items import group_value
from leaderboard.boards.robustness.lost_points import counted_in_full, counts_words, loss_words, share_words
from leaderboard.parts.card_values import JudgeCardValue
from submissions.schema import Flag


def response(variant: int, answers: float | None, *flags: Flag, key: str | None = "key") -> ResponseResult:
    if answers is not None and answers < 0.5:
        flags = (*flags, "no_answer")
    return ResponseResult(variant=variant, flags=flags, blank=False, answers=answers, answers_key=key)


def group(*responses: ResponseResult, asks_answers: bool = True, relevance_known: bool = True) -> GroupResult:
    ratings = {
        (first.variant, second.variant): PairRating(4.0, 4.0)
        for first in responses
        for second in responses
        if first.variant < second.variant
    }
    return group_result("en", responses, ratings, asks_answers=asks_answers, relevance_known=relevance_known)


def loss(*responses: ResponseResult, asks_answers: bool = True) -> str:
    made = group(*responses, asks_answers=asks_answers)
    called = {one.variant: f"answer {one.variant}" for one in responses}
    return loss_words(made.pairs[0], {one.variant: one for one in responses}, called)


def test_a_pair_that_lost_nothing_says_nothing() -> None:
    assert loss(response(1, 0.7), response(2, 1.0)) == ""
    assert loss(response(1, None), response(2, None), asks_answers=False) == ""


def test_an_answer_that_is_none_is_named_with_its_probability() -> None:
    assert loss(response(1, 0.9), response(2, 0.12)) == "counted 0: answer 2 does not answer its prompt, p = 0.12"


def test_a_pair_that_counts_in_part_says_how_much() -> None:
    # (0.58 - 0.5) / (0.7 - 0.5) = 40%
    said = loss(response(1, 0.58), response(2, 0.9))
    assert said == "counts 40%: answer 1 only perhaps answers its prompt, p = 0.58"


@pytest.mark.parametrize(
    ("lost", "why"),
    [
        (response(2, 0.0, "wrong_language", key=None), "answer 2 is in another language than its prompt"),
        (
            response(2, 0.0, key=None),
            "answer 2 repeats a prompt of the set, says the same to several questions or answers another one",
        ),
        (response(2, 0.9, "echo"), "answer 2 repeats its prompt"),
    ],
)
def test_other_reasons_have_words_of_their_own(lost: ResponseResult, why: str) -> None:
    assert loss(response(1, 0.9), lost) == f"counted 0: {why}"


def test_both_answers_are_named_where_both_lose() -> None:
    assert loss(response(1, 0.2), response(2, 0.9, "off_topic")) == (
        "counted 0: answer 1 does not answer its prompt, p = 0.20; answer 2 is about another question"
    )


def test_where_nobody_could_say_the_pair_is_not_counted() -> None:
    assert loss(response(1, 0.9), response(2, None)) == ("not counted: not known whether answer 2 answers its prompt")


def test_the_share_of_pairs_that_pass_is_that_of_their_weights() -> None:
    made = group(response(1, 0.9), response(2, 0.8), response(3, 0.6), response(4, 0.1))
    # 1-2 in full; 1-3 and 2-3 half, (0.6 - 0.5) / 0.2; the three with 4 nothing
    assert [share_words(pair) for pair in made.pairs] == ["in full", "50%", "0", "50%", "0", "0"]
    assert counts_words(made.pairs) == "1 of 6 pairs counts in full, 2 in part, 3 count 0"
    assert (counted_in_full(made.pairs).answered, counted_in_full(made.pairs).expected) == (1, 6)
    assert counts_words(group(response(1, 0.9), response(2, 0.8)).pairs) == "1 of 1 pairs counts in full"
    assert counts_words(group(response(1, 1.0), response(2, 1.0), relevance_known=False).pairs) == (
        "relevance not checked"
    )


def test_the_page_never_says_that_all_pairs_count_beside_a_lost_score() -> None:
    card: JudgeCardValue = {"title": "pair", "context": "", "facts": [], "notes": [], "quality": []}
    made = group(response(1, 0.52), response(2, 0.9))
    value = group_value(made, [], {}, card, {}, "")
    # (0.52 - 0.5) / 0.2 = 10% of 4 points
    assert (
        value["summary"]
        == "score 0.40, before the relevance check 4.00, worst pair 0.40; 0 of 1 pairs count in full, 1 in part"
    )
    (pair,) = value["pairs"]
    assert (pair["counts"], pair["gated"]) == ("10%", "0.40")
    assert pair["reason"] == "counts 10%: answer 1 only perhaps answers its prompt, p = 0.52"
