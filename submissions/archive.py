"""The append-only record from which everything can be rebuilt: one folder of events and content-addressed objects.

    archive/objects/ab/abcd...                      bytes of uploads and results, named by their SHA-256
    archive/log/<day>/<time>-<kind>-<subject>-<digest>.json   one file per event, never changed

Every file is written beside its place, flushed to disk and renamed, so a crash leaves a whole file or none. An event's
name follows from what it says: recording the same fact twice leaves one file.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import tempfile
import uuid
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, get_args

from submissions.queue import Act, JobStatus, Role, Ticket
from submissions.schema import Names, VerdictChoices
from submissions.store import Store, identity, sha256_hex
from submissions.verdict_keys import verdict_keys
from submissions.verdict_submission import is_verdict_set
from submissions.votes import JudgedPair, VerdictVote

ARCHIVE_VERSION = 1

EndKind = Literal["failure", "cancellation", "withdrawal"]
EventKind = Literal[
    "submission",
    "revocation",
    "result",
    "verdicts",
    "failure",
    "cancellation",
    "withdrawal",
    "judge_quality",
    "act",
    "vote",
]

_END_KIND: Mapping[JobStatus, EndKind] = {
    JobStatus.FAILED: "failure",
    JobStatus.CANCELLED: "cancellation",
    JobStatus.WITHDRAWN: "withdrawal",
}
_END_STATUS = {kind: status for status, kind in _END_KIND.items()}
_END_REASON: Mapping[str, str] = {"cancellation": "cancelled by its team", "withdrawal": "withdrawn by its team"}
"""Of ends that were recorded without one."""

Event = Mapping[str, Any]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FILE = re.compile(
    r"objects/(?P<shard>[0-9a-f]{2})/(?P<object>(?P=shard)[0-9a-f]{62})"
    r"|log/(?:\d{4}-\d\d-\d\d/)?(?P<at>\d{17})-(?P<kind>[a-z_]+)-(?P<subject>\w+)-[0-9a-f]{8,64}\.json"
)
"""Paths of an archive's files; log files of the first version lie in no folder of their day."""


class ArchiveError(Exception):
    """Raised when an archived object is missing or damaged, or an event is of a version or kind this code has not."""


@dataclass(frozen=True, slots=True)
class EventName:
    """What the name of an event's file says."""

    path: str
    """In the archive, with `/`."""
    at_us: int
    """When it happened, in microseconds since the epoch."""
    kind: str
    subject: str
    """Ticket, or what else it is about."""

    @property
    def order(self) -> tuple[int, str]:
        """Events in the order they happened."""
        return (self.at_us, self.path.rpartition("/")[2])


def event_name(path: str) -> EventName | None:
    """What a path in an archive says of its event; None for anything else."""
    found = _FILE.fullmatch(path)
    if found is None or found["kind"] is None:
        return None
    return EventName(path, int(found["at"]), found["kind"], found["subject"])


def is_archive_path(path: str) -> bool:
    """Is it the path of an object or event? Nothing else is ever copied into an archive."""
    return _FILE.fullmatch(path) is not None


def object_path(sha256: str) -> str:
    """Where an object lies in the archive."""
    return f"objects/{sha256[:2]}/{sha256}"


def objects_of(event: Event) -> list[str]:
    """SHA-256 of every object an event refers to: its fields that end with `_sha256`."""
    return [value for name, value in event.items() if name.endswith("_sha256")]


class Archive:
    """A local archive folder; created on first use."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    # What is recorded

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
        owner_name: str = "",
    ) -> None:
        """Keeps an accepted upload; on return it is on disk."""
        named = {"owner_name": owner_name} if owner_name else {}
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
            file_sha256=self._keep(data),
            **named,
        )

    def record_revocation(self, ticket_id: str, at: float, reason: str) -> None:
        """Keeps the fact that an upload was refused after it had been kept: no submission comes of it."""
        self._append("revocation", ticket_id, at, reason=reason)

    def record_act(self, act: Act, set_aside: Mapping[str, str] = MappingProxyType({})) -> None:
        """Keeps what an organiser or an owner decided; on return it is on disk.

        Args:
            act: What was decided.
            set_aside: Verdicts (JSON by key) that are asked again because of it, as they were.
        """
        about_a_cell = {"cell": act.cell, "verdicts_sha256": self._keep(_packed(set_aside))} if act.cell else {}
        self._append(
            "act",
            act.id,
            act.at.timestamp(),
            id=act.id,
            act=act.kind,
            about=act.subject,
            actor=act.actor,
            actor_name=act.actor_name,
            reason=act.reason,
            **about_a_cell,
        )

    def record_result(self, ticket_id: str, result: str, recorded_at: float) -> None:
        """Keeps a result; on return it is on disk."""
        self._append("result", ticket_id, recorded_at, result_sha256=self._keep(result.encode()))

    def record_verdicts(self, ticket_id: str, verdicts: Mapping[str, str], recorded_at: float) -> None:
        """Keeps the verdicts (JSON by key) that a submission's result rests on; on return they are on disk."""
        sha256 = self._keep(_packed(verdicts))
        self._append("verdicts", ticket_id, recorded_at, n=len(verdicts), verdicts_sha256=sha256)

    def record_end(self, kind: EndKind, ticket_id: str, owner: str, at: float, reason: str | None = None) -> None:
        """Keeps the fact that a submission failed, was cancelled or withdrawn, and why."""
        self._append(kind, ticket_id, at, owner=owner, reason=reason)

    def record_judge_quality(self, judge: str, payload: str, recorded_at: float) -> None:
        """Keeps a judge's measured agreement with our labelled pairs, which the Judges board shows."""
        sha256 = self._keep(payload.encode())
        self._append("judge_quality", _judge_subject(judge), recorded_at, judge=judge, quality_sha256=sha256)

    def record_vote(self, vote: VerdictVote) -> None:
        """Keeps what somebody says of a verdict, or that they took it back; on return it is on disk."""
        self._append(
            "vote",
            _vote_subject(vote),
            vote.at.timestamp(),
            person=vote.person,
            pair=asdict(vote.pair),
            stance=vote.stance,
            is_own=vote.is_own,
        )

    def catch_up(self, store: Store) -> int:
        """Records what the store knows and the archive does not; returns how many events were added.

        Every fact is committed to the store first and recorded here after: by who made it, or, after a crash or where
        a worker on another machine made it, by this.
        """
        names = sorted(self.names(), key=lambda name: name.order)
        last = {(name.subject, name.kind in EVIDENCE): name for name in names}

        def is_missing(subject: str, kind: str, at: float) -> bool:
            # Times in names of the first version were cut off to microseconds, not rounded.
            known = last.get((subject, kind in EVIDENCE))
            return known is None or known.kind != kind or known.at_us < _microseconds(at) - 1

        added = 0
        for ticket in store.tickets():
            at, kind = ticket.status_at.timestamp(), _END_KIND.get(ticket.status)
            if kind is not None and is_missing(ticket.id, kind, at):
                self.record_end(kind, ticket.id, ticket.owner, at, ticket.reason)
                added += 1
            if ticket.status is JobStatus.SCORED and is_missing(ticket.id, "result", at):
                result = store.result(ticket.id)
                if result is not None:  # else it was withdrawn meanwhile
                    self.record_result(ticket.id, result, at)
                    added += 1
            if ticket.status is JobStatus.SCORED and _has_verdicts(ticket) and is_missing(ticket.id, "verdicts", at):
                verdicts = store.load_verdicts(verdict_keys(store.result(ticket.id) or "{}"))
                if verdicts:
                    self.record_verdicts(ticket.id, verdicts, at)
                    added += 1
        for act in store.acts():
            if (act.id, False) not in last:
                self.record_act(act, store.verdicts_set_aside(act.id))
                added += 1
        for judge, payload, recorded_at in store.judge_quality_records():
            if is_missing(_judge_subject(judge), "judge_quality", recorded_at):
                self.record_judge_quality(judge, payload, recorded_at)
                added += 1
        for vote in store.verdict_votes():
            if is_missing(_vote_subject(vote), "vote", vote.at.timestamp()):
                self.record_vote(vote)
                added += 1
        return added

    # What comes back

    def replay_into(self, store: Store, *, accepted: bool = True) -> int:
        """Adds every submission the store does not know, in its last recorded state; returns how many were added.

        Replaying twice changes nothing.

        Args:
            accepted: False = what is not settled waits as `received` until `Store.accept`.

        Raises:
            ArchiveError: when an object is missing or damaged, or an event cannot be understood.
        """
        outcomes: dict[str, Event] = {}
        evidence: dict[str, Event] = {}
        taken_in: list[Event] = []
        acts: list[Event] = []
        revoked: set[str] = set()
        for event in self.events():
            if event["kind"] == "submission":
                taken_in.append(event)
            elif event["kind"] == "revocation":
                revoked.add(event["ticket"])
            elif event["kind"] in OUTCOMES:
                before = outcomes.get(event["ticket"])
                if before is None or before["kind"] != "withdrawal":  # a withdrawal is final
                    outcomes[event["ticket"]] = event
            elif event["kind"] in EVIDENCE:
                evidence[event["ticket"]] = event
            else:
                acts.append(event)
        taken_in = [event for event in taken_in if event["ticket"] not in revoked]
        new = [event for event in taken_in if store.ticket(event["ticket"]) is None]
        never_told = self._never_told(store, new, outcomes)
        for event in never_told:
            self.record_revocation(event["ticket"], event["at"], "sent again before anybody was told of it")
        new = [event for event in new if event not in never_told]
        for event in new:
            ticket_id = event["ticket"]
            self._take_in(store, event, accepted=accepted)
            if ticket_id in outcomes:
                OUTCOMES[outcomes[ticket_id]["kind"]](self, store, outcomes[ticket_id])
        # The newest first: of a verdict that several runs rest on, what was said last is what counts.
        rested_on = (evidence[event["ticket"]] for event in new if event["ticket"] in evidence)
        for event in sorted(rested_on, key=lambda event: event["at"], reverse=True):
            EVIDENCE[event["kind"]](self, store, event)
        for event in acts:  # last: they may be about submissions
            ACTS[event["kind"]](self, store, event)
        return len(new)

    def _never_told(self, store: Store, new: Sequence[Event], outcomes: Mapping[str, Event]) -> list[Event]:
        """Uploads nobody was given a ticket for: the same file stands under another one.

        A process that dies between archive and store leaves such an upload behind, and its team sends the file again.
        Of two that nothing came of yet the later one was acknowledged.
        """
        standing = {_sameness(event): event["ticket"] for event in new if _stands(outcomes.get(event["ticket"]))}
        standing |= {
            _sameness(event): event["ticket"]
            for event in new
            if outcomes.get(event["ticket"], {}).get("kind") == "result"
        }
        return [
            event
            for event in new
            if event["ticket"] not in outcomes
            and (standing[_sameness(event)] != event["ticket"] or _find(store, event) is not None)
        ]

    def _take_in(self, store: Store, event: Event, *, accepted: bool) -> None:
        store.add(
            ticket_id=event["ticket"],
            owner=event["owner"],
            role=event["role"],
            edition=event["edition"],
            set_id=event["set_id"],
            names=Names(**event["names"]),
            file_name=event["file_name"],
            data=self.object(event["file_sha256"]),
            received_at=event["at"],
            choices=VerdictChoices(**event.get("options", {})),
            accepted=accepted,
            owner_name=event.get("owner_name", ""),
        )

    # Files

    def names(self, unlike: Container[str] = ()) -> list[EventName]:
        """Events by the names of their files, in no particular order.

        Args:
            unlike: Paths that are left out.
        """
        found = (event_name(path) for path in self._log_paths() if path not in unlike)
        return [name for name in found if name is not None]

    def events(self) -> Iterator[Event]:
        """Every event, in the order they happened.

        Raises:
            ArchiveError: when one is of a version or kind that this code has not.
        """
        for name in sorted(self.names(), key=lambda name: name.order):
            yield self.event(name.path)

    def event(self, path: str) -> Event:
        """The event of that path.

        Raises:
            ArchiveError: as `events`.
        """
        event: dict[str, Any] = json.loads((self.folder / path).read_bytes())
        if event["archive_version"] != ARCHIVE_VERSION:
            raise ArchiveError(f"{path} has archive version {event['archive_version']}, expected {ARCHIVE_VERSION}")
        if event["kind"] not in get_args(EventKind):
            raise ArchiveError(f"{path} is of kind {event['kind']!r}, which this version of Plumbline does not know")
        return event

    def object(self, sha256: str) -> bytes:
        """The bytes of that content address.

        Raises:
            ArchiveError: when they are missing or damaged.
        """
        path = self.folder / object_path(sha256)
        if not path.exists():
            raise ArchiveError(f"the archive lacks the object {sha256}")
        data = path.read_bytes()
        if sha256_hex(data) != sha256:
            raise ArchiveError(f"the archived object {sha256} is damaged: its bytes have another SHA-256")
        return data

    def missing(self, paths: Iterable[str]) -> list[str]:
        """The paths of an archive's files that are not here."""
        return [path for path in paths if is_archive_path(path) and not (self.folder / path).exists()]

    def size(self, path: str) -> int:
        """Bytes of a file.

        Raises:
            ArchiveError: when it is not here.
        """
        try:
            return (self.folder / path).stat().st_size
        except FileNotFoundError:
            raise ArchiveError(f"the archive lacks {path}") from None

    @contextmanager
    def incoming(self) -> Iterator[Path]:
        """A folder for files on their way in; emptied on leaving."""
        _make_folder(self.folder / ".incoming")
        with tempfile.TemporaryDirectory(dir=self.folder / ".incoming") as folder:
            yield Path(folder)

    def adopt(self, path: str, copy: Path) -> None:
        """Moves a file of another copy of this archive into its place; on return it is on disk.

        Raises:
            ArchiveError: when it is none, or its bytes are not what its name says.
        """
        found = _FILE.fullmatch(path)
        if found is None:
            raise ArchiveError(f"{path!r} is no file of an archive")
        with copy.open("rb") as stream:
            if found["object"] and hashlib.file_digest(stream, "sha256").hexdigest() != found["object"]:
                raise ArchiveError(f"the copy of object {found['object']} is damaged: its bytes have another SHA-256")
            os.fsync(stream.fileno())
        target = self.folder / path
        _make_folder(target.parent)
        copy.rename(target)
        _sync_folder(target.parent)

    def _append(self, kind: EventKind, subject: str, at: float, **details: Any) -> None:
        about = {} if kind in ACTS else {"ticket": subject}
        at_us = _microseconds(at)
        event = {"archive_version": ARCHIVE_VERSION, "kind": kind, "at": at_us / 1e6, **about, **details}
        data = json.dumps(event, ensure_ascii=False, sort_keys=True, indent=1).encode()
        day = f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d}"
        path = self.folder / "log" / day / f"{at_us:017d}-{kind}-{subject}-{sha256_hex(data)[:16]}.json"
        if not path.exists():
            _write_durably(path, data)

    def _keep(self, data: bytes) -> str:
        sha256 = sha256_hex(data)
        path = self.folder / object_path(sha256)
        if not path.exists():
            _write_durably(path, data)
        return sha256

    def _log_paths(self) -> Iterator[str]:
        # os.scandir: this is done every few seconds, over the whole log.
        try:
            entries = sorted(os.scandir(self.folder / "log"), key=lambda entry: entry.name)
        except FileNotFoundError:
            return
        for entry in entries:
            if entry.is_dir():
                yield from (f"log/{entry.name}/{inner}" for inner in os.listdir(entry.path))
            else:
                yield f"log/{entry.name}"


# --- what an event does to a store -----------------------------------------------------------------------------------
# A new kind of event: its name in EventKind, a method that records it, and its line in one of the tables.


def _restore_result(archive: Archive, store: Store, event: Event) -> None:
    store.restore_result(event["ticket"], archive.object(event["result_sha256"]).decode(), event["at"])


def _restore_verdicts(archive: Archive, store: Store, event: Event) -> None:
    store.save_verdicts(_unpacked(archive.object(event["verdicts_sha256"])))


def _restore_end(archive: Archive, store: Store, event: Event) -> None:
    kind = event["kind"]
    reason = event.get("reason") or _END_REASON.get(kind, "")
    store.restore_end(event["ticket"], _END_STATUS[kind], reason, event["at"])


def _restore_judge_quality(archive: Archive, store: Store, event: Event) -> None:
    payload = archive.object(event["quality_sha256"]).decode()
    store.restore_judge_quality(event["judge"], payload, event["at"])


def _restore_act(archive: Archive, store: Store, event: Event) -> None:
    said = (*(event[name] for name in ("act", "about", "actor", "actor_name", "reason")), event.get("cell", ""))
    set_aside = _unpacked(archive.object(event["verdicts_sha256"])) if "verdicts_sha256" in event else {}
    store.restore_act(Act(event["id"], _moment(event), *said), set_aside)


def _restore_vote(archive: Archive, store: Store, event: Event) -> None:
    pair = JudgedPair(**event["pair"])
    store.restore_vote(VerdictVote(event["person"], pair, event["stance"], event["is_own"], _moment(event)))


def _moment(event: Event) -> datetime:
    return _EPOCH + timedelta(microseconds=round(event["at"] * 1e6))


Apply = Callable[[Archive, Store, Event], None]

OUTCOMES: Mapping[str, Apply] = {
    "result": _restore_result,
    "failure": _restore_end,
    "cancellation": _restore_end,
    "withdrawal": _restore_end,
}
"""How submissions end: only the last one counts."""

EVIDENCE: Mapping[str, Apply] = {"verdicts": _restore_verdicts}
"""What results rest on: of each submission the last."""

ACTS: Mapping[str, Apply] = {
    "judge_quality": _restore_judge_quality,
    "act": _restore_act,
    "vote": _restore_vote,
}
"""What has a subject of its own: applied one by one, in the order they happened, once the submissions are there."""


def _said(event: Event) -> tuple[str, str, Names, str, VerdictChoices]:
    """Who sent what for which set, and how it is to be read."""
    choices = VerdictChoices(**event.get("options", {}))
    return event["owner"], event["set_id"], Names(**event["names"]), event["file_sha256"], choices


def _sameness(event: Event) -> str:
    """Equal for uploads that are one submission."""
    return identity(*_said(event))


def _find(store: Store, event: Event) -> Ticket | None:
    return store.find(*_said(event))


def _stands(outcome: Event | None) -> bool:
    """Is a submission with that last outcome open, or on a board?"""
    return outcome is None or outcome["kind"] == "result"


def _has_verdicts(ticket: Ticket) -> bool:
    """Did a judge of ours say something of it? A team's own table of verdicts is its file."""
    return not is_verdict_set(ticket.set_id)


def _packed(verdicts: Mapping[str, str]) -> bytes:
    text = json.dumps(dict(verdicts), ensure_ascii=False, sort_keys=True)
    return gzip.compress(text.encode(), mtime=0)


def _unpacked(data: bytes) -> dict[str, str]:
    verdicts: dict[str, str] = json.loads(gzip.decompress(data))
    return verdicts


def _judge_subject(judge: str) -> str:
    return judge[:16]


def _vote_subject(vote: VerdictVote) -> str:
    """Of one person's votes on one verdict."""
    return sha256_hex(f"{vote.person}\n{vote.pair.verdict}".encode())[:16]


def _microseconds(at: float) -> int:
    """Seconds since the epoch as whole microseconds, rounded as the moments of a ticket are."""
    return (datetime.fromtimestamp(at, UTC) - _EPOCH) // timedelta(microseconds=1)


def _write_durably(path: Path, data: bytes) -> None:
    _make_folder(path.parent)
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}")
    with temporary.open("xb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    temporary.rename(path)
    _sync_folder(path.parent)


def _make_folder(folder: Path) -> None:
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        _sync_folder(folder.parent)


def _sync_folder(folder: Path) -> None:
    """Flushes the folder entry: without it a rename may be lost when the machine stops."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
