"""The desk's words on a file before it is submitted: the values of its components, and what a kind of file gives.

Imported by the processes that check files, so no page, no store and no charts are imported here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

from leaderboard.parts.card_values import FactValue
from leaderboard.parts.tables import TableValue
from leaderboard.parts.visible_text import visible
from submissions.formats.file_kind import FileReading
from submissions.schema import Flag

SHOWN_CHARACTERS = 160
"""Longer texts are cut in the preview."""

FLAG_WORDS: dict[Flag, str] = {
    "constant": "say the same whatever was asked",
    "echo": "repeat their prompt",
    "error_text": "are error messages",
    "control_tokens": "hold markers of a model's input format",
    "verdict_text": "speak to the judge",
    "wrong_language": "are in another language than their prompt",
    "placeholder": "are the placeholder of the example",
    "off_topic": "do not answer their prompt",
}

CellState = Literal["full", "part", "none", "absent"]


class GridCellValue(TypedDict):
    """One item in one language."""

    state: CellState
    sign: str
    text: str
    """`3/4`; blank where the item has no variant in the language."""


class GridRowValue(TypedDict):
    """One item."""

    item: str
    cells: list[GridCellValue]


class GridValue(TypedDict):
    """Coverage, item by language, with what it says in words."""

    caption: str
    heads: list[str]
    rows: list[GridRowValue]
    totals: list[str]
    words: list[str]


class PreviewValue(TypedDict):
    """Everything the page says about what would be scored."""

    title: str
    facts: list[FactValue]
    normalisations: list[str]
    flags: list[str]
    caption: str
    heads: list[str]
    rows: list[list[str]]


@dataclass(frozen=True, slots=True)
class Preview:
    """What would be scored of a file, and what that costs."""

    facts: Mapping[str, str]
    """Name -> words; blank ones are not shown."""
    heads: list[str]
    rows: list[list[str]]
    """The first rows as they were read."""
    flags: Sequence[str] = field(default_factory=tuple)
    """What is remarkable about the answers, a sentence each."""


@dataclass(frozen=True, slots=True)
class FileView:
    """What the desk says of the files of a kind; the functions take a reading of that class."""

    reading: type[FileReading]
    read_as: Callable[[Any], str]
    """The file in a sentence, of one that can be taken in."""
    preview: Callable[[Any], Preview | None]
    """Of a file that is not refused; None where nothing of it was kept."""
    held: Callable[[Any], TableValue | None] = lambda reading: None
    """The table of what the file holds; None where the sentence says it all."""
    grid: Callable[[Any], GridValue | None] = lambda reading: None


def flag_words(flag: Flag, count: int, answers: int) -> str:
    """How many answers carry a flag of the guards.

    >>> flag_words("echo", 2, 103)
    '2 of 103 answers repeat their prompt (echo)'
    """
    return f"{count:,} of {answers:,} answers {FLAG_WORDS[flag]} ({flag})"


def cut(text: str) -> str:
    """The beginning of a text, as it is shown."""
    return visible(text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "…")
