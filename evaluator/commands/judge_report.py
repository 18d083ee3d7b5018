"""`python -m evaluator judge-report FILE`: what a judge's log says about the judge."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from evaluator.judge_logs.csv_table import FIELDS
from evaluator.judge_logs.opened import LINES_BYTES
from evaluator.judge_logs.registry import AUTO, LOG_FORMATS, LogReading, read_log
from submissions.commands.command_line import stop
from submissions.problems import listed
from submissions.settings import Settings


def add_commands(commands: Any) -> None:
    """Adds the command to the subparsers of `python -m evaluator`."""
    report = commands.add_parser("judge-report", help="what a judge's log, of whatever tool, says about the judge")
    report.add_argument("file", type=Path, metavar="FILE")
    keys = [log_format.key for log_format in LOG_FORMATS]
    report.add_argument("--format", choices=(AUTO, *keys), default=AUTO, help="which tool wrote the log")
    report.add_argument(
        "--column",
        action="append",
        default=[],
        metavar="FIELD=COLUMN",
        help=f"of a CSV: which column is which; fields: {', '.join(FIELDS)}",
    )
    report.add_argument("--json", action="store_true", help="print one JSON object")
    report.add_argument("--html", type=Path, metavar="OUT", help="also write one page that can be printed and sent")
    report.add_argument("--labels", type=Path, metavar="FILE", help="comparisons by people: CSV, or any log known here")
    report.set_defaults(command=_judge_report)


def _judge_report(options: argparse.Namespace, settings: Settings) -> int:
    from evaluator.judge_report.labels import labels_of
    from evaluator.judge_report.report import log_report
    from evaluator.judge_report.text import report_html, report_text

    reading = read_log(_bytes(options.file), options.file.name, options.format, _mapping(options.column))
    if reading.log is None:
        _print_faults(reading, options.json)
        return 1
    labels = None
    if options.labels is not None:
        labelled = read_log(_bytes(options.labels), options.labels.name)
        if labelled.log is None:
            _print_faults(labelled, options.json)
            return 1
        labels = labels_of(labelled.log)
    report = log_report(reading.log, options.file.name, labels)
    if options.html is not None:
        try:
            options.html.write_text(report_html(report), encoding="utf-8")
        except OSError as error:
            stop(f"{options.html}: {error.strerror}")
    print(json.dumps(report.as_json(), allow_nan=False) if options.json else report_text(report))
    return 0


def _bytes(path: Path) -> bytes:
    """The file, but no more of it than tells that it is too large."""
    try:
        with path.open("rb") as file:
            return file.read(LINES_BYTES + 1)
    except OSError as error:
        stop(f"{path}: {error.strerror}")


def _mapping(columns: list[str]) -> dict[str, str]:
    mapping = {}
    for one in columns:
        field, sign, column = one.partition("=")
        if not sign or field not in FIELDS:
            stop(f"--column is {one!r}; expected FIELD=COLUMN, the field one of {', '.join(FIELDS)}")
        mapping[field] = column
    return mapping


def _print_faults(reading: LogReading, as_json: bool) -> None:
    problems = listed(reading.findings.problems)
    if as_json:
        print(
            json.dumps({"problems": [problem.model_dump() for problem in problems], "counts": reading.findings.counts})
        )
        return
    for problem in problems:
        sys.stderr.write(f"{problem.path}: {problem.message}. {problem.hint}\n")
    more = sum(reading.findings.counts.values()) - len(problems)
    if more:
        sys.stderr.write(f"and {more:,} more\n")
