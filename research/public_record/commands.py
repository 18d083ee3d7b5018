"""`python -m research public-record RECORD FOLDER`: figures of what others released, as the site keeps them."""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from evaluator.commands.published_judges import day, written
from evaluator.values import metric_text
from submissions.commands.command_line import OneLineParser, stop
from submissions.settings import Settings

if TYPE_CHECKING:
    from argparse import _SubParsersAction

    from evaluator.public_record.records import Published


def add_commands(subparsers: _SubParsersAction[OneLineParser]) -> None:
    """Registers the command; it is called with (options, settings) and returns its exit code."""
    parser = subparsers.add_parser("public-record", help="figures of what others released, with intervals")
    records = parser.add_subparsers(required=True, metavar="RECORD")
    llm_bar = records.add_parser("llm-bar", help="65 judges against people's labels (arXiv 2310.07641)")
    _add_source(llm_bar, "a clone of github.com/princeton-nlp/LLMBar")
    llm_bar.set_defaults(command=_llm_bar)
    alpaca_eval = records.add_parser("alpaca-eval", help="AlpacaEval ranked again, and its length-controlled rates")
    _add_source(alpaca_eval, _ALPACA_EVAL)
    alpaca_eval.set_defaults(command=_alpaca_eval)
    gate = records.add_parser(
        "alpaca-gate", help="its NullModel and real systems at our answer gate; 16 minutes"
    )
    _add_source(gate, _ALPACA_EVAL)
    gate.set_defaults(command=_alpaca_gate)


_ALPACA_EVAL = "a clone of github.com/tatsu-lab/alpaca_eval"


def _add_source(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument("folder", type=Path, metavar="FOLDER", help=what)
    parser.add_argument("--output", type=Path, metavar="FILE", help="where to write; default: standard output")
    parser.add_argument("--date", type=day, default=None, metavar="DAY", help="to state, YYYY-MM-DD; default: today")


def _llm_bar(options: argparse.Namespace, settings: Settings) -> int:
    """`llm-bar`: 1 where a printed statistic differs from our reading of its file."""
    from research.public_record.llm_bar import llm_bar_record
    from research.public_record.sources import SourceRefused

    try:
        record, differences = llm_bar_record(options.folder, _date(options))
    except SourceRefused as error:
        stop(str(error))
    for difference in differences:
        print(difference, file=sys.stderr)
    print(f"printed statistics repeated to the digit: {record.results} files", file=sys.stderr)
    _write(record, options.output)
    return 1 if differences else 0


def _alpaca_eval(options: argparse.Namespace, settings: Settings) -> int:
    """`alpaca-eval`: 1 where a raw win rate is not the printed one."""
    from research.public_record.alpaca_eval import PRINTED_WITHIN, alpaca_record_of_clone, record_lines
    from research.public_record.sources import SourceRefused

    try:
        record = alpaca_record_of_clone(options.folder, _date(options))
    except SourceRefused as error:
        stop(str(error))
    for line in record_lines(record):
        print(line, file=sys.stderr)
    _write(record, options.output)
    return int(record.largest_difference > PRINTED_WITHIN)


def _alpaca_gate(options: argparse.Namespace, settings: Settings) -> int:
    """`alpaca-gate`: asks the embedded answer head, which every judge of this program is gated by."""
    from evaluator.judges.loading import load_scorer
    from research.public_record.alpaca_gate import gate_record
    from research.public_record.sources import SourceRefused

    try:
        record = gate_record(options.folder, load_scorer("embedding").judge, _date(options))
    except SourceRefused as error:
        stop(str(error))
    print(f"let through of NullModel: {metric_text(record.null_model)}, n {record.null_model.n}", file=sys.stderr)
    print(f"let through of real replies: {metric_text(record.real)}, n {record.real.n}", file=sys.stderr)
    _write(record, options.output)
    return 0


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
