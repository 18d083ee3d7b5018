"""What the figures of a system under preferences mean, in one sentence."""

from __future__ import annotations

from leaderboard.boards.personalization.rows import PersonalizationRow
from leaderboard.parts.columns import text_of


def lost_answers_sentence(row: PersonalizationRow) -> str:
    """Return which share of its right answers a system loses once preferences are given.

    Where a preference is relevant, a right answer that leaves it aside is lost as well.
    """
    count = "" if row.n_qstar is None else f"{row.n_qstar:,} "
    of_right = f"Of the {count}answers that {row.label} gets right without preferences,"
    if row.value("robustness_error") is not None:
        lost = text_of(row.metric("robustness_error"), "percent")
        leaves_aside = "" if row.value("alignment_failure") is None else " or leave the relevant one aside"
        return f"{of_right} {lost} turn wrong{leaves_aside} once preferences are given."
    why = row.missing("robustness_error").strip("()") or "it was not measured"
    if row.value("breakage_rate") is None:
        return f"How many right answers {row.label} loses under preferences is not known: {why}."
    broken = text_of(row.metric("breakage_rate"), "percent")
    return (
        f"{of_right} {broken} turn wrong once preferences are given; how many leave the relevant one aside is not "
        f"known: {why}."
    )
