"""The members of a zip, one after the other in memory: never on disk, and never as large as its headers say.

Headers are only claims: sizes are counted while a member is expanded, and any bytes of a hostile archive end in a
problem at that member, not in an exception.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, BinaryIO, TypeVar

from submissions.findings import Findings
from submissions.reading.limits import Limits
from submissions.reading.quoting import printable, quoted

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

Read = TypeVar("Read")

_DIRECTORY_ENTRY = b"PK\x01\x02"
_IS_ENCRYPTED = 0x1
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
"""Others may ask for gigabytes of dictionary."""
_READ_AT_ONCE = 256 * 1024
_DRIVE = re.compile(r"[A-Za-z]:")
_JUNK_NAMES = frozenset({".ds_store", "thumbs.db", "desktop.ini"})
_JUNK_FOLDER = "__MACOSX"


@dataclass(frozen=True, slots=True)
class Member:
    """One file that an archive lists."""

    name: str
    """Without its folders, as places show it."""
    folder: str
    """Blank at the outermost level."""
    info: zipfile.ZipInfo

    @property
    def is_junk(self) -> bool:
        """Whether an operating system put it there."""
        is_folder = _JUNK_FOLDER in PurePosixPath(self.folder).parts
        return is_folder or self.name.startswith("._") or self.name.casefold() in _JUNK_NAMES


class _Unreadable(Exception):
    """Raised where a member cannot be read; carries the problem's code and hint."""

    def __init__(self, code: str, message: str, hint: str) -> None:
        self.code = code
        self.hint = hint
        super().__init__(message)


class _Expanded(io.RawIOBase):
    """The bytes of a member while they are expanded, forward only."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        room = memoryview(buffer).cast("B")
        self._rest = self._rest or next(self._chunks, b"")
        part, self._rest = self._rest[: len(room)], self._rest[len(room) :]
        room[: len(part)] = part
        return len(part)


@dataclass(slots=True)
class ZipMembers:
    """An archive whose members are read by name.

    Args:
        data: The archive.
        findings: Takes zip_too_many, zip_damaged, zip_path, zip_encrypted and zip_too_big.
        limits: Entries, and bytes of one member and of all.
    """

    data: bytes
    findings: Findings
    limits: Limits
    is_complete: bool = True
    """Whether every member that was asked for could be read."""
    _archive: zipfile.ZipFile | None = None
    _expanded: int = 0
    _listed: list[Member] = field(default_factory=list)

    def __post_init__(self) -> None:
        # Before anything is built of them: a directory of a million names would cost hundreds of megabytes.
        entries = self.data.count(_DIRECTORY_ENTRY)
        if entries > self.limits.zip_entries:
            self._refuse_whole(
                "zip_too_many",
                f"the archive lists about {entries:,} entries; at most {self.limits.zip_entries:,} are read",
                "Leave out every file that is not asked for: of ELOQUENT 2026 all but submission_metadata.json and the "
                ".jsonl files.",
            )
            return
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(self.data))
            self._listed = [member for info in self._archive.infolist() if (member := self._member(info))]
        # zipfile raises many kinds of exceptions on hostile bytes; whatever it is, this is not a readable archive.
        except Exception as error:
            self._refuse_whole(
                "zip_damaged",
                f"the archive cannot be opened ({printable(str(error)) or type(error).__name__})",
                "Check that it was written and uploaded completely; pack it anew.",
            )

    def __iter__(self) -> Iterator[Member]:
        """The files listed, in the order of the archive's directory."""
        return iter(self._listed)

    def read(self, member: Member, most: int) -> bytes | None:
        """The bytes of a member; None after reporting why there are none.

        Args:
            member: One of this archive.
            most: So many bytes it may have.
        """
        if self._expanded > self.limits.zip_bytes:
            return None  # told at the entry where it was too much
        try:
            whole = io.BytesIO()
            for chunk in self._chunks(member, most):
                whole.write(chunk)
            return whole.getvalue()
        except _Unreadable as error:
            self._refuse(error.code, member, str(error), error.hint)
        # Any bytes may stand in an archive: zipfile and zlib raise many kinds of exceptions on hostile ones.
        except Exception as error:
            message = f"this entry cannot be unpacked ({printable(str(error)) or type(error).__name__})"
            self._refuse("zip_damaged", member, message, "Pack the files anew, and upload the zip completely.")
        return None

    def reread(self, member: Member, most: int, reader: Callable[[BinaryIO], Read]) -> Read | None:
        """What a reader makes of a member, which it is given as a stream that goes forward only.

        Args:
            member: One of this archive.
            most: So many bytes it may have.
            reader: Need not read to the end.

        Returns:
            None where the member cannot be unpacked; why that is, `read` reports.
        """
        try:
            with io.BufferedReader(_Expanded(self._chunks(member, most)), _READ_AT_ONCE) as stream:
                return reader(stream)
        except Exception:  # as in `read`
            return None

    def _chunks(self, member: Member, most: int) -> Iterator[bytes]:
        """The bytes of a member, counted as they come."""
        if self._archive is None or member.info.flag_bits & _IS_ENCRYPTED:
            raise _Unreadable("zip_encrypted", "this entry is encrypted", "Pack the files without a password.")
        if member.info.compress_type not in _METHODS:
            method = f"this entry is packed with method {member.info.compress_type}; stored and deflated ones are read"
            raise _Unreadable("zip_damaged", method, "Pack the files with an ordinary zip program.")
        size = 0
        with self._archive.open(member.info) as stream:
            while chunk := stream.read(_READ_AT_ONCE):
                size += len(chunk)
                self._expanded += len(chunk)
                if size > most:
                    message = f"this entry expands to more than {most:,} bytes"
                    raise _Unreadable("zip_too_big", message, "Shorten the answers, or leave out extra keys.")
                if self._expanded > self.limits.zip_bytes:
                    message = f"the entries up to this one expand to more than {self.limits.zip_bytes:,} bytes"
                    raise _Unreadable("zip_too_big", message, "Shorten the answers, or leave out extra keys.")
                yield chunk

    def _member(self, info: zipfile.ZipInfo) -> Member | None:
        """The entry as a file; None of folders and of paths that lead out."""
        name = info.filename.replace("\\", "/")
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or _DRIVE.match(name):
            self.is_complete = False
            self.findings.add(
                "zip_path",
                _shown(path.name) or "$",
                f"the entry {quoted(info.filename)} leads out of the folder it is unpacked in; it was not read",
                "Pack the files by their names alone, without folders.",
            )
            return None
        if info.is_dir() or not path.name:
            return None
        folder = "" if len(path.parts) == 1 else str(path.parent)
        return Member(_shown(path.name), folder, info)

    def _refuse(self, code: str, member: Member, message: str, hint: str) -> None:
        self.is_complete = False
        self.findings.add(code, member.name, message, hint)

    def _refuse_whole(self, code: str, message: str, hint: str) -> None:
        self.is_complete = False
        self.findings.add(code, "$", message, hint)


def path_conflicts(paths: Collection[str]) -> list[str]:
    """Paths that would be a file and a folder.

    >>> path_conflicts(["a", "a/b", "c/d"])
    ['a']
    """
    folders = {str(parent) for path in paths for parent in PurePosixPath(path).parents}
    return sorted(folders & set(paths))


def _shown(name: str) -> str:
    """A name as places show it; one of blanks alone in quotes, for it would show nothing."""
    return printable(name) if name.strip() or not name else quoted(name)
