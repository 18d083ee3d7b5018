"""What of a row is needed to compare it with the others: little, whatever the length of its texts."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable
from dataclasses import dataclass

from submissions.formats.personalization.coverage import PersonalizedCoverage, PersonalizedGroup
from submissions.formats.personalization.submission import SETTINGS, PersonalizedRow, Setting
from submissions.reading.quoting import QUOTED_CHARACTERS

Digest = bytes


@dataclass(frozen=True, slots=True)
class RowFacts:
    """One row that could be read."""

    number: int
    """As places count it."""
    example: Digest
    """Of data set and example_id."""
    example_id: str
    """Cut, for messages."""
    dataset: str
    setting: Setting
    method: str
    repeat: int
    question: Digest
    question_start: str
    """Cut, for messages, as all texts below."""
    option_order_hash: str
    """As stated."""
    gold: str | None
    control_text: Digest | None
    """Of the control's text as this row states it; None where it does not."""
    control_start: str
    control_words: Digest | None
    """Of the same text without white space."""
    control_option_order_hash: str | None
    draft_words: Digest | None

    @property
    def is_control(self) -> bool:
        return self.setting == "none"

    @property
    def key(self) -> tuple[Digest, Setting, str, int]:
        """What no two rows share: data set and example_id, setting, method, repeat."""
        return (self.example, self.setting, self.method, self.repeat)


def facts_of(row: PersonalizedRow, number: int) -> RowFacts:
    """The facts of one row."""
    control = row.response_without_preference
    stated = row.control_option_order_hash
    return RowFacts(
        number=number,
        example=_digest(f"{row.dataset}\n{row.example_id}"),
        example_id=_cut(row.example_id),
        dataset=sys.intern(row.dataset),
        setting=row.setting,
        method=sys.intern(row.method),
        repeat=row.repeat,
        question=_digest(row.question),
        question_start=_cut(row.question),
        option_order_hash=_cut(row.option_order_hash),
        gold=None if row.gold is None else _cut(row.gold),
        control_text=None if control is None else _digest(control),
        control_start=_cut(control or ""),
        control_words=None if control is None else _digest(_without_blanks(control)),
        control_option_order_hash=None if stated is None else _cut(stated),
        draft_words=None if row.draft is None else _digest(_without_blanks(row.draft)),
    )


def coverage_of_rows(facts: Iterable[RowFacts], n_rows: int) -> PersonalizedCoverage:
    """How many rows and examples there are of each data set, setting and method."""
    groups: dict[tuple[str, int, str, bool], list[RowFacts]] = {}
    examples: set[Digest] = set()
    for row in facts:
        key = (row.dataset, SETTINGS.index(row.setting), row.method, row.repeat > 1)
        groups.setdefault(key, []).append(row)
        examples.add(row.example)
    return PersonalizedCoverage(
        n_rows=n_rows,
        n_examples=len(examples),
        groups=tuple(
            PersonalizedGroup(
                dataset=dataset,
                setting=SETTINGS[setting],
                method=method,
                is_repeat=is_repeat,
                n_rows=len(rows),
                n_examples=len({row.example for row in rows}),
                n_with_gold=sum(row.gold is not None for row in rows),
            )
            for (dataset, setting, method, is_repeat), rows in sorted(groups.items())
        ),
    )


def _digest(text: str) -> Digest:
    # Half a character is refused elsewhere, with its place; here it must not raise.
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _without_blanks(text: str) -> str:
    return "".join(text.split())


def _cut(text: str) -> str:
    return text[: QUOTED_CHARACTERS + 1]
