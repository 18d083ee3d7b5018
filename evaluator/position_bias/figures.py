"""Position bias of pairwise judges (Shi et al., *Judging the Judges*, arXiv 2406.07791).

A judge comparing two answers may prefer a place instead of an answer. Every comparison is run in both orders; the
figures here say how often the verdict survives the swap (position consistency, PC) and which place wins when it does
not (preference fairness, PF: > 0 recency, < 0 primacy). Undefined figures are None, never 0, and are never ranked.

The neighbouring parts of the same specification are importable from here: `repetition_report`, `agreement_report`,
`listwise`, the effects read from logits, and the statistics.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NotRequired, get_args

import numpy as np

from evaluator.position_bias.cyclic_orders import ListwiseFigures, listwise
from evaluator.position_bias.judge_comparisons import (
    CellFairness,
    Parabola,
    QualityCurve,
    fairness_map,
    position_consistency_differences,
    quality_curve,
)
from evaluator.position_bias.label_bias import (
    LabelReading,
    OrderLabelEffects,
    OrderLabelRun,
    SwapEffects,
    label_reading,
    order_label_effects,
    swap_effects,
)
from evaluator.position_bias.repetition import (
    ExpectedRepetition,
    RepetitionFigures,
    expected_largest_share,
    expected_repetition,
    repetition_report,
    repetition_share,
)
from evaluator.statistics.agreement import agreement_report
from evaluator.statistics.queries import holm_adjusted, percentile_interval, resampled_sums, share_interval, sign_flip_p
from evaluator.statistics.verdict_pairs import Compat, PairFigures, cell_figures, pair_figures, ratio
from evaluator.statistics.verdict_tables import (
    AnswerLengths,
    Table,
    TableRefused,
    TextTable,
    read_lengths,
    read_verdicts,
)
from submissions.verdicts.counts import (
    WINS_FIRST,
    WINS_SECOND,
    VerdictCells,
    VerdictQueries,
    verdict_cells,
    verdict_queries,
)
from submissions.verdicts.items import IntArray, VerdictItems, combined_codes, verdict_items
from submissions.verdicts.parsing import VerdictFormat
from submissions.verdicts.swap_outcomes import Options, SwapOutcome, Verdict, classify

__all__ = [
    "CellFairness",
    "Compat",
    "ExpectedRepetition",
    "Grouping",
    "JudgeFigures",
    "LabelReading",
    "ListwiseFigures",
    "Options",
    "OrderLabelEffects",
    "OrderLabelRun",
    "PairFigures",
    "Parabola",
    "QualityCurve",
    "RepetitionFigures",
    "SwapEffects",
    "SwapOutcome",
    "TableRefused",
    "Verdict",
    "agreement_report",
    "classify",
    "expected_largest_share",
    "expected_repetition",
    "fairness_map",
    "holm_adjusted",
    "label_reading",
    "listwise",
    "order_label_effects",
    "pair_figures",
    "position_bias_report",
    "position_consistency_differences",
    "quality_curve",
    "repetition_report",
    "repetition_share",
    "sign_flip_p",
    "swap_effects",
]

Grouping = Literal["task", "model"]


class JudgeFigures(PairFigures):
    """The figures of one judge, with how sure they are."""

    n_queries: int
    """Clusters that are resampled: (task, query) with a valid pair."""
    position_consistency_ci95: list[float] | None
    preference_fairness_ci95: list[float] | None
    preference_fairness_p: float | None
    """Sign-flip test by query of "no preference for a place"; None without a valid pair."""
    longer_answer_win_rate: NotRequired[float | None]
    """Share of consistent wins that the longer answer won; 0.5 = length does not matter."""
    longer_answer_n: NotRequired[int]
    """Consistent wins whose two lengths are known and unequal."""
    by_task: NotRequired[dict[str, PairFigures]]
    by_model: NotRequired[dict[str, PairFigures]]


def position_bias_report(
    table: Table,
    *,
    compat: Compat = "valid",
    options: Options = 3,
    by: Sequence[Grouping] = (),
    benchmark: str | None = None,
    lengths: TextTable | None = None,
    reference_model: str | None = None,
    verdict_format: VerdictFormat = "brackets",
) -> dict[str, JudgeFigures]:
    """Every pair figure of every judge, with intervals over queries; judges in order of their names.

    Args:
        table: verdicts, wide or long (`evaluator.statistics.verdict_tables`), as CSV file or DataFrame of texts.
        compat: `paper` reproduces the published arithmetic.
        options: what the judges could answer: A, B (2) or A, B, C (3).
        by: also per task and/or model, without intervals.
        benchmark: which one, where the table holds several.
        lengths: characters of the answers; adds longer_answer_win_rate. Needs `reference_model`.
        reference_model: the first candidate's name in `lengths`.
        verdict_format: of `raw_text` in a long table.

    Raises:
        TableRefused: the table or the lengths cannot be read as they stand.

    A table without rows gives {}. Every key: docs/position_bias.md#how-often-and-where-to and after.

    >>> import pandas as pd
    >>> names = ["judge", "task", "model", "query", "verdict_original", "verdict_swapped"]
    >>> report = position_bias_report(pd.DataFrame([["j", "t", "m", "q1", "A", "B"], ["j", "t", "m", "q2", "B", "B"]],
    ...                                            columns=names))
    >>> report["j"]["position_consistency"], report["j"]["preference_fairness"]
    (0.5, 0.5)
    """
    _require(compat, Compat)
    for grouping in by:
        _require(grouping, Grouping)
    if lengths is not None and reference_model is None:
        raise TableRefused("lengths are given without the name of the reference model")
    verdicts = read_verdicts(table, options=options, benchmark=benchmark, verdict_format=verdict_format)
    items = verdict_items(verdicts)
    cells, queries = verdict_cells(items), verdict_queries(items)
    report: dict[str, JudgeFigures] = {}
    for judge, name in enumerate(items.judge.names):
        own_cells = cells[slice(*np.searchsorted(cells.judge, [judge, judge + 1]))]
        figures = _judge_figures(own_cells, queries[queries.judge == judge], compat)
        if "task" in by:
            figures["by_task"] = dict(_groups(own_cells, own_cells.task, items.task.names, compat))
        if "model" in by:
            figures["by_model"] = dict(_groups(own_cells, own_cells.model, items.model.names, compat))
        report[name] = figures
    if lengths is not None and reference_model is not None:
        _add_longer_answer(report, items, read_lengths(lengths, benchmark=verdicts.benchmark), reference_model)
    return report


def _require(value: object, accepted: object) -> None:
    choices = get_args(accepted)
    if value not in choices:
        raise ValueError(f"{value!r} is not accepted; choices: {', '.join(map(str, choices))}")


def _judge_figures(cells: VerdictCells, queries: VerdictQueries, compat: Compat) -> JudgeFigures:
    valid = queries.with_valid_pair()
    n_queries = len(valid.judge)
    figures = JudgeFigures(
        **cell_figures(cells, compat),  # type: ignore[typeddict-item]  # mypy: it might hold keys that are added later
        n_queries=n_queries,
        position_consistency_ci95=None,
        preference_fairness_ci95=None,
        preference_fairness_p=None,
    )
    if not n_queries:
        return figures
    resampled = resampled_sums(np.column_stack([valid.direction, valid.valid]))
    fairness = resampled[:, 0] / resampled[:, 1]
    figures["position_consistency_ci95"] = _ends(share_interval(valid.consistent, valid.valid))
    if compat == "paper":  # pooled (r - p) / n over every query with a pair
        resampled = resampled_sums(np.column_stack([queries.direction, queries.pairs]))
        fairness, n_queries = resampled[:, 0] / resampled[:, 1], len(queries.judge)
    figures["preference_fairness_ci95"] = _ends(percentile_interval(fairness, n_queries, lowest=-1.0, highest=1.0))
    figures["preference_fairness_p"] = sign_flip_p(valid.direction.astype(np.int64))
    return figures


def _ends(interval: tuple[float, float] | None) -> list[float] | None:
    return None if interval is None else list(interval)


def _groups(
    cells: VerdictCells, group: IntArray, names: Sequence[str], compat: Compat
) -> Iterator[tuple[str, PairFigures]]:
    for code in np.unique(group).tolist():
        yield names[code], cell_figures(cells[group == code], compat)


def _add_longer_answer(
    report: dict[str, JudgeFigures], items: VerdictItems, lengths: AnswerLengths, reference_model: str
) -> None:
    paired = items[items.paired]
    wins = paired[(WINS_FIRST + WINS_SECOND)[paired.original, paired.swapped] > 0]
    of_model, of_reference = _lengths_of(wins, lengths, None), _lengths_of(wins, lengths, reference_model)
    is_compared = (of_model >= 0) & (of_reference >= 0) & (of_model != of_reference)
    model_won = WINS_SECOND[wins.original, wins.swapped] > 0
    longer_won = is_compared & (model_won == (of_model > of_reference))
    judges = len(items.judge.names)
    numbers = np.bincount(wins.judge.codes[is_compared], minlength=judges).tolist()
    won = np.bincount(wins.judge.codes[longer_won], minlength=judges).tolist()
    for name, number, longer in zip(items.judge.names, numbers, won, strict=True):
        report[name]["longer_answer_win_rate"] = ratio(longer, number)
        report[name]["longer_answer_n"] = number


def _lengths_of(items: VerdictItems, lengths: AnswerLengths, model: str | None) -> IntArray:
    """Characters of each item's answer, or of the answer of one model to its query; -1 where unknown."""
    columns = [items.task, items.query, *([items.model] if model is None else [])]
    answer = combined_codes(*((column.codes, len(column.names)) for column in columns))
    first = np.unique(answer, return_index=True)[1].tolist()
    characters = [
        lengths.of(items.task.cell(row), items.query.cell(row), items.model.cell(row) if model is None else model)
        for row in first
    ]
    return np.array([-1 if length is None else length for length in characters], np.int64)[answer]
