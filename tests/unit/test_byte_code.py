"""A recorded test is run again after a change that a program can feel, and after no other."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.byte_code import what_it_does

BEFORE = b'''"""Counts."""
from __future__ import annotations

SEEN = frozenset({"one", "two", "three"})


def known(words: list[str], *rest: str, floor: int = 1) -> list[str]:
    """Those known."""
    kept = [one for one in words if one in SEEN]

    def long() -> list[str]:
        return [one for one in kept if len(one) > floor]

    return [f"{text}" for text in long() if text in {"one", "two"}]
'''


@pytest.mark.parametrize(
    "after",
    [
        BEFORE.replace(b"one for one in words if one in", b"word for word in words if word in"),
        BEFORE.replace(b"kept", b"matches"),
        BEFORE.replace(b"    kept", b"    # those that were seen\n    kept"),
        BEFORE.replace(
            b"return [one for one in kept if len(one) > floor]", b"return [\n  w for w in kept if len(w) > floor\n ]"
        ),
    ],
    ids=["a local name", "a name that an inner function sees", "a comment", "line breaks"],
)
def test_what_no_program_can_see_changes_nothing(after: bytes) -> None:
    assert after != BEFORE
    assert what_it_does(after) == what_it_does(BEFORE)


@pytest.mark.parametrize(
    ("seen", "instead"),
    [
        (b'"three"', b'"four"'),
        (b'"one", "two"}', b'"one", "too"}'),
        (b"SEEN", b"SIGHTED"),
        (b"Those known.", b"Those that are known."),
        (b"words:", b"texts:"),
        (b" words ", b" rest "),
        (b"*rest", b"*more"),
        (b"floor: int = 1", b"floor: int = True"),
        (b"floor: int = 1", b"floor: float = 1"),
        (b"*rest: str, floor", b"floor"),
        (b"def long", b"def length"),
        (b"long()", b"longer()"),
        (b"> floor", b">= floor"),
        (b'f"{text}"', b'f"{text=}"'),
        (b"if len(one) > floor", b"if len(one) > floor if one"),
        (b"words if one in SEEN", b"words if words in SEEN"),
    ],
)
def test_what_a_program_can_see_changes_it(seen: bytes, instead: bytes) -> None:
    after = BEFORE.replace(seen, instead)
    assert after != BEFORE
    assert what_it_does(after) != what_it_does(BEFORE)


def test_each_process_comes_to_the_same() -> None:
    program = "import sys; from tests.byte_code import what_it_does; print(what_it_does(sys.stdin.buffer.read()))"
    hashed = {
        subprocess.run(
            [sys.executable, "-c", program], input=BEFORE, env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout.decode()
        for seed in ("1", "2", "3")
    }
    assert hashed == {f"{what_it_does(BEFORE)}\n"}


def test_what_is_no_python_is_said() -> None:
    with pytest.raises(SyntaxError):
        what_it_does(b"def :")
