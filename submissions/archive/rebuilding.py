"""The database made anew from the archive: `python app.py --rebuild` and `python -m submissions rebuild`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from submissions.archive.events import ArchiveError, DamagedFile
from submissions.archive.hub import HubRepository
from submissions.archive.mending import damaged_objects, mended
from submissions.archive.mirror import Mirror
from submissions.archive.record import Archive, Log
from submissions.archive.restoring import Loss, Restored, restore
from submissions.settings import Settings, SettingsError
from submissions.store.database_file import database_file, discard, finish_moving, move_aside
from submissions.store.store import Store, StoreDamaged, StoreError

MOST_LISTED = 50
"""Damaged files, and tickets, that are listed; the others are counted."""

CHECKED_AT_START_BYTES = 256 * 1024 * 1024
"""Of a database file that is read from end to end before the start: 0.6 s from memory, seconds from a slow disk. A
larger one is read by the archive keeper, while the pages are open."""

_TO_RESTORE = ("submission", "erasure")
"""Kinds of events of which an archive must have one before a database is moved aside: any other folder has none. Where
all that was sent was erased, tombstones are what comes back."""

NOT_ARCHIVED = (
    "what the archive does not keep is asked for again when it is needed: embeddings, verdicts of further judges, "
    "verdicts of the last half minute. Votes of the lab are only in the database that was moved aside"
)


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What became of a database."""

    restored: Restored
    moved_to: Path | None
    """Where the former one is; None where it was kept, or there was none."""

    @property
    def lines(self) -> list[str]:
        """What there is to say, for whoever asked."""
        restored = self.restored
        said = [f"{restored.added} submissions restored, {restored.tickets} in the database"]
        if restored.missing:
            said.append(f"missing submissions ({len(restored.missing)}): {_listed(restored.missing)}")
        if restored.judged_again:
            said.append(f"judged again ({len(restored.judged_again)}): {_listed(restored.judged_again)}")
        if restored.losses:
            said.append(f"damaged files of the archive ({len(restored.losses)}), nothing was deleted:")
            said += [f"  {loss}" for loss in restored.losses[:MOST_LISTED]]
            more = len(restored.losses) - MOST_LISTED
            said += [f"  and {more} more"] if more > 0 else []
            said.append("put whole copies in their places and run `python -m submissions rebuild` once more")
        if self.moved_to is not None:
            said.append(NOT_ARCHIVED)
        return said


def rebuild(
    settings: Settings, say: Callable[[str], None], *, folder: Path | None = None, anew: bool = False
) -> Rebuilt:
    """Restores everything the archive holds that the database lacks; a damaged database is moved aside and made anew.

    A whole database is kept, and gets what it lacks. Running it twice, or again after it was killed, is harmless: a new
    database is made beside its place and moved there when it is complete.

    Args:
        say: Told what is done.
        folder: An archive folder; None = the one of the settings, with what the archive repository has besides.
        anew: True = a whole database is moved aside as well.

    Raises:
        SettingsError: when no archive is named or here.
        ArchiveError: when there is nothing to restore from; the database was left as it is.
        HubError: when the archive repository cannot be read; nothing was changed.
        StoreError: when the database cannot be used or moved; the text says what to do.
    """
    archive = Archive(folder or settings.archive)
    mirror = None if folder else _mirror(settings, archive)
    if mirror is None and not archive.folder.is_dir():
        raise SettingsError(f"{archive.folder}: no archive folder is here, so nothing can be restored")
    if mirror is not None:
        say(f"{mirror.restore()} files fetched from {mirror.name}")
    file = database_file(settings.resolved_database_url)
    if file is not None:
        finish_moving(file)
    fault = _fault(settings)
    if fault is not None and (file is None or not (anew or isinstance(fault, StoreDamaged))):
        raise fault
    log, damage = _mended(settings, archive, mirror, use_store=fault is None and (file is None or file.exists()))
    moved_to = None
    if file is not None and file.exists() and (anew or fault is not None):
        if not any(event["kind"] in _TO_RESTORE for event in log.events):
            raise ArchiveError(f"{file} was left in its place: {archive.folder} has no submission to restore from")
        moved_to = move_aside(file, "damaged" if fault else "replaced", datetime.now(UTC))
        say(f"{file} {'is damaged' if fault else 'is whole, and made anew as asked'}: it was moved to {moved_to}")
    elif anew and file is None:
        raise StoreError("only a database file is moved aside: let PLUMBLINE_DATABASE_URL name an empty database")
    elif file is not None and file.exists():
        say(f"{file} is whole: it is kept, and gets what it lacks (--anew moves it aside)")
    restored = _restored(settings, archive, log, file)
    named = {loss.fault.path for loss in restored.losses}
    others = (Loss(fault, "nothing that was restored rests on it") for fault in damage if fault.path not in named)
    return Rebuilt(replace(restored, losses=(*restored.losses, *others)), moved_to)


def checked_store(settings: Settings) -> Store:
    """The database of the settings, looked at before anything is served.

    Raises:
        StoreError: when it cannot be used, or is damaged; the text says what to do.
    """
    url = settings.resolved_database_url
    file = database_file(url)
    store = _opened(url, settings)
    try:
        if file is not None and file.stat().st_size <= CHECKED_AT_START_BYTES:
            store.check()
    except BaseException:
        store.close()
        raise
    return store


def _fault(settings: Settings) -> StoreError | None:
    """Why the database cannot be used; None where it can, or is not there yet."""
    file = database_file(settings.resolved_database_url)
    if file is not None and not file.exists():
        return None
    try:
        with closing(_opened(settings.resolved_database_url, settings)) as store:
            store.check(thoroughly=True)
    except StoreError as fault:
        return fault
    return None


def _mended(
    settings: Settings, archive: Archive, mirror: Mirror | None, *, use_store: bool
) -> tuple[Log, Sequence[DamagedFile]]:
    """Reads every file of the archive, and puts right what can be; returns its log and what is still damaged."""
    if not use_store:
        return mended(archive, damaged_objects, mirror=mirror, store=None)
    with closing(_opened(settings.resolved_database_url, settings)) as store:
        archive.catch_up(store)
        return mended(archive, damaged_objects, mirror=mirror, store=store)


def _restored(settings: Settings, archive: Archive, log: Log, file: Path | None) -> Restored:
    """Restores into the database of the settings; into one beside its place first where there is none."""
    accepted = settings.durability != "hub"
    if file is None or file.exists():
        with closing(_opened(settings.resolved_database_url, settings)) as store:
            return restore(archive, store, accepted=accepted, log=log)
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_name(f"{file.name}.rebuilding")
    discard(beside)
    with closing(_opened(f"sqlite:///{beside}", settings)) as store:
        restored = restore(archive, store, accepted=accepted, log=log)
    beside.rename(file)  # closed, so nothing lies beside it
    return restored


def _opened(url: str, settings: Settings) -> Store:
    return Store.open(url, lease_s=settings.lease_s, max_attempts=settings.max_attempts)


def _mirror(settings: Settings, archive: Archive) -> Mirror | None:
    if not settings.archive_repo:
        return None
    if not settings.hub_token:
        raise SettingsError(
            "PLUMBLINE_ARCHIVE_REPO is set, but HF_TOKEN is not: set it, or name a folder with --archive"
        )
    return Mirror(archive, HubRepository(settings.archive_repo, settings.hub_token))


def _listed(tickets: Sequence[str]) -> str:
    more = len(tickets) - MOST_LISTED
    return ", ".join(tickets[:MOST_LISTED]) + (f" and {more} more" if more > 0 else "")
