"""What is found about answers that should mean the same: each answer, each pair, each group, and their prompt set."""

from __future__ import annotations

from typing import Literal

from evaluator.values import Frozen
from submissions.schema import Flag

Figure = Literal["pair_mean", "pair_mean_gated", "pair_worst", "pair_worst_gated", "group", "group_gated"]
FIGURES: tuple[Figure, ...] = ("pair_mean", "pair_mean_gated", "pair_worst", "pair_worst_gated", "group", "group_gated")
"""Per group of variants in one language: mean of its pairs, its worst pair, and one call on all texts together
(J, only by judges that read groups); each raw and gated (docs/metrics.md#from-two-answers-to-one-number)."""


class PairResult(Frozen):
    """Two responses of one group, judged in both orders."""

    a: int
    """Variant number of the first response, counted from 1 over the item."""
    b: int
    ab: float | None
    """Rating 0-5 with `a` shown first; None when unscored."""
    ba: float | None
    score: float | None
    """Mean of the ratings that exist; None when both orders are unscored."""
    passes: bool | None
    """Neither response carries a gating flag; None while relevance could not be checked."""
    gated: float | None
    """The score, or 0 where the pair does not pass; where answers were asked for, times `weight`."""
    reason: str | None = None
    """Why the pair is unscored."""
    key_ab: str | None = None
    """Verdict key; None for identical answers, which no judge is asked about."""
    key_ba: str | None = None
    weight: float | None = None
    """As far as both responses answer their prompts, 0-1; None where no judge was asked, or gave no usable reply."""


class ResponseResult(Frozen):
    """What was found about one response."""

    variant: int
    flags: tuple[Flag, ...]
    blank: bool
    own_relevance: float | None = None
    """Mean cosine of the response with its own item's prompts; None where it was not computed."""
    relevance_threshold: float | None = None
    """`off_topic` iff own_relevance <= this."""
    off_topic_control: bool | None = None
    """Would the response also pass against the next item's prompts? (the shuffled control)"""
    answers: float | None = None
    """Probability that the response answers its prompt, in its language; None where no judge was asked, or gave no
    usable reply."""
    answers_key: str | None = None
    """Verdict key of that question."""


class GroupResult(Frozen):
    """The responses to one item in one language."""

    language: str
    responses: tuple[ResponseResult, ...]
    pairs: tuple[PairResult, ...]
    figures: dict[Figure, float | None]
    gate_share: float | None
    """Passing pairs / all pairs; None without pairs or relevance."""
    group_rating: float | None = None
    """J: one judge call on all non-empty texts."""
    group_key: str | None = None
    """Verdict key of that call."""
    reason: str | None = None
    """Why the group is unscored."""


class SetVersion(Frozen):
    """The prompt set a result rests on."""

    set_id: str
    version: str
    sha256: str | None
