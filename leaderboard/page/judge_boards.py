"""The two boards of judges, as the links above them call them."""

from __future__ import annotations

from leaderboard.page.frame import Entries

POSITION_BIAS, MEASURED = "judges", "judge_quality"
"""Their pages."""
JUDGE_BOARDS: Entries = {"Position bias": (POSITION_BIAS,), "Which judge should I use?": (MEASURED,)}
"""What judges that anybody ran do when answers swap places; and which of those that run here to take."""

MEASURED_BEFORE = "labelled/"
"""Began the names of measured judges when they stood on the page of position bias: links to them hold."""


def address_of_measured(judge: str) -> str:
    """Where a link to a judge of `MEASURED_BEFORE` leads.

    >>> address_of_measured("labelled/39b991a21d77"), address_of_measured("labelled/word_overlap")
    ('judge_quality?judge=39b991a21d77', 'judge_quality')
    """
    name = judge.removeprefix(MEASURED_BEFORE)
    return f"{MEASURED}?judge={name}" if name.isalnum() and name.isascii() else MEASURED
