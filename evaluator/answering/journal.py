"""A JSON Lines file that grows row by row, so that a run that was interrupted goes on where it was."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

RowDocument = dict[str, Any]

_MUST_AGREE = ("kind", "team", "system", "model", "run")
"""Fields of the first line that a run which goes on must find as it would write them; beside these, the notes."""


class CannotResume(Exception):
    """Raised when a file at hand belongs to another run, or is no file of ours; the text says what differs."""


class Journal:
    """A first line that says what the run is, and a line for each row; safe to use from several threads.

    Args:
        path: Where the lines are kept.
        head: The first line, with `kind`, `team`, `system`, `model`, `run` and `notes`; written where the file is new,
            compared where it is not.

    Raises:
        CannotResume: when the file belongs to another run.
        OSError: when it cannot be read or written.
    """

    def __init__(self, path: Path, head: RowDocument) -> None:
        self.path = path
        self.lock = threading.RLock()
        lines = _whole_lines(path)
        if lines:
            _compare(path, lines[0], head)
        self.found: tuple[RowDocument, ...] = tuple(lines[1:])
        """Rows that were there."""
        self._stream = path.open("a", encoding="utf-8", newline="\n")
        if not lines:
            self.write(head)

    def __exit__(self, *exception: object) -> None:
        self._stream.close()

    def write(self, document: RowDocument) -> None:
        """Adds a line; it is on its way to the disk when this returns."""
        with self.lock:
            self._stream.write(json.dumps(document, ensure_ascii=False) + "\n")
            self._stream.flush()


def _whole_lines(path: Path) -> list[RowDocument]:
    """The lines of the file, if there is one; what a killed run left of a last line is cut off."""
    if not path.exists():
        return []
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    lines = list(documents(path, whole))
    if len(whole) < len(data):
        if not lines and not data.startswith(b'{"kind": '):
            raise CannotResume(f"{path} is at hand and was not written by this command: choose another --out")
        with path.open("r+b") as stream:
            stream.truncate(len(whole))
    return lines


def documents(path: Path, data: bytes) -> Iterator[RowDocument]:
    """The lines of a journal.

    Raises:
        CannotResume: naming the line that is none of ours.
    """
    for number, line in enumerate(data.splitlines(), start=1):
        try:
            document = json.loads(line)
        except ValueError:
            document = None
        if not isinstance(document, dict):
            raise CannotResume(
                f"{path}:{number}: not a line of a file that this command wrote: mend it, or choose another --out"
            )
        yield document


def _compare(path: Path, document: RowDocument, expected: RowDocument) -> None:
    differing = [
        f"{field} (there {document.get(field)!r}, now {expected[field]!r})"
        for field in _MUST_AGREE
        if document.get(field) != expected[field]
    ]
    there, now = (str(row.get("notes", "")).splitlines() for row in (document, expected))
    differing += [f"now {line!r}" for line in now if line not in there]
    differing += [f"there {line!r}" for line in there if line not in now]
    if differing:
        raise CannotResume(
            f"{path} holds another run: {'; '.join(differing)}. Repeat the command it was begun with, or choose "
            "another --out"
        )
