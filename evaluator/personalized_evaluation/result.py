"""What the evaluation of predicted ratings or choices leaves behind: every figure, and what was read of every item."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from evaluator.personalized_evaluation.replies import MissingReason
from evaluator.personalized_evaluation.reports import PairsReport, RatingsReport
from evaluator.values import Frozen, Pin
from submissions.formats.personalized_evaluation.submission import Aspect, Choice

SCHEMA_VERSION = 1

Ends = tuple[float, float]
"""Lowest and highest value of a scale."""
Probabilities = tuple[float, ...]


class RatedItems(Frozen):
    """Every predicted rating, column by column: place i of all columns is item i of the file; texts stay there."""

    id: tuple[str, ...]
    reviewer: tuple[str, ...]
    gold: tuple[float, ...]
    """On the scale of the reviewers."""
    score: tuple[float | None, ...]
    """On the scale of the predictions."""
    reason: tuple[MissingReason | None, ...]
    """Why there is none."""
    memorized: tuple[bool | None, ...]
    distribution: tuple[Probabilities | None, ...] = ()
    """Probabilities of 1 to 10 as a local judge gave them; empty where the file brought its answers."""
    label_mass: tuple[float | None, ...] = ()
    """Share of the probability that fell on the labels."""
    shortened: tuple[bool, ...] = ()
    """The judge saw texts that were cut."""


class ChosenItems(Frozen):
    """Every predicted choice, column by column, as `RatedItems`; choices name texts, in whichever order they stood."""

    id: tuple[str, ...]
    reviewer: tuple[str, ...]
    comparison: tuple[str, ...]
    aspect: tuple[Aspect, ...]
    gold: tuple[Choice, ...]
    choice: tuple[Choice | None, ...]
    """With text_a shown first."""
    reason: tuple[MissingReason | None, ...]
    choice_swapped: tuple[Choice | None, ...]
    """With text_b shown first."""
    distribution: tuple[Probabilities | None, ...] = ()
    """Probabilities of the plots shown as A and B; empty where the file brought its answers."""
    distribution_swapped: tuple[Probabilities | None, ...] = ()
    """The same in the other order: the plot shown as A is text_b."""
    label_mass: tuple[float | None, ...] = ()
    shortened: tuple[bool, ...] = ()


class PersonalizedEvaluationResult(Frozen):
    """One run on the Personalized evaluation board, down to every item."""

    schema_version: int = SCHEMA_VERSION
    board: Literal["personalized_evaluation"] = "personalized_evaluation"
    dataset: str
    """As the file calls its data."""
    file_sha256: str
    judge: Pin | None
    """Which local judge answered a file without answers; None where the file brought them."""
    code_version: str
    statistics_version: int = 1
    """Of `evaluator.statistics.version`; results from before there was one say 1."""
    scale: Ends | None = None
    """Of the predictions; None for choices."""
    gold_scale: Ends | None = None
    """Of gold and profile; None for choices."""
    report: Annotated[RatingsReport | PairsReport, Field(discriminator="kind")]
    """With the headline in every draw, without items: those stand below."""
    ratings: RatedItems | None = None
    pairs: ChosenItems | None = None
    asked_keys: tuple[str, ...] = ()
    """Verdict keys of everything a local judge was asked."""
