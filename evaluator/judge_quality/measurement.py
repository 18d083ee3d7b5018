"""How well a judge tells same from different on our labelled pairs, beside baselines that understand nothing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict
from scipy.stats import rankdata

from evaluator.embeddings.protocol import Embedder, text_vectors
from evaluator.judge_quality.labelled_pairs import EQUIVALENT_GRADE, LabelledPair, pairs_digest
from evaluator.judge_quality.people_values import PeopleQuality
from evaluator.judge_quality.score_pairs import ScoredPair, pair_of, score_pairs
from evaluator.judge_quality.trial_values import JudgeTrials
from evaluator.judges.protocol import Judge
from evaluator.statistics.intervals import MIN_UNITS, Interval, correlation_interval, jackknife_interval
from evaluator.text.content_checks import word_overlap
from evaluator.values import MetricValue, Pin

ACCURACY_THRESHOLD = 2.5
"""A rating above it counts as "the same"; the middle of the scale."""

TOP_SCORE = 5.0
LONG_WORDS = 120
"""Pairs in which an answer has so many words have an AUC of their own."""

BIN_WIDTH = 0.5
"""Of the calibration's bins, so that 2.5 is an edge."""

RESAMPLES = 2000
SEED = 20260101

Floats = npt.NDArray[np.float64]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class CategoryQuality(_Frozen):
    """Quality on one category of pairs."""

    accuracy: MetricValue
    """Share of the category's pairs on the right side of 2.5."""
    auc: MetricValue
    """The category's pairs against all pairs of the opposite label; n = the category's pairs."""


class Quality(_Frozen):
    """Agreement of scores 0-5 with our grades. Intervals: 95% bootstrap over topics."""

    auc: MetricValue
    """Chance that a pair of grade >= 3 scores above one of grade < 3 (ties half), 0-1; 0.5 is guessing."""
    accuracy: MetricValue
    """Share of pairs whose score is above 2.5 exactly when their grade is 3 or more."""
    balanced_accuracy: MetricValue
    """Mean of the accuracy on equivalent pairs and on the others, 0-1; one answer for all pairs reaches 0.5."""
    spearman: MetricValue
    """Rank correlation of scores and grades, -1..1."""
    categories: dict[str, CategoryQuality]


class CalibrationBin(_Frozen):
    """Scored pairs whose score lies in [low, high), in the last bin [low, high]."""

    low: float
    high: float
    mean_score: float
    mean_grade: float
    """Of a calibrated judge it is the mean score."""
    n: int


class JudgeQuality(_Frozen):
    """One judge on labelled pairs, with baselines on the same pairs."""

    judge: Pin
    measured_on: str
    """`labelled_pairs.pairs_digest` of the pairs: figures on other pairs are not comparable."""
    pairs: int
    topics: int
    equivalent: int
    """Pairs with grade 3 or more."""
    unscored: int
    quality: Quality
    calibration: tuple[CalibrationBin, ...]
    """By rising score; bins without a pair are left out."""
    order_gap: MetricValue
    """Mean |rating(a, b) - rating(b, a)|, 0-5."""
    baselines: dict[str, Quality]
    """`cosine` (when an embedder is given), `word_overlap` and `length_ratio`, each times 5."""
    trials: JudgeTrials | None = None
    """Order, added texts, cost (`trials.measure_fully`); None where agreement alone was measured."""
    commit: str = ""
    """Of the program that measured; blank outside a checkout, and where it was not kept."""
    people: PeopleQuality | None = None
    """Agreement with people, which counts first; None where it was not measured."""


def measure(judge: Judge, pairs: Sequence[LabelledPair], embedder: Embedder | None = None) -> JudgeQuality:
    """Asks the judge about every pair in both orders and compares the scores with the grades.

    Args:
        judge: any judge that reads pairs.
        pairs: labelled pairs, usually `labelled_pairs("test")`: the judge was calibrated on the others.
        embedder: for the baseline of plain cosine; left out without it.
    """
    return judge_quality(judge.pin, scored_labelled(judge, pairs), pairs, embedder)


def scored_labelled(judge: Judge, pairs: Sequence[LabelledPair]) -> list[ScoredPair]:
    """What the judge makes of each labelled pair, in order."""
    return list(score_pairs(map(pair_of, pairs), judge))


def judge_quality(
    judge: Pin, scored: Sequence[ScoredPair], pairs: Sequence[LabelledPair], embedder: Embedder | None = None
) -> JudgeQuality:
    """The figures of a judge from what it made of each pair; `scored` and `pairs` are in the same order."""
    rated = [(row.score, pair.grade) for row, pair in zip(scored, pairs, strict=True) if row.score is not None]
    return JudgeQuality(
        judge=judge,
        measured_on=pairs_digest(pairs),
        pairs=len(pairs),
        topics=len({pair.topic for pair in pairs}),
        equivalent=sum(pair.is_equivalent for pair in pairs),
        unscored=len(pairs) - len(rated),
        quality=quality([row.score for row in scored], pairs),
        calibration=calibration([score for score, _ in rated], [grade for _, grade in rated]),
        order_gap=_order_gap(scored, pairs),
        baselines={name: quality(scores, pairs) for name, scores in baseline_scores(pairs, embedder).items()},
    )


def pin_sha256(judge: Pin) -> str:
    """What a measurement is stored under: a judge that changed in anything has another one."""
    return hashlib.sha256(json.dumps(judge.model_dump(mode="json"), sort_keys=True).encode()).hexdigest()


def baseline_scores(pairs: Sequence[LabelledPair], embedder: Embedder | None = None) -> dict[str, list[float]]:
    """Scores 0-5 of judges that understand nothing: 5 x cosine of mean embeddings, word overlap, length ratio."""
    scores = {
        "word_overlap": [5 * word_overlap(pair.a, pair.b) for pair in pairs],
        "length_ratio": [5 * length_ratio(pair.a, pair.b) for pair in pairs],
    }
    if embedder is None:
        return scores
    vectors = text_vectors(embedder, [text for pair in pairs for text in (pair.a, pair.b)]).astype(np.float64)
    cosines = (vectors[::2] * vectors[1::2]).sum(axis=1)
    return {"cosine": [round(5 * float(cosine), 6) for cosine in cosines], **scores}


def length_ratio(first: str, second: str) -> float:
    """Characters of the shorter text / characters of the longer one, 0-1; two empty texts: 1.

    >>> length_ratio("ab", "abcd")
    0.5
    """
    return min(len(first), len(second)) / max(len(first), len(second)) if first or second else 1.0


def auc(positive: Sequence[float], negative: Sequence[float]) -> float | None:
    """Chance that a positive scores above a negative, ties half; 0-1, 0.5 is guessing; None when a side is empty.

    From rank sums (Mann-Whitney U): (R - n(n+1)/2) / (n m).

    >>> auc([3.0, 2.0], [1.0, 2.0])
    0.875
    """
    n, m = len(positive), len(negative)
    if n == 0 or m == 0:
        return None
    ranks = rankdata([*positive, *negative])
    return float((ranks[:n].sum() - n * (n + 1) / 2) / (n * m))


def accuracy(scores: Sequence[float], grades: Sequence[int]) -> float | None:
    """Share of scores above 2.5 exactly when the grade is 3 or more; None without scores.

    >>> accuracy([4.0, 1.0, 3.0], [5, 0, 1])
    0.6666666666666666
    """
    if not scores:
        return None
    right = [
        (score > ACCURACY_THRESHOLD) == (grade >= EQUIVALENT_GRADE) for score, grade in zip(scores, grades, strict=True)
    ]
    return sum(right) / len(right)


def balanced_accuracy(scores: Sequence[float], grades: Sequence[int]) -> float | None:
    """Mean of the accuracy on equivalent pairs and on the others, 0-1; None when either side is empty.

    >>> balanced_accuracy([4.0, 1.0, 3.0], [5, 0, 1])
    0.75
    """
    sides = (
        [place for place, grade in enumerate(grades) if (grade >= EQUIVALENT_GRADE) is side] for side in (True, False)
    )
    accuracies = [accuracy([scores[place] for place in side], [grades[place] for place in side]) for side in sides]
    known = [share for share in accuracies if share is not None]
    return sum(known) / 2 if len(known) == 2 else None


def calibration(scores: Sequence[float], grades: Sequence[int]) -> tuple[CalibrationBin, ...]:
    """Mean score beside mean grade in bins of the score, by rising score; empty bins are left out.

    >>> [(one.low, one.mean_score, one.mean_grade, one.n) for one in calibration([0.0, 0.25, 5.0], [0, 1, 4])]
    [(0.0, 0.125, 0.5, 2), (4.5, 5.0, 4.0, 1)]
    """
    last = round(TOP_SCORE / BIN_WIDTH) - 1
    binned: dict[int, list[tuple[float, int]]] = {}
    for score, grade in zip(scores, grades, strict=True):
        binned.setdefault(min(last, int(score / BIN_WIDTH)), []).append((score, grade))
    return tuple(
        CalibrationBin(
            low=place * BIN_WIDTH,
            high=(place + 1) * BIN_WIDTH,
            mean_score=round(sum(score for score, _ in held) / len(held), 6),
            mean_grade=round(sum(grade for _, grade in held) / len(held), 6),
            n=len(held),
        )
        for place, held in sorted(binned.items())
    )


def spearman(scores: Sequence[float], grades: Sequence[float]) -> float | None:
    """Rank correlation with mean ranks for ties, -1..1; None where either side is constant.

    >>> spearman([1.0, 2.0, 3.0], [0, 2, 5])
    1.0
    """
    if len(set(scores)) < 2 or len(set(grades)) < 2:
        return None
    return float(np.corrcoef(rankdata(scores), rankdata(grades))[0, 1].round(12))


def quality(scores: Sequence[float | None], pairs: Sequence[LabelledPair]) -> Quality:
    """Agreement of scores (None = unscored) with the grades of `pairs`, overall and per category."""
    kept = [(score, pair) for score, pair in zip(scores, pairs, strict=True) if score is not None]
    rated = _Rated([score for score, _ in kept], [pair for _, pair in kept])
    unscored = len(pairs) - len(kept)
    everyone = np.ones(len(kept), dtype=bool)
    categories = {
        category: CategoryQuality(
            accuracy=rated.accuracy(rated.in_category(category), _unscored(scores, pairs, category)),
            auc=rated.category_auc(category, _unscored(scores, pairs, category)),
        )
        for category in sorted({pair.category for pair in pairs})
    }
    return Quality(
        auc=rated.auc(everyone, everyone, len(kept), unscored),
        accuracy=rated.accuracy(everyone, unscored),
        balanced_accuracy=rated.balanced_accuracy(unscored),
        spearman=rated.spearman(unscored),
        categories=categories,
    )


def auc_metric(scores: Sequence[float], pairs: Sequence[LabelledPair]) -> MetricValue:
    """The AUC alone, with its interval: where `quality` would be asked for many sets of pairs."""
    everyone = np.ones(len(pairs), dtype=bool)
    return _Rated(scores, pairs).auc(everyone, everyone, len(pairs), 0)


def accuracy_metric(scores: Sequence[float], pairs: Sequence[LabelledPair]) -> MetricValue:
    """The accuracy at 2.5 alone, with its interval."""
    return _Rated(scores, pairs).accuracy(np.ones(len(pairs), dtype=bool), 0)


class _Rated:
    """Scores beside their pairs, and statistics with intervals over whole topics."""

    def __init__(self, scores: Sequence[float], pairs: Sequence[LabelledPair]) -> None:
        self.scores = np.array(scores, dtype=np.float64)
        self.grades = np.array([pair.grade for pair in pairs], dtype=np.int64)
        self.equivalent = self.grades >= EQUIVALENT_GRADE
        self.categories = [pair.category for pair in pairs]
        topics = sorted({pair.topic for pair in pairs})
        self.topic = np.array([topics.index(pair.topic) for pair in pairs], dtype=np.int64)
        self.topics = len(topics)

    def in_category(self, category: str) -> npt.NDArray[np.bool_]:
        return np.array([name == category for name in self.categories], dtype=bool)

    def auc(
        self, positive: npt.NDArray[np.bool_], negative: npt.NDArray[np.bool_], n: int, unscored: int
    ) -> MetricValue:
        """AUC of equivalent pairs in `positive` against the others in `negative`."""
        positive, negative = positive & self.equivalent, negative & ~self.equivalent
        value = auc(self.scores[positive].tolist(), self.scores[negative].tolist())
        wins, contests = self._contests(positive, negative)
        interval = None
        if value is not None:
            interval = jackknife_interval(value, _ratio(_without_each(wins), _without_each(contests)))
        return _metric(value, interval, n, unscored, "only one label among the scored pairs")

    def category_auc(self, category: str, unscored: int) -> MetricValue:
        """The category's pairs of its commoner label against all pairs of the other label."""
        inside = self.in_category(category)
        everyone = np.ones_like(inside)
        is_equivalent = bool(2 * self.equivalent[inside].sum() > inside.sum())
        n = int((inside & (self.equivalent == is_equivalent)).sum())
        return self.auc(*((inside, everyone) if is_equivalent else (everyone, inside)), n, unscored)

    def accuracy(self, inside: npt.NDArray[np.bool_], unscored: int) -> MetricValue:
        value = accuracy(self.scores[inside].tolist(), self.grades[inside].tolist())
        left_out = self._accuracies(inside)[self._by_topic(inside) > 0]
        interval = None if value is None else jackknife_interval(value, left_out)
        return _metric(value, interval, int(inside.sum()), unscored, "no scored pair")

    def balanced_accuracy(self, unscored: int) -> MetricValue:
        value = balanced_accuracy(self.scores.tolist(), self.grades.tolist())
        left_out = (self._accuracies(self.equivalent) + self._accuracies(~self.equivalent)) / 2
        interval = None if value is None else jackknife_interval(value, left_out)
        return _metric(value, interval, len(self.scores), unscored, "only one label among the scored pairs")

    def spearman(self, unscored: int) -> MetricValue:
        value = spearman(self.scores.tolist(), self.grades.tolist())
        interval = None
        if value is not None:
            without = [self._spearman(self.topic != topic) for topic in range(self.topics)]
            interval = correlation_interval(value, np.array(without, dtype=np.float64))
        return _metric(value, interval, len(self.scores), unscored, "scores or grades do not vary")

    def mean(self, values: Floats, unscored: int) -> MetricValue:
        """The mean of one value per pair."""
        per_topic = np.bincount(self.topic, weights=values, minlength=self.topics)
        counts, size = _topic_counts(self.topics), self._by_topic(np.ones(len(values), dtype=bool))
        interval = None
        if self.topics >= MIN_UNITS:
            low, high = np.quantile((counts @ per_topic) / (counts @ size), [0.025, 0.975])
            interval = Interval(float(low), float(high))
        return _metric(float(values.mean()) if len(values) else None, interval, len(values), unscored, "no scored pair")

    def _contests(self, positive: npt.NDArray[np.bool_], negative: npt.NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """Topic x topic sums of wins of positives over negatives (ties half), and of contests held."""
        difference = self.scores[positive][:, np.newaxis] - self.scores[negative][np.newaxis, :]
        wins, contests = np.zeros((self.topics, self.topics)), np.zeros((self.topics, self.topics))
        where = self.topic[positive][:, np.newaxis], self.topic[negative][np.newaxis, :]
        np.add.at(wins, where, (difference > 0) + 0.5 * (difference == 0))
        np.add.at(contests, where, np.ones_like(difference))
        return wins, contests

    def _by_topic(self, chosen: npt.NDArray[np.bool_]) -> Floats:
        """How many of some pairs each topic has."""
        return np.bincount(self.topic[chosen], minlength=self.topics).astype(np.float64)

    def _accuracies(self, inside: npt.NDArray[np.bool_]) -> Floats:
        """The accuracy without each topic; NaN where no pair is left."""
        right = self._by_topic(((self.scores > ACCURACY_THRESHOLD) == self.equivalent) & inside)
        size = self._by_topic(inside)
        return _ratio(right.sum() - right, size.sum() - size)

    def _spearman(self, inside: npt.NDArray[np.bool_]) -> float:
        value = spearman(self.scores[inside].tolist(), self.grades[inside].tolist())
        return np.nan if value is None else value


def _metric(value: float | None, interval: Interval | None, n: int, unscored: int, reason: str) -> MetricValue:
    """A figure rounded as it is stored; without a value the reason."""
    if value is None:
        return MetricValue(value=None, n=n, unscored=unscored, reason=reason)
    low, high = (None, None) if interval is None else (round(end, 6) for end in interval)
    return MetricValue(value=round(value, 6), low=low, high=high, n=n, unscored=unscored)


def _order_gap(scored: Sequence[ScoredPair], pairs: Sequence[LabelledPair]) -> MetricValue:
    both = [(row, pair) for row, pair in zip(scored, pairs, strict=True) if row.ab is not None and row.ba is not None]
    gaps = np.array([abs((row.ab or 0.0) - (row.ba or 0.0)) for row, _ in both], dtype=np.float64)
    return _Rated([0.0] * len(both), [pair for _, pair in both]).mean(gaps, len(pairs) - len(both))


def _unscored(scores: Sequence[float | None], pairs: Sequence[LabelledPair], category: str) -> int:
    return sum(score is None and pair.category == category for score, pair in zip(scores, pairs, strict=True))


def _topic_counts(topics: int) -> Floats:
    """Resamples x topics: how often each bootstrap resample drew each topic."""
    if topics == 0:
        return np.zeros((0, 0))
    draws = np.random.default_rng(SEED).integers(topics, size=(RESAMPLES, topics))
    return np.array([np.bincount(draw, minlength=topics) for draw in draws], dtype=np.float64)


def _without_each(matrix: Floats) -> Floats:
    """The sum of a matrix of topics without the row and the column of each."""
    return np.asarray(matrix.sum() - matrix.sum(axis=0) - matrix.sum(axis=1) + np.diag(matrix))


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    """NaN where there is nothing to divide by."""
    return np.divide(numerator, denominator, out=np.full_like(numerator, np.nan), where=denominator > 0)


# --- as people read it -----------------------------------------------------------------------------------------------


def quality_text(result: JudgeQuality) -> str:
    """Everything a person asks of a judge first, then the table by category."""
    pair_quality = result.quality
    figures = {
        "AUC": pair_quality.auc,
        "Spearman": pair_quality.spearman,
        "accuracy at 2.5": pair_quality.accuracy,
        "balanced accuracy at 2.5": pair_quality.balanced_accuracy,
        "order gap": result.order_gap,
    }
    pairs = (
        f"{result.judge.name} on {result.pairs} labelled pairs of {result.topics} topics "
        f"({result.equivalent} equivalent, {result.unscored} unscored)"
    )
    return "\n".join(
        [pairs, *(f"{name}: {format_metric(value)}" for name, value in figures.items()), "", quality_table(result)]
    )


def quality_table(result: JudgeQuality) -> str:
    """The published figures as a Markdown table: one row per category, value with interval per column."""
    columns: list[tuple[str, Quality]] = [("judge", result.quality), *result.baselines.items()]
    header = "| pairs | n | " + " | ".join(f"{name}: accuracy / AUC" for name, _ in columns) + " |"
    rows = [_table_row("**all**", result.quality.accuracy.n, columns, lambda column: (column.accuracy, column.auc))]
    for category, measured in result.quality.categories.items():
        rows.append(_table_row(category, measured.accuracy.n, columns, _category_values(category)))
    return "\n".join([header, "|---" * (len(columns) + 2) + "|", *rows])


def _category_values(category: str) -> Callable[[Quality], tuple[MetricValue, MetricValue]]:
    return lambda column: (column.categories[category].accuracy, column.categories[category].auc)


def _table_row(
    name: str,
    n: int,
    columns: Sequence[tuple[str, Quality]],
    values: Callable[[Quality], tuple[MetricValue, MetricValue]],
) -> str:
    cells = [" / ".join(format_metric(value) for value in values(column)) for _, column in columns]
    return f"| {name} | {n} | " + " | ".join(cells) + " |"


def format_metric(metric: MetricValue) -> str:
    """ "0.84 [0.79, 0.88]"; without an interval the value alone; an undefined value is a dash.

    >>> format_metric(MetricValue(value=0.5, low=0.25, high=0.75, n=8))
    '0.50 [0.25, 0.75]'
    """
    if metric.value is None:
        return "–"
    if metric.low is None or metric.high is None:
        return f"{metric.value:.2f}"
    return f"{metric.value:.2f} [{metric.low:.2f}, {metric.high:.2f}]"


# --- failures --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Failure:
    """A labelled pair whose score lies on the wrong side of 2.5."""

    pair: LabelledPair
    score: float

    @property
    def distance(self) -> float:
        """How far the score is from the grade."""
        return abs(self.score - self.pair.grade)


def worst_failures(scored: Sequence[ScoredPair], pairs: Sequence[LabelledPair], most: int) -> list[Failure]:
    """The misjudged pairs whose score is farthest from their grade, farthest first; unscored pairs are none."""
    failures = [
        Failure(pair, row.score)
        for row, pair in zip(scored, pairs, strict=True)
        if row.score is not None and (row.score > ACCURACY_THRESHOLD) != pair.is_equivalent
    ]
    return sorted(failures, key=lambda failure: (-failure.distance, failure.pair.id))[:most]


def length_and_scale_text(scored: Sequence[ScoredPair], pairs: Sequence[LabelledPair]) -> str:
    """How well long pairs are told apart, and what pairs at both ends of the grades get: two lines for a person."""
    rows = [(row.score, pair) for row, pair in zip(scored, pairs, strict=True) if row.score is not None]
    long = [(score, pair) for score, pair in rows if max(len(pair.a.split()), len(pair.b.split())) >= LONG_WORDS]
    told_apart = auc(
        [score for score, pair in long if pair.is_equivalent], [score for score, pair in long if not pair.is_equivalent]
    )
    same = [score for score, pair in rows if pair.grade == 5]
    different = [score for score, pair in rows if pair.grade <= 1]
    return (
        f"pairs with an answer of {LONG_WORDS} words or more: n = {len(long)}, AUC {_decimals(told_apart)}\n"
        f"mean score: {_decimals(_mean(same))} where the grade is 5 (n = {len(same)}), "
        f"{_decimals(_mean(different))} where it is 0 or 1 (n = {len(different)})"
    )


def _mean(numbers: Sequence[float]) -> float | None:
    return sum(numbers) / len(numbers) if numbers else None


def _decimals(number: float | None) -> str:
    return "n/a" if number is None else f"{number:.3f}"


def failures_text(failures: Sequence[Failure]) -> str:
    """The failures as Markdown, the texts quoted."""
    return "\n\n".join(_failure_text(failure) for failure in failures) or "No pair is on the wrong side of 2.5."


def _failure_text(failure: Failure) -> str:
    pair = failure.pair
    head = f"**{pair.id}**: {pair.category}, grade {pair.grade}, score {failure.score:.2f}"
    return "\n\n".join([head, *(_quoted(name, text) for name, text in (("A", pair.a), ("B", pair.b)))])


def _quoted(name: str, text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in f"{name}: {text}".split("\n"))
