"""The editions whose answers are put in order, and of which of them those of a file are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from submissions.formats.eloquent.edition_2024 import FIRST_DEMONSTRATION_ID
from submissions.packing.edition import PackEdition, counts_from_zero, id_numbers
from submissions.packing.edition_2024 import PACK_2024
from submissions.packing.edition_2025 import PACK_2025
from submissions.packing.edition_2026 import PACK_2026
from submissions.packing.shapes import Entry, FileShape
from submissions.packing.sources import Source
from submissions.schema import Edition

EDITIONS: tuple[PackEdition, ...] = (PACK_2026, PACK_2025, PACK_2024)
"""The newest first: where nothing tells two apart it is taken, and that is said."""

_WORDS = re.compile(r"[a-z]+|\d+")


def pack_edition(edition: Edition) -> PackEdition:
    """The line of an edition."""
    return next(known for known in EDITIONS if known.edition == edition)


def fitting(shape: FileShape) -> list[PackEdition]:
    """The editions that have most of the ids of a file; without those in which it would contradict itself, if it can be
    of another."""
    fit = [edition for edition in EDITIONS if _has_most(edition, shape)]
    return [edition for edition in fit if _n_fitting(edition, shape)] or fit


def sure_edition(shape: FileShape, stated: Edition | None) -> PackEdition | None:
    """The edition of a file that is stated, or whose answers can be of no other.

    Args:
        shape: What the file holds.
        stated: By the file, the metadata beside it, or whoever packs it.
    """
    if stated:
        edition = pack_edition(stated)
        return edition if _has_most(edition, shape) else None
    fit = fitting(shape)
    must_be = [edition for edition in fit if any(map(edition.must_be, _entries(shape)))]
    return fit[0] if len(fit) == 1 else must_be[0] if len(must_be) == 1 else None


def is_of_demonstration(shape: FileShape) -> bool:
    """Return whether all ids of a file are those of demonstration sets, of which every edition has one."""
    return all(
        numbers is not None and numbers[0] >= FIRST_DEMONSTRATION_ID
        for numbers in (id_numbers(entry.id) for entry in _entries(shape))
    )


def likely_edition(
    source: Source,
    shape: FileShape,
    neighbours: Mapping[tuple[str, ...], set[Edition]],
    count_known: Callable[[PackEdition, Iterable[Entry]], int],
) -> tuple[PackEdition, bool]:
    """The edition of a file that may be of several, and whether anything tells it.

    Args:
        source: The file.
        shape: What it holds.
        neighbours: Folder -> the editions of the files in and below it that are sure.
        count_known: Counts the entries beside which an official prompt of an edition stands.
    """
    fit = fitting(shape)
    folders = [source.folders[:end] for end in range(len(source.folders), -1, -1)]
    beside = next((editions for folder in folders if (editions := neighbours.get(folder))), set())
    words = set(_WORDS.findall(source.place.casefold()))
    criteria: list[Callable[[PackEdition], int]] = [
        lambda edition: beside == {edition.edition},
        lambda edition: len(words & {*edition.words, edition.edition}),
        lambda edition: count_known(edition, _entries(shape)),
        # Ids with and without a dash beside each other are the specific and unspecific ones of 2026.
        lambda edition: (
            edition is PACK_2026 and len({len(id_numbers(entry.id) or ()) for entry in _entries(shape)}) > 1
        ),
    ]
    if not is_of_demonstration(shape):
        criteria += [
            lambda edition: _n_fitting(edition, shape),
            lambda edition: sum(len(entry.keys & edition.keys) for entry in _entries(shape)),
        ]
    for criterion in criteria:
        best = max(map(criterion, fit))
        fit = [edition for edition in fit if criterion(edition) == best]
        if len(fit) == 1:
            return fit[0], True
    return fit[0], False


def _has_most(edition: PackEdition, shape: FileShape) -> bool:
    """Whether an edition has most ids of a file; those with the number 0 tell nothing beside others."""
    ids = [entry.id for entry in _entries(shape)]
    has = [edition.id_of(stated) is not None for stated in ids if not counts_from_zero(stated)]
    return sum(has) > len(has) / 2 if has else edition.has_one_answer_per_id


def _n_fitting(edition: PackEdition, shape: FileShape) -> int:
    return sum(edition.n_fitting(entries) for entries in shape.entries.values())


def _entries(shape: FileShape) -> Iterable[Entry]:
    return (entry for entries in shape.entries.values() for entry in entries)
