"""What all our commands share: wrong use ends with exit code 2 and one line on standard error."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from submissions.settings import Settings
    from submissions.store.store import Store

EXIT_USAGE = 2
EXIT_UNREAD = 141
"""What a shell reports of a program that was ended because nobody reads its output: 128 and the number of SIGPIPE."""


class OneLineParser(argparse.ArgumentParser):
    """An argument parser whose error is one line; `--help` prints the usage."""

    def error(self, message: str) -> NoReturn:
        stop(f"{self.prog}: {message} (see {self.prog} --help)")


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
