"""The append-only record from which everything can be rebuilt: one folder of events and content-addressed objects.

    archive/objects/ab/abcd...   bytes of uploads and results, named by their SHA-256
    archive/log/<time>-<kind>-<ticket>.json   one file per event, never changed

Every file is written beside its place, flushed to disk and renamed, so a crash leaves a whole file or none.
"""

from __future__ import annotations

import json
import logging
import os
import uuid
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

from submissions.queue import JobStatus, Role
from submissions.schema import Names, VerdictChoices
from submissions.store import Store, sha256_hex

logger = logging.getLogger(__name__)

ARCHIVE_VERSION = 1

EndKind = Literal["cancellation", "withdrawal"]
EventKind = Literal["submission", "result", "cancellation", "withdrawal"]

_END_KIND: dict[JobStatus, EndKind] = {JobStatus.CANCELLED: "cancellation", JobStatus.WITHDRAWN: "withdrawal"}


class ArchiveError(Exception):
    """Raised when an archived object is missing or its bytes do not have the SHA-256 they are filed under."""


class Archive:
    """A local archive folder; created on first use."""

    def __init__(self, folder: Path) -> None:
        self._objects = folder / "objects"
        self._log = folder / "log"

    def record_submission(
        self,
        *,
        ticket_id: str,
        owner: str,
        role: Role,
        edition: str,
        set_id: str,
        names: Names,
        file_name: str,
        data: bytes,
        received_at: float,
        choices: VerdictChoices = VerdictChoices(),
    ) -> None:
        """Keeps an accepted upload; on return it is on disk."""
        sha256 = self._keep(data)
        self._append(
            "submission",
            ticket_id,
            received_at,
            owner=owner,
            role=role,
            edition=edition,
            set_id=set_id,
            names=asdict(names),
            options=choices.as_json(),
            file_name=file_name,
            file_sha256=sha256,
        )

    def record_result(self, ticket_id: str, result: str, recorded_at: float) -> None:
        """Keeps a result; on return it is on disk."""
        self._append("result", ticket_id, recorded_at, result_sha256=self._keep(result.encode()))

    def record_end(self, kind: EndKind, ticket_id: str, owner: str, at: float) -> None:
        """Keeps the fact that a submission was cancelled or withdrawn."""
        self._append(kind, ticket_id, at, owner=owner)

    def replay_into(self, store: Store) -> int:
        """Adds every submission the store does not know, in its last recorded state; returns how many were added.

        Replaying twice changes nothing.

        Raises:
            ArchiveError: when an object is missing or damaged.
        """
        histories = self._histories()
        added = 0
        for event in self._events():
            if event["kind"] == "submission" and store.ticket(event["ticket"]) is None:
                self._restore(store, event, histories.get(event["ticket"], []))
                added += 1
        return added

    def catch_up(self, store: Store) -> int:
        """Records results and ends that a crash kept out of the archive; returns how many events were added.

        A result or end is committed to the store first and recorded here right after.
        """
        histories = self._histories()
        added = 0
        for ticket in store.tickets():
            last = histories.get(ticket.id, [{"kind": None}])[-1]["kind"]
            if ticket.status is JobStatus.SCORED and last != "result":
                result = store.result(ticket.id)
                if result is not None:
                    self.record_result(ticket.id, result, ticket.status_at.timestamp())
                    added += 1
            kind = _END_KIND.get(ticket.status)
            if kind is not None and last != kind:
                self.record_end(kind, ticket.id, ticket.owner, ticket.status_at.timestamp())
                added += 1
        return added

    def _restore(self, store: Store, event: dict[str, Any], history: list[dict[str, Any]]) -> None:
        store.add(
            ticket_id=event["ticket"],
            owner=event["owner"],
            role=event["role"],
            edition=event["edition"],
            set_id=event["set_id"],
            names=Names(**event["names"]),
            file_name=event["file_name"],
            data=self._object(event["file_sha256"]),
            received_at=event["at"],
            choices=VerdictChoices(**event.get("options", {})),
        )
        if not history:
            return
        last = history[-1]
        if last["kind"] == "result":
            store.restore_result(event["ticket"], self._object(last["result_sha256"]).decode(), last["at"])
        elif last["kind"] == "cancellation":
            store.cancel(event["ticket"], last["owner"])
        else:
            store.withdraw(event["ticket"], last["owner"])

    def _histories(self) -> dict[str, list[dict[str, Any]]]:
        """What happened to each submission after it was taken in, oldest first; a withdrawal is final."""
        histories: dict[str, list[dict[str, Any]]] = {}
        for event in self._events():
            if event["kind"] != "submission":
                histories.setdefault(event["ticket"], []).append(event)
        for history in histories.values():
            history.sort(key=lambda event: (event["kind"] == "withdrawal", event["at"]))
        return histories

    def _events(self) -> Iterator[dict[str, Any]]:
        for path in sorted(self._log.glob("*.json")):
            event: dict[str, Any] = json.loads(path.read_bytes())
            if event["archive_version"] != ARCHIVE_VERSION:
                raise ArchiveError(
                    f"{path.name} has archive version {event['archive_version']}, expected {ARCHIVE_VERSION}"
                )
            yield event

    def _append(self, kind: EventKind, ticket_id: str, at: float, **details: Any) -> None:
        event = {"archive_version": ARCHIVE_VERSION, "kind": kind, "ticket": ticket_id, "at": at, **details}
        text = json.dumps(event, ensure_ascii=False, sort_keys=True, indent=1)
        name = f"{int(at * 1e6):017d}-{kind}-{ticket_id}-{uuid.uuid4().hex[:8]}.json"
        _write_durably(self._log / name, text.encode())

    def _object_path(self, sha256: str) -> Path:
        return self._objects / sha256[:2] / sha256

    def _keep(self, data: bytes) -> str:
        sha256 = sha256_hex(data)
        path = self._object_path(sha256)
        if not path.exists():
            _write_durably(path, data)
        return sha256

    def _object(self, sha256: str) -> bytes:
        path = self._object_path(sha256)
        if not path.exists():
            raise ArchiveError(f"the archive lacks the object {sha256}")
        data = path.read_bytes()
        if sha256_hex(data) != sha256:
            raise ArchiveError(f"the archived object {sha256} is damaged: its bytes have another SHA-256")
        return data


def _write_durably(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}")
    with temporary.open("xb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    temporary.rename(path)
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Flushes the folder entry: without it a rename may be lost when the machine stops."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
