"""The lines of a file around a problem, cut to what a person reads at a glance."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO

from submissions.findings import Findings
from submissions.formats.eloquent.zip_lines import entry_bytes, entry_named
from submissions.problems import Problem
from submissions.reading.limits import Limits
from submissions.reading.zip_members import ZipMembers

LINES_AROUND = 2
"""So many lines are shown before and after the one that is faulty."""
SHOWN_CHARACTERS = 160
"""Longer lines are cut; the faulty one around the place."""

_BEFORE_PLACE = 60
_WINDOW_BYTES = 4096
_READ_AT_ONCE = 64 * 1024
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{}:]|[^\s,\[\]{}"]+')
_MARKED_CHARACTERS = 80


@dataclass(frozen=True, slots=True)
class ExcerptLine:
    """One line, in three stretches."""

    number: int
    before: str
    marked: str
    """What stands at the place of the problem; blank on all lines but one."""
    after: str
    is_faulty: bool


def problem_excerpts(
    problems: Sequence[Problem], file: BinaryIO, limits: Limits = Limits()
) -> list[tuple[ExcerptLine, ...]]:
    """The excerpt of every problem, in their order.

    Args:
        problems: Of one report.
        file: The file they are about, open for reading.
        limits: Those it was checked with.

    Returns:
        () for a problem of a whole file, and where an entry of a zip cannot be unpacked.
    """
    in_entries = _in_entries(problems, file, limits)
    return [_excerpt_of(problem, file, in_entries) for problem in problems]


def _excerpt_of(problem: Problem, file: BinaryIO, in_entries: dict[_Place, bytes]) -> tuple[ExcerptLine, ...]:
    if problem.line is None or problem.offset is None:
        return ()
    if problem.entry is None:
        return excerpt(file, problem.line, problem.offset)
    window = in_entries.get((problem.entry, problem.offset))
    return () if window is None else _around(window, problem.line, problem.offset)


_Place = tuple[str, int]
"""Entry of a zip, and bytes of it before a place."""


def _in_entries(problems: Iterable[Problem], file: BinaryIO, limits: Limits) -> dict[_Place, bytes]:
    """What stands around the places in entries of a zip, each of which is expanded once."""
    offsets: dict[str, set[int]] = {}
    for problem in problems:
        if problem.entry is not None and problem.offset is not None:
            offsets.setdefault(problem.entry, set()).add(problem.offset)
    if not offsets:
        return {}
    file.seek(0)
    members = ZipMembers(file.read(), Findings(), limits)
    entries: dict[_Place, bytes] = {}
    for name, wanted in offsets.items():
        if member := entry_named(members, name):
            windows = members.reread(member, entry_bytes(name, limits), partial(_windows, sorted(wanted)))
            entries |= {(name, offset): window for offset, window in (windows or {}).items()}
    return entries


def _windows(offsets: Sequence[int], stream: BinaryIO) -> dict[int, bytes]:
    """Offset -> the bytes around it, in one pass; the offsets ascend."""
    windows: dict[int, bytes] = {}
    kept, end = b"", 0
    for offset in offsets:
        while end < offset + _WINDOW_BYTES and (chunk := stream.read(_READ_AT_ONCE)):
            kept = kept[-2 * _WINDOW_BYTES :] + chunk
            end += len(chunk)
        ahead = end - len(kept)
        windows[offset] = kept[_window_start(offset) - ahead : offset + _WINDOW_BYTES - ahead]
    return windows


def _window_start(offset: int) -> int:
    return max(0, offset - _WINDOW_BYTES)


def excerpt(file: BinaryIO, line: int, offset: int) -> tuple[ExcerptLine, ...]:
    """The faulty line and those around it.

    Args:
        file: The file, open for reading; no more than 8 KiB of it are read.
        line: Number of the faulty line.
        offset: Bytes of the file before the place of the problem.

    Returns:
        The lines in their order; of a line too long to show, the stretch around the place.
    """
    start = _window_start(offset)
    file.seek(start)
    return _around(file.read(offset - start + _WINDOW_BYTES), line, offset)


def _around(window: bytes, line: int, offset: int) -> tuple[ExcerptLine, ...]:
    """As `excerpt`, of the bytes from `_window_start` on."""
    start = _window_start(offset)
    ahead, behind = window[: offset - start], window[offset - start :]
    *earlier, head = _lines(ahead)
    tail, *later = _lines(behind)
    if start and not earlier:
        head = f"…{head}"
    elif start:
        earlier = earlier[1:]  # begins somewhere in a line
    shown = earlier[-LINES_AROUND:]
    first = line - len(shown)
    following = later if len(behind) < _WINDOW_BYTES or len(later) <= LINES_AROUND else later[:-1]
    return (
        *_whole(shown, first),
        _faulty(line, head, tail),
        *_whole(following[:LINES_AROUND], line + 1),
    )


def _lines(data: bytes) -> list[str]:
    """The lines of a stretch, the cut characters at its ends left out."""
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    return [line.removesuffix("\r") for line in text.split("\n")]


def _whole(lines: list[str], first: int) -> Iterator[ExcerptLine]:
    for number, text in enumerate(lines, start=first):
        cut = text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "…"
        yield ExcerptLine(number, cut, "", "", is_faulty=False)


def _faulty(number: int, head: str, tail: str) -> ExcerptLine:
    if len(head) > _BEFORE_PLACE and len(head) + len(tail) > SHOWN_CHARACTERS:
        head = "…" + head[-_BEFORE_PLACE:]
    token = _TOKEN.match(tail)
    marked = token.group() if token else ""
    rest = tail[len(marked) :]
    if len(marked) > _MARKED_CHARACTERS:
        marked, rest = marked[:_MARKED_CHARACTERS] + "…", ""
    room = max(0, SHOWN_CHARACTERS - len(head) - len(marked))
    return ExcerptLine(number, head, marked, rest if len(rest) <= room else rest[:room] + "…", is_faulty=True)
