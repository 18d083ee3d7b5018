"""What others released, as its figures are kept; `python -m research public-record` makes them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

import numpy as np

from evaluator.judge_report.effect_records import DIGITS, EffectRecord
from evaluator.statistics.deciding_items import DecidingItems
from evaluator.statistics.intervals import ratio_interval
from evaluator.statistics.item_selection import RuleFigures
from evaluator.statistics.rank_bands import RankBand
from evaluator.values import Frozen, MetricValue, Pin

PROMPTS = 805
"""Of AlpacaEval; a log of fewer is not complete and stands in no ranking."""
BASELINE = "gpt4_1106_preview"
"""What every system is compared with; beside itself it wins half."""
NULL_MODEL = "NullModel"


class Published(Frozen):
    """Figures made from files that others released."""

    citation: str
    link: str
    source: str
    """The repository with its commit."""
    licence: str
    files_sha256: str
    """One SHA-256 over the files that were read (`digest_of`)."""
    computed_on: str
    """Day, as YYYY-MM-DD."""
    code_version: str


class JudgeRecord(Frozen):
    """One judge on all pairs that it judged."""

    judge: str
    """Language model and prompt, as LLMBar's folders name them: `GPT-4/Swap`."""
    pairs: int
    places: RankBand | None = None
    """The ranks it may hold among LLMBar's own judges by its share of right verdicts, all ranks together with 95%;
    None for a judge of ours, which is not ranked with them."""
    accuracy: MetricValue
    """Share of right verdicts among all that were asked for: none and a tie count as LLMBar counts them."""
    natural: MetricValue
    adversarial: MetricValue
    kappa: MetricValue
    """Cohen's kappa of verdict and label, by place, over usable verdicts."""
    same_in_both_orders: MetricValue
    """Position consistency; None for a judge that rated each answer by itself."""
    preference_fairness: MetricValue
    """Above 0 the second place wins where the orders disagree; None as above."""
    unusable: MetricValue
    """Share of calls without a verdict."""
    effects: tuple[EffectRecord, ...] = ()
    """Of place and length; none of a judge that we asked, and none of the place where answers were rated one by one."""


class LlmBarRecord(Published):
    """The figures that are kept."""

    results: int
    """Files of verdicts whose printed statistics our reading repeats to the digit."""
    printed_kappa: float
    """Mean of the printed kappa with the labels. It compares 1 and 0 with 1 and 2: `docs/public_record.md`."""
    selection: tuple[RuleFigures, ...] = ()
    """How well a few pairs rank judges."""
    first_place: DecidingItems | None = None
    """The fewest pairs, as "subset number", whose removal puts another judge first; None where several
    are."""
    judges: tuple[JudgeRecord, ...]
    """The most accurate first."""


class MeasuredJudge(Frozen):
    """A judge that we asked about LLMBar's pairs."""

    pin: Pin
    rubric: str
    """Id and version of our question."""
    commit: str
    """Of the code that asked."""
    asked_on: str
    """Day, as YYYY-MM-DD."""
    verdicts: Mapping[str, str]
    """Pair -> its verdicts by place in both orders, as two letters: A, B, C = equally good, N = none."""
    record: JudgeRecord


class MeasuredRecord(Published):
    """The figures that are kept of judges that we asked."""

    pairs: int
    """That LLMBar has; the first of them in the order of the SHA-256 of their names were asked about."""
    judges: tuple[MeasuredJudge, ...]
    """The most accurate first."""


class SystemRecord(Frozen):
    """One system against the baseline."""

    system: str
    prompts: int
    places: RankBand | None
    """Ranks it may hold by its win rate, all ranks together with 95%; None for a log that is not complete."""
    win_rate: MetricValue
    printed_win_rate: float
    """0-100, as printed."""
    length_controlled: float | None
    """0-1, by our fit; None for the baseline, which is one half by construction."""
    held_out: float | None
    """The same where nothing printed about this system was used."""
    printed_length_controlled: float
    """0-100, as printed."""
    prompts_needed: int | None
    """That would tell it from the next complete system with a power of 80%; None for the last one, and where none
    would."""


class AlpacaRecord(Published):
    """The figures that are kept."""

    logs: int
    complete: int
    """Logs with a usable preference on all 805 prompts."""
    largest_difference: float
    """Of a raw win rate from its print, 0-100."""
    equal_neighbours: int
    """Complete systems that cannot be told from the one printed below them."""
    selection: tuple[RuleFigures, ...]
    """How well a few prompts rank real systems."""
    first_place: DecidingItems | None = None
    """The fewest prompts, by their place in the released files from 001, without which another real system with a
    complete log is first; None where several are."""
    systems: tuple[SystemRecord, ...]
    """The highest win rate first."""


class GateCut(Frozen):
    """Shares that would be let through if the gate asked for another probability."""

    at: float
    """The least probability that is let through."""
    real: float
    """Of the drawn replies of real systems, beside their prompt."""
    other: float
    """Of the same replies, beside another prompt."""
    null_model: float


class CrossFitted(Frozen):
    """Shares let through in each half of the prompts at the threshold that the other half asks for."""

    wanted: float
    """Share of real replies that pass in the half that sets the threshold."""
    thresholds: tuple[float, float]
    """Probabilities from which the first half of the prompts is let through, and the second."""
    real: MetricValue
    other: MetricValue
    null_model: MetricValue


class GatePart(Frozen):
    """What the gate lets through of a part of the real replies."""

    part: str
    share: MetricValue


class Repeated(Frozen):
    """Replies that the guard against one text for several prompts marks (`recurring`), of all that were released."""

    marked: int
    replies: int


class GateRecord(Published):
    """What the gate lets through: a probability of at least a half."""

    judge: Pin
    null_model: MetricValue
    """Share of prompts beside which NullModel's text is let through."""
    real: MetricValue
    """Share of the drawn replies of real systems that are let through; the interval is over prompts."""
    other: MetricValue
    """The same of these replies beside another prompt."""
    systems: int
    """Real systems."""
    cuts: tuple[GateCut, ...]
    """The lowest first."""
    cross_fitted: CrossFitted
    parts: tuple[GatePart, ...]
    """Real replies by the collection their prompt is from, and by their words."""
    repeated_null_model: Repeated
    repeated_real: Repeated


@cache
def kept_llm_bar() -> LlmBarRecord:
    """The figures kept beside this module."""
    return LlmBarRecord.model_validate_json(_kept("published_llm_bar.json"))


@cache
def kept_measured() -> MeasuredRecord:
    """The figures kept beside this module."""
    return MeasuredRecord.model_validate_json(_kept("measured_llm_bar.json"))


@cache
def kept_alpaca_eval() -> AlpacaRecord:
    """The figures kept beside this module."""
    return AlpacaRecord.model_validate_json(_kept("published_alpaca_eval.json"))


@cache
def kept_gate() -> GateRecord:
    """The figures kept beside this module."""
    return GateRecord.model_validate_json(_kept("published_alpaca_gate.json"))


def _kept(name: str) -> str:
    """The text of a file beside this module."""
    return files("evaluator.public_record").joinpath(name).read_text(encoding="utf-8")


def rounded(metric: MetricValue) -> MetricValue:
    """The figure with the decimals that are kept.

    >>> rounded(MetricValue(value=2 / 3, n=3)).value
    0.666667
    """
    ends = {key: getattr(metric, key) for key in ("value", "low", "high")}
    return metric.model_copy(update={key: None if end is None else round(end, DIGITS) for key, end in ends.items()})


def share_of_pairs(shares: Sequence[float]) -> MetricValue:
    """The mean of a share of each pair, with its interval over pairs.

    >>> share_of_pairs([1.0, 0.5, 1.0, 0.0]).value
    0.625
    """
    if not shares:
        return MetricValue(value=None, n=0, reason="it judged no such pair")
    interval = ratio_interval(np.array(shares), np.ones(len(shares)))
    low, high = interval or (None, None)
    return rounded(MetricValue(value=math.fsum(shares) / len(shares), low=low, high=high, n=len(shares)))
