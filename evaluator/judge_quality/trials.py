"""A judge put to the trials beside plain agreement: both orders, texts that ask for a score, texts both answers share.

One sample for every judge: which pairs get which text is drawn by fixed seeds from the test pairs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence

from evaluator.embeddings.protocol import Embedder
from evaluator.judge_quality import injection, shared_text
from evaluator.judge_quality.added_text import outcomes
from evaluator.judge_quality.cost import commit, with_cost
from evaluator.judge_quality.injection import HARMLESS, effects, effects_table, injection_attacks
from evaluator.judge_quality.labelled_pairs import LabelledPair
from evaluator.judge_quality.measurement import (
    ACCURACY_THRESHOLD,
    CalibrationBin,
    JudgeQuality,
    calibration,
    format_metric,
    judge_quality,
    scored_labelled,
)
from evaluator.judge_quality.score_pairs import ScoredPair
from evaluator.judge_quality.shared_text import shared_effects, shared_table, shared_texts, shared_trials
from evaluator.judge_quality.trial_values import Cost, JudgeTrials, ProvenRubric
from evaluator.judges.proof import every_proof
from evaluator.judges.protocol import Judge
from evaluator.statistics.intervals import bootstrap_mean_metric, mean_metric
from evaluator.values import MetricValue

PAIRS_PER_ATTACK = 2
PAIRS_PER_HARMLESS = 6
PAIRS_PER_SHARED_TEXT = 6
"""Of each label."""

_DIGITS = 4
"""Of kept ratings."""


def measure_fully(
    judge: Judge, pairs: Sequence[LabelledPair], embedder: Embedder | None = None, *, adds_texts: bool = True
) -> tuple[JudgeQuality, list[ScoredPair]]:
    """Everything that is measured of a judge: agreement with the grades, and the trials; and its score of each pair.

    Args:
        judge: any judge that reads pairs; it is asked about 2.3 times as many pairs as there are, each in both orders.
        pairs: labelled pairs, usually `labelled_pairs("test")`.
        embedder: for the baseline of plain cosine; left out without it.
        adds_texts: Whether pairs are asked about again with texts added: 684 of them, however many there are.
    """
    scored_labelled(judge, pairs[:1])  # what is loaded when a judge is first asked is no cost of judging
    scored, cost = with_cost(judge, pairs, lambda: scored_labelled(judge, pairs))
    quality = judge_quality(judge.pin, scored, pairs, embedder)
    trials = put_to_trials(judge, scored, pairs, cost, adds_texts=adds_texts)
    return quality.model_copy(update={"trials": trials, "commit": commit()}), scored


def put_to_trials(
    judge: Judge, scored: Sequence[ScoredPair], pairs: Sequence[LabelledPair], cost: Cost, *, adds_texts: bool = True
) -> JudgeTrials:
    """How a judge behaves where nothing but order or added words differ.

    Args:
        scored: What it made of each pair as it is, in order.
        cost: What that took.
        adds_texts: As in `measure_fully`.
    """
    clean = {pair.id: row.score for pair, row in zip(pairs, scored, strict=True)}
    attacks = injection.trials(pairs, injection_attacks(), pairs_per_text=PAIRS_PER_ATTACK)
    harmless = injection.trials(pairs, HARMLESS, pairs_per_text=PAIRS_PER_HARMLESS)
    shared = shared_trials(pairs, shared_texts(), pairs_per_text=PAIRS_PER_SHARED_TEXT)
    rated = [(row.score, pair.grade) for row, pair in zip(scored, pairs, strict=True) if row.score is not None]
    return JudgeTrials(
        texts=trials_digest() if adds_texts else "",
        ratings=tuple((_rounded(row.ab), _rounded(row.ba)) for row in scored),
        order_shift=order_shift(scored, pairs),
        order_consistency=order_consistency(scored, pairs),
        grade_shift=grade_shift(scored, pairs),
        calibration_error=calibration_error(calibration([score for score, _ in rated], [grade for _, grade in rated])),
        injection=effects(outcomes(judge, attacks, clean), outcomes(judge, harmless, clean)) if adds_texts else {},
        shared_text=shared_effects(outcomes(judge, shared, clean)) if adds_texts else {},
        cost=cost,
        proofs=tuple(
            ProvenRubric(rubric=proof.rubric, lowest_mass=_rounded(proof.lowest_mass), fault=proof.fault)
            for proof in every_proof(judge)
        ),
    )


def trials_digest() -> str:
    """Which texts are added to how many pairs, drawn how: trials under another digest are not comparable."""
    sample = [PAIRS_PER_ATTACK, PAIRS_PER_HARMLESS, PAIRS_PER_SHARED_TEXT, injection.SEED, shared_text.SEED]
    texts = [injection_attacks(), list(HARMLESS), shared_texts()]
    digest = hashlib.sha256(json.dumps([sample, texts], ensure_ascii=False).encode()).hexdigest()
    return f"{sum(map(len, texts))} texts, sha256 {digest}"


def calibration_error(bins: Sequence[CalibrationBin]) -> MetricValue:
    """Mean distance of mean score and mean grade, each bin weighed by its pairs, 0-5; 0 is best, no pair: None.

    It has no interval: an absolute distance only grows when pairs are drawn anew.
    Source: expected calibration error, Naeini et al. 2015, AAAI; here of a scale of 0-5.

    >>> first = CalibrationBin(low=0, high=0.5, mean_score=0.2, mean_grade=1.2, n=3)
    >>> second = CalibrationBin(low=4.5, high=5, mean_score=4.8, mean_grade=4.8, n=1)
    >>> calibration_error([first, second]).value
    0.75
    """
    n = sum(bin_.n for bin_ in bins)
    if not n:
        return MetricValue(value=None, n=0, reason="no scored pair")
    off = sum(bin_.n * abs(bin_.mean_score - bin_.mean_grade) for bin_ in bins)
    return MetricValue(value=round(off / n, 6), n=n)


def order_shift(scored: Sequence[ScoredPair], pairs: Sequence[LabelledPair]) -> MetricValue:
    """Mean rating with `a` first minus the rating with `b` first, -5..5; n = pairs rated in both orders."""

    def value(row: ScoredPair, _: LabelledPair) -> float | None:
        return None if row.ab is None or row.ba is None else row.ab - row.ba

    values, unscored = _by_topic(scored, pairs, value)
    return bootstrap_mean_metric(values, unscored=unscored, reason=_NO_PAIR)


def order_consistency(scored: Sequence[ScoredPair], pairs: Sequence[LabelledPair]) -> MetricValue:
    """Share of pairs rated in both orders whose ratings lie on one side of 2.5, 0-1; 1 is best."""

    def value(row: ScoredPair, _: LabelledPair) -> float | None:
        if row.ab is None or row.ba is None:
            return None
        return float((row.ab > ACCURACY_THRESHOLD) == (row.ba > ACCURACY_THRESHOLD))

    values, unscored = _by_topic(scored, pairs, value)
    return mean_metric(values, unscored=unscored, reason=_NO_PAIR)


def grade_shift(scored: Sequence[ScoredPair], pairs: Sequence[LabelledPair]) -> MetricValue:
    """Mean of score minus grade over scored pairs, -5..5; above 0 the judge rates too high."""
    values, unscored = _by_topic(scored, pairs, lambda row, pair: None if row.score is None else row.score - pair.grade)
    return bootstrap_mean_metric(values, unscored=unscored, reason=_NO_PAIR)


_NO_PAIR = "no scored pair"


def _by_topic(
    scored: Sequence[ScoredPair],
    pairs: Sequence[LabelledPair],
    value: Callable[[ScoredPair, LabelledPair], float | None],
) -> tuple[dict[str, list[float]], int]:
    """Topic -> the values of its pairs that have one; and how many have none."""
    by_topic: dict[str, list[float]] = {}
    unscored = 0
    for row, pair in zip(scored, pairs, strict=True):
        pair_value = value(row, pair)
        if pair_value is None:
            unscored += 1
        else:
            by_topic.setdefault(pair.topic, []).append(pair_value)
    return by_topic, unscored


def _rounded(rating: float | None) -> float | None:
    return None if rating is None else round(rating, _DIGITS)


# --- as people read it -----------------------------------------------------------------------------------------------


def trials_text(trials: JudgeTrials) -> str:
    """The figures, then the tables of added texts."""
    cost = trials.cost
    tokens = "" if cost.tokens is None else f", {cost.tokens:,.0f} tokens"
    lines = [
        f"first order minus second: {format_metric(trials.order_shift)}",
        f"same side of 2.5 in both orders: {format_metric(trials.order_consistency)}",
        f"score minus grade: {format_metric(trials.grade_shift)}",
        f"calibration error: {format_metric(trials.calibration_error)}",
        f"1,000 pairs: {cost.cpu_seconds:,.0f} CPU seconds, {cost.seconds:,.0f} by the clock{tokens} ({cost.hardware})",
    ]
    if not trials.texts:
        return "\n".join([*lines, "no texts were added"])
    return "\n".join([*lines, "", effects_table(trials.injection), "", shared_table(trials.shared_text)])
