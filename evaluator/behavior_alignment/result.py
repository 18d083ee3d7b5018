"""What scoring recommender answers leaves behind: the figures of docs/behavior_alignment.md, down to every turn."""

from __future__ import annotations

from typing import Literal

from evaluator.values import Frozen, Pin
from submissions.formats.behavior_alignment.submission import TurnLabel

SCHEMA_VERSION = 1

Side = Literal["human", "system"]

ReferenceName = Literal["previous", "constant", "human"]
"""The human's own previous turn; always the human's most frequent strategy; the human."""

Ends = tuple[float, float]
"""Of an interval or a range."""


class StrategyMixResult(Frozen):
    """How often each strategy is used, per side."""

    human: dict[str, float]
    system: dict[str, float]
    distance: float


class AlternativesResult(Frozen):
    """The headline under other rules for turns with several strategies; never ranked."""

    first: float | None
    any_overlap: float | None
    jaccard: float | None


class ExplicitResult(Frozen):
    """What needs annotated strategies; all None where a scored turn lacks them."""

    annotated_share: float | None
    ba: float | None
    ba_ci: Ends | None
    ba_eq2: float | None
    ba_pooled: float | None
    ba_eq2_pooled: float | None
    ba_strategic: float | None
    human_no_strategy_turns: int | None
    alternatives: AlternativesResult | None
    strategy_mix: StrategyMixResult | None


class ImplicitResult(Frozen):
    """What is estimated from texts."""

    status: Literal["estimated"]
    estimator: str
    pair_accuracy: float | None
    threshold: float
    raw: float | None
    raw_ci: Ends | None
    tpr: float | None
    fpr: float | None
    corrected: float | None
    corrected_range: Ends | None
    corrected_ci: Ends | None
    strategy_mix: StrategyMixResult | None


class TurnsBeforeResult(Frozen):
    """Recommender turns before the first that recommends."""

    mean: float | None
    dialogues: int
    never: int
    not_marked: int


class SuccessResult(Frozen):
    """Dialogues in which the seeker accepted a recommendation."""

    rate: float | None
    dialogues: int


class VarietyResult(Frozen):
    """DIST of one order."""

    per_response: float | None
    ratio: float | None


class BehaviorFigures(Frozen):
    """The figures of one system, or of one that stands beside it for comparison."""

    explicit: ExplicitResult
    implicit: ImplicitResult | None
    turns_before_recommendation: dict[Side, TurnsBeforeResult]
    success: dict[Side, SuccessResult]
    bleu: dict[str, float | None]
    """By K, "1" to "4"."""
    dist: dict[str, VarietyResult]
    copied_share: float | None


class ReferenceFigures(BehaviorFigures):
    """What stands beside the systems of a collection; it depends on the human side alone."""

    hits: tuple[float, ...] | None
    """Share of equal labels in each dialogue, by dialogue id in order; None where a label is missing."""
    same: tuple[float, ...] | None
    """Share of turns that count as same in each dialogue; None where nothing was estimated."""


class ScoredTurns(Frozen):
    """Every scored turn, column by column: place i of all columns is one turn. Its texts stay in the file."""

    dialogue: tuple[str, ...]
    turn: tuple[int, ...]
    human_label: tuple[TurnLabel | None, ...]
    system_label: tuple[TurnLabel | None, ...]
    equal: tuple[bool | None, ...]
    """None where a label is missing."""
    s: tuple[float | None, ...]
    """How likely both have one strategy; None where the system said nothing or nothing was estimated."""
    same: tuple[bool | None, ...]

    def __len__(self) -> int:
        return len(self.turn)


class BehaviorResult(BehaviorFigures):
    """One system on one collection of human dialogues, for the board of recommenders."""

    schema_version: int = SCHEMA_VERSION
    board: Literal["behavior"] = "behavior"
    file_sha256: str
    code_version: str
    statistics_version: int = 1
    """Of `evaluator.statistics.version`; results from before there was one say 1."""
    embedding: Pin | None
    """The sentence encoder of the estimator; None where it reads terms alone."""
    collection: str
    dialogues: int
    scored_dialogues: int
    """With two turns or more."""
    turns: int
    scored_turns: int
    turn_rule: str
    flags: tuple[str, ...]
    rankable: bool
    per_turn: ScoredTurns
    rate_draws: tuple[tuple[float, float, float], ...]
    """(tpr, fpr_cross, fpr_adjacent) in each resample behind `implicit.corrected_ci`: two systems that one estimator
    looked at are compared under the same ones. Empty where its rates are not known."""
    references: dict[ReferenceName, ReferenceFigures]

    @property
    def is_annotated(self) -> bool:
        """Are the headline figures explicit ones?"""
        return self.explicit.ba is not None
