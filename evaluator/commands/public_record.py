"""`python -m evaluator public-record RECORD FOLDER`: figures of what others released, as the site keeps them."""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from evaluator.commands.published_judges import day, written
from submissions.commands.command_line import OneLineParser, stop
from submissions.settings import Settings

if TYPE_CHECKING:
    from argparse import _SubParsersAction

    from evaluator.public_record.sources import Published


def add_commands(subparsers: _SubParsersAction[OneLineParser]) -> None:
    """Registers the command; it is called with (options, settings) and returns its exit code."""
    parser = subparsers.add_parser("public-record", help="figures of what others released, with intervals")
    records = parser.add_subparsers(required=True, metavar="RECORD")
    llm_bar = records.add_parser("llm-bar", help="65 judges against people's labels (arXiv 2310.07641)")
    _add_source(llm_bar, "a clone of github.com/princeton-nlp/LLMBar")
    llm_bar.set_defaults(command=_llm_bar)


def _add_source(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument("folder", type=Path, metavar="FOLDER", help=what)
    parser.add_argument("--output", type=Path, metavar="FILE", help="where to write; default: standard output")
    parser.add_argument("--date", type=day, default=None, metavar="DAY", help="to state, YYYY-MM-DD; default: today")


def _llm_bar(options: argparse.Namespace, settings: Settings) -> int:
    """`llm-bar`: 1 where a printed statistic differs from our reading of its file."""
    from evaluator.public_record.llm_bar import llm_bar_record
    from evaluator.public_record.sources import SourceRefused

    try:
        record, differences = llm_bar_record(options.folder, _date(options))
    except SourceRefused as error:
        stop(str(error))
    for difference in differences:
        print(difference, file=sys.stderr)
    print(f"printed statistics repeated to the digit: {record.results} files", file=sys.stderr)
    _write(record, options.output)
    return 1 if differences else 0


def _date(options: argparse.Namespace) -> str:
    return options.date or datetime.now(UTC).date().isoformat()


def _write(record: Published, output: Path | None) -> None:
    text = written(record.model_dump(mode="json", exclude_defaults=True)) + "\n"
    if output is None:
        sys.stdout.write(text)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        stop(f"{error.filename}: {error.strerror}")
