"""The record of a canary: JSON Lines in the data folder, one file for each judge and set of pairs, appended to only."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from pydantic import ValidationError

from evaluator.canary.course import BASELINE, Asking, Course, courses
from evaluator.judge_quality.measurement import pin_sha256
from evaluator.values import Pin

_SUFFIX = ".jsonl"
_DIGITS = 16
_DECIMALS = 4
_TOP = 5


class RecordUnusable(Exception):
    """Raised where a record cannot be read or another command writes it; names the file and the line."""


@dataclass(frozen=True, slots=True)
class CanaryRecord:
    """What one file holds."""

    judge: Pin
    pairs: str
    """Digest of the pairs (`pairs_digest`); their texts are nowhere in it."""
    courses: tuple[Course, ...]
    told: frozenset[datetime]
    """Alarms that a webhook has taken."""

    @property
    def last(self) -> Course | None:
        """The course that goes on; None where nothing was asked yet."""
        return self.courses[-1] if self.courses else None

    @property
    def alarms(self) -> list[Course]:
        """The courses that ended with an alarm, in their order."""
        return [course for course in self.courses if course.alarm]


def canary_folder(data: Path) -> Path:
    """Where the records of an installation are."""
    return data / "canary"


def record_path(folder: Path, judge: Pin, pairs: str) -> Path:
    """The file of a judge and of pairs with a digest: a judge that says itself that it is another has another file."""
    return folder / f"{pin_sha256(judge)[:_DIGITS]}-{pairs[:_DIGITS]}{_SUFFIX}"


def read_record(path: Path) -> CanaryRecord | None:
    """What a file holds; None where nothing was asked yet. What a killed command left of a last line is overlooked.

    Raises:
        RecordUnusable: naming the line that is none of ours.
        OSError: where it cannot be read.
    """
    if not path.exists():
        return None
    data = path.read_bytes()
    lines = data[: data.rfind(b"\n") + 1].splitlines()
    if not lines:
        return None
    judge, pairs, count = _head(path, lines[0])
    askings: list[Asking] = []
    told: set[datetime] = set()
    for number, line in enumerate(lines[1:], start=2):
        document = _document(path, number, line)
        try:
            if "told" in document:
                told.add(datetime.fromisoformat(document["told"]))
            else:
                askings.append(_asking(document, count))
        except (KeyError, TypeError, ValueError) as error:
            raise RecordUnusable(
                f"{path}:{number}: not a line this command writes ({error}): put the file aside, a new record begins"
            ) from error
    return CanaryRecord(judge, pairs, tuple(courses(askings)), frozenset(told))


def records(folder: Path) -> list[CanaryRecord]:
    """Every record of a folder, in order of their files' names.

    Raises:
        RecordUnusable, OSError: as `read_record`.
    """
    read = (read_record(path) for path in sorted(folder.glob(f"*{_SUFFIX}")))
    return [record for record in read if record is not None]


def _document(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise RecordUnusable(f"{path}:{number}: not a JSON object: put the file aside, and a new record begins")
    return document


def _head(path: Path, line: bytes) -> tuple[Pin, str, int]:
    document = _document(path, 1, line)
    try:
        return Pin.model_validate(document["judge"]), str(document["pairs"]), int(document["n"])
    except (KeyError, TypeError, ValueError, ValidationError):
        raise RecordUnusable(f"{path}:1: expected the judge, the pairs' digest and their number") from None


def _asking(document: dict[str, Any], count: int) -> Asking:
    ratings = tuple(_rating(rating) for rating in document["ratings"])
    if len(ratings) != count:
        raise ValueError(f"{len(ratings)} ratings, expected {count}")
    step = document.get("step")
    if step is not None and not (type(step) is int and 1 <= step <= BASELINE):
        raise ValueError(f"a step is no number from 1 to {BASELINE}")
    return Asking(datetime.fromisoformat(document["at"]), ratings, step)


def _rating(value: object) -> float | None:
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _TOP):
        return value
    raise ValueError("a rating is no number from 0 to 5")


class OpenRecord:
    """A record that one command at a time appends to; see `opened_record`."""

    def __init__(self, path: Path, stream: IO[bytes], judge: Pin, pairs: str, count: int) -> None:
        self._path = path
        self._stream = stream
        if stream.seek(0, os.SEEK_END) == 0:
            self._write({"kind": "canary", "judge": judge.model_dump(mode="json"), "pairs": pairs, "n": count})

    def add(self, ratings: Sequence[float | None], step: int | None = None) -> CanaryRecord:
        """Append one asking of all pairs, at this moment; it is on the disk when this returns.

        Args:
            ratings: One for each pair.
            step: Its place in a baseline, from 1; None = a round.
        """
        rounded = [None if rating is None else round(rating, _DECIMALS) for rating in ratings]
        asked = {"at": now().isoformat(timespec="milliseconds"), "ratings": rounded}
        self._write(asked if step is None else asked | {"step": step})
        return self.read()

    def tell(self, alarm: datetime) -> None:
        """Notes that an alarm was told."""
        self._write({"told": alarm.isoformat()})

    def read(self) -> CanaryRecord:
        """What it holds now."""
        record = read_record(self._path)
        assert record is not None  # its head was written when it was opened
        return record

    def _write(self, document: dict[str, Any]) -> None:
        self._stream.write(json.dumps(document, allow_nan=False).encode() + b"\n")
        self._stream.flush()
        os.fsync(self._stream.fileno())


def now() -> datetime:
    """Return the present moment, which tests move."""
    return datetime.now(UTC)


@contextmanager
def opened_record(folder: Path, judge: Pin, pairs: str, count: int) -> Iterator[OpenRecord]:
    """The record of a judge and of `count` pairs, for this command alone; made where there is none.

    Raises:
        RecordUnusable: another command asks this canary now, or the file is none of ours.
        OSError: where it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = record_path(folder, judge, pairs)
    with path.open("ab+") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RecordUnusable(f"{path}: another command asks this canary now: wait for its end") from None
        _cut_torn_line(stream)
        read_record(path)
        yield OpenRecord(path, stream, judge, pairs, count)


def _cut_torn_line(stream: IO[bytes]) -> None:
    stream.seek(0)
    data = stream.read()
    stream.truncate(data.rfind(b"\n") + 1)


def folder_state(folder: Path) -> str:
    """Changes whenever a record of the folder does; blank = there is none."""
    try:
        files = sorted((path.name, path.stat().st_mtime_ns, path.stat().st_size) for path in folder.glob(f"*{_SUFFIX}"))
    except OSError:
        return ""
    return hashlib.sha256(repr(files).encode()).hexdigest() if files else ""
