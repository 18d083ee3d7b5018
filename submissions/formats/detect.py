"""What a file is: its kind and edition, told from its content and never from its name.

FORMATS is the tuple a new edition or kind is added to: a module with its reader, and one line here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from submissions.findings import Findings
from submissions.formats.behavior_alignment.submission import KIND as CRS_KIND
from submissions.formats.eloquent.cultural_metadata import LABEL_2026
from submissions.formats.eloquent.edition_2024 import ROOT_KEY, TEST_SET_KEY, read_2024
from submissions.formats.eloquent.edition_2025 import LABEL_2025, read_2025
from submissions.formats.eloquent.edition_2026 import names_2026_files
from submissions.formats.judge_verdicts.submission import KIND as VERDICTS_KIND
from submissions.formats.personalization.submission import KIND as PERSONALIZED_KIND
from submissions.formats.personalized_evaluation.submission import PERSE_KINDS
from submissions.formats.result import Reading
from submissions.promptsets import PromptSets
from submissions.reading.limits import Limits
from submissions.reading.quoting import described, keys_shown, quoted
from submissions.schema import Edition, Names

KINDS_READ = (VERDICTS_KIND, PERSONALIZED_KIND, CRS_KIND, *PERSE_KINDS)
"""Kinds other than ELOQUENT's that have a reader."""


class Reader(Protocol):
    """Reads a document of one format into a submission."""

    def __call__(
        self, document: dict[str, object], *, file_sha256: str, names: Names, prompt_sets: PromptSets, limits: Limits
    ) -> Reading: ...


@dataclass(frozen=True, slots=True)
class Format:
    """One edition of the robustness task as a JSON object (that of 2026 is a zip)."""

    edition: Edition
    title: str
    recognises: Callable[[dict[str, object]], bool]
    read: Reader


@dataclass(frozen=True, slots=True)
class Detected:
    """What a file turned out to be; `format` only where it is an edition that can be read on."""

    kind: str | None = None
    edition: Edition | None = None
    format: Format | None = None


def _is_2024(document: dict[str, object]) -> bool:
    return ROOT_KEY in document


def _is_2025(document: dict[str, object]) -> bool:
    return "questions" in document or document.get("label") == LABEL_2025


FORMATS: tuple[Format, ...] = (
    Format("2024", "a 2024 submission", _is_2024, read_2024),
    Format("2025", "a 2025 submission", _is_2025, read_2025),
)
"""Asked in this order; the first that recognises a document has it."""


def detect(document: object, asked: str, findings: Findings) -> Detected:
    """Finds the format of a JSON document.

    Args:
        document: The value from `read_json`.
        asked: The edition the file is said to be of, or "auto".
        findings: Takes wrong_root, is_test_set, wrong_edition, wrong_kind and not_zip.

    Returns:
        The kind and edition found, with a format if it may be read on.
    """
    if not isinstance(document, dict):
        _report_no_object(document, findings)
        return Detected()
    for known in FORMATS:
        if known.recognises(document):
            return _recognised(known, asked, findings)
    if TEST_SET_KEY in document:
        _report_test_set(findings)
        return Detected("eloquent", "2024")
    if _is_2026_row(document):
        return _single_2026_file(asked, findings)
    if isinstance(document.get("kind"), str):
        return _other_kind(str(document["kind"]), findings)
    if document.keys() >= _PERSONALIZED_ROW:
        return _bare_personalized_row(findings)
    _report_wrong_root(document, findings)
    return Detected()


def detect_zip(data: bytes, asked: str, findings: Findings) -> Detected:
    """Finds out what a zip is: the 2026 edition is one, everything else is a text."""
    if asked not in ("2024", "2025") and names_2026_files(data):
        return Detected("eloquent", "2026")
    is_asked = asked in ("2024", "2025")
    findings.add(
        "binary",
        "$",
        f"this is a zip archive; an ELOQUENT {asked if is_asked else '2024'} submission is one JSON text"
        + ("" if is_asked else ", and a 2026 zip holds submission_metadata.json and .jsonl files"),
        "Unpack it and send the JSON file itself.",
    )
    return Detected()


def _recognised(known: Format, asked: str, findings: Findings) -> Detected:
    if asked not in ("auto", known.edition):
        findings.add(
            "wrong_edition",
            "$",
            f"this is {known.title}, but the edition asked for is {asked}",
            f"Choose the edition {known.edition} or let it be detected, or send a file of {asked}.",
        )
        return Detected("eloquent", known.edition)
    return Detected("eloquent", known.edition, known)


def _is_2026_row(document: dict[str, object]) -> bool:
    return ("id" in document and "answer" in document) or document.get("label") == LABEL_2026


def _single_2026_file(asked: str, findings: Findings) -> Detected:
    if asked in ("auto", "2026"):
        findings.add(
            "not_zip",
            "$",
            "this is a single file of the 2026 edition, which is one zip with submission_metadata.json and all .jsonl "
            "files",
            "Pack the files themselves, without a folder around them, into one zip.",
        )
    else:
        findings.add(
            "wrong_edition",
            "$",
            f"this is a single file of the 2026 edition, but the edition asked for is {asked}",
            f"Send a file of {asked}.",
        )
    return Detected("eloquent", "2026")


def _other_kind(kind: str, findings: Findings) -> Detected:
    if kind in KINDS_READ:
        return Detected(kind)
    findings.add(
        "wrong_kind",
        "$.kind",
        f"there is no kind {quoted(kind)}; known are {', '.join(KINDS_READ)}",
        "Correct the kind; a submission to ELOQUENT states none.",
    )
    return Detected()


_PERSONALIZED_ROW = frozenset({"example_id", "setting", "method"})


def _bare_personalized_row(findings: Findings) -> Detected:
    findings.add(
        "wrong_root",
        "$",
        f"this is a row of {PERSONALIZED_KIND}; the object that says so, with team, system, model and run, is missing",
        f'Write {{"kind": "{PERSONALIZED_KIND}", "team": ..., "system": ..., "model": ..., "run": ...}} into a line '
        'before the rows, or put them into its "rows".',
    )
    return Detected(PERSONALIZED_KIND)


def _report_test_set(findings: Findings) -> None:
    findings.add(
        "is_test_set",
        f"$.{TEST_SET_KEY}",
        "this is the test set, not a submission; answers written into it are not read",
        f'Send {{"{ROOT_KEY}": {{"source": ..., "year": "2024", "items": [{{"id": "001", "responses": '
        '[{"response": "..."}]}]}}; the template has the form.',
    )


def _report_no_object(document: object, findings: Findings) -> None:
    message = f"expected an object, found {described(document)}"
    hint = "See the template for the form of a submission."
    if isinstance(document, list) and any(_looks_like_item(entry) for entry in document[:20]):
        message = "this is the bare list of items: the object around it, with the team name, is missing"
        hint = f'Put it into {{"{ROOT_KEY}": {{"source": "your team", "year": "2024", "items": [...]}}}}.'
    findings.add("wrong_root", "$", message, hint)


def _report_wrong_root(document: dict[str, object], findings: Findings) -> None:
    message = f"no known edition: the file is {described(document)}"
    hint = f'A 2024 submission is {{"{ROOT_KEY}": {{"source": ..., "year": "2024", "items": [...]}}}}.'
    if near := _near_root(document):
        message = f"the key {quoted(near)} is close to {quoted(ROOT_KEY)}, but not the same"
        hint = f"Rename it to {quoted(ROOT_KEY)}."
    elif "items" in document:
        message = f'"items" stands at the outermost level (keys found: {keys_shown(list(document))})'
        hint = f'Put the whole object into {{"{ROOT_KEY}": {{...}}}}.'
    elif _looks_like_item(document):
        message = "this is a single item; the object around all items, with the team name, is missing"
    findings.add("wrong_root", "$", message, hint)


def _near_root(document: dict[str, object]) -> str | None:
    """A key that is the root key but for case, signs between the words, or a missing letter at the end."""
    wanted = ROOT_KEY.replace("-", "")
    for key in document:
        letters = "".join(character for character in key[:60].casefold() if character.isalnum())
        if letters and (letters in (wanted, wanted[:-1]) or letters.startswith("eloquentrobustness")):
            return key
    return None


def _looks_like_item(value: object) -> bool:
    return isinstance(value, dict) and "id" in value and "responses" in value
