"""Is the number of a row the one its file gives? The manifest of the row against a fresh evaluation."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, ValidationError

from evaluator.results import Figure, Pin, RobustnessResult, SetVersion, View
from submissions.schema import Names

TOLERANCE = 0.005
"""Half of the last digit a board shows."""
JUDGES_OF_THEIR_NAME = ("pair", "embedding", "scripted")
"""Judges whose name in a pin is all one must say to load them."""


class ManifestPart(BaseModel):
    """A part of a manifest; what else it says is not needed here."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class ManifestNames(ManifestPart):
    """What the form said where the file does not."""

    team: str | None
    system: str | None
    model: str | None
    run: str | None

    def as_names(self) -> Names:
        """As the desk takes them."""
        return Names(team=self.team, system=self.system, model=self.model, run=self.run)


class ManifestFile(ManifestPart):
    """The file the number was made from."""

    name: str
    sha256: str


class ManifestHeadline(ManifestPart):
    """The number."""

    view: View
    figure: Figure
    value: float | None


class Manifest(ManifestPart):
    """What the download of a row's manifest says, as far as the number rests on it."""

    file: ManifestFile
    prompt_set: SetVersion
    judge: Pin
    embedding: Pin
    code_version: str
    headline: ManifestHeadline


class ManifestUnreadable(ValueError):
    """Raised when a file is no manifest of a row; the message says what was found where."""


def read_manifest(data: bytes) -> Manifest:
    """The manifest in a downloaded file.

    Raises:
        ManifestUnreadable: it is something else.
    """
    try:
        return Manifest.model_validate_json(data)
    except ValidationError as error:
        raise manifest_unreadable("the Robustness board", error) from error


def manifest_unreadable(board: str, error: ValidationError) -> ManifestUnreadable:
    """What is wrong with a manifest, every fault with its place."""
    faults = "; ".join(f"{'.'.join(map(str, fault['loc'])) or 'file'}: {fault['msg']}" for fault in error.errors())
    return ManifestUnreadable(f"no manifest of a row of {board} ({faults})")


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A number and the same number made anew."""

    stated: float | None
    found: float | None
    changed: tuple[str, ...]
    """What the two do not have in common, in words."""

    @property
    def is_same(self) -> bool:
        """Do they agree as far as a board shows them? Two numbers that are both undefined agree."""
        if self.stated is None or self.found is None:
            return self.stated is self.found
        return abs(self.stated - self.found) <= TOLERANCE


def reproduction(manifest: Manifest, result: RobustnessResult) -> Reproduction:
    """The manifest's number beside that of a fresh result."""
    headline = manifest.headline
    found = result.views[headline.view].figures[headline.figure].mean.value
    return Reproduction(headline.value, found, tuple(_changes(manifest, result)))


def _changes(manifest: Manifest, result: RobustnessResult) -> list[str]:
    facts = [
        ("prompt set", manifest.prompt_set.set_id, result.prompt_set.set_id),
        ("SHA-256 of the prompt set", manifest.prompt_set.sha256, result.prompt_set.sha256),
        ("code version", manifest.code_version, result.code_version),
    ]
    for role, stated, found in (
        ("judge", manifest.judge, result.judge),
        ("embedding", manifest.embedding, result.embedding),
    ):
        facts += [(f"{role} {name}", getattr(stated, name), getattr(found, name)) for name in Pin.model_fields]
    return [f"{name}: manifest {stated}, here {found}" for name, stated, found in facts if stated != found]


def is_file_of(file: ManifestFile, data: bytes) -> bool:
    """Is it the very file the number was made from?"""
    return hashlib.sha256(data).hexdigest() == file.sha256


def reproduction_text(made: Reproduction, title: str) -> str:
    """Both numbers, what differs, and whether they agree."""
    changes = "".join(f"differs   {change}\n" for change in made.changed)
    verdict = "The same number." if made.is_same else "Another number."
    return f"{title}\nmanifest  {made.stated}\nhere      {made.found}\n{changes}{verdict}"
