"""Column A against column B: the judge's preference, asked in both orders."""

from __future__ import annotations

from threading import Event

from evaluator.judges.prompts import PREFERENCE_PAIR
from evaluator.judges.protocol import JudgeRequest
from evaluator.lab.judging import LabJudge
from evaluator.lab.setup import LabSetup
from evaluator.lab.state import PairwiseState, SwapResult
from evaluator.personalization.evaluate import NEEDS_LANGUAGE_MODEL
from evaluator.personalization.judging import lettered
from evaluator.robustness.pairwise import OPTIONS, TIE, UNUSABLE
from submissions.verdicts.swap_outcomes import SwapOutcome, classify

TWINS = "the columns answer two wordings, so there is nothing to compare"
MISSING = "one of the answers is missing"
IDENTICAL = "the answers are identical: a tie that no judge is asked about"

_LANGUAGE = "und"
"""Nobody says which language a visitor writes in (BCP 47: undetermined)."""

_RESULTS: dict[SwapOutcome, SwapResult] = {
    SwapOutcome.CONSISTENT_WIN_FIRST_CANDIDATE: "consistent_a",
    SwapOutcome.CONSISTENT_WIN_SECOND_CANDIDATE: "consistent_b",
    SwapOutcome.CONSISTENT_TIE: "consistent_tie",
    SwapOutcome.PRIMACY_FLIP: "primacy_flip",
    SwapOutcome.RECENCY_FLIP: "recency_flip",
    SwapOutcome.ERROR: "error",
}


def pair_result(verdict_ab: str, verdict_ba: str) -> SwapResult:
    """What the two verdicts mean together; both in slot language (A = the answer shown first).

    >>> pair_result("A", "B"), pair_result("B", "B"), pair_result("C", "N")
    ('consistent_a', 'recency_flip', 'error')
    """
    return _RESULTS[classify(verdict_ab, verdict_ba, OPTIONS)]


def compared(setup: LabSetup, a: str | None, b: str | None, judge: LabJudge | None, stop: Event) -> PairwiseState:
    """Which of the two final answers is better, in both orders.

    Raises:
        JudgingStopped: when the run was cancelled.
        JudgeUnavailable: when the judge cannot be used.
    """
    if setup.twin is not None:
        return PairwiseState(reason=TWINS)
    if a is None or b is None:
        return PairwiseState(reason=MISSING)
    if a.strip() == b.strip():
        return PairwiseState("consistent_tie", TIE, TIE, IDENTICAL)
    if judge is None or "preference_pair" not in judge.kinds(stop):
        return PairwiseState(reason=NEEDS_LANGUAGE_MODEL)
    prompt = _prompt(setup)
    requests = [
        JudgeRequest(PREFERENCE_PAIR, {"answer_a": first, "answer_b": second, "prompt_1": prompt}, _LANGUAGE)
        for first, second in ((a, b), (b, a))
    ]
    ab, ba = judge.ask(requests, stop)
    verdict_ab, verdict_ba = ab.verdict or UNUSABLE, ba.verdict or UNUSABLE
    return PairwiseState(pair_result(verdict_ab, verdict_ba), verdict_ab, verdict_ba, ab.reason or ba.reason)


def _prompt(setup: LabSetup) -> str:
    """What was asked, with the preferences of whoever asked: the better answer is the better one for that person."""
    question = setup.question
    parts = [question.text]
    if question.options:
        parts.append(lettered(question.options))
    if setup.preferences:
        wishes = "\n".join(f"- {preference}" for preference in setup.preferences)
        parts.append(f"Preferences of the person who asks:\n{wishes}")
    return "\n\n".join(parts)
