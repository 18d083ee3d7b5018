"""Prompts as a file of 2026 states them, compared with every release of the official ones."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from submissions.formats.eloquent.stated_slots import comparable_prompt
from submissions.promptsets.releases import Release
from submissions.reading.quoting import quoted

_FIRST = 3
"""Differing prompts shown in full."""
_IDS = 12
"""Ids named."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A prompt that is not the one of its id."""

    item_id: str
    stated: str
    official: str
    place: str


@dataclass(frozen=True, slots=True)
class Nearest:
    """The release that the prompts of a file are nearest to, in one language."""

    release: Release
    same: int
    differing: tuple[Difference, ...]
    """In file order; of many only the first few have their texts."""
    n_differing: int

    def words(self) -> str:
        """What differs, with both texts of the first few and the ids of more."""
        shown = "; ".join(
            f"{difference.item_id}: the file has {quoted(difference.stated, 120)}, "
            f"the release {quoted(difference.official, 120)}"
            for difference in self.differing[:_FIRST]
        )
        further = [difference.item_id for difference in self.differing[_FIRST:]]
        rest = self.n_differing - len(self.differing)
        more = f"; also {', '.join(further)}" + (f" and {rest:,} more" if rest else "") if further else ""
        return f"{shown}{more}"


class ReleaseComparison:
    """Takes prompts in one after the other.

    Args:
        releases: The first is preferred among equally near ones.
    """

    def __init__(self, releases: Sequence[Release]) -> None:
        self._releases = releases
        self._looked_at: dict[str, None] = {}
        self._same: Counter[tuple[str, int]] = Counter()
        self._differing: Counter[tuple[str, int]] = Counter()
        self._first: dict[tuple[str, int], list[Difference]] = defaultdict(list)

    def look(self, language: str, item_id: str, stated: str, place: str) -> None:
        """Takes one prompt in."""
        self._looked_at[language] = None
        for number, release in enumerate(self._releases):
            official = release.prompt(language, item_id)
            if official is None:
                continue
            # Comparing character by character costs more than reading the row; most prompts are the official ones.
            if stated == official or comparable_prompt(stated) == comparable_prompt(official):
                self._same[language, number] += 1
                continue
            self._differing[language, number] += 1
            if len(first := self._first[language, number]) < _IDS:
                first.append(Difference(item_id, stated, official, place))

    @property
    def languages(self) -> tuple[str, ...]:
        """Of the prompts taken in."""
        return tuple(self._looked_at)

    def nearest(self, language: str) -> Nearest | None:
        """The release that has the most of a language's prompts word for word; None where none has that language."""
        known = [
            n for n in range(len(self._releases)) if (language, n) in self._same or (language, n) in self._differing
        ]
        if not known:
            return None
        best = max(known, key=lambda n: self._same[language, n])
        of_best = language, best
        return Nearest(self._releases[best], self._same[of_best], tuple(self._first[of_best]), self._differing[of_best])
