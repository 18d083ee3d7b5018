"""Is the headline of an evaluator the one its file gives? The manifest of its row against a fresh evaluation."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, ValidationError

from evaluator.personalized_evaluation.result import PersonalizedEvaluationResult
from evaluator.reproduce.robustness import ManifestFile, ManifestNames, ManifestPart, Reproduction, manifest_unreadable
from evaluator.values import Pin

HEADLINES = {"personalized_ratings": "penalized.kendall", "personalized_pairs": "accuracy_macro.penalized"}
"""What a board of either kind is ranked by, as reports call it."""


class EvaluatorHeadline(ManifestPart):
    """The number."""

    figure: Literal["penalized.kendall", "accuracy_macro.penalized"]
    value: float | None


class EvaluatorManifest(ManifestPart):
    """What “Download manifest” on an evaluator's page says, as far as the number rests on it."""

    board: Literal["personalized_evaluation"]
    file: ManifestFile
    names: ManifestNames
    judges: tuple[Pin, ...]
    """The judge that answered; none where the file brought its answers."""
    code_version: str
    statistics_version: int = 1
    headline: EvaluatorHeadline


class _Board(ManifestPart):
    board: str = Field(default="")


def headline_of(result: PersonalizedEvaluationResult) -> float | None:
    """The number a run is ranked by: penalized tau, or penalized macro accuracy."""
    report = result.report
    if report["kind"] == "personalized_ratings":
        return report["penalized"]["kendall"]
    return report["accuracy_macro"]["penalized"]


def evaluator_facts(result: PersonalizedEvaluationResult) -> dict[str, Any]:
    """What a manifest holds of a row besides what those of all boards hold."""
    return {"headline": {"figure": HEADLINES[result.report["kind"]], "value": headline_of(result)}}


def read_evaluator_manifest(data: bytes) -> EvaluatorManifest | None:
    """The manifest in a downloaded file; None where it is of another board, or no manifest at all.

    Raises:
        ManifestUnreadable: it is of this board, and lacks something.
    """
    try:
        if _Board.model_validate_json(data).board != "personalized_evaluation":
            return None
    except ValidationError:
        return None
    try:
        return EvaluatorManifest.model_validate_json(data)
    except ValidationError as error:
        raise manifest_unreadable("the Personalized evaluation board", error) from error


def evaluator_reproduction(manifest: EvaluatorManifest, result: PersonalizedEvaluationResult) -> Reproduction:
    """The manifest's number beside that of a fresh result."""
    return Reproduction(manifest.headline.value, headline_of(result), tuple(_changes(manifest, result)))


def _changes(manifest: EvaluatorManifest, result: PersonalizedEvaluationResult) -> list[str]:
    stated = manifest.judges[0] if manifest.judges else None
    facts = [
        ("figure", manifest.headline.figure, HEADLINES[result.report["kind"]]),
        ("judge", _judge_text(stated), _judge_text(result.judge)),
        ("code version", manifest.code_version, result.code_version),
        ("statistics version", str(manifest.statistics_version), str(result.statistics_version)),
    ]
    return [f"{name}: manifest {stated}, here {fresh}" for name, stated, fresh in facts if stated != fresh]


def _judge_text(pin: Pin | None) -> str:
    return f"{pin.name} {pin.model} {pin.revision}" if pin else "none"
