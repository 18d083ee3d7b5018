"""Declaration of the board of recommenders."""

from __future__ import annotations

from leaderboard.boards.behavior_alignment.charts import BEHAVIOR_CHARTS
from leaderboard.boards.behavior_alignment.columns import BEHAVIOR_COLUMNS
from leaderboard.boards.behavior_alignment.methods import ABOUT
from leaderboard.boards.behavior_alignment.rows import BehaviorRow
from leaderboard.boards.behavior_alignment.sentences import strategy_sentence
from leaderboard.page.measured import is_ours
from leaderboard.page.row_columns import MEASURED_FILTER, RANKED_FILTER, RECEIVED_FILTER, flags_filter
from leaderboard.parts.board_kind import BoardKind, Paper, Preset
from leaderboard.parts.filters import Filter


def _kind_of_row(row: BehaviorRow) -> str:
    if row.is_null:
        return "reference row"
    if row.published:
        return "published row"
    return "our own example" if row.role == "example" else "system"


BEHAVIOR: BoardKind[BehaviorRow] = BoardKind(
    "behavior",
    "Recommenders",
    BEHAVIOR_COLUMNS,
    "alignment",
    sentence=strategy_sentence,
    filters=(
        Filter("model", "Model", "one_of", lambda row: row.model),
        flags_filter(lambda row: row.flags),
        MEASURED_FILTER,
        RANKED_FILTER,
        RECEIVED_FILTER,
        Filter("kind", "Kind of row", "one_of", _kind_of_row, reaches_null_rows=True),
    ),
    presets=(
        Preset(
            "essential",
            "Essential",
            ("rank", "team", "system", "alignment", "basis", "turns_before", "dialogues", "measured", "note"),
        ),
        Preset(
            "rules",
            "Rules for several strategies",
            (
                *("rank", "system", "alignment", "ba_eq2", "ba_strategic", "rule_first", "rule_any_overlap"),
                "rule_jaccard",
            ),
        ),
        Preset("estimate", "The estimate", ("rank", "system", "alignment", "basis", "raw", "corrected")),
        Preset(
            "words",
            "Words",
            (
                *("rank", "system", "alignment", "bleu_1", "bleu_2", "bleu_3", "bleu_4"),
                *("dist_1", "dist_2", "dist_3", "dist_4", "copied_share"),
            ),
        ),
    ),
    paper=Paper(
        "yang2024behavior",
        "Yang, Dayu and Chen, Fumian and Fang, Hui",
        "Behavior Alignment: A New Perspective of Evaluating LLM-based Conversational Recommendation Systems",
        2024,
        "SIGIR 2024, DOI 10.1145/3626772.3657924",
    ),
    charts=BEHAVIOR_CHARTS,
    about=ABOUT,
    question="Does a recommender act as humans do?",
    nouns=("system", "systems"),
    counted="dialogues",
    is_example=is_ours,
    instead="turns_before",
)
