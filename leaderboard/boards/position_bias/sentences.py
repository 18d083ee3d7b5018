"""What the figures of a judge mean, in one sentence."""

from __future__ import annotations

from evaluator.results import MetricValue
from leaderboard.boards.position_bias.rows import JudgeRow
from leaderboard.parts.columns import text_of


def judge_sentence(row: JudgeRow) -> str:
    """Return how often a judge keeps its verdict when the two answers swap places, and which place it prefers.

    A side is named only where the interval of the fairness leaves out 0.
    """
    consistency = row.metric("position_consistency")
    if consistency.value is None:
        return f"How far {row.name} depends on the order of the answers is not known: {_why_unknown(row)}."
    who = f"{row.name}, a baseline that does not read the answers," if row.is_null else row.name
    same = f"{who} gives the same verdict in both orders for {_share(consistency)} of pairs"
    preference = _preference(row)
    return f"{same}; {preference}." if preference else f"{same}."


def _why_unknown(row: JudgeRow) -> str:
    return "no pair has two usable verdicts" if row.count("n_pairs") else "only one order was run"


def _preference(row: JudgeRow) -> str:
    if row.number("preference_fairness") is None:
        return ""
    if row.number("position_consistency") == 1:
        return "it never changes its verdict"
    place = {"recency": "second", "primacy": "first", None: ""}[row.direction]
    return f"where it changes, it prefers the {place} answer" if place else "it has no clear preference for a position"


def _share(metric: MetricValue) -> str:
    """A share in whole percent with its interval: `82% [79, 84]`."""
    share = text_of(metric.value, "share")
    if metric.low is None or metric.high is None:
        return share
    return f"{share} [{100 * metric.low:.0f}, {100 * metric.high:.0f}]"
