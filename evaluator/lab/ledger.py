"""Runs that a visitor of a Space has had: counted in the store, so that all page servers agree."""

from __future__ import annotations

import asyncio
import uuid

from evaluator.lab.gate import LabVisitor
from submissions.store.store import Store


class RunLedger:
    """Counts a visitor's runs.

    Args:
        per_hour: Runs one person may start within an hour; 0 = as many as they like.
    """

    def __init__(self, store: Store, per_hour: int) -> None:
        self._store = store
        self._per_hour = per_hour

    async def begun(self, visitor: LabVisitor) -> CountedRun:
        """A run of the visitor, counted until it ends.

        Raises:
            QuotaExceeded: when the visitor has as many runs as it may, on any page server, or has used up the hour.
        """
        run = CountedRun(self._store, self._per_hour, visitor)
        await run.kept()
        return run


class CountedRun:
    """A run that counts."""

    def __init__(self, store: Store, per_hour: int, visitor: LabVisitor) -> None:
        self._store = store
        self._per_hour = per_hour
        self._visitor = visitor
        self._id = uuid.uuid4().hex

    async def kept(self) -> None:
        """It goes on: it counts from now, for as long as a run may take."""
        # In a thread: a database that is away is waited for, and other visitors' runs are streamed here.
        visitor = self._visitor
        await asyncio.to_thread(
            self._store.begin_lab_run, self._id, visitor.key, self._per_hour * visitor.people, at_once=visitor.people
        )

    async def ended(self, *, is_counted: bool) -> None:
        """It is over; one that failed or was cancelled costs nothing."""
        await asyncio.to_thread(self._store.end_lab_run, self._id, is_counted=is_counted)
