"""The embedded baseline judge: MiniLM cosine plus checks for what cosine is blind to, calibrated to 0-5 on our pairs.

It reads English pairs only; docs/judges.md says how well, and where it fails.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files

import numpy as np

from evaluator.embeddings.protocol import Embedder, Vectors
from evaluator.judges import content_checks
from evaluator.judges.calibration import Calibration, fitted
from evaluator.judges.protocol import Judge, JudgeRequest, Judgment, RequestKind, reads_language, text_key
from evaluator.judges.quality.labelled_pairs import LabelledPair, labelled_pairs, pairs_digest
from evaluator.judges.quantities import number_conflict
from evaluator.values import Pin

ENOUGH_COSINE = 0.6
"""Cosine above this says more about shared wording than about shared meaning, so it stops counting (chosen on
`calibration_pairs`)."""

_SENTENCES_AT_ONCE = 4096
"""Texts handed to the embedder in one call: bounds memory on large jobs."""

CALIBRATION_TOPICS = frozenset(
    {
        "bread", "compost", "football", "photosynthesis", "email_boss", "galileo", "dog_training", "mortgage", "sleep",
        "moving_abroad", "passwords",
    }
)  # fmt: skip
"""The topics this baseline is calibrated on, none of them a test topic: few and fixed, so that its constants stay what
they are while the labelled pairs grow, and anyone refits them in half a minute."""

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
        read = iter(pair_features(self._embedder, open_pairs, lambda: self.on_request(None)))
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


def pair_features(
    embedder: Embedder, pairs: Sequence[tuple[str, str]], told: Callable[[], None] = lambda: None
) -> list[dict[str, float]]:
    """The features of each pair of non-blank answers, the same for (a, b) and (b, a).

    Args:
        embedder: Of whole answers and of their sentences.
        pairs: In any order of the two.
        told: Called each time it gets on.
    """
    ordered = [(min(pair), max(pair)) for pair in pairs]  # one order for both: equal to the last bit
    embedded = _embedded(embedder, list(dict.fromkeys(text for pair in ordered for text in pair)), told)
    features = []
    for first, second in ordered:
        told()
        features.append(_features(embedded[first], embedded[second]))
    return features


def best_match(first: Vectors, second: Vectors) -> tuple[float, float]:
    """How well the second text covers the first, and the first the second: mean over rows of the best cosine.

    >>> best_match(np.eye(2, dtype=np.float32), np.eye(2, dtype=np.float32)[:1])
    (0.5, 1.0)
    """
    cosines = first.astype(np.float64) @ second.astype(np.float64).T
    return float(cosines.max(axis=1).mean()), float(cosines.max(axis=0).mean())


def fit_calibration(embedder: Embedder, pairs: Sequence[LabelledPair], version: str = "2") -> Calibration:
    """The calibration of this judge on `pairs` (see `calibration.fitted`)."""
    features = pair_features(embedder, [(pair.a, pair.b) for pair in pairs])
    return fitted(
        features,
        [pair.grade for pair in pairs],
        agreement=_AGREEMENT,
        id_="embedding-calibration",
        version=version,
        fitted_on=pairs_digest(pairs),
    )


def calibration_pairs() -> list[LabelledPair]:
    """What the shipped constants were fitted on."""
    return [pair for pair in labelled_pairs() if pair.topic in CALIBRATION_TOPICS]


def shipped_calibration() -> Calibration:
    """The constants the judge uses, fitted once on `calibration_pairs` (embedding_calibration.json)."""
    return Calibration.model_validate_json(_shipped("embedding_calibration.json"))


def _shipped(name: str) -> str:
    return files("evaluator.judges").joinpath(name).read_text(encoding="utf-8")


def _embedded(embedder: Embedder, texts: Sequence[str], told: Callable[[], None]) -> dict[str, _Embedded]:
    sentences: dict[str, list[str]] = {}
    for text in texts:
        told()
        sentences[text] = content_checks.sentences(text)
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
    first_text, second_text = first.text, second.text
    return {
        "cosine": min(ENOUGH_COSINE, *best_match(first.windows, second.windows)),
        "coverage": min(ENOUGH_COSINE, max(best_match(first.sentences, second.sentences))),
        "numbers": number_conflict(first_text, second_text),
        "negation": content_checks.negation_conflict(first_text, second_text),
        "opposites": content_checks.opposite_words(first_text, second_text),
        "names": content_checks.name_conflict(first_text, second_text),
        "exchanged": content_checks.exchanged_words(first_text, second_text),
        "refusal": float(content_checks.refuses(first_text) != content_checks.refuses(second_text)),
    }
