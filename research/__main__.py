"""`python -m research`: make the trained parts of the embedded judges and the kept figures of others anew."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from submissions.commands.command_line import run_command

COMMANDS = {
    "research.pair.commands": ("train-pair-judge", "train-multilingual-pair-judge", "compare-bases"),
    "research.answers.commands": ("train-answer-head", "train-language-head", "answer-quality"),
    "research.public_record.commands": ("public-record",),
}
"""Module -> the commands that it adds, in the order of `--help`."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code."""
    return run_command("python -m research", __doc__, COMMANDS, arguments)


if __name__ == "__main__":
    sys.exit(main())
