"""The answer head: does a text answer its prompt? It stands beside the embedded judges, which read pairs only.

English only, as they are. docs/answer_gate.md says how it was made, how often it is right, and where it fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from evaluator.embeddings.protocol import Embedder, Vectors
from evaluator.judges.answers.calibration import AnswerCalibration
from evaluator.judges.answers.verdict import answer_judgment
from evaluator.judges.protocol import (
    Judge,
    JudgeRequest,
    Judgment,
    RequestKind,
    Told,
    reads_language,
    text_key,
)
from evaluator.judges.trained_pin import trained_pin
from evaluator.values import Pin

if TYPE_CHECKING:
    from evaluator.judges.pair.network import PairNetwork, PairTokenizer

TRAINED = "answer_head.safetensors"
CALIBRATION = "answer_calibration.json"
OTHERS = "others"
"""Name of the vectors of prompts of other topics, beside the trained part."""


class AnswerHead(Judge):
    """Gives the probability that a text answers its prompt, in the prompt's language.

    Args:
        embedder: Says how near a text comes to its prompt.
        trained: The trained part, and the vectors of prompts of other topics.
        calibration: From what is seen to a probability.
    """

    def __init__(self, embedder: Embedder, trained: Path, calibration: AnswerCalibration) -> None:
        self._embedder = embedder
        self._trained = trained
        self._calibration = calibration

    @cached_property
    def pin(self) -> Pin:
        """Base model and tokenizer of the pair judge; the revision is the SHA-256 of base weights and trained part."""
        prompt = f"{self._calibration.id} {self._calibration.version}"
        return trained_pin(self._embedder.pin, self._trained, name="answers", part="answer head", prompt=prompt)

    @property
    def kinds(self) -> frozenset[RequestKind]:
        return frozenset({"answers"})

    def judge(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
        """One judgment per request, in order: a probability, or unscored for blank texts and languages not read."""
        from evaluator.judges.answers.features import answer_features

        settled = [self._without_reading(request) for request in requests]
        is_open = [place for place, judgment in enumerate(settled) if judgment is None]
        asked = [(requests[place].fields["prompt_1"], requests[place].fields["answer"]) for place in is_open]
        if asked:
            features = answer_features(
                self._network, self._tokenizer, self._embedder, self._others, asked, lambda: self.on_request(None)
            )
            for place, row in zip(is_open, features, strict=True):
                settled[place] = answer_judgment(self._calibration.probability(row), row)
        return [judgment for judgment in settled if judgment is not None]

    def key(self, request: JudgeRequest) -> str:
        return text_key(self.pin, request)

    @cached_property
    def _network(self) -> PairNetwork:
        from evaluator.judges.answers.network import load_network

        return load_network(self._trained)

    @cached_property
    def _others(self) -> Vectors:
        from safetensors.numpy import load_file

        return load_file(self._trained)[OTHERS].astype(np.float32)

    @cached_property
    def _tokenizer(self) -> PairTokenizer:
        from evaluator.judges.pair.network import PairTokenizer

        return PairTokenizer()

    def _without_reading(self, request: JudgeRequest) -> Judgment | None:
        if request.rubric.kind not in self.kinds:
            raise ValueError(f"the answer head is not asked {request.rubric.kind}")
        if not reads_language(self.pin, request.language):
            languages = ", ".join(self.pin.languages or ())
            return Judgment(None, reason=f"the answer head does not read {request.language!r} (it reads: {languages})")
        if not request.fields["answer"].strip():
            return Judgment(None, reason="the answer is blank")
        return None


class GatedJudge(Judge):
    """A judge of pairs with an answer head beside it: one judge to those who ask.

    Args:
        judge: Answers everything but the question of the head.
        head: Answers that.
    """

    def __init__(self, judge: Judge, head: Judge) -> None:
        self._judge = judge
        self._head = head

    @property
    def pin(self) -> Pin:
        """Of the judge of pairs: its ratings do not depend on the head."""
        return self._judge.pin

    @property
    def gate_pin(self) -> Pin:
        return self._head.pin

    @property
    def kinds(self) -> frozenset[RequestKind]:
        return self._judge.kinds | {"answers"}

    def judge(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
        """One judgment per request, in order, by the one of the two it is for."""
        judgments: dict[int, Judgment] = {}
        for judge in (self._judge, self._head):
            places = [place for place, request in enumerate(requests) if self._of(request) is judge]
            judge.on_request = self._telling(places)
            judgments |= zip(places, judge.judge([requests[place] for place in places]), strict=True)
        return [judgments[place] for place in range(len(requests))]

    def key(self, request: JudgeRequest) -> str:
        return self._of(request).key(request)

    def _of(self, request: JudgeRequest) -> Judge:
        return self._head if request.rubric.kind == "answers" else self._judge

    def _telling(self, places: Sequence[int]) -> Told:
        return lambda place: self.on_request(None if place is None else places[place])


def shipped_trained_part() -> Path:
    """The trained part that comes with Plumbline."""
    return Path(str(files("evaluator.judges.answers"))) / TRAINED


def load_answer_head(embedder: Embedder, folder: Path | None = None) -> AnswerHead:
    """The head that comes with Plumbline, or one from the folder that `train-answer-head` wrote."""
    folder = folder or shipped_trained_part().parent
    calibration = (folder / CALIBRATION).read_text(encoding="utf-8")
    return AnswerHead(embedder, folder / TRAINED, AnswerCalibration.model_validate_json(calibration))
