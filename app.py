"""Plumbline: settings -> services -> pages -> server. `python app.py` is the whole service."""

from __future__ import annotations

import argparse
import gc
import logging
import os
import signal
import sys
import threading
from collections.abc import Sequence

from evaluator.lab.serving import LabService
from evaluator.memory import give_back_freed_memory
from evaluator.seeding.own_entries import House
from evaluator.worker.canary_schedule import CanarySchedule
from evaluator.worker.hub_jobs import HubJobs
from evaluator.worker.supervisor import Supervisor
from evaluator.worker.watcher import WatchedLimits
from evaluator.zero_gpu import ZeroGpu
from leaderboard.web.faults import PortTaken, log_in_lines
from submissions.archive.events import ArchiveError
from submissions.archive.hub import HubError
from submissions.archive.keeper import NotRestored, opened_archive
from submissions.archive.rebuilding import checked_store, rebuild
from submissions.commands.command_line import OneLineParser
from submissions.desk import Desk
from submissions.promptsets.available import prompt_sets_at_hand
from submissions.seasons.season_file import seasons_of
from submissions.seasons.season_store import PublicStore
from submissions.settings import Settings, SettingsError
from submissions.store.store import StoreError

logger = logging.getLogger("plumbline")


def main(arguments: Sequence[str] | None = None) -> None:
    """Starts the page server and its worker, and stops both on Ctrl-C or SIGTERM."""
    options = _parser().parse_args(arguments)
    log_in_lines()
    settings = Settings.from_env(os.environ)
    seasons = seasons_of(settings)
    # Models that write hold the interpreter: pages get their turn five times as often, so that words appear one by one.
    sys.setswitchinterval(0.001)
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())

    if options.rebuild or options.anew:
        rebuild_first(settings, anew=options.anew)
    # Before torch is imported: it puts itself between torch and the graphics card.
    zero_gpu = ZeroGpu.of(settings)
    store = checked_store(settings)
    archive, keeper = opened_archive(settings, store, stopped)
    keeper.start()
    prompt_sets = prompt_sets_at_hand(settings, fetch=settings.fetch_sets)
    desk = Desk(store, archive, prompt_sets, durability=settings.durability, seasons=seasons)
    # All that visitors see goes through it: what a season keeps private is not there.
    shown = PublicStore(store, seasons, key=settings.pseudonym_key)
    # A graphics card is lent to visitors, not to the worker.
    worker_environ = {**os.environ, "CUDA_VISIBLE_DEVICES": ""} if zero_gpu else os.environ
    supervisor = Supervisor(store, worker_environ, WatchedLimits.of(settings)) if settings.workers else None
    if supervisor:
        supervisor.start()

    canary = CanarySchedule.of(settings, os.environ)
    if canary:
        canary.start()

    jobs = HubJobs.of(settings, store)
    if jobs:
        jobs.start()

    lab = LabService.from_settings(settings, shown, desk.prompt_sets, zero_gpu)
    lab.load_ahead()  # now, in a process of its own: whoever presses Run on the open page should not wait for it
    if zero_gpu:
        zero_gpu.start()
    # Imported only now: it takes longer than all before it, and worker and model begin on other cores meanwhile.
    from leaderboard.serving import Site

    if not stopped.is_set():  # while it was imported
        site = Site(settings, store=store, shown=shown, desk=desk, lab=lab, keeper=keeper)
        # All of this stays until the end. Looked through for garbage again and again, it stopped every page for 0.2 s.
        gc.collect()
        give_back_freed_memory()
        gc.freeze()
        site.open()
        logger.info("Plumbline is open at %s", site.address)
        House(desk, store).keep(stopped, demonstration=settings.demonstration, recorded=settings.recorded)
        logger.info("closing")
        site.close()
    if canary:
        canary.stop()
    if jobs:
        jobs.stop()
    if supervisor:
        supervisor.stop()
    keeper.stop()
    store.close()


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(prog="python app.py", description="The page server with its worker (docs/settings.md).")
    parser.add_argument(
        "--rebuild",
        action="store_true",
        help="restore from the archive what the database lacks before the start; a damaged one is moved aside",
    )
    parser.add_argument("--anew", action="store_true", help="the same, and a whole database is moved aside too")
    return parser


def rebuild_first(settings: Settings, *, anew: bool) -> None:
    """What `python -m submissions rebuild` does; damage in the archive does not keep the service from starting."""
    rebuilt = rebuild(settings, logger.info, anew=anew)
    for line in rebuilt.lines:
        logger.log(logging.INFO if rebuilt.restored.is_complete else logging.WARNING, "%s", line)


if __name__ == "__main__":
    try:
        main()
    except (SettingsError, NotRestored, ArchiveError, HubError, StoreError, PortTaken) as error:
        sys.exit(f"Plumbline cannot start: {error}")
