"""The judge card: who judged, and how far its verdicts depend on the order of what it was shown."""

from __future__ import annotations

from statistics import fmean

from evaluator.results import MetricValue, PairwiseResult, Pin
from leaderboard.benchmarks import BoardKey
from leaderboard.card_values import CardFactValue, JudgeCardValue
from leaderboard.columns import JUDGES_COLUMNS, NOT_AVAILABLE, Column, text_of
from leaderboard.judge_quality import JudgeQuality
from leaderboard.judge_rows import JudgeRow
from leaderboard.tables import column_of

SYMMETRIC_GAP = 0.005
"""An order gap below it is written 0.00."""


def card_of_row(row: JudgeRow, key: BoardKey) -> JudgeCardValue:
    """The card of a judge on the Judges board."""
    card = row.card
    stated = {"Model": card.model_id, "Revision": card.revision, "Languages": None, "Decoding": row.decoding}
    pin = [card.revision and f"revision {card.revision}", row.template and f"template {row.template}"]
    return {
        "title": row.judge,
        "context": f"on {key.title}",
        "facts": [
            *(_fact(name, text or "not stated") for name, text in stated.items()),
            *_bias_facts(row),
            _fact("Label mass", NOT_AVAILABLE, "Probability on the allowed labels; known only of judges we run."),
            _fact("Order gap", NOT_AVAILABLE, "Difference of ratings between both orders; verdicts are no ratings."),
            _fact("Measured accuracy", NOT_AVAILABLE, "On our labelled pairs; measured for the judges we run."),
            _fact("Pin", ", ".join(part for part in pin if part) or "not stated"),
        ],
        "notes": [row.note] if row.note else [],
    }


def card_of_pin(
    judge: Pin,
    order_gap: MetricValue,
    *,
    quality: JudgeQuality | None,
    bias: tuple[BoardKey, JudgeRow] | None,
    mass: MetricValue | None = None,
) -> JudgeCardValue:
    """The card of a judge we ran ourselves, beside the verdicts it gave.

    Args:
        order_gap: mean difference between its ratings in both orders, on the submission shown.
        quality: measured accuracy of some judge; used if it is this one.
        bias: the judge's row on a Judges board, with that board; None where it has none.
        mass: probability it put on the allowed labels, for judges that read labels.
    """
    languages = "any" if judge.languages is None else ", ".join(judge.languages)
    accuracy = quality.accuracy if quality and quality.judge == judge else None
    return {
        "title": judge.name,
        "context": f"position figures on {bias[0].title}" if bias else "",
        "facts": [
            _fact("Model", judge.model),
            _fact("Revision", judge.revision[:12], judge.revision),
            _fact("Languages", languages),
            *(_bias_facts(bias[1]) if bias else ()),
            _fact("Label mass", _metric_text(mass), "Probability on the allowed labels."),
            _fact("Order gap", _metric_text(order_gap), "Mean |rating(a, b) - rating(b, a)| on this submission, 0-5."),
            _fact("Measured accuracy", _accuracy_text(accuracy), "On our labelled pairs, same meaning or not."),
            _fact("Pin", f"{judge.prompt}, {judge.dtype}, {judge.engine}"),
        ],
        "notes": [] if bias else [_without_bias(order_gap)],
    }


def label_mass(pairwise: PairwiseResult | None) -> MetricValue | None:
    """Mean probability on the allowed labels over the comparisons that have one; None where none has."""
    masses = [record.label_mass for record in pairwise.records if record.label_mass is not None] if pairwise else []
    return MetricValue(value=fmean(masses), n=len(masses)) if masses else None


def _without_bias(order_gap: MetricValue) -> str:
    if order_gap.value is not None and order_gap.value < SYMMETRIC_GAP:
        return "No PC, PF or RS: it reads pairs symmetrically by construction, order gap 0.00."
    return "No PC, PF or RS yet: no verdict table of this judge stands on the Judges board."


def _bias_facts(row: JudgeRow) -> list[CardFactValue]:
    keys = ("position_consistency", "preference_fairness", "repetition_stability", "error_rate")
    return [_column_fact(column_of(JUDGES_COLUMNS, key), row) for key in keys]


def _column_fact(column: Column[JudgeRow], row: JudgeRow) -> CardFactValue:
    is_faint = column.is_faint is not None and column.is_faint(row)
    return {"name": column.label, "text": column.text(row), "tooltip": column.tooltip, "is_faint": is_faint}


def _fact(name: str, text: str, tooltip: str = "") -> CardFactValue:
    return {"name": name, "text": text, "tooltip": tooltip, "is_faint": text in (NOT_AVAILABLE, "not stated")}


def _metric_text(metric: MetricValue | None) -> str:
    return NOT_AVAILABLE if metric is None else text_of(metric, "interval")


def _accuracy_text(accuracy: MetricValue | None) -> str:
    return NOT_AVAILABLE if accuracy is None else f"{text_of(accuracy, 'interval')} on {accuracy.n} pairs"
