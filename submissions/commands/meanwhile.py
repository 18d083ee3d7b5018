"""Says on standard error that a command is still at work, and at what."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

EVERY_S = 5.0
"""A command that takes no longer says nothing."""


@contextmanager
def told_meanwhile(words: Callable[[], str], stream: TextIO, every_s: float | None = None) -> Iterator[None]:
    """Writes what is being done, and for how long, as long as the block runs.

    Args:
        words: What is being done now; asked in a thread of its own.
        stream: Where to write.
        every_s: Seconds between two lines; None = `EVERY_S`.
    """
    pause_s = EVERY_S if every_s is None else every_s
    began, ended = time.monotonic(), threading.Event()

    def tell() -> None:
        while not ended.wait(pause_s):
            stream.write(f"{words()}, {time.monotonic() - began:,.0f} s so far\n")
            stream.flush()

    teller = threading.Thread(target=tell, name="told-meanwhile", daemon=True)
    teller.start()
    try:
        yield
    finally:
        ended.set()
        teller.join()
