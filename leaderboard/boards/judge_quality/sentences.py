"""How far a judge agrees with people, in one sentence."""

from __future__ import annotations

from evaluator.statistics.intervals import Side, interval_side
from leaderboard.boards.judge_quality.rows import MeasuredJudge
from leaderboard.parts.columns import text_of

GUESSING = 0.5
"""The share that a judge reaches that does not read the answers."""


def agreement_sentence(row: MeasuredJudge) -> str:
    """Return how often a judge tells two right answers from a right and a wrong one, as people labelled them.

    It is called better or worse than guessing only where the interval leaves out one half; without an interval nothing
    is said of that.
    """
    share = row.same_answer
    if share is None or share.value is None:
        why = share.reason if share and share.reason else "it was not measured on their labels"
        return f"How far {row.name} agrees with people is not known: {why}."
    return (
        f"{row.name} scores two right answers above a right and a wrong one {text_of(share, 'percent')} of the time, "
        f"by labels of people; {_BESIDE_GUESSING[interval_side(share, GUESSING)]}."
    )


_BESIDE_GUESSING: dict[Side, str] = {
    "above": "guessing reaches 50%",
    "below": "that is worse than guessing, which reaches 50%",
    "around": "that cannot be told apart from guessing, which reaches 50%",
    "unknown": "guessing reaches 50%, and too few were asked to set it beside that",
}
