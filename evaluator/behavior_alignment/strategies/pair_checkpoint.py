"""A published classifier of sentence pairs (BERT): same strategy or not, as an estimator beside our head.

It reads one string, "human [SEP] system", without token types, cut at 128 tokens; class 1 means same. Weights are read
from safetensors only, from the Hub or from a folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from evaluator.behavior_alignment.implicit import Rates, StrategyEstimator
from evaluator.behavior_alignment.strategies.model_folder import EstimatorUnusable
from evaluator.statistics.intervals import FloatArray

MAX_TOKENS = 128
BATCH_ROWS = 16
THRESHOLD = 0.5
SAME = 1

_ANSWER_WITHIN_S = 10.0


@dataclass(frozen=True, slots=True)
class Published:
    """What the authors' released predictions say of a checkpoint (42,006 ReDial pairs)."""

    tpr: float
    fpr: float
    accuracy: float


PUBLISHED: dict[str, Published] = {
    "MixedHard": Published(tpr=0.968, fpr=0.103, accuracy=0.932),
    "Origin": Published(tpr=0.964, fpr=0.401, accuracy=0.782),
}
"""Part of the checkpoint's name -> how it does."""


class PairCheckpoint(StrategyEstimator):
    """A sequence classifier with two classes; loaded at once, so that what is missing is told before any work.

    Args:
        source: Hub repository or folder.
        name: As figures made with it state.

    Raises:
        EstimatorUnusable: it cannot be loaded, or is no such classifier.
    """

    def __init__(self, source: str, name: str) -> None:
        self._source, self._name = source, name
        try:
            self._tokenizer, self._model = _loaded(source)
        # Whatever transformers raises, for the user it is one thing: this checkpoint cannot be had.
        except Exception as error:
            reason = str(error).strip().splitlines() or [type(error).__name__]
            raise EstimatorUnusable(f"the estimator {name} cannot be loaded: {reason[0]}") from error
        if self._model.config.num_labels != 2:
            raise EstimatorUnusable(f"the estimator {name} has {self._model.config.num_labels} classes; expected 2")

    @property
    def name(self) -> str:
        return self._name

    @property
    def threshold(self) -> float:
        return THRESHOLD

    @cached_property
    def _published(self) -> Published | None:
        return next((known for part, known in PUBLISHED.items() if part in self._source), None)

    @property
    def rates(self) -> Rates | None:
        """Of the released predictions on ReDial, where it is one of the two published; they have no resamples."""
        if self._published is None:
            return None
        tpr, fpr = self._published.tpr, self._published.fpr
        return Rates(
            tpr=tpr,
            fpr_cross=fpr,
            fpr_adjacent=fpr,
            n_cross=42_006,
            n_adjacent=0,
            draws=np.array([[tpr, fpr, fpr]]),
            source="released predictions on ReDial",
        )

    @property
    def pair_accuracy(self) -> float | None:
        return None if self._published is None else self._published.accuracy

    def probabilities(self, texts: Sequence[str]) -> FloatArray | None:
        """None: it reads pairs only."""
        return None

    def similarities(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Probability of "same" of each (human, system) pair; not symmetric."""
        distinct = list(dict.fromkeys(pairs))
        probabilities = [
            s for start in range(0, len(distinct), BATCH_ROWS) for s in self._batch(distinct[start:][:BATCH_ROWS])
        ]
        known = dict(zip(distinct, probabilities, strict=True))
        return [known[pair] for pair in pairs]

    def _batch(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        import torch

        separator = self._tokenizer.sep_token
        read = self._tokenizer(
            [f"{human} {separator} {system}" for human, system in pairs],
            truncation=True,
            max_length=MAX_TOKENS,
            padding=True,
            return_token_type_ids=False,
            return_tensors="pt",
        )
        with torch.inference_mode():
            shares = torch.softmax(self._model(**read).logits.float(), dim=-1)
        return [float(share) for share in shares[:, SAME]]


def _loaded(source: str) -> tuple[Any, Any]:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    local = Path(source).is_dir() or not _hub_answers()
    tokenizer = AutoTokenizer.from_pretrained(source, trust_remote_code=False, local_files_only=local)
    model = AutoModelForSequenceClassification.from_pretrained(
        source, trust_remote_code=False, local_files_only=local, use_safetensors=True, dtype=torch.float32
    )
    return tokenizer, model.eval()


def _hub_answers() -> bool:
    """Asks the Hub once: its client would try five times for each file, with growing pauses, before saying that it
    cannot be reached. What was fetched before is used without it."""
    import httpx2
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE:
        return False
    try:
        httpx2.head(constants.ENDPOINT, timeout=_ANSWER_WITHIN_S)
    except httpx2.TransportError:
        return False
    return True
