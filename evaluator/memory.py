"""Memory that a process has freed, given back to the system.

Models are loaded, and long files scored, through buffers of tens of megabytes. The C library keeps what is freed
for the next request, which may never come.
"""

from __future__ import annotations

import ctypes


def give_back_freed_memory() -> None:
    """Gives back what nothing holds any more; does nothing where the C library cannot (it is not glibc)."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
