"""Reading a test set in the schema of ELOQUENT 2024 (`task3.test.json`), and mending the official one."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from submissions.promptsets.shape import DEMONSTRATION, ELOQUENT_2024, shape_faults
from submissions.schema import Item, PromptSet, Variant

OFFICIAL_2024_FILE = "task3.test.json"

PUBLISHED_SHA256 = "ea89f726be30902e8240057e0649e7bce6028f9437f3b1934a94fe52f9786067"
"""Of the official file of 27 April 2024 as published: not valid JSON."""

REPAIRED_SHA256 = "afe5671f5987a9a1ee0a23b08f48c6ee33a791278f29cb361c1dbe17b557147b"
"""Of the same file with the two missing commas."""

_LINES_WITHOUT_COMMA = (117, 118)
"""Counted from 1; the only repair ever made."""

LANGUAGE_CORRECTIONS = {"sb": "sv"}
"""The official file tags item 007 variant 2, which is Swedish, `sb`."""

_KNOWN_VERSION = "2024 task3.test.json, version of 27 April 2024 with the two missing commas added"


class PromptSetError(Exception):
    """Raised when a prompt set is at hand but cannot be used: not readable, not JSON, of another shape."""


class DownloadFailed(PromptSetError):
    """Raised when a prompt set could not be fetched from the Hub."""


def load_official_2024(folder: Path, file_name: str = OFFICIAL_2024_FILE) -> PromptSet:
    """Reads the official 2024 test set from a folder.

    The file as published on 27 April 2024 gets the two commas it lacks; any other must be valid JSON of the 2024 shape.

    Raises:
        PromptSetError: naming the file, what was found and what was expected.
    """
    path = folder / file_name
    try:
        published = path.read_bytes()
    except OSError as error:
        raise PromptSetError(f"{path}: cannot be read ({error.strerror}); expected the 2024 test set") from error
    text, version = _mended(published)
    prompt_set = _parsed(text, path.name, set_id=ELOQUENT_2024, title="ELOQUENT 2024", version=version)
    if faults := shape_faults(prompt_set):
        raise PromptSetError(
            f"{path}: not the 2024 test set of 27 April (16 items, 103 variants): {'; '.join(faults)}. "
            "Fetch task3.test.json again from the ELOQUENT lab or the Hub dataset Eloquent/Robustness."
        )
    return prompt_set


def load_demonstration_from(path: Path) -> PromptSet:
    """Reads our own set: the 2024 schema, ids from "901".

    Raises:
        PromptSetError: naming the file and what is wrong with it.
    """
    try:
        text = path.read_bytes()
    except OSError as error:
        raise PromptSetError(f"{path}: cannot be read ({error.strerror}); it is part of the package") from error
    version = f"written for this project, sha256 {hashlib.sha256(text).hexdigest()}"
    return _parsed(text, path.name, set_id=DEMONSTRATION, title="Demonstration", version=version)


def _mended(published: bytes) -> tuple[bytes, str]:
    """The text to read and the words that say which version it is."""
    digest = hashlib.sha256(published).hexdigest()
    if digest == PUBLISHED_SHA256:
        lines = published.split(b"\n")
        for number in _LINES_WITHOUT_COMMA:
            lines[number - 1] += b","
        repaired = b"\n".join(lines)
        return repaired, f"{_KNOWN_VERSION}; sha256 {PUBLISHED_SHA256} as published, {REPAIRED_SHA256} as used"
    if digest == REPAIRED_SHA256:
        return published, f"{_KNOWN_VERSION}; sha256 {REPAIRED_SHA256} as found"
    return published, f"2024 task3.test.json in a version unknown to this project; sha256 {digest} as found"


def _parsed(text: bytes, name: str, *, set_id: str, title: str, version: str) -> PromptSet:
    try:
        document: Any = json.loads(text.decode("utf-8"))
        items = tuple(_item(entry) for entry in document["eloquent-robustness-test"]["items"])
    except ValueError as error:
        raise PromptSetError(f"{name}: not valid JSON in UTF-8 ({error}); fetch the file again") from error
    except (KeyError, TypeError, AttributeError) as error:
        raise PromptSetError(
            f"{name}: not a test set of the 2024 schema (at {error}); expected eloquent-robustness-test with items of "
            "id, variation and variants of language and prompt"
        ) from error
    return PromptSet(
        set_id=set_id,
        edition="2024",
        title=title,
        version=version,
        sha256=hashlib.sha256(text).hexdigest(),
        items=items,
    )


def _item(entry: Any) -> Item:
    variants = tuple(
        Variant(number, _text(_corrected(variant["language"])), _text(variant["prompt"]))
        for number, variant in enumerate(entry["variants"], start=1)
    )
    return Item(id=_text(entry["id"]), variation=_text(entry["variation"]), variants=variants)


def _corrected(language: str) -> str:
    return LANGUAGE_CORRECTIONS.get(language, language)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} where a text is due")
    return value
