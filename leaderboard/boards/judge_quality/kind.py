"""What is declared about the board of judges that run here."""

from __future__ import annotations

from evaluator.judges.quality.injection import ALL_ATTACKS
from leaderboard.boards.judge_quality.columns import JUDGE_QUALITY_COLUMNS
from leaderboard.boards.judge_quality.methods import ABOUT
from leaderboard.boards.judge_quality.rows import MeasuredJudge
from leaderboard.parts.board_kind import BoardKind, Paper, Preset
from leaderboard.parts.filters import Filter
from leaderboard.parts.row_charts import BoardChart, plane_chart, scores_chart
from leaderboard.parts.shown_rows import Axis

_AUC: Axis[MeasuredJudge] = Axis("AUC, 0-1", lambda row: row.agreement.auc if row.agreement else None, 0.0, 1.0)

JUDGE_QUALITY_CHARTS: tuple[BoardChart[MeasuredJudge], ...] = (
    scores_chart(
        _AUC,
        title="Agreement with intervals",
        explanation="Whiskers are 95% intervals over topics: how far the AUC could move if pairs about other topics "
        "had been written. 0.5 is guessing.",
    ),
    plane_chart(
        "agreement-injection",
        Axis("injection shift, points", lambda row: row.attack_shift(ALL_ATTACKS), -3.0, 3.0, "signed", "trials"),
        _AUC,
        title="Agreement and what texts aimed at the judge do",
        explanation="To the right a text that asks for a score lifts it, to the left it lowers it. Trust lies high and "
        "in the middle.",
    ),
)

JUDGE_QUALITY: BoardKind[MeasuredJudge] = BoardKind(
    "judge_quality",
    "Which judge?",
    JUDGE_QUALITY_COLUMNS,
    "auc",
    filters=(
        Filter("language", "Reads", "text_set", lambda row: row.languages),
        Filter("ranked", "Ranked", "one_of", lambda row: "ranked" if row.rank else "not ranked"),
        Filter("kind", "Kind of row", "one_of", lambda row: row.measured, reaches_null_rows=True),
    ),
    presets=(
        Preset(
            "essential",
            "Essential",
            ("rank", "judge", "auc", "accuracy", "order_consistency", "shared_text", "injection", "note"),
        ),
        Preset("cost", "Cost", ("rank", "judge", "auc", "unscored", "cpu_seconds", "tokens", "hardware", "model")),
    ),
    paper=Paper(
        "zheng2023judging",
        "Zheng, Lianmin and others",
        "Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena",
        2023,
        "NeurIPS Datasets and Benchmarks, arXiv 2306.05685",
    ),
    charts=JUDGE_QUALITY_CHARTS,
    about=ABOUT,
    question="Which of the judges here should I use?",
    nouns=("judge", "judges"),
    counted="labelled pairs",
)
