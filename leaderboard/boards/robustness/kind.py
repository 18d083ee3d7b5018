"""Declaration of the board of 2024."""

from __future__ import annotations

from evaluator.robustness.panel import family_of
from leaderboard.boards.robustness.charts import CHARTS
from leaderboard.boards.robustness.columns import ROBUSTNESS_COLUMNS
from leaderboard.boards.robustness.methods import ABOUT
from leaderboard.boards.robustness.rows import RobustnessRow
from leaderboard.page.kept_points import kept_points_sentence
from leaderboard.page.measured import is_ours
from leaderboard.page.row_columns import RECEIVED_FILTER, flags_filter
from leaderboard.parts.board_kind import BoardKind, Paper, Preset
from leaderboard.parts.filters import Filter
from submissions.schema import Count
from submissions.store.queue import Role

SHARE_STEPS = (50, 80, 90, 95, 100)


def share_of(count: Count) -> float | None:
    """Answered of expected; None where it is not known how many were expected."""
    return count.answered / count.expected if count.expected else None


def _kind_of_entry(row: RobustnessRow) -> str:
    return _KINDS[row.role]


_KINDS: dict[Role, str] = {
    "entry": "entry",
    "recorded": "recorded model",
    "example": "designed example",
    "baseline": "baseline",
}


ROBUSTNESS: BoardKind[RobustnessRow] = BoardKind(
    "robustness",
    "Robustness",
    ROBUSTNESS_COLUMNS,
    "score",
    sentence=lambda row: kept_points_sentence(
        row.name,
        row.figures["pair_mean_gated"].mean,
        row.figures["pair_mean"].mean,
        changes="style",
        is_null=row.is_null,
    ),
    filters=(
        Filter("judge", "Judge", "one_of", lambda row: f"{row.judge.name} ({row.judge.model})"),
        Filter("family", "Model family or model", "one_of", lambda row: family_of(row.model) or row.model),
        Filter("coverage", "Coverage", "at_least", lambda row: share_of(row.coverage), steps=SHARE_STEPS),
        flags_filter(lambda row: (flag for flag, count in row.flags.items() if count)),
        RECEIVED_FILTER,
        Filter("kind", "Kind of row", "one_of", _kind_of_entry, reaches_null_rows=True),
    ),
    presets=(
        Preset(
            "essential",
            "Essential",
            ("rank", "system", "score", "raw", "worst", "panel", "win_rate", "judged", "flags", "note"),
        ),
        Preset("evidence", "Evidence", ("rank", "system", "score", "flags", "judged", "coverage", "judge")),
        Preset("origin", "Who and when", ("rank", "system", "score", "team", "model", "run", "attempts", "date")),
    ),
    paper=Paper(
        "sahlgren2024eloquent",
        "Sahlgren, Magnus and others",
        "ELOQUENT 2024 - Robustness Task",
        2024,
        "CLEF 2024 working notes, CEUR-WS Vol-3740",
    ),
    charts=CHARTS,
    about=ABOUT,
    question="Same answer when only the style changes?",
    nouns=("system", "systems"),
    counted="items",
    is_example=is_ours,
    judge=lambda row: row.judge,
)
