"""The append-only record from which everything can be rebuilt: one folder of events and content-addressed objects.

    archive/objects/ab/abcd...                      bytes of uploads and results, named by their SHA-256
    archive/log/<day>/<time>-<kind>-<subject>-<digest>.json   one file per event, never changed

Every file is written beside its place, flushed to disk and renamed, so a crash leaves a whole file or none. An event's
name follows from what it says: recording the same fact twice leaves one file.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
import uuid
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from submissions.archive.events import (
    ACTS,
    ARCHIVE_VERSION,
    EVIDENCE,
    ArchiveError,
    DamagedFile,
    EndKind,
    Event,
    EventKind,
    EventName,
    event_digest,
    event_name,
    event_path,
    is_archive_path,
    microseconds,
    object_name,
    object_path,
    objects_of,
    packed_verdicts,
    parsed_event,
)
from submissions.formats.judge_verdicts.submission import is_verdict_set
from submissions.schema import Names, VerdictChoices
from submissions.store.accepted_terms import Acceptance
from submissions.store.erasing import Tombstone
from submissions.store.judge_reports import PublishedReport
from submissions.store.queue import Act, JobStatus, Role, Ticket
from submissions.store.store import Store, sha256_hex
from submissions.store.verdict_keys import verdict_keys
from submissions.store.votes import VerdictVote

END_KIND: Mapping[JobStatus, EndKind] = {
    JobStatus.FAILED: "failure",
    JobStatus.CANCELLED: "cancellation",
    JobStatus.WITHDRAWN: "withdrawal",
}
REASON_DAMAGED = "the record of the reason is damaged"
"""Stands in for a reason that could not be restored, and is never recorded itself."""

_ASIDE = "damaged"
"""Folder of the archive to which damaged files are moved once there is a whole one for their place."""


@dataclass(frozen=True, slots=True)
class Log:
    """All events of an archive that could be read, in the order they happened, and what is wrong with the others."""

    events: tuple[Event, ...]
    damage: tuple[DamagedFile, ...]


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
        answers: int | None = None,
        answers_sha256: str | None = None,
    ) -> None:
        """Keeps an accepted upload; on return it is on disk."""
        told = {"owner_name": owner_name or None, "answers": answers, "answers_digest": answers_sha256}
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
            **{key: value for key, value in told.items() if value is not None},
        )

    def _record_ticket(self, ticket: Ticket, data: bytes) -> None:
        self.record_submission(
            ticket_id=ticket.id,
            owner=ticket.owner,
            role=ticket.role,
            edition=ticket.edition,
            set_id=ticket.set_id,
            names=ticket.names,
            file_name=ticket.file_name,
            data=data,
            received_at=ticket.received_at.timestamp(),
            choices=ticket.choices,
            owner_name=ticket.owner_name,
            answers=ticket.answers,
            answers_sha256=ticket.answers_sha256,
        )

    def record_revocation(self, ticket_id: str, at: float, reason: str) -> None:
        """Keeps the fact that an upload was refused after it had been kept: no submission comes of it."""
        self._append("revocation", ticket_id, at, reason=reason)

    def keep_frozen(self, copy: bytes) -> str:
        """Keeps the frozen copy of a board, by its SHA-256; on return it is on disk."""
        return self._keep(copy)

    def record_act(self, act: Act, set_aside: Mapping[str, str] = MappingProxyType({})) -> None:
        """Keeps what an organiser or an owner decided; on return it is on disk.

        Args:
            act: What was decided.
            set_aside: Verdicts (JSON by key) that are asked again because of it, as they were.
        """
        about_a_cell: dict[str, str] = {}
        if act.kind == "freeze":
            about_a_cell = {"cell": act.cell, "frozen_sha256": act.cell}
        elif act.cell:
            about_a_cell = {"cell": act.cell, "verdicts_sha256": self._keep(packed_verdicts(set_aside))}
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
        sha256 = self._keep(packed_verdicts(verdicts))
        self._append("verdicts", ticket_id, recorded_at, n=len(verdicts), verdicts_sha256=sha256)

    def record_end(self, kind: EndKind, ticket_id: str, owner: str, at: float, reason: str | None = None) -> None:
        """Keeps the fact that a submission failed, was cancelled or withdrawn, and why."""
        self._append(kind, ticket_id, at, owner=owner, reason=reason)

    def record_judge_quality(self, judge: str, payload: str, recorded_at: float) -> None:
        """Keeps a judge's measured agreement with our labelled pairs, which the Judges board shows."""
        sha256 = self._keep(payload.encode())
        self._append("judge_quality", _judge_subject(judge), recorded_at, judge=judge, quality_sha256=sha256)

    def record_judge_report(self, report: PublishedReport) -> None:
        """Keeps the figures that somebody published of a judge; on return they are on disk."""
        self._append(
            "judge_report",
            report.id,
            report.published_at.timestamp(),
            report=report.id,
            owner=report.owner,
            owner_name=report.owner_name,
            report_sha256=self._keep(report.payload.encode()),
        )

    def record_report_withdrawal(self, report: PublishedReport) -> None:
        """Keeps that a published report was taken back; nothing of one that stands."""
        if report.withdrawn_at is not None:
            self._append("report_withdrawal", report.id, report.withdrawn_at.timestamp(), report=report.id)

    def erase(self, stone: Tombstone) -> list[str]:
        """Removes what a submission said, and keeps its tombstone; returns the paths of what is gone.

        The tombstone is on disk first: it names every file that goes, so that no copy of the archive brings one back.
        Objects that other events refer to stay.
        """
        log = self.log()
        gone = {name.path: objects_of(self.event(name)) for name in self.names() if self._says(name, stone.ticket_id)}
        needed = {sha256 for name in self.names() if name.path not in gone for sha256 in self._referred_to(name)}
        objects = {sha256 for own in gone.values() for sha256 in own} - needed
        before = [
            event["removed"]
            for event in log.events
            if event["kind"] == "erasure" and event["erased"] == stone.ticket_id
        ]
        removed = sorted({*gone, *map(object_path, objects), *(path for paths in before for path in paths)})
        self._append(
            "erasure",
            stone.ticket_id,
            stone.erased_at,
            erased=stone.ticket_id,
            owner=stone.owner,
            role=stone.role,
            edition=stone.edition,
            set_id=stone.set_id,
            names=asdict(stone.names),
            options=stone.choices.as_json(),
            file_name=stone.file_name,
            file_digest=stone.file_sha256,
            received_at=stone.received_at,
            reason=stone.reason,
            removed=removed,
        )
        self.remove(removed)
        return removed

    def barred(self) -> frozenset[str]:
        """Paths that erasures removed, but for objects that an event here refers to: they were sent again."""
        removed = {path for event in self._erasures() for path in event["removed"]}
        if not removed:
            return frozenset()
        names = [name for name in self.names() if name.path not in removed]
        return frozenset(removed - {object_path(sha256) for name in names for sha256 in self._referred_to(name)})

    def remove(self, paths: Iterable[str]) -> None:
        """Deletes files of the archive, and what was moved aside from their places."""
        for path in paths:
            if not is_archive_path(path):
                continue
            aside = self.folder / _ASIDE / path
            for file in [self.folder / path, *aside.parent.glob(f"{aside.name}*")]:
                file.unlink(missing_ok=True)
                if file.parent.is_dir():
                    _sync_folder(file.parent)

    def _erasures(self) -> Iterator[Event]:
        for name in self.names():
            if name.kind == "erasure":
                with suppress(DamagedFile):
                    yield self.event(name)

    def _says(self, name: EventName, ticket_id: str) -> bool:
        """Is an event one that goes when that submission is erased? Ends stay; so do acts that keep no verdicts."""
        if name.kind in ("submission", "revocation", *EVIDENCE, "result", "failure"):
            return name.subject == ticket_id
        if name.kind != "act":
            return False
        with suppress(DamagedFile):
            event = self.event(name)
            return event["about"] == ticket_id and "verdicts_sha256" in event
        return False

    def _referred_to(self, name: EventName) -> list[str]:
        with suppress(DamagedFile):
            return objects_of(self.event(name))
        return []

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

    def record_acceptance(self, acceptance: Acceptance) -> None:
        """Keeps that an account accepted terms, and their text; on return it is on disk."""
        self._append(
            "acceptance",
            _acceptance_subject(acceptance),
            acceptance.at.timestamp(),
            owner=acceptance.owner,
            owner_name=acceptance.owner_name,
            terms=acceptance.terms,
            text_sha256=self._keep(acceptance.text.encode()),
        )

    def catch_up(self, store: Store, damaged: Container[str] = ()) -> int:
        """Records what the store knows and the archive does not; returns how many events were added.

        Every fact is committed to the store first and recorded here after: by who made it, or, after a crash or where
        a worker on another machine made it, by this. Only submissions are here first.

        Args:
            damaged: Paths of events that do not count: what they said is recorded again where the store knows it.
        """
        names = sorted(self.names(unlike=damaged), key=lambda name: name.order)
        last = {(name.subject, name.kind in EVIDENCE): name for name in names}
        taken_in = {name.subject for name in names if name.kind in ("submission", "revocation", "erasure")}
        erased = {name.subject for name in names if name.kind == "erasure"}

        def is_missing(subject: str, kind: str, at: float) -> bool:
            # Times in names of the first version were cut off to microseconds, not rounded.
            known = last.get((subject, kind in EVIDENCE))
            return known is None or known.kind != kind or known.at_us < microseconds(at) - 1

        added = 0
        for stone in store.erased():
            if stone.ticket_id not in erased:
                self.erase(stone)
                taken_in.add(stone.ticket_id)
                # Decisions that kept verdicts of it are recorded again without them.
                last = {key: name for key, name in last.items() if os.path.lexists(self.folder / name.path)}
                added += 1
        for ticket in store.tickets():
            if ticket.id not in taken_in:
                self._record_ticket(ticket, store.payload(ticket.file_sha256))
                added += 1
            at, kind = ticket.status_at.timestamp(), END_KIND.get(ticket.status)
            if kind is not None and ticket.reason != REASON_DAMAGED and is_missing(ticket.id, kind, at):
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
            if (act.id, False) not in last and act.reason != REASON_DAMAGED:
                self.record_act(act, store.verdicts_set_aside(act.id))
                added += 1
        for judge, payload, recorded_at in store.judge_quality_records():
            if is_missing(_judge_subject(judge), "judge_quality", recorded_at):
                self.record_judge_quality(judge, payload, recorded_at)
                added += 1
        recorded = {(name.subject, name.kind) for name in names}
        for report in store.judge_reports():
            if (report.id, "judge_report") not in recorded:
                self.record_judge_report(report)
                added += 1
            if report.withdrawn_at is not None and (report.id, "report_withdrawal") not in recorded:
                self.record_report_withdrawal(report)
                added += 1
        for vote in store.verdict_votes():
            if is_missing(_vote_subject(vote), "vote", vote.at.timestamp()):
                self.record_vote(vote)
                added += 1
        for acceptance in store.acceptances():
            if is_missing(_acceptance_subject(acceptance), "acceptance", acceptance.at.timestamp()):
                self.record_acceptance(acceptance)
                added += 1
        return added

    # Files

    def names(self, unlike: Container[str] = ()) -> list[EventName]:
        """Events by the names of their files, in no particular order.

        Args:
            unlike: Paths that are left out.
        """
        names = (event_name(path) for path in self._log_paths() if isinstance(path, str) and path not in unlike)
        return [name for name in names if name is not None]

    def log(self) -> Log:
        """Reads every event, and steps over what is damaged."""
        names: list[EventName] = []
        damage: list[DamagedFile] = []
        for path in self._log_paths():
            name = event_name(path) if isinstance(path, str) else None
            if name is not None:
                names.append(name)
            elif isinstance(path, DamagedFile):
                damage.append(path)
            elif not path.rpartition("/")[2].startswith("."):  # what a crash left half-written begins with a dot
                damage.append(_unnamed(path))
        events: list[Event] = []
        for name in sorted(names, key=lambda name: name.order):
            try:
                events.append(self.event(name))
            except DamagedFile as fault:
                damage.append(fault)
        return Log(tuple(events), tuple(damage))

    def event(self, name: EventName) -> Event:
        """The event of that name.

        Raises:
            DamagedFile: when it is missing, damaged, or of a newer version.
        """
        return parsed_event(name, self._read(name.path, f"an event of kind {name.kind!r}"))

    def object(self, sha256: str) -> bytes:
        """The bytes of that content address.

        Raises:
            DamagedFile: when they are missing or damaged.
        """
        path = object_path(sha256)
        data = self._read(path, _WHOLE_OBJECT)
        if sha256_hex(data) != sha256:
            raise DamagedFile(path, f"{len(data):,} bytes with another SHA-256", _WHOLE_OBJECT)
        return data

    def head(self, path: str) -> bytes:
        """The first bytes of a file, however damaged; none where it cannot be read."""
        try:
            with (self.folder / path).open("rb") as stream:
                return stream.read(_HEAD_BYTES)
        except OSError:
            return b""

    def fault(self, path: str) -> DamagedFile | None:
        """What is wrong in a place of the archive now; None while nothing is. An event that is not there is not wrong.

        Holds no more than an event in memory, however large an object is.
        """
        name, sha256 = event_name(path), object_name(path)
        try:
            if sha256 is not None:
                if self._digest(path, _WHOLE_OBJECT) != sha256:
                    raise DamagedFile(path, f"{self.size(path):,} bytes with another SHA-256", _WHOLE_OBJECT)
            elif name is not None and os.path.lexists(self.folder / path):
                self.event(name)
            elif name is None and os.path.isdir(self.folder / path):
                self._listed(path)
            elif name is None and os.path.lexists(self.folder / path):
                raise _unnamed(path)
        except DamagedFile as fault:
            return fault
        return None

    def lacks(self, path: str) -> DamagedFile | None:
        """Whether no file is in the place of an object: much faster to tell than whether it is whole."""
        return None if os.path.isfile(self.folder / path) else self.fault(path)

    def missing(self, paths: Iterable[str]) -> list[str]:
        """The paths of an archive's files that are not here."""
        return [path for path in paths if is_archive_path(path) and not os.path.lexists(self.folder / path)]

    def size(self, path: str) -> int:
        """Bytes of a file.

        Raises:
            DamagedFile: when it is not here.
        """
        try:
            return (self.folder / path).stat().st_size
        except OSError:
            raise DamagedFile(path, "nothing", "a file") from None

    @contextmanager
    def incoming(self) -> Iterator[Path]:
        """A folder for files on their way in; emptied on leaving."""
        _make_folder(self.folder / ".incoming")
        with tempfile.TemporaryDirectory(dir=self.folder / ".incoming") as folder:
            yield Path(folder)

    def adopt(self, path: str, copy: Path) -> None:
        """Moves a file of another copy of this archive into its place; on return it is on disk.

        A file that is in its place is moved aside, not overwritten.

        Raises:
            ArchiveError: when it is none, or its bytes are not what its name says.
        """
        name = event_name(path)
        expected = event_digest(name) if name else object_name(path)
        if expected is None:
            raise ArchiveError(f"{path!r} is no file of an archive")
        with copy.open("rb") as stream:
            sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
            if not sha256.startswith(expected):
                raise DamagedFile(path, "a copy with another SHA-256", "the bytes its name says")
            os.fsync(stream.fileno())
        if self._holds(path, sha256):
            return
        self.set_aside(path)
        target = self.folder / path
        _make_folder(target.parent)
        copy.rename(target)
        _sync_folder(target.parent)

    def set_aside(self, path: str) -> None:
        """Moves whatever is in a place to the folder `damaged`, where it stays; nothing happens where nothing is."""
        source = self.folder / path
        if not os.path.lexists(source):
            return
        target = self.folder / _ASIDE / path
        while os.path.lexists(target):
            target = target.with_name(f"{target.name}.{uuid.uuid4().hex[:8]}")
        _make_folder(target.parent)
        source.rename(target)
        _sync_folder(target.parent)
        _sync_folder(source.parent)

    def _append(self, kind: EventKind, subject: str, at: float, **details: Any) -> None:
        about = {} if kind in ACTS else {"ticket": subject}
        at_us = microseconds(at)
        event = {"archive_version": ARCHIVE_VERSION, "kind": kind, "at": at_us / 1e6, **about, **details}
        data = json.dumps(event, ensure_ascii=False, sort_keys=True, indent=1).encode()
        self._put(event_path(kind, subject, at_us, data), data, sha256_hex(data))

    def _keep(self, data: bytes) -> str:
        sha256 = sha256_hex(data)
        self._put(object_path(sha256), data, sha256)
        return sha256

    def _put(self, path: str, data: bytes, sha256: str) -> None:
        """Lets a file be there, whole: one that is there and is not is moved aside."""
        if os.path.lexists(self.folder / path):
            if self._holds(path, sha256):
                return
            self.set_aside(path)
        _write_durably(self.folder / path, data)

    def _holds(self, path: str, sha256: str) -> bool:
        try:
            return self._digest(path, "") == sha256
        except DamagedFile:
            return False

    def _read(self, path: str, expected: str) -> bytes:
        with _unreadable(path, expected):
            return (self.folder / path).read_bytes()

    def _digest(self, path: str, expected: str) -> str:
        with _unreadable(path, expected), (self.folder / path).open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()

    def _log_paths(self) -> Iterator[str | DamagedFile]:
        """Everything in the log, and what cannot be listed."""
        folders = ["log"]
        while folders:
            folder = folders.pop()
            try:
                paths = [f"{folder}/{name}" for name in self._listed(folder)]
            except DamagedFile as fault:
                yield fault
                continue
            days = [path for path in paths if folder == "log" and _DAY.fullmatch(path)]
            folders += [path for path in days if os.path.isdir(self.folder / path)]
            yield from (path for path in paths if path not in folders)

    def _listed(self, path: str) -> list[str]:
        try:
            return os.listdir(self.folder / path)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise DamagedFile(path, f"what cannot be listed ({error.strerror})", "a folder of events") from None


_DAY = re.compile(r"log/\d{4}-\d\d-\d\d")
_HEAD_BYTES = 256
_WHOLE_OBJECT = "bytes with the SHA-256 in its name"


@contextmanager
def _unreadable(path: str, expected: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise DamagedFile(path, "nothing", expected) from None
    except IsADirectoryError:
        raise DamagedFile(path, "a folder", expected) from None
    except OSError as error:
        raise DamagedFile(path, f"a file that cannot be read ({error.strerror})", expected) from None


def _unnamed(path: str) -> DamagedFile:
    return DamagedFile(path, "a name that no event has", "TIME-KIND-SUBJECT-DIGEST.json")


def _has_verdicts(ticket: Ticket) -> bool:
    """Did a judge of ours say something of it? A team's own table of verdicts is its file."""
    return not is_verdict_set(ticket.set_id)


def _judge_subject(judge: str) -> str:
    return judge[:16]


def _vote_subject(vote: VerdictVote) -> str:
    """Of one person's votes on one verdict."""
    return sha256_hex(f"{vote.person}\n{vote.pair.verdict}".encode())[:16]


def _acceptance_subject(acceptance: Acceptance) -> str:
    """Of one account's acceptance of one version."""
    said = f"{acceptance.owner}\n{acceptance.terms}\n{acceptance.sha256}"
    return sha256_hex(said.encode())[:16]


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
