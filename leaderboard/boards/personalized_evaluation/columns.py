"""Every column of the Personalized evaluation boards and of the lists behind one row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from leaderboard.boards.personalized_evaluation.items import PredictedRow
from leaderboard.boards.personalized_evaluation.rows import ASPECT_KEYS, EvaluatorRow
from leaderboard.page.ledger import ledger_columns
from leaderboard.page.row_columns import (
    date_column,
    measured_column,
    model_column,
    name_column,
    rank_column,
    run_column,
    team_column,
)
from leaderboard.parts.columns import SHARE_SCALE, SIGNED_SCALE, Column, Format, note_column
from leaderboard.parts.interval_bars import Scale
from submissions.formats.personalized_evaluation.submission import ASPECTS

Better = Literal["higher", "lower", "nearer_zero"]


def _figure(
    key: str,
    label: str,
    format_: Format,
    tooltip: str,
    better: Better | None,
    anchor: str,
    *,
    scale: Scale | None = None,
    remark: Callable[[EvaluatorRow], str] | None = None,
    has_hint: bool = False,
    is_optional: bool = False,
) -> Column[EvaluatorRow]:
    """A figure of a report; `anchor` is its heading in the docs."""
    return Column(
        key,
        label,
        format_,
        lambda row: row.figure(key),
        tooltip,
        better,
        anchor,
        "personalized_evaluation.md",
        remark=remark,
        hint=(lambda row: row.hint(key)) if has_hint else None,
        scale=scale,
        is_left_out_when_empty=is_optional,
    )


def _name_columns(what: str) -> tuple[Column[EvaluatorRow], ...]:
    return (
        rank_column(
            f"Places this evaluator may hold by {what} among runs on the same data with the same k: rows that the "
            "readers cannot tell apart share places, and all ranks hold together with 95%. References, published and "
            "unranked rows have none."
        ),
        name_column(
            "evaluator", "Evaluator", "What predicts; opens its items. Published rows are marked beside the name."
        ),
        Column(
            "k",
            "k",
            "whole",
            lambda row: row.k,
            "Earlier reviews of the same reader that the evaluator was shown with each item.",
        ),
    )


_NOTE: Column[EvaluatorRow] = note_column()
_MEASURED: Column[EvaluatorRow] = measured_column("predictions that a team sent beside what was to be predicted")
_PARSE_RATE = _figure(
    "parse_rate",
    "Parse rate",
    "percent",
    "Share of items with a readable answer; the others count against the headline. Below 50% a row is not ranked.",
    "higher",
    "answered, parse_rate, missing",
    has_hint=True,
)
_LAST: tuple[Column[EvaluatorRow], ...] = (
    Column("reviewers", "Readers", "whole", lambda row: row.n_reviewers, "Readers: what intervals resample.", "higher"),
    Column(
        "n",
        "n",
        "whole",
        lambda row: row.n,
        "Items: one reader and one new text (or pair and aspect).",
        "higher",
        missing="not stated",
    ),
    Column(
        "judge",
        "Judge",
        "text",
        lambda row: f"{row.judge.name} ({row.judge.model} @ {row.judge.revision[:12]})" if row.judge else "",
        "The judge of this site that answered a file without answers; blank where the file brought them.",
    ),
    team_column(),
    model_column("The model behind it, as stated."),
    run_column(),
    *ledger_columns("Submissions of this system so far."),
    date_column("the run was"),
)


def _gain(what: str) -> Column[EvaluatorRow]:
    return _figure(
        "gain",
        "Gain over Reviewer Avg.",
        "signed",
        f"The headline less that of {what}, with 95% interval on the same draws of readers. Below 0 that simple rule "
        "does better.",
        "higher",
        "gain_over_reviewer_avg",
        scale=SIGNED_SCALE,
        is_optional=True,
    )


RATINGS_COLUMNS: tuple[Column[EvaluatorRow], ...] = (
    *_name_columns("tau"),
    _figure(
        "tau",
        "Tau, all items",
        "interval",
        "Headline, with 95% interval: Kendall's tau-b of predictions with the readers' own scores over all items, a "
        "missing prediction standing at the middle of the scale. −1 to 1.",
        "higher",
        "penalized",
        scale=SIGNED_SCALE,
    ),
    _figure(
        "pearson",
        "Pearson",
        "interval",
        "Pearson's r over the answered items, with 95% interval; pointing at it tells the p-value.",
        "higher",
        "metrics",
        has_hint=True,
    ),
    _figure(
        "spearman",
        "Spearman",
        "interval",
        "Spearman's rho over the answered items, with 95% interval; pointing at it tells the p-value.",
        "higher",
        "metrics",
        has_hint=True,
    ),
    _figure(
        "within",
        "Tau within readers",
        "interval",
        "Mean tau-b inside of readers with three answered items or more: personal taste, without how mild a reader is "
        "in general.",
        "higher",
        "metrics",
        has_hint=True,
    ),
    _gain("the mean of the scores shown"),
    _figure(
        "gain_k0",
        "Gain over k = 0",
        "signed",
        "The headline less that of the same evaluator (team, system, model) without any review shown, with 95% "
        "interval on the same draws: what knowing the reader is worth.",
        "higher",
        "gain_over_k0",
        scale=SIGNED_SCALE,
    ),
    _NOTE,
    _MEASURED,
    _PARSE_RATE,
    _figure(
        "mae",
        "MAE",
        "decimal",
        "Mean absolute error over the answered items, after moving predictions to the readers' scale.",
        "lower",
        "metrics",
    ),
    _figure(
        "exact_match",
        "Exact",
        "percent",
        "Share of answered items whose prediction rounds to the reader's score.",
        "higher",
        "metrics",
    ),
    _figure(
        "order_std",
        "Order std",
        "decimal",
        "Standard deviation of tau over other orders of the same reviews: 0 = their order does not matter.",
        "lower",
        "order_shuffle",
        has_hint=True,
        is_optional=True,
    ),
    _figure(
        "tau_memorized",
        "Tau, memorized",
        "decimal",
        "Tau over the items whose text the model recognised.",
        None,
        "contamination",
        has_hint=True,
        is_optional=True,
    ),
    _figure(
        "tau_unmemorized",
        "Tau, unmemorized",
        "decimal",
        "Tau over the items whose text the model did not recognise; far below the other one, it remembers.",
        "higher",
        "contamination",
        has_hint=True,
        is_optional=True,
    ),
    _figure(
        "bleu",
        "BLEU",
        "decimal",
        "Explanations beside what the readers wrote: corpus BLEU, 0-100. Never ranked by.",
        "higher",
        "explanation",
        has_hint=True,
        is_optional=True,
    ),
    _figure(
        "rouge1",
        "ROUGE-1",
        "percent",
        "Explanations beside what the readers wrote: mean F of shared words. Never ranked by.",
        "higher",
        "explanation",
        has_hint=True,
        is_optional=True,
    ),
    _figure(
        "bertscore",
        "BERTScore",
        "percent",
        "Explanations beside what the readers wrote: mean F1 of contextual embeddings. Never ranked by: all published "
        "systems lie within half a point.",
        "higher",
        "explanation",
        has_hint=True,
        is_optional=True,
    ),
    _figure(
        "bartscore",
        "BARTScore",
        "decimal",
        "Mean log-likelihood per token of the reader's text given the explanation. Never ranked by.",
        "higher",
        "explanation",
        has_hint=True,
        is_optional=True,
    ),
    *_LAST,
)
"""The board of predicted ratings."""

PAIRS_COLUMNS: tuple[Column[EvaluatorRow], ...] = (
    *_name_columns("macro accuracy"),
    _figure(
        "macro",
        "Accuracy, macro",
        "percent",
        "Headline, with 95% interval: mean over the five aspects of the share of right choices, of all items; a "
        "missing choice is wrong. One half is no floor: see Always A and Always B.",
        "higher",
        "accuracy_macro",
        scale=SHARE_SCALE,
    ),
    *(
        _figure(
            ASPECT_KEYS[aspect],
            aspect,
            "percent",
            f"Share of right choices in {aspect} among the answered items, with 95% interval; pointing at it tells the "
            "share of all items.",
            "higher",
            "accuracy",
            has_hint=True,
        )
        for aspect in ASPECTS
    ),
    _gain("the choice shown most often"),
    _figure(
        "winner_accuracy",
        "Winner accuracy",
        "percent",
        "Share of comparisons in which the text that wins most aspects is predicted; comparisons at one half are left "
        "out.",
        "higher",
        "alignment",
        has_hint=True,
    ),
    _figure(
        "consistency",
        "Cons.",
        "percent",
        "Share of items for which the same text is chosen in both orders.",
        "higher",
        "both_orders",
        has_hint=True,
        is_optional=True,
    ),
    _figure(
        "bias_first",
        "Bias First",
        "signed",
        "How much more often the first text is chosen than the readers choose it, in the given order: above 0 the "
        "evaluator favours the first, below 0 the second. Sorted by size without sign.",
        "nearer_zero",
        "bias_first",
        remark=lambda row: row.bias_words,
        scale=SIGNED_SCALE,
        is_optional=True,
    ),
    _NOTE,
    _MEASURED,
    _figure(
        "bias_memorized",
        "Bias Memorized",
        "signed",
        "Where one of two texts was recognised: how much more often it is chosen than the readers choose it.",
        "nearer_zero",
        "bias_memorized",
        has_hint=True,
        is_optional=True,
    ),
    _PARSE_RATE,
    _figure(
        "macro_answered",
        "Macro, answered",
        "percent",
        "Mean over the five aspects of the share of right choices among the answered items, with 95% interval.",
        "higher",
        "accuracy_macro",
    ),
    _figure(
        "win_rate_tau",
        "Tau of win rates",
        "decimal",
        "Kendall's tau-b of predicted win rates (share of aspects won by A) with the readers', over complete "
        "comparisons.",
        "higher",
        "alignment",
    ),
    _figure(
        "bias_both",
        "Bias First, both orders",
        "signed",
        "How much more than half of the choices goes to the text shown first, over items answered in both orders; "
        "times −2 it is positional fairness (+ = recency).",
        "nearer_zero",
        "both_orders",
    ),
    *_LAST,
)
"""The board of predicted choices."""


def _listed(
    key: str, label: str, format_: Format, value: Callable[[PredictedRow], str | float | None], tooltip: str
) -> Column[PredictedRow]:
    return Column(key, label, format_, value, tooltip, sortable=False)


_ITEM: Column[PredictedRow] = Column(
    "item", "Item", "text", lambda row: row.item, "Opens its texts.", is_name=True, sortable=False
)
_WHY = _listed("reason", "Missing", "text", lambda row: row.reason, "Why there is no answer.")
_REMARK = _listed("remark", "Note", "text", lambda row: row.remark, "What else one must know.")
SAID_OF_SOME = frozenset({_WHY.key, _REMARK.key})
"""Left out of a list of predictions in which nothing is said there."""

RATED_COLUMNS: tuple[Column[PredictedRow], ...] = (
    _ITEM,
    _listed("reviewer", "Reader", "text", lambda row: row.reviewer, "Whose score is predicted."),
    _listed("gold", "Reader's score", "text", lambda row: row.gold, "What the reader gave."),
    _listed("predicted", "Predicted", "text", lambda row: row.predicted, "On the scale of the predictions."),
    _listed("error", "Off by", "signed", lambda row: row.error, "Prediction less the reader's score, on its scale."),
    _WHY,
    _REMARK,
)
"""The predicted ratings of one row."""

CHOSEN_COLUMNS: tuple[Column[PredictedRow], ...] = (
    _ITEM,
    _listed("reviewer", "Reader", "text", lambda row: row.reviewer, "Whose choice is predicted."),
    _listed("aspect", "Aspect", "text", lambda row: row.aspect, "In which the two texts are compared."),
    _listed("gold", "Reader's choice", "text", lambda row: row.gold, "A or B: a text, not a place."),
    _listed("predicted", "A shown first", "text", lambda row: row.predicted, "The text chosen in the given order."),
    _listed("swapped", "B shown first", "text", lambda row: row.swapped, "The text chosen in the other order."),
    _WHY,
    _REMARK,
)
"""The predicted choices of one row."""
