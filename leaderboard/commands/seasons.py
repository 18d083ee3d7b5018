"""`python -m leaderboard season-freeze|season-report|season-archive|review-link`."""

from __future__ import annotations

import argparse
import hashlib
from datetime import date
from pathlib import Path
from typing import Any

from leaderboard.boards import registry
from leaderboard.review.answers import named_in
from leaderboard.review.copy import review_copy
from leaderboard.seasons.citable import citable_zip
from leaderboard.seasons.freezing import NotFrozen, freeze
from leaderboard.seasons.head import is_public
from leaderboard.seasons.report import season_report
from leaderboard.seasons.season_boards import SeasonBoards
from submissions.archive.events import DamagedFile
from submissions.archive.record import Archive
from submissions.commands.command_line import opened_store, stop
from submissions.commands.organiser import OPERATOR
from submissions.desk import Desk
from submissions.promptsets.available import prompt_sets_at_hand
from submissions.seasons.calendar import Seasons, UnknownSeason
from submissions.seasons.frozen import frozen_boards
from submissions.seasons.review import DAYS, NoReview, ReviewLink, last_day
from submissions.seasons.season import Season
from submissions.seasons.season_file import seasons_of
from submissions.settings import Settings
from submissions.store.store import Store, StoreError


def add_commands(commands: Any) -> None:
    """Adds the commands of seasons to the subparsers of `python -m leaderboard`."""
    keep = commands.add_parser("season-freeze", help="keep the board of a season as it stands, for good")
    keep.add_argument("season")
    keep.add_argument("--by", default="", help="who decided it, for the public log (default: the operator)")
    keep.add_argument("--reason", default="", help="why, where that is to be said; everybody can read it")
    keep.set_defaults(command=_freeze)
    report = commands.add_parser(
        "season-report", help="tables (LaTeX, CSV), participation, ranks, judges, BibTeX and manifests of a season"
    )
    report.add_argument("season")
    report.add_argument("--out", type=Path, required=True, help="made where it does not exist; must be empty")
    report.set_defaults(command=_report)
    archive = commands.add_parser(
        "season-archive", help="write the frozen board with CITATION.cff, Croissant and Zenodo metadata as a zip"
    )
    archive.add_argument("season")
    archive.add_argument("--out", type=Path, required=True, metavar="FILE.zip", help="is replaced where it exists")
    archive.set_defaults(command=_archive)
    review = commands.add_parser("review-link", help="a link to one run with answers and figures and without any name")
    review.add_argument("ticket")
    review.add_argument(
        "--until", type=_day, metavar="YYYY-MM-DD", help=f"the last day it works, in UTC (default: in {DAYS} days)"
    )
    review.set_defaults(command=_review_link)


def _freeze(options: argparse.Namespace, settings: Settings) -> int:
    desk, season, store = _opened(options, settings)
    try:
        act = freeze(
            store, desk, settings, season, actor=OPERATOR, actor_name=options.by, reason=options.reason.strip()
        )
    except (NotFrozen, StoreError) as refused:
        stop(str(refused))
    finally:
        store.close()
    print(f"frozen {act.at:%Y-%m-%d %H:%M:%S} UTC by {act.who}")
    print(f"sha256 {act.cell}")
    return 0


def _report(options: argparse.Namespace, settings: Settings) -> int:
    folder: Path = options.out
    if folder.is_dir() and any(folder.iterdir()):
        stop(f"{folder}: is not empty")
    desk, season, store = _opened(options, settings)
    try:
        written = season_report(store, SeasonBoards(store, desk, settings, season), folder, desk.clock())
    except OSError as error:
        stop(f"{error.filename}: {error.strerror}")
    finally:
        store.close()
    print(f"{len(written)} files written to {folder}; pdflatex report.tex sets the report")
    return 0


def _archive(options: argparse.Namespace, settings: Settings) -> int:
    out: Path = options.out
    desk, season, store = _opened(options, settings)
    try:
        kept = frozen_boards(store.acts()).get(season.name)
        if kept is None:
            stop(f"the season {season.name} is not frozen: python -m leaderboard season-freeze {season.name}")
        data = citable_zip(desk.archive.object(kept.sha256))
        out.write_bytes(data)
    except DamagedFile:
        stop(f"the frozen copy of {season.name} is missing in {settings.archive}: restore it from the archive")
    except OSError as error:
        stop(f"{error.filename}: {error.strerror}")
    finally:
        store.close()
    print(f"{out} written, sha256 {hashlib.sha256(data).hexdigest()}; frozen copy {kept.sha256}")
    if not is_public(season, desk.clock()):
        print("Attention: it holds names or scores that the season does not show yet. Keep it to yourself until then.")
    return 0


def _review_link(options: argparse.Namespace, settings: Settings) -> int:
    if not settings.pseudonym_key:
        stop("PLUMBLINE_PSEUDONYM_KEY is not set: a review link is sealed with it (docs/seasons.md#pseudonyms)")
    desk, store = _desk(settings, seasons_of(settings))
    until = options.until or last_day(desk.clock())
    if until < last_day(desk.clock(), 0):
        stop(f"--until {until} is past: the link would open nothing")
    try:
        copy = review_copy(store, desk, settings, options.ticket, until.isoformat())
        ticket = store.tickets_of([options.ticket])[options.ticket]
    except (NoReview, StoreError) as refused:
        stop(str(refused))
    finally:
        store.close()
    print(ReviewLink.made(settings.pseudonym_key, options.ticket, until).address)
    print(f"Put the address of your site before it. It works until the end of {until}, UTC.")
    for name, count in named_in(copy.answers, ticket).items():
        print(f"Attention: answers that say {name}: {count:,}. Answers are shown as they are: read these first.")
    return 0


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a day like 2027-01-31") from None


def _opened(options: argparse.Namespace, settings: Settings) -> tuple[Desk, Season, Any]:
    """The desk, the season and the whole store."""
    seasons = seasons_of(settings)
    try:
        season = seasons.named(options.season)
    except UnknownSeason as unknown:
        stop(str(unknown))
    desk, store = _desk(settings, seasons)
    return desk, season, store


def _desk(settings: Settings, seasons: Seasons) -> tuple[Desk, Store]:
    """The desk and the whole store, with the boards of installed tasks."""
    store = opened_store(settings)
    sets = prompt_sets_at_hand(settings, fetch=False)
    registry.add_own_tasks(sets.own_tasks)
    return Desk(store, Archive(settings.archive), sets, seasons=seasons), store
