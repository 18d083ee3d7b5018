"""The command behind the Personalization board: `python -m evaluator personalization FILE.csv[.gz]`."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from submissions.commands.command_line import EXIT_USAGE, OneLineParser, stop
from submissions.known_files import words_for_table_command
from submissions.settings import Settings

if TYPE_CHECKING:
    from argparse import _SubParsersAction

    from evaluator.personalization.table import TableProblem

_LINES_NAMED = 2
"""Further lines named of faults of one kind."""


def add_commands(subparsers: _SubParsersAction[OneLineParser]) -> None:
    """Registers the command; it is called with (options, settings) and returns its exit code."""
    parser = subparsers.add_parser("personalization", help="what user preferences cost: breakage, alignment failure")
    parser.add_argument("file", type=Path, metavar="FILE.csv[.gz]", help="one row per answer (docs/personalization.md)")
    parser.add_argument("--json", action="store_true", help="one line of JSON instead of a table")
    parser.add_argument(
        "--profile",
        choices=("recommended", "perg"),
        default="recommended",
        help="how the ratings were read; perg: as published, without a range (never ranked)",
    )
    parser.set_defaults(command=personalization_command)


def personalization_command(options: argparse.Namespace, settings: Settings) -> int:
    """`personalization`: the figures of every group of a row table; a bad table lists all its faults, exit code 2."""
    from evaluator.personalization import RowTableRefused, personalization_report, read_outcome_rows
    from evaluator.personalization.text import report_text

    try:
        rows = read_outcome_rows(options.file, profile=options.profile)
    except RowTableRefused as error:
        if other := words_for_table_command(options.file.read_bytes(), options.file.name, "personalization"):
            stop(f"{options.file}: {other}")
        _print_problems(options, error.problems)
        return EXIT_USAGE
    except OSError as error:
        stop(f"{options.file}: {error.strerror}")
    report = personalization_report(rows, profile=options.profile)
    text = json.dumps(report, allow_nan=False) if options.json else report_text(report)
    sys.stdout.write(text + "\n")
    return 0


def _print_problems(options: argparse.Namespace, problems: list[TableProblem]) -> None:
    if options.json:
        sys.stdout.write(json.dumps({"problems": problems}, allow_nan=False) + "\n")
        return
    kinds: dict[tuple[str, str], list[TableProblem]] = {}
    for fault in problems:
        # The message begins with the example.
        kinds.setdefault((fault["code"], fault["message"].partition(": ")[2] or fault["message"]), []).append(fault)
    for (code, _), (first, *others) in kinds.items():
        lines = ", ".join(str(fault["line"]) for fault in others[:_LINES_NAMED])
        more = f" ({len(others) + 1:,} of this kind; also in lines {lines}{', ...' if others[_LINES_NAMED:] else ''})"
        sys.stderr.write(f"{options.file}:{first['line']}: {code}: {first['message']}{more if others else ''}\n")
