"""Judges side by side: paired differences, fairness by task, and consistency against the answers' quality gap."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import TypedDict

import numpy as np

from evaluator.results import QualityCell, QueryCounts
from evaluator.statistics.deciding_items import DecidingItems
from evaluator.statistics.deciding_units import deciding_shares
from evaluator.statistics.queries import FloatArray, holm_adjusted, percentile_interval, resampled_sums, sign_flip_p
from evaluator.statistics.verdict_tables import Table, read_verdicts
from evaluator.values import MetricValue
from submissions.verdicts.counts import (
    CONSISTENT,
    VALID,
    WINS_FIRST,
    WINS_SECOND,
    VerdictCells,
    verdict_cells,
    verdict_queries,
)
from submissions.verdicts.items import VerdictItems, combined_codes, verdict_items
from submissions.verdicts.parsing import VerdictFormat
from submissions.verdicts.swap_outcomes import Options


def position_consistency_differences(
    table: Table, *, options: Options = 3, benchmark: str | None = None, verdict_format: VerdictFormat = "brackets"
) -> dict[str, dict[str, MetricValue]]:
    """PC of one judge minus PC of another on the queries both judged: {first: {second: difference}}.

    Range -1 to 1, positive = the first is more consistent; `n` counts shared queries, and the interval resamples them
    for both judges at once, so a query that is hard for everybody does not blur the comparison. Ranks are made for
    all judges of a board together (docs/metrics.md#rank_band). No shared query: None. See
    docs/position_bias.md#how-sure.

    >>> import pandas as pd
    >>> names = ["judge", "task", "model", "query", "verdict_original", "verdict_swapped"]
    >>> rows = [["i", "t", "m", "q", "A", "B"], ["j", "t", "m", "q", "A", "A"]]
    >>> position_consistency_differences(pd.DataFrame(rows, columns=names))["i"]["j"].value
    1.0
    """
    items = verdict_items(read_verdicts(table, options=options, benchmark=benchmark, verdict_format=verdict_format))
    queries = verdict_queries(items).with_valid_pair()
    count = int(queries.query.max(initial=-1)) + 1
    sums = np.zeros((2, len(items.judge.names), count))  # consistent, valid
    sums[:, queries.judge, queries.query] = queries.consistent, queries.valid
    names = items.judge.names
    differences: dict[str, dict[str, MetricValue]] = {name: {} for name in names}
    for first, second in combinations(range(len(names)), 2):
        shared = (sums[1, first] > 0) & (sums[1, second] > 0)
        difference = _difference(sums[:, first, shared], sums[:, second, shared])
        differences[names[first]][names[second]] = difference
        differences[names[second]][names[first]] = _reversed(difference)
    return differences


def _difference(first: FloatArray, second: FloatArray) -> MetricValue:
    """Difference of two ratios of sums; each argument has the rows numerator and denominator over shared queries."""
    queries = first.shape[1]
    if not queries:
        return MetricValue(value=None, n=0, reason="no query in common")
    resampled = resampled_sums(np.vstack([first, second]).T)
    ratios = resampled[:, 0] / resampled[:, 1] - resampled[:, 2] / resampled[:, 3]
    low, high = percentile_interval(ratios, queries, lowest=-1.0, highest=1.0) or (None, None)
    value = first[0].sum() / first[1].sum() - second[0].sum() / second[1].sum()
    return MetricValue(value=float(value), low=low, high=high, n=queries)


def _reversed(difference: MetricValue) -> MetricValue:
    value, low, high = (
        None if end is None else 0.0 - end for end in (difference.value, difference.high, difference.low)
    )
    return difference.model_copy(update={"value": value, "low": low, "high": high})


class CellFairness(TypedDict):
    """Preference fairness of one judge on one task, tested."""

    n_valid: int
    n_queries: int
    preference_fairness: float
    preference_fairness_p: float
    """Sign-flip test by query."""
    preference_fairness_p_holm: float
    """Adjusted for all cells of the map; below .05 the colour of the cell may be believed."""


def fairness_map(
    table: Table, *, options: Options = 3, benchmark: str | None = None, verdict_format: VerdictFormat = "brackets"
) -> dict[str, dict[str, CellFairness]]:
    """PF of every judge on every task with a valid pair, with Holm's adjustment across the whole map.

    PF ranges from -1 (primacy) to +1 (recency), nearer 0 is better. A map of fair judges shows a significant cell
    with a chance of at most 5 %. No row: {}. See docs/position_bias.md#preference_fairness_p.

    >>> import pandas as pd
    >>> names = ["judge", "task", "model", "query", "verdict_original", "verdict_swapped"]
    >>> rows = [["j", task, "m", str(query), "B", "B"] for task in ("s", "t") for query in range(6)]
    >>> cell = fairness_map(pd.DataFrame(rows, columns=names))["j"]["t"]
    >>> cell["preference_fairness"], cell["preference_fairness_p"], cell["preference_fairness_p_holm"]  # 2 of 64; x 2
    (1.0, 0.03125, 0.0625)
    """
    items = verdict_items(read_verdicts(table, options=options, benchmark=benchmark, verdict_format=verdict_format))
    queries = verdict_queries(items).with_valid_pair()
    cells: list[tuple[str, str, CellFairness]] = []
    for judge, task in np.unique(np.column_stack([queries.judge, queries.task]), axis=0).tolist():
        own = queries[(queries.judge == judge) & (queries.task == task)]
        valid = int(own.valid.sum())
        p = sign_flip_p(own.direction.astype(np.int64))
        cell = CellFairness(
            n_valid=valid,
            n_queries=len(own.judge),
            preference_fairness=int(own.direction.sum()) / valid,
            preference_fairness_p=p,
            preference_fairness_p_holm=p,
        )
        cells.append((items.judge.names[judge], items.task.names[task], cell))
    fairness: dict[str, dict[str, CellFairness]] = {name: {} for name in items.judge.names}
    adjusted = holm_adjusted([cell["preference_fairness_p"] for _, _, cell in cells])
    for (judge_name, task_name, cell), p_holm in zip(cells, adjusted, strict=True):
        assert p_holm is not None  # every p is given
        fairness[judge_name][task_name] = {**cell, "preference_fairness_p_holm": p_holm}
    return fairness


class Parabola(TypedDict):
    """Least-squares fit PC = b0 + b1 x + b2 x² over cells, x = the overall win rate."""

    b0: float
    b1: float
    b2: float
    r2: float | None
    """Share of the variance of PC it explains; None where PC does not vary."""


class QualityCurve(TypedDict):
    """How a judge's consistency depends on how far apart the answers are."""

    n_cells: int
    """(model, task) cells with a valid pair of this judge."""
    own: Parabola | None
    """x = this judge's own win rate. PC >= 2 |x - 1/2| by arithmetic alone: read it above that floor."""
    others: Parabola | None
    """x = mean win rate of the other judges on the cell, free of that floor."""


def quality_curve(
    table: Table, *, options: Options = 3, benchmark: str | None = None, verdict_format: VerdictFormat = "brackets"
) -> dict[str, QualityCurve]:
    """The fitted parabola of PC against the overall win rate, per judge over its (model, task) cells with v > 0.

    A fit needs three different win rates, else it is None; so is `others` without another judge. No row: {}.
    See docs/position_bias.md#quality_curve; the paper's section on the answer quality gap.

    >>> import pandas as pd
    >>> names = ["judge", "task", "model", "query", "verdict_original", "verdict_swapped"]
    >>> cells = {"weak": "AB", "equal": "AA", "strong": "BA"}  # win rates 0, .5, 1 and PC 1, 0, 1: PC = (2x - 1)²
    >>> rows = [["j", "t", model, "q", *pair] for model, pair in cells.items()]
    >>> curve = quality_curve(pd.DataFrame(rows, columns=names))["j"]
    >>> [round(curve["own"][b], 9) for b in ("b0", "b1", "b2", "r2")], curve["others"]
    ([1.0, -4.0, 4.0, 1.0], None)
    """
    items = verdict_items(read_verdicts(table, options=options, benchmark=benchmark, verdict_format=verdict_format))
    cells, consistency, win_rate = _measured_cells(items)
    place = combined_codes((cells.model, len(items.model.names)), (cells.task, len(items.task.names)))
    judges_here = np.bincount(place)[place]
    others = np.full(len(place), np.nan)
    shared = judges_here > 1
    total = np.bincount(place, weights=win_rate)[place]
    others[shared] = (total - win_rate)[shared] / (judges_here[shared] - 1)
    curves: dict[str, QualityCurve] = {}
    for judge, name in enumerate(items.judge.names):
        own = cells.judge == judge
        curves[name] = QualityCurve(
            n_cells=int(own.sum()),
            own=_parabola(win_rate[own], consistency[own]),
            others=_parabola(others[own & shared], consistency[own & shared]),
        )
    return curves


def quality_cells(
    table: Table, *, options: Options = 3, benchmark: str | None = None, verdict_format: VerdictFormat = "brackets"
) -> dict[str, tuple[QualityCell, ...]]:
    """The cells `quality_curve` is fitted to, per judge: PC and own win rate by model, then task. No row: {}.

    >>> import pandas as pd
    >>> names = ["judge", "task", "model", "query", "verdict_original", "verdict_swapped"]
    >>> rows = [["j", "t", "m", "q", "A", "B"], ["j", "t", "m", "r", "A", "A"]]  # a loss and a flip
    >>> (cell,) = quality_cells(pd.DataFrame(rows, columns=names))["j"]
    >>> cell.position_consistency, cell.overall_win_rate, cell.n_valid
    (0.5, 0.25, 2)
    """
    items = verdict_items(read_verdicts(table, options=options, benchmark=benchmark, verdict_format=verdict_format))
    cells, consistency, win_rate = _measured_cells(items)
    by_judge: dict[str, list[QualityCell]] = {name: [] for name in items.judge.names}
    for judge, task, model, valid, pc, rate in zip(
        cells.judge.tolist(),
        cells.task.tolist(),
        cells.model.tolist(),
        cells.counts(VALID).tolist(),
        consistency.tolist(),
        win_rate.tolist(),
        strict=True,
    ):
        by_judge[items.judge.names[judge]].append(
            QualityCell(
                model=items.model.names[model],
                task=items.task.names[task],
                position_consistency=pc,
                overall_win_rate=rate,
                n_valid=valid,
            )
        )
    return {name: tuple(sorted(own, key=lambda cell: (cell.model, cell.task))) for name, own in by_judge.items()}


def _measured_cells(items: VerdictItems) -> tuple[VerdictCells, FloatArray, FloatArray]:
    """The cells with a valid pair, the PC of each and its overall win rate."""
    cells = verdict_cells(items)
    cells = cells[cells.counts(VALID) > 0]
    valid = cells.counts(VALID)
    win_rate = 0.5 + (cells.counts(WINS_SECOND) - cells.counts(WINS_FIRST)) / (2 * valid)
    return cells, cells.counts(CONSISTENT) / valid, win_rate


def _parabola(x: FloatArray, y: FloatArray) -> Parabola | None:
    if len(np.unique(x.round(12))) < 3:
        return None
    design = np.vander(x, 3, increasing=True)
    coefficients = np.linalg.lstsq(design, y, rcond=None)[0]
    residual = float(((y - design @ coefficients) ** 2).sum())
    spread = float(((y - y.mean()) ** 2).sum())
    b0, b1, b2 = coefficients.tolist()
    # Equal values differ by roundings of their mean, of which no share is explained.
    r2 = 1.0 - residual / spread if len(np.unique(y.round(12))) > 1 else None
    return Parabola(b0=b0, b1=b1, b2=b2, r2=r2)


def deciding_queries(judges: Mapping[str, Mapping[str, QueryCounts]]) -> DecidingItems | None:
    """The fewest queries without which another judge has the highest PC.

    Args:
        judges: Judge -> query -> what became of its verdicts.
    """
    return deciding_shares(
        {
            name: {query: (counts.consistent, counts.valid) for query, counts in queries.items()}
            for name, queries in judges.items()
        }
    )
