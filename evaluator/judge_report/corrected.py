"""Scores that a log would show without its judge's errors, as labels by people say: win rates and mean ratings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import fsum

from evaluator.judge_logs.judgements import Judgement
from evaluator.judge_report.figure import Figure
from evaluator.judge_report.labels import TIE, Pairs, Ratings, winner
from evaluator.statistics.clusters import Clusters
from evaluator.statistics.corrected_scores import (
    MIN_LABELS,
    LabelsNeeded,
    PoweredMean,
    are_labels_unlike,
    labels_needed,
    powered_mean,
    rogan_gladen,
    stratified_mean,
)
from evaluator.statistics.intervals import MIN_UNITS, Interval

HALF_RATE = 0.5
_CORRECTED = "corrected "
_UNLIKE = (
    "The judge says something else of the labelled questions than of the others, so the labels are no random sample of "
    "them"
)
_BY_VERDICT = f"{_UNLIKE}: this one counts each verdict as often as the log has it, and Rogan-Gladen is not given."
_UNUSABLE = (
    f"{_UNLIKE}, and one of its values has fewer than {MIN_UNITS} labels: no correction has an interval. Label "
    "questions drawn at random from those of the log."
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
    if most >= MIN_LABELS:
        return "Intervals of corrected scores: no score has one, for the reason beside each."
    return (
        f"Intervals of corrected scores: they need {MIN_LABELS} labelled questions, and no score has more than {most}. "
        f"Label {MIN_LABELS - most} more, drawn at random from the questions of the log."
    )


# --- win rates -------------------------------------------------------------------------------------------------------


def win_rates(comparisons: Sequence[Judgement], labels: Pairs) -> Iterator[Figure]:
    """As judged, corrected both ways, and how many labels would tell the two apart; for every pair of systems."""
    pairs: dict[tuple[str, ...], list[Judgement]] = {}
    for comparison in comparisons:
        pairs.setdefault(tuple(sorted(comparison.systems)), []).append(comparison)
    for systems, compared in sorted(pairs.items()):
        if len(set(systems)) == 2:
            yield from _win_rate(systems, compared, labels)


def _win_rate(systems: tuple[str, ...], compared: Sequence[Judgement], labels: Pairs) -> Iterator[Figure]:
    judged = _by_question((comparison.question, _points(winner(comparison), systems[0])) for comparison in compared)
    right = _by_question(
        (comparison.question, _points(labels[comparison.key], systems[0]))
        for comparison in compared
        if comparison.key in labels
    )
    others = {question: value for question, value in judged.items() if question not in right}
    title, key = f"Win rate of {systems[0]} against {systems[1]}", " / ".join(systems)
    clusters = _clusters(compared, right, others)
    seen = [judged[question] for question in right]
    corrected = _corrected(list(right.values()), seen, list(others.values()), clusters)
    if corrected is None:
        return
    powered, way, warning = corrected
    raw = fsum(judged.values()) / len(judged)
    yield Figure(
        _CORRECTED + key,
        f"{title}, corrected ({way})",
        powered.value,
        *_interval_ends(powered),
        len(right),
        f"labelled questions beside {len(others):,} without",
        f"As judged {raw:.3f}"
        + (
            f"; {_change(judged, powered, right, clusters)}"
            if powered.interval
            else _lacking(len(right), clusters, ". ")
        )
        + (f" {warning}" if warning else ""),
    )
    if warning:
        return
    decided = {0.0, 1.0}
    both = [question for question in right if {judged[question], right[question]} <= decided]
    alone = [question for question, value in others.items() if value in decided]
    known = [(judged[question] == 1.0, right[question] == 1.0) for question in both]
    clusters = _clusters(compared, both, alone)
    share = rogan_gladen([others[question] == 1.0 for question in alone], known, clusters)
    if share is not None:
        low, high = share.bootstrap or (share.delta if clusters else None) or (None, None)
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
            + (_delta_text(share.delta) if share.bootstrap else _lacking(len(known), clusters)),
        )


def _corrected(
    labels: Sequence[float], judged: Sequence[float], others: Sequence[float], clusters: Clusters | None
) -> tuple[PoweredMean, str, str] | None:
    """The corrected mean, the name of the method, and what must be known of the labels; None with too few.

    Of labels that were chosen by the verdict PPI++ is biased: 100 labels, four times as many where the judge says yes,
    have intervals that hold the truth in 51 of 100 logs (`make bench-corrected`).
    """
    powered = powered_mean(labels, judged, others, clusters)
    if powered is None or not are_labels_unlike(judged, others, clusters):
        return None if powered is None else (powered, "PPI++", "")
    stratified = stratified_mean(labels, judged, others, clusters)
    if stratified is not None:
        return stratified, "by verdict", _BY_VERDICT
    return powered._replace(interval=None), "PPI++", _UNUSABLE


def _delta_text(delta: Interval | None) -> str:
    if delta is None:
        return "No rate of 0 to 1 fits these three shares: the labelled questions are not like the others."
    return f"Delta interval [{delta.low:.3f}, {delta.high:.3f}]."


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


def _change(
    judged: Mapping[str, float], powered: PoweredMean, right: Mapping[str, float], clusters: Clusters | None
) -> str:
    """What correction changes of a win rate, what the judge adds to the labels, and how many tell the two apart.

    Of clusters the last is not said: it depends on how many labels further clusters have.
    """
    raw = fsum(judged.values()) / len(judged)
    side = _side(powered.interval)
    change = f"{_change_words(raw, side)}. {_worth(powered, len(right), clusters)}."
    if clusters is not None:
        return change
    needed = labels_needed(list(right.values()), [judged[question] for question in right], powered, len(judged))
    return f"{change} {_needed_text(needed, len(right), len(judged))}"


def _side(interval: Interval | None) -> int:
    """1 where an interval of a win rate lies above one half, -1 where it lies below, 0 where it holds one half."""
    if interval is None:
        return 0
    return (interval.low > HALF_RATE) - (interval.high < HALF_RATE)


def _change_words(raw: float, side: int) -> str:
    """What an interval says of which system is better; only an interval that excludes one half says anything."""
    if side == 0:
        return "which system is better cannot be told: the interval holds one half"
    return "the better system changes" if (raw - HALF_RATE) * side < 0 else "the better system stays"


def _worth(powered: PoweredMean, labels: int, clusters: Clusters | None) -> str:
    if clusters is None:
        return f"The judge makes {labels} labels worth {powered.effective_labels:.0f}"
    return (
        f"With the judge {labels} labels of {len(set(clusters.labelled)):,} clusters are worth "
        f"{powered.effective_labels:.0f} independent ones alone"
    )


def _clusters(judged: Iterable[Judgement], labelled: Iterable[str], others: Iterable[str]) -> Clusters | None:
    """The clusters of questions; None where the log names none."""
    units = {judgement.question: judgement.unit for judgement in judged}
    if units.keys() == set(units.values()):
        return None
    return Clusters([units[question] for question in labelled], [units[question] for question in others])


def _lacking(labels: int, clusters: Clusters | None, before: str = "") -> str:
    """Why there is no interval, as far as that is for too few labels or clusters; blank else."""
    missing = MIN_LABELS - labels
    if missing <= 0:
        fewest = MIN_UNITS if clusters is None else min(len(set(names)) for names in clusters)
        return "" if fewest >= MIN_UNITS else f"{before}No interval below {MIN_UNITS} clusters with and without labels."
    return f"{before}No interval below {MIN_LABELS} labels: {missing} {'is' if missing == 1 else 'are'} missing."


def _points(winner: str, system: str) -> float:
    return 0.5 if winner == TIE else float(winner == system)


def _by_question(values: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Question -> mean of its values, in order of the questions."""
    listed: dict[str, list[float]] = {}
    for question, value in values:
        listed.setdefault(question, []).append(value)
    return {question: fsum(listed[question]) / len(listed[question]) for question in sorted(listed)}


# --- ratings ---------------------------------------------------------------------------------------------------------


def mean_ratings(ratings: Sequence[Judgement], labels: Ratings) -> Iterator[Figure]:
    """The mean rating of every system as judged and corrected, and whether its place among the others changes."""
    by_system: dict[str, list[Judgement]] = {}
    for rating in ratings:
        by_system.setdefault(rating.systems[0], []).append(rating)
    scale = [*(rating.rating or 0.0 for rating in ratings), *labels.values()]
    low, width = min(scale), max(scale) - min(scale)
    if not width:
        return
    corrected: dict[str, tuple[float, tuple[PoweredMean, str, str], Clusters | None, int, int]] = {}
    for system, judged in sorted(by_system.items()):
        said = _by_question((rating.question, ((rating.rating or 0.0) - low) / width) for rating in judged)
        right = _by_question(
            (rating.question, (labels[rating.key] - low) / width) for rating in judged if rating.key in labels
        )
        others = {question: value for question, value in said.items() if question not in right}
        clusters = _clusters(judged, right, others)
        seen = [said[question] for question in right]
        estimate = _corrected(list(right.values()), seen, list(others.values()), clusters)
        if estimate is not None:
            corrected[system] = fsum(said.values()) / len(said), estimate, clusters, len(right), len(others)
    as_judged = sorted(corrected, key=lambda system: -corrected[system][0])
    as_corrected = sorted(corrected, key=lambda system: -corrected[system][1][0].value)
    for system, (raw, (powered, way, warning), clusters, n, more) in corrected.items():
        before, after = as_judged.index(system) + 1, as_corrected.index(system) + 1
        place = f"place {before} of {len(corrected)}"
        moved = "the same" if before == after else f"place {after}"
        change = (
            f"{place}; corrected {moved}. {_worth(powered, n, clusters)}."
            if powered.interval
            else f"{place}. {_lacking(n, clusters)}"
        )
        change = f"{change} {warning}".strip() if warning else change
        yield Figure(
            f"{_CORRECTED}mean {system}",
            f"Mean rating of {system}, corrected ({way})",
            low + width * powered.value,
            *_interval_ends(powered, low, width),
            n,
            f"labelled questions beside {more:,} without",
            f"As judged {low + width * raw:.3f}, {change}",
        )
