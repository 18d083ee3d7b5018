"""What chance alone gains: the best of many attempts, and answers that say nothing (part of `make bench-coverage`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.hard_populations import with_error
from evaluator.cultural.response import QuestionAnswers, responses_to_culture
from evaluator.statistics.intervals import FloatArray, is_above_zero, paired_difference

# --- the best of several attempts ------------------------------------------------------------------------------------

ITEM, OWN, ATTEMPT = 1.1, 0.5, 0.3
"""Standard deviations, on the scale 0-5: what both systems find hard, what one of them does, and what differs between
the attempts of one system."""
ATTEMPTS_ROWS = tuple((attempts, items) for items in (15, 30, 100) for attempts in (1, 3, 10, 30))


@dataclass(frozen=True, slots=True)
class AttemptsReached:
    """Two systems with equal true scores, of which one shows the best of its attempts; shares of the trials."""

    attempts: int
    items: int
    gain: float
    """What the best attempt has above the mean of all."""
    called_better: float
    """The interval of their difference lies above 0 for the one that chose; 2.5% is meant."""
    called_better_before: float
    """The same where the number of attempts is not accounted for."""
    trials: int


def attempts_reached(attempts: int, items: int, trials: int, seed: int) -> AttemptsReached:
    """Simulate one row."""
    generator = np.random.default_rng([seed, attempts, items])
    gains, better, before = [], [], []
    for _ in range(trials):
        tried, single = equal_systems(generator, attempts, items)
        best = best_attempt(tried)
        gains.append(best.mean() - tried.mean())
        chosen, other = named(best), named(single)
        better.append(is_above_zero(paired_difference(chosen, other, (attempts, 1))))
        before.append(is_above_zero(paired_difference(chosen, other)))
    return AttemptsReached(
        attempts, items, float(np.mean(gains)), float(np.mean(better)), float(np.mean(before)), trials
    )


def equal_systems(generator: np.random.Generator, attempts: int, items: int) -> tuple[FloatArray, FloatArray]:
    """Draw the attempts of one system, shape (attempts, items), and the only one of an equal system, shape (items,)."""
    shared = 3.0 + ITEM * generator.standard_normal(items)
    usual = shared + OWN * generator.standard_normal((2, items))
    tried = usual[0] + ATTEMPT * generator.standard_normal((attempts, items))
    return tried, usual[1] + ATTEMPT * generator.standard_normal(items)


def best_attempt(tried: FloatArray) -> FloatArray:
    """Return the attempt with the highest mean, shape (items,)."""
    return np.asarray(tried[tried.mean(axis=1).argmax()], dtype=np.float64)


def named(values: FloatArray) -> dict[str, float]:
    """Return item id -> value."""
    return {f"{place:03}": float(value) for place, value in enumerate(values)}


def attempts_table(rows: Sequence[AttemptsReached]) -> str:
    """The rows as a Markdown table."""
    head = "| attempts | items | the best gains | called better than an equal system | attempts not accounted for |"
    lines = [
        f"| {row.attempts} | {row.items} | {row.gain:.2f} | {with_error(row.called_better, row.trials)} "
        f"| {with_error(row.called_better_before, row.trials)} |"
        for row in rows
    ]
    return "\n".join([head, "|---" * 5 + "|", *lines])


# --- answers that say nothing, in 2026 --------------------------------------------------------------------------------

CULTURES = 3
LENGTH = 8
"""Of the embeddings of random answers."""
NOISE_ROWS = ((10, 2, 1.0), (10, 2, 0.3), (30, 2, 1.0), (10, 4, 1.0))
"""Questions, languages, and the share of answers that the gate lets pass."""


@dataclass(frozen=True, slots=True)
class NoiseReached:
    """The headline of runs whose answers are noise."""

    questions: int
    languages: int
    passing: float
    headline: float
    error: float
    """Monte Carlo standard error of the mean headline."""
    lesser: float
    """The mean of the lesser half of every question, as in version 1, which also counted every loss in full."""
    trials: int


def noise_reached(questions: int, languages: int, passing: float, trials: int, seed: int) -> NoiseReached:
    """Simulate one row."""
    generator = np.random.default_rng([seed, questions, languages, round(100 * passing)])
    headlines, lesser = [], []
    for _ in range(trials):
        found = responses_to_culture(noise_run(generator, questions, languages, passing), gated=True)
        headlines.append(float(np.mean(list(found["culture"].values()))))
        both = found["named"].keys() & found["open"].keys()
        lesser.append(float(np.mean([min(found["named"][place], found["open"][place]) for place in both])))
    error = float(np.std(headlines) / np.sqrt(trials))
    return NoiseReached(questions, languages, passing, float(np.mean(headlines)), error, float(np.mean(lesser)), trials)


def noise_run(
    generator: np.random.Generator, questions: int, languages: int, passing: float
) -> dict[str, dict[str, QuestionAnswers]]:
    """Draw a run whose answers are noise: language -> question -> its answers."""

    def one() -> QuestionAnswers:
        variants = range(1, CULTURES + 1)
        weights = {variant: float(generator.random() < passing) for variant in variants}
        answers = {variant: generator.standard_normal(LENGTH) for variant in variants}
        return QuestionAnswers(generator.standard_normal(LENGTH), answers, float(generator.random() < passing), weights)

    return {f"l{language}": {f"{place}": one() for place in range(questions)} for language in range(languages)}


def noise_table(rows: Sequence[NoiseReached]) -> str:
    """The rows as a Markdown table."""
    head = "| questions | languages | answers that pass the gate | headline of noise | lesser half of each question |"
    lines = [
        f"| {row.questions} | {row.languages} | {row.passing:.0%} | {row.headline:+.4f} ± {row.error:.4f} "
        f"| {row.lesser:+.3f} |"
        for row in rows
    ]
    return "\n".join([head, "|---" * 5 + "|", *lines])
