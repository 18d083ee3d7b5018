"""What answers its prompt in languages that the answer head does not read: a linear head on multilingual-e5-small.

It was trained on English and seven other languages, and reads more because the embeddings of all of them lie in one
space. It is asked in the languages in which it reached its bar; in the others only what needs no head is told
(docs/answer_gate.md).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evaluator.embeddings.language_codes import iso_code
from evaluator.embeddings.protocol import Embedder, Vectors, text_vectors
from evaluator.judges.answers.calibration import AnswerCalibration
from evaluator.judges.answers.features import LANGUAGE, MOST_CHARACTERS, MOST_FOREIGN, foreign_share, own_words
from evaluator.judges.answers.verdict import answer_judgment
from evaluator.judges.protocol import Judge, JudgeRequest, Judgment, RequestKind, reads_language, text_key
from evaluator.text.content_checks import content_words
from evaluator.values import Pin

if TYPE_CHECKING:
    from evaluator.embeddings.centres import Centres

NAME = "answers in many languages"
CALIBRATION = "other_languages_calibration.json"
TRAINED = "other_languages.safetensors"
"""`weights` of `pair_features`, the last of them the intercept."""
WEIGHED = ("linear",)

MOST_REPEATED = 0.5
"""Share of a prompt's content words from which on a text that has no others repeats the prompt."""

_MOST_LOGIT = 12.0
"""Beyond it the head is as sure as can be."""


def pair_features(prompt: Vectors, text: Vectors) -> npt.NDArray[np.float64]:
    """What the linear head weighs of two vectors of a prompt and a text: the text, and both together by coordinate."""
    asked, said = prompt.astype(np.float64), text.astype(np.float64)
    return np.concatenate([said, asked * said, np.abs(asked - said)])


@dataclass(frozen=True, slots=True)
class TrainedPart:
    """What the head learnt."""

    weights: npt.NDArray[np.float64]
    """Of `pair_features`, and the intercept."""

    def logit(self, prompt: Vectors, text: Vectors) -> float:
        """The linear head alone."""
        return float(self.weights[:-1] @ pair_features(prompt, text) + self.weights[-1])

    @property
    def digest(self) -> str:
        """SHA-256 of all numbers."""
        return hashlib.sha256(np.ascontiguousarray(self.weights, dtype="<f4").tobytes()).hexdigest()


class LanguagesCalibration(AnswerCalibration):
    """The calibration of the linear head, and where it is asked."""

    gates: tuple[str, ...]
    """Languages in which the head reached its bar, as prompt sets call them, in alphabetical order."""


def answer_features_in(
    embedder: Embedder, centres: Centres, trained: TrainedPart, asked: Sequence[tuple[str, str, str]]
) -> list[dict[str, float]]:
    """What the calibration weighs, for each prompt, text that is not blank, and their language.

    `linear`: the linear head's logit, of vectors without the place of their language; `foreign`: 1 for a text in
    another language.

    Args:
        embedder: multilingual-e5-small.
        centres: The places of the languages.
        trained: The head.
        asked: Prompt, text and language (as prompt sets call it).
    """
    begun = [(prompt, text[:MOST_CHARACTERS], language) for prompt, text, language in asked]
    needed = list(dict.fromkeys(text for prompt, answer, _ in begun for text in (prompt, answer)))
    rows = dict(zip(needed, text_vectors(embedder, needed), strict=True)) if needed else {}
    features = []
    for prompt, text, language in begun:
        logit = trained.logit(centres.taken_off(rows[prompt], language), centres.taken_off(rows[text], language))
        features.append(
            {"linear": min(_MOST_LOGIT, max(-_MOST_LOGIT, logit)), "foreign": _is_foreign(prompt, text, language)}
        )
    return features


def _is_foreign(prompt: str, text: str, language: str) -> float:
    return float(foreign_share(prompt, text, iso_code(language)) > MOST_FOREIGN)


def repeats_prompt(prompt: str, text: str) -> bool:
    """Whether a text says nothing but a good part of its prompt's words.

    >>> repeats_prompt("How do I boil brown rice?", "boil brown rice"), repeats_prompt("Tea or rice?", "Rice.")
    (True, False)
    """
    asked, said = set(content_words(prompt)), set(content_words(text))
    return not content_words(own_words(prompt, text)) and len(said & asked) > MOST_REPEATED * len(asked)


class LinearHead(Judge):
    """Gives the probability that a text answers its prompt, in the prompt's language, from their embeddings.

    In a language in which it did not reach its bar it knows no more than that a text in another language and a
    repeated prompt answer nothing: the probability is 0 or 1 there.

    Args:
        embedder: multilingual-e5-small, as it was calibrated.
        languages: That the embedder reads, as the prompt sets call them.
        trained: The head.
        calibration: From what is seen to a probability, and where the head is asked.
        centres: The places of the languages.
    """

    def __init__(
        self,
        embedder: Embedder,
        languages: Sequence[str],
        trained: TrainedPart,
        calibration: LanguagesCalibration,
        centres: Centres,
    ) -> None:
        self._embedder = embedder
        self._languages = tuple(languages)
        self._trained = trained
        self._calibration = calibration
        self._centres = centres

    @cached_property
    def pin(self) -> Pin:
        """The embedder's, with calibration, places of languages and trained part in place of a prompt."""
        shown = f"{self._calibration.id} {self._calibration.version}, asked in {' '.join(self._calibration.gates)}"
        return self._embedder.pin.model_copy(
            update={
                "name": "linear",
                "prompt": f"{shown}, centres {self._centres.digest[:12]}, head {self._trained.digest[:12]}",
                "languages": self._languages,
            }
        )

    @property
    def kinds(self) -> frozenset[RequestKind]:
        return frozenset({"answers"})

    def judge(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
        """One judgment per request, in order: a probability, or unscored for blank texts and languages not read."""
        settled = [self._without_reading(request) for request in requests]
        is_open = [place for place, judgment in enumerate(settled) if judgment is None]
        asked = [(requests[p].fields["prompt_1"], requests[p].fields["answer"], requests[p].language) for p in is_open]
        for place, row in zip(
            is_open, answer_features_in(self._embedder, self._centres, self._trained, asked), strict=True
        ):
            settled[place] = answer_judgment(self._calibration.probability(row), row)
            self.on_request(place)
        return [judgment for judgment in settled if judgment is not None]

    def key(self, request: JudgeRequest) -> str:
        return text_key(self.pin, request)

    def _without_reading(self, request: JudgeRequest) -> Judgment | None:
        if not reads_language(self.pin, request.language):
            return Judgment(None, reason=f"whether a text answers is not known in {request.language!r}")
        prompt, text = request.fields["prompt_1"], request.fields["answer"][:MOST_CHARACTERS]
        if not text.strip():
            return Judgment(None, reason="the answer is blank")
        if request.language in self._calibration.gates:
            return None
        foreign = _is_foreign(prompt, text, request.language)
        repeated = float(repeats_prompt(prompt, text))
        return answer_judgment(1.0 - max(foreign, repeated), {"foreign": foreign, "repeated": repeated})


def joined_pin(english: Pin, others: Pin) -> Pin:
    """Two heads as one: both revisions under one name."""
    both = f"{english.revision}\n{english.prompt}\n{others.revision}\n{others.prompt}"
    return others.model_copy(
        update={
            "name": NAME,
            "model": f"{LANGUAGE}: {english.model}; others: {others.model}",
            "revision": hashlib.sha256(both.encode()).hexdigest(),
            "prompt": f"{english.prompt}; {others.prompt}",
            "languages": tuple(sorted({*(others.languages or ()), LANGUAGE})),
        }
    )


class HeadsByLanguage(Judge):
    """Two heads as one: English is put to the answer head, every other language to the linear one.

    Args:
        english: Reads English.
        others: Reads many languages.
    """

    def __init__(self, english: Judge, others: Judge) -> None:
        self._english = english
        self._others = others

    @cached_property
    def pin(self) -> Pin:
        return joined_pin(self._english.pin, self._others.pin)

    @property
    def kinds(self) -> frozenset[RequestKind]:
        return frozenset({"answers"})

    def judge(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
        """One judgment per request, in order, by the head of its language."""
        judgments: dict[int, Judgment] = {}
        for head in (self._english, self._others):
            places = [place for place, request in enumerate(requests) if self._of(request) is head]
            head.on_request = lambda place, places=places: self.on_request(None if place is None else places[place])  # type: ignore[misc]
            judgments |= zip(places, head.judge([requests[place] for place in places]), strict=True)
        return [judgments[place] for place in range(len(requests))]

    def key(self, request: JudgeRequest) -> str:
        return self._of(request).key(request)

    def _of(self, request: JudgeRequest) -> Judge:
        return self._english if request.language == LANGUAGE else self._others


def load_heads(english: Judge, embedder: Embedder, languages: Sequence[str], folder: Path | None = None) -> Judge:
    """The heads that come with Plumbline.

    Args:
        english: The answer head.
        embedder: multilingual-e5-small.
        languages: That it reads, as the prompt sets call them.
        folder: Of another calibration than the shipped one.
    """
    from safetensors.numpy import load_file

    from evaluator.embeddings.centres import shipped_centres

    folder = folder or Path(str(files("evaluator.judges.answers")))
    calibration = LanguagesCalibration.model_validate_json((folder / CALIBRATION).read_text(encoding="utf-8"))
    trained = TrainedPart(load_file(folder / TRAINED)["weights"].astype(np.float64))
    return HeadsByLanguage(english, LinearHead(embedder, languages, trained, calibration, shipped_centres()))
