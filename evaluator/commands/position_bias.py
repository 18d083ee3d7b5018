"""The commands behind the Judges board: `python -m evaluator position-bias|repetition|judge-agreement FILE.csv`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from submissions.commands.command_line import OneLineParser, stop
from submissions.known_files import words_for_table_command
from submissions.settings import Settings

if TYPE_CHECKING:
    from argparse import _SubParsersAction

TABLE_HELP = "verdicts as CSV: wide (verdict_original, verdict_swapped) or long (order, verdict)"


def add_commands(subparsers: _SubParsersAction[OneLineParser]) -> None:
    """Registers the three commands; each is called with (options, settings) and returns its exit code."""
    bias = _add_command(subparsers, "position-bias", "position consistency and preference fairness of judges")
    _add_compat(bias)
    bias.add_argument("--by", action="append", choices=("task", "model"), default=[], help="also per task or model")
    bias.add_argument("--lengths", type=Path, metavar="L.csv", help="query, model, answer_chars: does length win?")
    bias.add_argument("--reference-model", metavar="R", help="name of the first candidate in --lengths")
    bias.set_defaults(command=position_bias_command)

    repetition = _add_command(subparsers, "repetition", "stability of judges over repetitions of the same call")
    _add_compat(repetition)
    repetition.set_defaults(command=repetition_command)

    agreement = _add_command(subparsers, "judge-agreement", "agreement between judges")
    agreement.set_defaults(command=judge_agreement_command)


def _add_command(subparsers: _SubParsersAction[OneLineParser], name: str, description: str) -> argparse.ArgumentParser:
    parser = subparsers.add_parser(name, help=description)
    parser.add_argument("file", type=Path, metavar="FILE.csv", help=TABLE_HELP)
    parser.add_argument("--json", action="store_true", help="one line of JSON instead of indented JSON")
    parser.add_argument(
        "--options", type=int, choices=(2, 3), default=3, help="verdicts a judge may give: A B, or A B C"
    )
    parser.add_argument("--benchmark", metavar="B", help="needed where the table holds several")
    parser.add_argument(
        "--verdict-format",
        choices=("brackets", "choice"),
        default="brackets",
        help="how raw_text states a verdict where the verdict is empty: [[A]] or Choice: A",
    )
    return parser


def _add_compat(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--compat", choices=("valid", "paper"), default="valid", help="paper: as published")


def position_bias_command(options: argparse.Namespace, settings: Settings) -> int:
    """`position-bias`: the pair figures of every judge."""
    from evaluator.position_bias import position_bias_report

    if options.lengths is not None and options.reference_model is None:
        stop("--lengths needs --reference-model")
    return _print_report(
        options,
        lambda: position_bias_report(
            options.file,
            compat=options.compat,
            options=options.options,
            by=options.by,
            benchmark=options.benchmark,
            lengths=options.lengths,
            reference_model=options.reference_model,
            verdict_format=options.verdict_format,
        ),
    )


def repetition_command(options: argparse.Namespace, settings: Settings) -> int:
    """`repetition`: the repetition figures of every judge."""
    from evaluator.position_bias.repetition import repetition_report

    return _print_report(
        options,
        lambda: repetition_report(
            options.file,
            compat=options.compat,
            options=options.options,
            benchmark=options.benchmark,
            verdict_format=options.verdict_format,
        ),
    )


def judge_agreement_command(options: argparse.Namespace, settings: Settings) -> int:
    """`judge-agreement`: how far judges agree with each other."""
    from evaluator.statistics.agreement import agreement_report

    return _print_report(
        options,
        lambda: agreement_report(
            options.file,
            options=options.options,
            benchmark=options.benchmark,
            verdict_format=options.verdict_format,
        ),
    )


def _print_report(options: argparse.Namespace, report: Callable[[], object]) -> int:
    from evaluator.statistics.verdict_tables import TableRefused

    try:
        figures = report()
    except TableRefused as error:
        other = words_for_table_command(options.file.read_bytes(), options.file.name, "position_bias")
        stop(f"{options.file}: {other or error}")
    except OSError as error:
        stop(f"{error.filename}: {error.strerror}")
    sys.stdout.write(json.dumps(figures, allow_nan=False, indent=None if options.json else 2) + "\n")
    return 0
