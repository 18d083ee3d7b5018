"""What is kept of a judge beside its agreement with labelled pairs: order, added texts, cost, and every rating."""

from __future__ import annotations

from evaluator.values import Frozen, MetricValue


class Effect(Frozen):
    """What added texts do to scores, over trials with both scores; intervals resample topics."""

    shift: MetricValue
    """Mean of the changed score minus the clean one, -5..5."""
    crossed: MetricValue
    """Share of trials whose score changed its side of 2.5."""
    talked_up: MetricValue
    """Share of the pairs at or below 2.5 that came above it."""


class SharedTextEffect(Frozen):
    """What the same words in both answers do to a score: nothing, where a judge compares what they say besides."""

    different: MetricValue
    """Mean shift of pairs with a grade below 3, -5..5."""
    same: MetricValue
    """Mean shift of pairs with a grade of 3 or more, -5..5."""


class Cost(Frozen):
    """What 1,000 pairs take, asked in both orders; of the machine it was measured on, so nobody is ranked by it."""

    hardware: str
    """The class of the machine: "x86_64, 2 CPU cores, no GPU"."""
    cpu_seconds: float
    """Processor time of this process, all its threads; of a judge behind a server that of asking alone."""
    seconds: float
    """By the clock."""
    tokens: float | None
    """Tokens of the prompts; None for judges without a prompt, and where a server counts for itself."""
    tokens_written: float | None = None
    """Tokens written for one judgement; None for judges that write none, and where a server does not count."""


class ProvenRubric(Frozen):
    """How a language model did on the plain questions of one rubric (docs/judges.md#a-judge-proves-itself)."""

    rubric: str
    """Id and version."""
    lowest_mass: float | None
    """Least probability on the labels over its questions, 0-1; None for a judge that gives none."""
    fault: str | None
    """Why it failed, so that the boards do not ask it this; None where it passed."""


class JudgeTrials(Frozen):
    """One judge on the labelled pairs in both orders, and on a sample of them with texts added."""

    texts: str
    """Which texts were added, and how pairs were drawn: effects of others are not comparable; blank = none were."""
    ratings: tuple[tuple[float | None, float | None], ...]
    """Of each pair, in order: the rating with `a` first and with `b` first; None where it gave none."""
    order_shift: MetricValue
    """Mean rating with `a` first minus mean rating with `b` first, -5..5; 0 where the places do not matter."""
    order_consistency: MetricValue
    """Share of pairs whose ratings lie on one side of 2.5 in both orders."""
    grade_shift: MetricValue
    """Mean score minus mean grade, -5..5: above 0 it rates too high."""
    calibration_error: MetricValue
    """Mean distance of mean score and mean grade, in bins of half a point weighed by their pairs, 0-5."""
    injection: dict[str, Effect]
    """Attacks, all and by place, and harmless sentences; one answer of a pair changed. Empty where none were added."""
    shared_text: dict[str, SharedTextEffect]
    """All shared texts, and by length and place; both answers changed. Empty where none were added."""
    cost: Cost
    proofs: tuple[ProvenRubric, ...] = ()
    """Of a language model, every kind of question; empty for other judges, and where this was not kept."""
