"""The pin of a judge that stands on a model with a trained part of ours."""

from __future__ import annotations

import hashlib
from pathlib import Path

from evaluator.values import Pin


def trained_pin(base: Pin, trained: Path, *, name: str, part: str, prompt: str) -> Pin:
    """The base model's pin under the judge's name; the revision is the SHA-256 of base revision and trained part.

    Args:
        base: Of the model.
        trained: File of the trained part.
        name: Of the judge.
        part: What was trained, such as "pair adapter".
        prompt: Id and version of the calibration, and of whatever else decides what is read.
    """
    digest = hashlib.sha256(trained.read_bytes()).hexdigest()
    return base.model_copy(
        update={
            "name": name,
            "model": f"{base.model} with Plumbline's {part}",
            "revision": hashlib.sha256(f"{base.revision}\n{digest}".encode()).hexdigest(),
            "prompt": prompt,
        }
    )
