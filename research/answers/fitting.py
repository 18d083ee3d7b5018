"""How the weights of the answer head's calibration are fitted, on the validation split."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from evaluator.judges.answers.calibration import AnswerCalibration
from research.answers.examples import LabelledAnswer

WEIGHED = ("network", "content", "near", "nearer")
"""What is weighed by fitting, of what `features.answer_features` finds; all of it speaks for an answer."""
PENALTY = 0.01
"""L2 penalty on the standardised weights, as where judges of pairs are calibrated."""
CAUTION = 0.3
"""By how much the fitted intercept is lowered, so that true facts about the subject, which answer nothing, stay below
the limit of the attack files (it was chosen on these); short texts get it back."""
CHOSEN = {"short": 0.9 + CAUTION, "far": 20.0}
"""Weights that are not fitted, but chosen on real answers: so that 95% of short right ones pass, and long replies to
another prompt do not. Among the written examples short texts are mostly none, so that a fit would turn on them."""
VERSION = "3"


def fit_calibration(
    features: Sequence[Mapping[str, float]],
    examples: Sequence[LabelledAnswer],
    weighed: Sequence[str] = WEIGHED,
    name: str = "answer-calibration",
    version: str = VERSION,
    chosen: Mapping[str, float] | None = None,
    caution: float = 0.0,
) -> AnswerCalibration:
    """Weights of the `weighed` features that bring the probability closest to the labels, answers and others half each.

    Signs are bound, so the objective is convex and the probability monotone in every feature. Texts in another language
    are left out: they are settled without weights. `chosen` weights of more features are added as they are, and the
    intercept is lowered by `caution`.
    """
    from scipy.optimize import minimize

    kept = [(row, example) for row, example in zip(features, examples, strict=True) if not row["foreign"]]
    raw = np.array([[row[feature] for feature in weighed] for row, _ in kept])
    mean, scale = raw.mean(axis=0), np.maximum(raw.std(axis=0), 1e-9)
    design = np.hstack([(raw - mean) / scale, np.ones((len(raw), 1))])
    label = np.array([float(example.is_answer) for _, example in kept])
    share = np.where(label == 1.0, 0.5 / label.sum(), 0.5 / (1 - label).sum())
    bounds: list[tuple[float | None, float | None]] = [*((0.0, None) for _ in weighed), (None, None)]
    optimum = minimize(
        _loss,
        np.zeros(len(weighed) + 1),
        args=(design, label, share),
        jac=True,
        bounds=bounds,
        method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 10_000},
    )
    weights = optimum.x[:-1] / scale
    return AnswerCalibration(
        id=name,
        version=version,
        intercept=round(float(optimum.x[-1] - weights @ mean) - caution, 6),
        weights={feature: round(float(weight), 6) for feature, weight in zip(weighed, weights, strict=True)}
        | dict(chosen or {}),
        fitted_on=examples_digest(examples),
    )


def examples_digest(examples: Sequence[LabelledAnswer]) -> str:
    """How many examples something was fitted or measured on, and the SHA-256 of exactly these."""
    text = json.dumps([tuple(example) for example in examples], ensure_ascii=False)
    return f"{len(examples)} labelled answers, sha256 {hashlib.sha256(text.encode()).hexdigest()}"


def _loss(
    weights: npt.NDArray[np.float64],
    design: npt.NDArray[np.float64],
    label: npt.NDArray[np.float64],
    share: npt.NDArray[np.float64],
) -> tuple[float, npt.NDArray[np.float64]]:
    """Weighted cross-entropy plus the penalty (the intercept, last, is free), and its gradient."""
    score = design @ weights
    penalised = np.append(weights[:-1], 0.0)
    loss = float(share @ (np.logaddexp(0.0, score) - label * score) + 0.5 * PENALTY * penalised @ penalised)
    residual = share * (1.0 / (1.0 + np.exp(-score)) - label)
    return loss, design.T @ residual + PENALTY * penalised
