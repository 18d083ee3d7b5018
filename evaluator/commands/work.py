"""`python -m evaluator work`: claim and evaluate what waits in the queue."""

from __future__ import annotations

import argparse
import os
import signal
import threading
from typing import Any

from evaluator.commands.judge import add_judge_flag, chosen_references, chosen_scorer, panel_judges
from submissions.commands.command_line import opened_store
from submissions.promptsets.available import prompt_sets_at_hand
from submissions.settings import Settings


def add_commands(commands: Any) -> None:
    """Add `work` to the subparsers of `python -m evaluator`."""
    work = commands.add_parser(
        "work",
        help="claim and evaluate submissions until stopped",
        description="Claims and evaluates submissions until stopped. On PostgreSQL it may run on any machine: files "
        "come from the database and results go there; the page server records them in its archive (docs/scale.md).",
    )
    work.add_argument("--database-url", help="default: PLUMBLINE_DATABASE_URL, or SQLite in the data folder")
    work.add_argument("--name", help="name of this worker (default: host and a random suffix)")
    work.add_argument("--until-empty", action="store_true", help="end when nothing is left to claim")
    # What the process that is started to judge is told.
    work.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    work.add_argument("--beside-page", action="store_true", help=argparse.SUPPRESS)
    add_judge_flag(work)
    work.set_defaults(command=_work)


def _work(options: argparse.Namespace, settings: Settings) -> int:
    return _judge(options, settings) if options.child else _watch(options, settings)


def _watch(options: argparse.Namespace, settings: Settings) -> int:
    """Starts the process that judges and watches it: see `evaluator.worker.watcher`."""
    from evaluator.worker.child import WorkerProcess
    from evaluator.worker.watcher import WatchedLimits, Watcher

    stopped = _stop_signal()
    url = options.database_url or settings.resolved_database_url
    store = opened_store(settings, url)
    prompt_sets_at_hand(settings, fetch=settings.fetch_sets)
    passed_on = ["--until-empty"] if options.until_empty else []
    passed_on += ["--judge", options.judge] if options.judge else []
    # Not as an argument, which everybody on the machine can read.
    environ = os.environ | {"PLUMBLINE_DATABASE_URL": url}
    watcher = Watcher(
        store,
        lambda name: WorkerProcess([*passed_on, "--name", name], environ),
        WatchedLimits.of(settings),
        name=options.name or "",
        stays=False,
    )
    code = watcher.run(stopped)
    store.close()
    return code


def _judge(options: argparse.Namespace, settings: Settings) -> int:
    """Works on the queue as the process that is watched."""
    from evaluator.rejudging.board import Rejudging
    from evaluator.rejudging.earlier_heads import WHY, EarlierHeads
    from evaluator.worker.child import BESIDE_PAGE_NICE, become_child
    from evaluator.worker.loop import Worker
    from submissions.archive.record import Archive
    from submissions.priority import step_back

    stopped = _stop_signal()
    steps = become_child(stopped)
    if options.beside_page:
        step_back(BESIDE_PAGE_NICE)
    url = options.database_url or settings.resolved_database_url
    store = opened_store(settings, url)
    prompt_sets = prompt_sets_at_hand(settings, fetch=False)
    # One core is left to the page server, so that a running judge does not slow visitors.
    threads = max(1, (os.cpu_count() or 2) - 1)
    # A worker of its own on PostgreSQL may be anywhere: only the page server has the archive for certain.
    archive = Archive(settings.archive) if options.beside_page or url.startswith("sqlite") else None
    judge = (options.judge or settings.judge_names[0]).partition(":")[0]
    scorer = chosen_scorer(options, settings, store, threads, on_fault=lambda fault: steps.unusable(judge, fault))
    references, panel = chosen_references(settings, prompt_sets), panel_judges(options, settings)
    again = Rejudging(store, archive, prompt_sets, scorer, panel, references=references, reason=WHY)
    worker = Worker(
        name=options.name,
        store=store,
        archive=archive,
        prompt_sets=prompt_sets,
        scorer=scorer,
        stop=stopped,
        references=references,
        panel=panel,
        steps=steps,
        idle=EarlierHeads(store, prompt_sets, scorer, again).judge_next,
    )
    worker.run(until_empty=options.until_empty)
    store.close()
    return 0


def _stop_signal() -> threading.Event:
    """Is set by Ctrl-C and SIGTERM."""
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    return stopped
