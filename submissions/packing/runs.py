"""A run as it is planned: what it answers, whose it is, and what was done to its files."""

from __future__ import annotations

from dataclasses import dataclass, field

from submissions.schema import Edition, Kind, Names

Slot = tuple[str, Kind]
"""Language and kind of answers that stand together in a submission."""

NAME_FIELDS = ("team", "system", "model", "run")


@dataclass(frozen=True, slots=True)
class Row:
    """What is answered to one prompt; every text as the file has it."""

    key: str
    """Of the prompt: "7" or "7-3" in 2026, "12" in 2025, in 2024 item and variant: "001-3"."""
    kind: Kind
    language: str
    turns: tuple[tuple[str | None, str], ...]
    """What was asked, as far as the file says, and the answer: one turn, in 2025 one or more."""
    place: str
    """Where in the file: the number of its line, or a JSON path."""
    beside: tuple[tuple[str, str], ...] = ()
    """As `Said.beside`."""

    @property
    def prompt(self) -> str | None:
        """Of the first turn."""
        return self.turns[0][0]

    @property
    def answer(self) -> str:
        """Of the last turn."""
        return self.turns[-1][1]

    @property
    def answers(self) -> tuple[str, ...]:
        """Of every turn."""
        return tuple(answer for _, answer in self.turns)


Rows = dict[Slot, dict[str, Row]]
"""Language and kind -> key -> answer."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """One thing that is otherwise than in the team's files, for the log."""

    place: str
    what: str


@dataclass(slots=True)
class PlannedRun:
    """One run: what it answers, whose it is, and what was done to its files."""

    label: str
    """What tells it from the others; blank where there is only one."""
    edition: Edition = "2026"
    names: Names = Names()
    """As far as they are known."""
    metadata: dict[str, object] = field(default_factory=dict)
    """What its files state around the answers; {} where they state nothing."""
    rows: Rows = field(default_factory=dict)
    places: dict[Slot, list[str]] = field(default_factory=dict)
    changes: list[FileChange] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    """Why it cannot be written."""

    @property
    def languages(self) -> tuple[str, ...]:
        """By their code."""
        return tuple(sorted({language for language, _ in self.rows}))

    @property
    def files(self) -> tuple[str, ...]:
        """The places of the files it is made of."""
        return tuple(sorted({place for places in self.places.values() for place in places}))

    def n_answers(self, kind: Kind) -> int:
        return sum(len(rows) for (_, of_kind), rows in self.rows.items() if of_kind == kind)
