"""From what a judge sees in a pair to a rating: a logistic of a weighted sum, fitted on labelled pairs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict

PENALTY = 0.01
"""L2 penalty on the standardised weights (chosen on the training split by leaving out one topic at a time)."""


class Calibration(BaseModel):
    """rating = 5 / (1 + exp(-certainty x (intercept + sum of weight x feature))), certainty = 1 + alike x cosine**8."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    version: str
    intercept: float
    weights: dict[str, float]
    """Feature name -> weight: positive or zero for signs of agreement, negative or zero for conflicts."""
    alike: float = 0.0
    """How much surer it is where the cosine is 1: such texts say the same or contradict, hardly anything between."""
    fitted_on: str

    def evidence(self, features: Mapping[str, float]) -> float:
        """Intercept and weighted features: above 0 they speak for the same."""
        return math.fsum([self.intercept, *(weight * features[name] for name, weight in self.weights.items())])

    def rating(self, features: Mapping[str, float]) -> float:
        """Expected rating, strictly between 0 and 5."""
        return 5.0 / (1.0 + math.exp(-certainty(features, self.alike) * self.evidence(features)))


def certainty(features: Mapping[str, float], alike: float) -> float:
    """Factor of all evidence, 1 to 1 + alike: it rises with the eighth power of the cosine, so above 0.8 or so.

    >>> certainty({}, 0.0), certainty({"cosine": 1.0}, 2.0), certainty({"cosine": -0.1}, 2.0)
    (1.0, 3.0, 1.0)
    """
    return 1.0 + alike * max(features["cosine"], 0.0) ** 8 if alike else 1.0


def fitted(
    features: Sequence[Mapping[str, float]],
    grades: Sequence[float],
    *,
    agreement: Set[str],
    id_: str,
    version: str,
    fitted_on: str,
    alike: float = 0.0,
) -> Calibration:
    """Weights that bring the rating closest to the grades: L2-regularised logistic regression on grade / 5.

    Signs are bound (more agreement never lowers a rating, more conflict never raises it), so the objective is convex
    and the rating monotone in every feature.

    Args:
        features: One mapping per pair, with the same names.
        grades: Of the pairs, 0-5, in the same order.
        agreement: Names of the features that are signs of agreement; all others are signs of conflict.
        fitted_on: Says which pairs these are.
        alike: Of the calibration: given, not fitted.
    """
    from scipy.optimize import minimize

    names = list(features[0])
    raw = np.array([[row[name] for name in names] for row in features])
    mean, scale = raw.mean(axis=0), np.maximum(raw.std(axis=0), 1e-9)
    sure = np.array([[certainty(row, alike)] for row in features])
    design = sure * np.hstack([(raw - mean) / scale, np.ones((len(raw), 1))])
    target = np.array(grades) / 5
    bounds: list[tuple[float | None, float | None]] = [
        *((0.0, None) if name in agreement else (None, 0.0) for name in names),
        (None, None),
    ]
    optimum = minimize(
        _loss,
        np.zeros(len(names) + 1),
        args=(design, target),
        jac=True,
        bounds=bounds,
        method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 10_000},
    )
    weights = optimum.x[:-1] / scale
    return Calibration(
        id=id_,
        version=version,
        intercept=round(float(optimum.x[-1] - weights @ mean), 6),
        weights={name: round(float(weight), 6) for name, weight in zip(names, weights, strict=True)},
        alike=alike,
        fitted_on=fitted_on,
    )


MISSES_MORE = 0.01
"""Share by which the mean absolute error of ratings may be above the least that any sharpness gives."""


def sharpened(
    calibration: Calibration, features: Sequence[Mapping[str, float]], grades: Sequence[float]
) -> Calibration:
    """The calibration whose ratings miss the grades by hardly more than the least there is, on average, and no sharper.

    What `fitted` gives is the expected grade, which a careful reader seldom gives: of a pair that is the same with a
    chance of 0.7, and else contradicts, it says 3.5. The mean absolute error asks for the median grade instead. Near
    its least it hardly tells one sharpness from another, and where a pair is neither the same nor different the less
    sharp is nearer to the reader. The order of the ratings stays, and so do the weights, in proportion.

    Args:
        calibration: As `fitted` returns it.
        features: One mapping per pair.
        grades: Of the pairs, 0-5, in the same order.
    """
    from scipy.optimize import bisect, minimize, minimize_scalar
    from scipy.special import expit

    scores = np.array([calibration.evidence(row) for row in features])
    sure = np.array([certainty(row, calibration.alike) for row in features])
    wanted = np.array(grades, dtype=np.float64)

    def missed(shift: float, scale: float) -> float:
        return float(np.abs(5.0 * expit(sure * (shift + scale * scores)) - wanted).mean())

    def shifted(scale: float) -> float:
        """The best shift by this scale."""
        return float(minimize_scalar(missed, bounds=(-5.0, 5.0), args=(scale,), method="bounded").x)

    def beyond(scale: float) -> float:
        return missed(shifted(scale), scale) - (1.0 + MISSES_MORE) * least

    def changed(change: npt.NDArray[np.float64]) -> float:
        return missed(change[0], 1.0 + change[1])

    _, more = minimize(
        changed, np.zeros(2), method="Nelder-Mead", options={"xatol": 1e-6, "fatol": 1e-9, "maxiter": 2_000}
    ).x
    sharpest = 1.0 + float(more)
    least = missed(shifted(sharpest), sharpest)
    scale = float(bisect(beyond, 1.0, sharpest, xtol=1e-6)) if beyond(1.0) > 0 else 1.0
    shift = shifted(scale)
    return calibration.model_copy(
        update={
            "intercept": round(float(shift + scale * calibration.intercept), 6),
            "weights": {name: round(float(scale * weight), 6) for name, weight in calibration.weights.items()},
        }
    )


def _loss(
    weights: npt.NDArray[np.float64], design: npt.NDArray[np.float64], target: npt.NDArray[np.float64]
) -> tuple[float, npt.NDArray[np.float64]]:
    """Mean cross-entropy against soft targets plus the penalty (the intercept, last, is free), and its gradient."""
    score = design @ weights
    penalised = np.append(weights[:-1], 0.0)
    loss = float(np.mean(np.logaddexp(0.0, score) - target * score) + 0.5 * PENALTY * penalised @ penalised)
    residual = 1.0 / (1.0 + np.exp(-score)) - target
    return loss, design.T @ residual / len(target) + PENALTY * penalised
