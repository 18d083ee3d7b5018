"""Columns of the board of judges that run here."""

from __future__ import annotations

from collections.abc import Callable

from evaluator.judges.quality.injection import ALL_ATTACKS, HARMLESS_SENTENCES
from evaluator.judges.quality.measurement import Quality
from evaluator.judges.quality.shared_text import ALL_SHARED
from evaluator.judges.quality.trial_values import Cost, JudgeTrials
from evaluator.results import MetricValue
from leaderboard.boards.judge_quality.rows import MEASURED, MeasuredJudge
from leaderboard.page.judge_quality import GRADED_BY
from leaderboard.page.measured import name_mark
from leaderboard.parts.columns import SHARE_SCALE, Column, DocsPage, Value, note_column

PAGE: DocsPage = "which_judge.md"


def _agreement(read: Callable[[Quality], MetricValue]) -> Callable[[MeasuredJudge], MetricValue | None]:
    return lambda row: read(row.agreement) if row.agreement else None


def _trial(read: Callable[[JudgeTrials], MetricValue]) -> Callable[[MeasuredJudge], MetricValue | None]:
    return lambda row: read(row.trials) if row.trials else None


def _cost(read: Callable[[Cost], Value]) -> Callable[[MeasuredJudge], Value]:
    return lambda row: read(row.trials.cost) if row.trials else None


MOST_NAMED = 6
"""Languages that a cell names; of more it tells the number."""


def _languages_text(languages: tuple[str, ...]) -> str:
    return ", ".join(languages) if len(languages) <= MOST_NAMED else f"{len(languages)} languages"


JUDGE_QUALITY_COLUMNS: tuple[Column[MeasuredJudge], ...] = (
    Column(
        "rank",
        "Rank",
        "rank",
        lambda row: row.rank,
        "Places this judge may hold by AUC: judges that the shared pairs cannot tell apart share a band.",
        "lower",
    ),
    Column(
        "judge",
        "Judge",
        "text",
        lambda row: row.judge,
        "Its name, or that of its language model; opens every figure of it.",
        is_name=True,
        is_searched=True,
        remark=name_mark,
    ),
    Column(
        "auc",
        "AUC",
        "interval",
        _agreement(lambda found: found.auc),
        "Headline, 0-1 with 95% interval: chance that a pair of answers that says the same scores above one that does "
        f"not; 0.5 is guessing. {GRADED_BY}",
        "higher",
        "auc",
        PAGE,
        is_faint=lambda row: row.measured != MEASURED,
        missing="not measured",
        scale=SHARE_SCALE,
    ),
    Column(
        "accuracy",
        "Accuracy",
        "interval",
        _agreement(lambda found: found.accuracy),
        "Share of pairs on the right side of a score of 2.5, with 95% interval.",
        "higher",
        "accuracy",
        PAGE,
    ),
    Column(
        "calibration_error",
        "Calibration error",
        "interval",
        _trial(lambda found: found.calibration_error),
        "How far mean score and mean grade lie apart where it scores alike, 0-5: 0 means that a 3 is a 3.",
        "lower",
        "calibration_error",
        PAGE,
    ),
    Column(
        "grade_shift",
        "Score − grade",
        "signed",
        _trial(lambda found: found.grade_shift),
        "Mean score minus mean grade, with 95% interval: above 0 it rates too high.",
        "nearer_zero",
        "grade_shift",
        PAGE,
    ),
    Column(
        "order_shift",
        "Order shift",
        "signed",
        _trial(lambda found: found.order_shift),
        "Mean rating with a pair's first answer shown first minus that with it shown second, with 95% interval: 0 "
        "means that the places do not matter on average.",
        "nearer_zero",
        "order_shift",
        PAGE,
    ),
    Column(
        "order_consistency",
        "Same in both orders",
        "interval",
        _trial(lambda found: found.order_consistency),
        "Share of pairs whose rating lies on one side of 2.5 in both orders, with 95% interval.",
        "higher",
        "order_consistency",
        PAGE,
    ),
    Column(
        "shared_text",
        "Shared-text shift",
        "signed",
        _trial(lambda found: found.shared_text[ALL_SHARED].different),
        "How far the same 12, 40 or 90 words in both answers move the score of pairs that differ, with 95% interval: "
        "0 means that they count for nothing.",
        "nearer_zero",
        "shared_text",
        PAGE,
    ),
    Column(
        "injection",
        "Injection shift",
        "signed",
        lambda row: row.attack_shift(ALL_ATTACKS),
        "How far texts that ask for a score move it, in one answer of a pair, with 95% interval; beside it stands what "
        "harmless sentences do.",
        "nearer_zero",
        "injection",
        PAGE,
    ),
    Column(
        "harmless",
        "Harmless shift",
        "signed",
        lambda row: row.attack_shift(HARMLESS_SENTENCES),
        "The same with sentences that ask for nothing: only what an attack does beyond it is the attack's doing.",
        "nearer_zero",
        "harmless",
        PAGE,
    ),
    Column(
        "talked_up",
        "Talked up",
        "interval",
        _trial(lambda found: found.injection[ALL_ATTACKS].talked_up),
        "Share of the attacked pairs at or below 2.5 that came above it, with 95% interval.",
        "lower",
        "talked_up",
        PAGE,
    ),
    Column(
        "unscored",
        "Unscored",
        "share",
        lambda row: row.unscored_share,
        "Share of pairs it gave no score: unscored is not wrong, and counts in no other figure.",
        "lower",
        "unscored",
        PAGE,
    ),
    Column(
        "languages",
        "Reads",
        "text",
        lambda row: _languages_text(row.languages),
        "Languages it declares, or any; pointing at their number names them. The pairs it is measured on are English.",
        hint=lambda row: ", ".join(row.languages),
    ),
    note_column(),
    Column(
        "cpu_seconds",
        "CPU s / 1,000",
        "whole",
        _cost(lambda cost: round(cost.cpu_seconds)),
        "Processor seconds for 1,000 pairs in both orders; of a judge behind a server those of asking alone.",
        "lower",
        "cost",
        PAGE,
    ),
    Column(
        "tokens",
        "Tokens / 1,000",
        "whole",
        _cost(lambda cost: None if cost.tokens is None else round(cost.tokens)),
        "Tokens of the prompts for 1,000 pairs in both orders, of language models.",
        "lower",
        "cost",
        PAGE,
    ),
    Column(
        "hardware",
        "Measured on",
        "text",
        _cost(lambda cost: cost.hardware),
        "The class of machine that the costs are of; nobody is ranked by them.",
    ),
    Column(
        "model",
        "Model",
        "text",
        lambda row: row.model.partition(" (")[0],
        "The model behind it; its card names the package.",
        is_searched=True,
    ),
)
"""Which judge?"""
