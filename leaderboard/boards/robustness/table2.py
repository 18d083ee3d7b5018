"""Table 2 of the 2024 working notes as printed: five systems on fifteen items by another judge, history here.

Source: Sahlgren et al., ELOQUENT 2024 - Robustness Task, CLEF 2024 working notes, CEUR-WS Vol-3740.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum

SYSTEMS = ("poro-34b", "mistral-7b", "command-r", "gpt-sw3-20b", "gpt-4-turbo")
"""In the order of the columns."""

SUMS_PRINTED = (41, 45, 44, 43, 56)
"""The last line of the table, by system."""

LEFT_OUT_ITEM = 9
"""The test file's item that the paper leaves out: later ones stand there under a number lower by one."""

DECIMALS = 1
"""Of the printed averages."""


@dataclass(frozen=True, slots=True)
class PublishedItem:
    """One line of the table."""

    paper_item: str
    cells: tuple[int, ...]
    """Scores 0-5, by system."""
    average_printed: float

    @property
    def file_item(self) -> str:
        """The item's id in the test file.

        >>> PublishedItem("09", (4, 3, 4, 3, 4), 3.1).file_item
        '010'
        """
        number = int(self.paper_item)
        return f"{number + (number >= LEFT_OUT_ITEM):03}"

    @property
    def average(self) -> float:
        """What the cells average to: the item's difficulty."""
        return fsum(self.cells) / len(self.cells)

    @property
    def is_misprinted(self) -> bool:
        """Does the printed average not follow from the cells, in the decimals that it is printed with?"""
        return round(self.average, DECIMALS) != self.average_printed


TABLE_2 = (
    PublishedItem("01", (1, 1, 0, 2, 5), 1.8),
    PublishedItem("02", (3, 4, 4, 3, 4), 3.3),
    PublishedItem("03", (3, 4, 4, 3, 4), 3.6),
    PublishedItem("04", (4, 5, 4, 4, 4), 3.8),
    PublishedItem("05", (2, 1, 1, 3, 2), 1.6),
    PublishedItem("06", (4, 3, 5, 4, 5), 4.0),
    PublishedItem("07", (3, 4, 4, 3, 5), 3.8),
    PublishedItem("08", (4, 2, 2, 2, 4), 2.6),
    PublishedItem("09", (4, 3, 4, 3, 4), 3.1),
    PublishedItem("10", (2, 4, 3, 2, 3), 2.8),
    PublishedItem("11", (1, 1, 1, 1, 1), 1.0),
    PublishedItem("12", (1, 3, 3, 4, 3), 2.8),
    PublishedItem("13", (3, 4, 4, 4, 5), 3.6),
    PublishedItem("14", (4, 4, 3, 2, 4), 3.0),
    PublishedItem("15", (2, 2, 2, 3, 3), 2.3),
)


def sums() -> tuple[int, ...]:
    """What the cells of every system add up to, at most 75."""
    return tuple(sum(scores) for scores in zip(*(item.cells for item in TABLE_2), strict=True))


def means() -> tuple[float, ...]:
    """The mean over items of every system."""
    return tuple(total / len(TABLE_2) for total in sums())
