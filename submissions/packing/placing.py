"""Whether the answers of a file stand under the prompts that they answer, as far as the file says what was asked.

No answer is ever moved by a guess: ids that begin at 0 are raised by one only where every prompt beside them is that of
the raised id, and a file whose prompts are those of other ids is refused.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher

from submissions.formats.eloquent.stated_slots import comparable_prompt
from submissions.packing.edition import PackEdition, counts_from_zero, id_numbers
from submissions.packing.runs import Row
from submissions.packing.shapes import Entry, named_places
from submissions.promptsets.releases import Release
from submissions.reading.quoting import described

_SEARCHED = 200
"""Prompts of a file, of those that are no official ones, that are compared with all others."""
_ALIKE = 0.5
"""From this share of common text on (`difflib`), a prompt is a mended form of the official one."""
_LEAST_CHARACTERS = 12
"""A shorter official prompt may stand in any text."""


@dataclass(slots=True)
class OfficialPrompts:
    """The prompts of one edition as far as they are at hand."""

    releases: Sequence[Release]
    _comparable: dict[str, dict[str, set[str]]] = field(default_factory=dict)
    """Language -> prompt as it is compared -> its ids."""

    def is_of_id(self, language: str, key: str, prompt: str) -> bool:
        """Return whether a prompt is the official one of an id, or holds it."""
        stated = comparable_prompt(prompt)
        return any(own == prompt or comparable_prompt(own) in stated for own in self._own(language, key))

    def count_known(self, entries: Iterable[Entry]) -> int:
        """Count the entries whose prompt is an official one word for word, whatever its id and language."""
        known = {prompt for release in self.releases for prompt in release.prompts.values()}
        return sum(any(said.prompt in known for said in entry.said) for entry in entries)

    def misplacement(self, rows: Sequence[Row], *, is_own_wording: bool = False) -> str | None:
        """Return why the answers of a file do not stand under their prompts; None where nothing says so.

        Args:
            rows: The answers with the prompts beside them.
            is_own_wording: Prompts that resemble no official one are allowed; those of other ids are not.
        """
        moved: list[tuple[Row, str]] = []
        unlike: list[Row] = []
        compared = changed = searched = 0
        for row in rows:
            own = self._own(row.language, row.key)
            if row.prompt is None or not row.prompt.strip():
                continue
            if not own:
                # No release has this id: only the prompt of another one says that the answer does not belong here.
                if others := self._ids(row.language).get(comparable_prompt(row.prompt)):
                    compared += 1
                    moved.append((row, min(others, key=lambda key: (len(key), key))))
                continue
            compared += 1
            if row.prompt in own or self.is_of_id(row.language, row.key, row.prompt):
                continue
            changed += 1
            stated = comparable_prompt(row.prompt)
            ids = self._ids(row.language).get(stated, set())
            if not ids and searched < _SEARCHED:
                searched += 1
                alike = max(_likeness(stated, comparable_prompt(prompt)) for prompt in own)
                ids = self._ids_within(row.language, stated, alike)
                if not ids and alike < _ALIKE:
                    unlike.append(row)
            if ids:
                moved.append((row, min(ids, key=lambda key: (len(key), key))))
        if moved:
            first, other = moved[0]
            places = named_places([row.place for row, _ in moved])
            return (
                f"the prompts beside {len(moved):,} of {compared:,} ids are those of other ids ({places}; first that "
                f"of {other} beside {first.key}): write beside each answer the id of its prompt"
            )
        n_unlike = round(len(unlike) * changed / searched) if searched else 0
        if n_unlike * 2 > compared and not is_own_wording:
            places = named_places([row.place for row in unlike])
            about = "" if searched == changed else "about "
            return (
                f"{about}{n_unlike:,} of {compared:,} prompts are not those of their ids in any release at hand "
                f"({places}): write the ids of these prompts; where they are your own wording of the prompts of their "
                "ids, say --own-prompts, or leave them out of the rows"
            )
        return None

    def raised(self, entries: Sequence[Entry], language: str | None, edition: PackEdition) -> list[Entry] | None:
        """Return the entries with ids raised by one; None unless every prompt is that of the raised id."""
        numbers = [id_numbers(entry.id) for entry in entries]
        has_zero = [any(at < len(parts or ()) and (parts or ())[at] == 0 for parts in numbers) for at in (0, 1)]
        raised = []
        for entry, own in zip(entries, numbers, strict=True):
            if own is None or entry.form != "one" or language is None:
                return None
            wanted = "-".join(str(number + has_zero[at]) for at, number in enumerate(own))
            key, prompt = edition.id_of(wanted), entry.said[0].prompt
            if key is None or not prompt or not self.is_of_id(language, key, prompt):
                return None
            raised.append(replace(entry, id=key))
        return raised

    def _own(self, language: str, key: str) -> list[str]:
        return [prompt for release in self.releases if (prompt := release.prompt(language, key)) is not None]

    def _ids(self, language: str) -> dict[str, set[str]]:
        """Comparable prompt -> the ids it has in any release."""
        if language not in self._comparable:
            ids: dict[str, set[str]] = defaultdict(set)
            for release in self.releases:
                for (spoken, key), prompt in release.prompts.items():
                    if spoken == language:
                        ids[comparable_prompt(prompt)].add(key)
            self._comparable[language] = dict(ids)
        return self._comparable[language]

    def _ids_within(self, language: str, stated: str, alike: float) -> set[str]:
        """The ids of the longest official prompt that a text holds, where it is nearer to that than to its own."""
        held = [text for text in self._ids(language) if len(text) >= _LEAST_CHARACTERS and text in stated]
        longest = max(held, key=len, default="")
        return self._ids(language)[longest] if longest and _likeness(stated, longest) > alike else set()


def zero_fault(entries: Sequence[Entry]) -> str:
    """Return why a file whose ids begin at 0 is not packed."""
    first = next(entry for entry in entries if counts_from_zero(entry.id))
    where = f"{described(first.id)} at {named_places([first.place])}"
    return (
        f"its ids begin at 0 (first {where}) and those of the edition at 1, so that one answer has no place, and "
        "nothing says which prompts the others are to: write the ids of the prompts, or the official prompts beside "
        "the answers"
    )


def _likeness(text: str, other: str) -> float:
    matcher = SequenceMatcher(None, text.casefold(), other.casefold(), autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= _ALIKE else 0.0
