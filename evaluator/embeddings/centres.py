"""The places that multilingual-e5-small gives each language, to be taken off before vectors are compared or weighed.

An encoder gives each language a place of its own, so that two languages are apart before anything is said in them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cached_property
from importlib.resources import files
from pathlib import Path

import numpy as np

from evaluator.embeddings.language_codes import iso_code
from evaluator.embeddings.protocol import Vectors

CENTRES = "centres.safetensors"


class Centres:
    """Takes the place of its language off a vector.

    Args:
        by_language: Language (ISO 639-1) -> mean vector of our calibration sentences in it.
    """

    def __init__(self, by_language: Mapping[str, Vectors]) -> None:
        self.by_language = by_language

    def taken_off(self, vector: Vectors, language: str) -> Vectors:
        """A unit vector without the place of its language, of unit length again.

        >>> Centres({"de": np.array([1, 0], dtype=np.float32)}).taken_off(np.array([1, 2], np.float32), "de").tolist()
        [0.0, 1.0]
        """
        moved = vector - self.by_language[iso_code(language)]
        return np.asarray(moved / max(float(np.linalg.norm(moved)), 1e-12), dtype=np.float32)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the centres, in order of their languages."""
        digest = hashlib.sha256()
        for language, centre in sorted(self.by_language.items()):
            digest.update(language.encode() + np.ascontiguousarray(centre, dtype="<f4").tobytes())
        return digest.hexdigest()


def shipped_centres() -> Centres:
    """The centres that come with Plumbline, of our calibration sentences."""
    from safetensors.numpy import load_file

    return Centres(load_file(Path(str(files("evaluator.embeddings"))) / CENTRES))
