"""The two boards of personalized evaluation as they are declared: predicted ratings, and predicted choices."""

from __future__ import annotations

from leaderboard.boards.personalized_evaluation.charts import PAIRS_CHARTS, RATINGS_CHARTS
from leaderboard.boards.personalized_evaluation.columns import PAIRS_COLUMNS, RATINGS_COLUMNS
from leaderboard.boards.personalized_evaluation.methods import PAIRS_ABOUT, RATINGS_ABOUT
from leaderboard.boards.personalized_evaluation.rows import ASPECT_KEYS, EvaluatorRow
from leaderboard.boards.personalized_evaluation.runs import EvaluatorsKind
from leaderboard.boards.personalized_evaluation.sentences import taste_sentence
from leaderboard.page.measured import is_ours
from leaderboard.page.row_columns import RANKED_FILTER, RECEIVED_FILTER
from leaderboard.parts.board_kind import BoardKind, Paper, Preset
from leaderboard.parts.filters import Filter

PARSE_STEPS = (50, 80, 90, 95, 100)

_FILTERS: tuple[Filter[EvaluatorRow], ...] = (
    Filter("model", "Model", "one_of", lambda row: row.model),
    Filter("team", "Team", "one_of", lambda row: row.team),
    Filter(
        "answers", "Answered by", "one_of", lambda row: "the judge of this site" if row.judge else "the submitted file"
    ),
    Filter("parsed", "Parse rate", "at_least", lambda row: row.value("parse_rate"), steps=PARSE_STEPS),
    RANKED_FILTER,
    RECEIVED_FILTER,
    Filter(
        "kind",
        "Kind of row",
        "one_of",
        lambda row: "reference" if row.is_null else "published row" if row.published else "run",
        reaches_null_rows=True,
    ),
)

_PAPER = Paper(
    "wang2024perse",
    "Wang, Danqing and others",
    "Learning Personalized Alignment for Evaluating Open-ended Text Generation",
    2024,
    "EMNLP 2024, arXiv 2310.03304",
)

PERSONALIZED_RATINGS: BoardKind[EvaluatorRow] = BoardKind(
    "personalized_ratings",
    "Personal raters: ratings",
    RATINGS_COLUMNS,
    "tau",
    sentence=taste_sentence,
    filters=_FILTERS,
    presets=(
        Preset(
            "essential",
            "Essential",
            ("rank", "evaluator", "k", "tau", "gain", "gain_k0", "parse_rate", "n", "measured", "note"),
        ),
        Preset(
            "agreement",
            "Agreement",
            ("rank", "evaluator", "k", "tau", "pearson", "spearman", "within", "mae", "exact_match", "reviewers", "n"),
        ),
        Preset(
            "memory",
            "Order and memory",
            ("rank", "evaluator", "k", "tau", "order_std", "tau_memorized", "tau_unmemorized", "parse_rate"),
        ),
        Preset(
            "explanations",
            "Explanations",
            ("rank", "evaluator", "k", "tau", "bleu", "rouge1", "bertscore", "bartscore"),
        ),
    ),
    paper=_PAPER,
    charts=RATINGS_CHARTS,
    about=RATINGS_ABOUT,
    question="Can a judge rate like one reader?",
    nouns=("evaluator", "evaluators"),
    best="Closest to its reader",
    counted="items",
    deciders="readers",
    beside_name=("k",),
    is_example=is_ours,
    judge=lambda row: row.judge,
)

PERSONALIZED_PAIRS: BoardKind[EvaluatorRow] = BoardKind(
    "personalized_pairs",
    "Personal raters: pairs",
    PAIRS_COLUMNS,
    "macro",
    sentence=taste_sentence,
    filters=_FILTERS,
    presets=(
        Preset(
            "essential",
            "Essential",
            ("rank", "evaluator", "k", "macro", "gain", "consistency", "bias_first", "n", "measured", "note"),
        ),
        Preset("aspects", "Aspects", ("rank", "evaluator", "k", "macro", *ASPECT_KEYS.values(), "n")),
        Preset(
            "position",
            "Position and memory",
            ("rank", "evaluator", "k", "macro", "consistency", "bias_first", "bias_both", "bias_memorized"),
        ),
    ),
    paper=_PAPER,
    charts=PAIRS_CHARTS,
    about=PAIRS_ABOUT,
    question="Can a judge choose like one reader?",
    nouns=("evaluator", "evaluators"),
    best="Most accurate",
    counted="items",
    deciders="readers",
    beside_name=("k",),
    is_example=is_ours,
    judge=lambda row: row.judge,
)

KINDS: dict[EvaluatorsKind, BoardKind[EvaluatorRow]] = {
    "personalized_ratings": PERSONALIZED_RATINGS,
    "personalized_pairs": PERSONALIZED_PAIRS,
}
"""The boards of both kinds of runs."""
