"""`python -m leaderboard task-from FOLDER` and `sandbox`: a task of one's own, and what its program runs in."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from evaluator.own_tasks.installing import install
from evaluator.sandbox.program import NoIsolation, isolation
from evaluator.values import metric_text
from leaderboard.site.page_register import pages
from submissions.commands.command_line import stop
from submissions.own_tasks.task_file import OwnTaskError
from submissions.settings import Settings


def add_commands(commands: Any) -> None:
    """Adds the commands to the subparsers of `python -m leaderboard`."""
    task = commands.add_parser("task-from", help="check a task of one's own and install it: a folder with task.toml")
    task.add_argument("source", type=Path, metavar="FOLDER", help="with task.toml, score.py and the references")
    task.set_defaults(command=_task_from)
    sandbox = commands.add_parser("sandbox", help="try what scoring programs of others run in: exit 0 there is one")
    sandbox.set_defaults(command=_sandbox)


def _task_from(options: argparse.Namespace, settings: Settings) -> int:
    name = options.source.resolve().name
    if name in pages():
        stop(f"task-from: a page is called {name} already; call the folder otherwise")
    try:
        task, baselines = install(options.source, settings.own_tasks)
    except NoIsolation as lacking:
        stop(f"task-from: nothing was run: {lacking} (docs/own_task.md)")
    except OwnTaskError as error:
        stop(f"task-from: {error}")
    except OSError as error:
        stop(f"task-from: {error.filename}: {error.strerror}")
    print(f"{task.title}: {len(task.items):,} items, installed in {task.folder}")
    for baseline, result in baselines.items():
        figures = ", ".join(f"{key} {metric_text(figure)}" for key, figure in result.figures.items())
        print(f"  {baseline}: {figures}, n = {result.items:,}")
    print(f"template: python -m submissions template --set {task.set_id}; a running app shows the task when restarted")
    return 0


def _sandbox(options: argparse.Namespace, settings: Settings) -> int:
    try:
        print(isolation())
    except NoIsolation as lacking:
        print(f"no sandbox: {lacking}; scoring programs of others are not run here")
        return 1
    return 0
