"""Columns of the board of recommenders and of the tables below one of its rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from evaluator.behavior_alignment.response_texts import ORDERS
from leaderboard.boards.behavior_alignment.rows import BehaviorRow
from leaderboard.page.ledger import ledger_columns
from leaderboard.page.row_columns import (
    date_column,
    measured_column,
    model_column,
    name_column,
    rank_column,
    run_column,
    team_column,
)
from leaderboard.parts.columns import SHARE_SCALE, Column, Format, Value, note_column


def _figure(
    key: str,
    label: str,
    format_: Format,
    value: Callable[[BehaviorRow], Value],
    tooltip: str,
    better: Literal["higher", "lower"] | None = None,
    *,
    anchor: str = "",
) -> Column[BehaviorRow]:
    """A figure that docs/behavior_alignment.md explains under its key or another heading."""
    return Column(key, label, format_, value, tooltip, better, anchor or key, docs_page="behavior_alignment.md")


def _bleu(order: int) -> Column[BehaviorRow]:
    return _figure(
        f"bleu_{order}",
        f"BLEU@{order}",
        "decimal",
        lambda row: row.bleu(order),
        f"Overlap with the human's words: share of the system's {order}-grams that the human's answer has, with a "
        "brevity penalty, not smoothed. High together with a high copied share it is a copy.",
        "higher",
        anchor="bleu",
    )


def _dist(order: int) -> Column[BehaviorRow]:
    return _figure(
        f"dist_{order}",
        f"DIST@{order}",
        "decimal",
        lambda row: row.dist(order),
        f"Variety: different {order}-grams of words for each answer; may exceed 1.",
        "higher",
        anchor="dist",
    )


def _explicit(key: str, label: str, value: Callable[[BehaviorRow], Value], tooltip: str) -> Column[BehaviorRow]:
    """A figure that only annotated rows have."""
    column = _figure(key, label, "decimal", value, tooltip, "higher")
    return replace(column, is_left_out_when_empty=True)


def _alternative(name: Literal["first", "any_overlap", "jaccard"], label: str, tooltip: str) -> Column[BehaviorRow]:
    def value(row: BehaviorRow) -> float | None:
        alternatives = row.figures.explicit.alternatives
        return getattr(alternatives, name) if alternatives else None

    column = _explicit(f"rule_{name}", label, value, f"{tooltip} Shown, never ranked.")
    return replace(column, docs_anchor="alternatives")


BEHAVIOR_COLUMNS: tuple[Column[BehaviorRow], ...] = (
    rank_column(
        "Places this system may hold among those of its collection that are annotated like it, or estimated like it: "
        "systems that the dialogues cannot tell apart share places, and all ranks hold together with 95%. Reference "
        "and published rows have none."
    ),
    name_column(
        "system",
        "System",
        "Name of the recommender; opens its dialogues. Published rows are marked beside the name.",
    ),
    replace(
        _figure(
            "alignment",
            "Behavior alignment",
            "interval",
            lambda row: row.alignment,
            "Headline, 0 to 1, with 95% interval: the share of turns in which the recommendation strategy is the one "
            "the human chose there. Annotated rows: BA over turns 2 to N (turn label: last labelled sentence), of "
            "which Eq. 2 and the rules first, overlap and Jaccard are variants. Estimated rows: the corrected "
            "estimate, never ranked with annotated ones.",
            "higher",
        ),
        remark=lambda row: "(estimated)" if row.basis == "estimated" else "",
        scale=SHARE_SCALE,
        is_left_out_when_empty=True,
    ),
    Column(
        "basis",
        "Labels",
        "text",
        lambda row: row.badge,
        "What the headline rests on: strategies that the file annotates for both sides of every scored turn, or an "
        "estimate from the texts with the estimator's accuracy on balanced pairs it was not trained on.",
        docs_anchor="annotated_share",
        docs_page="behavior_alignment.md",
        is_left_out_when_empty=True,
    ),
    team_column(),
    note_column(),
    measured_column("strategy labels that a team sent"),
    _explicit(
        "ba_eq2",
        "BA, Eq. 2",
        lambda row: row.figures.explicit.ba_eq2,
        "The paper's Eq. 2 as printed, which also divides by turn 1: a dialogue of N turns cannot reach more than "
        "(N - 1) / N, so that no system reaches 1.",
    ),
    _explicit(
        "ba_strategic",
        "BA, strategic turns",
        lambda row: row.figures.explicit.ba_strategic,
        "The same over the turns in which the human uses one of the 13 strategies.",
    ),
    _alternative("first", "Rule first", "BA where the first strategy of a turn is its label."),
    _alternative("any_overlap", "Rule overlap", "BA where a turn counts as soon as one strategy is on both sides."),
    _alternative("jaccard", "Rule Jaccard", "BA where a turn counts by the share of strategies on both sides."),
    replace(
        _figure(
            "raw",
            "Estimated, raw",
            "interval",
            lambda row: None if row.published else row.raw,
            "Share of turns that an estimator takes for the same strategy, from the last sentence of both sides. "
            "Biased: also a system that never matches has some.",
            "higher",
        ),
        remark=lambda row: "(estimated)" if row.raw.value is not None else "",
        is_left_out_when_empty=True,
    ),
    replace(
        _figure(
            "corrected",
            "Estimated, corrected",
            "interval",
            lambda row: None if row.published else row.corrected,
            "The raw share corrected for how often the estimator errs, with 95% interval and, in brackets, the range "
            "between its two error rates: of different dialogues, and of neighbouring turns.",
            "higher",
        ),
        remark=lambda row: row.corrected_remark,
        is_left_out_when_empty=True,
    ),
    _figure(
        "turns_before",
        "Turns before recommending",
        "decimal",
        lambda row: row.turns_before("system"),
        "Recommender turns before the first one that recommends an item; mean over the dialogues that have one. "
        "Compare it with the human's.",
        anchor="turns_before_recommendation",
    ),
    _figure(
        "human_turns_before",
        "Human: turns before",
        "decimal",
        lambda row: row.turns_before("human"),
        "The same of the human, in the dialogues in which the human recommends.",
        anchor="turns_before_recommendation",
    ),
    _figure(
        "success",
        "Success",
        "percent",
        lambda row: row.success("system"),
        "Share of the marked dialogues in which the seeker accepted a recommendation of the system.",
        "higher",
    ),
    _figure(
        "human_success",
        "Human: success",
        "percent",
        lambda row: row.success("human"),
        "The same of the human, in the dialogues marked for the human.",
        "higher",
        anchor="success",
    ),
    replace(
        _figure(
            "mix_distance",
            "Mix distance",
            "decimal",
            lambda row: row.mix_distance,
            "Half the sum of the differences between its shares of strategies and the human's: 0 = the same mix, 1 = "
            "nothing in common. Estimated where the row is.",
            "lower",
            anchor="strategy_mix",
        ),
        remark=lambda row: "(estimated)" if row.basis == "estimated" and row.mix_distance is not None else "",
    ),
    *map(_bleu, ORDERS),
    *map(_dist, ORDERS),
    _figure(
        "copied_share",
        "Copied",
        "percent",
        lambda row: row.figures.copied_share,
        "Share of the longer human answers that stand in the system's, whole or but for a tenth of their letters. "
        "Above 50% a row is not ranked.",
        "lower",
    ),
    _figure(
        "annotated_share",
        "Annotated",
        "percent",
        lambda row: row.figures.explicit.annotated_share,
        "Share of scored turns with the strategies of both sides. Below 100% nothing explicit is known.",
        "higher",
    ),
    Column(
        "dialogues",
        "Dialogues",
        "whole",
        lambda row: row.n,
        "Dialogues with two turns or more: what intervals draw. Below 20 a row is not ranked.",
        "higher",
    ),
    model_column(),
    run_column(),
    *ledger_columns("Submissions of this system so far."),
    date_column("the run was"),
)
"""The board of recommenders."""
