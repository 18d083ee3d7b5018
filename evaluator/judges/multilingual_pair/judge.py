"""The judge of pairs in many languages: a trained network on the token states of multilingual-e5-small.

It reads both answers together, in one language or in two, and sees much of what makes one contradict the other:
docs/embedded_judges.md says how much, and in which languages.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel

from evaluator.embeddings.e5 import E5Embedder
from evaluator.embeddings.language_codes import with_set_codes
from evaluator.embeddings.protocol import Embedder, text_cosines
from evaluator.judges.calibration import Calibration
from evaluator.judges.multilingual_pair.quality import QUALITY, MultilingualPairQuality
from evaluator.judges.protocol import (
    Judge,
    JudgeRequest,
    Judgment,
    RequestKind,
    UnsuitableJudge,
    reads_language,
    text_key,
)
from evaluator.judges.trained_pin import trained_pin
from evaluator.values import Pin

if TYPE_CHECKING:
    import torch

    from evaluator.judges.multilingual_pair.network import JointNetwork, TokenStates

NAME = "multilingual_pair"
TRAINED = "trained.safetensors"
CALIBRATION = "calibration.json"

FEATURES = ("network", "cosine")
"""What the calibration weighs: the network's logit, and how near the untrained embeddings of both texts lie."""

PAIRS_AT_ONCE = 256
"""Pairs whose token states are held together: bounds memory on large jobs."""

_MADE_ANEW = "name a folder made by `python -m research train-multilingual-pair-judge`"


class MultilingualPairJudge(Judge):
    """Rates pairs of answers in one language or in two; both orders are asked separately.

    Args:
        embedder: multilingual-e5-small as it was trained on.
        languages: What it declares (ISO 639-1); those that passed the bar.
        trained: The trained part.
        calibration: From logit and cosine to rating.

    Raises:
        UnsuitableJudge: for another embedding model than the one the trained part belongs to.
    """

    def __init__(self, embedder: Embedder, languages: Sequence[str], trained: Path, calibration: Calibration) -> None:
        if not isinstance(embedder, E5Embedder):
            raise UnsuitableJudge(
                f"the multilingual pair judge is trained on the embedding model e5, not on {embedder.pin.model}"
            )
        self._embedder = embedder
        self._languages = with_set_codes(languages)
        self._trained = trained
        self._calibration = calibration

    @cached_property
    def pin(self) -> Pin:
        """The embedder's pin under this judge's name; the revision is the SHA-256 of base weights and trained part."""
        prompt = f"{self._calibration.id} {self._calibration.version}"
        pin = trained_pin(self._embedder.pin, self._trained, name=NAME, part="multilingual pair layers", prompt=prompt)
        return pin.model_copy(update={"languages": self._languages})

    @property
    def kinds(self) -> frozenset[RequestKind]:
        return frozenset({"similarity_pair"})

    def judge(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
        """One judgment per request, in order; blank answers and languages it does not declare are unscored."""
        known = [_settled(request, self.pin) for request in requests]
        pairs = [
            (request.fields["answer_a"], request.fields["answer_b"])
            for request, judgment in zip(requests, known, strict=True)
            if judgment is None
        ]
        read = iter(self.features(pairs))
        return [judgment if judgment is not None else self._judgment(next(read)) for judgment in known]

    def ratings(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Of ordered pairs of texts that are not blank, in whatever language."""
        return [self._calibration.rating(features) for features in self.features(pairs)]

    def features(self, pairs: Sequence[tuple[str, str]]) -> list[dict[str, float]]:
        """What the calibration weighs, for each ordered pair of texts that are not blank."""
        cosines = text_cosines(self._embedder, pairs)
        return [{"network": logit, "cosine": cosine} for logit, cosine in zip(self.logits(pairs), cosines, strict=True)]

    def logits(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """What the network makes of each ordered pair of texts that are not blank."""
        from evaluator.judges.multilingual_pair.network import logits

        pair_logits: list[float] = []
        states: dict[str, list[torch.Tensor]] = {}
        for start in range(0, len(pairs), PAIRS_AT_ONCE):
            chosen = pairs[start : start + PAIRS_AT_ONCE]
            texts = list(dict.fromkeys(text for pair in chosen for text in pair))
            missing = [text for text in texts if text not in states]
            new = self._token_states(missing, lambda: self.on_request(None))
            states = {text: states[text] for text in texts if text in states} | dict(zip(missing, new, strict=True))
            rows = [(states[first], states[second]) for first, second in chosen]
            pair_logits += logits(self._network, rows, lambda: self.on_request(None)).tolist()
        return pair_logits

    def key(self, request: JudgeRequest) -> str:
        return text_key(self.pin, request)

    @cached_property
    def _network(self) -> JointNetwork:
        from evaluator.judges.multilingual_pair.network import load_network

        return load_network(self._embedder.encoder, self._trained)

    @cached_property
    def _token_states(self) -> TokenStates:
        from evaluator.judges.multilingual_pair.network import TokenStates

        return TokenStates(self._embedder)

    def _judgment(self, features: dict[str, float]) -> Judgment:
        return Judgment(self._calibration.rating(features), details=features)


def shipped_folder() -> Path:
    """Where the trained part lies that came with the judge."""
    return Path(str(files("evaluator.judges.multilingual_pair")))


def load_multilingual_pair_judge(embedder: Embedder, folder: Path | None = None) -> MultilingualPairJudge:
    """The shipped judge, or one that `train-multilingual-pair-judge` left in a folder.

    Raises:
        UnsuitableJudge: when the folder lacks a part or holds a broken one, or the embedding model is another.
    """
    where = folder or shipped_folder()
    missing = [name for name in (TRAINED, CALIBRATION, QUALITY) if not (where / name).is_file()]
    if missing:
        raise UnsuitableJudge(f"{where} has no {' and no '.join(missing)}: {_MADE_ANEW}")
    calibration = _read(where / CALIBRATION, Calibration)
    if set(calibration.weights) != set(FEATURES):
        raise UnsuitableJudge(
            f"{where / CALIBRATION} weighs {', '.join(calibration.weights)}, this judge sees {', '.join(FEATURES)}: "
            f"{_MADE_ANEW}"
        )
    _check_trained(where / TRAINED)
    languages = _read(where / QUALITY, MultilingualPairQuality).read
    return MultilingualPairJudge(embedder, languages, where / TRAINED, calibration)


Part = TypeVar("Part", bound=BaseModel)


def _read(path: Path, kind: type[Part]) -> Part:
    try:
        return kind.model_validate_json(path.read_bytes())
    except (OSError, ValueError) as error:
        raise UnsuitableJudge(f"{path} cannot be read ({str(error).splitlines()[0]}): {_MADE_ANEW}") from None


def _check_trained(path: Path) -> None:
    """Refuses at once what would fail, or judge at random, at the first pair."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt") as file:
            names = set(file.keys())
    except (OSError, SafetensorError) as error:
        raise UnsuitableJudge(f"{path} is no safetensors file ({error}): {_MADE_ANEW}") from None
    if not {"of_second", "head.0.weight"} <= names:
        raise UnsuitableJudge(f"{path} is no trained part of this judge (it has no head): {_MADE_ANEW}")


def _settled(request: JudgeRequest, pin: Pin) -> Judgment | None:
    """What is settled of a pair in one language or in two before any text is read; None where it has to be read.

    Raises:
        ValueError: for what is no question about a pair.
    """
    if request.rubric.kind != "similarity_pair":
        raise ValueError(f"the judge {pin.name} reads pairs only, not {request.rubric.kind}")
    first, second = request.fields["answer_a"], request.fields["answer_b"]
    languages = (request.language, request.second_language or request.language)
    unread = [language for language in dict.fromkeys(languages) if not reads_language(pin, language)]
    if unread:
        read = ", ".join(pin.languages or ())
        return Judgment(None, reason=f"this judge does not read {', '.join(unread)} (it reads: {read})")
    if not first.strip() or not second.strip():
        return Judgment(None, reason="an answer is blank")
    return Judgment(5.0) if len(set(languages)) == 1 and first.split() == second.split() else None
