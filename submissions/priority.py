"""Who goes first where cores are few: pages, then what visitors wait for, then judging."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_AUTOGROUP = Path("/proc/self/autogroup")


def step_back(niceness: int) -> None:
    """Lets this process, and what it will start, give way to others.

    Where Linux shares cores between sessions before it looks at processes (autogroups, sched(7)), the niceness of a
    process that leads its own session means nothing to the others: its session is made as nice as it is.

    Args:
        niceness: 0-19, added to that of the process; 19 takes what nobody else wants.
    """
    reached = os.nice(niceness)
    if os.getsid(0) == os.getpid():
        with suppress(OSError):  # a kernel without them
            _AUTOGROUP.write_text(str(reached), encoding="ascii")
