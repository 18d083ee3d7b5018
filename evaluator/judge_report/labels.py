"""What labels by people say of a judge: agreement, and the scores that the log would show without its errors.

Labels are read as a log of comparisons (a CSV with question, first, second and verdict, or any other format) or of
ratings. A label belongs to the judgements of the same question, item and two systems, or of the same answer; of several
labels of one pair the majority counts, of several of one answer their mean.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from math import ceil, fsum

import numpy as np

from evaluator.judge_logs.judgements import Judgement, JudgementLog
from evaluator.judge_logs.label_sample import LabelKey
from evaluator.judge_report.confusion import (
    Confusion,
    DrawnConfusions,
    Labelled,
    drawn_confusions,
    interval_ends,
    order_confusions,
    order_difference,
    rating_confusion,
)
from evaluator.judge_report.figure import Figure, clusters_of, metric_figure, share_figure
from evaluator.statistics.agreement import (
    cohens_kappa,
    krippendorff_alpha_interval,
    krippendorff_alpha_nominal,
    two_raters_alpha,
)
from evaluator.statistics.corrected_scores import (
    MIN_LABELS,
    LabelsNeeded,
    PoweredMean,
    labels_needed,
    powered_mean,
    rogan_gladen,
)
from evaluator.statistics.intervals import (
    MIN_UNITS,
    draw_counts,
    expanded_percentiles,
    mean_metric,
    ratio_interval,
)
from evaluator.statistics.queries import FloatArray
from submissions.verdicts.swap_outcomes import Verdict

Pairs = Mapping[LabelKey, str]
"""Pair -> the better system, or `TIE`."""
Ratings = Mapping[LabelKey, float]
"""Answer -> the mean of its ratings."""

TIE = ""
BINS = 5
"""Points of a calibration curve."""
MIN_BINNED = 10
"""Comparisons behind each, but the last one."""
_CORRECTED = "corrected "


@dataclass(frozen=True, slots=True)
class Labels:
    """What people say of a log's answers."""

    pairs: Pairs
    ratings: Ratings
    votes: Mapping[LabelKey, Mapping[str, int]] = field(default_factory=dict)
    """Pair -> how many people named each answer, or `TIE`."""
    raters: Mapping[LabelKey, int] = field(default_factory=dict)
    """Answer -> how many rated it."""

    @property
    def keys(self) -> frozenset[LabelKey]:
        """Everything that has a label."""
        return frozenset({*self.pairs, *self.ratings})

    @property
    def most(self) -> int:
        """How many labels the pair or answer with most of them has."""
        return max([*(sum(cast.values()) for cast in self.votes.values()), *self.raters.values()], default=0)


def labels_of(*logs: JudgementLog) -> Labels:
    """The label of every pair, the answer that most of its labels name or a tie, and of every answer rated."""
    votes: dict[LabelKey, Counter[str]] = {}
    ratings: dict[LabelKey, list[float]] = {}
    for judgement in chain.from_iterable(log.judgements for log in logs):
        if judgement.is_comparison and judgement.is_usable:
            votes.setdefault(judgement.key, Counter())[_winner(judgement)] += 1
        elif judgement.rating is not None:
            ratings.setdefault(judgement.key, []).append(judgement.rating)
    return Labels(
        {key: _majority(cast) for key, cast in votes.items()},
        {key: fsum(given) / len(given) for key, given in ratings.items()},
        votes,
        {key: len(given) for key, given in ratings.items()},
    )


def asked_of(log: JudgementLog) -> frozenset[LabelKey]:
    """Every pair that a log compares and every answer that it rates, under the names that labels have."""
    return frozenset(judgement.key for judgement in log.judgements)


def label_figures(judgements: Sequence[Judgement], labels: Labels) -> list[Figure] | str:
    """Agreement of one judge with the labels, and corrected scores; or what is missing for them."""
    compared, rated = _compared(judgements, labels), _rated(judgements, labels)
    if not compared and not rated:
        return (
            "Labels: none of them is of a pair that this judge compared or an answer that it rated. Use the questions "
            "and systems of the log."
        )
    figures: list[Figure] = []
    if compared:
        placed = _placed(compared, labels.pairs)
        drawn = drawn_confusions(placed)
        figures += _agreement(compared, labels.pairs, drawn)
        figures += _agreement_with_votes(compared, labels.votes)
        figures += _by_order(compared, labels.pairs)
        figures += order_difference(placed, drawn)
        figures += _calibration(compared, labels.pairs)
        usable = [judgement for judgement in judgements if judgement.is_comparison and judgement.is_usable]
        figures += _win_rates(usable, labels.pairs)
    if rated:
        figures += _rating_agreement(rated, labels.ratings)
        ratings = [judgement for judgement in judgements if judgement.rating is not None]
        figures += _mean_ratings(ratings, labels.ratings)
    return figures


def label_confusions(judgements: Sequence[Judgement], labels: Labels) -> Iterator[Confusion]:
    """What people said against what the judge said: of comparisons by presentation order, and of ratings."""
    compared, rated = _compared(judgements, labels), _rated(judgements, labels)
    yield from order_confusions(_placed(compared, labels.pairs))
    if rated:
        yield rating_confusion([(rating.rating or 0.0, labels.ratings[rating.key]) for rating in rated])


def missing_labellers(labels: Labels) -> str | None:
    """What labels of one person to a pair or an answer leave open."""
    if labels.most != 1:
        return None
    what = "pair" if labels.pairs else "answer"
    return (
        f"Agreement among people: no {what} has two labels, so the figures hold for one labeller, and how far people "
        f"agree with one another is not known. Have some of the {what}s labelled by a second person."
    )


def missing_corrections(figures: Sequence[Figure]) -> str | None:
    """What corrected scores would need, where there are none or none with an interval."""
    corrected = [figure for figure in figures if figure.key.startswith(_CORRECTED)]
    if any(figure.low is not None for figure in corrected):
        return None
    if not corrected:
        return (
            f"Corrected scores: no system, and no two that were compared, have {MIN_UNITS} labelled questions and "
            f"{MIN_UNITS} more that only the judge saw; an interval needs {MIN_LABELS} labelled ones. Label more "
            "questions, drawn at random from those of the log."
        )
    most = max(figure.n for figure in corrected)
    return (
        f"Intervals of corrected scores: they need {MIN_LABELS} labelled questions, and no score has more than {most}. "
        f"Label {MIN_LABELS - most} more, drawn at random from the questions of the log."
    )


def _compared(judgements: Sequence[Judgement], labels: Labels) -> list[Judgement]:
    """Usable comparisons that have a label."""
    return [one for one in judgements if one.is_comparison and one.is_usable and one.key in labels.pairs]


def _rated(judgements: Sequence[Judgement], labels: Labels) -> list[Judgement]:
    """Usable ratings that have a label."""
    return [one for one in judgements if one.rating is not None and one.key in labels.ratings]


def _placed(compared: Sequence[Judgement], labels: Pairs) -> list[Labelled]:
    return [Labelled(comparison, _label(comparison, labels)) for comparison in compared]


def _winner(judgement: Judgement) -> str:
    return TIE if judgement.verdict == "C" else judgement.systems[0 if judgement.verdict == "A" else 1]


def _majority(cast: Counter[str]) -> str:
    most = cast.most_common(2)
    return TIE if len(most) == 2 and most[0][1] == most[1][1] else most[0][0]


def _label(judgement: Judgement, labels: Pairs) -> Verdict:
    """The label by place, as the judge was shown the pair."""
    better = labels[judgement.key]
    return "C" if better == TIE else "A" if better == judgement.systems[0] else "B"


# --- agreement -------------------------------------------------------------------------------------------------------


def _agreement(labelled: Sequence[Judgement], labels: Pairs, drawn: DrawnConfusions | None) -> Iterator[Figure]:
    of = "comparisons with a label"
    yield share_figure(
        "label_accuracy",
        "Agreement with people",
        labelled,
        lambda one: one.verdict == _label(one, labels),
        of,
        "Share of verdicts equal to the label; 0-1, higher is better.",
    )
    said, right = [one.verdict for one in labelled], [_label(one, labels) for one in labelled]
    ends = interval_ends(drawn, lambda confusions: _kappas(confusions.sum(axis=1)))
    meaning = "Agreement beyond chance: 1 = always, 0 = as by chance; higher is better."
    yield Figure("label_kappa", "Cohen's kappa", cohens_kappa(said, right), *ends, len(labelled), of, meaning)
    alpha = krippendorff_alpha_nominal(list(zip(said, right, strict=True)))
    ends = interval_ends(drawn, lambda confusions: two_raters_alpha(confusions.sum(axis=1)))
    meaning = "As kappa, with judge and people as two raters of one kind."
    yield Figure("label_alpha", "Krippendorff's alpha", alpha, *ends, len(labelled), of, meaning)


def _agreement_with_votes(
    labelled: Sequence[Judgement], votes: Mapping[LabelKey, Mapping[str, int]]
) -> Iterator[Figure]:
    """MT-bench's agreement (Zheng et al. 2023, section 4.2), where people voted several times on a pair.

    Of one verdict and one vote, and of two votes, each in both of the paper's settings: a tie is a vote as any other,
    or pairs with a tie are left out.
    """
    if all(sum(votes.get(one.key, {}).values()) < 2 for one in labelled):
        return
    judged = [(one.question, {_winner(one): 1}, votes.get(one.key, {})) for one in labelled]
    voted = [(key[0], votes.get(key, {})) for key in dict.fromkeys(one.key for one in labelled)]
    for suffix, title, is_counted in (
        ("", "", lambda _: True),
        ("_decided", ", without ties", lambda winner: winner != TIE),
    ):
        with_votes = _Agreeing()
        for question, said, cast in judged:
            with_votes.count(question, _kept(said, is_counted), _kept(cast, is_counted))
        yield with_votes.figure(
            f"vote_agreement{suffix}",
            f"Agreement with single votes{title}",
            "pairs of a verdict and a vote",
            "Share of them that are equal; compare it with how often people agree with each other.",
        )
        of_people = _Agreeing()
        for question, cast in voted:
            of_people.count_within(question, _kept(cast, is_counted))
        yield of_people.figure(
            f"people_agreement{suffix}",
            f"People agree with each other{title}",
            "pairs of votes on the same two answers",
            "Share of them that are equal: no judge can be expected to agree with people more often.",
        )


def _kept(votes: Mapping[str, int], is_counted: Callable[[str], bool]) -> dict[str, int]:
    return {winner: count for winner, count in votes.items() if is_counted(winner)}


@dataclass(slots=True)
class _Agreeing:
    """Equal pairs and all pairs of what was said, by question."""

    sums: dict[str, tuple[int, int]] = field(default_factory=dict)

    def count(self, question: str, said: Mapping[str, int], cast: Mapping[str, int]) -> None:
        """Adds every pair of one of the first and one of the second."""
        equal = sum(count * cast.get(winner, 0) for winner, count in said.items())
        self._add(question, equal, sum(said.values()) * sum(cast.values()))

    def count_within(self, question: str, cast: Mapping[str, int]) -> None:
        """Adds every pair of two of them."""
        n = sum(cast.values())
        self._add(question, sum(count * (count - 1) // 2 for count in cast.values()), n * (n - 1) // 2)

    def _add(self, question: str, equal: int, pairs: int) -> None:
        before = self.sums.get(question, (0, 0))
        self.sums[question] = before[0] + equal, before[1] + pairs

    def figure(self, key: str, title: str, of: str, meaning: str) -> Figure:
        """The share of equal pairs, with its interval over questions."""
        equal, pairs = np.array([self.sums[question] for question in sorted(self.sums)], np.float64).T
        n = int(pairs.sum())
        low, high = ratio_interval(equal, pairs) or (None, None)
        return Figure(key, title, float(equal.sum()) / n if n else None, low, high, n, of, meaning)


def _kappas(confusions: FloatArray) -> FloatArray:
    """Cohen's kappa of each confusion; nan where one label is all that was said."""
    n = confusions.sum(axis=(1, 2))
    observed = np.trace(confusions, axis1=1, axis2=2) / n
    by_chance = (confusions.sum(axis=2) * confusions.sum(axis=1)).sum(axis=1) / n**2
    is_defined = by_chance < 1
    return np.where(is_defined, (observed - by_chance) / np.where(is_defined, 1 - by_chance, 1.0), np.nan)


def _by_order(labelled: Sequence[Judgement], labels: Pairs) -> Iterator[Figure]:
    for key, letter, place in (("right_first", "A", "first"), ("right_second", "B", "second")):
        shown = [one for one in labelled if one.order_known and _label(one, labels) == letter]
        if shown:
            yield share_figure(
                key,
                f"Right when the better answer is {place}",
                shown,
                lambda one, letter=letter: one.verdict == letter,  # type: ignore[misc]
                "comparisons with a label",
                "Share of verdicts that name the better answer; far from that of the other place, the place decides.",
            )


# --- calibration -----------------------------------------------------------------------------------------------------


def _calibration(labelled: Sequence[Judgement], labels: Pairs) -> Iterator[Figure]:
    """How far stated probabilities are to be believed: the Brier score and the calibration curve, point by point."""
    stated = [one for one in labelled if one.probability is not None and _label(one, labels) != "C"]
    if not stated:
        return
    of = "comparisons with a stated probability and a label that is no tie"
    yield metric_figure(
        "label_brier",
        "Brier score",
        mean_metric(clusters_of(stated, lambda one: (_stated(one) - _is_second(one, labels)) ** 2)),
        of,
        "Mean squared difference between the stated probability that the second answer is better and the label (1 or "
        "0); 0-1, lower is better. Always to state 0.50 gives 0.25.",
    )
    for number, binned in enumerate(_bins(stated), start=1):
        low, high = _stated(binned[0]), _stated(binned[-1])
        mean = fsum(map(_stated, binned)) / len(binned)
        point = share_figure(
            f"label_calibration_{number}",
            f"Second answer better, where {low:.2f} to {high:.2f} was stated",
            binned,
            lambda one: _is_second(one, labels) == 1.0,
            of,
            f"Share of labels; {mean:.2f} was stated on average, and of a calibrated judge the two are equal.",
        )
        yield replace(point, stated=mean)


def _bins(stated: Sequence[Judgement]) -> list[list[Judgement]]:
    """In the order of what was stated, about as many in each bin; equal statements stay together."""
    ordered = sorted(stated, key=_stated)
    size = max(MIN_BINNED, ceil(len(ordered) / BINS))
    bins = [[ordered[0]]]
    for before, one in pairwise(ordered):
        if len(bins[-1]) >= size and _stated(one) != _stated(before):
            bins.append([])
        bins[-1].append(one)
    return bins


def _stated(judgement: Judgement) -> float:
    return judgement.probability or 0.0


def _is_second(judgement: Judgement, labels: Pairs) -> float:
    return float(_label(judgement, labels) == "B")


# --- win rates -------------------------------------------------------------------------------------------------------


def _win_rates(comparisons: Sequence[Judgement], labels: Pairs) -> Iterator[Figure]:
    """As judged, corrected both ways, and how many labels would tell the two apart; for every pair of systems."""
    pairs: dict[tuple[str, ...], list[Judgement]] = {}
    for comparison in comparisons:
        pairs.setdefault(tuple(sorted(comparison.systems)), []).append(comparison)
    for systems, compared in sorted(pairs.items()):
        if len(set(systems)) == 2:
            yield from _win_rate(systems, compared, labels)


def _win_rate(systems: tuple[str, ...], compared: Sequence[Judgement], labels: Pairs) -> Iterator[Figure]:
    judged = _by_question((comparison.question, _points(_winner(comparison), systems[0])) for comparison in compared)
    right = _by_question(
        (comparison.question, _points(labels[comparison.key], systems[0]))
        for comparison in compared
        if comparison.key in labels
    )
    others = [value for question, value in judged.items() if question not in right]
    title, key = f"Win rate of {systems[0]} against {systems[1]}", " / ".join(systems)
    powered = powered_mean(list(right.values()), [judged[question] for question in right], others)
    if powered is None:
        return
    raw = fsum(judged.values()) / len(judged)
    yield Figure(
        _CORRECTED + key,
        f"{title}, corrected (PPI++)",
        powered.value,
        *_interval_ends(powered),
        len(right),
        f"labelled questions beside {len(others):,} without",
        f"As judged {raw:.3f}"
        + (f". {_lacking(len(right))}" if powered.interval is None else f"; {_change(judged, powered, right)}"),
    )
    decided = {0.0, 1.0}
    known = [
        (judged[question] == 1.0, right[question] == 1.0)
        for question in right
        if {judged[question], right[question]} <= decided
    ]
    share = rogan_gladen([value == 1.0 for value in others if value in decided], known)
    if share is not None:
        low, high = share.bootstrap or (None, None)
        yield Figure(
            f"rogan_gladen {key}",
            f"{title}, corrected (Rogan-Gladen)",
            share.value,
            low,
            high,
            len(known),
            "labelled questions, decided by both",
            f"Of questions decided alike in every order: the judge is right on {share.sensitivity:.0%} of those that "
            f"the first wins and {share.specificity:.0%} of the others. "
            + (
                _lacking(len(known))
                if share.delta is None
                else f"Delta interval [{share.delta.low:.3f}, {share.delta.high:.3f}]."
            ),
        )


def _needed_text(needed: LabelsNeeded, n: int, items: int) -> str:
    """What it takes to tell two systems apart, beside the labels that there are."""
    if needed.alone is None:
        return "No number of labels would tell the two apart."
    alone = f"labels alone: about {needed.alone:,}"
    if needed.helped is None:
        return f"To tell the two apart labels of all {items:,} questions are too few with the judge's help; {alone}."
    more = max(0, needed.helped - n)
    further = f", {more:,} more than there are" if more else ", which there are"
    return f"To tell the two apart takes about {needed.helped:,} labels with the judge's help{further}; {alone}."


def _interval_ends(powered: PoweredMean, low: float = 0.0, width: float = 1.0) -> tuple[float | None, float | None]:
    """The ends of the interval on a scale that begins at `low`; None where there are too few labels for one."""
    if powered.interval is None:
        return None, None
    return low + width * powered.interval.low, low + width * powered.interval.high


def _change(judged: Mapping[str, float], powered: PoweredMean, right: Mapping[str, float]) -> str:
    """What correction changes of a win rate, what the judge adds to the labels, and how many tell the two apart."""
    raw = fsum(judged.values()) / len(judged)
    turned = (raw - 0.5) * (powered.value - 0.5) < 0
    needed = labels_needed(list(right.values()), [judged[question] for question in right], powered, len(judged))
    return (
        f"{'the better system changes' if turned else 'the better system stays'}. {_worth(powered, len(right))}. "
        f"{_needed_text(needed, len(right), len(judged))}"
    )


def _worth(powered: PoweredMean, labels: int) -> str:
    return f"The judge makes {labels} labels worth {powered.effective_labels:.0f}"


def _lacking(labels: int) -> str:
    missing = MIN_LABELS - labels
    return f"No interval below {MIN_LABELS} labels: {missing} {'is' if missing == 1 else 'are'} missing."


def _points(winner: str, system: str) -> float:
    return 0.5 if winner == TIE else float(winner == system)


def _by_question(values: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Question -> mean of its values, in order of the questions."""
    listed: dict[str, list[float]] = {}
    for question, value in values:
        listed.setdefault(question, []).append(value)
    return {question: fsum(listed[question]) / len(listed[question]) for question in sorted(listed)}


# --- ratings ---------------------------------------------------------------------------------------------------------


def _rating_agreement(rated: Sequence[Judgement], labels: Ratings) -> Iterator[Figure]:
    of = "ratings with a label"
    pairs = [(rating.rating or 0.0, labels[rating.key]) for rating in rated]
    errors = clusters_of(rated, lambda one: (one.rating or 0.0) - labels[one.key])
    widest = max(max(pair) for pair in pairs) - min(min(pair) for pair in pairs)
    yield metric_figure(
        "rating_error",
        "The judge rates higher by",
        mean_metric(errors, (-widest, widest)),
        of,
        "Mean of the judge's rating minus that of people; 0 is best, below 0 the judge is stricter.",
    )
    yield Figure(
        "rating_alpha",
        "Krippendorff's alpha, ratings",
        krippendorff_alpha_interval(pairs),
        *_rating_alpha_ends(rated, labels),
        len(rated),
        of,
        "Agreement of judge and people beyond chance, larger differences weighing more: 1 = always equal, 0 = as by "
        "chance; higher is better.",
    )


def _rating_alpha_ends(rated: Sequence[Judgement], labels: Ratings) -> tuple[float | None, float | None]:
    """95% interval over questions: sums of whole questions are drawn again."""
    sums: dict[str, FloatArray] = {}
    for rating in rated:
        first, second = rating.rating or 0.0, labels[rating.key]
        parts = np.array([2.0, first + second, first**2 + second**2, (first - second) ** 2])
        sums[rating.question] = sums.get(rating.question, np.zeros(4)) + parts
    if len(sums) < MIN_UNITS:
        return None, None
    n, total, squares, apart = (draw_counts(len(sums)) @ np.array([sums[question] for question in sorted(sums)])).T
    # Sums of squared differences over ordered pairs: within each answer, and between all ratings there are.
    expected = 2 * (n * squares - total**2)
    is_defined = expected > 1e-9 * n * squares
    alphas = 1 - (n[is_defined] - 1) * 2 * apart[is_defined] / expected[is_defined]
    if not alphas.size:
        return None, None
    low, high = expanded_percentiles(alphas, len(sums))
    return low, high


def _mean_ratings(ratings: Sequence[Judgement], labels: Ratings) -> Iterator[Figure]:
    """The mean rating of every system as judged and corrected, and whether its place among the others changes."""
    by_system: dict[str, list[Judgement]] = {}
    for rating in ratings:
        by_system.setdefault(rating.systems[0], []).append(rating)
    scale = [*(rating.rating or 0.0 for rating in ratings), *labels.values()]
    low, width = min(scale), max(scale) - min(scale)
    if not width:
        return
    corrected: dict[str, tuple[float, PoweredMean, int, int]] = {}
    for system, judged in sorted(by_system.items()):
        said = _by_question((one.question, ((one.rating or 0.0) - low) / width) for one in judged)
        right = _by_question((one.question, (labels[one.key] - low) / width) for one in judged if one.key in labels)
        others = [value for question, value in said.items() if question not in right]
        powered = powered_mean(list(right.values()), [said[question] for question in right], others)
        if powered is not None:
            corrected[system] = fsum(said.values()) / len(said), powered, len(right), len(others)
    as_judged = sorted(corrected, key=lambda system: -corrected[system][0])
    as_corrected = sorted(corrected, key=lambda system: -corrected[system][1].value)
    for system, (raw, powered, n, more) in corrected.items():
        before, after = as_judged.index(system) + 1, as_corrected.index(system) + 1
        place = f"place {before} of {len(corrected)}"
        moved = "the same" if before == after else f"place {after}"
        change = f"{place}; corrected {moved}. {_worth(powered, n)}." if powered.interval else f"{place}. {_lacking(n)}"
        yield Figure(
            f"{_CORRECTED}mean {system}",
            f"Mean rating of {system}, corrected (PPI++)",
            low + width * powered.value,
            *_interval_ends(powered, low, width),
            n,
            f"labelled questions beside {more:,} without",
            f"As judged {low + width * raw:.3f}, {change}",
        )
