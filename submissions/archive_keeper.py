"""Keeps the archive up with the store and the mirror up with the archive, and accepts what has arrived there."""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Callable

from sqlalchemy.exc import SQLAlchemyError
from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception_type,
    sleep_using_event,
    stop_when_event_set,
    wait_exponential_jitter,
)

from submissions.archive import Archive, ArchiveError
from submissions.mirror import Mirror
from submissions.mirror_hub import HubError, HubRefused, HubRepository, HubUnavailable
from submissions.settings import Settings
from submissions.store import Store, StoreError

logger = logging.getLogger(__name__)

POLL_S = 2.0
"""How often is looked for something to mirror."""
CATCH_UP_S = 30.0
"""How often the store is compared with the archive, while it changes: whoever settles a submission here records it."""
LONGEST_WAIT_S = 900.0
"""Between two attempts, unless the Hub asks for more."""
FIRST_RESTORE_WAIT_S = 5.0
STOP_PATIENCE_S = 10.0
"""How long a commit under way may take to end when the service stops."""

Clock = Callable[[], float]


class NotRestored(Exception):
    """Raised at start when an empty disk cannot be filled from the archive repository."""


class ArchiveKeeper:
    """A thread of the page process.

    Args:
        mirror: None = the archive is kept on this machine alone.
        accepts_by_mirror: A submission is accepted once the mirror has it; else at once.
        interval_s: Least time between two commits.
        clock: Seconds; tests pass their own.
    """

    def __init__(
        self,
        store: Store,
        archive: Archive,
        mirror: Mirror | None,
        *,
        accepts_by_mirror: bool,
        interval_s: float,
        clock: Clock = time.monotonic,
    ) -> None:
        self._store = store
        self._archive = archive
        self._mirror = mirror
        self._accepts_by_mirror = accepts_by_mirror
        self._interval_s = interval_s
        self._clock = clock
        self._next_commit_at = clock()
        self._next_catch_up_at = clock()
        self._marker: tuple[int, int] | None = None
        self._failures = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="archive-keeper", daemon=True)

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Lets it end: what is pending is committed once more where the Hub answers at once."""
        self._stop.set()
        self._thread.join(STOP_PATIENCE_S)

    def step(self) -> float:
        """Does what is due; returns for how many seconds nothing else will be."""
        try:
            self._catch_up()
            if self._mirror is not None and self._clock() >= self._next_commit_at and self._mirror.pending():
                self._push(self._mirror)
            self._accept()
        except (OSError, SQLAlchemyError, StoreError, ArchiveError):
            # The disk is full, the database restarts, an object is damaged: what is written already stays, and
            # this thread has to be there when it has passed.
            logger.exception("the archive could not be kept up; trying again")
        return POLL_S

    def _catch_up(self) -> None:
        if self._clock() < self._next_catch_up_at:
            return
        marker = (self._store.change_marker(), self._store.verdict_votes_marker())
        if marker != self._marker:
            self._archive.catch_up(self._store)
            self._marker = marker
        self._next_catch_up_at = self._clock() + CATCH_UP_S

    def _push(self, mirror: Mirror) -> None:
        started = self._clock()
        asked_s = 0.0
        try:
            mirror.push()
            self._failures = 0
        except HubError as error:
            self._failures += 1
            asked_s = error.retry_after_s if isinstance(error, HubUnavailable) else 0.0
            level = logging.ERROR if isinstance(error, HubRefused) else logging.WARNING
            logger.log(level, "the archive is not in %s yet: %s: %s", mirror.name, type(error).__name__, error)
        back_off_s = min(LONGEST_WAIT_S, 2.0**self._failures * random.uniform(0.5, 1.0)) if self._failures else 0.0
        self._next_commit_at = max(started + self._interval_s, self._clock() + max(back_off_s, asked_s))

    def _accept(self) -> None:
        for ticket_id in self._store.received():
            if self._mirror is None or not self._accepts_by_mirror:
                self._store.accept(ticket_id, "kept on this machine's disk; queued")
            elif self._mirror.has_submission(ticket_id):
                self._store.accept(ticket_id, f"in the archive {self._mirror.name}; queued")

    def _keep(self) -> None:
        while not self._stop.is_set():
            self._stop.wait(self.step())
        if self._failures == 0:  # else the Hub asked for a pause, or is not there
            self._next_commit_at = self._next_catch_up_at = self._clock()
            self.step()


def opened_archive(settings: Settings, store: Store, stop: threading.Event) -> tuple[Archive, ArchiveKeeper]:
    """The archive with everything in it that survived, the store with everything that is in the archive.

    An empty disk is filled from the archive repository before anything is served, however long the Hub takes.

    Args:
        stop: Set from outside to give up waiting.

    Raises:
        NotRestored: when the disk is empty and the repository cannot be read.
        ArchiveError: when what is there is damaged.
    """
    archive = Archive(settings.archive)
    mirror = _mirror(settings, archive)
    if mirror is not None:
        _restore(mirror, is_empty=not archive.names() and not store.tickets(), stop=stop)
    archive.catch_up(store)
    by_mirror = settings.durability == "hub"
    restored = archive.replay_into(store, accepted=not by_mirror)
    if restored:
        logger.info("%d submissions restored from the archive", restored)
    if settings.durability == "nowhere":
        logger.warning(
            "this Space forgets everything at its next restart: set PLUMBLINE_ARCHIVE_REPO and HF_TOKEN, or "
            "PLUMBLINE_DURABLE=disk if the data folder is on a volume"
        )
    keeper = ArchiveKeeper(store, archive, mirror, accepts_by_mirror=by_mirror, interval_s=settings.archive_interval_s)
    return archive, keeper


def _mirror(settings: Settings, archive: Archive) -> Mirror | None:
    if not settings.archive_repo:
        return None
    if not settings.hub_token:
        raise NotRestored("PLUMBLINE_ARCHIVE_REPO is set, but HF_TOKEN is not: the archive repository needs a token")
    return Mirror(archive, HubRepository(settings.archive_repo, settings.hub_token))


def _restore(mirror: Mirror, *, is_empty: bool, stop: threading.Event) -> None:
    back_off = wait_exponential_jitter(multiplier=FIRST_RESTORE_WAIT_S, max=60.0)

    def wait_s(state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        return max(back_off(state), error.retry_after_s if isinstance(error, HubUnavailable) else 0.0)

    def say(state: RetryCallState) -> None:
        error = state.outcome.exception() if state.outcome else None
        logger.warning("the archive could not be read from %s, trying again: %s", mirror.name, error)

    attempts = Retrying(
        retry=retry_if_exception_type(HubUnavailable) if is_empty else lambda _state: False,
        wait=wait_s,
        stop=stop_when_event_set(stop),
        sleep=sleep_using_event(stop),
        before_sleep=say,
        reraise=True,
    )
    try:
        attempts(mirror.restore)
    except HubError as error:
        if is_empty:
            raise NotRestored(f"the archive could not be read from {mirror.name}: {error}") from error
        # What is on this disk can be served; the keeper goes on trying.
        logger.warning("the archive in %s could not be read: %s", mirror.name, error)
