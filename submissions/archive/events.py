"""The events of the archive: what their files are called, what they say, and whether a file says it whole."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, field_validator

from submissions.schema import Names, VerdictChoices
from submissions.store.queue import ActKind, Role
from submissions.store.store import sha256_hex
from submissions.store.votes import JudgedPair, Stance

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
    "judge_report",
    "report_withdrawal",
    "act",
    "vote",
    "acceptance",
    "erasure",
]
OUTCOMES: frozenset[str] = frozenset({"result", *get_args(EndKind)})
"""How submissions end: only the last one counts."""
EVIDENCE: frozenset[str] = frozenset({"verdicts"})
"""What results rest on: of each submission the last."""
ACTS: frozenset[str] = frozenset(
    {"judge_quality", "judge_report", "report_withdrawal", "act", "vote", "acceptance", "erasure"}
)
"""What has a subject of its own: applied one by one, in the order they happened, once the submissions are there."""

Event = Mapping[str, Any]

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_END_OF_TIME = 253_402_300_799.0
"""The last second of the year 9999."""
_DIGEST_CHARACTERS = 16
"""Of an event's SHA-256 in its name. Names of the first version hold 8 that are compared with nothing."""
_FILE = re.compile(
    r"objects/(?P<shard>[0-9a-f]{2})/(?P<object>(?P=shard)[0-9a-f]{62})"
    r"|log/(?:\d{4}-\d\d-\d\d/)?(?P<at>\d{17})-(?P<kind>[a-z_]+)-(?P<subject>\w+)-(?P<digest>[0-9a-f]{8,64})\.json",
    re.ASCII,
)
"""Paths of an archive's files; log files of the first version lie in no folder of their day."""


class ArchiveError(Exception):
    """Raised when the archive cannot be used as asked."""


class DamagedFile(ArchiveError):
    """Raised when a file of the archive is missing, or is not what its name says.

    Attributes:
        path: In the archive, with `/`.
    """

    def __init__(self, path: str, description: str, expected: str) -> None:
        super().__init__(f"{path}: found {description}, expected {expected}")
        self.path = path


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
    digest: str
    """How the SHA-256 of the file begins."""

    @property
    def order(self) -> tuple[int, str]:
        """Events in the order they happened."""
        return (self.at_us, self.path.rpartition("/")[2])

    @property
    def at(self) -> float:
        """When it happened, in seconds since the epoch."""
        return self.at_us / 1e6


def event_name(path: str) -> EventName | None:
    """What a path in an archive says of its event; None for anything else."""
    name = _FILE.fullmatch(path)
    if name is None or name["kind"] is None:
        return None
    return EventName(path, int(name["at"]), name["kind"], name["subject"], name["digest"])


def event_digest(name: EventName) -> str:
    """How the SHA-256 of an event's file has to begin; blank where its name does not say."""
    return name.digest if len(name.digest) >= _DIGEST_CHARACTERS else ""


def object_name(path: str) -> str | None:
    """The SHA-256 that a path in an archive names its object by; None for anything else."""
    name = _FILE.fullmatch(path)
    return name["object"] if name else None


def is_archive_path(path: str) -> bool:
    """Is it the path of an object or event? Nothing else is ever copied into an archive."""
    return _FILE.fullmatch(path) is not None


def event_path(kind: EventKind, subject: str, at_us: int, data: bytes) -> str:
    """Where an event with those bytes lies in the archive."""
    day = f"{EPOCH + timedelta(microseconds=at_us):%Y-%m-%d}"
    return f"log/{day}/{at_us:017d}-{kind}-{subject}-{sha256_hex(data)[:_DIGEST_CHARACTERS]}.json"


def object_path(sha256: str) -> str:
    """Where an object lies in the archive."""
    return f"objects/{sha256[:2]}/{sha256}"


def objects_of(event: Event) -> list[str]:
    """SHA-256 of every object an event refers to: its fields that end with `_sha256`."""
    return [value for name, value in event.items() if name.endswith("_sha256")]


def microseconds(at: float) -> int:
    """Seconds since the epoch as whole microseconds, rounded as the moments of a ticket are."""
    return (datetime.fromtimestamp(at, UTC) - EPOCH) // timedelta(microseconds=1)


def moment_of(event: Event) -> datetime:
    """When an event happened."""
    return EPOCH + timedelta(microseconds=round(event["at"] * 1e6))


def packed_verdicts(verdicts: Mapping[str, str]) -> bytes:
    """Verdicts (JSON by key) as they are kept."""
    text = json.dumps(dict(verdicts), ensure_ascii=False, sort_keys=True)
    return gzip.compress(text.encode(), mtime=0)


def parsed_event(name: EventName, data: bytes) -> Event:
    """What the file of that name says. Fields that this version does not know are kept, and mean nothing to it.

    Raises:
        DamagedFile: when it is not whole, not what its name says, or written by a newer version.
    """
    expected = f"an event of kind {name.kind!r} as JSON, with a SHA-256 that begins with {name.digest}"
    if not data:
        raise DamagedFile(name.path, "an empty file", expected)
    try:
        event = json.loads(data)
    except (ValueError, RecursionError):
        raise DamagedFile(name.path, f"{len(data):,} bytes that are not whole JSON", expected) from None
    version = event.get("archive_version") if isinstance(event, dict) else None
    if isinstance(version, int) and version > ARCHIVE_VERSION:
        raise _newer(name.path, f"an event of archive version {version}")
    if not sha256_hex(data).startswith(event_digest(name)):
        raise DamagedFile(name.path, "JSON with another SHA-256", expected)
    if not isinstance(event, dict) or version != ARCHIVE_VERSION:
        raise DamagedFile(name.path, "JSON that is no event", expected)
    if event.get("kind") != name.kind or event.get("ticket", name.subject) != name.subject:
        raise DamagedFile(name.path, "an event of another kind or submission", expected)
    if name.kind not in _SHAPES:
        raise _newer(name.path, f"an event of kind {name.kind!r}")
    try:
        _SHAPES[name.kind].model_validate_json(data)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in fault["loc"])
        description = f"an event whose field {place!r} cannot be read ({fault['msg']})"
        raise DamagedFile(name.path, description, expected) from None
    return event


def hidden_by(head: bytes) -> str | None:
    """The ticket that a damaged act hid, where its beginning still says so; fields are written in the alphabet's order.

    >>> hidden_by(b'{\\n "about": "a1", \\n "act": "hide",\\n "actor": "an')
    'a1'
    """
    beginning = re.match(rb'\{\s*"about": "(\w{1,32})",\s*"act": "hide",', head)
    return beginning[1].decode("ascii", "replace") if beginning else None


def _newer(path: str, description: str) -> DamagedFile:
    return DamagedFile(
        path, f"{description}, written by a newer version of Plumbline", "one this version knows: update it"
    )


# --- what events say -------------------------------------------------------------------------------------------------

_Ticket = Annotated[str, StringConstraints(pattern=r"^\w{1,32}$")]
_Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class _Said(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")

    at: float = Field(ge=0, le=_END_OF_TIME, allow_inf_nan=False)


class _OfTicket(_Said):
    ticket: _Ticket


class _OfFile(_Said):
    owner: str
    role: Role
    edition: Annotated[str, StringConstraints(max_length=8)]
    set_id: str
    names: Names
    options: VerdictChoices = VerdictChoices()
    file_name: str


class _Submission(_OfTicket, _OfFile):
    file_sha256: _Sha256
    owner_name: str = ""

    @field_validator("names", "options", mode="before")
    @classmethod
    def _known(cls, value: object) -> object:
        # How a file is to be read must not be read by half.
        known = {field.name for kind in (Names, VerdictChoices) for field in fields(kind)}
        if isinstance(value, dict) and not known.issuperset(value):
            raise ValueError("it holds what a newer version of Plumbline wrote")
        return value


class _Revocation(_OfTicket):
    reason: str


class _Result(_OfTicket):
    result_sha256: _Sha256


class _Verdicts(_OfTicket):
    verdicts_sha256: _Sha256


class _End(_OfTicket):
    reason: str | None = None


class _JudgeQuality(_Said):
    judge: Annotated[str, StringConstraints(max_length=64)]
    quality_sha256: _Sha256


class _JudgeReport(_Said):
    report: _Ticket
    owner: str
    owner_name: str
    report_sha256: _Sha256


class _ReportWithdrawal(_Said):
    report: _Ticket


class _Act(_Said):
    id: _Ticket
    act: ActKind
    about: _Ticket
    actor: str
    actor_name: str
    reason: str
    cell: str = ""
    verdicts_sha256: _Sha256 | None = None


class _Erasure(_OfFile):
    # Names of a newer version are passed over: what was erased must not come back for them.
    erased: _Ticket
    file_digest: _Sha256
    received_at: float = Field(ge=0, le=_END_OF_TIME, allow_inf_nan=False)
    reason: str
    removed: list[str]


class _Vote(_Said):
    person: str
    pair: JudgedPair
    stance: Stance
    is_own: bool


class _Acceptance(_Said):
    owner: str
    owner_name: str
    terms: Annotated[str, StringConstraints(max_length=32)]
    text_sha256: _Sha256


_SHAPES: Mapping[str, type[_Said]] = {
    "submission": _Submission,
    "revocation": _Revocation,
    "result": _Result,
    "verdicts": _Verdicts,
    "failure": _End,
    "cancellation": _End,
    "withdrawal": _End,
    "judge_quality": _JudgeQuality,
    "judge_report": _JudgeReport,
    "report_withdrawal": _ReportWithdrawal,
    "act": _Act,
    "vote": _Vote,
    "acceptance": _Acceptance,
    "erasure": _Erasure,
}
"""By kind: the fields an event must have for its line in `submissions.archive.restoring` to be carried out."""
