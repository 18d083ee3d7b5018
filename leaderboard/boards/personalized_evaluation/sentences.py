"""What the figures of an evaluator of personal taste, or one of its items, mean, in one sentence."""

from __future__ import annotations

from evaluator.personalized_evaluation.ratings import calibrated
from evaluator.results import MetricValue
from evaluator.statistics.intervals import Side, interval_side
from leaderboard.boards.personalized_evaluation.rows import EvaluatorRow
from leaderboard.parts.columns import text_of
from submissions.formats.personalized_evaluation.submission import Choice, Scale

_RULES = {"tau": "the mean of the scores that it was shown", "macro": "the choice that it was shown most often"}
"""The simple rule that `gain` compares each headline with."""


def taste_sentence(row: EvaluatorRow) -> str:
    """Return how well an evaluator predicts its readers, and whether that is more than a simple rule would.

    It is called better or worse than the rule only where the interval of the difference leaves out 0.
    """
    headline = "tau" if "tau" in row.figures else "macro"
    value = row.metric(headline)
    if value is None or value.value is None:
        why = value.reason if value and value.reason else "it has no figure"
        return f"How well {row.label} predicts its readers is not known: {why}."
    said = (
        f"The scores that {row.label} predicts stand in the order of the readers' own with a Kendall's tau of "
        f"{text_of(value, 'interval')}, where 1 is the same order and 0 is chance"
        if headline == "tau"
        else f"{row.label} names the text that the reader prefers in {text_of(value, 'percent')} of the choices"
    )
    beside = _beside_rule(row.metric("gain"), _RULES[headline])
    return f"{said}; {beside}." if beside else f"{said}."


def _beside_rule(gain: MetricValue | None, rule: str) -> str:
    words: dict[Side, str] = {
        "above": f"better than {rule}",
        "below": f"worse than {rule}",
        "around": f"it cannot be told apart from {rule}",
        "unknown": "",
    }
    return words[interval_side(gain)] if gain else ""


def score_text(value: float) -> str:
    """Return a score with at most two decimals.

    >>> score_text(7.0), score_text(7.456)
    ('7', '7.46')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".")


def rating_sentence(gold: float, score: float | None, scale: Scale, gold_scale: Scale, reason: str) -> str:
    """Return what was predicted for one text beside what its reader gave, on the scale of the readers.

    Args:
        gold: What the reader gave.
        score: The prediction, on the scale of the evaluator; None = there is none.
        reason: Why there is none.
    """
    if score is None:
        return f"There is no prediction ({reason}); the reader gave {score_text(gold)} on a scale of {gold_scale}."
    predicted = calibrated(score, scale, gold_scale)
    off = score_text(abs(predicted - gold))
    said = f"The evaluator predicts {score_text(predicted)} on a scale of {gold_scale}"
    if off == "0":
        return f"{said}, which is what the reader gave."
    return f"{said}, {off} {'above' if predicted > gold else 'below'} the {score_text(gold)} that the reader gave."


def choice_sentence(gold: Choice, choice: Choice | None, swapped: Choice | None) -> str:
    """Return which of two texts was chosen in both orders beside the one that the reader prefers.

    Args:
        choice: With text A shown first; None = there is none.
        swapped: With text B shown first.
    """
    prefers = f"the reader prefers text {gold}"
    if choice is None and swapped is None:
        return f"There is no choice; {prefers}."
    if choice is None or swapped is None:
        return f"The evaluator chooses text {choice or swapped} in one order and none in the other; {prefers}."
    if choice == swapped:
        chooses = f"In both orders the evaluator chooses text {choice}"
        return f"{chooses}, as the reader does." if choice == gold else f"{chooses}; {prefers}."
    place = "first" if choice == "A" else "second"
    return f"The evaluator chooses whichever text is shown {place}; {prefers}."
