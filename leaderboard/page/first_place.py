"""Say on which items of a board the first place rests (docs/metrics.md#deciding_items)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluator.statistics.deciding_items import Certainty, DecidingItems
from leaderboard.page.board_row import BoardRow
from leaderboard.parts.board_kind import BoardKind
from leaderboard.parts.tables import FirstPlaceValue, NamedItemValue
from leaderboard.parts.visible_text import shortened

MOST_NAMED = 6
"""Items that the sentence names; the download as JSON names all."""
NAME_CHARACTERS = 28
"""Of an item, and of the system that would lead."""


@dataclass(frozen=True, slots=True)
class FirstPlace:
    """A leading row with what its place rests on."""

    leader: str
    """The id of its row."""
    deciding: DecidingItems
    among: str = ""
    """As `BoardRow.deciding_among`."""


@dataclass(frozen=True, slots=True)
class FirstPlaceWords:
    """What a board calls its rows and what its figure rests on."""

    nouns: tuple[str, str]
    """One row, several rows."""
    units: str
    """What is left out."""

    @classmethod
    def from_kind(cls, kind: BoardKind[Any]) -> FirstPlaceWords:
        """Return the words that a board declares."""
        return cls(kind.nouns, kind.deciders or kind.counted)


_BEFORE_COUNT: dict[Certainty, str] = {"exact": "", "at_most": "at most ", "about": "about "}


def first_place_of(rows: Sequence[object]) -> FirstPlace | None:
    """Return who leads and what that rests on; None where the board does not say."""
    decided = (
        FirstPlace(row.id, row.deciding, row.deciding_among)
        for row in rows
        if isinstance(row, BoardRow) and row.deciding is not None
    )
    return next(decided, None)


def first_place_values(
    first: FirstPlace,
    words: FirstPlaceWords,
    names: Mapping[str, str],
    *,
    link: str,
    item_link: Callable[[str], str],
) -> list[FirstPlaceValue]:
    """Return the sentence about the first place, alone in a list.

    Args:
        first: Who leads, and what the place rests on.
        words: Of the board.
        names: Row id -> what the row is called.
        link: The board without the items; blank = no link.
        item_link: Item -> address of its page; blank = no page.
    """
    deciding = first.deciding
    if not deciding.items:
        return [{"claim": f"{first_place_claim(first, words)}.", "link": "", "items": [], "after": ""}]
    count = len(deciding.items)
    named = deciding.items[:MOST_NAMED]
    more = count - len(named)
    successor = shortened(names[deciding.successor], NAME_CHARACTERS)
    items: list[NamedItemValue] = [
        {
            "before": "" if not place else " and " if place == count - 1 else ", ",
            "label": shortened(item, NAME_CHARACTERS),
            "href": item_link(item),
        }
        for place, item in enumerate(named)
    ]
    return [
        {
            "claim": first_place_claim(first, words),
            "link": link,
            "items": items,
            "after": f"{f' and {more} more' if more else ''}, {successor} leads.",
        }
    ]


def first_place_claim(first: FirstPlace, words: FirstPlaceWords, decided: str = "who is first") -> str:
    """Return how few items decide who is first, without a full stop; `decided` is what they decide, in words."""
    deciding, (singular, plural) = first.deciding, words.nouns
    units, count = words.units, len(deciding.items)
    if len(deciding.leaders) > 1:
        said = f"{len(deciding.leaders)} {plural} have exactly the same figure, so no single {singular} is first"
    elif count:
        number = f"{_BEFORE_COUNT[deciding.certainty]}{count} of {deciding.total} {units}"
        said = f"{number} {'decides' if count == 1 else 'decide'} {decided}"
    elif deciding.certainty == "at_most":
        said = f"no {units} were found whose removal changes who is first"
    else:
        said = f"no removal of {units} changes who is first"
    return f"{first.among}: {said}" if first.among else f"{said[0].upper()}{said[1:]}"


def first_place_record(first: FirstPlace, names: Mapping[str, str]) -> dict[str, Any]:
    """Return the same for a download: who leads, all items by name, and who leads without them.

    >>> first_place_record(FirstPlace("a", DecidingItems(("a",), ("3",), "b", 18)), {"a": "Tide", "b": "Keel"})
    {'leaders': ['Tide'], 'deciding_items': ['3'], 'of': 18, 'without_them': 'Keel', 'certainty': 'exact'}
    """
    deciding = first.deciding
    return {
        "leaders": [names[id_] for id_ in deciding.leaders],
        "deciding_items": list(deciding.items),
        "of": deciding.total,
        "without_them": names[deciding.successor] if deciding.successor else None,
        "certainty": deciding.certainty,
        **({"among": first.among} if first.among else {}),
    }
