"""Keeping the archive where it survives: a Hub repository that holds the same files."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from submissions.archive import Archive, EventName, event_name, object_path, objects_of
from submissions.mirror_hub import Head, HubRepository

logger = logging.getLogger(__name__)

EVENTS_PER_COMMIT = 200
"""A commit of some hundred files is answered within seconds; one of thousands is not."""
BYTES_PER_COMMIT = 32 * 1024 * 1024
"""What the Hub keeps in plain Git travels inside the request that commits it. One larger event goes alone."""
DOWNLOADS_AT_ONCE = 8


class Mirror:
    """Adds to a repository what the archive has, and to the archive what the repository has; takes nothing away.

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

    @property
    def name(self) -> str:
        """The repository."""
        return self._repository.repo_id

    def has_submission(self, ticket_id: str) -> bool:
        """Has the Hub acknowledged the submission of that ticket?"""
        return ticket_id in self._tickets

    def restore(self) -> int:
        """Fetches what the archive lacks, each file checked against its digest; returns how many files came.

        What came stays: called again after a fault, it goes on from there.

        Raises:
            HubError: when the Hub does not give it.
            ArchiveError: when a file there is not what its name says.
        """
        head = self._read()
        missing = self._archive.missing(head.files)

        def fetch(path: str) -> None:
            with self._archive.incoming() as folder:
                copy = self._repository.fetch(path, head.files[path], head.commit, folder)
                self._archive.adopt(path, copy)

        # Objects first: an event is never here without what it refers to.
        for are_events in (False, True):
            paths = [path for path in missing if (event_name(path) is not None) is are_events]
            with ThreadPoolExecutor(DOWNLOADS_AT_ONCE, thread_name_prefix="restore") as pool:
                list(pool.map(fetch, paths))
        if missing:
            logger.info("%d files of the archive came from %s", len(missing), self.name)
        return len(missing)

    def pending(self) -> list[EventName]:
        """Events the Hub has not acknowledged, in the order they happened."""
        return sorted(self._archive.names(unlike=self._known), key=lambda name: name.order)

    def push(self) -> int:
        """Commits the oldest pending events with what they refer to; returns how many are there now that were not.

        Raises:
            HubError: nothing is lost; what the Hub took all the same is found at the next call.
            ArchiveError: when an event refers to an object that is not here.
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
        size = 0
        for number, name in enumerate(events):
            refers_to = [object_path(sha256) for sha256 in objects_of(self._archive.event(name.path))]
            new = [path for path in (*refers_to, name.path) if path not in self._known and path not in files]
            new_size = sum(self._archive.size(path) for path in new)
            if number and (number >= EVENTS_PER_COMMIT or size + new_size > BYTES_PER_COMMIT):
                break
            files.update(dict.fromkeys(new))
            size += new_size
        return list(files)

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
