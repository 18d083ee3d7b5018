"""What an evaluation leaves behind: numbers that carry their n and interval, in versioned JSON."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from evaluator.robustness.group_results import FIGURES as FIGURES
from evaluator.robustness.group_results import Figure as Figure
from evaluator.robustness.group_results import GroupResult as GroupResult
from evaluator.robustness.group_results import PairResult as PairResult
from evaluator.robustness.group_results import ResponseResult as ResponseResult
from evaluator.robustness.group_results import SetVersion as SetVersion
from evaluator.values import Frozen as _Frozen
from evaluator.values import MetricValue as MetricValue
from evaluator.values import Pin as Pin
from submissions.formats.personalization.submission import Setting
from submissions.schema import Flag

SCHEMA_VERSION = 1

View = Literal["english", "all"]
VIEWS: tuple[View, ...] = ("english", "all")

HEADLINE: Figure = "pair_mean_gated"
HEADLINE_VIEW: View = "english"


class ItemResult(_Frozen):
    """One item of the prompt set."""

    id: str
    variation: str
    groups: tuple[GroupResult, ...]


class FigureSummary(_Frozen):
    """One figure over the items of a view."""

    mean: MetricValue
    """Over judged items; n = judged items, unscored = eligible items that could not be judged."""
    total: float | None
    """SUM over judged items (at most 5 x eligible); read it beside mean and coverage only."""
    eligible: int
    """Items of the view with at least one group."""
    by_variation: dict[str, MetricValue]


class ViewResult(_Frozen):
    """The items of one view: English under the paper's numbers, or all languages."""

    figures: dict[Figure, FigureSummary]
    item_values: dict[Figure, dict[str, float]]
    """Item id -> value, judged items only: the units intervals and paired differences resample."""
    ranked: bool
    reason: str | None
    """Why the row is not ranked in this view."""


class PairwiseRecord(_Frozen):
    """One answer of a system against the reference's answer to the same prompt, judged in both orders."""

    item: str
    variant: int
    variation: str
    original: str
    """Verdict with the reference shown first: A (it is better), B (the system is), C (tie), N (unusable)."""
    swapped: str
    """Verdict with the system shown first, in slot language: A means the system is better."""
    outcome: str
    """A `SwapOutcome`."""
    reason: str | None = None
    """Why a verdict is unusable."""
    distribution_original: tuple[float, ...] | None = None
    """Probabilities of A, B and C as the judge gave them; None for judges without label probabilities."""
    distribution_swapped: tuple[float, ...] | None = None
    label_mass: float | None = None
    key_original: str | None = None
    """Verdict keys; None for identical answers, which no judge is asked about."""
    key_swapped: str | None = None


class PairwiseResult(_Frozen):
    """One system against the reference system of its prompt set."""

    reference: str
    reference_sha256: str
    records: tuple[PairwiseRecord, ...]
    win_rate: MetricValue
    """Overall win rate: ties and flips count half."""
    conservative_win_rate: MetricValue
    """Share of pairs won from both places."""


class MemberGroup(_Frozen):
    """What one judge of a panel made of the answers to one item in one language."""

    item: str
    language: str
    figures: dict[Figure, float | None]
    reason: str | None = None
    """Why the group is unscored."""


class PanelMember(_Frozen):
    """One judge of a panel."""

    judge: Pin
    family: str | None
    in_mean: bool
    reason: str | None
    """Why the judge is left out of the mean."""
    score: MetricValue
    """The figure as this judge alone gives it."""
    groups: tuple[MemberGroup, ...] | None = None
    """Every group of the set, so that a board can be ranked by this judge; None in results stored before they were
    kept."""


class PanelResult(_Frozen):
    """What a panel says of one submission, on one figure of one view."""

    view: View
    figure: Figure
    members: tuple[PanelMember, ...]
    """In the order given."""
    mean: MetricValue
    """Mean of the judges in the mean; n = items that all of them scored."""
    agreement: MetricValue
    """Krippendorff's alpha (interval) of the judges in the mean; n = pairs that two or more of them rated."""


class RobustnessResult(_Frozen):
    """One submission on the Robustness board, down to every pair."""

    schema_version: int = SCHEMA_VERSION
    board: Literal["robustness"] = "robustness"
    edition: str
    prompt_set: SetVersion
    file_sha256: str
    judge: Pin
    embedding: Pin
    gate: Pin | None = None
    """Who said which responses answer their prompts; None in results made without that question."""
    code_version: str
    statistics_version: int = 1
    """Of `evaluator.statistics.version`; results from before there was one say 1."""
    coverage: dict[str, int | None]
    """`expected` and `answered` responses."""
    views: dict[View, ViewResult]
    by_language: dict[str, dict[Figure, MetricValue]]
    items: tuple[ItemResult, ...]
    order_gap: MetricValue
    """Mean |rating(a, b) - rating(b, a)| over pairs judged in both orders: the judge's position bias here."""
    flags: dict[Flag, int]
    """Responses that carry each flag."""
    pass_share: MetricValue
    """Share of responses that are on topic, of those the relevance check could judge."""
    control_pass_share: MetricValue
    """The same against the next item's prompts: what unrelated text would reach."""
    pairwise: PairwiseResult | None = None
    """Against the reference system; None where the judge states no preferences or the set has no reference."""
    panel: PanelResult | None = None
    """The headline figure by each configured judge, with mean and agreement; None with one judge."""


class JudgeCard(_Frozen):
    """What is said about a judge, by its own pin or by the team that submitted its verdicts."""

    model_id: str | None = None
    revision: str | None = None
    family: str | None = None
    parameters: str | None = None
    precision: str | None = None
    temperature: float | None = None
    prompt_template: str | None = None


class QueryCounts(_Frozen):
    """Valid swap outcomes of one query: the unit judges are resampled and paired by."""

    consistent: int
    valid: int
    primacy: int
    recency: int


class QualityCell(_Frozen):
    """One model on one task under one judge, where a pair is valid."""

    model: str
    task: str
    position_consistency: float
    overall_win_rate: float
    """As this judge sees it."""
    n_valid: int


class JudgeReport(_Frozen):
    """One judge on one benchmark."""

    judge: str
    card: JudgeCard
    pin: Pin | None = None
    """Exactly which judge of this installation; None for verdicts that a team sent."""
    position_bias: dict[str, float | int | list[float] | None]
    """The keys of docs/position_bias.md, compat `valid`."""
    by_task: dict[str, dict[str, float | int | None]]
    by_model: dict[str, dict[str, float | int | None]]
    repetition: dict[str, float | int | list[float] | None] | None
    """None where nothing was asked twice."""
    queries: dict[str, QueryCounts]
    """"task / query" -> its outcomes."""
    cells: tuple[QualityCell, ...] = ()
    """By model, then task; empty in results stored before they were kept."""
    quality_curve: dict[str, float | int | None] | None = None
    """PC = b0 + b1 x + b2 x² fitted over the cells, x = this judge's own win rate: `n_cells`, `b0`, `b1`, `b2`, `r2`
    (None where PC does not vary). None with fewer than three different win rates, or without cells."""


class JudgesResult(_Frozen):
    """The judges of one verdict table, for the Judges board."""

    schema_version: int = SCHEMA_VERSION
    board: Literal["judges"] = "judges"
    benchmark: str
    options: Literal[2, 3]
    reference_model: str | None
    source: Literal["submitted", "evaluator", "published"]
    """Verdicts a team sent, verdicts this installation made itself, or verdicts that others released."""
    file_sha256: str
    code_version: str
    statistics_version: int = 1
    """Of `evaluator.statistics.version`; results from before there was one say 1."""
    judges: tuple[JudgeReport, ...]
    agreement: dict[str, dict[str, dict[str, float | None]]]
    """`with_ties`, `without_ties`, `kappa`, `consistent_outcomes`: judge -> judge -> value."""
    disagreement_histogram: dict[str, int]
    hardest: tuple[str, ...] = ()
    """Queries ("task / query") with the most disagreement between judges, hardest first."""


class JudgesResults(_Frozen):
    """A verdict table that holds several benchmarks: one result for each, in order of their names."""

    schema_version: int = SCHEMA_VERSION
    board: Literal["judges_by_benchmark"] = "judges_by_benchmark"
    results: tuple[JudgesResult, ...]


class PersonalizationGroup(_Frozen):
    """The rows of one method on one data set in one setting, or on all its data sets pooled (`full`)."""

    method: str
    dataset: str
    setting: Setting
    datasets: tuple[str, ...]
    """What was pooled, sorted; the data set itself where nothing was."""
    n_rows: int
    n: int
    """Rows whose outcomes are known on both sides."""
    n_qstar: int
    """|Q*|: rows whose control is right."""
    n_no_gold: int
    n_unjudged: int
    """Rows of Q* never judged."""
    n_rating_unparsable: int
    """Rows judged without a readable rating: not followed."""
    n_cut: int
    """Rows of which the judge saw a text that was cut."""
    rankable: bool
    """Enough rows in Q*, and a robustness error."""
    metrics: dict[str, MetricValue]
    """breakage_rate, alignment_failure, robustness_error, performance_variation, repeat_breakage, excess_breakage;
    fractions, lower is better. n = the rows (Q* where the metric is of Q*)."""
    shares: dict[str, float | None]
    """acc_no_pref, acc_pref, invalid_no_pref, invalid_pref, unparsable, truncated, unchanged_rate, fallback_rate; None
    where nothing is known."""
    rules: dict[str, float]
    """Rule that found the letter (`evaluator.personalization.answer_extraction`), or `judge` -> share of the answers; 0
    left out."""
    mean_rating: MetricValue
    """Of our judge, 1-5, over readable ratings."""
    reported_rating: MetricValue
    """Mean of the ratings the team states itself: shown as reported, part of no figure."""


class PreferenceFigures(_Frozen):
    """The rows of one method on one data set that were answered under one relevant preference."""

    method: str
    dataset: str
    setting: Setting
    preference: str
    """Its beginning."""
    n_qstar: int
    breakage_rate: float | None
    alignment_failure: float | None
    robustness_error: float | None


class MethodDifference(_Frozen):
    """Pref-Aligner minus the plain prompt, on the examples both answered; negative = the aligner loses less."""

    dataset: str
    setting: Setting
    metrics: dict[str, MetricValue]
    """The four metrics; n = common examples."""


class PersonalizedOutcomes(_Frozen):
    """What became of every answer, column by column: place i of all columns is one row of the file.

    Every first control run and every answer under preferences stands here once; texts stay in the file.
    """

    row: tuple[int, ...]
    """Its place in the file, counted from 0."""
    example: tuple[str, ...]
    question: tuple[str, ...]
    """Digest of question and options, so that rows of different files are compared only where they were asked the
    same."""
    dataset: tuple[str, ...]
    setting: tuple[Setting, ...]
    method: tuple[str, ...]
    gold: tuple[str | None, ...]
    letter: tuple[str | None, ...]
    """Of the answer under preferences; of the control on control rows. None = none was found."""
    rule: tuple[str | None, ...]
    """How it was found, or why not; `judge` = the judge said so. None for open questions."""
    control_letter: tuple[str | None, ...]
    control_rule: tuple[str | None, ...]
    c0: tuple[bool | None, ...]
    """The control is right; None = not known, there is no gold."""
    c1: tuple[bool | None, ...]
    repeat_c0: tuple[bool | None, ...]
    """Another control run is right; None = there is none."""
    rating: tuple[float | None, ...]
    """How well the relevant preference was followed, 1-5, unrounded."""
    distribution: tuple[tuple[float, ...] | None, ...]
    """Probabilities of 1 to 5 as the judge gave them."""
    label_mass: tuple[float | None, ...]
    unparsable: tuple[bool, ...]
    """Judged without a readable rating."""
    unchanged: tuple[bool | None, ...]
    fallback: tuple[bool | None, ...]
    cut: tuple[bool, ...]
    """The judge saw a text that was cut."""
    outcome: tuple[str, ...]
    """An `evaluator.personalization.Outcome`."""
    letter_key: tuple[str | None, ...] = ()
    """Verdict key of the letter, where the judge was asked; empty in results stored before keys were kept."""
    control_key: tuple[str | None, ...] = ()
    """The same of the control's letter."""
    repeat_key: tuple[str | None, ...] = ()
    """The same of the letter of the other control run."""
    rating_key: tuple[str | None, ...] = ()
    """Verdict key of the rating."""


class PersonalizationResult(_Frozen):
    """One run on the Personalization board, down to every answer."""

    schema_version: int = SCHEMA_VERSION
    board: Literal["personalization"] = "personalization"
    profile: Literal["recommended", "perg"] = "recommended"
    """`perg` repeats the published implementation, for comparison; never ranked."""
    file_sha256: str
    judge: Pin
    judge_reason: str | None
    """Why preferences were not judged; None where they were."""
    code_version: str
    statistics_version: int = 1
    """Of `evaluator.statistics.version`; results from before there was one say 1."""
    groups: tuple[PersonalizationGroup, ...]
    by_preference: tuple[PreferenceFigures, ...]
    aligner_differences: tuple[MethodDifference, ...]
    outcomes: PersonalizedOutcomes


_ANY_JUDGES: TypeAdapter[JudgesResult | JudgesResults] = TypeAdapter(
    Annotated[JudgesResult | JudgesResults, Field(discriminator="board")]
)


def judges_results(payload: str) -> tuple[JudgesResult, ...]:
    """The results of a stored verdict table, one per benchmark."""
    result = _ANY_JUDGES.validate_json(payload)
    return result.results if isinstance(result, JudgesResults) else (result,)
