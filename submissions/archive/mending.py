"""Damaged files of the archive are put right where a whole copy is at hand: in the mirror, or in the database."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence, Set

from submissions.archive.events import DamagedFile, EventName, object_name, object_path, objects_of
from submissions.archive.hub import HubError
from submissions.archive.mirror import Mirror
from submissions.archive.record import Archive, Log
from submissions.store.store import Store

logger = logging.getLogger(__name__)


def missing_objects(archive: Archive, log: Log) -> list[DamagedFile]:
    """Objects that events refer to and that are not in their place. Whether the others are whole takes far longer."""
    paths = dict.fromkeys(object_path(sha256) for event in log.events for sha256 in objects_of(event))
    return [fault for fault in map(archive.lacks, paths) if fault is not None]


def damaged_objects(archive: Archive, log: Log) -> list[DamagedFile]:
    """Objects that events refer to and that are not whole: reads every one of them."""
    paths = dict.fromkeys(object_path(sha256) for event in log.events for sha256 in objects_of(event))
    return [fault for fault in map(archive.fault, paths) if fault is not None]


def mended(
    archive: Archive,
    look: Callable[[Archive, Log], list[DamagedFile]],
    *,
    mirror: Mirror | None,
    store: Store | None,
) -> tuple[Log, list[DamagedFile]]:
    """Mends what can be; returns the log as it is then, and what is still damaged.

    Args:
        look: `missing_objects` or `damaged_objects`.
    """
    log = archive.log()
    damage = [*log.damage, *look(archive, log)]
    before: set[str] = set()
    # An event that can be read again may refer to an object that is damaged as well.
    while {fault.path for fault in damage} != before:
        before = {fault.path for fault in damage}
        mend(archive, damage, mirror=mirror, store=store)
        log = archive.log()
        damage = [*log.damage, *look(archive, log)]
    return log, damage


def mend(
    archive: Archive, damage: Sequence[DamagedFile], *, mirror: Mirror | None, store: Store | None
) -> list[DamagedFile]:
    """Puts whole copies in the place of damaged files, which are moved aside; returns what is still damaged.

    Args:
        mirror: What it has whole is fetched again.
        store: What it still knows is recorded again.
    """
    left = list(damage)
    if mirror is not None and left:
        try:
            mirror.restore([fault.path for fault in left])
        except HubError as error:
            logger.warning("damaged files of the archive could not be fetched again from %s: %s", mirror.name, error)
        left = _still_damaged(archive, left)
    if store is not None and left:
        _record_again(archive, store, {fault.path for fault in left})
        left = _still_damaged(archive, left)
    for path in sorted({fault.path for fault in damage} - {fault.path for fault in left}):
        logger.warning("damaged in the archive, moved aside and put right: %s", path)
    return left


def _still_damaged(archive: Archive, damage: Iterable[DamagedFile]) -> list[DamagedFile]:
    """Of those files; objects that no event refers to any more do not count."""
    needed = {object_path(sha256) for event in archive.log().events for sha256 in objects_of(event)}
    now = (archive.fault(fault.path) for fault in damage if object_name(fault.path) is None or fault.path in needed)
    return [fault for fault in now if fault is not None]


def _record_again(archive: Archive, store: Store, damaged: Set[str]) -> None:
    """Lets the archive record anew what damaged files said, as far as the store knows it."""
    before = {name.path: name for name in archive.names()}
    affected = {path for path in before if path in damaged or damaged & _objects_of(archive, before[path])}
    archive.catch_up(store, damaged=affected)
    anew = {(name.kind, name.subject) for name in archive.names(unlike=before)}
    for path in affected:
        is_damaged = archive.fault(path) is not None or any(map(archive.fault, _objects_of(archive, before[path])))
        if is_damaged and (before[path].kind, before[path].subject) in anew:
            archive.set_aside(path)


def _objects_of(archive: Archive, name: EventName) -> set[str]:
    """Paths of what an event refers to; none where it cannot be read."""
    try:
        return {object_path(sha256) for sha256 in objects_of(archive.event(name))}
    except DamagedFile:
        return set()
