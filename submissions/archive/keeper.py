"""Keeps the archive up with the store and the mirror up with the archive, and accepts what has arrived there."""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence

from sqlalchemy.exc import SQLAlchemyError
from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception_type,
    sleep_using_event,
    stop_when_event_set,
    wait_exponential_jitter,
)

from submissions.archive.events import ArchiveError, DamagedFile, object_path, objects_of
from submissions.archive.hub import HubError, HubRefused, HubRepository, HubUnavailable
from submissions.archive.mending import damaged_objects, mend, mended, missing_objects
from submissions.archive.mirror import Mirror
from submissions.archive.record import Archive
from submissions.archive.restoring import restore
from submissions.settings import Settings
from submissions.store.store import Store, StoreError

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

EXAMINE_EVERY_S = 86_400.0
"""How often every file of the archive is read, to see whether it is whole."""
EXAMINE_AT_ONCE_S = 0.5
"""Of one step."""
MOST_NAMED = 100
"""Damaged files that are named in the log at start; the others are counted."""

Clock = Callable[[], float]


class NotRestored(Exception):
    """Raised at start when an empty disk cannot be filled from the archive repository."""


class ArchiveKeeper:
    """A thread of the page process.

    Args:
        mirror: None = the archive is kept on this machine alone.
        accepts_by_mirror: A submission is accepted once the mirror has it; else at once.
        interval_s: Least time between two commits.
        damage: What is known to be damaged in the archive.
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
        damage: Sequence[DamagedFile] = (),
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
        self._damage = {fault.path: fault for fault in damage}
        self._next_examination_at = clock()
        self._to_examine: Iterator[str] | None = None
        self._marker: tuple[int, int] | None = None
        self._failures = 0
        self._behind_since: float | None = None
        """When the repository first failed to take what is pending; None = it took the last of it."""
        self._fault = ""
        """Why the last step broke off."""
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="archive-keeper", daemon=True)

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Lets it end: what is pending is committed once more where the Hub answers at once."""
        self._stop.set()
        self._thread.join(STOP_PATIENCE_S)

    def damaged(self) -> int:
        """How many files of the archive are damaged, of those that were; what was put right no longer counts."""
        return sum(self._archive.fault(path) is not None for path in list(self._damage))

    def trouble(self) -> str:
        """Why the archive, or the repository, falls behind what is accepted; blank while neither does."""
        if self._fault:
            return "the archive could not be kept up at the last attempt: the log says why"
        if self._mirror is not None and self._behind_since is not None:
            behind_s = self._clock() - self._behind_since
            if behind_s > LONGEST_WAIT_S:
                return f"{self._mirror.name} has taken nothing for {behind_s / 60:.0f} minutes: the log says why"
        if self._thread.ident is not None and not self._thread.is_alive() and not self._stop.is_set():
            return "nobody keeps the archive up any more: start Plumbline anew"
        return ""

    def step(self) -> float:
        """Does what is due; returns for how many seconds nothing else will be."""
        try:
            self._catch_up()
            if self._mirror is not None and self._clock() >= self._next_commit_at:
                self._push(self._mirror)
            self._accept()
            self._examine()
            self._fault = ""
        except (OSError, SQLAlchemyError, StoreError, ArchiveError) as error:
            # The disk is full, the database restarts: what is written already stays, and this thread has to be there
            # when it has passed.
            fault = f"{type(error).__name__}: {error}".splitlines()[0]
            if fault != self._fault:  # said once, however long it lasts
                logger.error("the archive could not be kept up, trying again: %s", fault)
            self._fault = fault
        return POLL_S

    def _examine(self) -> None:
        """Reads some more of the archive's files; damage is logged, and put right where a whole copy is at hand."""
        if self._to_examine is None and self._clock() >= self._next_examination_at:
            self._next_examination_at = self._clock() + EXAMINE_EVERY_S
            self._to_examine = self._faults()
        until = time.monotonic() + EXAMINE_AT_ONCE_S
        while self._to_examine is not None and time.monotonic() < until:
            if next(self._to_examine, None) is None:
                self._to_examine = None

    def _faults(self) -> Iterator[str]:
        """Every path that is looked at, one after the other."""
        self._store.check()
        log = self._archive.log()
        faults = [fault for fault in log.damage if fault.path not in self._damage]
        for path in dict.fromkeys(object_path(sha256) for event in log.events for sha256 in objects_of(event)):
            fault = self._archive.fault(path)
            if fault is not None and path not in self._damage:
                faults.append(fault)
            yield path
        for fault in faults:
            logger.error("damaged in the archive: %s", fault)
        self._damage |= {fault.path: fault for fault in faults}
        left = mend(self._archive, list(self._damage.values()), mirror=self._mirror, store=self._store)
        self._damage = {fault.path: fault for fault in left}

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
            # What was erased goes once the repository has its tombstone.
            if not (mirror.pending() and mirror.push()) and not mirror.forget():
                return
            self._failures, self._behind_since = 0, None
        except HubError as error:
            self._failures += 1
            self._behind_since = started if self._behind_since is None else self._behind_since
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

    An empty disk is filled from the archive repository before anything is served, however long the Hub takes. What is
    damaged in the archive is put right where the repository or the store has it whole, else named and stepped over.

    Args:
        stop: Set from outside to give up waiting.

    Raises:
        NotRestored: when the disk is empty and the repository cannot be read.
        ArchiveError: when nothing can be written to the archive's folder.
    """
    archive = Archive(settings.archive)
    mirror = _mirror(settings, archive)
    if mirror is not None:
        _restore(mirror, is_empty=not archive.names() and not store.tickets(), stop=stop)
    by_mirror = settings.durability == "hub"
    try:
        # Objects are read from end to end where all of them are needed; else the keeper does it, once pages are open.
        look = missing_objects if store.tickets() else damaged_objects
        log, damage = mended(archive, look, mirror=mirror, store=store)
        archive.catch_up(store)
        restored = restore(archive, store, accepted=not by_mirror, log=log)
    except OSError as error:
        raise ArchiveError(f"the archive in {archive.folder} cannot be kept up: {error.strerror}") from error
    if restored.added:
        logger.info("%d submissions restored from the archive", restored.added)
    for loss in restored.losses[:MOST_NAMED]:
        logger.error("damaged in the archive: %s", loss)
    if len(restored.losses) > MOST_NAMED:
        logger.error("%d more files of the archive are damaged", len(restored.losses) - MOST_NAMED)
    damage += [loss.fault for loss in restored.losses]
    if settings.durability == "nowhere":
        logger.warning(
            "this Space forgets everything at its next restart: set PLUMBLINE_ARCHIVE_REPO and HF_TOKEN, or "
            "PLUMBLINE_DURABLE=disk if the data folder is on a volume"
        )
    keeper = ArchiveKeeper(
        store,
        archive,
        mirror,
        accepts_by_mirror=by_mirror,
        interval_s=settings.archive_interval_s,
        damage=damage,
    )
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
