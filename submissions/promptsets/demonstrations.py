"""The demonstration sets of 2025 and 2026: our own questions, so that a run can be ranked where the edition's are not.

Theirs are other ids (from 901 on) and other sets than the official ones: neither ranks what answers the other.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from importlib import resources

from submissions.promptsets.cultural import CULTURAL_KINDS, DEMONSTRATION_2026, cultural_places
from submissions.promptsets.questions import question_set
from submissions.schema import Item, PromptSet, Variant

DEMONSTRATION_2025 = "demonstration-2025"


@cache
def demonstration_2025() -> PromptSet:
    """Twenty everyday questions in five languages, with ids from 901."""
    return question_set(
        _by_language("demonstration_2025.json"),
        set_id=DEMONSTRATION_2025,
        title="Demonstration 2025",
        words="written for this project: {} questions in {}",
    )


@cache
def demonstration_2026() -> PromptSet:
    """Ten base questions in five languages, open and about two cultures, with ids from 901."""
    prompts = _by_language("demonstration_2026.json")
    sha256 = hashlib.sha256(json.dumps(prompts, ensure_ascii=False, sort_keys=True).encode("utf-8")).hexdigest()
    return PromptSet(
        set_id=DEMONSTRATION_2026,
        edition="2026",
        title="Demonstration 2026",
        version=f"written for this project: prompts in {', '.join(sorted(prompts))}; sha256 {sha256}",
        sha256=sha256,
        items=tuple(
            Item(
                item_id,
                kind,
                tuple(Variant(variant, language, of_language[item_id]) for language, of_language in prompts.items()),
            )
            for kind in CULTURAL_KINDS
            for item_id, (_, variant) in cultural_places(kind, DEMONSTRATION_2026).items()
        ),
    )


def _by_language(file_name: str) -> dict[str, dict[str, str]]:
    """Language -> id -> prompt."""
    text = resources.files(__package__).joinpath(file_name).read_text(encoding="utf-8")
    prompts: dict[str, dict[str, str]] = json.loads(text)
    return prompts
