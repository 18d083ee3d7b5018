"""Biases of the judges of one log: how far the place, the length and the family of an answer decide.

Every comparison is an observation: 1 where the answer shown first won, 1/2 for a tie, 0 where it lost. A linear model
tells the three apart, so that none stands for another; with labels it also holds fixed which answer people found better
(docs/judge_report.md#biases). All tests of a log share one false discovery rate.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from math import log
from statistics import fmean
from typing import Literal

import numpy as np

from evaluator.judge_logs.judgements import Judgement
from evaluator.judge_logs.label_sample import LabelKey
from evaluator.judge_report.family_taste import family_taste, likings
from evaluator.judge_report.figure import Figure
from evaluator.judge_report.labels import Labels, label_by_place
from evaluator.statistics.clustered_slopes import Slope, bracketed, clustered_slopes, false_discovery_rates
from evaluator.statistics.intervals import FloatArray
from submissions.verdicts.swap_outcomes import Verdict

BELIEVED = 0.05
"""A bias is said to be found up to this false discovery rate."""
MOST_NAMED = 5
"""Biases that the first lines of a report name."""

Kind = Literal["place", "length", "family"]

_POINTS: dict[Verdict, float] = {"A": 1.0, "B": 0.0, "C": 0.5}
"""Of the answer shown first."""


@dataclass(frozen=True, slots=True)
class Bias:
    """One bias of one judge."""

    judge: str
    kind: Kind
    size: Slope
    n: int
    of: str
    held: str
    """What was held fixed, in words."""


def family(name: str) -> str:
    """What a model's name begins with, without its owner and version: what models of one maker and line share.

    >>> family("gpt-4 pair-v2"), family("meta-llama/Llama-3-8B"), family("gpt4o-mini"), family("gpt4all-13b-snoozy")
    ('gpt', 'llama', 'gpt', 'gpt4all')
    """
    word = re.match(r"[a-z0-9]+", name.rsplit("/", 1)[-1].lower())
    versioned = re.fullmatch(r"([a-z]+)(?:[0-9]+[a-z]?)?", word.group()) if word else None
    return versioned.group(1) if versioned else word.group() if word else name


def biases(judgements: Iterable[Judgement], labels: Labels | None) -> list[Bias]:
    """Return every bias that a log allows to test, judges in order of names."""
    by_judge: dict[str, list[Judgement]] = {}
    for judgement in judgements:
        if judgement.is_comparison and judgement.is_usable and len(set(judgement.systems)) == len(judgement.systems):
            by_judge.setdefault(judgement.judge, []).append(judgement)
    families = {judge: family(judge) for judge in by_judge}
    return list(
        chain.from_iterable(
            _biases_of(
                judge, own, labels, [other for name, other in by_judge.items() if families[name] != families[judge]]
            )
            for judge, own in sorted(by_judge.items())
        )
    )


def _biases_of(
    judge: str, own: Sequence[Judgement], labels: Labels | None, others: Sequence[Sequence[Judgement]]
) -> Iterator[Bias]:
    right = {place: label for place, judgement in enumerate(own) if (label := _label(judgement, labels)) is not None}
    labelled = [own[place] for place in right]
    better = np.array([_POINTS[label] for label in right.values()])
    yield from filter(None, (_place(judge, own, labelled, better), _length(judge, own, labelled, better)))
    of_family = _family_by_labels(judge, labelled, better) or _family_by_others(judge, own, others)
    if of_family is not None:
        yield of_family


def _label(judgement: Judgement, labels: Labels | None) -> Verdict | None:
    """Which place people found better; the log's own label where no other is known."""
    if labels is not None and judgement.key in labels.pairs:
        return label_by_place(judgement, labels.pairs)
    return judgement.gold if judgement.gold in _POINTS else None


def _points(judgements: Sequence[Judgement]) -> list[float]:
    return [_POINTS[judgement.verdict or "C"] for judgement in judgements]


def _units(judgements: Sequence[Judgement]) -> list[str]:
    return [judgement.unit for judgement in judgements]


def _slopes(judgements: Sequence[Judgement], *columns: FloatArray) -> list[Slope] | None:
    """Of points of the answer shown first, its place in the first column; None where the columns allow none."""
    return _slopes_of(np.array(_points(judgements)), judgements, *columns)


def _slopes_of(points: FloatArray, judgements: Sequence[Judgement], *columns: FloatArray) -> list[Slope] | None:
    if not judgements:
        return None
    design = np.column_stack([np.ones(len(judgements)), *columns])
    return clustered_slopes(points, design, _units(judgements))


def _beside(judgements: Sequence[Judgement], effect: FloatArray, reference: FloatArray) -> Slope | None:
    """Of an effect beside a reference, points of the answer shown first by labels (`bracketed`)."""
    held = _slopes(judgements, effect, reference)
    subtracted = _slopes_of(np.array(_points(judgements)) - reference, judgements, effect)
    return bracketed(held[1], subtracted[1]) if held and subtracted else None


def _doubled(slope: Slope) -> Slope:
    return Slope(2 * slope.value, 2 * slope.low, 2 * slope.high, slope.p, 2 * slope.detectable)


def _place(judge: str, own: Sequence[Judgement], labelled: Sequence[Judgement], better: FloatArray) -> Bias | None:
    """How much more often an answer wins when it is shown first than when it is second."""
    paired = _in_both_orders(own)
    if slopes := _slopes_of(np.array(_points(paired)) - 0.5, paired):
        return Bias(judge, "place", _doubled(slopes[0]), len(paired), "comparisons in both orders", "On the same pairs")
    # One order alone cannot tell the place from the system that stands there.
    orders = {judgement.systems for judgement in own if judgement.order_known}
    kept = [place for place, judgement in enumerate(labelled) if {judgement.systems, judgement.systems[::-1]} <= orders]
    ordered = [labelled[place] for place in kept]
    if slopes := _slopes_of(np.array(_points(ordered)) - better[kept], ordered):
        of, held = "comparisons with a label", "Beyond what people say"
        return Bias(judge, "place", _doubled(slopes[0]), len(ordered), of, held)
    return None


def _in_both_orders(judgements: Sequence[Judgement]) -> list[Judgement]:
    """As many of each order of a pair, and of each repetition of it."""
    orders: dict[tuple[LabelKey, int], dict[tuple[str, ...], Judgement]] = {}
    for judgement in judgements:
        if judgement.order_known:
            orders.setdefault((judgement.key, judgement.repetition), {})[judgement.systems] = judgement
    return [judgement for shown in orders.values() if len(shown) == 2 for judgement in shown.values()]


def _length(judge: str, own: Sequence[Judgement], labelled: Sequence[Judgement], better: FloatArray) -> Bias | None:
    """How much more often an answer wins that is longer by a standard deviation."""
    known = [place for place, judgement in enumerate(labelled) if _has_lengths(judgement)]
    measured = [labelled[place] for place in known]
    size = _beside(measured, _length_differences(measured), better[known])
    of, held = "comparisons with lengths and a label", "At the same place and label"
    if size is None:
        measured = [judgement for judgement in own if _has_lengths(judgement)]
        slopes = _slopes(measured, _length_differences(measured))
        size = slopes[1] if slopes else None
        of, held = "comparisons with lengths", "At the same place (but longer answers may also be better ones)"
    return Bias(judge, "length", size, len(measured), of, held) if size else None


def _has_lengths(judgement: Judgement) -> bool:
    return len(judgement.lengths) == 2 and None not in judgement.lengths


def _length_differences(judgements: Sequence[Judgement]) -> FloatArray:
    """Logarithms of the first length by the second, in units of their root mean square: which of two answers is the
    first does not matter."""
    lengths = [[1 + (length or 0) for length in judgement.lengths] for judgement in judgements]
    differences = np.array([log(first / second) for first, second in lengths], np.float64)
    scale = float(np.sqrt((differences**2).mean())) if len(differences) else 0.0
    return differences / scale if scale > 0 else differences


@cache
def _is_of_family(system: str, judge: str) -> bool:
    return family(system) == family(judge)


def _sides(judge: str, judgements: Sequence[Judgement]) -> FloatArray:
    """1 where only the answer shown first is of the judge's family, -1 where only the second, else 0."""
    own = [[_is_of_family(system, judge) for system in judgement.systems] for judgement in judgements]
    return np.array([float(first) - float(second) for first, second in own], np.float64)


def _family_by_labels(judge: str, labelled: Sequence[Judgement], better: FloatArray) -> Bias | None:
    sides = _sides(judge, labelled)
    size = _beside(labelled, sides, better)
    n, of = int(np.abs(sides).sum()), "labelled comparisons of its family with others"
    return Bias(judge, "family", size, n, of, "At the same place and label") if size else None


def _family_by_others(judge: str, own: Sequence[Judgement], others: Sequence[Sequence[Judgement]]) -> Bias | None:
    """How much more the systems of its family win than those of no family do, beside judges that are of no family
    compared, on the same pairs in the same order."""
    said: dict[tuple[LabelKey, tuple[str, ...]], dict[str, list[float]]] = {}
    for judgement in chain.from_iterable(others):
        if not any(_is_of_family(system, judgement.judge) for system in judgement.systems):
            by_judge = said.setdefault((judgement.key, judgement.systems), {})
            by_judge.setdefault(judgement.judge, []).append(_POINTS[judgement.verdict or "C"])
    shared = [judgement for judgement in own if (judgement.key, judgement.systems) in said]
    if not shared:
        return None
    shown = [judgement.systems for judgement in shared]
    # Each judge counts once, however often it was asked.
    usual = np.array(
        [fmean(map(fmean, said[judgement.key, judgement.systems].values())) for judgement in shared], np.float64
    )
    of_family = {system for system in chain.from_iterable(shown) if _is_of_family(system, judge)}
    size = family_taste(likings(shown, np.array(_points(shared))), likings(shown, usual), of_family)
    n, of = int(np.abs(_sides(judge, shared)).sum()), "comparisons of its family with others that other judges saw"
    held = "Beside other systems that judges of neither family rate alike; interval over systems"
    return Bias(judge, "family", size, n, of, held) if size else None


# --- as figures ------------------------------------------------------------------------------------------------------

_TITLES: Mapping[Kind, str] = {"place": "Place effect", "length": "Length effect", "family": "Family effect"}
_MEANINGS: Mapping[Kind, str] = {
    "place": "share won by the answer shown first less that of the second",
    "length": "share of wins that an answer gains by being longer by one standard deviation of the log length ratio",
    "family": "share of wins that answers of the judge's own family gain",
}


def bias_figures(log_biases: Sequence[Bias]) -> dict[str, list[Figure]]:
    """Return the figures of each judge: each bias with what could have been seen, and one false discovery rate."""
    figures: dict[str, list[Figure]] = {}
    rates = false_discovery_rates([bias.size.p for bias in log_biases])
    for bias, rate in zip(log_biases, rates, strict=True):
        figures.setdefault(bias.judge, []).append(_figure(bias, rate, len(log_biases)))
    return figures


def _figure(bias: Bias, rate: float, tests: int) -> Figure:
    size = bias.size
    shown_rate = f"{rate:.1%}" if rate >= 0.001 else "below 0.1%"
    said = "Differs" if rate <= BELIEVED else "Not told"
    among = f" over the {tests} tests of this log" if tests > 1 else ""
    return Figure(
        f"{bias.kind}_effect",
        _TITLES[bias.kind],
        size.value,
        size.low,
        size.high,
        bias.n,
        bias.of,
        f"{bias.held}: {_MEANINGS[bias.kind]}; 0 is best. {said} from 0 (false discovery rate {shown_rate}{among}); "
        f"{size.detectable:.3f} would be seen in 80 of 100 such logs.",
        detectable=size.detectable,
        false_discovery_rate=rate,
    )


def biases_sentence(figures: Iterable[tuple[str, Figure]]) -> str:
    """Return which biases were found, in one sentence; blank where none was tested.

    Args:
        figures: Of a log, each with its judge.
    """
    tested = [(judge, figure) for judge, figure in figures if figure.false_discovery_rate is not None]
    seen = [
        f"{judge}: {figure.title.lower()} {figure.value:+.2f}"
        for judge, figure in tested
        if (figure.false_discovery_rate or 0.0) <= BELIEVED
    ]
    if not tested:
        return ""
    more = f" and {len(seen) - MOST_NAMED} more" if len(seen) > MOST_NAMED else ""
    rate = f"{len(tested)} {'test' if len(tested) == 1 else 'tests'} of bias, false discovery rate {BELIEVED:.0%}"
    return f"{rate}: {'; '.join(seen[:MOST_NAMED]) or 'none found'}{more}."
