"""The fields of one object in a file of predicted ratings or choices: each read alone, each fault told at its place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from submissions.findings import Findings, ProblemTally
from submissions.formats.personalized_evaluation.submission import CHOICES, Choice, Scale, choice_of
from submissions.reading.places import RowFaults
from submissions.reading.quoting import described, quoted
from submissions.reading.strict_json import ABSENT, JsonPath, Unreadable

NUMBER = "a number, as JSON writes one"
A_CHOICE = "A or B, also written Plot A or Plot B"


def is_number(value: object) -> bool:
    """Whether a JSON value is a number; true and false are none."""
    return type(value) in (int, float)


@dataclass(frozen=True, slots=True)
class Fields:
    """One object of an item, or the item itself."""

    values: dict[str, object]
    number: int
    """Of the item, counted from 0."""
    item_id: str | None
    steps: JsonPath
    """From the item to this object; () = the item itself."""
    faults: RowFaults
    unknown: ProblemTally

    def value(self, name: str) -> object:
        """What stands there; None where nothing does, as for null."""
        return self.values.get(name)

    def inner(self, name: str, index: int, values: dict[str, object]) -> Fields:
        """An object in a list of this one."""
        return Fields(values, self.number, self.item_id, (*self.steps, name, index), self.faults, self.unknown)

    def refuse(self, code: str, name: str | tuple[str | int, ...], what: str, hint: str) -> None:
        """Adds an error at a field, or at a place inside of it."""
        inside = (name,) if isinstance(name, str) else name
        self.faults.add(code, self.number, self.item_id, (*self.steps, *inside), what, hint)

    def is_told_often(self, code: str) -> bool:
        """Counts one more error of a code that fills a report already, so that it needs no words."""
        if not self.faults.findings.is_full(code):
            return False
        self.faults.count += 1
        self.faults.findings.count(code)
        return True

    def refuse_type(self, name: str, accepted: str) -> None:
        """Adds missing_field: absent, or of the wrong type."""
        value = self.values.get(name, ABSENT)
        if isinstance(value, Unreadable) or self.is_told_often("missing_field"):
            return  # what is unreadable is told as what it is
        shown = "missing" if value is ABSENT else described(value)
        self.refuse("missing_field", name, f"{name} is {shown}; accepted: {accepted}", f"Correct {name}.")

    def text(self, name: str, *, may_be_blank: bool = False) -> str:
        """A text that must be there; blank after a fault."""
        value = self.value(name)
        if isinstance(value, str) and (may_be_blank or value.strip()):
            return value
        self.refuse_type(name, "a text" if may_be_blank else "a text that is not blank")
        return ""

    def optional_text(self, name: str) -> str | None:
        """A text, or nothing."""
        value = self.value(name)
        if value is None or isinstance(value, str):
            return value
        self.refuse_type(name, "a text, null or left out")
        return None

    def optional_mark(self, name: str) -> bool | None:
        """True, false, or not said."""
        value = self.value(name)
        if value is None or isinstance(value, bool):
            return value
        self.refuse_type(name, "true, false, null or left out")
        return None

    def score(self, name: str, scale: Scale | None) -> float:
        """A number that must be there; 0 after a fault."""
        if not is_number(self.value(name)):
            self.refuse_type(name, NUMBER)
            return 0.0
        return self.optional_score(name, scale) or 0.0

    def optional_score(self, name: str, scale: Scale | None) -> float | None:
        """A number on the scale, or nothing; any number where the scale itself could not be read."""
        value = self.value(name)
        if value is None:
            return None
        if not isinstance(value, int | float) or isinstance(value, bool):
            self.refuse_type(name, f"{NUMBER}, null or left out")
            return None
        self.check_range(name, value, scale)
        return float(value)

    def check_range(self, name: str | tuple[str | int, ...], score: float, scale: Scale | None) -> None:
        """Adds score_out_of_range where a number lies beyond the ends of its scale."""
        if scale is None or score in scale:
            return
        what = f"found {described(score)}; accepted: {scale}"
        self.refuse("score_out_of_range", name, what, "Give the score on the scale that the file states.")

    def choice(self, name: str) -> Choice:
        """A choice that must be there; A after a fault."""
        if not isinstance(self.value(name), str):
            self.refuse_type(name, A_CHOICE)
            return CHOICES[0]
        return self.optional_choice(name) or CHOICES[0]

    def optional_choice(self, name: str) -> Choice | None:
        """A choice, or nothing."""
        value = self.value(name)
        if value is None:
            return None
        if not isinstance(value, str):
            self.refuse_type(name, f"{A_CHOICE}; null or left out for no answer")
            return None
        choice = choice_of(value)
        if choice is None:
            what = f"{name} is {described(value)}; accepted: {A_CHOICE}"
            hint = "Name the text that was chosen; leave items without a decided choice out of the file."
            self.refuse("bad_choice", name, what, hint)
        return choice

    def refuse_both(self, code: str, name: str, response: str) -> None:
        """Adds an error where a prediction stands beside the raw text that it would be read from."""
        if self.value(name) is None or self.value(response) is None:
            return
        what = f"both {name} and {response} are given; accepted: one of them, or neither for no answer"
        self.refuse(code, name, what, f"Keep {response} if the site is to read the answer out of it, else {name}.")

    def note_unknown(self, known: Iterable[str], what: str) -> None:
        """Notes fields that this format does not know; each once per file."""
        for name in self.values.keys() - set(known):
            self.unknown.note(
                "unknown_field",
                lambda name=name: self.faults.places.row(self.number, (*self.steps, name)),  # type: ignore[misc]
                group=f"{what} {name}",
                detail=name,
            )


def report_unknown(unknown: ProblemTally, findings: Findings) -> None:
    """One warning for each field name that is not of the format, with the number of its occurrences."""
    for mark in unknown.marks:
        times = f", {mark.count:,} times in all" if mark.count > 1 else ""
        message = f"the field {quoted(mark.detail)} is not one of this format{times}; it is kept, not used"
        findings.add("unknown_field", mark.path, message, "Check its spelling (docs/personalized_evaluation.md).")
