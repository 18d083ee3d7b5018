"""Columns of how well judges agree with labelled pairs."""

from __future__ import annotations

from leaderboard.page.quality_rows import GRADED_BY, QualityRow
from leaderboard.parts.columns import SHARE_SCALE, Column

QUALITY_COLUMNS: tuple[Column[QualityRow], ...] = (
    Column("judge", "Judge", "text", lambda row: row.judge, "Opens its card.", is_name=True, sortable=False),
    Column(
        "auc",
        "AUC",
        "interval",
        lambda row: row.quality.auc,
        "Chance that a pair of answers that says the same scores above one that does not; 0.5 is guessing. "
        + GRADED_BY,
        "higher",
        "agreement with labelled pairs",
        "judges.md",
        sortable=False,
        scale=SHARE_SCALE,
    ),
    Column(
        "accuracy",
        "Accuracy",
        "interval",
        lambda row: row.quality.accuracy,
        "Share of pairs on the right side of a score of 2.5.",
        "higher",
        "agreement with labelled pairs",
        "judges.md",
        sortable=False,
    ),
    Column(
        "balanced_accuracy",
        "Balanced accuracy",
        "interval",
        lambda row: row.quality.balanced_accuracy,
        "Mean of the accuracy on pairs that say the same and on the others; one answer for all pairs reaches 0.5.",
        "higher",
        "agreement with labelled pairs",
        "judges.md",
        sortable=False,
    ),
    Column(
        "spearman",
        "Rank correlation",
        "interval",
        lambda row: row.quality.spearman,
        "Spearman's, of scores and grades.",
        "higher",
        "agreement with labelled pairs",
        "judges.md",
        sortable=False,
    ),
    Column(
        "order_gap",
        "Order gap",
        "interval",
        lambda row: row.order_gap,
        "Mean difference between the ratings in both orders, 0-5.",
        "lower",
        sortable=False,
    ),
    Column(
        "pairs", "Pairs", "whole", lambda row: row.quality.auc.n, "Labelled pairs that were scored.", sortable=False
    ),
    Column("unscored", "Unscored", "whole", lambda row: row.unscored, "Pairs it gave no score.", sortable=False),
    Column("model", "Model", "text", lambda row: row.model, "The model behind it.", sortable=False),
)
"""Judges by their agreement with our labelled pairs."""
