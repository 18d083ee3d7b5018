from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from evaluator.results import MetricValue
from evaluator.statistics.rank_bands import RankBand
from leaderboard.boards.robustness import comparison
from leaderboard.boards.robustness.comparison import (
    RunComparison,
    compared_items_value,
    comparison_notice,
    rank_value,
    tally_words,
)
from leaderboard.boards.robustness.rows import ScoredTicket
from leaderboard.boards.robustness.state import RobustnessState
from leaderboard.parts.drawing import DARK, LIGHT, Colours, drawn
from leaderboard.parts.verdict_words import verdict_words
from leaderboard.systems.charts import dumbbell
from tests.unit.leaderboard.boards.robustness.made_results import JUDGE, robustness_result, ticket
from tests.unit.leaderboard.page.addresses import query_of

ITEMS = [f"90{number}" for number in range(1, 8)]
HOSTILE = "<b>Keel</b>"


def scored(system: str, ratings: Mapping[str, float]) -> ScoredTicket:
    return ScoredTicket(ticket(f"ticket-of-{system}", system=system), robustness_result(ratings))


def compared(first: Mapping[str, float], second: Mapping[str, float]) -> RunComparison:
    return RunComparison(scored("Keel", first), scored("Tide", second), "english", {"901": "formality"})


ALL_AHEAD = compared(dict.fromkeys(ITEMS, 4.0), dict.fromkeys(ITEMS, 3.0))
# Keel minus Tide: +1, +1, +1, -1, -1, -1, 0.
EVEN = compared(
    dict(zip(ITEMS, [4, 4, 4, 2, 2, 2, 3], strict=True)),
    dict.fromkeys(ITEMS, 3.0),
)
# +1, +1, +1, -1, -1, 0, 0: mean 1/7, variance (5 - 7/49) / 6 = 34/42; (1.96 + 0.8416)² x 34/42 x 49 = 311.4, and about
# 1.96² / 2 = 1.9 more for a t-test (Guenther 1981): 313.3 -> 314
NEARLY_EVEN = compared(
    dict(zip(ITEMS, [4, 4, 4, 2, 2, 3, 3], strict=True)),
    dict.fromkeys(ITEMS, 3.0),
)


def test_a_clear_difference_says_who_is_ahead_by_how_much_on_how_many_items() -> None:
    # Every item differs by exactly 1, so does every resampled mean.
    said = comparison_notice(ALL_AHEAD, {})
    assert said["title"] == "Keel is ahead of Tide by 1.00 [1.00, 1.00] on 7 items."
    assert said["lines"][0] == "Item by item: Keel is ahead on 7, Tide on 0; 0 level."
    # No spread at all: six units are the least an interval needs.
    assert said["lines"][1].startswith("6 items would tell them apart again with a power of 80%")


def test_the_one_behind_is_named_second_whichever_was_opened() -> None:
    turned = RunComparison(ALL_AHEAD.second, ALL_AHEAD.first, "english", {})
    assert comparison_notice(turned, {})["title"] == "Keel is ahead of Tide by 1.00 [1.00, 1.00] on 7 items."


def test_two_that_cannot_be_told_apart_say_so_and_what_it_would_take() -> None:
    said = comparison_notice(NEARLY_EVEN, {})
    assert said["title"].startswith("Keel and Tide cannot be told apart: Keel minus Tide is +0.14 [")
    assert said["title"].endswith("on 7 items, which covers 0.")
    assert said["lines"][0] == "Item by item: Keel is ahead on 3, Tide on 2; 2 level."
    assert said["lines"][1] == (
        "314 items would tell them apart with a power of 80%, if others differ by as much and scatter as these 7 do."
    )


def test_no_number_of_items_separates_equal_means() -> None:
    assert comparison_notice(EVEN, {})["lines"][1] == (
        "No number of items would tell them apart: on these 7 they are equal."
    )


@pytest.mark.parametrize(
    ("first", "second", "title"),
    [
        ({"901": 4.0, "902": 4.0}, {"901": 3.0}, "+1.00 on 1 item, too few for an interval (at least 6)."),
        ({"901": 4.0}, {"902": 3.0}, "judged on no common item in this view."),
    ],
)
def test_too_few_common_items_decide_nothing(
    first: Mapping[str, float], second: Mapping[str, float], title: str
) -> None:
    assert comparison_notice(compared(first, second), {})["title"].endswith(title)


def test_items_of_one_system_only_are_left_out_and_counted() -> None:
    said = comparison_notice(compared({**dict.fromkeys(ITEMS, 4.0), "999": 0.0}, dict.fromkeys(ITEMS, 3.0)), {})
    assert said["title"].startswith("Keel is ahead of Tide by 1.00")
    assert "Items that only one of them was judged on are left out: 1." in said["lines"]


def test_shared_places_are_explained_and_separate_ones_only_named() -> None:
    shared = {"ticket-of-Keel": RankBand(1, 2), "ticket-of-Tide": RankBand(2, 3)}
    apart = {"ticket-of-Keel": RankBand(1, 1), "ticket-of-Tide": RankBand(2, 3)}
    assert comparison_notice(NEARLY_EVEN, shared)["lines"][-1] == (
        "Ranks on the board: Keel 1-2, Tide 2-3. Their ranks overlap: ranks count only differences that hold "
        "for all pairs of the board together."
    )
    assert comparison_notice(ALL_AHEAD, apart)["lines"][-1] == "Ranks on the board: Keel 1, Tide 2-3."


def test_different_judges_are_named_as_a_reason() -> None:
    other = ALL_AHEAD.second.result.model_copy(update={"judge": JUDGE.model_copy(update={"revision": "f" * 40})})
    mixed = RunComparison(ALL_AHEAD.first, ScoredTicket(ALL_AHEAD.second.ticket, other), "english", {})
    assert any("different judges" in line for line in comparison_notice(mixed, {})["lines"])
    assert not any("different judges" in line for line in comparison_notice(ALL_AHEAD, {})["lines"])


def test_two_of_one_name_are_told_apart_by_their_tickets() -> None:
    first = ScoredTicket(ticket("aaaaaaaaaa", system="Keel"), ALL_AHEAD.first.result)
    second = ScoredTicket(ticket("bbbbbbbbbb", system="Keel"), ALL_AHEAD.second.result)
    assert RunComparison(first, second, "english", {}).names == ("Keel (aaaaaaaa)", "Keel (bbbbbbbb)")


def test_items_are_sorted_by_difference_with_both_scores() -> None:
    value = compared_items_value(NEARLY_EVEN)
    assert [row["difference"] for row in value["rows"]] == ["+1.00"] * 3 + ["0.00"] * 2 + ["-1.00"] * 2
    assert value["rows"][0] == {
        "item": "901",
        "variation": "formality",
        "first": "4.00",
        "second": "3.00",
        "difference": "+1.00",
        "ahead": "Keel",
    }
    assert [row["ahead"] for row in value["rows"][3:]] == ["level", "level", "Tide", "Tide"]


def test_rounding_is_no_difference() -> None:
    # 0.1 + 0.2 is 0.30000000000000004.
    level = compared({"901": 0.1 + 0.2}, {"901": 0.3})
    assert tally_words(level.items, "Keel", "Tide") == "Item by item: Keel is ahead on 0, Tide on 0; 1 level."


def test_a_shared_rank_names_who_it_is_shared_with_the_nearest_first() -> None:
    keel, tide = NEARLY_EVEN.first, NEARLY_EVEN.second
    nearer = scored("Reed", dict(zip(ITEMS, [4, 4, 4, 2, 2, 3, 3], strict=True)))  # as Keel, item by item
    lower = scored("Hull", dict.fromkeys(ITEMS, 0.0))
    value = rank_value(keel, [tide, lower, nearer], RankBand(1, 3), RobustnessState(set="demonstration"))
    assert value["title"] == "Rank 1-3 of 4"
    assert value["question"] == "Why the same rank?"
    assert value["explanation"].startswith("0 systems rank above, 1 below, 2 tied.")
    assert [one["text"].split(":")[0] for one in value["neighbours"]] == ["Reed", "Tide"]
    assert query_of(value["neighbours"][1]["link"]) == {
        "tab": "robustness",
        "set": "demonstration",
        "system": "ticket-of-Keel",
        "against": "ticket-of-Tide",
    }


def test_a_difference_that_counts_alone_and_not_among_all_pairs_says_so() -> None:
    apart = rank_value(ALL_AHEAD.first, [ALL_AHEAD.second], RankBand(1, 2), RobustnessState())
    assert [one["text"] for one in apart["neighbours"]] == [
        "Tide: difference +1.00 [+1.00, +1.00] on 7 items; alone it would count"
    ]
    level = rank_value(NEARLY_EVEN.first, [NEARLY_EVEN.second], RankBand(1, 2), RobustnessState())
    assert [one["text"].endswith("on 7 items") for one in level["neighbours"]] == [True]


def test_a_rank_that_is_not_shared_asks_nothing() -> None:
    value = rank_value(ALL_AHEAD.first, [ALL_AHEAD.second], RankBand(1, 1), RobustnessState())
    assert (value["title"], value["question"], value["neighbours"]) == ("Rank 1 of 2", "", [])


def test_a_long_list_of_equals_is_cut_and_counted() -> None:
    others = [scored(f"System {number}", dict.fromkeys(ITEMS, 4.0)) for number in range(10)]
    value = rank_value(ALL_AHEAD.first, others, RankBand(1, 11), RobustnessState())
    assert len(value["neighbours"]) == comparison.MOST_LISTED == 8
    assert value["more"] == "and 2 more"


@pytest.mark.parametrize("colours", [LIGHT, DARK])
def test_the_chart_draws_a_line_per_item_and_a_point_per_score(colours: Colours) -> None:
    named = RunComparison(scored(HOSTILE, dict.fromkeys(ITEMS, 4.0)), NEARLY_EVEN.second, "english", {})
    figure = dumbbell(named, colours)
    lines = [trace for trace in figure.data if trace.mode == "lines"]
    points = [trace for trace in figure.data if trace.mode == "markers"]
    assert len(lines) == 7
    assert [list(trace.x) for trace in points] == [[4.0] * 7, [3.0] * 7]
    assert points[0].marker.symbol != points[1].marker.symbol
    assert HOSTILE not in figure.to_json()


def test_a_chart_without_common_items_says_why() -> None:
    figure = json.loads(drawn(dumbbell, compared({"901": 4.0}, {"902": 3.0}), is_dark=False).to_json())
    assert "no common item" in figure["layout"]["annotations"][0]["text"].replace("<br>", " ")


def test_a_difference_without_a_value_compares_nothing() -> None:
    words = verdict_words(MetricValue(value=None, n=0, reason="no common unit"), "Keel", "Tide")
    assert words == "Keel and Tide cannot be compared: they were judged on no common item in this view"
