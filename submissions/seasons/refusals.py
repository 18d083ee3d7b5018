"""Counts what the check refuses while a season is open, for its report."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence

from submissions.check import CheckReport
from submissions.formats.eloquent.kind import KIND as ELOQUENT
from submissions.problems import Problem
from submissions.promptsets import DEMONSTRATION, ELOQUENT_2024, SETS_OF_2025, SETS_OF_2026
from submissions.schema import Edition
from submissions.seasons.calendar import Seasons
from submissions.seasons.season import Season
from submissions.store.store import Store, StoreUnavailable

logger = logging.getLogger(__name__)

SETS: dict[Edition, tuple[str, ...]] = {
    "2024": (ELOQUENT_2024, DEMONSTRATION),
    "2025": SETS_OF_2025,
    "2026": SETS_OF_2026,
}
_REMEMBERED = 4_096
"""Files whose digests are held in memory, so that one that is checked again unchanged counts once."""


class RefusalCount:
    """Counts refused files; of a file nothing is kept but the codes of its errors, in sums by day."""

    def __init__(self, store: Store, seasons: Seasons) -> None:
        self._store = store
        self._seasons = seasons
        self._lock = threading.Lock()
        self._counted: dict[tuple[str, str], None] = {}

    def count(self, report: CheckReport, problems: Sequence[Problem], now: float) -> None:
        """Counts a file that was refused for these problems, where one season can be told that it was meant for."""
        season = season_meant(self._seasons, report, now)
        if season is None or not self._is_new(season.name, report.sha256):
            return
        codes = {problem.code for problem in problems if problem.severity == "error"}
        try:
            self._store.count_refusal(season.name, codes, now)
        except StoreUnavailable as gone:
            # Whoever checks a file is answered all the same.
            logger.warning("a refused file was not counted: %s", gone)

    def _is_new(self, season: str, sha256: str) -> bool:
        with self._lock:
            if (season, sha256) in self._counted:
                return False
            if len(self._counted) >= _REMEMBERED:
                del self._counted[next(iter(self._counted))]
            self._counted[season, sha256] = None
            return True


def season_meant(seasons: Seasons, report: CheckReport, now: float) -> Season | None:
    """The open season that a refused file was meant for, as far as the file tells; None where several or none may be.

    A file of which not even the kind is known was meant for the one season that is open.
    """
    of_it = [season for season in seasons if season.phase(now) == "open" and _may_be_of(season, report)]
    return of_it[0] if len(of_it) == 1 else None


def _may_be_of(season: Season, report: CheckReport) -> bool:
    known = report.entry or report.submission
    if known is not None:
        return season.covers(known.set_id)
    if report.kind is None:
        return True
    if report.kind == ELOQUENT:
        named = SETS.get(report.edition, ()) if report.edition else _ELOQUENT_SETS
        return any(season.covers(set_id) for set_id in named)
    return not any(season.covers(set_id) for set_id in _ELOQUENT_SETS)


_ELOQUENT_SETS = tuple(set_id for sets in SETS.values() for set_id in sets)
