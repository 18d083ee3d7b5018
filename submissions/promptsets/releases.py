"""Releases of the prompts of 2026: the texts were mended after they came out, and files state those of any of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from submissions.promptsets.cultural import load_official_2026
from submissions.schema import PromptSet

RELEASES_FOLDER = "releases"
"""In the folder of official sets: a folder for each further release, named as it is called."""

INSTALLED = "the installed release"
"""The one whose files lie in the folder itself, by which relevance is measured."""


@dataclass(frozen=True, slots=True)
class Release:
    """One release by its name."""

    name: str
    prompts: dict[tuple[str, str], str]
    """Language and item id -> prompt."""

    def prompt(self, language: str, item_id: str) -> str | None:
        """The prompt of an id, or None where the release lacks it."""
        return self.prompts.get((language, item_id))

    def has(self, language: str) -> bool:
        """Whether it has prompts in a language."""
        return any(known == language for known, _ in self.prompts)


def release_of(name: str, prompt_set: PromptSet) -> Release:
    """A release with the prompts of a set."""
    prompts = {
        (variant.language, item.id): variant.prompt
        for item in prompt_set.items
        for variant in item.variants
        if variant.prompt is not None
    }
    return Release(name, prompts)


def further_releases(folder: Path | None) -> tuple[Release, ...]:
    """The releases beside the installed one, by name.

    Raises:
        PromptSetError: naming file and line, where one cannot be read.
    """
    within = folder / RELEASES_FOLDER if folder else None
    if within is None or not within.is_dir():
        return ()
    named = sorted(path for path in within.iterdir() if path.is_dir())
    return tuple(release_of(path.name, load_official_2026(path)) for path in named)
