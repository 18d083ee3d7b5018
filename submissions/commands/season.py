"""`python -m submissions season list|show|freeze`: the seasons of this installation."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from typing import Any

from submissions.commands.command_line import opened_store, stop
from submissions.seasons.calendar import Seasons, UnknownSeason
from submissions.seasons.frozen import frozen_boards
from submissions.seasons.season import Season
from submissions.seasons.season_file import seasons_of
from submissions.settings import Settings
from submissions.store.accepted_terms import accounts_by_version
from submissions.store.queue import JobStatus
from submissions.store.store import Store


def add_commands(commands: Any) -> None:
    """Adds `season` to the subparsers of `python -m submissions`."""
    season = commands.add_parser("season", help="the seasons of a shared task (docs/seasons.md)")
    what = season.add_subparsers(metavar="WHAT", required=True, parser_class=type(season))
    every = what.add_parser("list", help="every season and where it stands; also says what is wrong with their files")
    every.set_defaults(command=_list)
    show = what.add_parser("show", help="times, limits, what was sent, and the frozen board")
    show.add_argument("name")
    show.set_defaults(command=_show)
    freeze = what.add_parser("freeze", help="keep the board of a season as it stands, for good")
    freeze.add_argument("name")
    freeze.add_argument("--by", default="", help="who decided it, for the public log (default: the operator)")
    freeze.add_argument("--reason", default="", help="why, where that is to be said; everybody can read it")
    freeze.set_defaults(command=_freeze)


def _list(options: argparse.Namespace, settings: Settings) -> int:
    seasons = seasons_of(settings)
    for season in seasons:
        print(f"{season.name}: {season.title}, {season.phase(time.time())}, closes {season.when(season.closes)}")
    if not seasons:
        print(f"no season: no file NAME.toml in {settings.seasons}")
    return 0


def _show(options: argparse.Namespace, settings: Settings) -> int:
    season = _named(seasons_of(settings), options.name)
    print("\n".join(season_lines(season, opened_store(settings), time.time())))
    return 0


def season_lines(season: Season, store: Store, now: float) -> list[str]:
    """All there is to say of a season.

    Args:
        store: The whole one.
        now: Seconds since the epoch.
    """
    sent = [ticket for ticket in store.tickets() if ticket.role == "entry" and season.covers(ticket.set_id)]
    in_time = [ticket for ticket in sent if season.phase(ticket.received_at.timestamp()) == "open"]
    late = sum(bool(season.lateness(ticket.received_at.timestamp())) for ticket in sent)
    scored = sum(ticket.status is JobStatus.SCORED for ticket in in_time)
    frozen = frozen_boards(store.acts()).get(season.name)
    reveals = {"names": season.names_from, "scores": season.scores_from, "answers": season.answers_from}
    lines = [
        f"{season.name}: {season.title} ({season.set_id}), {season.phase(now)}",
        *(f"{name} {season.when(getattr(season, name))}" for name in ("opens", "closes", "freezes")),
        *(f"{what} public: {season.when(moment) if moment else 'at once'}" for what, moment in reveals.items()),
        f"attempts of a team: {season.attempts_per_day or 'unlimited'} a day, "
        f"{season.attempts_in_all or 'unlimited'} in all",
        f"submissions in time: {len(in_time)}, of these scored {scored}; late: {late}",
    ]
    terms = season.stated_terms
    if terms is not None:
        accepted = accounts_by_version(store.acceptances(), season.name)
        now_version = accepted.pop(terms.sha256, 0)
        earlier = f"; earlier versions: {sum(accepted.values())}" if accepted else ""
        lines.append(f"terms version {terms.version}, accepted by accounts: {now_version}{earlier}")
    if frozen is None:
        return [*lines, "not frozen"]
    return [*lines, f"frozen {frozen.at:%Y-%m-%d %H:%M:%S} UTC by {frozen.who}", f"sha256 {frozen.sha256}"]


def _freeze(options: argparse.Namespace, settings: Settings) -> int:
    _named(seasons_of(settings), options.name)
    # What a board is only the pages know, and they stand above this package: their command makes the copy.
    command = [sys.executable, "-m", "leaderboard", "season-freeze", options.name]
    return subprocess.run([*command, f"--by={options.by}", f"--reason={options.reason}"], check=False).returncode


def _named(seasons: Seasons, name: str) -> Season:
    try:
        return seasons.named(name)
    except UnknownSeason as unknown:
        stop(str(unknown))
