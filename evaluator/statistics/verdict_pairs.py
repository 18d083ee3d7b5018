"""The figures of verdict pairs: how often a verdict survives the swap, and which place wins when it does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal, NotRequired, TypedDict

import numpy as np

from submissions.verdicts.counts import (
    CONSISTENT,
    DIRECTION,
    ERROR_CALLS,
    PRIMACY,
    RECENCY,
    SLOT_CALLS,
    TIE_CALLS,
    TIES,
    VALID,
    WINS_FIRST,
    WINS_SECOND,
    VerdictCells,
)
from submissions.verdicts.swap_outcomes import VERDICTS, Options, classify

Compat = Literal["valid", "paper"]
"""`valid`: our default, over pairs with two usable verdicts; `paper`: the arithmetic as published."""


class PairFigures(TypedDict):
    """What the verdict pairs of one judge, or of one of its tasks or models, say
    (docs/position_bias.md#how-often-and-where-to)."""

    n_pairs: int
    """Items with both orders: n."""
    n_valid: int
    """Pairs of two usable verdicts: v."""
    n_invalid: int
    n_unpaired: int
    """Items for which an order was never run."""
    n_error_calls: int
    """Unusable verdicts in the n pairs: F."""
    consistent_wins_first: int
    """AB: the reference won from both places: w1."""
    consistent_wins_second: int
    """BA: the model won from both places: w2."""
    consistent_ties: int
    """CC: t."""
    primacy: int
    """AA, AC, CA: p."""
    recency: int
    """BB, BC, CB: r."""
    position_consistency: float | None
    """PC = (w1 + w2 + t) / v. 0-1, higher is better."""
    position_consistency_all_pairs: float | None
    """(w1 + w2 + t) / n: an unusable verdict counts against the judge."""
    preference_fairness: float | None
    """PF = (r - p) / v. -1 (always first) to +1 (always second), 0 = fair or no flip; nearer 0 is better."""
    preference_direction: float | None
    """(r - p) / (r + p): among flips only. None without a flip."""
    slot_imbalance: float | None
    """(B verdicts - A verdicts) / 2v: a flip to or from a tie weighs half. Nearer 0 is better."""
    overall_win_rate: float | None
    """Of the model: (w2 + (t + p + r) / 2) / v. 0.5 for equal answers."""
    consistent_win_rate: float | None
    """Of the model among consistent verdicts: (w2 + t / 2) / k."""
    quality_gap: float | None
    """|overall_win_rate - 1/2|, 0-0.5: how far apart the answers are, as this judge sees them."""
    error_rate: float | None
    """Unusable share of the calls in pairs: F / 2n. Lower is better."""
    invalid_pair_rate: float | None
    """(n - v) / n. Lower is better."""
    tie_rate: float | None
    """C verdicts / 2v."""
    decisive_consistency: float | None
    """(w1 + w2) / (v - t): PC without consistent ties, so that always saying "tie" gains nothing."""
    position_consistency_std: NotRequired[float | None]
    """paper only: population standard deviation of k / v over (model, task) cells with v > 0."""
    preference_fairness_std: NotRequired[float | None]
    """paper only: population standard deviation of (r - p) / n over (model, task) cells with a pair."""


def pair_figures(pairs: Sequence[str], options: Options = 3, compat: Compat = "valid") -> PairFigures:
    """The figures of verdict pairs written as two letters, all of one model and task; "A-" = an order was not run.

    Every rate names its range in `PairFigures`; without what it divides by it is None. Empty input: counts 0, rates
    None. See docs/position_bias.md#how-often-and-where-to.

    >>> figures = pair_figures(["AB", "AB", "AB", "AB", "BA", "BA", "AA", "AA", "AA", "BB"])
    >>> figures["position_consistency"], figures["preference_fairness"]  # 6 of 10 survive; (1 - 3) / 10
    (0.6, -0.2)
    >>> figures["overall_win_rate"], figures["preference_direction"]  # (2 + 4/2) / 10; (1 - 3) / 4
    (0.4, -0.5)
    """
    number = Counter(pair.replace("C", "N") if options == 2 else pair for pair in pairs if "-" not in pair)
    for pair in number:
        classify(pair[:1], pair[1:])  # refuses what is no verdict
    counted = np.array([[[number[o + s] for s in VERDICTS] for o in VERDICTS]], np.int64)
    unpaired = np.array([len(pairs) - number.total()], np.int64)
    only = np.zeros(1, np.int64)
    return cell_figures(VerdictCells(judge=only, task=only, model=only, pairs=counted, unpaired=unpaired), compat)


def ratio(numerator: int, denominator: int) -> float | None:
    """A quotient, None where it is undefined.

    >>> ratio(1, 4), ratio(0, 0)
    (0.25, None)
    """
    return numerator / denominator if denominator else None


def cell_figures(cells: VerdictCells, compat: Compat) -> PairFigures:
    """The figures of all pairs of these cells together."""
    wins_first, wins_second, ties = cells.total(WINS_FIRST), cells.total(WINS_SECOND), cells.total(TIES)
    primacy, recency = cells.total(PRIMACY), cells.total(RECENCY)
    consistent = wins_first + wins_second + ties
    n_pairs, n_valid = int(cells.pairs.sum()), consistent + primacy + recency
    error_calls = cells.total(ERROR_CALLS)
    figures = PairFigures(
        n_pairs=n_pairs,
        n_valid=n_valid,
        n_invalid=n_pairs - n_valid,
        n_unpaired=int(cells.unpaired.sum()),
        n_error_calls=error_calls,
        consistent_wins_first=wins_first,
        consistent_wins_second=wins_second,
        consistent_ties=ties,
        primacy=primacy,
        recency=recency,
        position_consistency=ratio(consistent, n_valid),
        position_consistency_all_pairs=ratio(consistent, n_pairs),
        preference_fairness=ratio(recency - primacy, n_valid),
        preference_direction=ratio(recency - primacy, recency + primacy),
        slot_imbalance=ratio(cells.total(SLOT_CALLS), 2 * n_valid),
        overall_win_rate=ratio(2 * wins_second + ties + primacy + recency, 2 * n_valid),
        consistent_win_rate=ratio(2 * wins_second + ties, 2 * consistent),
        # |overall_win_rate - 1/2| without the rounding of the subtraction.
        quality_gap=ratio(abs(wins_second - wins_first), 2 * n_valid),
        error_rate=ratio(error_calls, 2 * n_pairs),
        invalid_pair_rate=ratio(n_pairs - n_valid, n_pairs),
        tie_rate=ratio(cells.total(TIE_CALLS), 2 * n_valid),
        decisive_consistency=ratio(wins_first + wins_second, n_valid - ties),
    )
    if compat == "paper":
        _apply_paper(figures, cells)
    return figures


def _apply_paper(figures: PairFigures, cells: VerdictCells) -> None:
    """Replaces what the paper computes otherwise: fairness as a mean over cells, errors against valid calls."""
    n, valid = cells.pairs.sum(axis=(1, 2)), cells.counts(VALID)
    fairness = cells.counts(DIRECTION)[n > 0] / n[n > 0]
    consistency = cells.counts(CONSISTENT)[valid > 0] / valid[valid > 0]
    has_valid = figures["n_valid"] > 0
    figures["preference_fairness"] = float(fairness.mean()) if has_valid else None
    figures["preference_fairness_std"] = float(fairness.std()) if has_valid else None
    figures["position_consistency_std"] = float(consistency.std()) if has_valid else None
    errors = figures["n_error_calls"]
    figures["error_rate"] = ratio(errors, errors + 2 * figures["n_valid"])
