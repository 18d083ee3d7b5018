"""Declaration of the board of personalization."""

from __future__ import annotations

from evaluator.results import MetricValue
from leaderboard.boards.personalization.columns import PERSONALIZATION_COLUMNS
from leaderboard.boards.personalization.methods import ABOUT
from leaderboard.boards.personalization.rows import PersonalizationRow
from leaderboard.boards.personalization.sentences import lost_answers_sentence
from leaderboard.page.measured import is_ours
from leaderboard.page.row_columns import RANKED_FILTER, RECEIVED_FILTER
from leaderboard.parts.board_kind import BoardKind, Paper, Preset
from leaderboard.parts.filters import Filter
from leaderboard.parts.row_charts import BoardChart, scores_chart
from leaderboard.parts.shown_rows import Axis

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
        explanation="Lower is better. Whiskers are 95% intervals over examples: how far the error could move "
        "if other questions of this kind had been asked. Hollow markers have none, as published figures.",
    ),
)


def _as_metric(value: MetricValue | float | None, n: int | None) -> MetricValue | None:
    """Published figures are bare numbers."""
    return MetricValue(value=value, n=n or 0) if isinstance(value, float) else value


def _kind_of_row(row: PersonalizationRow) -> str:
    if row.role == "recorded":
        return "recorded model"
    return "baseline" if row.is_null else "published row" if row.published else "run"


PERSONALIZATION: BoardKind[PersonalizationRow] = BoardKind(
    "personalization",
    "Personalization",
    PERSONALIZATION_COLUMNS,
    "robustness_error",
    "ascending",
    sentence=lost_answers_sentence,
    filters=(
        Filter("method", "Method", "one_of", lambda row: row.method),
        Filter("model", "Model", "one_of", lambda row: row.model),
        RANKED_FILTER,
        RECEIVED_FILTER,
        Filter(
            "kind",
            "Kind of row",
            "one_of",
            _kind_of_row,
            reaches_null_rows=True,
        ),
    ),
    presets=(
        Preset(
            "essential",
            "Essential",
            (
                *("rank", "system", "method", "robustness_error", "breakage_rate", "alignment_failure"),
                *("unchanged_rate", "fallback_rate", "n", "note"),
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
    about=ABOUT,
    question="What do user preferences cost in right answers?",
    best="Fewest answers lost",
    counted="answers right without preferences",
    deciders="questions",
    beside_name=("method",),
    is_example=is_ours,
    judge=lambda row: row.judge,
)
