"""Where published figures come from, and how they are kept."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path


class SourceRefused(Exception):
    """Raised when a released file is missing or cannot be read; the message names it."""


def digest_of(paths: Sequence[Path], folder: Path) -> str:
    """One SHA-256 over files: of the lines "SHA-256 of a file, two spaces, its path below the folder"."""
    lines = (
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder).as_posix()}\n" for path in paths
    )
    return hashlib.sha256("".join(lines).encode()).hexdigest()
