"""Links to measured judges that were made when one page held both boards of judges."""

from __future__ import annotations

MEASURED = "judge_quality"
"""The page of the judges measured here."""
MEASURED_BEFORE = "labelled/"
"""Began the names of measured judges when they stood on the page of position bias: links to them hold."""


def address_of_measured(judge: str) -> str:
    """Where a link to a judge of `MEASURED_BEFORE` leads.

    >>> address_of_measured("labelled/39b991a21d77"), address_of_measured("labelled/word_overlap")
    ('judge_quality?judge=39b991a21d77', 'judge_quality')
    """
    name = judge.removeprefix(MEASURED_BEFORE)
    return f"{MEASURED}?judge={name}" if name.isalnum() and name.isascii() else MEASURED
