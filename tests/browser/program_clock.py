"""A clock that tests set, of programs that know nothing of it: a library stands between them and the system's."""

from __future__ import annotations

import shutil
import struct
import subprocess
import time
from datetime import datetime
from pathlib import Path

SOURCE = Path(__file__).with_suffix(".c")


class ProgramClock:
    """What processes started with `environment` take for the time; sleep and timeouts are real.

    Args:
        folder: Of its own; gets the library and the file that says the time.
        now: As `goes_on_from`.
    """

    def __init__(self, folder: Path, now: str) -> None:
        assert shutil.which("gcc"), "a C compiler is needed: apt-get install gcc libc6-dev"
        folder.mkdir()
        self._library, self._file = folder / "program_clock.so", folder / "clock"
        self._file.write_bytes(bytes(8))
        command = ["gcc", "-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-o", str(self._library), str(SOURCE), "-ldl"]
        subprocess.run(command, check=True)
        self.goes_on_from(now)

    @property
    def environment(self) -> dict[str, str]:
        """Of a process whose clock this is."""
        return {"LD_PRELOAD": str(self._library), "PROGRAM_CLOCK": str(self._file)}

    def goes_on_from(self, moment: str) -> None:
        """It is this moment now, no earlier than the system's, and time passes."""
        ahead_ns = _nanoseconds(moment) - time.time_ns()
        assert ahead_ns >= 0, f"{moment} is past: this clock is never behind the system's"
        self._say(ahead_ns)

    def stands_at(self, moment: str) -> None:
        """It is this moment until something else is said."""
        self._say(-_nanoseconds(moment))

    def now(self) -> float:
        """Seconds since the epoch."""
        (said_ns,) = struct.unpack("=q", self._file.read_bytes())
        return float(-said_ns if said_ns < 0 else said_ns + time.time_ns()) / 1e9

    def _say(self, ns: int) -> None:
        with self._file.open("r+b", buffering=0) as file:  # in place: processes have it in their memory
            file.write(struct.pack("=q", ns))


def _nanoseconds(moment: str) -> int:
    """Of a moment with its offset, since the epoch."""
    return int(datetime.fromisoformat(moment).timestamp()) * 10**9
