"""Runs inside of the sandbox: the program of a bundle, then hands out the scores that it wrote.

It imports nothing of ours and is started as a file, with the command as its arguments. The first line of its output is
the name of the file that follows, or blank before the reason why there is none.
"""

from __future__ import annotations

import os
import stat
import subprocess
import sys

OUTPUT = "/box/output"
MOST_BYTES = 1024 * 1024


def scores() -> tuple[str, bytes]:
    """Name and content of the file of scores; a blank name comes with the reason."""
    for name in ("scores.json", "scores.txt"):
        try:
            file = os.open(f"{OUTPUT}/{name}", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError:
            continue
        except OSError:
            return "", f"{name} is a link or cannot be read".encode()
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return "", f"{name} is no file".encode()
        with os.fdopen(file, "rb") as opened:
            data = opened.read(MOST_BYTES + 1)
        return (name, data) if len(data) <= MOST_BYTES else ("", f"{name} has more than {MOST_BYTES:,} bytes".encode())
    return "", b"it wrote neither scores.json nor scores.txt"


def main() -> int:
    """Runs the command; what it prints goes to the log."""
    told = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    code = subprocess.run(sys.argv[1:], cwd="/app/program", stdin=subprocess.DEVNULL, check=False).returncode
    if code:
        return code if code > 0 else 128 - code
    name, data = scores()
    told.write(name.encode() + b"\n" + data)
    told.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
