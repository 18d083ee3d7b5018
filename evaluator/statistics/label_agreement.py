"""Two label columns: accuracy, Cohen's kappa and their intervals, with the rows that belong together drawn together.

Rows that join two units of one kind (two sentences, two systems) share a unit with many others: intervals that draw
such rows one by one were five times too narrow on real pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypedDict

import numpy as np
import numpy.typing as npt
from scipy import sparse

from evaluator.statistics.agreement import kappa_of
from evaluator.statistics.dialogues import RESAMPLES, SEED, quantile_interval, quotient
from evaluator.statistics.intervals import MIN_UNITS, TAIL, FloatArray, draw_blocks, fisher_ends, ratio_interval

MAX_LABELS = 200
"""A column with more different values holds no labels."""

MAX_CLUSTER_COLUMNS = 2

PRIOR_ROWS = 2.0
"""Rows that are added to a table of single rows: a jackknife of 50 rows of which one label makes a twentieth held kappa
83 times in 100, this 91 to 97 (docs/metrics.md)."""
POSTERIOR_DRAWS = 10_000

IntArray = npt.NDArray[np.int64]


class TooManyLabels(ValueError):
    """Raised when a column holds so many different values that they cannot be labels."""


class BinaryFigures(TypedDict):
    """Of labels "0" and "1", where 1 is what is looked for; a rate without cases is None."""

    tn: int
    fp: int
    fn: int
    tp: int
    precision: float | None
    recall: float | None
    specificity: float | None
    tpr: float | None
    fpr: float | None


class LabelAgreement(TypedDict):
    """What `python -m evaluator agreement` prints."""

    n: int
    dropped: int
    """Rows with an empty label."""
    labels: list[str]
    accuracy: float | None
    accuracy_ci: list[float] | None
    kappa: float | None
    kappa_ci: list[float] | None
    confusion: list[list[int]]
    """Rows: truth."""
    binary: BinaryFigures | None
    clusters: int
    """Units that were drawn."""
    cluster_columns: list[str]
    resamples: int
    seed: int


def label_agreement(
    truth: Sequence[str],
    prediction: Sequence[str],
    clusters: Mapping[str, Sequence[str]] | None = None,
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> LabelAgreement:
    """Agreement of two label columns, with 95 % intervals.

    Accuracy 0-1 and kappa up to 1, higher is better; kappa is None where chance alone gives full agreement. The order
    of the rows changes nothing. Units of the intervals are rows, or the values of one column with all their rows:
    accuracy has the interval of shares (`intervals.ratio_interval`), kappa of rows that of `posterior_kappa_interval`,
    kappa of clusters that of a jackknife (`kappa_interval`). With two columns a row joins two units: both have the
    bootstrap of the union of their values.

    Args:
        truth: Labels; outer blanks do not count, and rows with an empty label are dropped.
        prediction: Labels, row by row.
        clusters: Name and values of up to two columns. Two: a row weighs the product of the counts of both units.
        resamples: Number of draws, where there are any.
        seed: Of the draws.

    Raises:
        TooManyLabels: with more than 200 different labels.

    >>> report = label_agreement(["1", "1", "0", "0", ""], ["1", "0", "0", "0", "1"])
    >>> report["accuracy"], report["kappa"], report["confusion"], report["dropped"]
    (0.75, 0.5, [[2, 0], [1, 1]], 1)
    """
    columns = clusters or {}
    rows = _rows(truth, prediction, list(columns.values()))
    labels = sorted({label for row in rows for label in row[:2]})
    if len(labels) > MAX_LABELS:
        raise TooManyLabels(f"{len(labels):,} different labels; at most {MAX_LABELS} are compared")
    confusion = _confusion(rows, labels)
    n, units = len(rows), sorted({unit for row in rows for unit in row[2:]})
    accuracy = float(np.trace(confusion)) / n if n else None
    kappa = kappa_of(confusion)
    accuracy_ci, kappa_ci = (
        _resampled_intervals(confusion, rows, labels, units, resamples, seed)
        if len(columns) == MAX_CLUSTER_COLUMNS
        else _intervals(confusion, rows, labels)
    )
    return LabelAgreement(
        n=n,
        dropped=len(truth) - n,
        labels=labels,
        accuracy=accuracy,
        accuracy_ci=accuracy_ci,
        kappa=kappa,
        kappa_ci=kappa_ci,
        confusion=confusion.tolist(),
        binary=_binary(confusion) if labels == ["0", "1"] else None,
        clusters=len(units) if columns else n,
        cluster_columns=list(columns),
        resamples=resamples,
        seed=seed,
    )


_Row = tuple[str, ...]
"""Truth, prediction, and the units the row belongs to."""


def _rows(truth: Sequence[str], prediction: Sequence[str], clusters: Sequence[Sequence[str]]) -> list[_Row]:
    """Rows with both labels."""
    stripped = zip(*(map(str.strip, column) for column in (truth, prediction, *clusters)), strict=True)
    return [row for row in stripped if row[0] and row[1]]


def _confusion(rows: Sequence[_Row], labels: Sequence[str]) -> IntArray:
    counts = np.bincount(_cells(rows, labels), minlength=len(labels) ** 2)
    return counts.reshape(len(labels), len(labels)).astype(np.int64)


def _cells(rows: Sequence[_Row], labels: Sequence[str]) -> IntArray:
    """The cell of the confusion matrix of every row."""
    place = {label: number for number, label in enumerate(labels)}
    return np.array([place[row[0]] * len(labels) + place[row[1]] for row in rows], dtype=np.int64)


def _binary(confusion: IntArray) -> BinaryFigures:
    (tn, fp), (fn, tp) = confusion.tolist()
    recall, specificity = _share(tp, tp + fn), _share(tn, tn + fp)
    return BinaryFigures(
        tn=tn,
        fp=fp,
        fn=fn,
        tp=tp,
        precision=_share(tp, tp + fp),
        recall=recall,
        specificity=specificity,
        tpr=recall,
        fpr=_share(fp, fp + tn),
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


# --- units ------------------------------------------------------------------------------------------------------------

_Intervals = tuple[list[float] | None, list[float] | None]
"""Of accuracy and of kappa."""


def _intervals(confusion: IntArray, rows: Sequence[_Row], labels: Sequence[str]) -> _Intervals:
    """By unit: a row, or all rows of one value of the cluster column."""
    if not rows:
        return None, None
    number = {unit: place for place, unit in enumerate(sorted({row[2] for row in rows if row[2:]}))}
    unit_of_row = np.array([number[row[2]] if row[2:] else place for place, row in enumerate(rows)])
    cells = len(labels) ** 2
    places = unit_of_row * cells + _cells(rows, labels)
    counts = np.bincount(places, minlength=(int(unit_of_row.max()) + 1) * cells).reshape(-1, cells).astype(np.float64)
    agreed = counts[:, np.flatnonzero(np.eye(len(labels)).ravel())].sum(axis=1)
    accuracy = ratio_interval(agreed, counts.sum(axis=1))
    if accuracy is None:
        return None, None
    if len(rows[0]) == 2:
        return list(accuracy), posterior_kappa_interval(confusion)
    left_out = _figures(counts.sum(axis=0) - counts, np.arange(cells), len(labels)).kappa
    return list(accuracy), kappa_interval(confusion, left_out, accuracy.low)


def posterior_kappa_interval(confusion: IntArray) -> list[float] | None:
    """95 % interval of Cohen's kappa of rows that are independent: the middle 95 % of what the table leaves possible.

    The cells of the table have a Dirichlet distribution with their counts and `PRIOR_ROWS` rows more, spread evenly: a
    half for each cell of two labels (Jeffreys' prior). Of kappa in 10,000 draws with a fixed seed the interval goes
    from the 2.5 % to the 97.5 % point, and holds the kappa of the table. None where that is None.
    Source: Basu, Banerjee and Sen 2000, Bayesian inference for kappa from single and multiple studies, Biometrics
    56(2).

    >>> [round(end, 1) for end in posterior_kappa_interval(np.array([[40, 10], [10, 40]]))]
    [0.4, 0.7]
    """
    kappa = kappa_of(confusion)
    if kappa is None:
        return None
    cells = confusion.astype(np.float64).ravel()
    drawn = np.random.default_rng(SEED).dirichlet(cells + PRIOR_ROWS / len(cells), POSTERIOR_DRAWS)
    kappas = _figures(drawn, np.arange(len(cells)), len(confusion)).kappa
    low, high = np.nanquantile(kappas, [TAIL, 1.0 - TAIL])
    return [min(float(low), kappa), max(float(high), kappa)]


def kappa_interval(confusion: IntArray, left_out: FloatArray, least_accuracy: float) -> list[float] | None:
    """95 % interval of Cohen's kappa from kappa without each unit: a jackknife of Fisher's z with Student's t.

    tanh(z -+ t s), z = artanh(kappa), s the jackknife's standard error of z, t with one degree of freedom fewer than
    units: the scale on which kappa scatters alike wherever it lies. Full agreement scatters nowhere: then from the
    kappa that the lower end of the accuracy has. None where kappa is None; a unit without which it is undefined moves
    nothing.
    Source: Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 11.

    Args:
        confusion: Counts of both labels.
        left_out: Kappa without each unit, NaN where undefined.
        least_accuracy: Lower end of the interval of the accuracy.

    >>> kappa_interval(np.array([[9, 0], [0, 9]]), np.ones(18), 0.8)  # chance gives one half: (0.8 - 0.5) / 0.5
    [0.6, 1.0]
    """
    kappa, n = kappa_of(confusion), int(confusion.sum())
    if kappa is None:
        return None
    if kappa == 1.0:
        by_chance = float(confusion.sum(axis=1) @ confusion.sum(axis=0)) / n**2
        return [round((least_accuracy - by_chance) / (1.0 - by_chance), 12), 1.0]
    return list(fisher_ends(kappa, left_out))


# --- resamples of units that rows join -------------------------------------------------------------------------------


class _Resampled(NamedTuple):
    """Both figures in each draw; NaN where undefined."""

    accuracy: FloatArray
    kappa: FloatArray


def _resampled_intervals(
    confusion: IntArray, rows: Sequence[_Row], labels: Sequence[str], units: Sequence[str], resamples: int, seed: int
) -> _Intervals:
    """From the figures of every draw; None with fewer than `MIN_UNITS` units."""
    if len(units) < MIN_UNITS:
        return None, None
    used, cells = np.unique(_cells(rows, labels), return_inverse=True)
    blocks = [_figures(counts, used, len(labels)) for counts in _drawn_cells(rows, cells, units, resamples, seed)]
    accuracy, kappa = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    return (
        quantile_interval(float(np.trace(confusion)), accuracy, len(units)),
        quantile_interval(kappa_of(confusion), kappa, len(units)),
    )


def _drawn_cells(
    rows: Sequence[_Row], cells: IntArray, units: Sequence[str], resamples: int, seed: int
) -> Iterator[FloatArray]:
    """Blocks of draws: the weight of each used cell of the confusion matrix, shape (draws, cells)."""
    number = {unit: place for place, unit in enumerate(units)}
    columns = [np.array([number[row[place]] for row in rows]) for place in (2, 3)]
    ones = np.ones(len(rows))
    joined = [
        sparse.coo_array(
            (ones[cells == cell], (columns[0][cells == cell], columns[1][cells == cell])),
            shape=(len(units), len(units)),
        ).tocsr()
        for cell in range(int(cells.max()) + 1)
    ]
    for drawn in draw_blocks(len(units), resamples, seed):
        # w_a x w_b summed over the rows of a cell is the quadratic form of the cell's matrix of units.
        yield np.stack([((drawn @ matrix) * drawn).sum(axis=1) for matrix in joined], axis=1)


def _figures(weights: FloatArray, used: IntArray, n_labels: int) -> _Resampled:
    """Accuracy and kappa of confusion matrices given by the weights of their used cells."""
    total = weights.sum(axis=1)
    agreed = weights[:, used // n_labels == used % n_labels].sum(axis=1)
    by_truth, by_prediction = (weights @ np.eye(n_labels)[labels] for labels in (used // n_labels, used % n_labels))
    by_chance = (by_truth * by_prediction).sum(axis=1)
    return _Resampled(
        quotient(agreed, total),
        quotient(total * agreed - by_chance, total * total - by_chance),
    )
