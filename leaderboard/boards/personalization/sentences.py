"""What the figures of a system under preferences, or one of its answers, mean, in one sentence."""

from __future__ import annotations

from evaluator.results import PersonalizedOutcomes
from leaderboard.boards.personalization.rows import PersonalizationRow
from leaderboard.parts.columns import text_of
from submissions.formats.personalization.submission import FOLLOW_THRESHOLD


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


def answer_sentence(outcomes: PersonalizedOutcomes, place: int) -> str:
    """Return what preferences did to one answer, and whether it follows the relevant one.

    A failed aligner is named: the answer is then the draft, and shows nothing about the method.
    """
    c0, c1 = outcomes.c0[place], outcomes.c1[place]
    before, after = (column[place] or "no readable option" for column in (outcomes.control_letter, outcomes.letter))
    if outcomes.setting[place] == "none":
        if c0 is None:
            return "Whether the answer is right is not known: the file states no right option."
        return f"Without preferences the answer is {'right' if c0 else 'wrong'} ({after})."
    if c0 is None or c1 is None:
        said = "Whether the answer is right is not known, because the file states no right option"
    elif c0:
        said = f"The answer stays right ({after})" if c1 else f"The right answer ({before}) turns wrong ({after})"
    elif c1:
        said = f"The answer turns from wrong ({before}) to right ({after})"
    else:
        said = f"The answer is wrong without preferences ({before}) and with them ({after})"
    said += _followed_clause(outcomes, place, is_right=bool(c1))
    if c0 is False:
        said += "; it does not count, because only answers that are right without preferences do"
    return f"{said}; the aligner failed, so this is the draft." if outcomes.fallback[place] else f"{said}."


def _followed_clause(outcomes: PersonalizedOutcomes, place: int, *, is_right: bool) -> str:
    """The end of the sentence, blank where no preference is relevant."""
    if outcomes.setting[place] == "irrelevant":
        return ""
    if outcomes.unparsable[place]:
        return "; the judge's rating cannot be read, so the relevant preference counts as not followed"
    rating = outcomes.rating[place]
    if rating is None:
        return "; whether it follows the relevant preference was not judged"
    is_followed = rating >= FOLLOW_THRESHOLD
    follows = "follows the relevant preference" if is_followed else "leaves the relevant preference aside"
    return f", {'and' if is_followed == is_right else 'but'} {follows} ({rating:.2f} of 5)"
