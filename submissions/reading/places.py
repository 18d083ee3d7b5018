"""Where something stands in a file of personalized answers, and faults that say so."""

from __future__ import annotations

from dataclasses import dataclass

from submissions.findings import Findings
from submissions.reading.quoting import printable, quoted
from submissions.reading.strict_json import JsonPath, path_text, value_faults

FAULTY_VALUES = {
    "duplicate_key": ("the key {} stands twice, so one of its values would be lost", "Keep one of them."),
    "json_nan": ("{} is no number JSON knows", "Write a number or null."),
    "lone_surrogate": ("the text holds {}, half a character", "Cut texts between characters, not inside of one."),
    "control_char": ("the text holds the control character {}", "Remove it; tab, line feed and CR are fine."),
}


@dataclass(frozen=True, slots=True)
class Places:
    """How places of one file are written: JSON paths, or `NAME:LINE` in JSON Lines."""

    lines_of: str | None = None
    """Base name of a file in JSON Lines; None for a file that is one JSON object."""
    envelope_line: int = 1
    """Where its envelope stands: the first line that is not blank."""
    listed: str = "rows"
    """The key of the list that holds the rows."""

    def envelope(self, *steps: str | int) -> str:
        """The place of a field that holds for the whole file."""
        return f"{self.lines_of}:{self.envelope_line}" if self.lines_of is not None else _inner(steps) or "$"

    def row(self, number: int, steps: JsonPath = ()) -> str:
        """The place of a row or of something in it; rows of a JSON file count from 0, lines from 1.

        >>> Places().row(12, ("gold",)), Places("answers.jsonl").row(13, ("gold",))
        ('rows[12].gold', 'answers.jsonl:13')
        """
        if self.lines_of is not None:
            return f"{self.lines_of}:{number}"
        return f"{self.listed}[{number}]{path_text(steps)[1:]}"

    def words(self, number: int, steps: JsonPath, example_id: str | None) -> str:
        """How a message begins.

        >>> Places().words(12, ("gold",), "d1"), Places("answers.jsonl").words(13, ("gold",), "d1")
        ('rows[12].gold (d1)', 'answers.jsonl:13 gold (d1)')
        """
        field = f" {_inner(steps)}" if self.lines_of is not None and steps else ""
        return self.row(number, steps) + field + (f" ({printable(example_id)})" if example_id else "")


class RowFaults:
    """Errors of rows, each with its place and example; all are counted, and only those that are listed are worded."""

    def __init__(self, places: Places, findings: Findings) -> None:
        self.places = places
        self.findings = findings
        self.count = 0

    def add(self, code: str, number: int, example_id: str | None, steps: JsonPath, what: str, hint: str) -> None:
        """Adds one error: `what` says what was found and what is accepted."""
        self.count += 1
        if self.findings.is_full(code):
            self.findings.count(code)
            return
        item = printable(example_id, 200) if example_id else None
        message = f"{self.places.words(number, steps, example_id)}: {what}"
        within = path_text(steps) if self.places.lines_of is not None and steps else None
        self.findings.add(code, self.places.row(number, steps), message, hint, item=item, within=within)

    def add_values(self, number: int, example_id: str | None, row: object) -> None:
        """Adds what stands against single values wherever they stand in a row."""
        for fault in value_faults(row):
            what, hint = FAULTY_VALUES[fault.code]
            self.add(fault.code, number, example_id, fault.path, what.format(quoted(fault.found)), hint)


def report_value_faults(value: object, places: Places, field: str, findings: Findings) -> None:
    """What stands against single values of the envelope."""
    for fault in value_faults(value):
        what, hint = FAULTY_VALUES[fault.code]
        steps = (field, *fault.path)
        message = f"{_inner(steps)}: {what.format(quoted(fault.found))}"
        findings.add(fault.code, places.envelope(*steps), message, hint)


def _inner(steps: JsonPath) -> str:
    """A path without its root: `gold`, `options[1]`."""
    return path_text(steps)[1:].removeprefix(".")
