"""Is the headline of a recommender the one its file gives? The manifest of its row against a fresh evaluation."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, ValidationError

from evaluator.behavior_alignment.comparison import headline
from evaluator.behavior_alignment.result import BehaviorResult
from evaluator.reproduce.robustness import ManifestFile, ManifestNames, ManifestPart, Reproduction, manifest_unreadable
from evaluator.values import Pin


class BehaviorHeadline(ManifestPart):
    """The number: explicit, or the corrected estimate."""

    figure: Literal["ba", "corrected"]
    value: float | None


class BehaviorManifest(ManifestPart):
    """What “Download manifest” on a recommender's page says, as far as the number rests on it."""

    board: Literal["behavior"]
    file: ManifestFile
    names: ManifestNames
    estimator: str | None
    embedding: Pin | None
    code_version: str
    statistics_version: int = 1
    headline: BehaviorHeadline


def behavior_facts(result: BehaviorResult) -> dict[str, Any]:
    """What a manifest holds of a row besides what those of all boards hold."""
    return {"headline": {"figure": "ba" if result.is_annotated else "corrected", "value": headline(result)}}


class _Board(ManifestPart):
    board: str = Field(default="")


def read_behavior_manifest(data: bytes) -> BehaviorManifest | None:
    """The manifest in a downloaded file; None where it is of another board, or no manifest at all.

    Raises:
        ManifestUnreadable: it is of this board, and lacks something.
    """
    try:
        if _Board.model_validate_json(data).board != "behavior":
            return None
    except ValidationError:
        return None
    try:
        return BehaviorManifest.model_validate_json(data)
    except ValidationError as error:
        raise manifest_unreadable("the Recommender behaviour board", error) from error


def behavior_reproduction(manifest: BehaviorManifest, result: BehaviorResult) -> Reproduction:
    """The manifest's number beside that of a fresh result."""
    return Reproduction(manifest.headline.value, headline(result), tuple(_changes(manifest, result)))


def _changes(manifest: BehaviorManifest, result: BehaviorResult) -> list[str]:
    figure = "ba" if result.is_annotated else "corrected"
    facts = [
        ("figure", manifest.headline.figure, figure),
        ("estimator", manifest.estimator, result.implicit.estimator if result.implicit else None),
        ("encoder", _revision(manifest.embedding), _revision(result.embedding)),
        ("code version", manifest.code_version, result.code_version),
        ("statistics version", str(manifest.statistics_version), str(result.statistics_version)),
    ]
    return [f"{name}: manifest {stated}, here {fresh}" for name, stated, fresh in facts if stated != fresh]


def _revision(pin: Pin | None) -> str:
    return pin.revision if pin else "none"
