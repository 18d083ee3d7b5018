"""Several judges on one submission: their mean, who is left out of it, and how far they agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from evaluator.results import HEADLINE, ItemResult, MetricValue, Pin, ResponseResult, RobustnessResult, SetVersion
from evaluator.robustness.figures import PairRating, Subset, group_result, of_subset, order_gap, summarise
from evaluator.robustness.panel import (
    Judged,
    NotOnePanel,
    NotScored,
    groups_of_judge,
    groups_of_panel,
    is_same_family,
    pair_ratings,
    panel_agreement,
    panel_result,
    with_panel,
)
from evaluator.statistics.agreement import krippendorff_alpha_interval
from evaluator.statistics.intervals import draw_counts

Ratings = Mapping[str, Sequence[float | None]]
"""Item id -> rating of the pairs (1, 2), (1, 3), (2, 3)."""

PAIRS = ((1, 2), (1, 3), (2, 3))
SIX: Ratings = {f"{number:03}": (number / 2, number / 2 + 0.5, number / 2 + 1) for number in range(1, 7)}


def result(judge: str, ratings: Ratings, *, file: str = "f" * 64, swedish: float | None = None) -> RobustnessResult:
    """What a judge made of the items: English pairs, and one Swedish pair where asked for."""
    items = tuple(item(item_id, rated, swedish) for item_id, rated in ratings.items())
    views, by_language = summarise(items, rankable={"english": True, "all": True})
    none = MetricValue(value=None, n=0)
    return RobustnessResult(
        edition="2024",
        prompt_set=SetVersion(set_id="demonstration", version="1", sha256="a" * 64),
        file_sha256=file,
        judge=pin(judge),
        embedding=pin("embedder"),
        code_version="0",
        coverage={"expected": None, "answered": 0},
        views=views,
        by_language=by_language,
        items=items,
        order_gap=order_gap(items),
        flags={},
        pass_share=none,
        control_pass_share=none,
    )


def item(item_id: str, rated: Sequence[float | None], swedish: float | None) -> ItemResult:
    answers = [ResponseResult(variant=number, flags=(), blank=False) for number in (1, 2, 3, 4, 5)]
    english = {pair: put(rating) for pair, rating in zip(PAIRS, rated, strict=True)}
    groups = [group_result("en", answers[:3], english)]
    if swedish is not None:
        groups.append(group_result("sv", answers[3:], {(4, 5): put(swedish)}))
    return ItemResult(id=item_id, variation="formality", groups=tuple(groups))


def put(rating: float | None) -> PairRating:
    """The same rating in both orders, put to a judge."""
    return PairRating(rating, rating, None if rating is not None else "no reply", "key", "key")


def pin(name: str) -> Pin:
    return Pin(name=name, model=name, revision="1", tokenizer="-", prompt="-", dtype="-", engine="-", languages=None)


def shifted(ratings: Ratings, by: float) -> dict[str, list[float | None]]:
    return {one: [None if rating is None else rating + by for rating in rated] for one, rated in ratings.items()}


def test_the_panel_mean_is_the_mean_of_its_judges_and_their_scores_stay() -> None:
    found = panel_result([Judged(result("x", SIX)), Judged(result("y", shifted(SIX, 1.0)))], system_family=None)
    # Items of x: number / 2 + 0.5 for 1..6 -> mean 1.75 + 0.5; y one more; the panel halfway
    assert [member.score.value for member in found.members] == pytest.approx([2.25, 3.25])
    assert found.mean.value == pytest.approx(2.75)
    assert (found.mean.n, found.mean.unscored) == (6, 0)
    assert found.mean.low is not None
    assert found.mean.low < 2.75
    assert (found.view, found.figure) == ("english", "pair_mean_gated")


def test_items_some_judge_left_unscored_count_for_none() -> None:
    partly: Ratings = {**SIX, "001": (None, None, None)}
    found = panel_result([Judged(result("x", SIX)), Judged(result("y", partly))], system_family=None)
    assert (found.mean.n, found.mean.unscored) == (5, 1)
    assert found.mean.value == pytest.approx(2.5)  # (1 + 1.5 + 2 + 2.5 + 3) / 5 + 0.5, both judges alike


def test_a_judge_of_the_systems_family_is_flagged_and_left_out() -> None:
    panel_of_two = [Judged(result("x", SIX), "Qwen"), Judged(result("y", shifted(SIX, 1.0)), "Llama")]
    found = panel_result(panel_of_two, system_family="qwen")
    assert [(member.in_mean, member.reason) for member in found.members] == [
        (False, "of the family of the system it judges"),
        (True, None),
    ]
    assert found.members[0].score.value == pytest.approx(2.25)  # still shown
    assert found.mean.value == pytest.approx(3.25)
    assert found.agreement.value is None
    kept = panel_result(panel_of_two, system_family="qwen", keep_same_family=True)
    assert kept.members[0].reason == "of the family of the system it judges"
    assert kept.mean.value == pytest.approx(2.75)


def test_with_every_judge_left_out_there_is_no_mean() -> None:
    found = panel_result([Judged(result("x", SIX), "Qwen")], system_family="Qwen")
    assert (found.mean.value, found.mean.reason) == (None, "no judge is left for the mean")
    assert (found.agreement.value, found.agreement.reason) == (None, "no pair was rated by two judges")


def test_an_unknown_family_is_no_conflict() -> None:
    assert not is_same_family(None, "Qwen")
    assert not is_same_family("", "")
    assert panel_result([Judged(result("x", SIX))], system_family="Qwen").members[0].in_mean


def test_agreement_is_krippendorffs_alpha_over_pairs_with_an_interval_over_items() -> None:
    other = {
        one: [rating and rating + (-0.5 if one < "004" else 0.25) for rating in rated] for one, rated in SIX.items()
    }
    found = panel_result([Judged(result("x", SIX)), Judged(result("y", other))], system_family=None).agreement
    units = [[x, y] for one in SIX for x, y in zip(SIX[one], other[one], strict=True)]
    assert found.value == pytest.approx(krippendorff_alpha_interval(units))
    assert found.n == 18  # 6 items x 3 pairs
    assert found.low is not None
    assert found.high is not None
    assert found.value is not None
    assert found.low < found.value < found.high <= 1


def test_judges_that_say_the_same_agree_fully_and_opposite_ones_contradict() -> None:
    alike = panel_agreement({str(one): [[float(one), float(one)]] for one in range(6)})
    assert [alike.value, alike.low, alike.high] == pytest.approx([1.0, 1.0, 1.0])
    opposite = panel_agreement({str(one): [[float(one), 5.0 - one]] for one in range(6)})
    assert opposite.value is not None
    assert opposite.value < -0.5


def test_without_any_difference_between_ratings_agreement_is_undefined() -> None:
    found = panel_agreement({str(one): [[3.0, 3.0]] for one in range(6)})
    assert (found.value, found.reason, found.n) == (None, "all ratings are equal", 6)


def test_resampled_agreement_is_that_of_the_items_drawn() -> None:
    ratings = {str(one): [[one / 7, one / 7 + 0.3], [1.0, 4.0 - one / 3]] for one in range(6)}
    found = panel_agreement(ratings)
    by_hand = []
    for counts in draw_counts(6):
        drawn = [pair for one, count in zip(sorted(ratings), counts, strict=True) for pair in ratings[one] * int(count)]
        by_hand.append(krippendorff_alpha_interval(drawn))
    # t with 5 degrees of freedom: 2.5706 x sqrt(6 / 5) = 2.8160; Phi(-2.8160) = 0.002432
    ends = np.quantile([alpha for alpha in by_hand if alpha is not None], [0.002432, 0.997568])
    assert [found.low, found.high] == pytest.approx(ends.tolist(), abs=1e-4)


def test_identical_answers_are_no_agreement() -> None:
    answers = [ResponseResult(variant=number, flags=(), blank=False) for number in (1, 2)]
    group = group_result("en", answers, {(1, 2): PairRating(5.0, 5.0)})
    judged = result("x", SIX)
    same = judged.model_copy(update={"items": (ItemResult(id="001", variation="formality", groups=(group,)),)})
    assert pair_ratings([same, same], "english") == {}


def test_a_pair_one_judge_could_not_score_is_unscored() -> None:
    partly: Ratings = {**SIX, "001": (1.0, None, None)}
    found = panel_result([Judged(result("x", SIX)), Judged(result("y", partly))], system_family=None)
    assert (found.agreement.n, found.agreement.unscored) == (16, 2)


def test_the_view_of_all_languages_has_their_pairs() -> None:
    judged = [result("x", SIX, swedish=2.0), result("y", SIX, swedish=3.0)]
    assert len(pair_ratings(judged, "english")["001"]) == 3
    assert pair_ratings(judged, "all")["001"][-1] == [2.0, 3.0]


def test_results_that_make_no_panel_are_refused_with_all_reasons() -> None:
    with pytest.raises(NotOnePanel) as raised:
        panel_result([Judged(result("x", SIX)), Judged(result("x", SIX, file="e" * 64))], system_family=None)
    assert str(raised.value) == (
        "the results are of 2 different files; 2 results come from 1 judges: one judge counts once"
    )


def test_no_judge_at_all_is_an_empty_panel() -> None:
    found = panel_result([], system_family=None)
    assert (found.members, found.mean.value, found.agreement.value) == ((), None, None)


# --- a board ranked by one of several judges ---


def scored_by(*judged: RobustnessResult, model: str | None = None) -> RobustnessResult:
    found = with_panel(judged, model)
    assert isinstance(found, RobustnessResult)
    return RobustnessResult.model_validate_json(found.model_dump_json())  # as it is stored


def test_a_result_holds_what_every_judge_made_of_every_group() -> None:
    other = shifted(SIX, 1.0)
    stored = scored_by(result("x", SIX, swedish=2.0), result("y", other, swedish=4.0))
    for judge, alone in (("x", result("x", SIX, swedish=2.0)), ("y", result("y", other, swedish=4.0))):
        found = groups_of_judge(stored, pin(judge))
        assert of_subset(found, "english", Subset()) == alone.views["english"]
        assert of_subset(found, "all", Subset()) == alone.views["all"]


def test_by_a_panel_every_group_has_the_mean_of_its_judges() -> None:
    stored = scored_by(result("x", SIX), result("y", shifted(SIX, 1.0)))
    found = of_subset(groups_of_panel(stored, [pin("y"), pin("x")]), "english", Subset())
    assert stored.panel is not None
    assert found.figures[HEADLINE].mean == stored.panel.mean  # 2.75 of both tests above
    assert found.ranked


def test_a_group_one_judge_left_unscored_has_no_panel_mean_and_says_why() -> None:
    stored = scored_by(result("x", SIX), result("y", {**SIX, "001": (None, None, None)}))
    group = next(one for one in groups_of_panel(stored, [pin("x"), pin("y")]) if one.item == "001")
    assert (group.figures[HEADLINE], group.reason) == (None, "no reply")


def test_a_judge_that_has_not_scored_a_submission_ranks_it_nowhere() -> None:
    stored = scored_by(result("x", SIX), result("y", SIX))
    with pytest.raises(NotScored, match="not scored by z"):
        groups_of_judge(stored, pin("z"))
    with pytest.raises(NotScored, match="not scored by the panel of x, z"):
        groups_of_panel(stored, [pin("x"), pin("z")])
    with pytest.raises(NotScored, match="not scored by the panel"):
        groups_of_panel(result("x", SIX), [pin("x"), pin("y")])


def test_a_result_stored_before_scores_by_item_were_kept_still_loads_and_says_what_it_lacks() -> None:
    stored = scored_by(result("x", SIX), result("y", SIX))
    body = stored.model_dump(mode="json")
    for member in body["panel"]["members"]:
        del member["groups"]
    older = RobustnessResult.model_validate(body)
    assert groups_of_judge(older, pin("x")) == groups_of_judge(stored, pin("x"))  # its own judge's are its items
    with pytest.raises(NotScored, match="holds no scores by item of y: it was stored before they were kept"):
        groups_of_judge(older, pin("y"))


def test_a_panel_without_a_judge_of_the_systems_family_is_compared_with_no_full_panel() -> None:
    stored = scored_by(result("Qwen-judge", SIX), result("y", SIX), model="Qwen 2.5")
    with pytest.raises(NotScored, match="Qwen-judge, of the family of the system it judges, left out"):
        groups_of_panel(stored, [pin("Qwen-judge"), pin("y")])
    assert groups_of_judge(stored, pin("Qwen-judge"))  # alone it is still heard
