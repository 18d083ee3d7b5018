"""Where published figures come from, and how they are kept."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from evaluator.public_record.records import FirstPlaceRecord
from evaluator.statistics.deciding_items import deciding_items
from evaluator.statistics.rank_bands import ItemValues


class SourceRefused(Exception):
    """Raised when a released file is missing or cannot be read; the message names it."""


def digest_of(paths: Sequence[Path], folder: Path) -> str:
    """One SHA-256 over files: of the lines "SHA-256 of a file, two spaces, its path below the folder"."""
    lines = (
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder).as_posix()}\n" for path in paths
    )
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def first_place(values: Mapping[str, ItemValues]) -> FirstPlaceRecord | None:
    """Return how few units decide who is first by its mean; None where several are.

    Args:
        values: Name -> unit -> value, higher is better.
    """
    deciding = deciding_items(values)
    if deciding is None or len(deciding.leaders) > 1:
        return None
    return FirstPlaceRecord(
        leader=deciding.leaders[0],
        successor=deciding.successor,
        units=len(deciding.items),
        total=deciding.total,
    )
