"""A trained head as a folder: model.json says what it is, weights.npz holds its numbers and is read without pickle."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from evaluator.behavior_alignment.implicit import Rates
from evaluator.behavior_alignment.strategies.features import TextFeatures, Vocabulary
from evaluator.behavior_alignment.strategies.head import EMBEDDING_WEIGHT, HeadEstimator, StrategyHead
from evaluator.behavior_alignment.strategies.inspired import LabelledDialogues
from evaluator.behavior_alignment.strategies.training import REGULARISATION, TrainedHead, rate_figures
from evaluator.embeddings.protocol import Embedder
from evaluator.values import Pin
from submissions.formats.behavior_alignment.submission import STRATEGIES

SCHEMA = 1
MODEL, WEIGHTS = "model.json", "weights.npz"


class EstimatorUnusable(Exception):
    """Raised when an estimator cannot be loaded; one sentence says why."""


def save_model(
    folder: Path, name: str, trained: TrainedHead, data: LabelledDialogues, encoder: Embedder | None
) -> None:
    """Writes both files; the folder is made where it does not exist.

    Raises:
        OSError: the folder or a file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    description = {
        "schema": SCHEMA,
        "name": name,
        "labels": list(STRATEGIES),
        "encoder": None if encoder is None else encoder.pin.model_dump(),
        "embedding_weight": EMBEDDING_WEIGHT,
        "regularisation_c": REGULARISATION,
        "data": [{"file": file, "sha256": sha256} for file, sha256 in data.files],
        "threshold": trained.threshold,
        "pair_accuracy": trained.pair_accuracy,
        "rates": rate_figures(trained.rates),
        "report": trained.report,
    }
    (folder / MODEL).write_text(json.dumps(description, indent=1, allow_nan=False) + "\n", encoding="utf-8")
    head, rates = trained.head, trained.rates
    np.savez_compressed(
        folder / WEIGHTS,
        word_terms=_packed(head.features.words),
        word_rarity=head.features.words.rarity,
        character_terms=_packed(head.features.characters),
        character_rarity=head.features.characters.rarity,
        weights=head.weights.astype(np.float32),
        intercept=head.intercept,
        rate_draws=rates.draws.astype(np.float32) if rates else np.zeros((0, 3)),
    )


def load_model(folder: Path, encoder: Embedder | None) -> HeadEstimator:
    """The estimator of a folder.

    Args:
        folder: As `save_model` wrote it.
        encoder: Used where the head was trained with one; it must be the same.

    Raises:
        EstimatorUnusable: a file is missing or is not what was written, or the encoder is another one.
    """
    try:
        description: dict[str, Any] = json.loads((folder / MODEL).read_text(encoding="utf-8"))
        with np.load(folder / WEIGHTS, allow_pickle=False) as stored:
            numbers = {name: stored[name] for name in stored.files}
        return _estimator(description, numbers, encoder)
    except OSError as error:
        raise EstimatorUnusable(f"{error.filename or folder}: {error.strerror or error}") from error
    except (KeyError, TypeError, ValueError, IndexError, zipfile.BadZipFile) as error:
        reason = f"{type(error).__name__}: {error}"
        raise EstimatorUnusable(f"{folder} is no model of train-behavior-classifier ({reason})") from error


def _estimator(description: dict[str, Any], numbers: dict[str, Any], encoder: Embedder | None) -> HeadEstimator:
    if description["schema"] != SCHEMA or description["labels"] != list(STRATEGIES):
        raise ValueError("another schema or other strategies than this version knows")
    words = Vocabulary(_unpacked(numbers["word_terms"]), numbers["word_rarity"])
    characters = Vocabulary(_unpacked(numbers["character_terms"]), numbers["character_rarity"])
    features = TextFeatures(words, characters)
    head = StrategyHead(features, numbers["weights"].astype(np.float64), numbers["intercept"])
    trained_with = None if description["encoder"] is None else Pin.model_validate(description["encoder"])
    _check_shapes(head, trained_with)
    return HeadEstimator(
        name=str(description["name"]),
        head=head,
        encoder=_same_encoder(trained_with, encoder) if trained_with else None,
        threshold=float(description["threshold"]),
        rates=_rates(description["rates"], numbers["rate_draws"].astype(np.float64)),
        pair_accuracy=description["pair_accuracy"],
    )


def _check_shapes(head: StrategyHead, trained_with: Pin | None) -> None:
    vocabularies = (head.features.words, head.features.characters)
    is_whole = all(len(vocabulary.terms) == len(vocabulary.rarity) for vocabulary in vocabularies)
    has_encoder = head.dimension > 0 if trained_with else head.dimension == 0
    if not (is_whole and has_encoder and head.weights.shape[1:] == head.intercept.shape == (len(STRATEGIES),)):
        raise ValueError("the weights are not of the shape that model.json describes")


def _same_encoder(trained_with: Pin, encoder: Embedder | None) -> Embedder:
    if encoder is None:
        raise EstimatorUnusable(f"this head needs the sentence encoder {trained_with.model}, which is not installed")
    if (encoder.pin.revision, encoder.pin.tokenizer) != (trained_with.revision, trained_with.tokenizer):
        raise EstimatorUnusable(
            f"this head was trained with the encoder {trained_with.model}, other weights than {encoder.pin.model}"
        )
    return encoder


def _rates(stated: dict[str, Any] | None, draws: Any) -> Rates | None:
    if stated is None:
        return None
    fields = ("tpr", "fpr_cross", "fpr_adjacent", "n_cross", "n_adjacent", "source")
    if draws.ndim != 2 or draws.shape[1] != 3 or not len(draws):
        raise ValueError("the resamples of the rates are missing")
    return Rates(**{name: stated[name] for name in fields}, draws=draws)


def _packed(vocabulary: Vocabulary) -> Any:
    """Terms as bytes, one per line: an array of objects would need pickle. No term holds a line break."""
    return np.frombuffer("\n".join(vocabulary.terms).encode("utf-8"), dtype=np.uint8)


def _unpacked(stored: Any) -> tuple[str, ...]:
    text = bytes(stored).decode("utf-8")
    return tuple(text.split("\n")) if text else ()
