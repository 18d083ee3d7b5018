"""The flags that say how a table of judge verdicts is to be read, for every command that takes one."""

from __future__ import annotations

import argparse
from typing import get_args

from submissions.schema import VerdictChoices
from submissions.verdicts.parsing import VerdictFormat
from submissions.verdicts.swap_outcomes import Options


def add_verdict_flags(parser: argparse.ArgumentParser) -> None:
    """Adds --options, --reference-model and --verdict-format; values stated in a JSON file win."""
    parser.add_argument(
        "--options", type=int, choices=get_args(Options), help="judge verdicts: could the judges say A B, or A B C?"
    )
    parser.add_argument("--reference-model", metavar="R", help="judge verdicts: the first candidate of every pair")
    parser.add_argument(
        "--verdict-format",
        choices=get_args(VerdictFormat),
        help="judge verdicts: how raw_text states a verdict, [[A]] or Choice: A (default: brackets)",
    )


def verdict_choices(options: argparse.Namespace) -> VerdictChoices:
    """What the flags say."""
    return VerdictChoices(options.options, options.reference_model, options.verdict_format)
