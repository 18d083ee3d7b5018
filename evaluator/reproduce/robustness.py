"""Is the number of a row the one its file gives? The manifest of the row against a fresh evaluation."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from evaluator.judge_loading.registry import judges_of_their_name
from evaluator.results import HEADLINE, Figure, RobustnessResult, SetVersion, View
from evaluator.values import MetricValue, Pin
from submissions.schema import Names

TOLERANCE = 0.005
"""Half of the last digit a board shows."""
SHARE_TOLERANCE = TOLERANCE / 10
"""The same of a share, which is shown in percent."""
SHARE = "pass_share"
"""What the name of such a figure ends with."""
JUDGES_OF_THEIR_NAME = judges_of_their_name()
"""Judges whose name in a pin is all one must say to load them."""
EMBEDDINGS_OF_THEIR_NAME = ("minilm", "e5", "scripted")
"""The same of embedding models."""


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
    names: ManifestNames = ManifestNames(team=None, system=None, model=None, run=None)
    """What the form said; older manifests are of files that say it themselves."""
    prompt_set: SetVersion
    judge: Pin
    embedding: Pin
    gate: Pin | None = None
    """Who was asked which responses answer; None where nobody was: the number is then made anew without that."""
    code_version: str
    statistics_version: int = 1
    headline: ManifestHeadline
    figures: dict[View, dict[Figure, MetricValue]]


def robustness_facts(result: RobustnessResult, view: View) -> dict[str, Any]:
    """What a manifest holds of a row besides what those of all boards hold; numbers are unrounded.

    Args:
        result: Of the row.
        view: Whose score is the headline; every figure of every view is in `figures`.
    """
    mean = result.views[view].figures[HEADLINE].mean
    return {
        "edition": result.edition,
        "judge": result.judge.model_dump(mode="json"),
        "coverage": result.coverage,
        "headline": {"view": view, "figure": HEADLINE, **mean.model_dump(mode="json")},
        "figures": {
            name: {figure: summary.mean.model_dump(mode="json") for figure, summary in of_view.figures.items()}
            for name, of_view in result.views.items()
        },
    }


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
class FigureMadeAnew:
    """One figure of a manifest and the same of a fresh result."""

    name: str
    stated: MetricValue | None
    """None where only the fresh result has it."""
    found: MetricValue | None

    @property
    def is_same(self) -> bool:
        """Do value and interval agree as far as a board shows them, and rest on as many units?"""
        if self.stated is None or self.found is None:
            return False
        stated, fresh = self.stated, self.found
        tolerance = SHARE_TOLERANCE if self.name.endswith(SHARE) else TOLERANCE
        ends = ((stated.value, fresh.value), (stated.low, fresh.low), (stated.high, fresh.high))
        counted = (stated.n, stated.unscored) == (fresh.n, fresh.unscored)
        return counted and all(_agree(stated_end, fresh_end, tolerance) for stated_end, fresh_end in ends)


def _agree(stated: float | None, fresh: float | None, tolerance: float) -> bool:
    if stated is None or fresh is None:
        return stated is fresh
    return abs(stated - fresh) <= tolerance


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A number and the same number made anew."""

    stated: float | None
    found: float | None
    changed: tuple[str, ...]
    """What the two do not have in common, in words."""
    figures: tuple[FigureMadeAnew, ...] = ()
    """Every figure besides, where the manifest holds them."""

    @property
    def is_same(self) -> bool:
        """Do they agree as far as a board shows them, with all figures? Two that are both undefined agree."""
        return _agree(self.stated, self.found, TOLERANCE) and not self.different

    @property
    def different(self) -> tuple[FigureMadeAnew, ...]:
        """The figures that are not the manifest's."""
        return tuple(figure for figure in self.figures if not figure.is_same)


def reproduction(manifest: Manifest, result: RobustnessResult) -> Reproduction:
    """The manifest's number beside that of a fresh result."""
    headline = manifest.headline
    fresh = result.views[headline.view].figures[headline.figure].mean.value
    figures = tuple(
        FigureMadeAnew(f"{view} {figure}", stated, _figure(result, view, figure))
        for view, of_view in manifest.figures.items()
        for figure, stated in of_view.items()
    )
    return Reproduction(headline.value, fresh, tuple(_changes(manifest, result)), figures)


def _figure(result: RobustnessResult, view: View, figure: Figure) -> MetricValue | None:
    of_view = result.views.get(view)
    summary = of_view.figures.get(figure) if of_view else None
    return summary.mean if summary else None


def _changes(manifest: Manifest, result: RobustnessResult) -> list[str]:
    facts = [
        ("prompt set", manifest.prompt_set.set_id, result.prompt_set.set_id),
        ("SHA-256 of the prompt set", manifest.prompt_set.sha256, result.prompt_set.sha256),
        ("code version", manifest.code_version, result.code_version),
        ("statistics version", str(manifest.statistics_version), str(result.statistics_version)),
    ]
    for role, stated, fresh in (
        ("judge", manifest.judge, result.judge),
        ("embedding", manifest.embedding, result.embedding),
        ("gate", manifest.gate, result.gate),
    ):
        if stated is None or fresh is None:
            facts.append((role, named_pin(stated), named_pin(fresh)))
            continue
        facts += [(f"{role} {name}", getattr(stated, name), getattr(fresh, name)) for name in Pin.model_fields]
    return [f"{name}: manifest {stated}, here {fresh}" for name, stated, fresh in facts if stated != fresh]


def named_pin(pin: Pin | None) -> str:
    """Name and revision; "none" where there is none."""
    return "none" if pin is None else f"{pin.name} {pin.revision}"


def is_file_of(file: ManifestFile, data: bytes) -> bool:
    """Is it the very file the number was made from?"""
    return hashlib.sha256(data).hexdigest() == file.sha256


def reproduction_text(made: Reproduction, title: str) -> str:
    """Both numbers, what differs, and whether they agree."""
    changes = "".join(f"differs   {change}\n" for change in made.changed)
    figures = "".join(f"{figure_line(figure, len(figure.name))}\n" for figure in made.different)
    if made.figures:
        same = len(made.figures) - len(made.different)
        figures += f"{same} of {len(made.figures)} figures of its views are the same.\n"
    verdict = "The same number." if made.is_same else "Another number."
    return f"{title}\nmanifest  {made.stated}\nhere      {made.found}\n{changes}{figures}{verdict}"


def figure_line(figure: FigureMadeAnew, width: int) -> str:
    """One figure with both numbers."""
    verdict = "same     " if figure.is_same else "different"
    return f"{verdict}  {figure.name:<{width}}  manifest {_words(figure.stated)}  here {_words(figure.found)}"


def _words(metric: MetricValue | None) -> str:
    """Value with all its digits, interval, and what it rests on.

    >>> _words(MetricValue(value=3.5, low=3.0, high=4.25, n=20, unscored=1))
    '3.5 [3.000000, 4.250000] n=20, unscored 1'
    >>> _words(None)
    'not there'
    """
    if metric is None:
        return "not there"
    interval = "" if metric.low is None or metric.high is None else f" [{metric.low:.6f}, {metric.high:.6f}]"
    unscored = f", unscored {metric.unscored}" if metric.unscored else ""
    return f"{'n/a' if metric.value is None else metric.value}{interval} n={metric.n}{unscored}"
