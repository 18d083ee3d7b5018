"""Laws of the robustness figures."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.results import FIGURES, HEADLINE, VIEWS, Figure, GroupResult, ItemResult, ResponseResult, View
from evaluator.robustness.figures import (
    RATING_ENDS,
    PairRating,
    Subset,
    group_result,
    judged_groups,
    of_subset,
    order_gap,
    standing,
    summarise,
)
from evaluator.statistics.intervals import mean_interval, mean_metric, paired_difference
from evaluator.statistics.rank_bands import rank_bands
from submissions.schema import Flag

FEW = settings(max_examples=60)
ROUNDING = 1e-9
RAW_AND_GATED: tuple[tuple[Figure, Figure], ...] = (
    ("pair_mean", "pair_mean_gated"),
    ("pair_worst", "pair_worst_gated"),
    ("group", "group_gated"),
)

FLAGS: tuple[Flag, ...] = ("constant", "off_topic", "echo", "wrong_language")

ratings = st.none() | st.floats(0, 5, allow_nan=False)
flag_sets = st.sets(st.sampled_from(FLAGS), max_size=2)


def at_most(lower: float | None, upper: float | None) -> bool:
    """No claim where either is undefined."""
    return lower is None or upper is None or lower <= upper + ROUNDING


@st.composite
def groups(draw: st.DrawFn, language: str = "en") -> GroupResult:
    number = draw(st.integers(2, 5))
    answers = [
        ResponseResult(variant=variant, flags=tuple(sorted(draw(flag_sets))), blank=draw(st.booleans()))
        for variant in range(1, number + 1)
    ]
    rated = {
        pair: PairRating(draw(ratings), draw(ratings), None, "ab", "ba")
        for pair in combinations(range(1, number + 1), 2)
    }
    return group_result(
        language, answers, rated, relevance_known=draw(st.integers(0, 5)) > 0, group_rating=draw(ratings)
    )


@st.composite
def submissions(draw: st.DrawFn) -> list[ItemResult]:
    number = draw(st.integers(1, 8))
    return [
        ItemResult(
            id=f"{index:03}",
            variation=draw(st.sampled_from(["formality", "vocabulary"])),
            groups=tuple(draw(groups(language)) for language in draw(st.sets(st.sampled_from(["en", "sv", "ar"])))),
        )
        for index in range(1, number + 1)
    ]


item_values = st.dictionaries(st.sampled_from([f"{number:03}" for number in range(1, 9)]), st.floats(0, 5), max_size=8)
full_values = st.lists(st.integers(0, 10), min_size=8, max_size=8).map(
    lambda halves: {f"{index:03}": half / 2 for index, half in enumerate(halves)}
)


@FEW
@given(groups())
def test_figures_stay_on_the_scale_gated_below_raw_and_worst_below_mean(group: GroupResult) -> None:
    figures = group.figures
    assert all(value is None or 0 <= value <= 5 for value in figures.values())
    for raw, gated in RAW_AND_GATED:
        assert at_most(figures[gated], figures[raw])
    assert at_most(figures["pair_worst"], figures["pair_mean"])
    assert at_most(figures["pair_worst_gated"], figures["pair_mean_gated"])
    assert (figures["pair_worst"] is None) == (figures["pair_mean"] is None)


@FEW
@given(submissions())
def test_the_sum_is_the_mean_times_the_judged_items_and_coverage_adds_up(items: list[ItemResult]) -> None:
    views, _ = summarise(items, rankable={})
    for view in VIEWS:
        for figure in FIGURES:
            summary = views[view].figures[figure]
            assert summary.mean.n + summary.mean.unscored == summary.eligible
            assert summary.mean.n == len(views[view].item_values[figure])
            assert (summary.mean.value is None) == (summary.total is None) == (summary.mean.n == 0)
            assert (summary.mean.reason is None) == (summary.mean.n > 0)
            if summary.mean.value is not None:
                assert summary.total == pytest.approx(summary.mean.value * summary.mean.n)


@FEW
@given(submissions())
def test_gated_means_never_exceed_raw_ones_and_worst_ones_never_the_mean(items: list[ItemResult]) -> None:
    views, by_language = summarise(items, rankable={})
    tables = [{figure: views[view].figures[figure].mean for figure in FIGURES} for view in VIEWS]
    for table in [*tables, *by_language.values()]:
        for raw, gated in RAW_AND_GATED:
            assert at_most(table[gated].value, table[raw].value)
        assert at_most(table["pair_worst"].value, table["pair_mean"].value)
        assert at_most(table["pair_worst_gated"].value, table["pair_mean_gated"].value)


@FEW
@given(submissions())
def test_the_order_of_items_and_groups_changes_nothing(items: list[ItemResult]) -> None:
    backwards = [item.model_copy(update={"groups": tuple(reversed(item.groups))}) for item in reversed(items)]
    assert summarise(backwards, rankable={}) == summarise(items, rankable={})
    assert order_gap(backwards) == order_gap(items)


@FEW
@given(st.integers(2, 6), st.integers(1, 8))
def test_one_text_everywhere_scores_nothing_once_gated(variants: int, number: int) -> None:
    # Equal answers are rated 5 without asking a judge; the guard flags every one of them as constant.
    answers = [ResponseResult(variant=index, flags=("constant",), blank=False) for index in range(1, variants + 1)]
    same = {pair: PairRating(5.0, 5.0) for pair in combinations(range(1, variants + 1), 2)}
    group = group_result("en", answers, same, group_rating=5.0)
    items = [ItemResult(id=f"{index:03}", variation="-", groups=(group,)) for index in range(number)]
    views, _ = summarise(items, rankable={"english": True})
    for raw, gated in RAW_AND_GATED:
        assert views["english"].figures[raw].mean.value == 5.0
        assert views["english"].figures[gated].mean.value == 0.0


@FEW
@given(item_values, item_values)
def test_exchanging_two_systems_only_changes_the_sign(first: dict[str, float], second: dict[str, float]) -> None:
    forwards, backwards = paired_difference(first, second), paired_difference(second, first)
    assert (forwards.n, forwards.unscored) == (backwards.n, backwards.unscored)
    if forwards.value is None or backwards.value is None:
        assert forwards.value is backwards.value is None
        return
    assert forwards.value == pytest.approx(-backwards.value, abs=ROUNDING)
    if forwards.low is not None and forwards.high is not None:
        assert forwards.low == pytest.approx(-(backwards.high or 0.0), abs=ROUNDING)
        assert forwards.high == pytest.approx(-(backwards.low or 0.0), abs=ROUNDING)


@FEW
@given(item_values)
def test_an_interval_lies_within_the_scale_and_ignores_their_order(values: dict[str, float]) -> None:
    clusters = {unit: [value] for unit, value in values.items()}
    interval = mean_interval(clusters, RATING_ENDS)
    assert interval == mean_interval(dict(reversed(clusters.items())), RATING_ENDS)
    assert (interval is None) == (len(values) < 6)
    if interval is not None:
        assert 0.0 <= interval.low < interval.high <= 5.0


@FEW
@given(st.dictionaries(st.text(min_size=1), st.lists(st.floats(0, 5), min_size=1, max_size=9), min_size=6, max_size=9))
def test_an_interval_holds_its_own_mean_however_uneven_the_units_are(clusters: dict[str, list[float]]) -> None:
    metric = mean_metric(clusters, RATING_ENDS)
    assert metric.value is not None
    assert metric.low is not None
    assert metric.high is not None
    assert metric.low - ROUNDING <= metric.value <= metric.high + ROUNDING


@FEW
@given(item_values)
def test_turning_the_scale_round_turns_the_interval_round(values: dict[str, float]) -> None:
    interval = mean_interval({unit: [value] for unit, value in values.items()}, RATING_ENDS)
    turned = mean_interval({unit: [5.0 - value] for unit, value in values.items()}, RATING_ENDS)
    if interval is None or turned is None:
        assert interval is turned is None
        return
    assert (5.0 - turned.high, 5.0 - turned.low) == pytest.approx(interval, abs=ROUNDING)


@FEW
@given(st.lists(full_values, min_size=1, max_size=7))
def test_rank_bands_contain_the_order_of_the_means(systems: list[dict[str, float]]) -> None:
    values = {str(index): system for index, system in enumerate(systems)}
    bands = rank_bands(values)
    by_mean = sorted(values, key=lambda system: -sum(values[system].values()))
    for rank, system in enumerate(by_mean, start=1):
        assert 1 <= bands[system].low <= rank <= bands[system].high <= len(values)


@FEW
@given(st.lists(item_values, max_size=5))
def test_rank_bands_ignore_the_order_of_systems_and_items(systems: list[dict[str, float]]) -> None:
    values = {str(index): system for index, system in enumerate(systems)}
    backwards = {name: dict(reversed(system.items())) for name, system in reversed(values.items())}
    assert rank_bands(values) == rank_bands(backwards)


@FEW
@given(
    submissions(),
    st.sampled_from(VIEWS),
    st.sampled_from(["", "formality"]),
    st.sampled_from(["", "sv"]),
    st.sets(st.sampled_from(["001", "002", "009"])),
)
def test_a_standing_is_the_view_of_the_same_part_without_its_intervals(
    items: list[ItemResult], view: View, variation: str, language: str, without: set[str]
) -> None:
    groups, part = judged_groups(items), Subset(variation, language, frozenset(without))
    whole, found = of_subset(groups, view, part), standing(groups, view, part)
    assert found.item_values == whole.item_values[HEADLINE]
    assert found.mean == whole.figures[HEADLINE].mean.value
    assert found.eligible == whole.figures[HEADLINE].eligible
    assert found.unranked == whole.reason
