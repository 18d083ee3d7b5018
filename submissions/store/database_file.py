"""The files of a SQLite database: moved aside together, never deleted."""

from __future__ import annotations

import fcntl
import os
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from submissions.store.database import StoreError

_BESIDE = ("-wal", "-shm")
"""What SQLite keeps beside a database; the first holds commits that are not in the file yet."""
_DMS = 128
"""The byte of the -shm file that every program that has the database open holds a lock on (sqlite.org/walformat.html
does not name it; UNIX_SHM_DMS in os_unix.c does)."""


def database_file(url: str) -> Path | None:
    """The file of a SQLite database, as its URL names it; None of one on a server, or of a URL that names none."""
    try:
        parsed = make_url(url)
    except ArgumentError:
        return None
    is_file = parsed.get_backend_name() == "sqlite" and parsed.database not in (None, "", ":memory:")
    return Path(str(parsed.database)) if is_file else None


def move_aside(file: Path, why: str, now: datetime) -> Path:
    """Renames a database with what lies beside it to `FILE.WHY-TIME`; returns the new path of the file itself.

    Raises:
        StoreError: while another program has the database open.
    """
    if is_open(file):
        raise StoreError(f"the database {file} is in use: stop the programs that have it open, then try again")
    aside = file.with_name(f"{file.name}.{why}-{now.astimezone(UTC):%Y%m%dT%H%M%S%f}Z")
    file.rename(aside)
    for ending in _BESIDE:
        _move(_with(file, ending), _with(aside, ending))
    return aside


def finish_moving(file: Path) -> None:
    """Moves what lies beside a database after the database, where a move was broken off half way.

    SQLite would delete a log that it finds beside a new, empty database.
    """
    if file.exists() or not any(_with(file, ending).exists() for ending in _BESIDE):
        return
    moved = sorted(path for path in file.parent.glob(f"{file.name}.*-*Z") if not path.name.endswith(_BESIDE))
    aside = moved[-1] if moved else file.with_name(f"{file.name}.damaged")
    for ending in _BESIDE:
        if not _with(aside, ending).exists():
            _move(_with(file, ending), _with(aside, ending))


def is_open(file: Path) -> bool:
    """Has another program the database open? Told without reading the database, which may be damaged."""
    try:
        with _with(file, "-shm").open("r+b") as shared:
            try:
                fcntl.lockf(shared, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _DMS)
            except OSError:
                return True
            fcntl.lockf(shared, fcntl.LOCK_UN, 1, _DMS)
    except OSError:
        return False
    return False


def discard(file: Path) -> None:
    """Removes a database that nobody has used: one whose making was broken off."""
    for path in (file, *(_with(file, ending) for ending in _BESIDE)):
        path.unlink(missing_ok=True)


def _with(file: Path, ending: str) -> Path:
    return file.with_name(file.name + ending)


def _move(source: Path, target: Path) -> None:
    if os.path.lexists(source):
        source.rename(target)
