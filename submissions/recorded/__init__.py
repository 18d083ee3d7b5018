"""Recorded runs: what SmolLM2 answered to our own prompts and questions, shipped as files of submissions.

`manifest.json` beside them says of each file how it was made, by which model, and its checksum; `python -m evaluator
record` makes them all (docs/generators.md).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import resources
from typing import Any

MANIFEST = "manifest.json"
PERSONALIZATION = "smollm2_personalization.jsonl"
"""The file whose answers the lab replays."""


def recorded_submissions() -> Iterator[tuple[str, bytes]]:
    """File name and bytes of each recorded submission, the one the lab opens with first."""
    folder = resources.files(__name__)
    for name in manifest()["files"]:
        yield name, (folder / name).read_bytes()


def manifest() -> dict[str, Any]:
    """How the files were made: the model, the versions, and of each file its command, decoding and SHA-256."""
    document: dict[str, Any] = json.loads((resources.files(__name__) / MANIFEST).read_text(encoding="utf-8"))
    return document
