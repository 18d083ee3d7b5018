"""Prompt sets: the official ELOQUENT sets, read from a folder, and the demonstration set shipped here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path

from submissions.own_tasks.task import OwnTask
from submissions.promptsets.cultural import (
    DEMONSTRATION_2026,
    ELOQUENT_2025,
    ELOQUENT_2026,
    eloquent_2025_set,
    eloquent_2026_without_prompts,
    load_official_2026,
)
from submissions.promptsets.demonstrations import DEMONSTRATION_2025, demonstration_2025, demonstration_2026
from submissions.promptsets.download import download_official_2024, download_official_2026
from submissions.promptsets.hidden import NO_HIDDEN_TEXTS, HiddenTexts, hidden, without_texts
from submissions.promptsets.questions import load_registered_questions
from submissions.promptsets.releases import INSTALLED, Release, further_releases, release_of
from submissions.promptsets.set_file import (
    OFFICIAL_2024_FILE,
    DownloadFailed,
    PromptSetError,
    load_demonstration_from,
    load_official_2024,
)
from submissions.promptsets.shape import (
    DEMONSTRATION,
    ELOQUENT_2024,
    ELOQUENT_2024_SHAPE,
    eloquent_2024_without_prompts,
)
from submissions.schema import PromptSet

__all__ = [
    "DEMONSTRATION",
    "DEMONSTRATION_2025",
    "DEMONSTRATION_2026",
    "ELOQUENT_2024",
    "ELOQUENT_2024_SHAPE",
    "ELOQUENT_2025",
    "ELOQUENT_2026",
    "OFFICIAL_2024_FILE",
    "SETS_OF_2025",
    "SETS_OF_2026",
    "DownloadFailed",
    "PromptSetError",
    "PromptSets",
    "demonstration_2025",
    "demonstration_2026",
    "download_official_2024",
    "download_official_2026",
    "eloquent_2024_without_prompts",
    "example_submissions",
    "examples_of_2025",
    "load_demonstration",
    "load_official_2024",
    "load_official_2026",
]


SETS_OF_2025 = (ELOQUENT_2025, DEMONSTRATION_2025)
"""Sets whose runs are several files."""
SETS_OF_2026 = (ELOQUENT_2026, DEMONSTRATION_2026)


@dataclass(frozen=True, slots=True)
class PromptSets:
    """The prompt sets a submission can be checked against."""

    eloquent_2024: PromptSet
    """With its prompts, or the bare shape."""
    demonstration: PromptSet
    eloquent_2025: PromptSet = field(default_factory=eloquent_2025_set)
    """The registered questions; without items where none are, and no run is ranked."""
    eloquent_2026: PromptSet = field(default_factory=eloquent_2026_without_prompts)
    """Only the prompts that are at hand."""
    demonstration_2025: PromptSet = field(default_factory=demonstration_2025)
    demonstration_2026: PromptSet = field(default_factory=demonstration_2026)
    further_2026: tuple[Release, ...] = ()
    """Releases of its prompts beside that one, by which no figure is computed."""
    hidden_texts: HiddenTexts = NO_HIDDEN_TEXTS
    """Every prompt that is not to be in any file or text."""
    own_tasks: tuple[OwnTask, ...] = ()
    """Tasks that organisers installed, without their references."""

    @property
    def releases_2026(self) -> tuple[Release, ...]:
        """Every release at hand, the installed one first."""
        if self.eloquent_2026.is_hidden:
            return ()
        installed = release_of(INSTALLED, self.eloquent_2026)
        return (installed, *self.further_2026) if installed.prompts else self.further_2026

    @property
    def shown(self) -> PromptSets:
        """The same without the texts of hidden sets: what pages, templates and rows of ours are made of."""
        if not self.hidden_texts.prompts:
            return self
        return replace(
            self,
            eloquent_2024=without_texts(self.eloquent_2024),
            eloquent_2025=without_texts(self.eloquent_2025),
            eloquent_2026=without_texts(self.eloquent_2026),
            hidden_texts=NO_HIDDEN_TEXTS,
        )

    @property
    def checking(self) -> PromptSets:
        """Return what files of visitors are checked against: the shown sets, and the hidden prompts to find in a file.

        A check names a prompt that a file repeats by its id. It has no text to quote, and none to measure answers by.
        """
        return replace(self.shown, hidden_texts=self.hidden_texts)

    def with_hidden(self, folders: Mapping[str, Path]) -> PromptSets:
        """The same with hidden prompts in the place of those of some sets.

        Args:
            folders: Set -> folder of its hidden prompts.

        Raises:
            PromptSetError: naming the file, when a folder has none of the set or they cannot be read.
        """
        made: dict[str, PromptSet] = {}
        for set_id, folder in folders.items():
            loaded = PromptSets.load(folder).by_id(set_id)
            if not loaded.has_prompts:
                raise PromptSetError(f"{folder}: no prompts of {set_id} are there, and its season hides them")
            made[set_id] = hidden(loaded)
        return replace(
            self,
            eloquent_2024=made.get(ELOQUENT_2024, self.eloquent_2024),
            eloquent_2025=made.get(ELOQUENT_2025, self.eloquent_2025),
            eloquent_2026=made.get(ELOQUENT_2026, self.eloquent_2026),
            further_2026=() if ELOQUENT_2026 in made else self.further_2026,
            hidden_texts=HiddenTexts.of(list(made.values())),
        )

    def by_id(self, set_id: str) -> PromptSet:
        """The set of that id.

        Raises:
            KeyError: for an id no set has.
        """
        return {prompt_set.set_id: prompt_set for prompt_set in self.every}[set_id]

    @property
    def every(self) -> tuple[PromptSet, ...]:
        """Every set, ours after those of the editions."""
        official = (self.eloquent_2024, self.eloquent_2025, self.eloquent_2026)
        return (*official, self.demonstration, self.demonstration_2025, self.demonstration_2026)

    @classmethod
    def load(cls, eloquent_dir: Path | None) -> PromptSets:
        """All sets; an official one is the bare shape where no folder is named or the folder has no file of it.

        Raises:
            PromptSetError: when the folder does not exist or a file in it cannot be used.
        """
        return cls(
            eloquent_2024=_eloquent_2024(eloquent_dir),
            demonstration=load_demonstration(),
            eloquent_2025=load_registered_questions(eloquent_dir),
            eloquent_2026=load_official_2026(eloquent_dir) if eloquent_dir else eloquent_2026_without_prompts(),
            further_2026=further_releases(eloquent_dir),
        )


def load_demonstration() -> PromptSet:
    """The demonstration set shipped with the package: our own wording, ids from "901".

    Raises:
        PromptSetError: when the packaged file is missing or broken.
    """
    with resources.as_file(resources.files(__name__) / "demonstration.json") as path:
        return load_demonstration_from(path)


def example_submissions() -> Iterator[tuple[str, bytes]]:
    """File name and bytes of each submission shipped as an example for the demonstration set, by name."""
    folder = resources.files(__name__) / "examples"
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.name.endswith(".json"):
            yield entry.name, entry.read_bytes()


def examples_of_2025() -> Iterator[tuple[str, bytes]]:
    """File name and bytes of each file of our example of 2025: one run, written by us to show the scale.

    Its questions are ours, with ids from 901, so that nobody takes them for the official ones.
    """
    folder = resources.files(__name__) / "examples" / "2025"
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        yield entry.name, entry.read_bytes()


def _eloquent_2024(folder: Path | None) -> PromptSet:
    if folder is None:
        return eloquent_2024_without_prompts()
    if not folder.is_dir():
        raise PromptSetError(f"{folder}: no such folder; PLUMBLINE_ELOQUENT_DIR names it, expected the official files")
    if not (folder / OFFICIAL_2024_FILE).exists():
        return eloquent_2024_without_prompts()
    return load_official_2024(folder)
