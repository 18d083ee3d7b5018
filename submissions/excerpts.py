"""The lines of a file around a problem, cut to what a person reads at a glance."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

LINES_AROUND = 2
"""So many lines are shown before and after the one that is faulty."""
SHOWN_CHARACTERS = 160
"""Longer lines are cut; the faulty one around the place."""

_BEFORE_PLACE = 60
_WINDOW_BYTES = 4096
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


def excerpt(file: BinaryIO, line: int, offset: int) -> tuple[ExcerptLine, ...]:
    """The faulty line and those around it.

    Args:
        file: The file, open for reading; no more than 8 KiB of it are read.
        line: Number of the faulty line.
        offset: Bytes of the file before the place of the problem.

    Returns:
        The lines in their order; of a line too long to show, the stretch around the place.
    """
    start = max(0, offset - _WINDOW_BYTES)
    file.seek(start)
    window = file.read(offset - start + _WINDOW_BYTES)
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
