"""What the evaluation of predicted ratings and choices tells: the two reports, figure by figure.

The JSON of `python -m evaluator personalized-evaluation` and the heart of a stored result;
docs/personalized_evaluation.md explains each figure under its own name.
"""

from __future__ import annotations

from typing import NotRequired

# pydantic reads these too, and on Python 3.11 it takes no TypedDict of `typing`.
from typing_extensions import TypedDict

from evaluator.personalized_evaluation.replies import MissingReason
from submissions.formats.personalized_evaluation.submission import Choice, PairsKind, RatingsKind


class RatingRead(TypedDict):
    """What was read of one item."""

    id: str
    score: float | None
    """On the scale of the predictions."""
    reason: MissingReason | None


class ChoiceRead(TypedDict):
    """The same of a choice; choices name texts, not places."""

    id: str
    choice: Choice | None
    reason: MissingReason | None
    choice_swapped: Choice | None


class ExplanationQuality(TypedDict):
    """Over the items with both texts; higher is better."""

    n: int
    bleu: float
    """Corpus BLEU as sacrebleu computes it by default, 0-100."""
    rouge1: float
    """Mean F of shared words, without stemming, 0-1."""
    bertscore: float | None
    """Mean F1 of contextual embeddings, about 0-1."""
    bertscore_model: str | None
    bartscore: float | None
    """Mean log-likelihood per token of the reviewer's text given the explanation, 0 or less."""
    bartscore_model: str | None


Values = dict[str, float | None]


class TestedFigure(TypedDict):
    """A correlation over the answered items."""

    value: float | None
    p: float | None
    """Two-sided; takes items as independent, which those of one reviewer are not."""
    ci: list[float] | None


class RatingMetrics(TypedDict):
    """Over the answered items."""

    pearson: TestedFigure
    spearman: TestedFigure
    kendall: TestedFigure
    mae: float | None
    """Mean absolute error on the gold scale."""
    exact_match: float | None
    """Share of predictions that round to the reviewer's score, halves up."""
    within_reviewer_kendall: float | None
    """Mean tau-b inside of reviewers: personal taste without how mild a reviewer is in general."""
    within_reviewer_n: int
    """Reviewers with three answered items and a defined tau."""


class Penalized(TypedDict):
    """Over all items; missing = the midpoint of the scale."""

    pearson: float | None
    spearman: float | None
    kendall: float | None
    """Headline."""
    kendall_ci: list[float] | None


class Gain(TypedDict):
    """A difference of two headlines, with its interval on the same draws of reviewers."""

    value: float
    ci: list[float] | None


class RatingReferences(TypedDict):
    """What needs no judge: three correlations each, over all items."""

    reviewer_avg: Values | None
    """The mean of the scores shown; None for k = 0."""
    matrix_factorization: Values | None
    """None where the texts have too few known ratings."""


class OrderShuffle(TypedDict):
    """How much the order of the profile matters."""

    runs: int
    kendall: list[float | None]
    """Of each other order."""
    kendall_mean: float | None
    kendall_std: float | None
    item_std: float | None
    """Mean over items of the standard deviation of an item's predictions."""


class ContaminationGroup(TypedDict):
    """The items whose text the model recognised, or did not."""

    n: int
    percent: float
    """Of the marked items, 0-1."""
    pearson: float | None
    spearman: float | None
    kendall: float | None


class RatingsReport(TypedDict):
    """What the command prints for `personalized_ratings`."""

    kind: RatingsKind
    collection: str
    k: int
    n: int
    answered: int
    parse_rate: float
    missing: dict[str, int]
    metrics: RatingMetrics
    penalized: Penalized
    references: RatingReferences
    gain_over_reviewer_avg: Gain | None
    gain_over_k0: Gain | None
    order_shuffle: OrderShuffle | None
    contamination: dict[str, ContaminationGroup] | None
    explanation: ExplanationQuality | None
    flags: list[str]
    """Why the run is not ranked, and what else is to be known about it."""
    rankable: bool
    items: NotRequired[list[RatingRead]]
    headline_draws: NotRequired[list[float | None]]
    """The headline in every draw of reviewers; runs of one collection share their draws. Empty without an interval."""


class AspectAccuracy(TypedDict):
    """Agreement in one aspect."""

    n: int
    value: float | None
    """Of the answered items."""
    penalized: float | None
    """Of all items; missing = wrong."""
    ci: list[float] | None
    """Of `value`."""


class MacroAccuracy(TypedDict):
    """Unweighted mean of the five aspects; None where one of them has no item."""

    value: float | None
    penalized: float | None
    """Headline."""
    ci: list[float] | None
    """Of `value`."""


class Alignment(TypedDict):
    """Win rates over aspects, predicted and the reviewer's, of the comparisons with every item answered."""

    comparisons: int
    complete: int
    win_rate_a: dict[str, float]
    """`reviewer|comparison` -> share of its aspects that are predicted for A."""
    mae: float | None
    kendall: float | None
    winner_accuracy: float | None
    """Share of comparisons with both rates on one side of one half; those at one half are left out."""


class BothOrders(TypedDict):
    """Over the items answered in both orders."""

    n: int
    consistency: float | None
    """The same text was chosen."""
    bias_first_both_orders: float | None
    """How much more than half of the choices went to the text shown first; > 0 favours the first."""
    positional_fairness: float | None
    """As in docs/position_bias.md, > 0 = recency: -2 times the figure above."""


class PairContaminationGroup(TypedDict):
    """The items of which both texts, one or neither were recognised."""

    n: int
    percent: float
    """Of the marked items, 0-1."""
    accuracy: float | None
    consistency: float | None
    bias_first: float | None
    bias_memorized: NotRequired[float | None]
    """Where one was: how much more often it is chosen than the reviewer chooses it."""


class PairReferences(TypedDict):
    """Accuracies that need no judge, over all items."""

    reviewer_avg: dict[str, float | None] | None
    """The choice shown most often, the last shown at a tie: per aspect and `macro`. None for k = 0."""
    always_a: float | None
    always_b: float | None


class PairsReport(TypedDict):
    """What the command prints for `personalized_pairs`."""

    kind: PairsKind
    collection: str
    k: int
    n: int
    answered: int
    parse_rate: float
    missing: dict[str, int]
    accuracy: dict[str, AspectAccuracy]
    accuracy_macro: MacroAccuracy
    alignment: Alignment
    references: PairReferences
    gain_over_reviewer_avg: Gain | None
    bias_first: float | None
    """P(choice = A) - P(gold = A) in the given order; > 0 favours the first more than the reviewers do."""
    both_orders: BothOrders
    contamination: dict[str, PairContaminationGroup] | None
    flags: list[str]
    """Why the run is not ranked, and what else is to be known about it."""
    rankable: bool
    items: NotRequired[list[ChoiceRead]]
    headline_draws: NotRequired[list[float | None]]
    """The headline in every draw of reviewers; runs of one collection share their draws. Empty without an interval."""
