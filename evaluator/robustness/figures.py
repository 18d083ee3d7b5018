"""Robustness of one system and of many (ELOQUENT 2024): do answers mean the same when only the style changes?

Pairs of answers make a group (item, language), groups make an item, items make a view, and views are compared between
systems. Every function is pure; every figure is on the judge's scale 0-5, higher is better, None where nothing was
judged. Source: docs/metrics.md#from-two-answers-to-one-number; Sahlgren et al., ELOQUENT 2024 - Robustness Task.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import fsum
from typing import Literal

from evaluator.results import (
    FIGURES,
    HEADLINE,
    VIEWS,
    Figure,
    FigureSummary,
    GroupResult,
    ItemResult,
    PairResult,
    ResponseResult,
    View,
    ViewResult,
)
from evaluator.robustness.answer_gate import Thresholds, pair_weight
from evaluator.statistics.intervals import MIN_UNITS, is_above_zero, mean_metric, paired_difference
from evaluator.statistics.rank_bands import ItemValues
from evaluator.values import MetricValue
from submissions.formats.eloquent.coverage import RANK_MIN_ANSWERS, RANK_MIN_COVERAGE
from submissions.schema import GATING_FLAGS, Flag

ENGLISH = "en"
GATED_FIGURES: frozenset[Figure] = frozenset({"pair_mean_gated", "pair_worst_gated", "group_gated"})
RATING_ENDS = (0.0, 5.0)
"""Of the judges' scale."""
MIN_TEXTS = 2
"""A group needs as many variants to exist and as many answers to be judged."""
Gate = Literal["lenient", "strict"]
GATES: dict[Gate, Thresholds] = {"lenient": Thresholds(0.3, 0.5), "strict": Thresholds(0.7, 0.9)}
"""The gate with other thresholds than ours: how much a rank depends on where they lie."""
SET_UNAVAILABLE = "set_unavailable: the prompts are not installed, so relevance could not be checked"


# --- pairs and groups ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PairRating:
    """What a judge said about two answers a and b, in both orders."""

    ab: float | None = None
    """Rating 0-5 with a shown first; None when unscored."""
    ba: float | None = None
    reason: str | None = None
    """Why a rating is missing."""
    key_ab: str | None = None
    """Verdict keys; None for identical answers, which no judge is asked about."""
    key_ba: str | None = None


UNRATED = PairRating()


def pair_score(ab: float | None, ba: float | None) -> float | None:
    """How far two answers mean the same: the mean of the valid ratings of both orders.

    Range 0-5, higher is better; no valid rating: None. See docs/metrics.md#pair_mean.

    >>> pair_score(1.5, 0.5), pair_score(3.1, None), pair_score(None, None)
    (1.0, 3.1, None)
    """
    return _mean(rating for rating in (ab, ba) if rating is not None)


def gated_score(score: float | None, passes: bool | None, weight: float | None = 1.0) -> float | None:
    """A pair score that counts only if the pair passes the guards, and as far as both responses answer.

    Range 0-5, never above the raw score. An unscored pair stays None; so does one whose relevance is unknown, or that
    passes while nobody could say how far it answers.

    Args:
        score: Of the pair.
        passes: Neither response carries a gating flag.
        weight: `answer_gate.pair_weight` of the two; 1 where nobody was asked.

    >>> gated_score(4.0, True), gated_score(4.0, False), gated_score(None, False), gated_score(4.0, None)
    (4.0, 0.0, None, None)
    >>> gated_score(4.0, True, 0.5), gated_score(4.0, True, None), gated_score(4.0, False, None)
    (2.0, None, 0.0)
    """
    if score is None or passes is None:
        return None
    if not passes:
        return 0.0
    return None if weight is None else score * weight


def has_gating_flag(response: ResponseResult) -> bool:
    """Is the response constant, off topic, no answer, an echo, an error text or a verdict text?"""
    return not GATING_FLAGS.isdisjoint(response.flags)


def group_result(
    language: str,
    responses: Sequence[ResponseResult],
    ratings: Mapping[tuple[int, int], PairRating],
    *,
    relevance_known: bool = True,
    asks_answers: bool = False,
    group_rating: float | None = None,
    reason: str | None = None,
) -> GroupResult:
    """All pairs and figures of the answers to one item in one language.

    Args:
        language: of all the responses.
        responses: one per variant of the group, blank ones included; in any order.
        ratings: by variant numbers (a, b), a < b; a pair without an entry is unscored.
        relevance_known: False while the item's prompts are missing; then every gated figure is None.
        asks_answers: a judge was asked whether each response answers its prompt.
        group_rating: J, the rating of one call on all non-empty texts; ignored with fewer than two texts.
        reason: why the group was not judged (the judge does not read the language ...).

    >>> answers = [ResponseResult(variant=1, flags=(), blank=False), ResponseResult(variant=2, flags=(), blank=False)]
    >>> answers += [ResponseResult(variant=3, flags=("echo",), blank=False)]
    >>> rated = {(1, 2): PairRating(4.0, 3.0), (1, 3): PairRating(2.0, 2.0), (2, 3): PairRating(0.5, None)}
    >>> group = group_result("en", answers, rated, group_rating=3.0)
    >>> group.figures["pair_mean"], group.figures["pair_worst"], group.gate_share == 1 / 3  # (3.5 + 2 + 0.5) / 3
    (2.0, 0.5, True)
    >>> round(group.figures["pair_mean_gated"], 3), group.figures["group_gated"]  # (3.5 + 0 + 0) / 3; 3 x 1/3
    (1.167, 1.0)
    """
    ordered = sorted(responses, key=lambda response: response.variant)
    answered = [response for response in ordered if not response.blank]
    pairs = tuple(
        _pair_result(
            first,
            second,
            ratings.get((first.variant, second.variant), UNRATED),
            relevance_known=relevance_known,
            asks_answers=asks_answers,
            group_reason=reason,
        )
        for first, second in combinations(answered, 2)
    )
    rating = group_rating if len(answered) >= MIN_TEXTS else None
    share = gate_share(pairs)
    figures = _figures(pairs, rating, share)
    return GroupResult(
        language=language,
        responses=tuple(ordered),
        pairs=pairs,
        figures=figures,
        gate_share=share,
        group_rating=rating,
        reason=_unscored_reason(pairs, reason) if figures["pair_mean"] is None else None,
    )


def gate_share(pairs: Sequence[PairResult]) -> float | None:
    """Share of pairs in which neither response carries a gating flag.

    Range 0-1, higher is better; all pairs count, scored or not. No pair, or relevance unknown: None.
    See docs/metrics.md#gate_share.
    """
    passes = [pair.passes for pair in pairs if pair.passes is not None]
    return sum(passes) / len(pairs) if pairs and len(passes) == len(pairs) else None


def _pair_result(
    first: ResponseResult,
    second: ResponseResult,
    rating: PairRating,
    *,
    relevance_known: bool,
    asks_answers: bool,
    group_reason: str | None,
) -> PairResult:
    score = pair_score(rating.ab, rating.ba)
    weight = pair_weight(first.answers, second.answers) if asks_answers else None
    passes = not (has_gating_flag(first) or has_gating_flag(second)) if relevance_known else None
    return PairResult(
        a=first.variant,
        b=second.variant,
        ab=rating.ab,
        ba=rating.ba,
        score=score,
        passes=passes,
        gated=gated_score(score, passes, weight if asks_answers else 1.0),
        reason=(rating.reason or group_reason or "not judged") if score is None else None,
        key_ab=rating.key_ab,
        key_ba=rating.key_ba,
        weight=weight,
    )


def _figures(
    pairs: Sequence[PairResult], group_rating: float | None, share: float | None
) -> dict[Figure, float | None]:
    raw = [pair.score for pair in pairs if pair.score is not None]
    gated = [pair.gated for pair in pairs if pair.gated is not None]
    return {
        "pair_mean": _mean(raw),
        "pair_mean_gated": _mean(gated),
        "pair_worst": min(raw, default=None),
        "pair_worst_gated": min(gated, default=None),
        "group": group_rating,
        "group_gated": None if group_rating is None or share is None else share * group_rating,
    }


def _unscored_reason(pairs: Sequence[PairResult], reason: str | None) -> str:
    if not pairs:
        return reason or f"fewer than {MIN_TEXTS} answers"
    return reason or pairs[0].reason or "not judged"


def _mean(values: Iterable[float]) -> float | None:
    listed = list(values)
    return fsum(listed) / len(listed) if listed else None


# --- views and languages ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class JudgedGroup:
    """What one judge made of the answers to one item in one language: all that views and ranks are made of."""

    item: str
    variation: str
    language: str
    figures: Mapping[Figure, float | None]
    answered: int
    """Answers that are not blank."""
    variants: int
    relevance_known: bool
    """Every pair is known to pass the guards or not to."""
    reason: str | None
    """Why the group is unscored."""
    gated: Mapping[Gate, float | None] = field(default_factory=dict)
    """`pair_mean_gated` under other thresholds; empty of a judge whose pairs were not kept."""

    def value(self, figure: Figure | Gate) -> float | None:
        """One of the figures, or the headline under another gate; None where it is not known."""
        if figure == "lenient" or figure == "strict":
            return self.gated.get(figure)
        return self.figures[figure]

    def with_figures(self, figures: Mapping[Figure, float | None], reason: str | None) -> JudgedGroup:
        """The same answers as another judge rates them: guards and coverage do not depend on judges."""
        return replace(self, figures=figures, reason=reason, gated={})


def judged_groups(items: Iterable[ItemResult]) -> tuple[JudgedGroup, ...]:
    """The groups of a result; those of fewer than two variants are none."""
    return tuple(
        JudgedGroup(
            item=item.id,
            variation=item.variation,
            language=group.language,
            figures=group.figures,
            answered=sum(not response.blank for response in group.responses),
            variants=len(group.responses),
            relevance_known=all(pair.passes is not None for pair in group.pairs),
            reason=group.reason,
            gated={gate: gated_mean(group, thresholds) for gate, thresholds in GATES.items()},
        )
        for item in items
        for group in item.groups
        if len(group.responses) >= MIN_TEXTS
    )


def gated_mean(group: GroupResult, thresholds: Thresholds) -> float | None:
    """The mean of the pairs of a group (`pair_mean_gated`), had the answer gate these thresholds.

    All other guards count as they do. Where nobody was asked what answers, thresholds change nothing.
    """
    responses = {response.variant: response for response in group.responses}
    return _mean(
        gated
        for pair in group.pairs
        if (gated := _gated_at(pair, responses[pair.a], responses[pair.b], thresholds)) is not None
    )


def _gated_at(pair: PairResult, first: ResponseResult, second: ResponseResult, thresholds: Thresholds) -> float | None:
    weight = pair_weight(first.answers, second.answers, thresholds)
    if weight is None:  # one of them was not asked about: as it stands
        return pair.gated
    passes = None if pair.passes is None else not any(map(_is_stopped_by_another_guard, (first, second)))
    return gated_score(pair.score, passes, weight)


def _is_stopped_by_another_guard(response: ResponseResult) -> bool:
    return not (GATING_FLAGS - {"no_answer"}).isdisjoint(response.flags)


def summarise(
    items: Sequence[ItemResult], *, rankable: Mapping[str, bool | None]
) -> tuple[dict[View, ViewResult], dict[str, dict[Figure, MetricValue]]]:
    """Both views and the table by language of one submission.

    A group exists where the set has at least two variants in a language; smaller ones are ignored (so file item 009
    stands in no view, as in the paper). *English view*: the groups of language en. *All languages*: an item's value is
    the mean over its judged groups. Each figure: mean over judged items with interval, and the sum beside it.

    Args:
        items: of the prompt set, in any order.
        rankable: view -> does coverage allow a rank (`Coverage.rankable`).

    Returns:
        (view -> result, language -> figure -> mean over that language's groups with interval over items).
    """
    groups = judged_groups(items)
    views = {view: _view_result(_groups_of(view, groups), rankable.get(view)) for view in VIEWS}
    return views, by_language(groups)


def by_language(
    groups: Sequence[JudgedGroup], figures: Sequence[Figure] = FIGURES
) -> dict[str, dict[Figure, MetricValue]]:
    """Language -> figure -> mean over that language's groups with interval over items."""
    languages = sorted({group.language for group in groups})
    return {
        language: {
            figure: _mean_over_items([group for group in groups if group.language == language], figure)
            for figure in figures
        }
        for language in languages
    }


@dataclass(frozen=True, slots=True)
class Subset:
    """Part of a prompt set: its items of one type of variation, its answers in one language, without some items."""

    variation: str = ""
    """Blank = every type."""
    language: str = ""
    """Blank = those of the view."""
    without: frozenset[str] = frozenset()
    """Ids of the items that are left out."""

    @property
    def is_whole(self) -> bool:
        """Nothing is left out."""
        return not self.variation and not self.language and not self.without

    def groups(self, groups: Iterable[JudgedGroup], view: View) -> list[JudgedGroup]:
        """The groups of a view that are in the part. A language stands for itself, whatever the view."""
        return [
            group
            for group in (groups if self.language else _groups_of(view, groups))
            if self.variation in ("", group.variation)
            and self.language in ("", group.language)
            and group.item not in self.without
        ]


def of_subset(groups: Iterable[JudgedGroup], view: View, subset: Subset) -> ViewResult:
    """A view as it comes out of a part of its prompt set: the same rules, over fewer groups.

    The part may be ranked where its own answers suffice (`coverage.RANK_MIN_COVERAGE`) and it has `MIN_UNITS` items;
    with fewer it has no intervals.
    """
    chosen = subset.groups(groups, view)
    return _view_result(chosen, _is_covered(chosen))


@dataclass(frozen=True, slots=True)
class SubsetStanding:
    """All that a system's rank on a part of its prompt set depends on, without intervals: cheap to make by the dozen.

    Like `of_subset(...)`: `item_values[HEADLINE]`, the headline's mean and its number of eligible items, and why the
    system is not ranked (None where it is).
    """

    item_values: dict[str, float]
    mean: float | None
    eligible: int
    unranked: str | None


def standing(
    groups: Iterable[JudgedGroup], view: View, subset: Subset, counted: Figure | Gate = HEADLINE
) -> SubsetStanding:
    """Where a system stands on a part of its prompt set, by the headline, another figure, or under another gate."""
    chosen = subset.groups(groups, view)
    values = _item_values(chosen, counted)
    unranked = _unranked_reason(chosen, _is_covered(chosen))
    return SubsetStanding(values, _mean(values.values()), len({group.item for group in chosen}), unranked)


def _is_covered(groups: Sequence[JudgedGroup]) -> bool:
    """As `coverage_of` decides for a whole view."""
    if any(group.answered < RANK_MIN_ANSWERS for group in groups):
        return False
    return sum(group.answered for group in groups) >= RANK_MIN_COVERAGE * sum(group.variants for group in groups)


def _groups_of(view: View, groups: Iterable[JudgedGroup]) -> list[JudgedGroup]:
    return [group for group in groups if view == "all" or group.language == ENGLISH]


def _view_result(groups: Sequence[JudgedGroup], rankable: bool | None) -> ViewResult:
    item_values = {figure: _item_values(groups, figure) for figure in FIGURES}
    reason = _unranked_reason(groups, rankable)
    return ViewResult(
        figures={figure: _figure_summary(groups, figure, item_values[figure]) for figure in FIGURES},
        item_values=item_values,
        ranked=reason is None,
        reason=reason,
    )


def _item_values(groups: Sequence[JudgedGroup], figure: Figure | Gate) -> dict[str, float]:
    """Item id -> mean over its judged groups; of a gated figure nothing, where relevance is unknown for any group."""
    # A gated mean over fewer groups than the raw one could exceed it.
    if figure in {*GATED_FIGURES, *GATES} and _lacks_relevance(groups):
        return {}
    values: dict[str, list[float]] = {}
    for group in groups:
        value = group.value(figure)
        if value is not None:
            values.setdefault(group.item, []).append(value)
    return {item_id: fsum(listed) / len(listed) for item_id, listed in sorted(values.items())}


def _figure_summary(groups: Sequence[JudgedGroup], figure: Figure, item_values: Mapping[str, float]) -> FigureSummary:
    variations = sorted({group.variation for group in groups})
    return FigureSummary(
        mean=_mean_over_items(groups, figure),
        total=fsum(item_values.values()) if item_values else None,
        eligible=len({group.item for group in groups}),
        by_variation={
            variation: _mean_over_items([group for group in groups if group.variation == variation], figure)
            for variation in variations
        },
    )


def _mean_over_items(groups: Sequence[JudgedGroup], figure: Figure) -> MetricValue:
    """Mean of the item values of these groups; the groups of one language are one per item."""
    values = _item_values(groups, figure)
    return mean_metric(
        {item_id: [value] for item_id, value in values.items()},
        RATING_ENDS,
        unscored=len({group.item for group in groups}) - len(values),
        reason=_figure_reason(groups, figure),
    )


def _figure_reason(groups: Sequence[JudgedGroup], figure: Figure) -> str:
    """Why a figure without any judged group is None, in plain words."""
    if not groups:
        return "the set has no group here"
    if all(group.figures["pair_mean"] is None for group in groups):
        return "; ".join(sorted({group.reason for group in groups if group.reason})) or "nothing was judged"
    if figure in ("group", "group_gated") and all(group.figures["group"] is None for group in groups):
        return "no group rating: the judge reads pairs only, or gave no usable reply"
    return SET_UNAVAILABLE


def _lacks_relevance(groups: Sequence[JudgedGroup]) -> bool:
    return not all(group.relevance_known for group in groups)


def _unranked_reason(groups: Sequence[JudgedGroup], rankable: bool | None) -> str | None:
    """Why a view may not be ranked; None where it may: enough answers, and every group judged on the headline."""
    if not groups:
        return "the set has no group in this view"
    if _lacks_relevance(groups):
        return SET_UNAVAILABLE
    if not rankable:
        return _coverage_reason(groups)
    unjudged = [group for group in groups if group.figures[HEADLINE] is None]
    if unjudged:
        return f"partial: {len(unjudged)} of {len(groups)} groups are not judged ({_places(unjudged, groups)})"
    items = len({group.item for group in groups})
    if items < MIN_UNITS:
        return f"too few: {items} of at least {MIN_UNITS} items; fewer tell nobody apart"
    return None


def _coverage_reason(groups: Sequence[JudgedGroup]) -> str:
    answered, variants = sum(group.answered for group in groups), sum(group.variants for group in groups)
    small = [group for group in groups if group.answered < MIN_TEXTS]
    text = f"partial: {answered} of {variants} prompts are answered"
    if small:
        text += f"; {len(small)} of {len(groups)} groups have fewer than {MIN_TEXTS} answers ({_places(small, groups)})"
    return text


def _places(some: Sequence[JudgedGroup], groups: Sequence[JudgedGroup]) -> str:
    """The languages of some groups, or their items where the view has one language."""
    if len({group.language for group in groups}) > 1:
        return ", ".join(sorted({group.language for group in some}))
    return ", ".join(sorted({group.item for group in some}))


# --- beside the score ------------------------------------------------------------------------------------------------


def order_gap(items: Sequence[ItemResult]) -> MetricValue:
    """The judge's position bias here: mean absolute difference of the ratings of the two orders of a pair.

    Range 0-5, lower is better; n = pairs judged in both orders, unscored = pairs judged in one order or none;
    interval clustered by item. Identical answers (no verdict keys) are put to no judge and do not count.
    No pair in both orders: None. See docs/metrics.md#order_gap.

    >>> answers = [ResponseResult(variant=number, flags=(), blank=False) for number in (1, 2, 3)]
    >>> rated = {(1, 2): PairRating(4.0, 3.0, None, "k1", "k2"), (1, 3): PairRating(2.0, 2.5, None, "k3", "k4")}
    >>> group = group_result("en", answers, {**rated, (2, 3): PairRating(5.0, 5.0)})
    >>> order_gap([ItemResult(id="001", variation="formality", groups=(group,))])  # (1 + 0.5) / 2
    MetricValue(value=0.75, low=None, high=None, n=2, unscored=0, reason=None)
    """
    gaps: dict[str, list[float]] = {}
    unscored = 0
    for item, pair in _asked_pairs(items):
        if pair.ab is None or pair.ba is None:
            unscored += 1
        else:
            gaps.setdefault(item.id, []).append(abs(pair.ab - pair.ba))
    return mean_metric(gaps, RATING_ENDS, unscored=unscored, reason="no pair was judged in both orders")


def _asked_pairs(items: Sequence[ItemResult]) -> Iterator[tuple[ItemResult, PairResult]]:
    for item in items:
        for group in item.groups:
            for pair in group.pairs:
                identical = pair.score is not None and pair.key_ab is None and pair.key_ba is None
                if not identical:
                    yield item, pair


def flag_counts(flags_of_responses: Iterable[Iterable[Flag]]) -> dict[Flag, int]:
    """How many responses carry each flag; flags nobody carries are left out.

    >>> flag_counts([("echo",), (), ("echo", "off_topic")])
    {'echo': 2, 'off_topic': 1}
    """
    counts: dict[Flag, int] = {}
    for flags in flags_of_responses:
        for flag in sorted(set(flags)):
            counts[flag] = counts.get(flag, 0) + 1
    return counts


# --- many systems ----------------------------------------------------------------------------------------------------


def compare(
    first: ViewResult, second: ViewResult, figure: Figure = HEADLINE, attempts: tuple[int, int] = (1, 1)
) -> MetricValue:
    """First minus second on one figure of a view, over the items both have been judged on, with interval.

    Range -5 to 5; positive: the first is better. They are separated iff the interval excludes 0
    (`intervals.excludes_zero`); never with fewer than six common items. Exchanging the systems only changes the sign.
    The interval accounts for the attempts with either (`intervals.paired_difference`).
    """
    return paired_difference(first.item_values[figure], second.item_values[figure], attempts)


def not_separable_from(system: ItemValues, baselines: Mapping[str, ItemValues]) -> tuple[str, ...]:
    """The baselines a system is not significantly better than: it is flagged with them.

    A baseline without a judged item (empty answers) compares with nothing and is passed over; with fewer than six
    common items nothing can be told apart, which counts as not better. Being significantly worse is not better either.

    >>> canned = {str(item): 0.0 for item in range(12)}
    >>> not_separable_from({str(item): 0.0 + item for item in range(12)}, {"canned": canned, "empty": {}})
    ()
    >>> not_separable_from(canned, {"canned": canned, "empty": {}})
    ('canned',)
    """
    return tuple(
        name
        for name, baseline in baselines.items()
        if baseline and not is_above_zero(paired_difference(system, baseline))
    )


def level_null_row(system: ItemValues, baselines: Mapping[str, ItemValues]) -> str | None:
    """The best baseline, where a system is not significantly better than it; None where it is, or none compares.

    Best is the highest mean over the items in common; with fewer than six nothing can be told apart, and no baseline
    compares.

    >>> words, advice = ({str(item): value + item / 10 for item in range(6)} for value in (1.0, 2.0))
    >>> level_null_row({str(item): 2.1 for item in range(6)}, {"words": words, "advice": advice})
    'advice'
    >>> level_null_row({str(item): 4.0 + item / 10 for item in range(6)}, {"words": words, "advice": advice}) is None
    True
    """
    common = {name: values.keys() & system.keys() for name, values in baselines.items()}
    means = {
        name: fsum(baselines[name][item] for item in items) / len(items)
        for name, items in common.items()
        if len(items) >= MIN_UNITS
    }
    if not means:
        return None
    best = max(sorted(means), key=lambda name: means[name])
    return None if is_above_zero(paired_difference(system, baselines[best])) else best
