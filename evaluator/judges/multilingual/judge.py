"""The judge of answers in several languages: the cosine of multilingual-e5-small, calibrated on our own pairs.

It compares what two answers are about and claim, in one language or in two. It does not see a negation, a changed
number or exchanged roles: docs/embedded_judges.md says how little.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.resources import files
from pathlib import Path

import numpy as np

from evaluator.embeddings.language_codes import iso_code, with_set_codes
from evaluator.embeddings.protocol import Embedder, Vectors, text_vectors
from evaluator.judges.calibration import Calibration
from evaluator.judges.protocol import (
    Judge,
    JudgeRequest,
    Judgment,
    RequestKind,
    UnsuitableJudge,
    reads_language,
    text_key,
)
from evaluator.values import Pin

NAME = "multilingual"
CALIBRATION = "calibration.json"
CENTRES = "centres.safetensors"

_TEXTS_AT_ONCE = 1024
"""Texts handed to the embedder in one call: bounds memory on large jobs."""


class Reading:
    """From the vectors of two texts to a rating.

    An encoder gives each language a place of its own, so that two languages are apart before anything is said in them;
    the centre of each language is taken off first.

    Args:
        centres: Language (ISO 639-1) -> mean vector of our calibration sentences in it.
        calibration: From the cosine of what is left to a rating.
    """

    def __init__(self, centres: Mapping[str, Vectors], calibration: Calibration) -> None:
        self.centres = centres
        self.calibration = calibration

    def centred(self, vector: Vectors, language: str) -> Vectors:
        """A unit vector without the place of its language, of unit length again."""
        return moved_from(self.centres[iso_code(language)], vector)

    def rating(self, first: Vectors, second: Vectors) -> float:
        """Strictly between 0 and 5, from two centred vectors; the same in both orders."""
        return self.calibration.rating({"cosine": cosine(first, second)})

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the centres, in order of their languages."""
        digest = hashlib.sha256()
        for language, centre in sorted(self.centres.items()):
            digest.update(language.encode() + np.ascontiguousarray(centre, dtype="<f4").tobytes())
        return digest.hexdigest()


def moved_from(centre: Vectors, vector: Vectors) -> Vectors:
    """What is left of a vector without a centre, of unit length.

    >>> moved_from(np.array([1, 0], dtype=np.float32), np.array([1, 2], dtype=np.float32)).tolist()
    [0.0, 1.0]
    """
    moved = vector - centre
    return np.asarray(moved / max(float(np.linalg.norm(moved)), 1e-12), dtype=np.float32)


def cosine(first: Vectors, second: Vectors) -> float:
    """Of two unit vectors, -1..1; summed in one order, so that it is the same for (a, b) and (b, a)."""
    return float((first.astype(np.float64) * second.astype(np.float64)).sum())


class MultilingualJudge(Judge):
    """Rates pairs of answers in one language or in two; the same in both orders by construction.

    Args:
        embedder: multilingual-e5-small as it was calibrated.
        languages: What it declares (ISO 639-1); those that passed the bar.
        reading: Another calibration than the shipped one.

    Raises:
        UnsuitableJudge: for another embedding model than the one the calibration belongs to.
    """

    def __init__(self, embedder: Embedder, languages: Sequence[str], reading: Reading | None = None) -> None:
        if embedder.pin.name != "e5":
            raise UnsuitableJudge(
                f"the multilingual judge is calibrated for the embedding model e5, not for {embedder.pin.model}"
            )
        self._embedder = embedder
        self._languages = with_set_codes(languages)
        self._reading = reading or shipped_reading()

    @cached_property
    def pin(self) -> Pin:
        """The embedder's pin under this judge's name, with the calibration in place of a prompt."""
        calibration = self._reading.calibration
        return self._embedder.pin.model_copy(
            update={
                "name": NAME,
                "prompt": f"{calibration.id} {calibration.version}, centres {self._reading.digest[:12]}",
                "languages": self._languages,
            }
        )

    @property
    def kinds(self) -> frozenset[RequestKind]:
        return frozenset({"similarity_pair"})

    def judge(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
        """One judgment per request, in order; blank answers and languages it does not declare are unscored."""
        known = [settled(request, self.pin) for request in requests]
        open_ = [request for request, judgment in zip(requests, known, strict=True) if judgment is None]
        texts = list(dict.fromkeys(side for request in open_ for side in sides(request)))
        vectors: dict[tuple[str, str], Vectors] = {}
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            batch = texts[start : start + _TEXTS_AT_ONCE]
            batch_vectors = text_vectors(self._embedder, [text for text, _ in batch])
            for (text, language), vector in zip(batch, batch_vectors, strict=True):
                vectors[text, language] = self._reading.centred(vector, language)
                self.on_request(None)
        return [
            judgment or self._judgment(*(vectors[side] for side in sides(request)))
            for request, judgment in zip(requests, known, strict=True)
        ]

    def key(self, request: JudgeRequest) -> str:
        return text_key(self.pin, request)

    def _judgment(self, first: Vectors, second: Vectors) -> Judgment:
        return Judgment(self._reading.rating(first, second), details={"cosine": cosine(first, second)})


def settled(request: JudgeRequest, pin: Pin) -> Judgment | None:
    """What is settled of a pair in one language or in two before any text is read; None where it has to be read.

    Raises:
        ValueError: for what is no question about a pair.
    """
    if request.rubric.kind != "similarity_pair":
        raise ValueError(f"the judge {pin.name} reads pairs only, not {request.rubric.kind}")
    (first, first_language), (second, second_language) = sides(request)
    unread = [
        language for language in dict.fromkeys((first_language, second_language)) if not reads_language(pin, language)
    ]
    if unread:
        read = ", ".join(pin.languages or ())
        return Judgment(None, reason=f"this judge does not read {', '.join(unread)} (it reads: {read})")
    if not first.strip() or not second.strip():
        return Judgment(None, reason="an answer is blank")
    return Judgment(5.0) if first_language == second_language and first.split() == second.split() else None


def sides(request: JudgeRequest) -> tuple[tuple[str, str], tuple[str, str]]:
    """Both answers of a pair, each with its language."""
    other = request.second_language or request.language
    return (request.fields["answer_a"], request.language), (request.fields["answer_b"], other)


def shipped_reading() -> Reading:
    """The centres and constants the judge uses, fitted once on our calibration topics."""
    from safetensors.numpy import load_file

    folder = Path(str(files("evaluator.judges.multilingual")))
    calibration = Calibration.model_validate_json((folder / CALIBRATION).read_text(encoding="utf-8"))
    return Reading(load_file(folder / CENTRES), calibration)
