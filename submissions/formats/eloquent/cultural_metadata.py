"""`submission_metadata.json` of a 2026 zip: who sent what, in which languages, and how the prompts were modified."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Final

from submissions.findings import Findings
from submissions.formats.eloquent.run_header import (
    Field,
    RunHeader,
    check_label,
    read_run_header,
    read_text,
    report_missing_fields,
)
from submissions.formats.eloquent.stated_slots import comparable_language
from submissions.formats.eloquent.wording import VALUE_FAULTS
from submissions.promptsets.cultural import CULTURAL_LANGUAGES
from submissions.reading.limits import Limits
from submissions.reading.quoting import described, quoted
from submissions.reading.strict_json import ABSENT, Absent, JsonPath, Unreadable, path_text, read_json, value_faults
from submissions.schema import Names

METADATA_FILE: Final = "submission_metadata.json"
LABEL_2026: Final = "eloquent-2026-cultural"

MAX_NEW_TOKENS = 200
"""What the task page allows."""

_KEYS = frozenset({"team", "system", "model", "submissionid", "date", "label", "languages", "modifications", "notes"})
_NAMED: tuple[Field, ...] = ("team", "system", "model", "submissionid")
_WANTED: tuple[Field, ...] = (*_NAMED, "date")
_TEXTS = ("system_prompt", "prompt_prefix_english", "prompt_suffix_english", "notes")
_MODIFICATION_KEYS = frozenset({*_TEXTS, "generation_params"})
_ALIASES = {"uk": "ua"}


@dataclass(frozen=True, slots=True)
class CulturalMetadata:
    """What the file says; as far as it could be read."""

    header: RunHeader
    languages: tuple[str, ...]
    """Listed, in official codes."""
    places: dict[str, str]
    """Language -> where it is listed."""
    notes: str | None
    modifications: tuple[tuple[str, str], ...]
    is_complete: bool


def no_metadata(given: Names) -> CulturalMetadata:
    """What is known of a zip without metadata that can be read."""
    return CulturalMetadata(RunHeader(given, None), (), {}, None, (), is_complete=False)


def given_metadata(given: Names, findings: Findings, limits: Limits) -> CulturalMetadata:
    """What is known of a zip without metadata: the names that came with it, which must be such as a file may state.

    Args:
        given: From the form or flags.
        findings: Takes what `read_run_header` reports of them.
        limits: Bounds the names.
    """
    if not (given.team or "").strip():
        return no_metadata(given)
    header = read_run_header({}, metadata_place, given, _NAMED, findings, limits)
    return CulturalMetadata(header, (), {}, None, (), is_complete=header.names.team is not None)


def cultural_language(stated: str) -> str | None:
    """The official code of a language, however it is written; None where it is none of the 24.

    >>> cultural_language("UK"), cultural_language("eng"), cultural_language("nl")
    ('ua', 'en', None)
    """
    code = comparable_language(stated[:20])
    code = _ALIASES.get(code, code)
    return code if code in CULTURAL_LANGUAGES else None


def metadata_place(path: JsonPath) -> str:
    """A path in the metadata as problems show it.

    >>> metadata_place(("languages", 0))
    'submission_metadata.json:$.languages[0]'
    """
    return f"{METADATA_FILE}:{path_text(path)}"


def read_metadata(data: bytes, given: Names, findings: Findings, limits: Limits) -> CulturalMetadata:
    """Reads the metadata; everything found is told at its place in it.

    Args:
        data: The entry's bytes.
        given: From the form or flags; they fill what the file leaves open.
        findings: Takes the faults of a JSON text, of names and label, metadata_field, language_code, language_alias,
            max_new_tokens and extra_key.
        limits: Bounds the file and its texts.
    """
    text = read_json(data, METADATA_FILE, replace(limits, json_bytes=limits.metadata_bytes))
    for problem in text.findings.problems:
        place = METADATA_FILE if problem.path == "$" else problem.path
        findings.add(problem.code, place, problem.message, problem.hint)
    if isinstance(text.value, Absent):
        return no_metadata(given)
    if not isinstance(text.value, dict):
        findings.add(
            "wrong_root",
            metadata_place(()),
            f"the metadata are {described(text.value)}; they start with {{...}}",
            f'Write {{"team": ..., "system": ..., "label": "{LABEL_2026}", ...}}; the template has the form.',
        )
        return no_metadata(given)
    return _Metadata(text.value, findings, limits).read(given, is_text_sound=not text.findings.has_error)


@dataclass(slots=True)
class _Metadata:
    """State of one reading."""

    document: dict[str, object]
    findings: Findings
    limits: Limits

    def read(self, given: Names, *, is_text_sound: bool) -> CulturalMetadata:
        document = self.document
        faults = list(value_faults(document))
        for fault in faults:
            message, hint = VALUE_FAULTS[fault.code]
            self.findings.add(fault.code, metadata_place(fault.path), message.format(found=fault.found), hint)
        self._note_extra_keys(document, _KEYS, ())
        header = read_run_header(document, metadata_place, given, _WANTED, self.findings, self.limits)
        check_label(document, LABEL_2026, "2026", metadata_place, self.findings)
        places = self._languages(document.get("languages", ABSENT))
        notes = read_text(document, "notes", metadata_place, self.findings, self.limits)
        return CulturalMetadata(
            header=header,
            languages=tuple(places),
            places=places,
            notes=notes,
            modifications=self._modifications(document.get("modifications", ABSENT)),
            is_complete=is_text_sound and not faults,
        )

    def _note_extra_keys(self, members: dict[str, object], known: frozenset[str], path: JsonPath) -> None:
        for key in members:
            if key not in known:
                self.findings.add(
                    "extra_key",
                    metadata_place((*path, key)),
                    f"the key {quoted(key)} is not part of the format and was ignored",
                    "Remove it, or check its spelling if it should mean something.",
                )

    def _languages(self, listed: object) -> dict[str, str]:
        """Official code -> where it is listed; what is no language is told."""
        path: JsonPath = ("languages",)
        if listed is ABSENT or listed is None or listed == []:
            report_missing_fields(["languages"], metadata_place(path), self.findings)
            return {}
        if not isinstance(listed, list):
            self._report_field("languages", listed, "a list of language codes")
            return {}
        places: dict[str, str] = {}
        for index, stated in enumerate(listed):
            if not isinstance(stated, str):
                self._report_language((*path, index), stated)
                continue
            code = cultural_language(stated)
            if code is None:
                self._report_language((*path, index), stated)
                continue
            if code != stated:
                self.findings.add(
                    "language_alias",
                    metadata_place((*path, index)),
                    f"the language {quoted(stated, 20)} is read as {code}",
                    f'Write the official code in small letters, "{code}".',
                    language=code,
                )
            places.setdefault(code, metadata_place((*path, index)))
        return places

    def _report_language(self, path: JsonPath, stated: object) -> None:
        self.findings.add(
            "language_code",
            metadata_place(path),
            f"there is no language {quoted(stated, 20) if isinstance(stated, str) else described(stated)} in 2026",
            f"The languages are {', '.join(CULTURAL_LANGUAGES)}.",
        )

    def _report_field(self, key: str, value: object, expected: str, path: JsonPath | None = None) -> None:
        if isinstance(value, Unreadable):
            return
        self.findings.add(
            "metadata_field",
            metadata_place(path or (key,)),
            f"{key} is {described(value)}; expected {expected}; it was ignored",
            "The template has the form.",
        )

    def _modifications(self, stated: object) -> tuple[tuple[str, str], ...]:
        """What was changed about the prompts and the decoding, as pairs of a name and a text."""
        path: JsonPath = ("modifications",)
        if stated is ABSENT or stated is None:
            report_missing_fields(["modifications"], metadata_place(path), self.findings)
            return ()
        if not isinstance(stated, dict):
            self._report_field("modifications", stated, "an object")
            return ()
        self._note_extra_keys(stated, _MODIFICATION_KEYS, path)

        def place(inner: JsonPath) -> str:
            return metadata_place((*path, *inner))

        texts = {key: read_text(stated, key, place, self.findings, self.limits) for key in _TEXTS}
        pairs = [(key, text) for key, text in texts.items() if text]
        parameters = stated.get("generation_params")
        if isinstance(parameters, dict):
            self._check_length(parameters)
            written = json.dumps(
                parameters, ensure_ascii=False, sort_keys=True, default=lambda unreadable: unreadable.literal
            )
            pairs.append(("generation_params", written))
        elif parameters is not None:
            self._report_field("generation_params", parameters, "an object", (*path, "generation_params"))
        return tuple(pairs)

    def _check_length(self, parameters: dict[str, object]) -> None:
        stated = parameters.get("max_new_tokens")
        if isinstance(stated, (int, float)) and not isinstance(stated, bool) and stated > MAX_NEW_TOKENS:
            self.findings.add(
                "max_new_tokens",
                metadata_place(("modifications", "generation_params", "max_new_tokens")),
                f"answers may have {stated} new tokens; the edition asks for {MAX_NEW_TOKENS} at most",
                f"Generate with at most {MAX_NEW_TOKENS} new tokens, to be comparable with other runs.",
            )
