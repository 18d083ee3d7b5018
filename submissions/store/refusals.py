"""How many files of a season the check refused, and for which faults: counts by day, and nothing of any file."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import func, select

from submissions.store.database import Database, repeatable
from submissions.store.rows import time_of
from submissions.store.tables import refusals

_FILES = ""
"""Stands in the place of a code in the row that counts files: a file may have several faults."""


@dataclass(frozen=True, slots=True)
class Refused:
    """What the check refused of a season."""

    files: int = 0
    by_code: dict[str, int] = field(default_factory=dict)
    """Code (`submissions.problem_codes`) -> files that had such an error, the most frequent first."""


class Refusals(Database):
    """Counts of refused files."""

    @repeatable
    def count_refusal(self, season: str, codes: Collection[str], at: float) -> None:
        """Counts one refused file.

        Args:
            season: Name of the season it was meant for.
            codes: Of its errors.
            at: When it was refused, in seconds since the epoch; the day (UTC) is what is kept.
        """
        day = f"{time_of(at):%Y-%m-%d}"
        with self._write() as transaction:
            for code in (_FILES, *sorted(set(codes))):
                row: dict[str, Any] = {"season": season, "day": day, "code": code, "number": 1}
                transaction.upsert(refusals, row, number=refusals.c.number + 1)

    @repeatable
    def refused(self, season: str) -> Refused:
        """What was refused of a season so far."""
        total = func.sum(refusals.c.number).label("total")
        query = select(refusals.c.code, total).where(refusals.c.season == season).group_by(refusals.c.code)
        with self._read() as connection:
            counts = {row.code: int(row.total) for row in connection.execute(query)}
        files = counts.pop(_FILES, 0)
        return Refused(files, dict(sorted(counts.items(), key=lambda counted: (-counted[1], counted[0]))))
