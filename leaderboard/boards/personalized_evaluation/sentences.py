"""What the figures of an evaluator of personal taste mean, in one sentence."""

from __future__ import annotations

from evaluator.results import MetricValue
from evaluator.statistics.intervals import Side, interval_side
from leaderboard.boards.personalized_evaluation.rows import EvaluatorRow
from leaderboard.parts.columns import text_of

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
