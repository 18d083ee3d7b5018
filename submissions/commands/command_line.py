"""What all our commands share: wrong use ends with exit code 2 and one line on standard error."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from submissions.settings import Settings, SettingsError

if TYPE_CHECKING:
    from submissions.store.store import Store

EXIT_USAGE = 2
EXIT_UNREAD = 141
"""What a shell reports of a program that was ended because nobody reads its output: 128 and the number of SIGPIPE."""


class OneLineParser(argparse.ArgumentParser):
    """An argument parser whose error is one line; `--help` prints the usage."""

    def error(self, message: str) -> NoReturn:
        stop(f"{self.prog}: {message} (see {self.prog} --help)")


def run_command(
    program: str, description: str | None, modules: Mapping[str, Sequence[str]], arguments: Sequence[str] | None = None
) -> int:
    """Run one command of a program; wrong use ends with 2 and one line on standard error.

    Args:
        program: As its help names it: python -m evaluator.
        description: What its help says of it.
        modules: Module -> the commands that its `add_commands` adds, in the order of the help. Only the module of the
            command that is asked for is imported: the others' libraries take seconds.
        arguments: The command and its arguments; None = those of the process.

    Returns:
        The exit code of the command.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    parser = OneLineParser(prog=program, description=description)
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=OneLineParser)
    asked = [module for module, names in modules.items() if given and given[0] in names]
    for module in asked or modules:
        import_module(module).add_commands(commands)
    options = parser.parse_args(given)
    try:
        code = int(options.command(options, Settings.from_env(os.environ)))
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        return ended_unread()
    except SettingsError as error:
        stop(str(error))
    except _store_unavailable() as error:
        stop(str(error))


def _store_unavailable() -> type[Exception]:
    # Here: asked only once something has failed; most commands need no database, whose libraries take a while to load.
    from submissions.store.database import StoreUnavailable

    return StoreUnavailable


def read_bytes(path: Path) -> bytes:
    """The content of a file; where it cannot be read the command ends with why."""
    try:
        return path.read_bytes()
    except OSError as error:
        stop(f"{path}: {error.strerror}")


def stop(message: str) -> NoReturn:
    """Ends the command with exit code 2 and this one line on standard error."""
    sys.stderr.write(" ".join(message.split()) + "\n")
    raise SystemExit(EXIT_USAGE)


def ended_unread() -> int:
    """Whoever read the output (`head`, a pager) wants no more of it: nothing further is written, also not at the end.

    Returns:
        The exit code.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return EXIT_UNREAD


def opened_store(settings: Settings, url: str | None = None) -> Store:
    """The database of the settings, or the one at a URL; where it cannot be used the command ends with why."""
    # Here: most commands need no database, and its libraries take a while to load.
    from sqlalchemy.exc import SQLAlchemyError

    from submissions.store.store import Store, StoreError

    url = url or settings.resolved_database_url
    try:
        return Store.open(url, lease_s=settings.lease_s, max_attempts=settings.max_attempts)
    except StoreError as error:
        stop(str(error))
    except SQLAlchemyError as error:
        stop(f"the database cannot be used: {getattr(error, 'orig', None) or error}")
    except OSError as error:
        stop(f"{error.filename}: {error.strerror}")
