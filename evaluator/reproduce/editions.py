"""Are the figures of a run of 2025 or 2026 those its files give? The manifest of its row against a fresh evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field, ValidationError

from evaluator.reproduce.robustness import (
    SHARE,
    FigureMadeAnew,
    ManifestNames,
    ManifestPart,
    figure_line,
    manifest_unreadable,
    named_pin,
)
from evaluator.robustness.edition_results import CULTURAL_HEADLINE, ConsistencyResult, CulturalResult
from evaluator.robustness.group_results import SetVersion
from evaluator.statistics.intervals import DRAWS, SEED
from evaluator.values import MetricValue, Pin

EditionResult = ConsistencyResult | CulturalResult
RESPONSE_FIGURES = frozenset({"named", "open", "culture", "named_gated", "open_gated", "culture_gated"})
EDITION_OF_BOARD = {"consistency": "2025", "cultural": "2026"}


class EditionFile(ManifestPart):
    """One file of a run."""

    language: str | None
    """Of 2025; a zip of 2026 has many: None."""
    sha256: str


class Resampling(ManifestPart):
    """What intervals rest on besides the values."""

    draws: int
    seed: int


class EditionManifest(ManifestPart):
    """What “Download manifest” on the page of a run says, as far as its figures rest on it."""

    board: Literal["consistency", "cultural"]
    names: ManifestNames
    files: tuple[EditionFile, ...] = Field(min_length=1)
    prompt_set: SetVersion
    judges: tuple[Pin, ...]
    """The judge of 2025; none judges 2026."""
    embedding: Pin
    gate: Pin | None = None
    """Who said which answers answer; None where nobody was asked, as in manifests older than the question."""
    code_version: str
    statistics_version: int = 1
    intervals: Resampling
    figures: dict[str, MetricValue]


class _Board(ManifestPart):
    board: str = ""


def read_edition_manifest(data: bytes) -> EditionManifest | None:
    """The manifest in a downloaded file; None where it is of another board, or no manifest at all.

    Raises:
        ManifestUnreadable: it is of one of these boards, and lacks something.
    """
    try:
        board = _Board.model_validate_json(data).board
    except ValidationError:
        return None
    if board not in EDITION_OF_BOARD:
        return None
    try:
        return EditionManifest.model_validate_json(data)
    except ValidationError as error:
        raise manifest_unreadable(f"the {EDITION_OF_BOARD[board]} board", error) from error


def edition_facts(result: EditionResult) -> dict[str, Any]:
    """What a manifest holds of a run besides what those of all boards hold: its files, its figures, the resampling."""
    files = (
        [EditionFile(language=file.language, sha256=file.file_sha256) for file in result.files]
        if isinstance(result, ConsistencyResult)
        else [EditionFile(language=None, sha256=result.file_sha256)]
    )
    return {
        "files": [file.model_dump() for file in files],
        "intervals": Resampling(draws=DRAWS, seed=SEED).model_dump(),
        "figures": {name: value.model_dump() for name, value in edition_figures(result).items()},
    }


def edition_figures(result: EditionResult) -> dict[str, MetricValue]:
    """Every figure of a run by its name, those of one language with its code (`fi consistency_gated`)."""
    figures = {str(name): value for name, value in result.figures.items()}
    if isinstance(result, ConsistencyResult):
        figures["order_gap"] = result.order_gap
        for language, of_language in result.by_language.items():
            figures |= {f"{language} {name}": value for name, value in of_language.items()}
    else:
        for language, share in result.languages.items():
            figures[f"{language} {SHARE}"] = share.pass_share
            figures[f"{language} control_{SHARE}"] = share.control_pass_share
    return figures | {SHARE: result.pass_share, f"control_{SHARE}": result.control_pass_share}


@dataclass(frozen=True, slots=True)
class EditionReproduction:
    """All figures of a run made anew."""

    figures: tuple[FigureMadeAnew, ...]
    changed: tuple[str, ...]
    """What the two do not have in common, in words."""

    @property
    def different(self) -> tuple[str, ...]:
        """Names of the figures that are not the manifest's."""
        return tuple(figure.name for figure in self.figures if not figure.is_same)


def edition_reproduction(manifest: EditionManifest, result: EditionResult) -> EditionReproduction:
    """The figures of a manifest beside those of a fresh result."""
    fresh = edition_figures(result)
    if CULTURAL_HEADLINE not in manifest.figures:  # made before there was the response to culture
        fresh = {name: value for name, value in fresh.items() if name not in RESPONSE_FIGURES}
    names = dict.fromkeys((*manifest.figures, *fresh))
    figures = tuple(FigureMadeAnew(name, manifest.figures.get(name), fresh.get(name)) for name in names)
    return EditionReproduction(figures, tuple(_changes(manifest, result)))


def _changes(manifest: EditionManifest, result: EditionResult) -> list[str]:
    facts: list[tuple[str, object, object]] = [
        ("prompt set", manifest.prompt_set.set_id, result.prompt_set.set_id),
        ("version of the prompt set", manifest.prompt_set.version, result.prompt_set.version),
        ("SHA-256 of the prompt set", manifest.prompt_set.sha256, result.prompt_set.sha256),
        ("code version", manifest.code_version, result.code_version),
        ("statistics version", str(manifest.statistics_version), str(result.statistics_version)),
        ("draws of an interval", manifest.intervals.draws, DRAWS),
        ("seed of the intervals", manifest.intervals.seed, SEED),
        ("gate", named_pin(manifest.gate), named_pin(result.gate)),
    ]
    pins = [("embedding", manifest.embedding, result.embedding)]
    if isinstance(result, ConsistencyResult):
        pins += [("judge", pin, result.judge) for pin in manifest.judges[:1]]
    for role, stated, fresh in pins:
        facts += [(f"{role} {name}", getattr(stated, name), getattr(fresh, name)) for name in Pin.model_fields]
    return [f"{name}: manifest {stated}, here {fresh}" for name, stated, fresh in facts if stated != fresh]


def files_in_order(manifest: EditionManifest, sha256s: Mapping[str, str]) -> list[str]:
    """The files of the run, in the manifest's order.

    Args:
        manifest: Names them by what they hold.
        sha256s: File -> SHA-256 of what it holds.

    Raises:
        NotTheFiles: when one is missing, or is none of the run.
    """
    strange = [file for file, sha256 in sha256s.items() if sha256 not in {file.sha256 for file in manifest.files}]
    if strange:
        raise NotTheFiles(
            f"{strange[0]} is no file of this row: its SHA-256 is {sha256s[strange[0]]}, {_all(manifest)}"
        )
    by_content = {sha256: file for file, sha256 in sha256s.items()}
    missing = [file for file in manifest.files if file.sha256 not in by_content]
    if missing:
        raise NotTheFiles(f"{len(missing)} of {len(manifest.files)} files of this row are missing: {_listed(missing)}")
    return [by_content[file.sha256] for file in manifest.files]


class NotTheFiles(ValueError):
    """Raised when other files are given than the figures were made from; the message says which."""


def _all(manifest: EditionManifest) -> str:
    return f"the manifest names {_listed(manifest.files)}"


def _listed(files: Iterable[EditionFile]) -> str:
    return ", ".join(" ".join(part for part in (file.language, file.sha256) if part) for file in files)


def edition_reproduction_text(made: EditionReproduction) -> str:
    """Every figure with both numbers, what differs besides, and whether all agree."""
    width = max(len(figure.name) for figure in made.figures)
    lines = [figure_line(figure, width) for figure in made.figures]
    lines += [f"differs    {change}" for change in made.changed]
    count = len(made.figures)
    if made.different:
        lines.append(f"{len(made.different)} of {count} figures are different: {', '.join(made.different)}.")
    else:
        lines.append(f"All {count} figures are the same.")
    return "\n".join(lines)
