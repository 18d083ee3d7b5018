"""The files a team names: those in folders and archives too, within bounds, and never through a link."""

from __future__ import annotations

import hashlib
import os
import stat
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from submissions.findings import Findings
from submissions.known_files import words_of_other
from submissions.reading.limits import Limits
from submissions.reading.quoting import printable
from submissions.reading.strict_json import is_zip
from submissions.reading.zip_members import ZipMembers

READ_SUFFIXES = (".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".zip")
"""Of the names of files that may hold answers; any other is not opened."""

_MIB = 1024 * 1024
_JUNK = frozenset({".ds_store", "thumbs.db", "desktop.ini", "__macosx"})


@dataclass(frozen=True, slots=True)
class PackLimits:
    """Bounds on what one call looks at."""

    files: int = 5_000
    """Files and archive entries met, also those that are not read."""
    read_bytes: int = 512 * _MIB
    """Read in all, archives expanded."""
    file_bytes: int = 64 * _MIB
    """Of one file; larger ones are left aside."""
    depth: int = 12
    """Folders within one another."""
    archives_within: int = 2
    """Archives within one another."""


class CannotPack(Exception):
    """Raised when what was named cannot be looked through; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Source:
    """One file that may hold answers."""

    place: str
    """Where it is, as plan and log name it: `delivery/specific.zip/de_specific.jsonl`; of no two sources the same."""
    name: str
    """Its own name."""
    folders: tuple[str, ...]
    """Names of the folders and archives around it, as far as they were named or found, outermost first."""
    data: bytes
    sha256: str


@dataclass(frozen=True, slots=True)
class LeftAside:
    """A file that no run takes, and why."""

    place: str
    why: str
    has_answers: bool = False
    """Whether it holds answers, or may: then something is lost that a person has to look at."""
    option: str = ""
    """Of the command, where it would say what the file does not."""


@dataclass(slots=True)
class Gathering:
    """Files as they are met; the bounds hold for all of them together."""

    limits: PackLimits = PackLimits()
    sources: list[Source] = field(default_factory=list)
    aside: list[LeftAside] = field(default_factory=list)
    _met: int = 0
    _read: int = 0

    def add_paths(self, paths: Iterable[Path]) -> None:
        """Everything in these files and folders; where several have one name, places say which: `de.zip (file 2 of 3)`.

        Raises:
            CannotPack: where one is not there, or there is more than the limits allow.
        """
        named = list(paths)
        names = Counter(path.name for path in named)
        for number, path in enumerate(named, start=1):
            if not path.exists():
                raise CannotPack(f"{printable(str(path), 200)}: there is no such file or folder")
            # One folder's own name says nothing about its files; several folders may be told apart by theirs.
            around = (path.name,) if path.is_dir() and len(named) > 1 else ()
            kind = "folder" if path.is_dir() else "file"
            which = f" ({kind} {number} of {len(named)})" if names[path.name] > 1 else ""
            place = f"{path.name or path}{which}"
            if path.is_dir():
                self._add_folder(path, around, place, 1)
            elif path.name.casefold().endswith(READ_SUFFIXES):
                self._add_file(path.resolve(), around, place, path.name)
            else:
                self._leave_unread(path, place)

    def add(
        self, place: str, folders: tuple[str, ...], data: bytes, *, archives: int = 0, name: str | None = None
    ) -> None:
        """One file by its bytes; an archive by what it holds.

        Args:
            place: As `Source.place`.
            folders: As `Source.folders`.
            data: Its bytes.
            archives: How many archives it lies in.
            name: As `Source.name`; None = its place ends with it.
        """
        self._read += len(data)
        if self._read > self.limits.read_bytes:
            raise CannotPack(
                f"what was named holds more than {self.limits.read_bytes // _MIB:,} MiB of JSON, met at {place}: name "
                "the folders of fewer runs at a time"
            )
        name = name or place.rpartition("/")[2]
        if is_zip(data) and (other := words_of_other(data, name, {"pack"})):
            self.leave(place, other)
            return
        if is_zip(data):
            self._add_archive(place, (*folders, name), data, archives + 1)
            return
        self.sources.append(Source(place, name, folders, data, hashlib.sha256(data).hexdigest()))

    def meet(self, place: str, name: str | None = None) -> bool:
        """Counts one more file or entry; whether it may hold answers, by its name.

        Args:
            place: As `Source.place`.
            name: As `Source.name`; None = its place ends with it.

        Raises:
            CannotPack: where there are too many.
        """
        self._count()
        *around, own = place.casefold().split("/")
        own = name.casefold() if name else own
        if _JUNK.intersection((*around, own)) or own.startswith("._"):
            return False
        if own.endswith(READ_SUFFIXES):
            return True
        self.leave(place, f"not read: answers are looked for in {', '.join(READ_SUFFIXES)}")
        return False

    def _leave_unread(self, path: Path, place: str) -> None:
        """Leaves a file that was named itself, and says what it is."""
        self._count()
        why = f"not read: answers are looked for in {', '.join(READ_SUFFIXES)}"
        if path.is_file():
            with suppress(OSError), path.open("rb") as file:
                why = words_of_other(file, path.name, {"pack"}) or why
        self.leave(place, why)

    def _count(self) -> None:
        self._met += 1
        if self._met > self.limits.files:
            raise CannotPack(
                f"what was named has more than {self.limits.files:,} files: name the folders that hold the answers"
            )

    def leave(self, place: str, why: str, *, has_answers: bool = False) -> None:
        """Notes a file that no run takes."""
        self.aside.append(LeftAside(place, why, has_answers))

    def _add_folder(self, folder: Path, around: tuple[str, ...], place: str, depth: int) -> None:
        if depth > self.limits.depth:
            self.leave(f"{place}/", f"not opened: more than {self.limits.depth} folders within one another")
            return
        for entry in _entries(folder):
            inner = f"{place}/{printable(entry.name, 200)}"
            if entry.is_symlink():
                self._count()
                self.leave(inner, "not followed: it is a link; name the place it points to")
            elif entry.is_dir(follow_symlinks=False):
                if entry.name.casefold() not in _JUNK and not entry.name.startswith("."):
                    self._add_folder(Path(entry.path), (*around, entry.name), inner, depth + 1)
            else:
                self._add_file(Path(entry.path), around, inner)

    def _add_file(self, path: Path, around: tuple[str, ...], place: str, name: str | None = None) -> None:
        if not self.meet(place, name):
            return
        try:
            # A pipe or device opened like a file would wait for ever; a link may have taken the file's place.
            with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW), "rb") as file:
                status = os.fstat(file.fileno())
                if not stat.S_ISREG(status.st_mode):
                    self.leave(place, "not read: it is no ordinary file")
                    return
                if status.st_size > self.limits.file_bytes:
                    self._leave_large(place, status.st_size)
                    return
                data = file.read(self.limits.file_bytes + 1)
        except OSError as error:
            self.leave(place, f"cannot be read ({error.strerror})", has_answers=True)
            return
        self.add(place, around, data, name=name)

    def _add_archive(self, place: str, folders: tuple[str, ...], data: bytes, archives: int) -> None:
        if archives > self.limits.archives_within:
            self.leave(place, f"not opened: it lies in {archives - 1} archives", has_answers=True)
            return
        findings = Findings()
        # One archive alone may not end the bound of all: `add` counts what each member expands to.
        limits = replace(
            Limits(), zip_entries=self.limits.files, zip_bytes=self.limits.read_bytes + self.limits.file_bytes
        )
        members = ZipMembers(data, findings, limits)
        for member in members:
            inner = "/".join(part for part in (place, printable(member.folder, 200), member.name) if part)
            if not self.meet(inner):
                continue
            content = members.read(member, self.limits.file_bytes)
            if content is not None:
                inside = tuple(part for part in member.folder.split("/") if part)
                self.add(inner, (*folders, *inside), content, archives=archives)
        for problem in findings.problems:
            inner = place if problem.path == "$" else f"{place}/{problem.path}"
            self.leave(inner, problem.message, has_answers=True)

    def _leave_large(self, place: str, size: int) -> None:
        most = self.limits.file_bytes // _MIB
        self.leave(place, f"not read: {size:,} bytes, at most {most} MiB are read of one file", has_answers=True)


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    """What a folder holds, by name."""
    try:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError as error:
        raise CannotPack(f"{printable(str(folder), 200)}: {error.strerror}") from error
    yield from entries
