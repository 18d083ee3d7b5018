"""Say on which items of a board the first place rests (docs/metrics.md#deciding_items)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from evaluator.statistics.deciding_items import DecidingItems
from leaderboard.page.board_row import BoardRow
from leaderboard.parts.board_kind import BoardKind
from leaderboard.parts.tables import FirstPlaceValue, NamedItemValue
from leaderboard.parts.visible_text import shortened

MOST_NAMED = 6
"""Items that the sentence names; the download as JSON names all."""
NAME_CHARACTERS = 28
"""Of an item, and of the system that would lead."""


def deciding_items_of(rows: Sequence[object]) -> tuple[str, DecidingItems] | None:
    """Return the id of the leading row with what its place rests on; None where the board does not say."""
    decided = ((row.id, row.deciding) for row in rows if isinstance(row, BoardRow) and row.deciding is not None)
    return next(decided, None)


def first_place_values(
    deciding: DecidingItems,
    kind: BoardKind[Any],
    names: Mapping[str, str],
    *,
    link: str,
    item_link: Callable[[str], str],
) -> list[FirstPlaceValue]:
    """Return the sentence about the first place, alone in a list.

    Args:
        deciding: What the place rests on.
        kind: Of the board.
        names: Row id -> what the row is called.
        link: The board without the items; blank = no link.
        item_link: Item -> address of its page; blank = no page.
    """
    singular, plural = kind.nouns
    if len(deciding.leaders) > 1:
        same = f"{len(deciding.leaders)} {plural} have exactly the same figure"
        return [{"claim": f"{same}, so no single {singular} is first.", "link": "", "items": [], "after": ""}]
    if not deciding.items:
        return [{"claim": f"No removal of {kind.counted} changes who is first.", "link": "", "items": [], "after": ""}]
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
            "claim": f"{count} of {deciding.total} {kind.counted} {'decides' if count == 1 else 'decide'} who is first",
            "link": link,
            "items": items,
            "after": f"{f' and {more} more' if more else ''}, {successor} leads.",
        }
    ]


def first_place_record(deciding: DecidingItems, names: Mapping[str, str]) -> dict[str, Any]:
    """Return the same for a download: who leads, all items by name, and who leads without them.

    >>> first_place_record(DecidingItems(("a",), ("3",), "b", 18), {"a": "Tide", "b": "Keel"})
    {'leaders': ['Tide'], 'deciding_items': ['3'], 'of': 18, 'without_them': 'Keel'}
    """
    return {
        "leaders": [names[id_] for id_ in deciding.leaders],
        "deciding_items": list(deciding.items),
        "of": deciding.total,
        "without_them": names[deciding.successor] if deciding.successor else None,
    }
