"""Hostile texts, and whether the time something takes with them grows as they do."""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

LENGTHS = (1_000, 10_000, 100_000)
"""Characters; each is ten times the one before it."""

MOST_GROWTH = 30.0
"""How many times longer ten times the text may take: linear is 10, quadratic 100; the rest is noise of a machine."""

FLOOR_S = 0.004
"""What took less CPU time is not compared, but for a text ten times as long."""

MOST_S = 10.0
"""Of CPU time for one shape: what grows exponentially would take longer than anybody waits. A busy machine counts
several times the time of an idle one."""

TRIES = 4
"""A growth that looks bad is measured so often: other programs, or a collection of garbage, only ever add time."""


class TookTooLong(Exception):
    """Raised where something is ended, since it took more than `MOST_S`."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A text of any length: one part again and again between a beginning and an end."""

    part: str
    start: str = ""
    end: str = ""

    def text(self, length: int) -> str:
        return self.start + self.part * max(1, (length - len(self.start)) // len(self.part)) + self.end


HOSTILE = (
    *(Shape(part, end="x") for part in (".", " ", "\n", "\t \n", "'", '"', "_", "\\", "`", "*", "-", "<", "\u0301")),
    *(Shape(part) for part in ("[", "(", "{", "[[[", '{"a":', "((a", "a ", "a. ", "a, ", "a'", "e\u0301", "not a ")),
    *(
        Shape(part, start="x", end="!")
        for part in ("a", "0", "1,", "0.", "a1", ".,;:!?", "…)", " – ", "字", "\U0001f469")
    ),
    *(Shape(part, end="\x01") for part in ("1 km ", "ten past ", "a of ", "A. x\n", "Anna and Bob ", "I am ", "![a](")),
)
"""Runs of one character that end otherwise, brackets that never close, words and tokens in turn."""


SENTENCES = (
    *(Shape(part) for part in ("nineteen ", "twenty one hundred ", "3/4/1999 ", "\u0301\u0323", "\u0f73")),
    *(Shape(part) for part in ("Anna did not beat Bob. ", "[The Start of Plot A]", "Similarity score: 3 ")),
)
"""Words that some reader knows, again and again; marks that change places when they are put in order."""


def growth(run: Callable[[str], object], shape: Shape, lengths: tuple[int, ...] = LENGTHS) -> str | None:
    """How the time grows where it grows faster than the text; None where it is linear.

    Lengths are tried from the shortest on and no further than the first that took too long, so that nothing which
    grows with a power of the length can hold the test for long.
    """
    try:
        with _ended_after(MOST_S):
            return _growth(run, shape, lengths)
    except TookTooLong:
        return f"{shape}: {MOST_S:g} s of CPU time are not enough"


def _growth(run: Callable[[str], object], shape: Shape, lengths: tuple[int, ...]) -> str | None:
    before, shorter = _least_s(run, shape.text(lengths[0]), 2), lengths[0]
    for length in lengths[1:]:
        text = shape.text(length)
        taken = _least_s(run, text, 1)
        if taken > FLOOR_S and taken > MOST_GROWTH * before:
            before = min(before, _least_s(run, shape.text(shorter), TRIES))
            taken = min(taken, _least_s(run, text, TRIES if taken < 1 else 1))
            if taken > FLOOR_S and taken > MOST_GROWTH * before:
                return f"{shape}: {shorter} characters take {1000 * before:.2f} ms, {length} {1000 * taken:.0f} ms"
        before, shorter = max(taken, FLOOR_S / 100), length
        if taken < FLOOR_S / 20:
            break  # even if that grew with the square, ten times the text would take but 20 ms
    return None


@contextmanager
def _ended_after(seconds: float) -> Iterator[None]:
    """Ends what takes more CPU time: `re`, too, looks for signals while it goes back and forth in one place."""

    def end(*_: object) -> None:
        raise TookTooLong

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _least_s(run: Callable[[str], object], text: str, tries: int) -> float:
    """CPU time of this thread: what other programs of the machine do meanwhile does not count."""
    taken = []
    for _ in range(tries):
        began = time.thread_time()
        run(text)
        taken.append(time.thread_time() - began)
    return min(taken)


# --- texts that a pattern takes for its own ---------------------------------------------------------------------------

_WITNESSES = "a A0 9._-\n\"'`*[]{}()<>/:,!|#=\\~\u00e9\u00df\u5b57\t"


def shapes_of(pattern: re.Pattern[Any]) -> tuple[Shape, ...]:
    """Shapes made of what a pattern looks for: up to each repetition once, then what it repeats, without the end."""
    return _shapes_of(pattern)


@lru_cache
def _shapes_of(pattern: re.Pattern[Any]) -> tuple[Shape, ...]:
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    tree = parser.parse(source, pattern.flags if isinstance(pattern.pattern, str) else pattern.flags & ~re.UNICODE)
    found = dict.fromkeys(shape for start, part in _repetitions(tree, "") for shape in _around(start, part))
    whole = _example(tree, 0)
    return (*found, *(Shape(part) for part in (whole, whole[:-1], f"{whole} ", f"{whole}x") if part))


def _around(start: str, part: str) -> Iterator[Shape]:
    yield Shape(part, start, "\x01")
    yield Shape(part, start, "x")
    yield Shape(start + part, end="\x01")
    yield Shape(part, end="\x01")
    if start:
        yield Shape(start)
        yield Shape(start + "x")


def _repetitions(tree: Any, start: str) -> Iterator[tuple[str, str]]:
    """An example of what stands before each open-ended repetition, and examples of what it repeats."""
    for code, value in tree:
        match code:
            case codes.MAX_REPEAT | codes.MIN_REPEAT | codes.POSSESSIVE_REPEAT:
                if value[1] > 50:
                    yield from ((start, part) for choice in range(6) if (part := _example(value[2], choice)))
                yield from _repetitions(value[2], start)
            case codes.SUBPATTERN:
                yield from _repetitions(value[3], start)
            case codes.ATOMIC_GROUP:
                yield from _repetitions(value, start)
            case codes.BRANCH:
                for branch in value[1]:
                    yield from _repetitions(branch, start)
        start += _example_of(code, value, 0)


def _example(tree: Any, choice: int) -> str:
    return "".join(_example_of(code, value, choice) for code, value in tree)


def _example_of(code: Any, value: Any, choice: int) -> str:
    """A text that one part of a pattern matches; `choice` tells which where there are several."""
    match code:
        case codes.LITERAL:
            return chr(value)
        case codes.NOT_LITERAL:
            return "b" if value == ord("a") else "a"
        case codes.ANY:
            return "x"
        case codes.IN:
            return _member(value, choice)
        case codes.MAX_REPEAT | codes.MIN_REPEAT | codes.POSSESSIVE_REPEAT:
            least, most, repeated = value
            times: int = max(least, 0 if choice % 2 else min(1, most))
            return _example(repeated, choice) * times
        case codes.SUBPATTERN:
            return _example(value[3], choice)
        case codes.ATOMIC_GROUP:
            return _example(value, choice)
        case codes.BRANCH:
            return _example(value[1][choice % len(value[1])], choice)
    return ""


def _member(members: Any, choice: int) -> str:
    """A character of a class."""
    is_negated = members[0][0] is codes.NEGATE
    named = [character for character in _WITNESSES if _is_among(character, members) != is_negated]
    if named:
        return named[choice % len(named)]
    code, value = members[0]
    return chr(value if code is codes.LITERAL else value[0])


_CATEGORIES = {
    codes.CATEGORY_DIGIT: r"\d",
    codes.CATEGORY_NOT_DIGIT: r"\D",
    codes.CATEGORY_SPACE: r"\s",
    codes.CATEGORY_NOT_SPACE: r"\S",
    codes.CATEGORY_WORD: r"\w",
    codes.CATEGORY_NOT_WORD: r"\W",
}


def _is_among(character: str, members: Any) -> bool:
    return any(
        (code is codes.LITERAL and value == ord(character))
        or (code is codes.RANGE and value[0] <= ord(character) <= value[1])
        or (code is codes.CATEGORY and re.match(_CATEGORIES[value], character) is not None)
        for code, value in members
    )
