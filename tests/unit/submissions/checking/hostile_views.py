"""What a reader may do to its process, as views: the child runs them within the budget of a check."""

from __future__ import annotations

import ctypes
import os
import re
import sys
import threading
from pathlib import Path
from typing import BinaryIO, NoReturn

from submissions.check import CheckReport


def kind_and_size(report: CheckReport, file: BinaryIO) -> tuple[str | None, int]:
    """As a page's views: of the whole report, with the file open."""
    return report.kind, file.seek(0, os.SEEK_END)


def backtracks(_report: CheckReport, _file: BinaryIO) -> bool:
    """Holds the interpreter for ages: each further letter doubles the ways to split them."""
    return re.fullmatch(r"(a|aa|aaa)*b", "a" * 500) is None


def tells_and_backtracks(report: CheckReport, file: BinaryIO) -> bool:
    """The same, after it was read in a pipe beside the file that it has begun."""
    Path(f"{file.name}.begun").write_text("begun")
    return backtracks(report, file)


def waits(_report: CheckReport, _file: BinaryIO) -> NoReturn:
    """Takes no time of the processor, and does not end."""
    threading.Event().wait()
    raise AssertionError


def allocates(_report: CheckReport, _file: BinaryIO) -> int:
    """Wants 4 GiB."""
    return len(bytearray(4 * 1024**3))


def dies(_report: CheckReport, _file: BinaryIO) -> NoReturn:
    """Reads at address 0."""
    ctypes.string_at(0)
    raise AssertionError


def raises(_report: CheckReport, _file: BinaryIO) -> NoReturn:
    """A fault of ours."""
    raise ZeroDivisionError


def process_id(_report: CheckReport, _file: BinaryIO) -> int:
    """Which process made the check."""
    return os.getpid()


def surroundings(_report: CheckReport, _file: BinaryIO) -> tuple[set[str], list[str]]:
    """Modules and variables of the process."""
    return set(sys.modules), list(os.environ)


prepared_by: list[int] = []
"""The process that `prepare` was called in."""


def prepare() -> None:
    """As what a fork server makes ready."""
    prepared_by.append(os.getpid())


def forebears(_report: CheckReport, _file: BinaryIO) -> tuple[list[int], int, int]:
    """Who made ready what the process needs; its parent, and itself."""
    return prepared_by, os.getppid(), os.getpid()


def quotes(_report: CheckReport, file: BinaryIO) -> NoReturn:
    """Fails with words of the file in its error, over several lines."""
    raise OSError(36, "File name too long\nand more", file.read(200).decode("utf-8", "replace"))
