"""Position and content in the label probabilities of a local judge, and the verdict they give.

A local judge answers with a distribution over the labels A, B (and C). Its log odds in both orders tell apart what is
owed to the place and what to the answers, verdict by verdict and without drawing anything
(docs/position_bias.md#from-label-probabilities-and-texts).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, fsum, inf, isfinite, isnan, log
from typing import Literal

from submissions.verdicts.swap_outcomes import Options, Verdict

Label = Literal["A", "B", "C"]
LABELS: dict[Options, tuple[Label, ...]] = {2: ("A", "B"), 3: ("A", "B", "C")}
LabelReason = Literal["nonfinite_logits", "low_label_mass", "tied_logits"]
"""Why a distribution gives no verdict: a NaN; less than half of the probability on the labels; A and B exactly equal
and no tie to fall back on."""
Debiased = Literal["first_candidate", "second_candidate", "tie"]

LOWEST_LABEL_MASS = 0.5


@dataclass(frozen=True, slots=True)
class LabelReading:
    """What the label probabilities at the answer position say."""

    verdict: Verdict
    reason: LabelReason | None
    """Why the verdict is N."""
    log_odds: float | None
    """y = log P(A) - log P(B): > 0 favours the place shown first. None if not finite."""
    label_mass: float | None
    """Probability on the allowed labels together, 0-1; None after a NaN."""


def label_reading(logprobs: Mapping[Label, Sequence[float]], *, options: Options) -> LabelReading:
    """The verdict of one distribution over label tokens.

    In this order: NaN gives N; label mass under .5 gives N; an exact tie at the top gives C (3 options) or N (2), never
    the first label, which would be primacy made by the code; else the most probable label.

    Args:
        logprobs: per label, the log-softmax of every token that is this label (`A`, ` A` ...): they are summed.
        options: 2 reads A and B only; 3 also C.

    >>> label_reading({"A": [-1.0, -2.0], "B": [-0.9, -4.0]}, options=2).verdict  # .368 + .135 against .407 + .018
    'A'
    >>> label_reading({"A": [-1.0], "B": [-1.0]}, options=2).reason
    'tied_logits'
    """
    log_p = {label: _log_sum(logprobs[label]) for label in LABELS[options]}
    if any(isnan(log_probability) for log_probability in log_p.values()):
        return LabelReading("N", "nonfinite_logits", None, None)
    mass = fsum(exp(log_probability) for log_probability in log_p.values())
    odds = log_p["A"] - log_p["B"]
    log_odds = odds if isfinite(odds) else None
    if mass < LOWEST_LABEL_MASS:
        return LabelReading("N", "low_label_mass", log_odds, mass)
    best = [label for label, log_probability in log_p.items() if log_probability == max(log_p.values())]
    if len(best) == 1:
        return LabelReading(best[0], None, log_odds, mass)
    if options == 2:
        return LabelReading("N", "tied_logits", log_odds, mass)
    return LabelReading("C", None, log_odds, mass)


def _log_sum(logprobs: Sequence[float]) -> float:
    """log of the summed probabilities, the same for the same values in any order; -inf for none."""
    top = max(logprobs, default=-inf)
    if any(isnan(logprob) for logprob in logprobs):
        return float("nan")
    return top if top == -inf else top + log(fsum(exp(logprob - top) for logprob in logprobs))


@dataclass(frozen=True, slots=True)
class SwapEffects:
    """The log odds of both orders, taken apart; all None where one of them is missing."""

    position_effect: float | None
    """> 0 recency, < 0 primacy, as preference fairness; in log odds."""
    content_effect: float | None
    """> 0: the first candidate is better, whatever its place; in log odds."""
    consistent: bool | None
    """Content outweighs position: the verdict survives the swap."""
    debiased: Debiased | None
    """The verdict without the position effect: the sign of content_effect."""


def swap_effects(log_odds_original: float | None, log_odds_swapped: float | None) -> SwapEffects:
    """What the place and what the content contribute to a judge's log odds y = log P(A) - log P(B).

    position_effect = -(y_original + y_swapped) / 2 (negated, so that > 0 is recency everywhere);
    content_effect = (y_original - y_swapped) / 2; consistent iff |content| > |position|. Any real number, position
    nearer 0 is better. Not a number: None.

    >>> swap_effects(1.0, 3.0)  # A in both orders: primacy, and the second candidate is better
    SwapEffects(position_effect=-2.0, content_effect=-1.0, consistent=False, debiased='second_candidate')
    >>> swap_effects(None, 1.0).position_effect is None
    True
    """
    if log_odds_original is None or log_odds_swapped is None:
        return SwapEffects(None, None, None, None)
    if not (isfinite(log_odds_original) and isfinite(log_odds_swapped)):
        return SwapEffects(None, None, None, None)
    position = 0.0 - (log_odds_original + log_odds_swapped) / 2
    content = (log_odds_original - log_odds_swapped) / 2
    debiased: Debiased = "first_candidate" if content > 0 else "second_candidate" if content < 0 else "tie"
    return SwapEffects(position, content, abs(content) > abs(position), debiased)


@dataclass(frozen=True, slots=True)
class OrderLabelRun:
    """One run of the order x label design: who is shown first, and which letter names the place shown first."""

    order: Literal[1, -1]
    """1: the first candidate is shown first."""
    label: Literal[1, -1]
    """1: the place shown first is called A."""
    log_odds: float | None
    """y = log P(A) - log P(B)."""


@dataclass(frozen=True, slots=True)
class OrderLabelEffects:
    """Place, letter and content told apart; all None unless each of the four runs occurs equally often."""

    slot_effect: float | None
    """> 0 recency, < 0 primacy."""
    label_effect: float | None
    """> 0: a preference for the letter A, which is not position bias."""
    content_effect: float | None
    """> 0: the first candidate is better."""


def order_label_effects(runs: Sequence[OrderLabelRun]) -> OrderLabelEffects:
    """The optional design in which both the order of the answers and the letters of the places are swapped.

    label_effect = mean y; slot_effect = -mean(label * y); content_effect = mean(label * order * y). Any real numbers;
    slot and label nearer 0 are better. A missing run or log odds, or an unequal number of runs: None.

    >>> runs = [(1, 1, 1.2), (-1, 1, -0.8), (1, -1, -1.8), (-1, -1, 0.2)]
    >>> effects = order_label_effects([OrderLabelRun(*run) for run in runs])
    >>> round(effects.slot_effect, 9), round(effects.label_effect, 9), round(effects.content_effect, 9)
    (-0.5, -0.3, 1.0)
    """
    designs = [(run.order, run.label) for run in runs]
    counts = {designs.count((order, label)) for order in (1, -1) for label in (1, -1)}
    measured = [(run.order, run.label, run.log_odds) for run in runs if run.log_odds is not None]
    if len(counts) != 1 or counts == {0} or len(measured) < len(runs) or not all(isfinite(y) for *_, y in measured):
        return OrderLabelEffects(None, None, None)
    n = len(measured)
    return OrderLabelEffects(
        slot_effect=0.0 - fsum(label * y for _, label, y in measured) / n,
        label_effect=fsum(y for *_, y in measured) / n,
        content_effect=fsum(order * label * y for order, label, y in measured) / n,
    )
