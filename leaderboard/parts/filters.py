"""Filters of a board: declared as data beside its columns, applied to rows, and put into words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Generic, Literal

from leaderboard.parts.tables import NULL_ROW, Row, is_entry

FilterKind = Literal["one_of", "text_set", "at_least", "since"]
"""`one_of`: the row's text is the chosen one; `text_set`: the row's texts hold it; `at_least`: a share reaches the
chosen percentage; `since`: the row is of the chosen day or a later one."""

FilterValue = str | tuple[str, ...] | float | datetime | None
"""What a filter reads from a row; None and a blank text fit no choice."""

ANY = ""
"""The choice that asks for nothing."""
MAX_CHOICE_LENGTH = 200
"""Longer texts in a link are no choice."""


@dataclass(frozen=True, slots=True)
class Filter(Generic[Row]):
    """One filter. Code speaks keys; only the page shows labels."""

    key: str
    label: str
    kind: FilterKind
    value: Callable[[Row], FilterValue]
    """How it reads a row."""
    steps: tuple[int, ...] = ()
    """Percentages that `at_least` offers."""
    reaches_null_rows: bool = False
    """Whether baselines have to fit too, and published ones; otherwise they stay in sight."""
    reaches_published: bool = False
    """Whether published rows have to fit."""

    def fits(self, row: Row, choice: str) -> bool:
        """Does the row stay under that choice?"""
        if choice == ANY or not self._reaches(row):
            return True
        value = self.value(row)
        match value:
            case float() | int():
                return 100 * value >= float(choice)
            case datetime():
                return value.date().isoformat() >= choice
            case None:
                return False
            case _:
                return choice in _texts(value)

    def _reaches(self, row: Row) -> bool:
        """Does the filter ask anything of such a row?"""
        if self.reaches_null_rows or is_entry(row):
            return True
        return self.reaches_published and row.style != NULL_ROW

    def read(self, text: str) -> str | None:
        """A choice as a link or a browser states it; None for what can be none."""
        if not text or len(text) > MAX_CHOICE_LENGTH:
            return None
        if self.kind == "at_least":
            return str(int(text)) if text.isascii() and text.isdigit() and len(text) < 4 and int(text) <= 100 else None
        if self.kind == "since":
            return text if _is_day(text) else None
        return text

    def choices(self, rows: Iterable[Row], chosen: str) -> list[tuple[str, str]]:
        """What one can choose among these rows: words, choice. The chosen one is always among them."""
        choices = self._found(rows)
        if chosen != ANY and chosen not in choices:
            choices = [*choices, chosen]
        return [("any", ANY), *((self._choice_words(choice), choice) for choice in choices)]

    def is_known(self, rows: Iterable[Row], choice: str) -> bool:
        """Can it be chosen among these rows? Any percentage and any day can."""
        return self.kind in ("at_least", "since") or choice in self._found(rows)

    def words(self, choice: str) -> str:
        """The filter with its choice, as people say it."""
        colon = ":" if self.kind in ("one_of", "text_set") else ""
        return f"{self.label}{colon} {self._choice_words(choice)}"

    def _found(self, rows: Iterable[Row]) -> list[str]:
        if self.kind == "at_least":
            return [str(step) for step in self.steps]
        values = [self.value(row) for row in rows if self._reaches(row)]
        if self.kind == "since":
            days = {value.date().isoformat() for value in values if isinstance(value, datetime)}
            return sorted(days, reverse=True)
        return sorted(
            {text for value in values for text in _texts(value) if text}, key=lambda text: (text.casefold(), text)
        )

    def _choice_words(self, choice: str) -> str:
        return {"at_least": f"at least {choice}%", "since": f"from {choice}"}.get(self.kind, choice)


def _texts(value: FilterValue) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return value if isinstance(value, tuple) else ()


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def fitting(rows: Iterable[Row], filters: Sequence[Filter[Row]], chosen: Mapping[str, str]) -> list[Row]:
    """Rows that fit every chosen filter, in their order; null and published rows stay unless a filter reaches them."""
    active = [(filter_, chosen[filter_.key]) for filter_ in filters if filter_.key in chosen]
    return [row for row in rows if all(filter_.fits(row, choice) for filter_, choice in active)]
