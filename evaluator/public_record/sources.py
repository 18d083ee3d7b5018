"""Where published figures come from, and how they are kept."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from evaluator.values import Frozen, MetricValue

DIGITS = 6
"""Decimals that are kept: more would differ between processors."""


class SourceRefused(Exception):
    """Raised when a released file is missing or cannot be read; the message names it."""


class Published(Frozen):
    """Figures made from files that others released."""

    citation: str
    link: str
    source: str
    """The repository with its commit."""
    licence: str
    files_sha256: str
    """One SHA-256 over the files that were read (`digest_of`)."""
    computed_on: str
    """Day, as YYYY-MM-DD."""
    code_version: str


def digest_of(paths: Sequence[Path], folder: Path) -> str:
    """One SHA-256 over files: of the lines "SHA-256 of a file, two spaces, its path below the folder"."""
    lines = (
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder).as_posix()}\n" for path in paths
    )
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def rounded(metric: MetricValue) -> MetricValue:
    """The figure with the decimals that are kept.

    >>> rounded(MetricValue(value=2 / 3, n=3)).value
    0.666667
    """
    ends = {key: getattr(metric, key) for key in ("value", "low", "high")}
    return metric.model_copy(update={key: None if end is None else round(end, DIGITS) for key, end in ends.items()})
