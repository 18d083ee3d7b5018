"""What files of 2025 and 2026 state about a run in the same words: who, what, when, and the label of the edition."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from submissions.findings import Findings
from submissions.formats.names import read_name
from submissions.reading.limits import Limits
from submissions.reading.quoting import described, quoted
from submissions.reading.strict_json import ABSENT, JsonPath, Unreadable, is_clean
from submissions.schema import Names

Field = Literal["team", "system", "model", "submissionid", "date"]

_RUN_CHARACTERS = re.compile(r"[\w.-]+")
_NAMED: dict[Field, Literal["team", "system", "model", "run"]] = {
    "team": "team",
    "system": "system",
    "model": "model",
    "submissionid": "run",
}
"""Field of the file -> the name it is."""


@dataclass(frozen=True, slots=True)
class RunHeader:
    """Who sent what, and when."""

    names: Names
    date: str | None


def read_run_header(
    document: dict[str, object],
    place: Callable[[JsonPath], str],
    given: Names,
    wanted: tuple[Field, ...],
    findings: Findings,
    limits: Limits,
) -> RunHeader:
    """Reads team, system, model, submissionid (the run) and date.

    Args:
        document: The object that states them.
        place: A path in it as problems show it.
        given: From the form or flags; they fill what the object leaves open.
        wanted: Fields whose absence is a warning. A file without a team is refused.
        findings: Takes what `read_name` reports, metadata_field and submissionid_chars.
        limits: Bounds the length of a name.
    """
    values: dict[Field, str | None] = {}
    for key in ("team", "system", "model", "submissionid", "date"):
        filling = getattr(given, _NAMED[key]) if key in _NAMED else None
        values[key] = read_name(
            key, document.get(key, ABSENT), filling, place((key,)), findings, limits, required=key == "team"
        )
    missing = [key for key in wanted if key != "team" and values[key] is None and _is_left_open(document, key)]
    if missing:
        report_missing_fields(missing, place((missing[0],)), findings)
    run = values["submissionid"]
    if run and not _RUN_CHARACTERS.fullmatch(run):
        findings.add(
            "submissionid_chars",
            place(("submissionid",)),
            f"the submissionid {quoted(run)} holds other signs than letters, digits, _, dot and -",
            "It is kept as it is; a short name like run-1 is easier to tell apart.",
        )
    names = Names(team=values["team"], system=values["system"], model=values["model"], run=run)
    return RunHeader(names, values["date"])


def report_missing_fields(missing: Sequence[str], path: str, findings: Findings) -> None:
    """Tells once which fields that describe the run are absent or blank."""
    findings.add(
        "metadata_field",
        path,
        f"the file does not state: {', '.join(missing)}",
        "Add what is missing, so that your runs can be told apart; the form fills system, model and submissionid too.",
    )


def check_label(
    document: dict[str, object], label: str, edition: str, place: Callable[[JsonPath], str], findings: Findings
) -> None:
    """Compares the label, which tells the edition; takes label_missing and wrong_edition."""
    stated = document.get("label", ABSENT)
    hint = f'Write "label": "{label}".'
    if stated == label:
        return
    if stated is ABSENT or stated is None or (isinstance(stated, str) and not stated.strip()):
        message = f"there is no label; a file of {edition} has {quoted(label)}"
        findings.add("label_missing", place(("label",)), message, hint)
    elif not isinstance(stated, Unreadable):
        message = f"the label is {described(stated)}; expected {quoted(label)}"
        findings.add("wrong_edition", place(("label",)), message, f"{hint} Files of another edition have its format.")


def read_text(
    document: dict[str, object], key: str, place: Callable[[JsonPath], str], findings: Findings, limits: Limits
) -> str | None:
    """An optional text that describes the run; None where there is none, or none to use (metadata_field)."""
    value = document.get(key)
    if value is None or isinstance(value, Unreadable) or (isinstance(value, str) and not is_clean(value)):
        return None
    if isinstance(value, str) and len(value) <= limits.response_characters:
        return value
    description = described(value) if not isinstance(value, str) else f"a text of {len(value):,} characters"
    findings.add(
        "metadata_field",
        place((key,)),
        f"{key} is {description}; expected a text of at most {limits.response_characters:,} characters; it was ignored",
        "Write it as a text in double quotes, or leave it out.",
    )
    return None


def _is_left_open(document: dict[str, object], key: str) -> bool:
    stated = document.get(key)
    return stated is None or (isinstance(stated, str) and not stated.strip())
