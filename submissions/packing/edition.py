"""What tells the answers of one edition from those of the others, and how a run of it is written.

An edition is one `PackEdition`; `submissions.packing.editions.EDITIONS` lists them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date

from submissions.packing.naming import LanguageWord
from submissions.packing.runs import PlannedRun, Row, Rows, Slot
from submissions.packing.shapes import Entry, Said
from submissions.promptsets import PromptSets
from submissions.promptsets.releases import Release
from submissions.reading.quoting import described, quoted
from submissions.reading.strict_json import ABSENT, Unreadable
from submissions.schema import Edition

_ID = re.compile(r"\s*([0-9]{1,6})(?:\s*-\s*([0-9]{1,6}))?\s*")


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """One file of a run in the official form."""

    suffix: str
    """What its name ends with, after that of the run: `.zip`, `_de.json`."""
    data: bytes
    slots: tuple[Slot, ...]
    """Whose answers are in it."""


@dataclass(slots=True)
class Fitted:
    """What the entries of a file are in one edition."""

    rows: list[Row] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    """What is otherwise than in the official form."""
    faults: list[str] = field(default_factory=list)
    """Why the file cannot be used."""
    left_out: str = ""
    """Which answers have no place in the edition; blank where all have one."""
    n_null: int = 0

    def fault(self, place: str, what: str) -> None:
        where = f"line {place}" if place.isdigit() else place
        self.faults.append(f"{where}: {what}")

    def text(self, said: Said, key: str) -> str | None:
        """The text of an answer as it stands; None after noting why it is none."""
        if said.text is None:
            self.n_null += 1
            return ""
        if isinstance(said.text, str):
            return said.text
        description = "absent" if said.text is ABSENT else described(said.text)
        if isinstance(said.text, Unreadable):
            description = "a number no JSON has"
        self.fault(said.place, f"the answer to {key} is {description}; expected one text")
        return None


@dataclass(frozen=True, slots=True)
class PackEdition:
    """One edition. What a file states decides; where it states nothing, its ids, keys and names do."""

    edition: Edition
    label: str | None
    """What its files state as label; None of an edition without one."""
    header: frozenset[str]
    """Keys its files have beside the answers."""
    needs: tuple[str, ...]
    """Names without which no run is written, of `NAME_FIELDS`."""
    states_date: bool
    words: frozenset[str]
    """Words of file names that speak for it, beside its year."""
    keys: frozenset[str]
    """Keys of its rows in the official form."""
    form: str
    """That form in words, for the log: `rows of "id" and "answer"`."""
    id_type: type
    id_form: str
    """How it writes an id, for the log: `texts like "7" or "7-3"`."""
    has_one_answer_per_id: bool
    """Whether an id and a language name one answer."""
    needs_language: bool
    """Whether an answer cannot be placed without knowing its language."""
    language_word: LanguageWord
    """A language as names of files write it."""
    stated_language: LanguageWord
    """A language as files state it."""
    id_of: Callable[[object], str | None]
    """The id that a value means, as the edition writes it; None where it means none."""
    must_be: Callable[[Entry], bool]
    """Whether an entry with an id of the edition can be of no other."""
    fit: Callable[[Sequence[Entry], str | None, PromptSets, Fitted], None]
    """Makes rows of entries whose ids are the edition's, in a language where one is known."""
    faults_of: Callable[[Rows], Sequence[str]]
    """Why the answers of a run cannot stand in one submission."""
    releases: Callable[[PromptSets], tuple[Release, ...]]
    """Every release of its prompts that is at hand, under the keys of rows."""
    answers_in_words: Callable[[Rows, PromptSets], str]
    """How many there are, for the plan."""
    files: Callable[[PlannedRun, date, PromptSets], Sequence[WrittenFile]]
    """The files of a run whose names are complete; the same bytes for the same answers, names and day."""

    def fitted(self, entries: Sequence[Entry], language: str | None, sets: PromptSets) -> Fitted:
        """What entries are in this edition."""
        fitted = Fitted()
        own = [entry for entry in entries if self.id_of(entry.id) is not None]
        self.fit(own, language, sets, fitted)
        if others := len(entries) - len(own):
            first = next(entry for entry in entries if self.id_of(entry.id) is None)
            fitted.left_out = (
                f"{others:,} answers have ids that the edition does not have, first {described(first.id)} at "
                f"{first.place}: left out"
            )
        if fitted.n_null:
            fitted.remarks.append(f"{fitted.n_null:,} answers are null: written as empty, which is not answered")
        if normalised := sum(
            not isinstance(entry.id, self.id_type) or str(entry.id) != self.id_of(entry.id) for entry in own
        ):
            fitted.remarks.append(f"{normalised:,} ids are written as {self.id_form}")
        if renamed := {word for entry in own for word in entry.called} - {quoted(key) for key in self.keys}:
            fitted.remarks.append(f"{', '.join(sorted(renamed))} became {self.form}")
        return fitted

    def n_fitting(self, entries: Sequence[Entry]) -> int:
        """How many entries may be of this edition; 0 where most of them would then contradict each other.

        An id with the number 0 tells nothing: a file that counts from 0 may be of any edition.
        """
        own = [
            (entry_id, entry)
            for entry in entries
            if (entry_id := self.id_of(entry.id)) is not None and not counts_from_zero(entry.id)
        ]
        # A row that stands twice contradicts nothing; beside padded ids like "011" equal answers may be to variants.
        is_padded = any(str(entry.id).startswith("0") for _, entry in own)
        answers = [(entry_id, entry.said[0].number, str(entry.said[0].text)) for entry_id, entry in own]
        kept = answers if is_padded else set(answers)
        n_prompts = len({(entry_id, number) for entry_id, number, _ in kept})
        return 0 if self.has_one_answer_per_id and n_prompts <= len(kept) / 2 else len(own)


def counts_from_zero(entry_id: object) -> bool:
    """Return whether an id has the number 0, as no id of ELOQUENT does: 0, "00", "7-0".

    >>> [counts_from_zero(one) for one in (0, "000", "0-3", "7-0", 10, "7", True)]
    [True, True, True, True, False, False, False]
    """
    numbers = id_numbers(entry_id)
    return numbers is not None and 0 in numbers


def id_numbers(entry_id: object) -> tuple[int, ...] | None:
    """Return the numbers that an id is made of, (7, 3) of "7-03"; None where it is something else."""
    if isinstance(entry_id, bool) or not isinstance(entry_id, (int, float, str)):
        return None
    text = str(int(entry_id)) if isinstance(entry_id, float) and entry_id.is_integer() else str(entry_id)
    match = _ID.fullmatch(text[:40])
    return tuple(int(number) for number in match.groups() if number is not None) if match else None


def json_bytes(document: object) -> bytes:
    """A document as a file; half a character stays what it is, as an escape."""
    text = json.dumps(document, ensure_ascii=False, indent=1, default=lambda number: number.literal)
    try:
        return (text + "\n").encode("utf-8")
    except UnicodeEncodeError:
        escaped = json.dumps(document, indent=1, default=lambda number: number.literal)
        return (escaped + "\n").encode("ascii")
