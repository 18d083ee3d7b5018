"""What labels by people say of a judge: agreement, and the win rates that the log would show without its errors.

Labels are read as a log of comparisons (a CSV with question, first, second and verdict, or any other format). A label
belongs to the judgements of the same question, item and two systems; of several labels of one pair the majority counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np

from evaluator.judge_logs.judgements import Judgement, JudgementLog
from evaluator.judge_report.figure import Figure, share_figure
from evaluator.statistics.agreement import cohens_kappa, krippendorff_alpha_nominal, two_raters_alpha
from evaluator.statistics.corrected_scores import MIN_LABELS, powered_mean, rogan_gladen
from evaluator.statistics.intervals import MIN_UNITS, draw_counts, expanded_percentiles, units_to_separate
from evaluator.statistics.queries import FloatArray
from submissions.verdicts.swap_outcomes import Verdict

PairKey = tuple[str, str, tuple[str, ...]]
Labels = Mapping[PairKey, str]
"""Pair -> the better system, or `TIE`."""

TIE = ""
_CORRECTED = "corrected "
_LETTERS = ("A", "B", "C")


def labels_of(log: JudgementLog) -> Labels:
    """The label of every pair: the answer that most of its labels name, a tie where none has more than another."""
    votes: dict[PairKey, Counter[str]] = {}
    for one in log.judgements:
        if one.is_comparison and one.is_usable:
            votes.setdefault(_key(one), Counter())[_winner(one)] += 1
    return {key: _majority(cast) for key, cast in votes.items()}


def label_figures(judgements: Sequence[Judgement], labels: Labels) -> list[Figure] | str:
    """Agreement of one judge with the labels, and corrected win rates; or what is missing for them."""
    comparisons = [one for one in judgements if one.is_comparison and one.is_usable]
    labelled = [one for one in comparisons if _key(one) in labels]
    if not labelled:
        return "Labels: none of them is of a pair that this judge compared. Use the questions and systems of the log."
    return [*_agreement(labelled, labels), *_by_order(labelled, labels), *_win_rates(comparisons, labels)]


def missing_corrections(figures: Sequence[Figure]) -> str | None:
    """What corrected win rates would need, where there are none."""
    if any(figure.key.startswith(_CORRECTED) for figure in figures):
        return None
    return (
        f"Corrected win rates: no two systems have {MIN_LABELS} labelled questions and {MIN_UNITS} more that only the "
        "judge saw. Label more questions, drawn at random from those of the log."
    )


def _key(one: Judgement) -> PairKey:
    return one.question, one.item, tuple(sorted(one.systems))


def _winner(one: Judgement) -> str:
    return TIE if one.verdict == "C" else one.systems[0 if one.verdict == "A" else 1]


def _majority(cast: Counter[str]) -> str:
    most = cast.most_common(2)
    return TIE if len(most) == 2 and most[0][1] == most[1][1] else most[0][0]


def _label(one: Judgement, labels: Labels) -> Verdict:
    """The label by place, as the judge was shown the pair."""
    better = labels[_key(one)]
    return "C" if better == TIE else "A" if better == one.systems[0] else "B"


# --- agreement -------------------------------------------------------------------------------------------------------


def _agreement(labelled: Sequence[Judgement], labels: Labels) -> Iterator[Figure]:
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
    drawn = _drawn_confusions(labelled, labels)
    ends = _ends(drawn, _kappas)
    meaning = "Agreement beyond chance: 1 = always, 0 = as by chance; higher is better."
    yield Figure("label_kappa", "Cohen's kappa", cohens_kappa(said, right), *ends, len(labelled), of, meaning)
    alpha = krippendorff_alpha_nominal(list(zip(said, right, strict=True)))
    ends = _ends(drawn, two_raters_alpha)
    meaning = "As kappa, with judge and people as two raters of one kind."
    yield Figure("label_alpha", "Krippendorff's alpha", alpha, *ends, len(labelled), of, meaning)


@dataclass(frozen=True, slots=True)
class _Drawn:
    """Verdicts against labels, with whole questions drawn again."""

    questions: int
    confusions: FloatArray
    """Draws x verdict x label."""


def _drawn_confusions(labelled: Sequence[Judgement], labels: Labels) -> _Drawn | None:
    """None with too few questions for an interval."""
    questions = sorted({one.question for one in labelled})
    if len(questions) < MIN_UNITS:
        return None
    places = {question: place for place, question in enumerate(questions)}
    confusions = np.zeros((len(questions), 3, 3))
    for one in labelled:
        cell = _LETTERS.index(str(one.verdict)), _LETTERS.index(_label(one, labels))
        confusions[places[one.question], *cell] += 1
    return _Drawn(len(questions), np.tensordot(draw_counts(len(questions)), confusions, axes=1))


def _ends(drawn: _Drawn | None, figure: Callable[[FloatArray], FloatArray]) -> tuple[float, float] | tuple[None, None]:
    """95% interval of a figure of confusions; draws in which it has no value are left out."""
    values = np.empty(0) if drawn is None else figure(drawn.confusions)
    known = values[~np.isnan(values)]
    if drawn is None or not known.size:
        return None, None
    return tuple(expanded_percentiles(known, drawn.questions))


def _kappas(confusions: FloatArray) -> FloatArray:
    """Cohen's kappa of each confusion; nan where one label is all that was said."""
    n = confusions.sum(axis=(1, 2))
    observed = np.trace(confusions, axis1=1, axis2=2) / n
    by_chance = (confusions.sum(axis=2) * confusions.sum(axis=1)).sum(axis=1) / n**2
    is_defined = by_chance < 1
    return np.where(is_defined, (observed - by_chance) / np.where(is_defined, 1 - by_chance, 1.0), np.nan)


def _by_order(labelled: Sequence[Judgement], labels: Labels) -> Iterator[Figure]:
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


# --- win rates -------------------------------------------------------------------------------------------------------


def _win_rates(comparisons: Sequence[Judgement], labels: Labels) -> Iterator[Figure]:
    """As judged, corrected both ways, and how many labels would tell the two apart; for every pair of systems."""
    pairs: dict[tuple[str, ...], list[Judgement]] = {}
    for one in comparisons:
        pairs.setdefault(tuple(sorted(one.systems)), []).append(one)
    for systems, compared in sorted(pairs.items()):
        if len(set(systems)) == 2:
            yield from _win_rate(systems, compared, labels)


def _win_rate(systems: tuple[str, ...], compared: Sequence[Judgement], labels: Labels) -> Iterator[Figure]:
    judged = _by_question((one.question, _points(_winner(one), systems[0])) for one in compared)
    right = _by_question(
        (one.question, _points(labels[_key(one)], systems[0])) for one in compared if _key(one) in labels
    )
    others = [value for question, value in judged.items() if question not in right]
    title, key = f"Win rate of {systems[0]} against {systems[1]}", " / ".join(systems)
    powered = powered_mean(list(right.values()), [judged[question] for question in right], others)
    if powered is None:
        return
    raw = fsum(judged.values()) / len(judged)
    turned = (raw - 0.5) * (powered.value - 0.5) < 0
    further = units_to_separate([value - 0.5 for value in right.values()])
    needed = "no number of labels would" if further is None else f"about {further:,} labels alone would"
    yield Figure(
        _CORRECTED + key,
        f"{title}, corrected (PPI++)",
        powered.value,
        max(0.0, powered.interval.low),
        min(1.0, powered.interval.high),
        len(right),
        f"labelled questions beside {len(others):,} without",
        f"As judged {raw:.3f}; {'the better system changes' if turned else 'the better system stays'}. The judge makes "
        f"{len(right)} labels worth {powered.effective_labels:.0f}; to tell the two apart {needed} do.",
    )
    decided = {0.0, 1.0}
    known = [
        (judged[question] == 1.0, right[question] == 1.0)
        for question in right
        if {judged[question], right[question]} <= decided
    ]
    share = rogan_gladen([value == 1.0 for value in others if value in decided], known)
    if share is not None:
        low, high = share.bootstrap
        yield Figure(
            f"rogan_gladen {key}",
            f"{title}, corrected (Rogan-Gladen)",
            share.value,
            *share.delta,
            len(known),
            "labelled questions, decided by both",
            f"Of questions decided alike in every order: the judge is right on {share.sensitivity:.0%} of those that "
            f"the first wins and {share.specificity:.0%} of the others. Bootstrap interval [{low:.3f}, {high:.3f}].",
        )


def _points(winner: str, system: str) -> float:
    return 0.5 if winner == TIE else float(winner == system)


def _by_question(values: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Question -> mean of its values, in order of the questions."""
    listed: dict[str, list[float]] = {}
    for question, value in values:
        listed.setdefault(question, []).append(value)
    return {question: fsum(listed[question]) / len(listed[question]) for question in sorted(listed)}
