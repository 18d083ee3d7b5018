"""The frozen boards of seasons: which there are, and the bytes that were kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from submissions.store.queue import Act


@dataclass(frozen=True, slots=True)
class FrozenBoard:
    """That a season's board was frozen."""

    season: str
    at: datetime
    sha256: str
    """Of the copy, which the archive keeps."""
    who: str
    reason: str


def frozen_boards(acts: Iterable[Act]) -> dict[str, FrozenBoard]:
    """Season -> its frozen board, of those that are frozen.

    Args:
        acts: All that was decided.
    """
    freezes = (act for act in acts if act.kind == "freeze")
    return {act.subject: FrozenBoard(act.subject, act.at, act.cell, act.who, act.reason) for act in freezes}
