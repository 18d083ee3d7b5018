"""`python -m leaderboard`: the boards as files."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from leaderboard.commands.seasons import add_commands
from leaderboard.page.identity import Identity
from leaderboard.page.services import Services
from leaderboard.site.export import export_boards
from submissions.archive.record import Archive
from submissions.commands.command_line import OneLineParser, opened_store, stop
from submissions.desk import Desk
from submissions.promptsets.available import prompt_sets_at_hand
from submissions.seasons.season_file import seasons_of
from submissions.seasons.season_store import public_store
from submissions.settings import Settings, SettingsError
from submissions.store.store import StoreUnavailable


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and gives its exit code; wrong use ends with 2 and one line on standard error."""
    parser = OneLineParser(prog="python -m leaderboard", description=__doc__)
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=OneLineParser)
    export = commands.add_parser("export", help="write every board as CSV, JSON and Parquet, and every manifest")
    export.add_argument("folder", type=Path, help="made where it does not exist; must be empty")
    export.set_defaults(command=_export)
    add_commands(commands)
    options = parser.parse_args(arguments)
    try:
        settings = Settings.from_env(os.environ)
    except SettingsError as error:
        stop(str(error))
    try:
        return int(options.command(options, settings))
    except (SettingsError, StoreUnavailable) as error:
        stop(str(error))


def _export(options: argparse.Namespace, settings: Settings) -> int:
    folder: Path = options.folder
    if folder.is_dir() and any(folder.iterdir()):
        stop(f"{folder}: is not empty")
    seasons = seasons_of(settings)
    store = opened_store(settings)
    desk = Desk(store, Archive(settings.archive), prompt_sets_at_hand(settings, fetch=False), seasons=seasons)
    try:
        services = Services(
            store=public_store(store, seasons), desk=desk, settings=settings, identity=Identity.of(settings)
        )
        written = export_boards(services, folder)
    except OSError as error:
        stop(f"{error.filename}: {error.strerror}")
    finally:
        store.close()
    print(f"{len(written)} files written to {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
