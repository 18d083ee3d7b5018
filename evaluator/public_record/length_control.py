"""The length-controlled win rate of AlpacaEval, fitted by ourselves (Dubois et al. 2024, arXiv 2404.04475, section 4).

A preference is a logistic regression on three terms: the system, tanh of the standardised difference of lengths, and
the difficulty of the prompt. The rate is the mean of its predictions without the term of lengths. Each system is fitted
alone, together with comparisons of the baseline with itself, asked to be short and to be long ("gamed"), which weigh a
tenth and share its coefficients of length and difficulty.

Two inputs are not in the repository: the difficulties, and the preferences of the gamed comparisons. Both are estimated
here: difficulties from a joint fit of all logs, then moved as little as the printed coefficients and rates ask; of the
gamed preferences a fit needs two sums only. `held_out_rates` says how near that comes where nothing that is printed
about a system was used.

Prompts are numbered by the row of a file, as the printed fits do: a log that lacks a prompt has the difficulties of
other rows from there on, in print as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares, minimize
from scipy.special import expit

from evaluator.statistics.intervals import FloatArray

GAMED_WEIGHT = 0.1
"""Of a gamed comparison beside one of the system: 0.2 for two gamed baselines."""
FOLDS = 8
"""Parts of the systems that are held out in turn."""
SEED = 2_404
"""Arbitrary but fixed: from the number of the paper."""
DIFFICULTY_SPREAD = 0.5
"""How far a difficulty may lie from the joint fit, as a standard deviation."""
SCORE_SPREAD = 0.05
"""How far a printed fit may be from its optimum, in wins."""
RATE_SPREAD = 0.01
"""How far a printed rate may be from its coefficients, in points."""
RIDGE = 0.1
"""On difficulties in the joint fit, which has one for each prompt."""


@dataclass(frozen=True, slots=True)
class Coefficients:
    """Of one fit."""

    length: float
    difficulty: float
    system: float


@dataclass(frozen=True, slots=True)
class AnsweredPrompts:
    """One system's rows, in the order of its file."""

    preference: FloatArray
    """0-1; NaN where none is stated."""
    length: FloatArray
    """tanh of the standardised difference of lengths, baseline minus system."""


@dataclass(frozen=True, slots=True)
class GamedBaselines:
    """The baseline's replies minus those it gave when asked to be short, and to be long: characters by prompt."""

    differences: tuple[FloatArray, ...]

    @property
    def lengths(self) -> list[FloatArray]:
        """The term of lengths of each."""
        return [np.tanh(difference / difference.std(ddof=1)) for difference in self.differences]


@dataclass(frozen=True, slots=True)
class PrintedFit:
    """What is printed about the fits."""

    rates: Mapping[str, float]
    """System -> length-controlled win rate, 0-100."""
    coefficients: Mapping[str, Coefficients]
    gamed: GamedBaselines


@dataclass(frozen=True, slots=True)
class Estimated:
    """The two inputs that are not in the repository."""

    difficulty: FloatArray
    pull: FloatArray
    """Weighted sums of the gamed preferences times their length term, and times their difficulty."""


def fitted_rates(systems: Mapping[str, AnsweredPrompts], printed: PrintedFit) -> dict[str, float]:
    """The length-controlled rate of each system, 0-1, with inputs estimated from everything that is printed."""
    if not systems:
        return {}
    estimated = estimated_inputs(systems, printed, frozenset())
    lengths = printed.gamed.lengths
    return {name: length_controlled_rate(rows, estimated, lengths) for name, rows in systems.items()}


def held_out_rates(systems: Mapping[str, AnsweredPrompts], printed: PrintedFit) -> dict[str, float]:
    """The same where nothing that is printed about the system was used: in `FOLDS` parts, each held out in turn."""
    names = sorted(systems)
    if len(names) < 2 * FOLDS:
        return {}
    order = np.random.default_rng(SEED).permutation(len(names))
    lengths = printed.gamed.lengths
    rates: dict[str, float] = {}
    for fold in range(FOLDS):
        held = {names[place] for place in order[fold::FOLDS].tolist()}
        estimated = estimated_inputs(systems, printed, frozenset(held))
        rates |= {name: length_controlled_rate(systems[name], estimated, lengths) for name in held}
    return rates


def length_controlled_rate(rows: AnsweredPrompts, estimated: Estimated, gamed_lengths: Sequence[FloatArray]) -> float:
    """Fit one system and predict its mean preference with equal lengths.

    Args:
        rows: Of the system.
        estimated: Difficulties by row, and what the gamed comparisons add.
        gamed_lengths: The term of lengths of the gamed comparisons, by row.

    >>> even = np.array([-1.0, 1.0] * 20)
    >>> rows = AnsweredPrompts(preference=np.where(even > 0, 0.8, 0.4), length=even)
    >>> nothing = Estimated(np.zeros(40), np.zeros(2))
    >>> round(length_controlled_rate(rows, nothing, []), 4)  # sigmoid((logit 0.8 + logit 0.4) / 2)
    0.6202
    """
    known = ~np.isnan(rows.preference)
    difficulty = estimated.difficulty[: len(known)][known]
    design = np.stack([rows.length[known], difficulty, np.ones(int(known.sum()))], axis=1)
    wins = rows.preference[known]

    def loss(weights: FloatArray) -> tuple[float, FloatArray]:
        predicted = design @ weights
        value = float((np.logaddexp(0.0, predicted) - wins * predicted).sum() - estimated.pull @ weights[:2])
        slope = design.T @ (expit(predicted) - wins)
        slope[:2] -= estimated.pull
        for length in gamed_lengths:
            both = weights[0] * length + weights[1] * estimated.difficulty
            value += GAMED_WEIGHT * float(np.logaddexp(0.0, both).sum())
            slope[:2] += GAMED_WEIGHT * np.array([expit(both) @ length, expit(both) @ estimated.difficulty])
        return value, slope

    optimum = minimize(loss, np.array([-1.0, 1.0, -1.0]), jac=True, method="BFGS")
    return float(expit(optimum.x[2] + optimum.x[1] * difficulty).mean())


# --- the two inputs --------------------------------------------------------------------------------------------------


def estimated_inputs(
    systems: Mapping[str, AnsweredPrompts], printed: PrintedFit, held_out: frozenset[str]
) -> Estimated:
    """Difficulties and the sums of the gamed preferences, from logs and prints.

    Args:
        systems: All logs; those held out count in the joint fit, which uses nothing that is printed.
        printed: The prints.
        held_out: Systems whose printed coefficients and rates are not used.
    """
    rates = {name: rate for name, rate in printed.rates.items() if name in printed.coefficients.keys() - held_out}
    weights = _weights([printed.coefficients[name] for name in rates])
    target = np.array(list(rates.values()))
    joint = joint_difficulties(list(systems.values()))

    def rate_error(line: FloatArray) -> FloatArray:
        return np.asarray(_rates(weights, line[0] + line[1] * joint) - target)

    line = least_squares(rate_error, np.array([0.0, 1.0])).x
    prior = line[0] + line[1] * joint
    problem = _Inversion(
        prior,
        weights,
        target,
        [(systems[name], printed.coefficients[name]) for name in sorted(systems.keys() - held_out)],
        printed.gamed.lengths,
    )
    start = np.concatenate([prior, problem.start_of_pull()])
    inputs = least_squares(problem.errors, start, jac=problem.slopes, ftol=1e-5, xtol=1e-5, gtol=1e-5).x
    return Estimated(inputs[:-2], inputs[-2:])


def joint_difficulties(systems: Sequence[AnsweredPrompts]) -> FloatArray:
    """How much each prompt adds to the log odds of a win, whoever answers, from logs without a missing row."""
    rows = max(len(system.preference) for system in systems)
    whole = [system for system in systems if len(system.preference) == rows]
    wins, length = (np.stack([getattr(system, key) for system in whole]) for key in ("preference", "length"))
    known = ~np.isnan(wins)
    wins = np.where(known, wins, 0.0)
    count = len(whole)

    def loss(values: FloatArray) -> tuple[float, FloatArray]:
        system, slope, difficulty = values[:count], values[count : 2 * count], values[2 * count :]
        predicted = system[:, None] + slope[:, None] * length + difficulty[None, :]
        value = np.where(known, np.logaddexp(0.0, predicted) - wins * predicted, 0.0).sum()
        left = np.where(known, expit(predicted) - wins, 0.0)
        gradient = [left.sum(axis=1), (left * length).sum(axis=1), left.sum(axis=0) + RIDGE * difficulty]
        return float(value + RIDGE * difficulty @ difficulty / 2), np.concatenate(gradient)

    start = np.concatenate([np.full(count, -1.0), np.zeros(count + rows)])
    return np.asarray(minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 500}).x[2 * count :])


def _weights(coefficients: Sequence[Coefficients]) -> FloatArray:
    return np.array([(own.difficulty, own.system) for own in coefficients])


def _rates(weights: FloatArray, difficulty: FloatArray) -> FloatArray:
    """Rates, 0-100, that coefficients give with these difficulties."""
    return np.asarray(100 * expit(weights[:, 1:] + weights[:, :1] * difficulty).mean(axis=1))


@dataclass(frozen=True, slots=True)
class _Inversion:
    """Difficulties and pull that printed coefficients are the optimum for: errors in units of their spread."""

    prior: FloatArray
    weights: FloatArray
    target: FloatArray
    systems: Sequence[tuple[AnsweredPrompts, Coefficients]]
    gamed_lengths: Sequence[FloatArray]

    def start_of_pull(self) -> FloatArray:
        """The pull for which the printed fits are at their optimum, if the prior is right: a median."""
        scores = self._scores(self.prior)[:, :2]
        return np.asarray(np.median(scores, axis=0)) if len(scores) else np.zeros(2)

    def errors(self, values: FloatArray) -> FloatArray:
        difficulty, pull = values[:-2], values[-2:]
        scores = self._scores(difficulty) - np.append(pull, 0.0)
        return np.concatenate(
            [
                (difficulty - self.prior) / DIFFICULTY_SPREAD,
                (_rates(self.weights, difficulty) - self.target) / RATE_SPREAD,
                scores.ravel() / SCORE_SPREAD,
            ]
        )

    def slopes(self, values: FloatArray) -> FloatArray:
        difficulty, prompts = values[:-2], len(self.prior)
        near = np.hstack([np.eye(prompts), np.zeros((prompts, 2))]) / DIFFICULTY_SPREAD
        chance = expit(self.weights[:, 1:] + self.weights[:, :1] * difficulty)
        of_rates = 100 * chance * (1 - chance) * self.weights[:, :1] / prompts / RATE_SPREAD
        scores = np.zeros((3 * len(self.systems), prompts + 2))
        for place, (rows, own) in enumerate(self.systems):
            scores[3 * place : 3 * place + 3] = self._slope(rows, own, difficulty)
        return np.vstack([near, np.hstack([of_rates, np.zeros((len(of_rates), 2))]), scores / SCORE_SPREAD])

    def _scores(self, difficulty: FloatArray) -> FloatArray:
        """Slopes of each printed fit's loss along length, difficulty and system, without the pull."""
        scores = np.zeros((len(self.systems), 3))
        for place, (rows, own) in enumerate(self.systems):
            left, _, own_difficulty = _left(rows, own, difficulty)
            scores[place] = (left @ rows.length, left @ own_difficulty, left.sum())
            for length in self.gamed_lengths:
                chance = expit(own.length * length + own.difficulty * difficulty)
                scores[place, :2] += GAMED_WEIGHT * np.array([chance @ length, chance @ difficulty])
        return scores

    def _slope(self, rows: AnsweredPrompts, own: Coefficients, difficulty: FloatArray) -> FloatArray:
        """How the three scores of a fit change with each difficulty and with the pull."""
        left, spread, own_difficulty = _left(rows, own, difficulty)
        count = len(left)
        slope = np.zeros((3, len(difficulty) + 2))
        slope[0, :count] = spread * own.difficulty * rows.length
        slope[1, :count] = spread * own.difficulty * own_difficulty + left
        slope[2, :count] = spread * own.difficulty
        for length in self.gamed_lengths:
            chance = expit(own.length * length + own.difficulty * difficulty)
            change = GAMED_WEIGHT * chance * (1 - chance) * own.difficulty
            slope[0, :-2] += change * length
            slope[1, :-2] += change * difficulty + GAMED_WEIGHT * chance
        slope[0, -2] = slope[1, -1] = -1.0
        return slope


def _left(
    rows: AnsweredPrompts, own: Coefficients, difficulty: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Predicted minus stated preference, the variance of the prediction, and the difficulty, by row."""
    own_difficulty = difficulty[: len(rows.preference)]
    known = ~np.isnan(rows.preference)
    chance = expit(own.length * rows.length + own.difficulty * own_difficulty + own.system)
    left = np.where(known, chance - np.where(known, rows.preference, 0.0), 0.0)
    return left, np.where(known, chance * (1 - chance), 0.0), own_difficulty
