"""What all our commands share: wrong use ends with exit code 2 and one line on standard error."""

from __future__ import annotations

import argparse
import sys
from typing import NoReturn

EXIT_USAGE = 2


class OneLineParser(argparse.ArgumentParser):
    """An argument parser whose error is one line; `--help` prints the usage."""

    def error(self, message: str) -> NoReturn:
        stop(f"{self.prog}: {message} (see {self.prog} --help)")


def stop(message: str) -> NoReturn:
    """Ends the command with exit code 2 and this one line on standard error."""
    sys.stderr.write(" ".join(message.split()) + "\n")
    raise SystemExit(EXIT_USAGE)
