"""A run of 2026 as the desk takes it in: its answers, up to 256 MiB of text, stay in the file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from submissions.schema import Flag, Names, Response


@dataclass(frozen=True, slots=True)
class CulturalEntry:
    """Who sent what, and a look at it."""

    names: Names
    file_sha256: str
    languages: tuple[str, ...]
    """Listed in the metadata or answered."""
    first_answers: tuple[Response, ...]
    """A few of its answers as they were read."""
    flags: Mapping[Flag, int]
    """Flag of the guards -> how many answers carry it."""
    set_id: str
    """What it is entered under."""
