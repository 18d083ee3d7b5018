"""The shape of the sets of 2025 and 2026, and the official prompts of 2026 where they are at hand.

The texts of 2026 are CC BY-NC-SA 4.0 and never part of this repository. They changed after their release, repeat under
several ids and may be there in part: what a submission must answer is told by the shape alone.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, get_args

from submissions.promptsets.set_file import PromptSetError
from submissions.schema import Item, PromptSet, Variant

ELOQUENT_2025 = "eloquent-2025"
ELOQUENT_2026 = "eloquent-2026"
DEMONSTRATION_2026 = "demonstration-2026"

CulturalKind = Literal["unspecific", "specific"]

CULTURAL_KINDS: tuple[CulturalKind, ...] = get_args(CulturalKind)

CULTURAL_LANGUAGES = (
    "bn", "ca", "cs", "da", "de", "el", "en", "es", "fi", "fo", "fr", "he", "hi", "it", "kn", "mr", "pl", "ru", "sk",
    "sv", "ta", "te", "tr", "ua",
)  # fmt: skip
"""As the official files are named: Ukrainian is `ua` there."""

BASE_QUESTIONS = 101

_VARIANTS = 36
_LONG_QUESTIONS = frozenset({7, 9, 35, 39, 41, 43, 44})
_LONG_VARIANTS = 108

_DEMONSTRATION_BASES = range(901, 911)
_DEMONSTRATION_VARIANTS = 2

Place = tuple[str, int]
"""Base question and variant, counted from 1; an unspecific prompt is its question's only one."""


@cache
def cultural_places(kind: CulturalKind, set_id: str = ELOQUENT_2026) -> MappingProxyType[str, Place]:
    """Id -> place of every prompt of one kind: 101 unspecific ones, 4,140 specific ones; 10 and 20 of our own set.

    >>> cultural_places("unspecific")["7"], cultural_places("specific")["7-108"]
    (('7', 1), ('7', 108))
    >>> len(cultural_places("unspecific")), len(cultural_places("specific"))
    (101, 4140)
    >>> list(cultural_places("specific", "demonstration-2026"))[:3]
    ['901-1', '901-2', '902-1']
    """
    questions = _DEMONSTRATION_BASES if set_id == DEMONSTRATION_2026 else range(1, BASE_QUESTIONS + 1)
    if kind == "unspecific":
        return MappingProxyType({str(question): (str(question), 1) for question in questions})
    return MappingProxyType(
        {
            f"{question}-{variant}": (str(question), variant)
            for question in questions
            for variant in range(1, _variants(question) + 1)
        }
    )


def _variants(question: int) -> int:
    if question in _DEMONSTRATION_BASES:
        return _DEMONSTRATION_VARIANTS
    return _LONG_VARIANTS if question in _LONG_QUESTIONS else _VARIANTS


def cultural_file_names() -> frozenset[str]:
    """The names of the official files: two for each language."""
    return frozenset(f"{language}_{kind}.jsonl" for language in CULTURAL_LANGUAGES for kind in CULTURAL_KINDS)


def eloquent_2025_set() -> PromptSet:
    """The set of 2025 where no questions are registered: nothing is known of it but its name."""
    return PromptSet(ELOQUENT_2025, "2025", "ELOQUENT 2025", "2025 questions, as each file states them", None, ())


def eloquent_2026_without_prompts() -> PromptSet:
    """The set of 2026 where no prompts are at hand."""
    version = "2026 cultural prompts, shape only: the prompts are not installed"
    return PromptSet(ELOQUENT_2026, "2026", "ELOQUENT 2026", version, None, ())


def load_official_2026(folder: Path) -> PromptSet:
    """The prompts of 2026 in a folder: `xx_unspecific.jsonl` and `xx_specific.jsonl`, in as many rows as there are.

    Returns:
        An item per id, in the order of the shape, with a variant per language; the kind is the item's variation. The
        sha256 is that of the output of `sha256sum` for all files, sorted by name.

    Raises:
        PromptSetError: naming file and line, where a row is not JSON or not of this shape.
    """
    variants: dict[tuple[CulturalKind, str], list[Variant]] = defaultdict(list)
    checksums: dict[str, str] = {}
    for kind in CULTURAL_KINDS:
        for language in CULTURAL_LANGUAGES:
            path = folder / f"{language}_{kind}.jsonl"
            if path.exists():
                data = _bytes_of(path)
                checksums[path.name] = hashlib.sha256(data).hexdigest()
                for item_id, prompt in _rows(data, path, kind):
                    variants[kind, item_id].append(Variant(cultural_places(kind)[item_id][1], language, prompt))
    if not variants:
        return eloquent_2026_without_prompts()
    items = [
        Item(item_id, kind, tuple(variants[kind, item_id]))
        for kind in CULTURAL_KINDS
        for item_id in cultural_places(kind)
        if (kind, item_id) in variants
    ]
    rows = sum(len(item.variants) for item in items)
    listed = "".join(
        f"{sha256}  {name}\n" for name, sha256 in sorted(checksums.items(), key=lambda checksum: checksum[0])
    )
    digest = hashlib.sha256(listed.encode("ascii")).hexdigest()
    languages = sorted({name.partition("_")[0] for name in checksums})
    return PromptSet(
        set_id=ELOQUENT_2026,
        edition="2026",
        title="ELOQUENT 2026",
        version=f"2026 cultural prompts, {rows:,} rows of {len(checksums)} files in {', '.join(languages)}; "
        f"sha256 {digest} of what sha256sum prints for them",
        sha256=digest,
        items=tuple(items),
    )


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise PromptSetError(f"{path}: cannot be read ({error.strerror}); expected prompts of 2026") from error


def _rows(data: bytes, path: Path, kind: CulturalKind) -> list[tuple[str, str]]:
    """Id and prompt of each row."""
    rows: dict[str, str] = {}
    for number, line in enumerate(data.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row: Any = json.loads(line.decode("utf-8"))
            item_id, prompt = str(row["id"]), row["prompt"]
        except (ValueError, KeyError, TypeError) as error:
            raise PromptSetError(f"{path}:{number}: not a row with id and prompt ({error}); fetch it again") from error
        if item_id not in cultural_places(kind) or item_id in rows or not isinstance(prompt, str):
            raise PromptSetError(f"{path}:{number}: id {item_id!r} is unknown, stands twice or has no text as prompt")
        rows[item_id] = prompt
    return list(rows.items())
