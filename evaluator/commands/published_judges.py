"""`python -m evaluator published-judges FOLDER`: the figures of released verdicts, as the Judges board keeps them."""

from __future__ import annotations

import argparse
import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from submissions.commands.command_line import OneLineParser, stop
from submissions.settings import Settings

if TYPE_CHECKING:
    from argparse import _SubParsersAction


def add_commands(subparsers: _SubParsersAction[OneLineParser]) -> None:
    """Registers the command; it is called with (options, settings) and returns its exit code."""
    parser = subparsers.add_parser("published-judges", help="figures of the verdicts released with arXiv 2406.07791")
    parser.add_argument(
        "folder", type=Path, metavar="FOLDER", help="with {mtbench,devbench}_{pairs,repetitions,lengths}.csv"
    )
    parser.add_argument("--output", type=Path, metavar="FILE", help="where to write; default: standard output")
    parser.add_argument("--date", type=day, default=None, metavar="DAY", help="to state, YYYY-MM-DD; default: today")
    parser.set_defaults(command=published_judges_command)


def day(text: str) -> str:
    """A day of the command line, as YYYY-MM-DD."""
    try:
        return datetime.strptime(text, "%Y-%m-%d").date().isoformat()
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no day; expected YYYY-MM-DD") from None


def published_judges_command(options: argparse.Namespace, settings: Settings) -> int:
    """`published-judges`: the same tables and day give the same bytes."""
    from evaluator.public_record.position_bias import published_judges
    from evaluator.statistics.verdict_tables import TableRefused

    try:
        made = published_judges(options.folder, options.date or datetime.now(UTC).date().isoformat())
        text = written(made.model_dump(mode="json", exclude_defaults=True)) + "\n"
        if options.output:
            options.output.write_text(text, encoding="utf-8")
        else:
            sys.stdout.write(text)
    except TableRefused as error:
        stop(f"{options.folder}: {error}")
    except OSError as error:
        stop(f"{error.filename}: {error.strerror}")
    return 0


def written(value: Any, depth: int = 0) -> str:
    """JSON with sorted keys, in which what holds no list and no object stands in one line.

    >>> print(written({"b": [1, 2], "a": {"c": None}}))
    {
     "a": {"c": null},
     "b": [1, 2]
    }
    """
    parts: list[tuple[str, Any]]
    match value:
        case dict():
            parts, ends = [(f"{json.dumps(key)}: ", value[key]) for key in sorted(value)], "{}"
        case list():
            parts, ends = [("", member) for member in value], "[]"
        case _:
            parts, ends = [], ""
    if not any(isinstance(member, dict | list) for _, member in parts):
        return json.dumps(value, sort_keys=True, allow_nan=False)
    margin = " " * depth
    lines = ",\n".join(f"{margin} {key}{written(member, depth + 1)}" for key, member in parts)
    return f"{ends[0]}\n{lines}\n{margin}{ends[1]}"
