"""What commands that read the boards open: store, desk and settings, as the pages have them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from leaderboard.boards import registry
from leaderboard.page.identity import Identity
from leaderboard.page.services import Services
from submissions.archive.record import Archive
from submissions.commands.command_line import opened_store
from submissions.desk import Desk
from submissions.promptsets.available import prompt_sets_at_hand
from submissions.seasons.season_file import seasons_of
from submissions.seasons.season_store import PublicStore
from submissions.settings import Settings


@contextmanager
def opened_services(settings: Settings) -> Iterator[Services]:
    """What the pages need, of the settings, closed afterwards; what a season keeps private stays so."""
    seasons = seasons_of(settings)
    store = opened_store(settings)
    prompt_sets = prompt_sets_at_hand(settings, fetch=False)
    registry.add_own_tasks(prompt_sets.own_tasks)
    desk = Desk(store, Archive(settings.archive), prompt_sets, seasons=seasons)
    try:
        shown = PublicStore(store, seasons, key=settings.pseudonym_key)
        yield Services(store=shown, desk=desk, settings=settings, identity=Identity.of(settings))
    finally:
        store.close()
