"""How well a judge tells answers from texts that answer nothing, on prompts of topics it has not seen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from evaluator.judge_quality.answers.quality import AnswerQuality, KindQuality, ProbabilityBin
from evaluator.judge_quality.measurement import RESAMPLES, SEED, auc
from evaluator.judges.answers.verdict import answer_probability
from evaluator.judges.prompts import ANSWERS
from evaluator.judges.protocol import Judge, JudgeRequest
from evaluator.statistics.intervals import MIN_UNITS
from evaluator.values import MetricValue, Pin
from research.answers.examples import FALSE_KINDS, REAL_KINDS, LabelledAnswer
from research.answers.fitting import examples_digest

BINS = (0.0, 0.05, 0.2, 0.5, 0.8, 0.95, 1.0)
"""Edges of the calibration's bins: narrow where most probabilities lie."""

Floats = npt.NDArray[np.float64]


def measure(judge: Judge, examples: Sequence[LabelledAnswer]) -> AnswerQuality:
    """Asks the judge about every example, in English, and compares.

    Args:
        judge: One that can be asked (kind `answers`).
        examples: Usually `labelled_answers("test")`: head and calibration are made on the others.
    """
    requests = [
        JudgeRequest(ANSWERS, {"prompt_1": example.prompt, "answer": example.text}, "en") for example in examples
    ]
    probabilities = [answer_probability(judgment) for judgment in judge.judge(requests)]
    return answer_quality(judge.gate_pin, probabilities, examples)


def answer_quality(
    judge: Pin, probabilities: Sequence[float | None], examples: Sequence[LabelledAnswer]
) -> AnswerQuality:
    """The figures of a judge from what it made of each example; None = unscored."""
    kept = [(p, example) for p, example in zip(probabilities, examples, strict=True) if p is not None]
    told = _Told([p for p, _ in kept], [example for _, example in kept])
    return AnswerQuality(
        judge=judge,
        measured_on=examples_digest(examples),
        examples=len(examples),
        topics=len({example.topic for example in examples}),
        answers=sum(example.is_answer for example in examples),
        unscored=len(examples) - len(kept),
        auc=told.auc(told.answers, ~told.answers, len(kept)),
        right=told.balanced(),
        kinds={
            kind: told.kind(kind)
            for kind in (*REAL_KINDS, *FALSE_KINDS)
            if any(example.kind == kind for _, example in kept)
        },
        calibration=told.calibration(),
    )


class _Told:
    """Probabilities beside their examples, and statistics whose intervals draw whole topics."""

    def __init__(self, probabilities: Sequence[float], examples: Sequence[LabelledAnswer]) -> None:
        self.p = np.array(probabilities, dtype=np.float64)
        self.answers = np.array([example.is_answer for example in examples], dtype=bool)
        self.kinds = np.array([example.kind for example in examples])
        names = sorted({example.topic for example in examples})
        self.topic = np.array([names.index(example.topic) for example in examples], dtype=np.int64)
        self.topics = len(names)
        draws = np.random.default_rng(SEED).integers(0, max(1, self.topics), (RESAMPLES, self.topics))
        self.counts = np.stack([np.bincount(draw, minlength=self.topics) for draw in draws]).astype(np.float64)

    def auc(self, positive: npt.NDArray[np.bool_], negative: npt.NDArray[np.bool_], n: int) -> MetricValue:
        difference = self.p[positive][:, np.newaxis] - self.p[negative][np.newaxis, :]
        wins, contests = np.zeros((self.topics, self.topics)), np.zeros((self.topics, self.topics))
        where = self.topic[positive][:, np.newaxis], self.topic[negative][np.newaxis, :]
        np.add.at(wins, where, (difference > 0) + 0.5 * (difference == 0))
        np.add.at(contests, where, np.ones_like(difference))
        resampled = _quadratic(self.counts, wins) / np.maximum(_quadratic(self.counts, contests), 1e-12)
        return self._metric(auc(self.p[positive].tolist(), self.p[negative].tolist()), resampled, n)

    def kind(self, name: str) -> KindQuality:
        inside = self.kinds == name
        is_answer = bool(self.answers[inside][0])
        others = self.answers != is_answer
        positive, negative = (inside, others) if is_answer else (others, inside)
        n = int(inside.sum())
        value, resampled = self._right(inside)
        return KindQuality(
            is_answer=is_answer, auc=self.auc(positive, negative, n), right=self._metric(value, resampled, n)
        )

    def balanced(self) -> MetricValue:
        sides = [self._right(side) for side in (self.answers, ~self.answers)]
        return self._metric(sum(value for value, _ in sides) / 2, (sides[0][1] + sides[1][1]) / 2, len(self.p))

    def calibration(self) -> tuple[ProbabilityBin, ...]:
        share = np.where(self.answers, 0.5 / self.answers.sum(), 0.5 / (~self.answers).sum())
        place = np.clip(np.searchsorted(BINS, self.p, side="right") - 1, 0, len(BINS) - 2)
        return tuple(
            ProbabilityBin(
                low=BINS[number],
                high=BINS[number + 1],
                mean_probability=round(float(np.average(self.p[inside], weights=share[inside])), 6),
                answers=round(float(share[inside & self.answers].sum() / share[inside].sum()), 6),
                n=int(inside.sum()),
            )
            for number in range(len(BINS) - 1)
            if (inside := place == number).any()
        )

    def _right(self, inside: npt.NDArray[np.bool_]) -> tuple[float, Floats]:
        right = ((self.p >= 0.5) == self.answers) & inside
        hits = np.bincount(self.topic[right], minlength=self.topics).astype(np.float64)
        size = np.bincount(self.topic[inside], minlength=self.topics).astype(np.float64)
        return float(right.sum() / inside.sum()), (self.counts @ hits) / np.maximum(self.counts @ size, 1e-12)

    def _metric(self, value: float | None, resampled: Floats, n: int) -> MetricValue:
        if value is None or self.topics < MIN_UNITS:
            return MetricValue(value=value, n=n, reason="only one label" if value is None else None)
        low, high = np.quantile(resampled, (0.025, 0.975))
        return MetricValue(value=round(value, 6), low=round(float(low), 6), high=round(float(high), 6), n=n)


def _quadratic(counts: Floats, matrix: Floats) -> Floats:
    """counts' @ matrix @ counts, for each row of counts."""
    return np.asarray(np.einsum("rt,tu,ru->r", counts, matrix, counts, optimize=True), dtype=np.float64)


def quality_text(quality: AnswerQuality) -> str:
    """The measurement as lines for a terminal and as Markdown tables."""
    lines = [
        f"{quality.examples} texts of {quality.topics} topics, {quality.answers} of them answers; "
        f"{quality.unscored} unscored",
        f"AUC {_shown(quality.auc)}; right side of 0.5 {_shown(quality.right)}",
        "",
        "| texts | n | AUC | right side of 0.5 |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {'' if figures.is_answer else 'no answer: '}{kind} | {figures.auc.n} | {_shown(figures.auc)} | "
        f"{_shown(figures.right)} |"
        for kind, figures in quality.kinds.items()
    ]
    lines += ["", "| probability | n | mean | share that answers |", "|---|---|---|---|"]
    lines += [
        f"| {bin_.low:g}-{bin_.high:g} | {bin_.n} | {bin_.mean_probability:.2f} | {bin_.answers:.2f} |"
        for bin_ in quality.calibration
    ]
    return "\n".join(lines)


def _shown(metric: MetricValue) -> str:
    if metric.value is None:
        return "n/a"
    ends = "" if metric.low is None or metric.high is None else f" [{metric.low:.3f}, {metric.high:.3f}]"
    return f"{metric.value:.3f}{ends}"
