"""Every board with what is declared about it, in the order of the tabs (`board_kind` says what can be declared)."""

from __future__ import annotations

from typing import Any

from evaluator.results import MetricValue
from evaluator.robustness.panel import family_of
from leaderboard.boards.behavior_alignment.kind import BEHAVIOR
from leaderboard.boards.editions.kinds import CONSISTENCY, CULTURAL
from leaderboard.boards.personalization.columns import PERSONALIZATION_COLUMNS
from leaderboard.boards.personalization.methods import ABOUT as PERSONALIZATION_ABOUT
from leaderboard.boards.personalization.rows import PersonalizationRow
from leaderboard.boards.personalized_evaluation.kinds import PERSONALIZED_PAIRS, PERSONALIZED_RATINGS
from leaderboard.boards.position_bias.columns import JUDGES_COLUMNS
from leaderboard.boards.position_bias.methods import ABOUT as JUDGES_ABOUT
from leaderboard.boards.position_bias.rows import JudgeRow
from leaderboard.boards.robustness.charts import CHARTS as ROBUSTNESS_CHARTS
from leaderboard.boards.robustness.columns import ROBUSTNESS_COLUMNS
from leaderboard.boards.robustness.methods import ABOUT as ROBUSTNESS_ABOUT
from leaderboard.boards.robustness.rows import BoardRow
from leaderboard.parts.board_kind import ALL as ALL
from leaderboard.parts.board_kind import Board as Board
from leaderboard.parts.board_kind import BoardKind as BoardKind
from leaderboard.parts.board_kind import Direction as Direction
from leaderboard.parts.board_kind import Paper as Paper
from leaderboard.parts.board_kind import Preset as Preset
from leaderboard.parts.filters import Filter
from leaderboard.parts.row_charts import BoardChart, scores_chart
from leaderboard.parts.shown_rows import Axis
from submissions.schema import Count

SHARE_STEPS = (50, 80, 90, 95, 100)


def share_of(count: Count) -> float | None:
    """Answered of expected; None where it is not known how many were expected."""
    return count.answered / count.expected if count.expected else None


def _kind_of_entry(row: BoardRow) -> str:
    return {"entry": "entry", "example": "our own example", "baseline": "null row"}[row.role]


def _flags(row: BoardRow) -> tuple[str, ...]:
    kinds = tuple(flag.replace("_", " ") for flag, count in row.flags.items() if count)
    return ("flagged", *kinds) if kinds else ("unflagged",)


ROBUSTNESS: BoardKind[BoardRow] = BoardKind(
    "Robustness",
    ROBUSTNESS_COLUMNS,
    "score",
    filters=(
        Filter("judge", "Judge", "one_of", lambda row: f"{row.judge.name} ({row.judge.model})"),
        Filter("family", "Model family or model", "one_of", lambda row: family_of(row.model) or row.model),
        Filter("coverage", "Coverage", "at_least", lambda row: share_of(row.coverage), steps=SHARE_STEPS),
        Filter("flags", "Flags", "text_set", _flags),
        Filter("received", "Received", "since", lambda row: row.received_at),
        Filter("kind", "Kind of row", "one_of", _kind_of_entry, reaches_null_rows=True),
    ),
    presets=(
        Preset("essential", "Essential", ("rank", "system", "score", "raw", "worst", "note")),
        Preset("evidence", "What it rests on", ("rank", "system", "score", "flags", "judged", "coverage", "judge")),
        Preset("origin", "Who and when", ("rank", "system", "score", "team", "model", "attempts", "date")),
    ),
    paper=Paper(
        "sahlgren2024eloquent",
        "Sahlgren, Magnus and others",
        "ELOQUENT 2024 - Robustness Task",
        2024,
        "CLEF 2024 working notes, CEUR-WS Vol-3740",
    ),
    charts=ROBUSTNESS_CHARTS,
    about=ROBUSTNESS_ABOUT,
    question="Does a system say the same thing when only the style of the question changes?",
    nouns=("system", "systems"),
    counted="items",
    judge=lambda row: row.judge,
)

JUDGES_CHARTS: tuple[BoardChart[JudgeRow], ...] = (
    scores_chart(
        Axis(
            "position consistency (PC), 0-1",
            lambda row: row.metric("position_consistency"),
            0.0,
            1.0,
            units="queries",
        ),
        title="Consistency with intervals",
        explanation="Whiskers are 95% bootstrap intervals over queries: how far PC could move if other queries of this "
        "kind had been asked. Hollow markers have none: too few queries, or a judge that does not read.",
    ),
)

JUDGES: BoardKind[JudgeRow] = BoardKind(
    "Judges",
    JUDGES_COLUMNS,
    "position_consistency",
    filters=(
        Filter("family", "Judge family", "one_of", lambda row: row.card.family or ""),
        Filter("team", "Team", "one_of", lambda row: row.team),
        Filter("ranked", "Ranked", "one_of", lambda row: "not ranked" if row.unranked else "ranked"),
        Filter("received", "Received", "since", lambda row: row.received_at),
        Filter(
            "kind",
            "Kind of row",
            "one_of",
            lambda row: "null row" if row.is_baseline else "judge",
            reaches_null_rows=True,
        ),
    ),
    presets=(
        Preset(
            "essential",
            "Essential",
            ("rank", "judge", "position_consistency", "preference_fairness", "labelled_agreement", "note"),
        ),
        Preset(
            "card",
            "As stated",
            ("rank", "judge", "position_consistency", "family", "parameters", "template", "decoding", "revision"),
        ),
    ),
    paper=Paper(
        "shi2024judging",
        "Shi, Lin and others",
        "Judging the Judges",
        2024,
        "arXiv 2406.07791",
    ),
    charts=JUDGES_CHARTS,
    about=JUDGES_ABOUT,
    question="Does a judge's verdict hold when the two answers swap places?",
    nouns=("judge", "judges"),
    counted="queries",
)

PERSONALIZATION_CHARTS: tuple[BoardChart[PersonalizationRow], ...] = (
    scores_chart(
        Axis(
            "robustness error",
            lambda row: _as_metric(row.metric("robustness_error"), row.n_qstar),
            0.0,
            1.0,
            "percent",
            units="answers of Q*",
        ),
        title="Robustness error with intervals",
        explanation="Lower is better. Whiskers are 95% bootstrap intervals over examples: how far the error could move "
        "if other questions of this kind had been asked. Hollow markers have none, as published figures.",
    ),
)


def _as_metric(value: MetricValue | float | None, n: int | None) -> MetricValue | None:
    """Published figures are bare numbers."""
    return MetricValue(value=value, n=n or 0) if isinstance(value, float) else value


PERSONALIZATION: BoardKind[PersonalizationRow] = BoardKind(
    "Personalization",
    PERSONALIZATION_COLUMNS,
    "robustness_error",
    "ascending",
    filters=(
        Filter("method", "Method", "one_of", lambda row: row.method),
        Filter("model", "Model", "one_of", lambda row: row.model),
        Filter("ranked", "Ranked", "one_of", lambda row: "not ranked" if row.unranked else "ranked"),
        Filter("received", "Received", "since", lambda row: row.received_at),
        Filter(
            "kind",
            "Kind of row",
            "one_of",
            lambda row: {"run": "run", "null": "null row", "published": "published row"}[row.kind],
            reaches_null_rows=True,
        ),
    ),
    presets=(
        Preset(
            "essential",
            "Essential",
            (
                *("rank", "system", "method", "robustness_error", "breakage_rate", "alignment_failure"),
                *("unchanged_rate", "fallback_rate", "note"),
            ),
        ),
        Preset(
            "faults",
            "Noise and faults",
            (
                *("rank", "system", "method", "robustness_error", "breakage_rate", "repeat_breakage"),
                *("excess_breakage", "invalid_pref", "unparsable", "truncated"),
            ),
        ),
    ),
    paper=Paper(
        "okite2025robustness",
        "Okite, Chimaobi and others",
        "Benchmarking and Improving LLM Robustness for Personalized Generation",
        2025,
        "Findings of EMNLP 2025, arXiv 2509.19358",
    ),
    charts=PERSONALIZATION_CHARTS,
    about=PERSONALIZATION_ABOUT,
    question="What does it cost a right answer when the user has a preference?",
    counted="answers right without preferences",
    judge=lambda row: row.judge,
)

KINDS: dict[Board, BoardKind[Any]] = {
    "robustness": ROBUSTNESS,
    "consistency": CONSISTENCY,
    "cultural": CULTURAL,
    "judges": JUDGES,
    "personalization": PERSONALIZATION,
    "personalized_ratings": PERSONALIZED_RATINGS,
    "personalized_pairs": PERSONALIZED_PAIRS,
    "behavior": BEHAVIOR,
}
"""Every board, in the order of the tabs."""
