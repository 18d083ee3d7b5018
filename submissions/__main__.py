"""`python -m submissions`: what teams send, and where it waits."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from submissions.commands.command_line import run_command

COMMANDS = {
    "submissions.commands.check": ("check", "template"),
    "submissions.commands.pack": ("pack",),
    "submissions.commands.desk": ("submit", "status", "cancel", "withdraw", "choose", "answers", "rebuild"),
    "submissions.commands.organiser": (
        *("hide", "show", "rejudge", "rank", "rank-latest", "pause", "resume", "erase", "cells", "decisions"),
    ),
    "submissions.commands.season": ("season",),
    "submissions.commands.import_perse": ("import-perse",),
}
"""Module -> the commands that it adds, in the order of `--help`."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code."""
    return run_command("python -m submissions", __doc__, COMMANDS, arguments)


if __name__ == "__main__":
    sys.exit(main())
