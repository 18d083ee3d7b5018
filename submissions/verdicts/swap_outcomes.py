"""Outcome of swapping the places of two answers: what both verdicts on the pair mean together."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, get_args

Verdict = Literal["A", "B", "C", "N"]
"""Slot language: A = the answer shown first is better, B = the one shown second, C = tie, N = no usable verdict."""
Options = Literal[2, 3]
"""What the judge may answer: A or B, or also C."""

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
"""A verdict's place here is its code in arrays."""


class SwapOutcome(StrEnum):
    """What became of a verdict when the two answers swapped places."""

    CONSISTENT_WIN_FIRST_CANDIDATE = "consistent_win_first_candidate"
    """AB: the reference won from both places."""
    CONSISTENT_WIN_SECOND_CANDIDATE = "consistent_win_second_candidate"
    """BA: the model won from both places."""
    CONSISTENT_TIE = "consistent_tie"
    """CC."""
    PRIMACY_FLIP = "primacy_flip"
    """AA, AC, CA: the place shown first gained."""
    RECENCY_FLIP = "recency_flip"
    """BB, BC, CB: the place shown second gained."""
    ERROR = "error"
    """At least one verdict is unusable."""


_OUTCOMES: dict[str, SwapOutcome] = {
    "AB": SwapOutcome.CONSISTENT_WIN_FIRST_CANDIDATE,
    "BA": SwapOutcome.CONSISTENT_WIN_SECOND_CANDIDATE,
    "CC": SwapOutcome.CONSISTENT_TIE,
    "AA": SwapOutcome.PRIMACY_FLIP,
    "AC": SwapOutcome.PRIMACY_FLIP,
    "CA": SwapOutcome.PRIMACY_FLIP,
    "BB": SwapOutcome.RECENCY_FLIP,
    "BC": SwapOutcome.RECENCY_FLIP,
    "CB": SwapOutcome.RECENCY_FLIP,
}


def classify(original: str, swapped: str, options: Options = 3) -> SwapOutcome:
    """The outcome of one pair of verdicts in slot language.

    Args:
        original: verdict with the reference (first candidate) shown first.
        swapped: verdict with the model (second candidate) shown first.
        options: with 2, a C is no verdict the judge was offered and counts as N.

    Raises:
        ValueError: a verdict is none of A, B, C, N. An order that was never run makes no pair, so it has no outcome.

    See docs/position_bias.md#from-two-verdicts-to-one-outcome.

    >>> classify("A", "B").value, classify("A", "A").value, classify("C", "B").value
    ('consistent_win_first_candidate', 'primacy_flip', 'recency_flip')
    >>> classify("C", "C").value, classify("C", "C", options=2).value
    ('consistent_tie', 'error')
    """
    for verdict in (original, swapped):
        if verdict not in VERDICTS:
            raise ValueError(f"verdict {verdict!r} is none of A, B, C, N")
    pair = original + swapped
    if "N" in pair or (options == 2 and "C" in pair):
        return SwapOutcome.ERROR
    return _OUTCOMES[pair]
