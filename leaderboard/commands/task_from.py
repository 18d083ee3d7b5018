"""`python -m leaderboard task-from FOLDER_OR_ZIP` and `sandbox`: a task of one's own, and what its program runs in."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evaluator.own_tasks.installing import install, install_bundle
from evaluator.sandbox.program import NoIsolation, isolation
from evaluator.values import fine_decimal, metric_text
from leaderboard.site.page_register import pages
from submissions.commands.command_line import stop
from submissions.formats.own_task.reader import ZIP_ENVELOPE
from submissions.own_tasks.codabench import bundle_name
from submissions.own_tasks.phase_seasons import phase_seasons
from submissions.own_tasks.task import OwnTask
from submissions.own_tasks.task_file import OwnTaskError
from submissions.seasons.season_file import SeasonsError, read_seasons
from submissions.settings import Settings


def add_commands(commands: Any) -> None:
    """Adds the commands to the subparsers of `python -m leaderboard`."""
    task = commands.add_parser("task-from", help="check a task of one's own and install it")
    task.add_argument(
        "source",
        type=Path,
        metavar="FOLDER_OR_ZIP",
        help="with task.toml, score.py and the references; or a Codabench bundle",
    )
    task.add_argument(
        "--seasons", action="store_true", help="write the phases of a bundle as seasons, into PLUMBLINE_SEASONS"
    )
    task.set_defaults(command=_task_from)
    sandbox = commands.add_parser("sandbox", help="try what scoring programs of others run in: exit 0 there is one")
    sandbox.set_defaults(command=_sandbox)


def _task_from(options: argparse.Namespace, settings: Settings) -> int:
    is_bundle = options.source.is_file()
    name = bundle_name(options.source.name) if is_bundle else options.source.resolve().name
    if name in pages():
        stop(f"task-from: a page is called {name} already; call the {'file' if is_bundle else 'folder'} otherwise")
    try:
        if is_bundle:
            tasks = install_bundle(options.source, settings.own_tasks)
            told = _told(tasks)
            if options.seasons:
                _write_seasons(tasks, settings.seasons)
            return told
        task, baselines = install(options.source, settings.own_tasks)
    except NoIsolation as lacking:
        stop(f"task-from: nothing was run: {lacking} (docs/own_task.md)")
    except OwnTaskError as error:
        stop(f"task-from: {error}")
    except BrokenPipeError:
        raise
    except OSError as error:
        stop(f"task-from: {error.filename}: {error.strerror}")
    print(f"{task.title}: {len(task.items):,} items, installed in {task.folder}")
    for baseline, result in baselines.items():
        figures = ", ".join(f"{key} {metric_text(figure, fine_decimal)}" for key, figure in result.figures.items())
        print(f"  {baseline}: {figures}, n = {result.items:,}")
    print(f"template: python -m submissions template --set {task.set_id}; a running app shows the task when restarted")
    return 0


def _told(tasks: Sequence[OwnTask]) -> int:
    for task in tasks:
        columns = ", ".join(f"{column.label} ({column.better} is better)" for column in task.columns)
        print(f"{task.title}: {columns}, installed in {task.folder}")
        for phase in task.phases:
            print(f"  phase {phase.name}: {phase.starts or 'open'} to {phase.ends or 'open'}")
        print(f"  a zip begins with {ZIP_ENVELOPE}: python -m submissions template --set {task.set_id}")
    print("a running app shows a new task when restarted")
    return 0


def _write_seasons(tasks: Sequence[OwnTask], folder: Path) -> None:
    """Write a file for each phase that has a beginning and an end; none where one would not go with the others."""
    files = {folder / f"{name}.toml": text for task in tasks for name, text in phase_seasons(task).items()}
    if not files:
        said = "; ".join(
            f"{phase.name}: {phase.starts or 'nothing'} to {phase.ends or 'nothing'}"
            for task in tasks
            for phase in task.phases
        )
        stop(f"no season is written: no phase has a beginning and an end, as 2026-03-01 12:00:00; found {said}")
    if standing := [str(path) for path in files if path.exists()]:
        stop(f"no season is written: {', '.join(standing)} is there already")
    folder.mkdir(parents=True, exist_ok=True)
    try:
        for path, text in files.items():
            path.write_text(text, encoding="utf-8")
        read_seasons(folder)
    except SeasonsError as error:
        for path in files:
            path.unlink(missing_ok=True)
        stop(f"no season is written: {error}")
    for path in files:
        print(f"  season {path}: look at its dates; names, scores and answers are public at once unless you say when")


def _sandbox(options: argparse.Namespace, settings: Settings) -> int:
    try:
        print(isolation())
    except NoIsolation as lacking:
        print(f"no sandbox: {lacking}; scoring programs of others are not run here")
        return 1
    return 0
