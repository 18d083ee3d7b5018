"""`python -m evaluator judge-report FILE`: what a judge's log says about the judge."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluator.judge_logs.csv_table import FIELDS
from evaluator.judge_logs.judgements import MAX_JUDGEMENTS
from evaluator.judge_logs.label_sample import LABELS_DRAWN
from evaluator.judge_logs.opened import LINES_BYTES
from evaluator.judge_logs.registry import AUTO, LOG_FORMATS
from submissions.commands.command_line import opened_store, stop
from submissions.problems import grouped
from submissions.settings import Settings

if TYPE_CHECKING:
    from evaluator.judge_report.of_files import LogFile, Refused
    from evaluator.judge_report.report import LogReport

_JUDGES_NAMED = 12
"""So many are named where one has to be chosen."""


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
    report.add_argument(
        "--pdf", type=Path, metavar="OUT", help="also write that page as a PDF, where Chromium is installed"
    )
    report.add_argument("--labels", type=Path, metavar="FILE", help="by people: CSV, sheet, or any log known here")
    report.add_argument(
        "--label-sheet",
        type=Path,
        metavar="OUT",
        help="instead of the report, write pairs or rated answers drawn at random as a CSV, to be labelled without the "
        "judge's word and given back with --labels",
    )
    report.add_argument(
        "--draw", type=int, default=LABELS_DRAWN, metavar="N", help=f"how many are drawn (default {LABELS_DRAWN})"
    )
    report.add_argument(
        "--publish",
        action="store_true",
        help="publish the figures on this installation's board of judges (PLUMBLINE_DATA); needs --data-set",
    )
    report.add_argument("--judge", default="", metavar="J", help="of a log of several judges: whose figures to publish")
    report.add_argument("--judge-name", default="", metavar="N", help="the name they stand under (default: the log's)")
    report.add_argument("--data-set", default="", metavar="D", help="what the judge judged, for whoever reads them")
    report.add_argument("--languages", default="", metavar="L", help="of the log, for publishing: en,de")
    report.add_argument("--price", default="", metavar="USD", help="of 1,000 verdicts, for publishing, in US dollars")
    report.set_defaults(command=_judge_report)


def _judge_report(options: argparse.Namespace, settings: Settings) -> int:
    from evaluator.judge_report.of_files import Refused, report_of_files
    from evaluator.judge_report.text import report_html, report_text
    from evaluator.printing.pdf import NotPrinted, pdf_of

    labels = None if options.labels is None else _file(options.labels)
    if options.label_sheet is not None:
        return _write_sheet(options, labels)
    outcome = report_of_files(_file(options.file), labels, options.format, _mapping(options.column)).outcome
    if isinstance(outcome, Refused):
        _print_faults(outcome, options.json)
        return 1
    if options.html is not None:
        _write(options.html, report_html(outcome).encode())
    if options.pdf is not None:
        try:
            _write(options.pdf, pdf_of(report_html(outcome)))
        except NotPrinted as error:
            stop(str(error))
    print(json.dumps(outcome.as_json(), allow_nan=False) if options.json else report_text(outcome))
    if options.publish:
        _publish(options, settings, outcome)
    return 0


def _write_sheet(options: argparse.Namespace, labels: LogFile | None) -> int:
    """Answers to label as a CSV; how they were drawn stands on standard error."""
    from evaluator.judge_report.labelling import sheet_csv
    from evaluator.judge_report.of_files import Refused, draw_of_files

    if not 1 <= options.draw <= MAX_JUDGEMENTS:
        stop(f"--draw is {options.draw}; expected 1 to {MAX_JUDGEMENTS:,}")
    log, mapping = _file(options.file), _mapping(options.column)
    draw = draw_of_files(log, labels, options.format, mapping, options.draw)
    if isinstance(draw, Refused):
        _print_faults(draw, options.json)
        return 1
    if draw.missing:
        stop(draw.missing)
    _write(options.label_sheet, sheet_csv(draw).encode())
    ends = "Write what the column expected says into the column label, then give the sheet back with --labels."
    sys.stderr.write(" ".join(filter(None, (draw.drawn, draw.left_out, ends))) + "\n")
    return 0


def _publish(options: argparse.Namespace, settings: Settings, report: LogReport) -> None:
    from evaluator.judge_report.published import Unpublishable, judge_figures, published_figures
    from submissions.archive.record import Archive
    from submissions.desk import LOCAL_OWNER, Desk
    from submissions.promptsets import PromptSets
    from submissions.store.store import StoreError

    judges = [judge for judge in report.judges if options.judge in ("", judge.judge)]
    if len(judges) != 1:
        known = ", ".join(repr(judge.judge) for judge in report.judges[:_JUDGES_NAMED])
        stop(f"--publish is of one judge, and {len(judges)} match: name one with --judge, of {known}")
    try:
        figures = published_figures(
            judge_figures(report, judges[0]),
            judge=options.judge_name or judges[0].judge,
            data_set=options.data_set,
            languages=options.languages,
            price=options.price,
        )
        # Publishing reads no prompts.
        desk = Desk(opened_store(settings), Archive(settings.archive), PromptSets.load(None))
        published = desk.publish_judge_report(figures.model_dump_json(), owner=LOCAL_OWNER)
    except (Unpublishable, StoreError) as error:
        stop(str(error))
    sys.stderr.write(f"published as {published.id}: judge_report?report={published.id}\n")


def _write(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        stop(f"{path}: {error.strerror}")


def _file(path: Path) -> LogFile:
    """The file, but no more of it than tells that it is too large."""
    from evaluator.judge_report.of_files import LogFile

    try:
        with path.open("rb") as file:
            return LogFile(path.name, file.read(LINES_BYTES + 1))
    except OSError as error:
        stop(f"{path}: {error.strerror}")


def _mapping(columns: list[str]) -> dict[str, str]:
    mapping = {}
    for argument in columns:
        field, sign, column = argument.partition("=")
        if not sign or field not in FIELDS:
            stop(f"--column is {argument!r}; expected FIELD=COLUMN, the field one of {', '.join(FIELDS)}")
        mapping[field] = column
    return mapping


def _print_faults(refused: Refused, as_json: bool) -> None:
    if as_json:
        print(json.dumps(refused.as_json()))
        return
    for problem in grouped(refused.problems):
        sys.stderr.write(f"{problem.path}: {problem.message}. {problem.hint}\n")
    if refused.unlisted:
        sys.stderr.write(f"and {refused.unlisted:,} more\n")
