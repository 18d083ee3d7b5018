"""Do judges agree with each other? Statistics of label columns, and the agreement of all judges of a table.

Raw agreement rewards a shared liking for a place: two judges that both always answer "A" agree fully. Kappa corrects
for it, and `consistent_outcomes` looks only at verdicts that survived the swap
(docs/position_bias.md#agreement-between-judges).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import TypedDict

import numpy as np

from evaluator.statistics.queries import FloatArray
from evaluator.statistics.verdict_tables import Table, read_verdicts
from submissions.verdicts.counts import CONSISTENT
from submissions.verdicts.items import C, IntArray, N, VerdictItems, combined_codes, verdict_items
from submissions.verdicts.parsing import VerdictFormat
from submissions.verdicts.swap_outcomes import VERDICTS, Options

# --- two label columns -----------------------------------------------------------------------------------------------


def observed_agreement(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """Share of rows in which two label columns are equal; rows with a None are left out.

    Range 0-1, higher is better. No common row: None.

    >>> observed_agreement(["A", "B", "A", None], ["A", "B", "B", "A"]) == 2 / 3
    True
    """
    return _observed(_confusion(first, second))


def cohens_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """Agreement of two label columns beyond what their label frequencies would give by chance.

    kappa = (p_o - p_e) / (1 - p_e). 1 = full agreement, 0 = chance, negative = less than chance; higher is better.
    Rows with a None are left out. No common row, or p_e = 1 (both say one label only): None.
    Source: Cohen 1960, A coefficient of agreement for nominal scales.

    >>> cohens_kappa(["A", "B", "A", "A"], ["A", "B", "B", "A"])  # p_o = 3/4, p_e = 3/4 x 2/4 + 1/4 x 2/4 = 1/2
    0.5
    >>> cohens_kappa(["A", "A"], ["A", "A"]) is None
    True
    """
    return kappa_of(_confusion(first, second))


def kappa_of(confusion: IntArray) -> float | None:
    """Cohen's kappa of a square matrix of counts, rows the first column's labels; see `cohens_kappa`.

    >>> kappa_of(np.array([[2, 1], [0, 1]]))
    0.5
    """
    n = int(confusion.sum())
    # Whole numbers until the last division: p_e = 1 is then recognised exactly.
    by_chance = int(confusion.sum(axis=1) @ confusion.sum(axis=0))
    if n == 0 or by_chance == n * n:
        return None
    return (n * int(np.trace(confusion)) - by_chance) / (n * n - by_chance)


def _observed(confusion: IntArray) -> float | None:
    n = int(confusion.sum())
    return int(np.trace(confusion)) / n if n else None


def _confusion(first: Sequence[Hashable], second: Sequence[Hashable]) -> IntArray:
    pairs = [(left, right) for left, right in zip(first, second, strict=True) if left is not None and right is not None]
    places = {label: place for place, label in enumerate(dict.fromkeys(label for pair in pairs for label in pair))}
    confusion = np.zeros((len(places), len(places)), np.int64)
    for left, right in pairs:
        confusion[places[left], places[right]] += 1
    return confusion


# --- panels ----------------------------------------------------------------------------------------------------------


def krippendorff_alpha_nominal(units: Sequence[Sequence[Hashable]]) -> float | None:
    """Agreement of any number of raters on labels without order, with missing ratings allowed.

    Each unit holds one label per rater, None where a rater gave none; units with fewer than two labels are left out.
    alpha = 1 - observed / expected disagreement: 1 = full agreement, 0 = chance, negative = systematic disagreement;
    higher is better. Nothing comparable, or a single label throughout: None.
    Source: Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, section C.

    >>> units = [["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]]  # a 3 times, b 5 times
    >>> round(krippendorff_alpha_nominal(units), 3)  # 1 - 7 x 2 / (2 x 3 x 5)
    0.533
    """
    counts = [Counter(label for label in unit if label is not None) for unit in units]
    pairable = [(unit, unit.total()) for unit in counts if unit.total() > 1]
    total: Counter[Hashable] = Counter()
    for unit, _ in pairable:
        total.update(unit)
    n = total.total()
    # Ordered pairs of different labels: m² - sum of squares.
    observed = sum((m * m - sum(c * c for c in unit.values())) / (m - 1) for unit, m in pairable)
    expected = n * n - sum(c * c for c in total.values())
    return 1 - (n - 1) * observed / expected if expected else None


def two_raters_alpha(confusions: FloatArray) -> FloatArray:
    """`krippendorff_alpha_nominal` of two raters, for many tables of counts at once.

    Args:
        confusions: Counts of pairs of labels, labels x labels in the last two dimensions; whole or not.

    Returns:
        One alpha for each table; nan where there is a single label throughout, or nothing.

    >>> two_raters_alpha(np.array([[[1.0, 1.0], [0.0, 2.0]], [[4.0, 0.0], [0.0, 0.0]]])).round(3)
    array([0.533,   nan])
    """
    ratings = confusions.sum(axis=-1) + confusions.sum(axis=-2)  # of each label, by both
    n = ratings.sum(axis=-1)
    different = n / 2 - np.trace(confusions, axis1=-2, axis2=-1)
    expected = n**2 - (ratings**2).sum(axis=-1)
    is_defined = expected > 0
    return np.where(is_defined, 1 - (n - 1) * 2 * different / np.where(is_defined, expected, 1.0), np.nan)


def krippendorff_alpha_interval(units: Sequence[Sequence[float | None]]) -> float | None:
    """Agreement of any number of raters on a numeric scale, where a larger difference is a larger disagreement.

    As `krippendorff_alpha_nominal`, with the squared difference of two ratings as their disagreement.

    >>> round(krippendorff_alpha_interval([[1.0, 1.0], [2.0, 3.0], [5.0, 5.0]]), 3)  # 1 - 5 x 2 / 202
    0.95
    """
    ratings = [np.array([rating for rating in unit if rating is not None], np.float64) for unit in units]
    pairable = [unit for unit in ratings if len(unit) > 1]
    if not pairable:
        return None
    everything = np.concatenate(pairable)
    observed = sum(_squared_differences(unit) / (len(unit) - 1) for unit in pairable)
    expected = _squared_differences(everything)
    return 1 - (len(everything) - 1) * observed / expected if expected > 0 else None


def _squared_differences(values: FloatArray) -> float:
    """Sum of the squared differences over ordered pairs."""
    if (values == values[0]).all():
        return 0.0  # exactly, whatever the mean rounds to
    return float(2 * len(values) * ((values - values.mean()) ** 2).sum())


# --- all judges of a table -------------------------------------------------------------------------------------------

AgreementMatrix = dict[str, dict[str, float | None]]
"""{judge: {judge: figure}}, symmetric, None where the two have nothing in common."""


class AgreementFigures(TypedDict, total=False):
    """How the judges of one benchmark agree; empty for a table without rows."""

    with_ties: AgreementMatrix
    """Share of calls (same prompt, same order, both usable) with equal verdicts."""
    without_ties: AgreementMatrix
    """The same without the calls in which either says C."""
    kappa: AgreementMatrix
    """Cohen's kappa of the calls of `with_ties`."""
    consistent_outcomes: AgreementMatrix
    """Share of equal outcomes over the items that both judge consistently."""
    disagreement_histogram: dict[str, int]
    """Votes against the most frequent verdict of a prompt and order -> number of prompts and orders."""


def agreement_report(
    table: Table, *, options: Options = 3, benchmark: str | None = None, verdict_format: VerdictFormat = "brackets"
) -> AgreementFigures:
    """How far every pair of judges agrees, and how many judges stand against the majority on a prompt.

    Arguments and refusals as in `position_bias_report`. All shares 0-1, higher is more agreement; they are symmetric.
    Of a repeated item the verdicts that count for the pair figures are used; of an unpaired one the lowest repetition
    of each order. A table without rows gives {}. See docs/position_bias.md#agreement-between-judges.

    >>> import pandas as pd
    >>> names = ["judge", "task", "model", "query", "verdict_original", "verdict_swapped"]
    >>> rows = [["x", "t", "m", "q1", "A", "B"], ["x", "t", "m", "q2", "A", "A"],
    ...         ["z", "t", "m", "q1", "A", "B"], ["z", "t", "m", "q2", "B", "A"]]
    >>> report = agreement_report(pd.DataFrame(rows, columns=names))
    >>> report["with_ties"]["x"]["z"], report["kappa"]["x"]["z"], report["consistent_outcomes"]["x"]["z"]
    (0.75, 0.5, 1.0)
    >>> report["disagreement_histogram"]  # AA, BB, AB, AA
    {'0': 3, '1': 1}
    """
    items = verdict_items(read_verdicts(table, options=options, benchmark=benchmark, verdict_format=verdict_format))
    judges = items.judge.names
    if not judges:
        return {}
    calls, outcomes = _calls_and_outcomes(items)
    confusions = {
        (first, second): _code_confusion(calls[first], calls[second], N)
        for first in range(len(judges))
        for second in range(first, len(judges))
    }
    outcome_confusions = {
        (first, second): _code_confusion(outcomes[first], outcomes[second], _NOT_CONSISTENT)
        for first, second in confusions
    }
    return AgreementFigures(
        with_ties=_matrix(judges, {pair: _observed(counts) for pair, counts in confusions.items()}),
        without_ties=_matrix(judges, {pair: _observed(counts[:C, :C]) for pair, counts in confusions.items()}),
        kappa=_matrix(judges, {pair: kappa_of(counts) for pair, counts in confusions.items()}),
        consistent_outcomes=_matrix(judges, {pair: _observed(counts) for pair, counts in outcome_confusions.items()}),
        disagreement_histogram=_disagreement_histogram(calls),
    )


def hardest_queries(table: Table, number: int, *, options: Options = 3) -> list[str]:
    """The queries ("task / query") on which judges disagree most, hardest first; none without any disagreement.

    A query's disagreement is the share of the usable votes on its prompts and orders that stand against the most
    frequent verdict there; prompts and orders with one vote do not count. Equal shares: in order of the names.

    >>> import pandas as pd
    >>> names = ["judge", "task", "model", "query", "verdict_original", "verdict_swapped"]
    >>> rows = [["x", "t", "m", "q1", "A", "B"], ["x", "t", "m", "q2", "A", "A"],
    ...         ["z", "t", "m", "q1", "A", "B"], ["z", "t", "m", "q2", "B", "A"]]
    >>> hardest_queries(pd.DataFrame(rows, columns=names), 5)  # q1: 0 of 4 votes, q2: 1 of 4
    ['t / q2']
    """
    items = verdict_items(read_verdicts(table, options=options))
    if not items.judge.names:
        return []
    prompts, queries = _prompts(items), _query_numbers(items)
    against, votes = _votes_against(_calls_and_outcomes(items)[0])
    query_of_prompt = queries[np.unique(prompts, return_index=True)[1]]
    compared = votes >= 2
    per_call = np.repeat(query_of_prompt, 2)
    lost = np.bincount(per_call[compared], weights=against[compared], minlength=int(queries.max()) + 1)
    cast = np.bincount(per_call[compared], weights=votes[compared], minlength=int(queries.max()) + 1)
    rows = np.unique(queries, return_index=True)[1].tolist()
    ranked = sorted(
        (-lost[query] / cast[query], f"{items.task.cell(row)} / {items.query.cell(row)}")
        for query, row in enumerate(rows)
        if lost[query]
    )
    return [name for _, name in ranked[:number]]


def _prompts(items: VerdictItems) -> IntArray:
    """(task, model, query) of every item, numbered in sorted order."""
    return combined_codes(*((column.codes, len(column.names)) for column in (items.task, items.model, items.query)))


def _query_numbers(items: VerdictItems) -> IntArray:
    """(task, query) of every item, numbered in sorted order."""
    return combined_codes(*((column.codes, len(column.names)) for column in (items.task, items.query)))


_NOT_CONSISTENT = len(VERDICTS)


def _calls_and_outcomes(items: VerdictItems) -> tuple[IntArray, IntArray]:
    """(judges, prompts and orders) of verdict codes, N where unusable or not run; (judges, prompts) of outcomes.

    A consistent outcome is named by its verdict in the original order, any other is `_NOT_CONSISTENT`.
    """
    prompt = _prompts(items)
    shape = (len(items.judge.names), int(prompt.max(initial=-1)) + 1)
    calls = np.full((*shape, 2), N, np.int64)
    calls[items.judge.codes, prompt, 0] = np.minimum(items.original, N)
    calls[items.judge.codes, prompt, 1] = np.minimum(items.swapped, N)
    outcomes = np.full(shape, _NOT_CONSISTENT, np.int64)
    paired = items[items.paired]
    is_consistent = CONSISTENT[paired.original, paired.swapped] > 0
    consistent = paired[is_consistent]
    outcomes[consistent.judge.codes, prompt[items.paired][is_consistent]] = consistent.original
    return calls.reshape(shape[0], -1), outcomes


def _code_confusion(first: IntArray, second: IntArray, codes: int) -> IntArray:
    """Counts of (first, second) over the columns in which both codes are below `codes`."""
    common = (first < codes) & (second < codes)
    counted = np.bincount(first[common] * codes + second[common], minlength=codes * codes)
    return counted.reshape(codes, codes).astype(np.int64)


def _matrix(judges: Sequence[str], values: dict[tuple[int, int], float | None]) -> AgreementMatrix:
    return {
        name: {other_name: values[min(first, second), max(first, second)] for second, other_name in enumerate(judges)}
        for first, name in enumerate(judges)
    }


def _disagreement_histogram(calls: IntArray) -> dict[str, int]:
    against, votes = _votes_against(calls)
    against = against[votes >= 2]
    numbers, counts = np.unique(against, return_counts=True)
    return {str(number): count for number, count in zip(numbers.tolist(), counts.tolist(), strict=True)}


def _votes_against(calls: IntArray) -> tuple[IntArray, IntArray]:
    """Of every prompt and order: usable votes against the most frequent verdict, and all usable votes."""
    votes = np.stack([(calls == code).sum(axis=0) for code in range(N)])
    total = votes.sum(axis=0)
    return total - votes.max(axis=0), total
