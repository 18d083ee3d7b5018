"""Relevance of answers to their own question: equal but beside the point is not robust (docs/metrics.md#relevance).

An answer is on topic when it lies nearer to its own item's prompts than to most other items' prompts of the same
language. Unrelated text passes that test about half the time, so the share of answers that pass against the *next*
item's prompts (the shuffled control) stands beside the pass share.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from evaluator.statistics.intervals import mean_metric
from evaluator.values import MetricValue

RELEVANCE_QUANTILE = 0.5
"""Of the similarities to the other items' prompts: an answer must lie above it."""
RELEVANCE_MARGIN = 0.0
"""Added to that quantile."""
RELEVANCE_MIN_OTHERS = 3
"""With prompts of fewer other items in the language nothing is flagged."""

Vector = npt.NDArray[np.floating]
"""An embedding of any length but zero; shape (dimension,)."""
ItemLanguage = tuple[str, str]

Unchecked = Literal["set_unavailable", "few_others", "language_not_read"]
"""Why an answer was not checked: the item's prompts are not installed; fewer than `RELEVANCE_MIN_OTHERS` other items
have prompts in the language; the embedding model does not declare the language. Only the first leaves the gate open (no
gated figure); the other two mean "no flag"."""


@dataclass(frozen=True, slots=True)
class AnswerVector:
    """One non-blank answer."""

    item: str
    language: str
    vector: Vector | None
    """None where the embedding model does not declare the language."""


@dataclass(frozen=True, slots=True)
class Relevance:
    """What the check found about one answer."""

    item: str
    off_topic: bool | None
    """None where the answer was not checked."""
    own: float | None = None
    """Mean cosine of the answer with its own item's prompts, -1 to 1; known even where others are too few."""
    threshold: float | None = None
    """`off_topic` iff own <= this."""
    control_passes: bool | None = None
    """Would the answer be on topic as an answer to the next item?"""
    unchecked: Unchecked | None = None

    @property
    def gate_is_known(self) -> bool:
        """May gated figures rest on this answer? Not while its item's prompts are missing."""
        return self.unchecked != "set_unavailable"


def relevances(answers: Sequence[AnswerVector], prompts: Mapping[ItemLanguage, Sequence[Vector]]) -> list[Relevance]:
    """The relevance of each answer, in order; `prompts` holds the prompt vectors of (item, language).

    An answer r to item i in language l has own = mean cosine with i's prompts in l, and the same for every other item
    with prompts in l. It is off topic iff own <= their `RELEVANCE_QUANTILE` (linear) + `RELEVANCE_MARGIN`. The control
    asks the same as if r answered the next item in id order (after the last, the first). Languages never mix.
    See docs/metrics.md#relevance (our own guard; the 2024 task had none).

    >>> axes = np.eye(5)
    >>> questions = {(name, "en"): [axes[index]] for index, name in enumerate("abcde")}
    >>> on, off = relevances([AnswerVector("a", "en", axes[0]), AnswerVector("a", "en", axes[1])], questions)
    >>> on.off_topic, on.own, on.threshold, on.control_passes
    (False, 1.0, 0.0, False)
    >>> off.off_topic, off.own, off.threshold, off.control_passes
    (True, 0.0, 0.0, True)
    >>> relevances([], {})
    []
    """
    checks: list[Relevance | None] = [None] * len(answers)
    for language in dict.fromkeys(answer.language for answer in answers):
        positions = [index for index, answer in enumerate(answers) if answer.language == language]
        of_language = _relevances_in_one_language([answers[index] for index in positions], prompts, language)
        for index, relevance in zip(positions, of_language, strict=True):
            checks[index] = relevance
    return [relevance for relevance in checks if relevance is not None]


def pass_share(checked: Iterable[Relevance]) -> MetricValue:
    """Share of answers that are on topic, of those that could be checked.

    Range 0-1, higher is better; interval clustered by item; no checked answer: None. Read it beside
    `control_pass_share`, which unrelated text reaches.

    >>> pass_share([Relevance("a", off_topic=False), Relevance("b", off_topic=True), Relevance("c", off_topic=None)])
    MetricValue(value=0.5, low=None, high=None, n=2, unscored=1, reason=None)
    """
    return _share(
        (response.item, None if response.off_topic is None else not response.off_topic) for response in checked
    )


def control_pass_share(checked: Iterable[Relevance]) -> MetricValue:
    """Share of answers that would be on topic as answers to the next item: what unrelated text reaches.

    Range 0-1, near 0.5 where the check sees nothing; interval clustered by item; no checked answer: None.

    >>> control_pass_share([Relevance("a", off_topic=False, control_passes=True)]).value
    1.0
    """
    return _share((response.item, response.control_passes) for response in checked)


def _share(outcomes: Iterable[tuple[str, bool | None]]) -> MetricValue:
    clusters: dict[str, list[float]] = {}
    unscored = 0
    for item, passes in outcomes:
        if passes is None:
            unscored += 1
        else:
            clusters.setdefault(item, []).append(float(passes))
    return mean_metric(clusters, unscored=unscored, reason="no answer could be checked for relevance")


def _relevances_in_one_language(
    answers: Sequence[AnswerVector], prompts: Mapping[ItemLanguage, Sequence[Vector]], language: str
) -> list[Relevance]:
    items = sorted(item for (item, of_language), vectors in prompts.items() if of_language == language and len(vectors))
    columns = {item: column for column, item in enumerate(items)}
    checkable = [answer for answer in answers if answer.vector is not None and answer.item in columns]
    if not checkable:
        return [_unchecked(answer) for answer in answers]
    similarities = _similarities(checkable, [prompts[item, language] for item in items])
    own_columns = np.array([columns[answer.item] for answer in checkable])
    enough_others = len(items) - 1 >= RELEVANCE_MIN_OTHERS
    checked = iter((_judged if enough_others else _too_few_others)(checkable, similarities, own_columns))
    return [
        next(checked) if answer.vector is not None and answer.item in columns else _unchecked(answer)
        for answer in answers
    ]


def _too_few_others(
    answers: Sequence[AnswerVector], similarities: npt.NDArray[np.float64], own_columns: npt.NDArray[np.intp]
) -> list[Relevance]:
    own = similarities[np.arange(len(answers)), own_columns]
    return [
        Relevance(answer.item, off_topic=None, own=float(own[row]), unchecked="few_others")
        for row, answer in enumerate(answers)
    ]


def _judged(
    answers: Sequence[AnswerVector], similarities: npt.NDArray[np.float64], own_columns: npt.NDArray[np.intp]
) -> list[Relevance]:
    own, threshold = _own_and_threshold(similarities, own_columns)
    next_own, next_threshold = _own_and_threshold(similarities, (own_columns + 1) % similarities.shape[1])
    return [
        Relevance(
            answer.item,
            off_topic=bool(own[row] <= threshold[row]),
            own=float(own[row]),
            threshold=float(threshold[row]),
            control_passes=bool(next_own[row] > next_threshold[row]),
        )
        for row, answer in enumerate(answers)
    ]


def _own_and_threshold(
    similarities: npt.NDArray[np.float64], own_columns: npt.NDArray[np.intp]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Similarity to the column each row belongs to, and the quantile over all its other columns plus the margin."""
    rows, columns = similarities.shape
    is_own = np.arange(columns) == own_columns[:, np.newaxis]
    others = similarities[~is_own].reshape(rows, columns - 1)
    return similarities[is_own], np.quantile(others, RELEVANCE_QUANTILE, axis=1) + RELEVANCE_MARGIN


def _similarities(answers: Sequence[AnswerVector], prompts: Sequence[Sequence[Vector]]) -> npt.NDArray[np.float64]:
    """Mean cosine of each answer with each item's prompts; shape (answers, items)."""
    # The mean of cosines with unit vectors is the product with their mean.
    directions = np.stack([_unit(np.stack(list(vectors))).mean(axis=0) for vectors in prompts])
    rows = _unit(np.stack([answer.vector for answer in answers if answer.vector is not None]))
    return np.asarray(rows @ directions.T, dtype=np.float64)


def _unit(vectors: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    wide = vectors.astype(np.float64)
    return np.asarray(wide / np.maximum(np.linalg.norm(wide, axis=1, keepdims=True), 1e-12), dtype=np.float64)


def _unchecked(answer: AnswerVector) -> Relevance:
    reason: Unchecked = "language_not_read" if answer.vector is None else "set_unavailable"
    return Relevance(answer.item, off_topic=None, unchecked=reason)
