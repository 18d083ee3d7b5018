"""`python -m leaderboard export|team-report|results-dataset`: boards and runs as files to take along."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from evaluator.printing.pdf import NotPrinted, pdf_of
from leaderboard.boards import registry
from leaderboard.commands.opened import opened_services
from leaderboard.eval_results.tasks import EVAL_YAML, NO_FRAMEWORK
from leaderboard.every_eval_ever.files import EVERY_EVAL_EVER, write_records
from leaderboard.page.registered import BoardTools
from leaderboard.results_dataset.writer import write_dataset
from leaderboard.site.export import export_boards
from leaderboard.team_report.report import NoReport
from leaderboard.team_report.writer import report_files, run_meant, team_report
from submissions.commands.command_line import stop
from submissions.settings import Settings

EXPORT_FORMATS = ("tables", EVERY_EVAL_EVER)


def add_commands(commands: Any) -> None:
    """Add them to the subparsers of `python -m leaderboard`."""
    export = commands.add_parser("export", help="write every board as CSV, JSON and Parquet, and every manifest")
    export.add_argument("folder", type=Path, help="made where it does not exist; must be empty")
    export.add_argument(
        "--format",
        choices=EXPORT_FORMATS,
        default="tables",
        help=f"{EVERY_EVAL_EVER}: the ranked rows, their items and judges as records of Every Eval Ever",
    )
    export.set_defaults(command=_export)
    report = commands.add_parser(
        "team-report", help="write the report of one run: a page that prints, a LaTeX table, BibTeX, the manifest"
    )
    report.add_argument("run", metavar="TICKET_OR_ROW", help="the ticket of a run, or the name of its row")
    report.add_argument("--against", metavar="TICKET_OR_ROW", help="another run that it is compared with")
    report.add_argument("--out", type=Path, required=True, metavar="DIR", help="made where it does not exist")
    report.add_argument(
        "--pdf", action="store_true", help="also the page as report.pdf, where Chromium is installed to print it"
    )
    report.set_defaults(command=_team_report)
    dataset = commands.add_parser(
        "results-dataset", help="write boards, items, verdicts and manifests as a dataset for the Hub"
    )
    dataset.add_argument("--out", type=Path, required=True, metavar="DIR", help="made where it does not exist")
    dataset.add_argument("--with-answers", action="store_true", help="the answers of the runs as well")
    dataset.add_argument(
        "--without", action="append", default=[], metavar="TEAM", help="a team whose answers are left out"
    )
    dataset.set_defaults(command=_results_dataset)


def _export(options: argparse.Namespace, settings: Settings) -> int:
    folder: Path = options.folder
    if folder.is_dir() and any(folder.iterdir()):
        stop(f"{folder}: is not empty")
    with opened_services(settings) as services:
        try:
            write = write_records if options.format == EVERY_EVAL_EVER else export_boards
            written = write(services, folder)
        except OSError as error:
            stop(f"{error.filename}: {error.strerror}")
    print(f"{len(written)} files written to {folder}")
    return 0


def _team_report(options: argparse.Namespace, settings: Settings) -> int:
    folder: Path = options.out
    with opened_services(settings) as services:
        tools = BoardTools(services)
        tools.open(registry.BOARDS)
        try:
            against = run_meant(tools, options.against) if options.against else ""
            files = report_files(team_report(tools, run_meant(tools, options.run), against))
            if options.pdf:
                files["report.pdf"] = pdf_of(files["report.html"].decode())
            folder.mkdir(parents=True, exist_ok=True)
            for name, data in files.items():
                (folder / name).write_bytes(data)
        except (NoReport, NotPrinted) as error:
            stop(str(error))
        except OSError as error:
            stop(f"{error.filename}: {error.strerror}")
    print(f"{', '.join(files)} written to {folder}")
    return 0


def _results_dataset(options: argparse.Namespace, settings: Settings) -> int:
    folder: Path = options.out
    if options.without and not options.with_answers:
        stop("--without leaves out answers, which are in the dataset only by --with-answers")
    with opened_services(settings) as services:
        try:
            counts = write_dataset(services, folder, with_answers=options.with_answers, without=set(options.without))
        except OSError as error:
            stop(f"{error.filename}: {error.strerror}")
    print(f"{', '.join(f'{name}: {count:,} rows' for name, count in counts.items())}, written to {folder}")
    if (folder / EVAL_YAML).exists():
        print(NO_FRAMEWORK)
    return 0
