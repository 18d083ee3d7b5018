"""Keeping the archive where it survives: a Hub repository that holds the same files."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable
from concurrent.futures import ThreadPoolExecutor

from submissions.archive.events import (
    ArchiveError,
    DamagedFile,
    EventName,
    event_name,
    object_name,
    object_path,
    objects_of,
)
from submissions.archive.hub import Head, HubRepository
from submissions.archive.record import Archive

logger = logging.getLogger(__name__)

EVENTS_PER_COMMIT = 200
"""A commit of some hundred files is answered within seconds; one of thousands is not."""
BYTES_PER_COMMIT = 32 * 1024 * 1024
"""What the Hub keeps in plain Git travels inside the request that commits it. One larger event goes alone."""
DOWNLOADS_AT_ONCE = 8


class Mirror:
    """Adds to a repository what the archive has, and to the archive what the repository has.

    Nothing is taken away but what was erased, with every commit that had it.

    Files are named by what they hold, so a file that is there need not be sent again. Every commit names the one it
    was built on: if the Hub has another one by now, or if an answer is lost, the repository is read again first.
    """

    def __init__(self, archive: Archive, repository: HubRepository) -> None:
        self._archive = archive
        self._repository = repository
        self._commit: str | None = None
        """The newest commit we know of; None = has to be asked for."""
        self._known: set[str] = set()
        """The archive's files in it."""
        self._tickets: set[str] = set()
        """Submissions in it."""
        self._forgotten: frozenset[str] = frozenset()
        """Erasures of which the repository was seen to have nothing any more."""
        self._held_back: set[str] = set()
        """Events that are not sent: they, or what they refer to, are damaged here."""

    @property
    def name(self) -> str:
        """The repository."""
        return self._repository.repo_id

    def has_submission(self, ticket_id: str) -> bool:
        """Has the Hub acknowledged the submission of that ticket?"""
        return ticket_id in self._tickets

    def restore(self, damaged: Collection[str] = ()) -> int:
        """Fetches what the archive lacks, each file checked against its digest; returns how many files came.

        What came stays: called again after a fault, it goes on from there. A file that is not what its name says there
        either is stepped over.

        Args:
            damaged: Paths of the archive's files that are fetched in place of what is here.

        Raises:
            HubError: when the Hub does not give it.
        """
        head = self._read()
        barred: frozenset[str] = frozenset()

        def fetch(path: str) -> bool:
            with self._archive.incoming() as folder:
                copy = self._repository.fetch(path, head.files[path], head.commit, folder)
                try:
                    self._archive.adopt(path, copy)
                except ArchiveError as fault:
                    logger.error("damaged in %s: %s", self.name, fault)
                    return False
            return True

        def fetched(paths: Iterable[str]) -> int:
            missing = {*self._archive.missing(paths), *(path for path in damaged if path in paths)}
            with ThreadPoolExecutor(DOWNLOADS_AT_ONCE, thread_name_prefix="restore") as pool:
                return sum(pool.map(fetch, sorted(missing - barred)))

        names = [name for path in head.files if (name := event_name(path)) is not None]
        # Erasures first: what they removed is not fetched, wherever the repository still has it.
        came = fetched({name.path for name in names if name.kind == "erasure"})
        barred = self._archive.barred()
        # Then objects: an event is never here without what it refers to, unless that is damaged there.
        came += fetched({path for path in head.files if event_name(path) is None})
        came += fetched({name.path for name in names})
        sent_again = barred - self._archive.barred()
        barred -= sent_again
        came += fetched(sent_again & set(head.files))
        if came:
            logger.info("%d files of the archive came from %s", came, self.name)
        return came

    def pending(self) -> list[EventName]:
        """Events the Hub has not acknowledged, in the order they happened."""
        return sorted(self._archive.names(unlike=self._known), key=lambda name: name.order)

    def forget(self) -> bool:
        """Removes from the repository, and from its history, what was erased; False where there is nothing to do.

        Raises:
            HubError: nothing is lost; called again it goes on from there.
        """
        erasures = frozenset(name.path for name in self._archive.names() if name.kind == "erasure")
        if erasures == self._forgotten:
            return False
        barred, head = self._archive.barred(), self._read()
        there = sorted(barred & set(head.files))
        self._commit = None  # whatever comes of it, what the repository holds then has to be asked for
        if there:
            self._repository.remove(there, parent=head.commit)
        is_due = bool(there) or self._repository.must_forget()
        if is_due:
            self._repository.forget_history({sha256 for path in barred if (sha256 := object_name(path)) is not None})
            logger.info("what was erased is in %s no more, nor is its history", self.name)
        self._read()
        self._forgotten = erasures
        return is_due

    def push(self) -> int:
        """Commits the oldest pending events with what they refer to; returns how many are there now that were not.

        What is damaged here is held back: a whole copy may still be put in its place.

        Raises:
            HubError: nothing is lost; what the Hub took all the same is found at the next call.
        """
        before = len(self.pending())
        if self._commit is None:
            self._read()
        parent, events = self._commit, self.pending()
        files = self._batch(events)
        if files and parent is not None:
            # From here on until the answer nobody knows what the repository holds.
            self._commit = None
            message = f"{len([path for path in files if event_name(path)])} events"
            made = self._repository.commit(
                [(path, self._archive.folder / path) for path in files], parent=parent, message=message
            )
            self._commit = made
            self._learn(files)
            logger.info("%s and what they refer to are in %s (commit %s)", message, self.name, made[:12])
        return before - len(self.pending())

    def _batch(self, events: Iterable[EventName]) -> list[str]:
        """Files of the oldest events that fit into one commit: each event after what it refers to."""
        files: dict[str, None] = {}
        size = sent = 0
        for name in events:
            try:
                new = [path for path in self._whole(name) if path not in self._known and path not in files]
                new_size = sum(self._archive.size(path) for path in new)
            except DamagedFile as fault:
                if name.path not in self._held_back:
                    self._held_back.add(name.path)
                    logger.error("not sent to %s: %s", self.name, fault)
                continue
            if sent and (sent >= EVENTS_PER_COMMIT or size + new_size > BYTES_PER_COMMIT):
                break
            files.update(dict.fromkeys(new))
            size += new_size
            sent += 1
        return list(files)

    def _whole(self, name: EventName) -> list[str]:
        """Paths of an event and, before it, of what it refers to.

        Raises:
            DamagedFile: when one that the Hub has not is damaged.
        """
        refers_to = [object_path(sha256) for sha256 in objects_of(self._archive.event(name))]
        for path in refers_to:
            fault = None if path in self._known else self._archive.fault(path)
            if fault is not None:
                raise fault
        return [*refers_to, name.path]

    def _read(self) -> Head:
        head = self._repository.head()
        self._commit = head.commit
        self._known, self._tickets = set(), set()
        self._learn(head.files)
        return head

    def _learn(self, paths: Iterable[str]) -> None:
        self._known.update(paths)
        names = (event_name(path) for path in paths)
        self._tickets.update(name.subject for name in names if name and name.kind == "submission")
