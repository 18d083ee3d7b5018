from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from evaluator.judges.protocol import Judgment
from evaluator.results import GroupResult, ItemResult, MetricValue, PairwiseRecord, PairwiseResult, ResponseResult
from evaluator.robustness.figures import PairRating, group_result
from leaderboard.boards.robustness.items import item_rows, item_sentence, item_value, verdict_keys, worst_pair
from leaderboard.page.judge_card import label_mass
from leaderboard.parts.card_values import JudgeCardValue
from leaderboard.parts.item_values import GroupValue
from submissions.schema import Item, Names, PromptSet, Response, ResponseSet, Submission, Variant
from submissions.verdicts.swap_outcomes import SwapOutcome
from tests.unit.leaderboard.boards.robustness.made_results import robustness_result

HOSTILE = "${alert(1)}<script>alert(2)</script>"


def prompt_set() -> PromptSet:
    languages = ("en", "en", "en", "sv", "sv")
    variants = tuple(Variant(number, language, f"prompt {number}") for number, language in enumerate(languages, 1))
    return PromptSet("demonstration", "2024", "Demonstration", "1", None, (Item("901", "formality", variants),))


def submission() -> Submission:
    answers = tuple(
        Response("901", "901", "variant", number, "en", None, (("", HOSTILE),), HOSTILE) for number in range(1, 6)
    )
    return Submission("2024", "demonstration", Names(), None, None, (), "ab" * 32, (ResponseSet("901", answers),))


def card() -> JudgeCardValue:
    return {"title": "embedding", "context": "", "facts": [], "notes": [], "quality": []}


def test_an_item_row_follows_the_view() -> None:
    result = robustness_result({"901": 3.0, "902": 4.0}, flags=["echo"])
    english, every = (item_rows(result, view) for view in ("english", "all"))
    assert [row.languages for row in english] == ["en", "en"]
    assert [row.languages for row in every] == ["en, sv", "en, sv"]
    # two of three English pairs hold the echo and fail the gate: (3 + 0 + 0) / 3 = 1
    assert english[0].values["pair_mean_gated"] == 1.0
    assert english[0].values["pair_mean"] == 3.0
    assert (english[0].passing.answered, english[0].passing.expected) == (1, 3)
    assert english[0].flags == {"echo": 1}
    assert "sv: " in every[0].reason


def test_items_stand_with_the_worst_first() -> None:
    result = robustness_result({"901": 3.0, "902": 1.0, "903": 4.0, "904": 1.0})
    assert [row.id for row in item_rows(result, "english")] == ["902", "904", "901", "903"]


def test_an_item_shows_answers_beside_each_other_and_every_verdict() -> None:
    result = robustness_result({"901": 3.0})
    value = item_value(result.items[0], "all", submission(), prompt_set(), card(), None)
    english, swedish = value["groups"]
    assert [variant["answer"] for variant in english["variants"]] == [HOSTILE] * 3
    assert english["variants"][1]["prompt"] == "prompt 2"
    assert english["variants"][0]["relevance"] == "relevance 0.60, other items 0.10"
    pair = english["pairs"][0]
    assert (pair["first_order"], pair["second_order"], pair["score"], pair["counts"]) == (
        "3.25",
        "2.75",
        "3.00",
        "in full",
    )
    assert swedish["summary"].startswith("unscored: ")
    assert swedish["pairs"][0]["score"] == "n/a"
    assert english["cards"] == [card()]


def judged_group(language: str, ratings: Mapping[tuple[int, int], float], echoes: Sequence[int] = ()) -> GroupResult:
    """A group whose pairs got these ratings in both orders; answers in `echoes` repeat their prompt."""
    variants = sorted({variant for pair in ratings for variant in pair})
    answers = [
        ResponseResult(variant=variant, flags=("echo",) if variant in echoes else (), blank=False)
        for variant in variants
    ]
    return group_result(language, answers, {pair: PairRating(rating, rating) for pair, rating in ratings.items()})


THREE = {(1, 2): 5.0, (1, 3): 2.0, (2, 3): 2.0}


@pytest.mark.parametrize(
    ("groups", "sentence"),
    [
        # (5 + 2 + 2) / 3 = 3
        ([("en", THREE)], "The answers agree at 3.00 of 5 on average, least between variant 1 and variant 3 (2.00)."),
        ([("en", {(1, 2): 4.0})], "The answers agree at 4.00 of 5."),
        ([("en", {(1, 2): 0.0})], "The answers agree at 0.00 of 5."),
        ([("en", dict.fromkeys(THREE, 5.0))], "The answers agree at 5.00 of 5 on average."),
        # Answer 3 echoes: two pairs count 0, (5 + 0 + 0) / 3 = 1.67.
        (
            [("en", THREE, (3,))],
            "The answers agree at 3.00 of 5 on average, least between variant 1 and variant 3 (2.00); 1.67 after the "
            "relevance check, as 1 of 3 pairs counts in full, 2 count 0.",
        ),
        # Answer 1 echoes: (0 + 0 + 2) / 3; of the two pairs that count 0 the one with fewer points is the worst.
        (
            [("en", {(1, 2): 5.0, (1, 3): 4.0, (2, 3): 2.0}, (1,))],
            "The answers agree at 3.67 of 5 on average, least between variant 2 and variant 3 (2.00); 0.67 after the "
            "relevance check, as 1 of 3 pairs counts in full, 2 count 0, and least between variant 1 and variant 3 "
            "(0.00).",
        ),
        (
            [("en", {(1, 2): 4.0}), ("sv", {(4, 5): 1.0})],
            "Of 2 languages the answers score lowest in sv: they agree at 1.00 of 5.",
        ),
    ],
)
def test_an_item_begins_with_what_came_of_it(groups: Sequence[Any], sentence: str) -> None:
    assert item_sentence([judged_group(*group) for group in groups]) == sentence


def test_an_item_that_was_not_judged_says_why() -> None:
    value = item_value(robustness_result({"901": 3.0}).items[0], "all", None, None, card(), None)
    assert value["sentence"] == "The answers agree at 3.00 of 5 on average."  # Swedish was not judged
    swedish = robustness_result({"901": 3.0}).items[0].groups[1]
    assert item_sentence([swedish]) == f"Not scored: {swedish.reason}."


def test_without_the_file_the_verdicts_still_stand() -> None:
    value = item_value(robustness_result({"901": 3.0}).items[0], "english", None, None, card(), None)
    assert value["groups"][0]["variants"][0]["answer"] == ""
    assert len(value["groups"][0]["pairs"]) == 3


def test_the_worst_pair_is_the_one_that_counts_least() -> None:
    answers = [ResponseResult(variant=number, flags=(), blank=False) for number in (1, 2)]
    answers.append(ResponseResult(variant=3, flags=("echo",), blank=False))
    group = group_result("en", answers, {(1, 2): PairRating(1.0, 1.0), (1, 3): PairRating(4.0, 4.0)})
    worst = worst_pair(group.pairs)
    assert worst is not None
    assert (worst.a, worst.b) == (1, 3)  # the echo counts 0, whatever the judge said


def test_a_group_nobody_judged_has_no_worst_pair() -> None:
    answers = [ResponseResult(variant=number, flags=(), blank=False) for number in (1, 2)]
    assert worst_pair(group_result("sv", answers, {}, reason="not read").pairs) is None


def record(variant: int, original: str, swapped: str, outcome: SwapOutcome, **facts: Any) -> PairwiseRecord:
    return PairwiseRecord(
        item="901",
        variant=variant,
        variation="formality",
        original=original,
        swapped=swapped,
        outcome=outcome.value,
        **facts,
    )


def test_a_comparison_with_the_reference_shows_both_verdicts_and_their_outcome() -> None:
    pairwise = PairwiseResult(
        reference="Sextant",
        reference_sha256="ab" * 32,
        records=(
            record(1, "B", "A", SwapOutcome.CONSISTENT_WIN_SECOND_CANDIDATE, key_original="x", label_mass=0.93),
            record(2, "A", "A", SwapOutcome.PRIMACY_FLIP, key_original="y", label_mass=0.5),
            record(3, "C", "C", SwapOutcome.CONSISTENT_TIE),
            record(4, "N", "A", SwapOutcome.ERROR, key_original="z", reason="low_label_mass"),
        ),
        win_rate=MetricValue(value=None, n=0),
        conservative_win_rate=MetricValue(value=None, n=0),
    )
    result = robustness_result({"901": 3.0, "902": 3.0})
    (comparison,) = item_value(result.items[0], "english", None, None, card(), pairwise)["comparisons"]
    assert comparison["title"] == "Against the reference Sextant"
    assert comparison["cards"] == [card()]
    shown = [(row["first_order"], row["second_order"], row["outcome"], row["reason"]) for row in comparison["rows"]]
    assert shown == [
        ("B: system", "A: system", "consistent win second candidate", ""),
        ("A: reference", "A: system", "primacy flip", ""),
        ("C: tie", "C: tie", "consistent tie", "identical answers: no judge was asked"),
        ("N: unusable", "A: system", "error", "low_label_mass"),
    ]
    assert [row["is_flip"] for row in comparison["rows"]] == [False, True, False, False]
    assert comparison["rows"][0]["label_mass"] == "0.93"
    assert item_value(result.items[1], "english", None, None, card(), pairwise)["comparisons"] == []
    mass = label_mass(pairwise)
    assert mass is not None
    assert mass.n == 2
    assert mass.value == pytest.approx(0.715)  # (.93 + .5) / 2


def noted(
    result: Any, details: Mapping[tuple[int, int], Mapping[str, float]]
) -> tuple[ItemResult, dict[str, Judgment]]:
    """The first item with verdict keys on its English pairs, and verdicts that hold details of some."""
    item = result.items[0]
    english = item.groups[0]
    pairs = tuple(
        pair.model_copy(update={"key_ab": f"{pair.a}-{pair.b}", "key_ba": f"{pair.b}-{pair.a}"})
        for pair in english.pairs
    )
    groups = (english.model_copy(update={"pairs": pairs}), *item.groups[1:])
    judgments = {f"{a}-{b}": Judgment(3.0, details=found) for (a, b), found in details.items()}
    return item.model_copy(update={"groups": groups}), judgments


def test_the_worst_pair_with_details_is_open_until_another_one_is_opened() -> None:
    item, judgments = noted(
        robustness_result({"901": 3.0}), {(1, 2): {"cosine": 0.5}, (2, 3): {"cosine": 0.25}, (1, 3): {}}
    )

    def opened(chosen: str) -> GroupValue:
        return item_value(
            item, "english", submission(), prompt_set(), card(), None, judgments=judgments, opened=chosen
        )["groups"][0]

    at_first = opened("")  # equal scores: the first pair is the worst one
    assert [pair["id"] for pair in at_first["pairs"]] == ["1-2", "", "2-3"]  # 1-3 holds nothing to open
    assert [pair["is_opened"] for pair in at_first["pairs"]] == [True, False, False]
    assert at_first["opened"][0]["title"] == "Variants 1 and 2"
    assert opened("2-3")["opened"][0]["title"] == "Variants 2 and 3"
    assert opened("1-3")["opened"][0]["title"] == "Variants 1 and 2"
    assert opened("${alert(1)}")["opened"][0]["title"] == "Variants 1 and 2"
    assert "".join(part["text"] for part in at_first["opened"][0]["answers"][0]["parts"]) == HOSTILE


def test_a_judge_that_notes_nothing_opens_nothing() -> None:
    item, judgments = noted(robustness_result({"901": 3.0}), {(1, 2): {}})
    (group,) = item_value(item, "english", None, None, card(), None, judgments=judgments, opened="1-2")["groups"]
    assert group["opened"] == []
    assert {pair["id"] for pair in group["pairs"]} == {""}


def test_the_keys_of_an_item_are_those_of_its_judged_pairs_in_both_orders() -> None:
    item, _ = noted(robustness_result({"901": 3.0}), {})
    assert verdict_keys(item.groups) == ["1-2", "2-1", "1-3", "3-1", "2-3", "3-2"]
