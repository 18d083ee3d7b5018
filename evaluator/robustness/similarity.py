"""What one pair of answers is worth before the relevance check, and what is kept of one answer, in every edition."""

from __future__ import annotations

from evaluator.judges.recorded import Verdict
from evaluator.results import ResponseResult
from evaluator.robustness.answer_gate import NO_ANSWER_BELOW, Answering
from evaluator.robustness.figures import PairRating
from evaluator.robustness.relevance import Relevance
from submissions.schema import Flag, Response

TOP_RATING = 5.0
"""What two identical answers get, without asking a judge."""


def is_same_text(first: Response, second: Response) -> bool:
    """Are two answers identical but for blanks around them?"""
    return first.response.strip() == second.response.strip()


def pair_rating(ab: Verdict, ba: Verdict) -> PairRating:
    """The ratings of both orders under the keys they are stored by."""
    return PairRating(
        ab=ab.judgment.rating,
        ba=ba.judgment.rating,
        reason=ab.judgment.reason or ba.judgment.reason,
        key_ab=ab.key,
        key_ba=ba.key,
    )


def response_result(
    variant: int, response: Response | None, relevance: Relevance | None, answering: Answering | None = None
) -> ResponseResult:
    """What was found about the answer that stands at one place of a group.

    Args:
        variant: Number of the place.
        response: None = nothing stands there.
        relevance: What the relevance check says of it.
        answering: How far it answers its prompt; None where nobody was asked.
    """
    flags: set[Flag] = set(response.flags) if response else set()
    if relevance is not None and relevance.off_topic:
        flags.add("off_topic")
    probability = answering.probability if answering else None
    if probability is not None and probability < NO_ANSWER_BELOW:
        flags.add("no_answer")
    return ResponseResult(
        variant=variant,
        flags=tuple(sorted(flags)),
        blank=response is None or response.is_blank,
        own_relevance=relevance.own if relevance else None,
        relevance_threshold=relevance.threshold if relevance else None,
        off_topic_control=relevance.control_passes if relevance else None,
        answers=probability,
        answers_key=answering.key if answering else None,
    )
