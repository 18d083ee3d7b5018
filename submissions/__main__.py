"""`python -m submissions`: check a file, get a template, and the desk from the command line."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from submissions.commands import check, desk, import_perse, organiser, pack, season
from submissions.commands.command_line import OneLineParser, ended_unread, stop
from submissions.settings import Settings, SettingsError
from submissions.store.store import StoreUnavailable


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and gives its exit code; wrong use ends with 2 and one line on standard error."""
    parser = OneLineParser(prog="python -m submissions", description="What teams send, and where it waits.")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=OneLineParser)
    check.add_commands(commands)
    pack.add_commands(commands)
    desk.add_commands(commands)
    organiser.add_commands(commands)
    season.add_commands(commands)
    import_perse.add_commands(commands)
    options = parser.parse_args(arguments)
    try:
        settings = Settings.from_env(os.environ)
    except SettingsError as error:
        stop(str(error))
    try:
        code = int(options.command(options, settings))
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        return ended_unread()
    except (SettingsError, StoreUnavailable) as error:
        stop(str(error))


if __name__ == "__main__":
    sys.exit(main())
