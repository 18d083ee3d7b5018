"""How far a judge agrees with people, in one sentence."""

from __future__ import annotations

from evaluator.results import MetricValue
from leaderboard.boards.judge_quality.rows import MeasuredJudge
from leaderboard.parts.columns import text_of

GUESSING = 0.5
"""The share that a judge reaches that does not read the answers."""


def agreement_sentence(row: MeasuredJudge) -> str:
    """Return how often a judge tells two right answers from a right and a wrong one, as people labelled them.

    It is called better or worse than guessing only where the interval leaves out one half.
    """
    share = row.same_answer
    if share is None or share.value is None:
        why = share.reason if share and share.reason else "it was not measured on their labels"
        return f"How far {row.name} agrees with people is not known: {why}."
    return (
        f"{row.name} scores two right answers above a right and a wrong one {text_of(share, 'percent')} of the time, "
        f"by labels of people; {_beside_guessing(share)}."
    )


def _beside_guessing(share: MetricValue) -> str:
    if share.low is not None and share.low > GUESSING:
        return "guessing reaches 50%"
    if share.high is not None and share.high < GUESSING:
        return "that is worse than guessing, which reaches 50%"
    return "that cannot be told apart from guessing, which reaches 50%"
