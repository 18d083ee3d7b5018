"""Commands that take long say what they are at, on the stream that is no result."""

from __future__ import annotations

import io
import threading

import pytest

from submissions.commands.meanwhile import told_meanwhile


class Heard(io.StringIO):
    """A stream that says when it holds so many lines."""

    def __init__(self, lines: int) -> None:
        super().__init__()
        self.lines, self.is_full = lines, threading.Event()

    def flush(self) -> None:
        super().flush()
        if self.getvalue().count("\n") >= self.lines:
            self.is_full.set()


def test_a_line_says_what_is_done_now_and_for_how_long() -> None:
    steps = iter(["reading", *["judging: 3 of 12 questions judged"] * 1000])
    heard = Heard(lines=2)
    with told_meanwhile(lambda: next(steps), heard, every_s=0.001):
        assert heard.is_full.wait(10)
    lines = heard.getvalue().splitlines()
    assert lines[:2] == ["reading, 0 s so far", "judging: 3 of 12 questions judged, 0 s so far"]


def test_what_is_quick_says_nothing() -> None:
    heard = Heard(lines=1)
    with told_meanwhile(lambda: "reading", heard):  # five seconds have not passed
        pass
    assert heard.getvalue() == ""


def test_nothing_is_said_after_the_end_and_a_fault_is_the_end_too() -> None:
    heard = Heard(lines=1)

    def read() -> None:
        with told_meanwhile(lambda: "reading", heard, every_s=0.001):
            assert heard.is_full.wait(10)
            raise ValueError("damaged")

    with pytest.raises(ValueError, match="damaged"):
        read()
    assert "told-meanwhile" not in [thread.name for thread in threading.enumerate()]
