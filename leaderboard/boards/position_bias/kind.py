"""Declaration of the board of judges."""

from __future__ import annotations

from leaderboard.boards.position_bias.columns import JUDGES_COLUMNS
from leaderboard.boards.position_bias.methods import ABOUT
from leaderboard.boards.position_bias.rows import JudgeRow
from leaderboard.boards.position_bias.sentences import judge_sentence
from leaderboard.page.row_columns import MEASURED_FILTER, RANKED_FILTER, RECEIVED_FILTER
from leaderboard.parts.board_kind import BoardKind, Paper, Preset
from leaderboard.parts.filters import Filter
from leaderboard.parts.row_charts import BoardChart, scores_chart
from leaderboard.parts.shown_rows import Axis

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
        explanation="Whiskers are 95% intervals over queries: how far PC could move if other queries of this "
        "kind had been asked. Hollow markers have none: too few queries, or a judge that does not read.",
    ),
)

JUDGES: BoardKind[JudgeRow] = BoardKind(
    "judges",
    "Position bias",
    JUDGES_COLUMNS,
    "position_consistency",
    sentence=judge_sentence,
    filters=(
        Filter("family", "Judge family", "one_of", lambda row: row.card.family or ""),
        Filter("team", "Team", "one_of", lambda row: row.team),
        MEASURED_FILTER,
        RANKED_FILTER,
        RECEIVED_FILTER,
        Filter(
            "kind",
            "Kind of row",
            "one_of",
            lambda row: "baseline" if row.is_null else "published row" if row.published else "judge",
            reaches_null_rows=True,
        ),
    ),
    presets=(
        Preset(
            "essential",
            "Essential",
            (
                "rank",
                "judge",
                "position_consistency",
                "preference_fairness",
                "labelled_agreement",
                "n_queries",
                "measured",
                "note",
            ),
        ),
        Preset(
            "besides_quality",
            "Biases",
            (
                *("rank", "judge", "position_consistency", "place_effect"),
                *("length_effect", "family_effect", "biases"),
            ),
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
    about=ABOUT,
    group=lambda row: row.group,
    question="Does a verdict hold when the answers swap places?",
    nouns=("judge", "judges"),
    best="Most consistent",
    counted="questions",
)
