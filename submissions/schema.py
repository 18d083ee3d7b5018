"""Prompt sets and submissions in one neutral shape, independent of any year's file format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from submissions.verdicts.parsing import VerdictFormat
from submissions.verdicts.swap_outcomes import Options

Edition = Literal["2024", "2025", "2026"]
Kind = Literal["variant", "question", "unspecific", "specific"]
"""What one response answers: a variant (2024), a question (2025), a cultural prompt (2026)."""

Flag = Literal[
    "constant",
    "echo",
    "error_text",
    "control_tokens",
    "verdict_text",
    "wrong_language",
    "placeholder",
    "off_topic",
    "no_answer",
]
"""Marks a guard puts on one response; the evaluator sets `off_topic` and `no_answer`, the checks the others."""

GATING_FLAGS: frozenset[Flag] = frozenset({"constant", "off_topic", "echo", "error_text", "verdict_text", "no_answer"})
"""A pair with one of these on either side is not consistent (docs/metrics.md#guards)."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One wording of an item's question, in one language and style."""

    number: int
    """Position among the item's variants, counted from 1 over all languages."""
    language: str
    prompt: str | None
    """None where only the shape of the set is at hand, not its texts."""


@dataclass(frozen=True, slots=True)
class Item:
    """One question of a prompt set with all its variants in test-set order."""

    id: str
    variation: str
    """What differs between the variants: vocabulary, formality, ..."""
    variants: tuple[Variant, ...]

    def languages(self) -> tuple[str, ...]:
        """Languages of the variants, in order of first appearance."""
        return tuple(dict.fromkeys(variant.language for variant in self.variants))


@dataclass(frozen=True, slots=True)
class PromptSet:
    """A versioned list of items. `has_prompts` is False when only the shape is known."""

    set_id: str
    """`eloquent-2024`, `eloquent-2025`, `eloquent-2026` or `demonstration`."""
    edition: Edition
    title: str
    version: str
    """Published version and repairs made, in words."""
    sha256: str | None
    """Of the text as used (after repair); None for a bare shape."""
    items: tuple[Item, ...]
    is_hidden: bool = False
    """Its prompts are used and never shown (`submissions.promptsets.hidden`)."""

    @property
    def has_prompts(self) -> bool:
        return bool(self.items) and all(variant.prompt is not None for item in self.items for variant in item.variants)

    def item(self, item_id: str) -> Item | None:
        """The item of that id, or None."""
        return next((item for item in self.items if item.id == item_id), None)


@dataclass(frozen=True, slots=True)
class Response:
    """One system's answer to one prompt."""

    item_id: str
    base_id: str
    """The item id without its variant: "7" for the 2026 id "7-3"; the item id itself in 2024 and 2025."""
    kind: Kind
    variant: int
    """Counted from 1."""
    language: str
    prompt: str | None
    """The prompt as the file says it was sent; None where the file does not say."""
    turns: tuple[tuple[str, str], ...]
    """(question, answer) pairs; a 2024 response is one turn with an empty question."""
    response: str
    """The last non-empty answer; blank = skipped (allowed, not judged)."""
    flags: frozenset[Flag] = frozenset()

    @property
    def is_blank(self) -> bool:
        return not self.response.strip()


@dataclass(frozen=True, slots=True)
class ResponseSet:
    """The answers to one item, in test-set order."""

    item_id: str
    responses: tuple[Response, ...]


@dataclass(frozen=True, slots=True)
class Names:
    """Who and what a submission is; a stated value in the file wins over a flag or form field."""

    team: str | None = None
    system: str | None = None
    model: str | None = None
    run: str | None = None


@dataclass(frozen=True, slots=True)
class VerdictChoices:
    """How a table of judge verdicts is to be read, as form or flags say; a value stated in the file wins."""

    options: Options | None = None
    """What the judges could answer: A or B (2), or also C (3)."""
    reference_model: str | None = None
    """The first candidate of every pair."""
    verdict_format: VerdictFormat | None = None
    """How `raw_text` states a verdict; None = brackets."""

    def as_json(self) -> dict[str, Any]:
        """What was chosen, for store and archive; {} for nothing."""
        return {name: value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True, slots=True)
class Submission:
    """One run of one system of one team, read from one file."""

    edition: Edition
    set_id: str
    names: Names
    date: str | None
    notes: str | None
    modifications: tuple[tuple[str, str], ...]
    file_sha256: str
    """Of the bytes as uploaded."""
    items: tuple[ResponseSet, ...]

    def responses(self) -> Iterator[Response]:
        """Every response, in file order of the prompt set."""
        for item in self.items:
            yield from item.responses


@dataclass(frozen=True, slots=True)
class Count:
    """How many responses were expected (None: unknown) and how many are not blank."""

    expected: int | None
    answered: int

    @property
    def share(self) -> float | None:
        return None if not self.expected else self.answered / self.expected


@dataclass(frozen=True, slots=True)
class Coverage:
    """What of a prompt set a submission answers, and which views may rank it."""

    total: Count
    by_language: dict[str, Count] = field(default_factory=dict)
    by_item_language: dict[tuple[str, str], Count] = field(default_factory=dict)
    """Cells of the item x language grid the desk shows."""
    rankable: dict[str, bool | None] = field(default_factory=dict)
    """View -> may it be ranked, as far as coverage goes (docs/metrics.md#coverage); None: one file cannot tell."""
    by_kind: dict[str, Count] = field(default_factory=dict)
    """Unspecific and specific prompts (2026 only)."""
