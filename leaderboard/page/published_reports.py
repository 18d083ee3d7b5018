"""The reports on judges that stand published, read once per change and not per visitor."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime
from threading import Lock

from evaluator.judge_report.published import PublishedFigures, read_published
from submissions.store.judge_reports import PublishedReport
from submissions.store.store import Store

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StandingReport:
    """A published report that everybody may read."""

    id: str
    published_at: datetime
    by: str
    """What the account was called; blank where accounts have no names."""
    figures: PublishedFigures

    @property
    def stated(self) -> str:
        """Where its figures come from, in a sentence."""
        by = f" by {self.by}" if self.by else ""
        return (
            "Self-reported: Plumbline computed the figures from a log that its publisher brought; nobody here saw the "
            f"judge at work. Published on {self.published_at:%Y-%m-%d}{by}."
        )


class PublishedReports:
    """Those that are neither withdrawn nor hidden."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = Lock()
        self._marker: int | None = None
        self._standing: tuple[StandingReport, ...] = ()

    def marker(self) -> int:
        """Changes whenever a report was published, withdrawn, hidden or shown again."""
        return self._store.judge_reports_marker()

    def standing(self) -> tuple[StandingReport, ...]:
        """All of them, in the order they were published."""
        with self._lock:
            marker = self.marker()
            if marker != self._marker:
                reports = (standing_report(report) for report in self._store.judge_reports())
                self._standing = tuple(report for report in reports if report is not None)
                self._marker = marker
            return self._standing


def standing_report(report: PublishedReport) -> StandingReport | None:
    """A report as everybody may read it; None of one that was withdrawn or hidden, or that another version wrote."""
    if not report.is_shown:
        return None
    figures = read_published(report.payload)
    if figures is None:
        logger.warning("judge report %s is of another version and left out", report.id)
        return None
    return StandingReport(report.id, report.published_at, report.owner_name, figures)
