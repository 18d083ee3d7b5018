"""Pairs, groups, views and rank bands of the 2024 board."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from evaluator.results import (
    FIGURES,
    HEADLINE,
    GroupResult,
    ItemResult,
    MetricValue,
    ResponseResult,
    RobustnessResult,
    ViewResult,
)
from evaluator.robustness.figures import (
    PairRating,
    Subset,
    compare,
    flag_counts,
    gate_share,
    group_result,
    judged_groups,
    not_separable_from,
    of_subset,
    order_gap,
    standing,
    summarise,
)
from evaluator.statistics.intervals import excludes_zero
from submissions.schema import Flag

EVERY_VIEW = {"english": True, "all": True}


def answer(variant: int, *flags: Flag, blank: bool = False) -> ResponseResult:
    return ResponseResult(variant=variant, flags=flags, blank=blank)


def pair_group(score: float | None, language: str = "en", *, flags: tuple[Flag, ...] = ()) -> GroupResult:
    """A group of two answers, rated `score` in both orders."""
    return group_result(language, [answer(1), answer(2, *flags)], {(1, 2): PairRating(score, score)})


def item(item_id: str, *groups: GroupResult, variation: str = "formality") -> ItemResult:
    return ItemResult(id=item_id, variation=variation, groups=groups)


def english_items(scores: Sequence[float | None]) -> list[ItemResult]:
    return [item(f"{number:03}", pair_group(score)) for number, score in enumerate(scores, start=1)]


def english_view(items: Sequence[ItemResult]) -> ViewResult:
    views, _ = summarise(items, rankable=EVERY_VIEW)
    return views["english"]


# --- the answer gate elsewhere ---


def asked_group(*flags_of_first: Flag) -> GroupResult:
    """Three answers, every pair rated 4, that answer with a probability of .95, .6 and .4."""
    answers = [
        ResponseResult(variant=1, flags=flags_of_first, blank=False, answers=0.95),
        ResponseResult(variant=2, flags=(), blank=False, answers=0.6),
        ResponseResult(variant=3, flags=("no_answer",), blank=False, answers=0.4),
    ]
    rated = dict.fromkeys([(1, 2), (1, 3), (2, 3)], PairRating(4.0, 4.0))
    return group_result("en", answers, rated, asks_answers=True)


def test_a_lenient_gate_counts_what_ours_leaves_out_and_a_strict_one_less() -> None:
    (group,) = judged_groups([item("001", asked_group())])
    assert group.figures[HEADLINE] == pytest.approx(2 / 3)  # weights .5, 0, 0
    assert group.value("lenient") == pytest.approx(8 / 3)  # .6 weighs 1 and .4 weighs .5: 4, 2 and 2
    assert group.value("strict") == 0.0  # both below .7


def test_no_gate_lets_through_what_another_guard_stops() -> None:
    (group,) = judged_groups([item("001", asked_group("echo"))])
    assert group.value("lenient") == pytest.approx(2 / 3)  # of 2 and 3 alone: 2


def test_where_nobody_was_asked_thresholds_change_nothing() -> None:
    (group,) = judged_groups([item("001", pair_group(4.0))])
    assert (group.value("lenient"), group.value("strict")) == (4.0, 4.0)
    rated_by_another = group.with_figures(dict.fromkeys(FIGURES, 2.0), None)
    assert rated_by_another.value("lenient") is None  # its pairs were not kept


# --- part of a prompt set ---


def test_a_part_of_the_set_is_scored_by_the_rules_of_the_whole() -> None:
    items = [
        item("001", pair_group(4.0), pair_group(1.0, language="sv")),
        item("002", pair_group(2.0), variation="dialect"),
        item("003", pair_group(3.0)),
    ]
    formality = of_subset(judged_groups(items), "english", Subset(variation="formality"))
    assert formality.item_values[HEADLINE] == {"001": 4.0, "003": 3.0}
    assert formality.figures[HEADLINE].mean.value == 3.5
    assert formality.figures[HEADLINE].mean.low is None  # two items are too few for an interval
    assert formality.reason == "too few: 2 of at least 6 items; fewer tell nobody apart"
    swedish = of_subset(judged_groups(items), "english", Subset(language="sv"))  # a language stands for itself
    assert swedish.item_values[HEADLINE] == {"001": 1.0}
    assert of_subset(judged_groups(items), "english", Subset()) == english_view(items)


def test_a_part_without_groups_or_with_missing_answers_is_not_ranked() -> None:
    nothing = of_subset(judged_groups(english_items([3.0])), "english", Subset(variation="dialect"))
    assert not nothing.ranked
    assert nothing.figures[HEADLINE].mean.value is None
    assert of_subset(judged_groups(english_items([3.0, 4.0] * 3)), "english", Subset()).ranked


def test_without_some_items_the_others_are_scored_as_before() -> None:
    items = [item(f"{number:03}", pair_group(float(number % 5)), pair_group(2.0, language="sv")) for number in range(8)]
    kept = [one for one in items if one.id not in ("001", "004")]
    left_out = Subset(without=frozenset({"001", "004", "999"}))
    found = of_subset(judged_groups(items), "all", left_out)
    assert found == of_subset(judged_groups(kept), "all", Subset())
    assert sorted(found.item_values[HEADLINE]) == ["000", "002", "003", "005", "006", "007"]
    assert found.ranked
    assert not left_out.is_whole


def test_without_an_unanswered_item_a_system_may_be_ranked_and_without_all_it_has_nothing() -> None:
    groups = judged_groups([*english_items([3.0, 4.0] * 3), item("007", pair_group(None))])
    assert standing(groups, "english", Subset()).unranked == "partial: 1 of 7 groups are not judged (007)"
    assert standing(groups, "english", Subset(without=frozenset({"007"}))).unranked is None
    nothing = standing(groups, "english", Subset(without=frozenset(f"{number:03}" for number in range(8))))
    assert (nothing.mean, nothing.eligible, nothing.unranked) == (None, 0, "the set has no group in this view")


# --- groups ---


def test_a_group_has_raw_and_gated_figures() -> None:
    answers = [answer(1), answer(2), answer(3, "off_topic")]
    ratings = {(1, 2): PairRating(4.0, 3.0), (1, 3): PairRating(5.0, 5.0), (2, 3): PairRating(1.0, None)}
    group = group_result("en", answers, ratings, group_rating=3.0)
    # Scores 3.5, 5, 1; only (1, 2) passes.
    assert group.figures == {
        "pair_mean": pytest.approx(9.5 / 3),
        "pair_mean_gated": pytest.approx(3.5 / 3),
        "pair_worst": 1.0,
        "pair_worst_gated": 0.0,
        "group": 3.0,
        "group_gated": pytest.approx(1.0),  # 1/3 x 3
    }
    assert group.gate_share == pytest.approx(1 / 3)
    assert group.reason is None


def test_flags_that_do_not_gate_leave_the_score_alone() -> None:
    group = group_result("en", [answer(1, "wrong_language"), answer(2, "control_tokens")], {(1, 2): PairRating(4, 4)})
    assert group.figures["pair_mean_gated"] == 4.0


def test_an_unscored_pair_stays_none_even_where_it_does_not_pass() -> None:
    group = group_result("en", [answer(1), answer(2, "echo"), answer(3)], {(1, 3): PairRating(2.0, 4.0)})
    unscored = group.pairs[0]
    assert (unscored.a, unscored.b, unscored.passes, unscored.gated) == (1, 2, False, None)
    assert unscored.reason == "not judged"
    assert group.figures["pair_mean_gated"] == 3.0  # of one judged pair
    assert group.gate_share == pytest.approx(1 / 3)  # of all three


def test_blank_responses_are_in_no_pair() -> None:
    group = group_result("en", [answer(3), answer(2, blank=True), answer(1)], {(1, 3): PairRating(2.0, 2.0)})
    assert [(pair.a, pair.b) for pair in group.pairs] == [(1, 3)]
    assert [response.variant for response in group.responses] == [1, 2, 3]


@pytest.mark.parametrize("blanks", [1, 2])
def test_a_group_with_fewer_than_two_answers_is_not_judged(blanks: int) -> None:
    answers = [answer(number, blank=number <= blanks) for number in (1, 2)]
    group = group_result("en", answers, {}, group_rating=4.0)
    assert set(group.figures.values()) == {None}
    assert (group.pairs, group.gate_share, group.group_rating) == ((), None, None)
    assert group.reason == "fewer than 2 answers"


def test_without_relevance_only_raw_figures_stand_whatever_the_flags() -> None:
    answers = [answer(1, "constant"), answer(2)]
    group = group_result("en", answers, {(1, 2): PairRating(4, 2)}, relevance_known=False, group_rating=2.0)
    assert (group.figures["pair_mean"], group.figures["pair_worst"], group.figures["group"]) == (3.0, 3.0, 2.0)
    assert group.figures["pair_mean_gated"] is None
    assert group.figures["pair_worst_gated"] is None
    assert group.figures["group_gated"] is None
    assert group.gate_share is None
    assert group.pairs[0].passes is None


def test_the_reason_of_an_unjudged_group_is_kept() -> None:
    group = group_result("sv", [answer(1), answer(2)], {}, reason="the judge does not read sv")
    assert group.reason == group.pairs[0].reason == "the judge does not read sv"


def test_a_pair_keeps_its_own_reason() -> None:
    rated = {(1, 2): PairRating(reason="none: no number"), (1, 3): PairRating(2.0), (2, 3): PairRating(2.0)}
    group = group_result("en", [answer(1), answer(2), answer(3)], rated)
    assert [pair.reason for pair in group.pairs] == ["none: no number", None, None]


def test_gate_share_needs_pairs() -> None:
    assert gate_share([]) is None


# --- views ---


def test_a_view_has_mean_sum_coverage_and_interval() -> None:
    summary = english_view(english_items([1.0, 2.0, 3.0, 3.0, 4.0, 5.0, None])).figures["pair_mean"]
    assert (summary.mean.value, summary.total) == (3.0, 18.0)
    assert (summary.mean.n, summary.mean.unscored, summary.eligible) == (6, 1, 7)
    assert summary.mean.low is not None
    assert summary.mean.high is not None
    assert 1.0 <= summary.mean.low < 3.0 < summary.mean.high <= 5.0


def test_the_english_view_holds_english_groups_and_the_other_averages_an_items_groups() -> None:
    items = [item("001", pair_group(4.0), pair_group(1.0, "ar")), item("002", pair_group(2.0, "sv"))]
    views, by_language = summarise(items, rankable=EVERY_VIEW)
    assert views["english"].item_values["pair_mean"] == {"001": 4.0}
    assert views["all"].item_values["pair_mean"] == {"001": 2.5, "002": 2.0}
    assert {language: figures["pair_mean"].value for language, figures in by_language.items()} == {
        "ar": 1.0,
        "en": 4.0,
        "sv": 2.0,
    }


def test_a_language_with_one_variant_of_an_item_is_no_group() -> None:
    # As file item 009: one English and one Scots variant.
    alone = item("009", group_result("en", [answer(1)], {}), group_result("sco", [answer(2)], {}))
    views, by_language = summarise([*english_items([3.0]), alone], rankable=EVERY_VIEW)
    assert views["all"].figures["pair_mean"].eligible == 1
    assert set(by_language) == {"en"}


def test_an_unjudged_group_is_left_out_of_its_items_value() -> None:
    views, _ = summarise([item("001", pair_group(4.0), pair_group(None, "ar"))], rankable=EVERY_VIEW)
    assert views["all"].item_values["pair_mean"] == {"001": 4.0}


def test_variations_average_the_items_that_carry_them() -> None:
    items = [
        item("001", pair_group(4.0), variation="vocabulary"),
        item("002", pair_group(2.0), variation="vocabulary"),
        item("003", pair_group(None), variation="closeness"),
    ]
    by_variation = english_view(items).figures["pair_mean"].by_variation
    assert by_variation["vocabulary"] == MetricValue(value=3.0, n=2)
    assert by_variation["closeness"] == MetricValue(value=None, n=0, unscored=1, reason="not judged")


def test_a_full_view_is_ranked() -> None:
    view = english_view(english_items([3.0] * 6))
    assert (view.ranked, view.reason) == (True, None)


def test_a_view_of_five_items_is_not_ranked_and_says_why() -> None:
    view = english_view(english_items([3.0] * 5))
    assert (view.ranked, view.reason) == (False, "too few: 5 of at least 6 items; fewer tell nobody apart")


def test_a_view_with_an_unjudged_group_is_partial_and_says_where() -> None:
    items = [
        item("001", pair_group(4.0), pair_group(None, "ar"), pair_group(None, "sv")),
        item("002", pair_group(None), pair_group(4.0, "ar")),
    ]
    views, _ = summarise(items, rankable=EVERY_VIEW)
    assert not views["all"].ranked
    assert views["all"].reason == "partial: 3 of 5 groups are not judged (ar, en, sv)"
    assert views["english"].reason == "partial: 1 of 2 groups are not judged (002)"


@pytest.mark.parametrize("rankable", [{"english": False}, {"english": None}, {}])
def test_a_view_is_not_ranked_unless_coverage_allows_it(rankable: Mapping[str, bool | None]) -> None:
    half = group_result("en", [answer(1), answer(2, blank=True)], {})
    views, _ = summarise([*english_items([3.0]), item("002", half)], rankable=rankable)
    assert not views["english"].ranked
    assert views["english"].reason == (
        "partial: 3 of 4 prompts are answered; 1 of 2 groups have fewer than 2 answers (002)"
    )


def test_a_view_without_relevance_is_not_ranked() -> None:
    group = group_result("en", [answer(1), answer(2)], {(1, 2): PairRating(4, 4)}, relevance_known=False)
    view = english_view([item("001", group)])
    assert not view.ranked
    assert (view.reason or "").startswith("set_unavailable: ")
    assert view.figures["pair_mean"].mean.value == 4.0
    gated = view.figures["pair_mean_gated"]
    assert (gated.mean.value, gated.total, gated.mean.reason) == (None, None, view.reason)


def test_one_item_without_relevance_leaves_the_gated_mean_of_the_view_undefined() -> None:
    # Over the other item alone the gated mean would be 5, above the raw mean of 3.
    group = group_result("en", [answer(1), answer(2)], {(1, 2): PairRating(1, 1)}, relevance_known=False)
    view = english_view([item("001", pair_group(5.0)), item("002", group)])
    assert view.figures["pair_mean"].mean.value == 3.0
    assert view.figures["pair_mean_gated"].mean.value is None


def test_a_pairwise_judge_leaves_the_group_rating_undefined_with_its_reason() -> None:
    mean = english_view(english_items([3.0])).figures["group_gated"].mean
    assert mean.value is None
    assert (mean.reason or "").startswith("no group rating: ")


def test_a_set_without_groups_is_neither_judged_nor_ranked() -> None:
    views, by_language = summarise([], rankable=EVERY_VIEW)
    assert by_language == {}
    for view in views.values():
        assert (view.ranked, view.reason) == (False, "the set has no group in this view")
        assert view.figures["pair_mean"].mean == MetricValue(value=None, n=0, reason="the set has no group here")


# --- beside the score ---


def test_the_order_gap_rests_on_pairs_judged_in_both_orders() -> None:
    ratings = {
        (1, 2): PairRating(4.0, 2.0, None, "k", "k"),  # gap 2
        (1, 3): PairRating(3.0, 3.5, None, "k", "k"),  # gap 0.5
        (2, 3): PairRating(3.0, None, None, "k", "k"),  # one order only
        (1, 4): PairRating(5.0, 5.0),  # identical answers: no judge was asked
    }
    gap = order_gap([item("001", group_result("en", [answer(number) for number in (1, 2, 3, 4)], ratings))])
    # Of six pairs (2, 4) and (3, 4) were never judged.
    assert gap == MetricValue(value=1.25, n=2, unscored=3)


def test_the_order_gap_has_an_interval_over_items() -> None:
    rating = PairRating(4.0, 3.0, None, "k", "k")
    items = [
        item(f"{number:03}", group_result("en", [answer(1), answer(2)], {(1, 2): rating})) for number in range(1, 7)
    ]
    found = order_gap(items)
    assert (found.value, found.n) == (1.0, 6)
    # Six items of 1, and one more at an end that weighs Beta(1, 6), at most 1 - 0.025^(1/6) in 97.5 %.
    unseen = 1.0 - 0.025 ** (1 / 6)
    assert (found.low, found.high) == pytest.approx((1.0 - unseen, 1.0 + 4.0 * unseen), abs=1e-5)


def test_a_submission_without_judged_pairs_has_no_order_gap() -> None:
    assert order_gap([]) == MetricValue(value=None, n=0, reason="no pair was judged in both orders")


def test_flags_are_counted_once_per_response() -> None:
    counts: dict[Flag, int] = flag_counts([("echo", "constant"), ("echo",), ()])
    assert counts == {"constant": 1, "echo": 2}


# --- many systems ---


def test_compare_is_the_paired_difference_of_two_views() -> None:
    better = english_view(english_items([4.0] * 6))
    worse = english_view(english_items([3.0, 3.5, 3.0, 3.5, 2.0, 3.0]))
    difference = compare(better, worse)
    assert difference.value == pytest.approx(1.0)  # (1 + 0.5 + 1 + 0.5 + 2 + 1) / 6
    assert excludes_zero(difference)
    assert compare(worse, better, "pair_mean").value == pytest.approx(-1.0)


def test_a_system_that_does_not_beat_a_null_row_is_flagged_with_it() -> None:
    good = {f"{number:03}": 4.0 + number / 10 for number in range(15)}
    poor = {f"{number:03}": 0.5 if number == 3 else 0.0 for number in range(15)}
    baselines: dict[str, dict[str, float]] = {
        "Null: empty answers": {},
        "Null: refusal": dict.fromkeys(good, 0.0),
        "Null: prompt echo": dict.fromkeys(good, 1.0),
    }
    assert not_separable_from(good, baselines) == ()
    # 0.5 on one of 15 items: that item is missing in 0.355 of the draws, so the interval reaches 0.
    assert not_separable_from(poor, baselines) == ("Null: refusal", "Null: prompt echo")


# --- documentation ---


def test_every_figure_and_metric_has_its_heading_in_the_documentation() -> None:
    text = (Path(__file__).parents[4] / "docs" / "metrics.md").read_text(encoding="utf-8")
    headings = {line.lstrip("# ") for line in text.splitlines() if line.startswith("#")}
    metrics = {name for name, field in RobustnessResult.model_fields.items() if field.annotation is MetricValue}
    assert {*FIGURES, *metrics, "coverage", "rank_band", "total", "gate_share"} <= headings
