"""Columns of the board of judges that run here."""

from __future__ import annotations

from collections.abc import Callable

from evaluator.judge_quality.injection import ALL_ATTACKS, HARMLESS_SENTENCES
from evaluator.judge_quality.measurement import Quality
from evaluator.judge_quality.trial_values import Cost, JudgeTrials
from evaluator.results import MetricValue
from leaderboard.boards.judge_quality.rows import MEASURED, MeasuredJudge
from leaderboard.page.judge_quality import GRADED_BY
from leaderboard.page.people_agreement import (
    HOW_TO_ASK_PEOPLE,
    LIKENESS_MEANING,
    SAME_ANSWER_MEANING,
    SOURCE_SENTENCE,
)
from leaderboard.page.row_columns import name_column, name_mark, rank_column
from leaderboard.parts.columns import SHARE_SCALE, Column, DocsPage, Value, note_column

PAGE: DocsPage = "which_judge.md"


Hint = Callable[[MeasuredJudge], str]


def _judge_mark(row: MeasuredJudge) -> str:
    return f"({row.state})" if row.reported else name_mark(row)


def _agreement(read: Callable[[Quality], MetricValue]) -> Callable[[MeasuredJudge], MetricValue | None]:
    return lambda row: read(row.agreement) if row.agreement else None


def _trial(read: Callable[[JudgeTrials], MetricValue]) -> Callable[[MeasuredJudge], MetricValue | None]:
    return lambda row: read(row.trials) if row.trials else None


def _cost(read: Callable[[Cost], Value]) -> Callable[[MeasuredJudge], Value]:
    return lambda row: read(row.trials.cost) if row.trials else None


def _figure_hint(read: Callable[[MeasuredJudge], MetricValue | None], of_measured: str, of_reported: str) -> Hint:
    """What pointing at a cell tells: n of a figure, or why there is none."""

    def hint(row: MeasuredJudge) -> str:
        value = read(row)
        if value is not None and value.value is not None:
            return f"n = {value.n:,}"
        if value is not None and value.reason:
            return value.reason
        return of_reported if row.reported else of_measured

    return hint


def _no_price(row: MeasuredJudge) -> str:
    return "its publisher states none" if row.reported else "it runs here: see its processor seconds and tokens"


_NOBODY = "nobody has voted on its verdicts yet: open an item on a board and vote"
_NO_LABELS = "the log was read without labels by people, or they are of ratings"
_ADDED_HERE = "only judges that are asked here can be shown added texts"
_FLICKER = "judges here are asked once; a canary asks again (docs/canary.md)"
_ONLY_HERE = "only judges that are asked here can be measured on these texts"
_NO_REPEATS = "the log repeats no question"

MOST_NAMED = 6
"""Languages that a cell names; of more it tells the number."""


def _languages_text(languages: tuple[str, ...]) -> str:
    return ", ".join(languages) if len(languages) <= MOST_NAMED else f"{len(languages)} languages"


JUDGE_QUALITY_COLUMNS: tuple[Column[MeasuredJudge], ...] = (
    rank_column(
        "Places this judge may hold by agreement with people, all ranks together with 95%: judges that the questions "
        "cannot tell apart share places."
    ),
    name_column("judge", "Judge", "Its name, or that of its language model; opens every figure of it.", _judge_mark),
    Column(
        "data_set",
        "Figures of",
        "text",
        lambda row: row.data_set,
        "What was judged: people's labels, our labelled pairs, or the data set that the publisher of a self-reported "
        "row names.",
        is_searched=True,
    ),
    Column(
        "same_answer",
        "Agrees with people",
        "interval",
        lambda row: row.same_answer,
        f"Headline, 0-1 with 95% interval. {SAME_ANSWER_MEANING} {SOURCE_SENTENCE}",
        "higher",
        "same_answer",
        PAGE,
        is_faint=lambda row: row.state != MEASURED,
        hint=_figure_hint(lambda row: row.same_answer, HOW_TO_ASK_PEOPLE, _ONLY_HERE),
        missing="not measured",
        scale=SHARE_SCALE,
    ),
    Column(
        "likeness",
        "Likeness, English",
        "interval",
        lambda row: row.likeness,
        f"{LIKENESS_MEANING} {SOURCE_SENTENCE}",
        "higher",
        "likeness",
        PAGE,
        hint=_figure_hint(lambda row: row.likeness, HOW_TO_ASK_PEOPLE, _ONLY_HERE),
        missing="not measured",
    ),
    Column(
        "likeness_others",
        "Likeness, other languages",
        "interval",
        lambda row: row.likeness_others,
        f"Mean over the languages that it reads. {LIKENESS_MEANING} {SOURCE_SENTENCE}",
        "higher",
        "likeness",
        PAGE,
        hint=_figure_hint(lambda row: row.likeness_others, "not measured, or it reads English only", _ONLY_HERE),
        missing="not measured",
    ),
    Column(
        "auc",
        "Stress test",
        "interval",
        _agreement(lambda agreement: agreement.auc),
        "AUC on our own pairs, 0-1 with 95% interval: chance that a pair of answers that says the same scores above "
        f"one that does not; 0.5 is guessing. {GRADED_BY}",
        "higher",
        "auc",
        PAGE,
        is_faint=lambda row: row.state != MEASURED,
        missing="not measured",
        scale=SHARE_SCALE,
    ),
    Column(
        "accuracy",
        "Stress test: accuracy",
        "interval",
        _agreement(lambda agreement: agreement.accuracy),
        "Share of our own pairs on the right side of a score of 2.5, with 95% interval.",
        "higher",
        "accuracy",
        PAGE,
        missing="not measured",
    ),
    Column(
        "people",
        "Votes that agree",
        "interval",
        lambda row: row.people,
        "Share of what people say of its verdicts that the judge says too, with 95% interval: of judges here by votes "
        "of visitors who saw the verdict, of self-reported rows by the labels their publisher brought.",
        "higher",
        "people",
        PAGE,
        hint=_figure_hint(lambda row: row.people, _NOBODY, _NO_LABELS),
        missing="not measured",
    ),
    Column(
        "people_kappa",
        "Kappa with votes",
        "interval",
        lambda row: row.people_kappa,
        "The same beyond chance: Cohen's kappa with 95% interval; 1 = always, 0 = as by chance.",
        "higher",
        "people",
        PAGE,
        hint=_figure_hint(lambda row: row.people_kappa, _NOBODY, _NO_LABELS),
        missing="not measured",
    ),
    Column(
        "calibration_error",
        "Calibration error",
        "interval",
        _trial(lambda trials: trials.calibration_error),
        "How far mean score and mean grade lie apart where it scores alike, 0-5: 0 means that a 3 is a 3.",
        "lower",
        "calibration_error",
        PAGE,
    ),
    Column(
        "grade_shift",
        "Score − grade",
        "signed",
        _trial(lambda trials: trials.grade_shift),
        "Mean score minus mean grade, with 95% interval: above 0 it rates too high.",
        "nearer_zero",
        "grade_shift",
        PAGE,
    ),
    Column(
        "order_shift",
        "Order shift",
        "signed",
        _trial(lambda trials: trials.order_shift),
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
        lambda row: row.order_consistency,
        "Share of pairs whose rating lies on one side of 2.5 in both orders, with 95% interval; of self-reported rows "
        "the share of verdicts that survive when the answers exchange places.",
        "higher",
        "order_consistency",
        PAGE,
        hint=_figure_hint(lambda row: row.order_consistency, "not measured", "the log has no pair in both orders"),
        missing="not measured",
    ),
    Column(
        "repetition",
        "Same when asked again",
        "interval",
        lambda row: row.repetition,
        "Of self-reported rows: mean share of repeated verdicts that agree with their majority, or of answers whose "
        "repeated ratings are equal, with 95% interval.",
        "higher",
        "repetition",
        PAGE,
        hint=_figure_hint(lambda row: row.repetition, _FLICKER, _NO_REPEATS),
        missing="not measured",
    ),
    Column(
        "shared_text",
        "Shared-text shift",
        "signed",
        lambda row: row.shared_text_shift,
        "How far the same 12, 40 or 90 words in both answers move the score of pairs that differ, with 95% interval: "
        "0 means that they count for nothing.",
        "nearer_zero",
        "shared_text",
        PAGE,
        hint=_figure_hint(lambda row: row.shared_text_shift, "not measured", _ADDED_HERE),
        missing="not measured",
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
        hint=_figure_hint(lambda row: row.attack_shift(ALL_ATTACKS), "not measured", _ADDED_HERE),
        missing="not measured",
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
        lambda row: row.talked_up,
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
        "Languages it declares, or any; of self-reported rows those of the log, as stated. Pointing at their number "
        "names them. Our labelled pairs are English.",
        hint=lambda row: (
            ", ".join(row.languages) or "its publisher states none" if row.reported else ", ".join(row.languages)
        ),
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
        "price",
        "US$ / 1,000",
        "decimal",
        lambda row: row.price,
        "US dollars for 1,000 verdicts, as the publisher of a self-reported row states them.",
        "lower",
        "cost",
        PAGE,
        hint=lambda row: "" if row.price is not None else _no_price(row),
        missing="not stated",
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
