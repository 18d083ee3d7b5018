"""`python -m research`: make the trained parts of the embedded judges and the kept figures of others anew."""

from __future__ import annotations

import os
import sys

from research.answers import commands as answer_commands
from research.pair import commands as pair_commands
from research.public_record import commands as record_commands
from submissions.commands.command_line import OneLineParser, stop
from submissions.settings import Settings, SettingsError


def main(arguments: list[str] | None = None) -> int:
    """Run one command; return its exit code (0 done, 2 wrong use)."""
    parser = OneLineParser(prog="python -m research", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    pair_commands.add_commands(commands)
    answer_commands.add_commands(commands)
    record_commands.add_commands(commands)
    options = parser.parse_args(arguments)
    try:
        settings = Settings.from_env(os.environ)
    except SettingsError as error:
        stop(str(error))
    return int(options.command(options, settings))


if __name__ == "__main__":
    sys.exit(main())
