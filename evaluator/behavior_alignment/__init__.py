"""Behavior alignment of conversational recommenders (DOI 10.1145/3626772.3657924).

Its public names are importable from here; they are defined in `figures`.
"""

from __future__ import annotations

from evaluator.behavior_alignment.figures import (
    COPIED,
    MAX_COPIED_SHARE,
    MIN_RANKED_DIALOGUES,
    SIDES,
    TURN_RULE,
    Agreement,
    Alternatives,
    BehaviorReport,
    ExplicitFigures,
    Side,
    Success,
    TurnRow,
    TurnsBefore,
    answer_label,
    behavior_report,
    explicit_figures,
    first_label,
    is_hit,
    label_set,
    strategy_mix,
    success,
    turn_label,
    turn_rows,
    turns_before_recommendation,
)

__all__ = [
    "COPIED",
    "MAX_COPIED_SHARE",
    "MIN_RANKED_DIALOGUES",
    "SIDES",
    "TURN_RULE",
    "Agreement",
    "Alternatives",
    "BehaviorReport",
    "ExplicitFigures",
    "Side",
    "Success",
    "TurnRow",
    "TurnsBefore",
    "answer_label",
    "behavior_report",
    "explicit_figures",
    "first_label",
    "is_hit",
    "label_set",
    "strategy_mix",
    "success",
    "turn_label",
    "turn_rows",
    "turns_before_recommendation",
]
