"""The embedded baseline judge: MiniLM cosine plus checks for what cosine is blind to, calibrated to 0-5 on our pairs.

It reads English pairs only; docs/judges.md says how well, and where it fails.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict

from evaluator.embeddings import Embedder, Vectors
from evaluator.judges import content_checks
from evaluator.judges.protocol import Judge, JudgeRequest, Judgment, RequestKind, reads_language, text_key
from evaluator.results import Pin

ENOUGH_COSINE = 0.6
"""Cosine above this says more about shared wording than about shared meaning, so it stops counting (fit split)."""

PENALTY = 0.01
"""L2 penalty on the standardised weights (chosen on the fit split by leaving out one topic at a time)."""

_SENTENCES_AT_ONCE = 4096
"""Texts handed to the embedder in one call: bounds memory on large jobs."""


class LabelledPair(BaseModel):
    """Two assistant answers and how alike their content is, as a careful reader grades it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    topic: str
    """The unit of the split and of the bootstrap: no topic is in both splits."""
    split: str
    """`fit` (calibration) or `test` (published figures)."""
    category: str
    """What relates the two answers: paraphrase, negation, ... (labelled_pairs.md)."""
    prompt_a: str
    prompt_b: str
    a: str
    b: str
    grade: int
    """0 different or contradictory .. 5 the same content."""


class Calibration(BaseModel):
    """rating = 5 / (1 + exp(-(intercept + sum of weight x feature)))."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    version: str
    intercept: float
    weights: dict[str, float]
    """Feature name -> weight: positive or zero for cosines, negative or zero for conflicts."""
    fitted_on: str

    def rating(self, features: dict[str, float]) -> float:
        """Expected rating, strictly between 0 and 5."""
        total = math.fsum([self.intercept, *(weight * features[name] for name, weight in self.weights.items())])
        return 5.0 / (1.0 + math.exp(-total))


FEATURES = ("cosine", "coverage", "numbers", "negation", "opposites", "names", "exchanged", "refusal")
"""What the calibration weighs; the first two are signs of agreement, the others of conflict (content_checks)."""

_AGREEMENT = frozenset({"cosine", "coverage"})


@dataclass(frozen=True, slots=True)
class _Embedded:
    """One answer as the judge sees it."""

    text: str
    windows: Vectors
    sentences: Vectors


class EmbeddingJudge(Judge):
    """Rates pairs of answers by calibrated embedding similarity; the same in both orders by construction."""

    def __init__(self, embedder: Embedder, calibration: Calibration | None = None) -> None:
        self._embedder = embedder
        self._calibration = calibration or shipped_calibration()

    @cached_property
    def pin(self) -> Pin:
        """The embedder's pin under this judge's name, with the calibration and its version in place of a prompt."""
        calibration = f"{self._calibration.id} {self._calibration.version}"
        return self._embedder.pin.model_copy(update={"name": "embedding", "prompt": calibration})

    @property
    def kinds(self) -> frozenset[RequestKind]:
        return frozenset({"similarity_pair"})

    def judge(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
        """One judgment per request, in order; identical answers are 5, blank ones and other languages unscored."""
        pairs = [(request.fields["answer_a"], request.fields["answer_b"]) for request in requests]
        settled = [self._without_reading(request, *pair) for request, pair in zip(requests, pairs, strict=True)]
        open_pairs = [pair for pair, judgment in zip(pairs, settled, strict=True) if judgment is None]
        read = iter(pair_features(self._embedder, open_pairs))
        return [judgment if judgment is not None else self._judgment(next(read)) for judgment in settled]

    def key(self, request: JudgeRequest) -> str:
        return text_key(self.pin, request)

    def _judgment(self, features: dict[str, float]) -> Judgment:
        return Judgment(self._calibration.rating(features), details=features)

    def _without_reading(self, request: JudgeRequest, first: str, second: str) -> Judgment | None:
        """What is settled before any text is embedded."""
        if request.rubric.kind not in self.kinds:
            raise ValueError(f"the embedding judge reads pairs only, not {request.rubric.kind}")
        if not reads_language(self.pin, request.language):
            languages = ", ".join(self.pin.languages or ())
            return Judgment(None, reason=f"this judge does not read {request.language!r} (it reads: {languages})")
        if not first.strip() or not second.strip():
            return Judgment(None, reason="an answer is blank")
        return Judgment(5.0) if first.split() == second.split() else None


def pair_features(embedder: Embedder, pairs: Sequence[tuple[str, str]]) -> list[dict[str, float]]:
    """The features of each pair of non-blank answers, the same for (a, b) and (b, a)."""
    ordered = [(min(pair), max(pair)) for pair in pairs]  # one order for both: equal to the last bit
    embedded = _embedded(embedder, list(dict.fromkeys(text for pair in ordered for text in pair)))
    return [_features(embedded[first], embedded[second]) for first, second in ordered]


def best_match(first: Vectors, second: Vectors) -> tuple[float, float]:
    """How well the second text covers the first, and the first the second: mean over rows of the best cosine.

    >>> best_match(np.eye(2, dtype=np.float32), np.eye(2, dtype=np.float32)[:1])
    (0.5, 1.0)
    """
    cosines = first.astype(np.float64) @ second.astype(np.float64).T
    return float(cosines.max(axis=1).mean()), float(cosines.max(axis=0).mean())


def fit_calibration(embedder: Embedder, pairs: Sequence[LabelledPair], version: str = "1") -> Calibration:
    """Weights that bring the rating closest to grades of `pairs`: L2-regularised logistic regression on grade / 5.

    Signs are bound (more agreement never lowers a rating, more conflict never raises it), so the objective is convex
    and the rating monotone in every feature.
    """
    from scipy.optimize import minimize

    features = pair_features(embedder, [(pair.a, pair.b) for pair in pairs])
    raw = np.array([[row[name] for name in FEATURES] for row in features])
    mean, scale = raw.mean(axis=0), np.maximum(raw.std(axis=0), 1e-9)
    design = np.hstack([(raw - mean) / scale, np.ones((len(raw), 1))])
    target = np.array([pair.grade / 5 for pair in pairs])
    bounds: list[tuple[float | None, float | None]] = [
        *((0.0, None) if name in _AGREEMENT else (None, 0.0) for name in FEATURES),
        (None, None),
    ]
    fitted = minimize(
        _loss,
        np.zeros(len(FEATURES) + 1),
        args=(design, target),
        jac=True,
        bounds=bounds,
        method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 10_000},
    )
    weights = fitted.x[:-1] / scale
    return Calibration(
        id="embedding-calibration",
        version=version,
        intercept=round(float(fitted.x[-1] - weights @ mean), 6),
        weights={name: round(float(weight), 6) for name, weight in zip(FEATURES, weights, strict=True)},
        fitted_on=_digest(pairs),
    )


def shipped_calibration() -> Calibration:
    """The constants the judge uses, fitted once on the fit split (embedding_calibration.json)."""
    return Calibration.model_validate_json(_shipped("embedding_calibration.json"))


def labelled_pairs(split: str | None = None) -> list[LabelledPair]:
    """Our labelled pairs, all of them or those of one split (`fit`, `test`), in file order."""
    pairs = [LabelledPair.model_validate_json(line) for line in _shipped("labelled_pairs.jsonl").splitlines()]
    return [pair for pair in pairs if split is None or pair.split == split]


def _shipped(name: str) -> str:
    return files("evaluator.judges").joinpath(name).read_text(encoding="utf-8")


def _digest(pairs: Sequence[LabelledPair]) -> str:
    rows = [pair.model_dump() for pair in pairs]
    digest = hashlib.sha256(json.dumps(rows, ensure_ascii=False, sort_keys=True).encode()).hexdigest()
    return f"{len(pairs)} labelled pairs, sha256 {digest}"


def _embedded(embedder: Embedder, texts: Sequence[str]) -> dict[str, _Embedded]:
    sentences = {text: content_checks.sentences(text) for text in texts}
    needed = list(dict.fromkeys([*texts, *(sentence for parts in sentences.values() for sentence in parts)]))
    windows: dict[str, Vectors] = {}
    for start in range(0, len(needed), _SENTENCES_AT_ONCE):
        batch = needed[start : start + _SENTENCES_AT_ONCE]
        windows.update(zip(batch, embedder.windows(batch), strict=True))
    return {
        text: _Embedded(text, windows[text], np.concatenate([windows[part] for part in parts]))
        for text, parts in sentences.items()
    }


def _features(first: _Embedded, second: _Embedded) -> dict[str, float]:
    one, two = first.text, second.text
    return {
        "cosine": min(ENOUGH_COSINE, *best_match(first.windows, second.windows)),
        "coverage": min(ENOUGH_COSINE, max(best_match(first.sentences, second.sentences))),
        "numbers": content_checks.number_conflict(one, two),
        "negation": content_checks.negation_conflict(one, two),
        "opposites": content_checks.opposite_words(one, two),
        "names": content_checks.name_conflict(one, two),
        "exchanged": content_checks.exchanged_words(one, two),
        "refusal": float(content_checks.refuses(one) != content_checks.refuses(two)),
    }


def _loss(
    weights: npt.NDArray[np.float64], design: npt.NDArray[np.float64], target: npt.NDArray[np.float64]
) -> tuple[float, npt.NDArray[np.float64]]:
    """Mean cross-entropy against soft targets plus the penalty (the intercept, last, is free), and its gradient."""
    score = design @ weights
    penalised = np.append(weights[:-1], 0.0)
    loss = float(np.mean(np.logaddexp(0.0, score) - target * score) + 0.5 * PENALTY * penalised @ penalised)
    residual = 1.0 / (1.0 + np.exp(-score)) - target
    return loss, design.T @ residual / len(target) + PENALTY * penalised
