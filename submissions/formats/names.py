"""Names of a submission: those a file states, those a form gives, and what a name may look like."""

from __future__ import annotations

import re
import unicodedata

from submissions.findings import Findings
from submissions.reading.limits import Limits
from submissions.reading.normal_forms import normal_form
from submissions.reading.quoting import described, quoted
from submissions.reading.strict_json import ABSENT, Unreadable

_PLACEHOLDERS = frozenset(
    {
        "your team name",
        "your system name",
        "model identifier",
        "id to distinguish submissions",
        "date of submission",
        "yyyy mm dd",
    }
)
"""Example texts of the official 2024, 2025 and 2026 templates, as `_plain` writes them."""

_PATH_LIKE = re.compile(r"\.\.[/\\]|^[/\\]|^[A-Za-z]:[/\\]")
_MARKUP = re.compile(r"<[^<>]*>|&#?\w{1,31};|!?\[[^\[\]]*\]\(|`|\*\*|(?<!\w)__\w")
_LINE_BREAKS = frozenset("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")


def is_placeholder(name: str) -> bool:
    """Whether a name is an example text of an official template.

    >>> is_placeholder("YOUR TEAM NAME"), is_placeholder("your-system-name"), is_placeholder("Your Team Games")
    (True, True, False)
    """
    return _plain(name) in _PLACEHOLDERS


def read_name(
    field: str,
    stated: object,
    given: str | None,
    path: str,
    findings: Findings,
    limits: Limits,
    *,
    required: bool = False,
) -> str | None:
    """One name: the one the file states, or, where it states none, a blank or a placeholder, the one given with it.

    Args:
        field: What is named, in words: "team", "system", "model", "run", "submissionid", "date".
        stated: The value in the file, or ABSENT.
        given: The form field or command-line flag.
        path: Where the file states it, or would.
        findings: Takes source_missing, source_type, source_placeholder, source_chars, metadata_field,
            identity_conflict and markup_in_source.
        limits: Bounds the length of a name.
        required: Whether a file without this name is refused.

    Returns:
        The name in NFC without outer blanks, or None where there is none to use.
    """
    given = _trimmed(given or "") or None
    if isinstance(stated, Unreadable):
        return None
    if stated is not ABSENT and stated is not None and not isinstance(stated, str):
        _report_type(field, stated, path, findings, required)
        return None if required else _usable(field, given, path, findings, limits)
    name = _trimmed(stated) if isinstance(stated, str) else ""
    if name and not is_placeholder(name):
        if given and given != name:
            _report_conflict(field, name, given, path, findings)
        return _usable(field, name, path, findings, limits)
    if given:
        return _usable(field, given, path, findings, limits)
    if name:
        _report_placeholder(field, name, path, findings)
    elif required:
        _report_missing(field, path, findings)
    return None


def _trimmed(name: str) -> str:
    return normal_form("NFC", name).strip()


def _plain(name: str) -> str:
    """Small letters, with blanks, dashes and underscores alike, without brackets around."""
    return re.sub(r"[\s_-]+", " ", name.casefold()).strip(" <>[]{}\"'")


def _usable(field: str, name: str | None, path: str, findings: Findings, limits: Limits) -> str | None:
    """The name if nothing in it is forbidden; what is only odd is reported and kept."""
    if name is None:
        return None
    if is_placeholder(name):
        _report_placeholder(field, name, path, findings)
        return None
    if fault := _forbidden(name, limits):
        findings.add(
            "source_chars",
            path,
            f"the {_called(field)} {quoted(name)} {fault}",
            f"Use letters, digits, blanks and signs, at most {limits.name_characters} characters on one line.",
        )
        return None
    if _MARKUP.search(name):
        findings.add(
            "markup_in_source",
            path,
            f"the {_called(field)} {quoted(name)} holds HTML or Markdown",
            "It is shown exactly as written, as plain text; write a plain name if that is not what you want.",
        )
    return name


def _forbidden(name: str, limits: Limits) -> str | None:
    if len(name) > limits.name_characters:
        return f"has {len(name)} characters, at most {limits.name_characters} are allowed"
    if _PATH_LIKE.search(name):
        return "looks like the path of a file"
    if not _LINE_BREAKS.isdisjoint(name):
        return "holds a line break"
    # Cc control, Cf bidi and zero-width, Cs half a character: all invisible, so two names could look the same.
    hidden = next((character for character in name if unicodedata.category(character) in ("Cc", "Cf", "Cs")), None)
    return f"holds the invisible character U+{ord(hidden):04X}" if hidden else None


def _called(field: str) -> str:
    """What a field is called in a sentence: keys of a file by themselves, other names as such."""
    return field if field in ("submissionid", "date") else f"{field} name"


def _report_type(field: str, stated: object, path: str, findings: Findings, required: bool) -> None:
    findings.add(
        "source_type" if required else "metadata_field",
        path,
        f"the {_called(field)} is {described(stated)}; expected a text",
        f"Write the {_called(field)} as a text in double quotes.",
    )


def _report_conflict(field: str, name: str, given: str, path: str, findings: Findings) -> None:
    findings.add(
        "identity_conflict",
        path,
        f"the file states the {field} {quoted(name)}, the form {quoted(given)}; the file's is used",
        "Leave the form field as the file has it, or change the file.",
    )


def _report_placeholder(field: str, name: str, path: str, findings: Findings) -> None:
    findings.add(
        "source_placeholder",
        path,
        f"the {_called(field)} is {quoted(name)}, the example text of the template",
        f"Write your own {_called(field)} here, or in the form.",
    )


def _report_missing(field: str, path: str, findings: Findings) -> None:
    findings.add(
        "source_missing",
        path,
        f"there is no {_called(field)}",
        f"Write your {_called(field)} here as a text in double quotes, or give it in the form.",
    )
