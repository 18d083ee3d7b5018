"""How well predicted choices agree with each reviewer's (docs/personalized_evaluation.md#choices).

Higher is better for accuracies, alignment and consistency; 0 is fair for the biases. Undefined is None, never 0. The
headline, `accuracy_macro.penalized`, counts every item: what is missing is wrong.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from evaluator.personalized_evaluation.ratings import defined_draws, missing_counts, unranked_reasons
from evaluator.personalized_evaluation.replies import Answer, MissingReason, parse_choice
from evaluator.personalized_evaluation.reports import (
    Alignment,
    AspectAccuracy,
    BothOrders,
    ChoiceRead,
    Gain,
    MacroAccuracy,
    PairContaminationGroup,
    PairReferences,
    PairsReport,
)
from evaluator.personalized_evaluation.reviewer_correlations import (
    RESAMPLES,
    SEED,
    Estimate,
    FloatArray,
    Reviewers,
    Statistic,
    drawn_values,
    intervals_of,
    kendall,
)
from evaluator.statistics.verdict_pairs import pair_figures
from submissions.formats.personalized_evaluation.submission import (
    ASPECTS,
    Aspect,
    Choice,
    PairItem,
    PairsSubmission,
    ProfileComparison,
    other,
)

HALF = 0.5


@dataclass(frozen=True, slots=True)
class Predicted:
    """An item with what was predicted in both orders; answers name texts, not places."""

    item: PairItem
    given: Answer[Choice]
    """With text_a shown first."""
    swapped: Answer[Choice]

    @property
    def is_right(self) -> bool:
        return self.given.value == self.item.gold


def predicted_choices(item: PairItem, reason: MissingReason | None = None) -> Predicted:
    """Both answers to one item; the raw text about the swapped prompt is mapped back to texts."""
    given: Answer[Choice] = parse_choice(item.response) if item.choice is None else Answer(item.choice, None)
    if not given.is_given and reason is not None:
        given = Answer(None, reason)
    swapped: Answer[Choice] = Answer(item.choice_swapped, None)
    if item.choice_swapped is None:
        place = parse_choice(item.response_swapped)
        swapped = place if place.value is None else Answer(other(place.value), None)
    return Predicted(item, given, swapped)


def pairs_report(
    submission: PairsSubmission,
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    reasons: Mapping[str, MissingReason] | None = None,
    marks: Sequence[str] = (),
    per_item: bool = False,
    with_draws: bool = False,
) -> PairsReport:
    """Every figure of one run.

    Args:
        submission: The run.
        resamples, seed: Of the draws of reviewers.
        reasons: Item id -> why a local judge gave no answer in the given order, where it says more than the file.
        marks: What else is to be known about the run: `shortened`.
        per_item: Whether the answer to each item is wanted.
        with_draws: Whether the headline in every draw is wanted.
    """
    known = reasons or {}
    items = [predicted_choices(item, known.get(item.id)) for item in sorted(submission.items, key=lambda item: item.id)]
    answered = [item for item in items if item.given.is_given]
    accuracies = _Accuracies(items, submission.k, resamples=resamples, seed=seed)
    macro = accuracies.macro()
    parse_rate = len(answered) / len(items)
    predicted = [(item.given.value, item.item.gold) for item in answered]
    n_reviewers = len({item.item.reviewer for item in items})
    unranked = unranked_reasons(macro["penalized"], n_reviewers, parse_rate, predicted)
    report = PairsReport(
        kind=submission.kind,
        collection=submission.collection,
        k=submission.k,
        n=len(items),
        answered=len(answered),
        parse_rate=parse_rate,
        missing=missing_counts([item.given for item in items], ("no_answer", "unparsed")),
        accuracy={aspect: accuracies.of_aspect(aspect) for aspect in ASPECTS},
        accuracy_macro=macro,
        alignment=alignment(items),
        references=accuracies.references(),
        gain_over_reviewer_avg=accuracies.gain(),
        bias_first=bias_first(items),
        both_orders=both_orders(items),
        contamination=_contamination(items),
        flags=[*unranked, *marks],
        rankable=not unranked,
    )
    if per_item:
        report["items"] = [
            ChoiceRead(
                id=item.item.id, choice=item.given.value, reason=item.given.reason, choice_swapped=item.swapped.value
            )
            for item in items
        ]
    if with_draws:
        report["headline_draws"] = accuracies.headline_draws()
    return report


# --- accuracy --------------------------------------------------------------------------------------------------------


class _Share:
    """A share of items that are right, per aspect, and its mean over aspects, under any counts of the reviewers."""

    def __init__(self, reviewers: Reviewers, items: Iterable[tuple[Aspect, str, bool]]) -> None:
        self._right = {aspect: np.zeros(len(reviewers.names)) for aspect in ASPECTS}
        self._all = {aspect: np.zeros(len(reviewers.names)) for aspect in ASPECTS}
        known = list(items)
        places = reviewers.places([reviewer for _, reviewer, _ in known])
        for (aspect, _, is_right), place in zip(known, places.tolist(), strict=True):
            self._right[aspect][place] += is_right
            self._all[aspect][place] += 1
        self._everybody = np.ones(len(reviewers.names))

    def value(self, aspect: Aspect) -> float | None:
        return _defined(self.statistic(aspect)(self._everybody))

    def n_reviewers(self, aspect: Aspect) -> int:
        return int((self._all[aspect] > 0).sum())

    def statistic(self, aspect: Aspect) -> Statistic:
        right, everything = self._right[aspect], self._all[aspect]

        def share(counts: FloatArray) -> float:
            total = (counts * everything).sum()
            return float((counts * right).sum() / total) if total else np.nan

        return share

    def macro(self) -> float | None:
        return _defined(self.macro_statistic(self._everybody))

    def macro_statistic(self, counts: FloatArray) -> float:
        return fmean(self.statistic(aspect)(counts) for aspect in ASPECTS)

    def by_aspect(self) -> dict[str, float | None]:
        return {"macro": self.macro(), **{aspect: self.value(aspect) for aspect in ASPECTS}}


class _Accuracies:
    """The accuracies of one run and of its references, with intervals on one set of draws."""

    def __init__(self, items: Sequence[Predicted], k: int, *, resamples: int, seed: int) -> None:
        self._reviewers = Reviewers.of([item.item.reviewer for item in items])
        self._items = items
        self._answered = self._share(lambda item: item.is_right, [item for item in items if item.given.is_given])
        self._penalized = self._share(lambda item: item.is_right, items)
        self._shown = self._share(lambda item: _shown_choice(item.item.profile) == item.item.gold, items) if k else None
        estimates = self._estimates()
        self._drawn = drawn_values(estimates, self._reviewers, resamples=resamples, seed=seed)
        self._intervals = intervals_of(estimates, self._drawn)

    def of_aspect(self, aspect: Aspect) -> AspectAccuracy:
        return AspectAccuracy(
            n=sum(item.item.aspect == aspect for item in self._items),
            value=self._answered.value(aspect),
            penalized=self._penalized.value(aspect),
            ci=self._intervals[aspect],
        )

    def macro(self) -> MacroAccuracy:
        return MacroAccuracy(
            value=self._answered.macro(), penalized=self._penalized.macro(), ci=self._intervals["macro"]
        )

    def references(self) -> PairReferences:
        return PairReferences(
            reviewer_avg=self._shown.by_aspect() if self._shown else None,
            always_a=self._share(lambda item: item.item.gold == "A", self._items).macro(),
            always_b=self._share(lambda item: item.item.gold == "B", self._items).macro(),
        )

    def gain(self) -> Gain | None:
        value = self._gain_value()
        return None if value is None else Gain(value=value, ci=self._intervals["gain"])

    def headline_draws(self) -> list[float | None]:
        """The penalized macro in every draw of reviewers."""
        return defined_draws(self._drawn.get("penalized", ()))

    def _share(self, is_right: Callable[[Predicted], bool], items: Sequence[Predicted]) -> _Share:
        return _Share(self._reviewers, [(item.item.aspect, item.item.reviewer, is_right(item)) for item in items])

    def _gain_value(self) -> float | None:
        own, shown = self._penalized.macro(), self._shown.macro() if self._shown else None
        return None if own is None or shown is None else own - shown

    def _estimates(self) -> dict[str, Estimate]:
        answered, everybody = self._answered, len(self._reviewers.names)
        estimates: dict[str, Estimate] = {
            aspect: Estimate(answered.value(aspect), answered.statistic(aspect), answered.n_reviewers(aspect))
            for aspect in ASPECTS
        }
        estimates["macro"] = Estimate(answered.macro(), answered.macro_statistic, everybody)
        own, shown = self._penalized, self._shown
        estimates["penalized"] = Estimate(own.macro(), own.macro_statistic, everybody)
        if shown:
            estimates["gain"] = Estimate(
                self._gain_value(),
                lambda counts: own.macro_statistic(counts) - shown.macro_statistic(counts),
                everybody,
            )
        return estimates


def _shown_choice(profile: Sequence[ProfileComparison]) -> Choice | None:
    """The majority of the choices shown; the last shown at a tie."""
    if not profile:
        return None
    counts = Counter(entry.choice for entry in profile)
    if counts["A"] == counts["B"]:
        return profile[-1].choice
    return "A" if counts["A"] > counts["B"] else "B"


# --- win rates -------------------------------------------------------------------------------------------------------


def alignment(items: Sequence[Predicted]) -> Alignment:
    """How well the share of aspects that A wins is predicted, comparison by comparison. No items: counts 0."""
    comparisons: defaultdict[tuple[str, str], list[Predicted]] = defaultdict(list)
    for item in items:
        comparisons[item.item.pair].append(item)
    rates = {
        pair: (
            _share_of_a(member.given.value for member in members),
            _share_of_a(member.item.gold for member in members),
        )
        for pair, members in sorted(comparisons.items())
        if all(member.given.is_given for member in members)
    }
    predicted, gold = [rate for rate, _ in rates.values()], [rate for _, rate in rates.values()]
    sides = [(rate > HALF) == (wanted > HALF) for rate, wanted in rates.values() if HALF not in (rate, wanted)]
    return Alignment(
        comparisons=len(comparisons),
        complete=len(rates),
        win_rate_a={"|".join(pair): rate for pair, (rate, _) in rates.items()},
        mae=_mean([abs(rate - wanted) for rate, wanted in rates.values()]),
        kendall=kendall(predicted, gold),
        winner_accuracy=_mean(sides),
    )


def _share_of_a(choices: Iterable[Choice | None]) -> float:
    return fmean(choice == "A" for choice in choices)


# --- position and memory ---------------------------------------------------------------------------------------------


def bias_first(items: Iterable[Predicted]) -> float | None:
    """P(choice = A) - P(gold = A) over the items answered in the given order; None without one."""
    return _preference(items, lambda item: "A")


def both_orders(items: Iterable[Predicted]) -> BothOrders:
    """Consistency and the place favoured, from the two orders together, by the figures of position bias."""
    # Verdicts of position bias name the place shown: in the swapped order our A stands second.
    pairs = [
        item.given.value + other(item.swapped.value)
        for item in items
        if item.given.value is not None and item.swapped.value is not None
    ]
    figures = pair_figures(pairs, options=2)
    fairness = figures["preference_fairness"]
    return BothOrders(
        n=figures["n_pairs"],
        consistency=figures["position_consistency"],
        bias_first_both_orders=None if fairness is None else -fairness / 2,
        positional_fairness=fairness,
    )


def _contamination(items: Sequence[Predicted]) -> dict[str, PairContaminationGroup] | None:
    """None where no item is marked."""
    groups: dict[str, list[Predicted]] = {"both": [], "one": [], "neither": []}
    for item in items:
        if (marks := item.item.memorized) is not None:
            groups[("neither", "one", "both")[marks.a + marks.b]].append(item)
    marked = sum(map(len, groups.values()))
    if not marked:
        return None
    contamination = {name: _contamination_group(members, marked) for name, members in groups.items()}
    contamination["one"]["bias_memorized"] = _preference(groups["one"], _memorized_text)
    return contamination


def _contamination_group(items: Sequence[Predicted], marked: int) -> PairContaminationGroup:
    return PairContaminationGroup(
        n=len(items),
        percent=len(items) / marked,
        accuracy=_mean([item.is_right for item in items if item.given.is_given]),
        consistency=both_orders(items)["consistency"],
        bias_first=bias_first(items),
    )


def _memorized_text(item: Predicted) -> Choice:
    return "A" if item.item.memorized is not None and item.item.memorized.a else "B"


def _preference(items: Iterable[Predicted], text_of: Callable[[Predicted], Choice]) -> float | None:
    """How much more often the judge chooses some text than the reviewer does, over the answered items."""
    answered = [(item, text_of(item)) for item in items if item.given.is_given]
    if not answered:
        return None
    return fmean(item.given.value == text for item, text in answered) - fmean(
        item.item.gold == text for item, text in answered
    )


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def _defined(value: float) -> float | None:
    return None if np.isnan(value) else value
