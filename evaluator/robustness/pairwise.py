"""Systems against one fixed reference system, answer by answer, each comparison in both orders.

Costs two calls for each answer however many systems there are. The reference stands first in the original order, so the
verdict pairs are those of the position-bias tables (docs/position_bias.md#from-two-verdicts-to-one-outcome).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evaluator.judges.prompts import PREFERENCE_PAIR
from evaluator.judges.protocol import JudgeRequest, Judgment, reads_language
from evaluator.judges.recorded import RecordedJudge, Verdict
from evaluator.results import PairwiseRecord, PairwiseResult
from evaluator.statistics.intervals import mean_metric
from evaluator.task import Reference
from evaluator.values import MetricValue
from submissions.schema import PromptSet, Response, Submission
from submissions.verdicts.swap_outcomes import Options, SwapOutcome, classify

OPTIONS: Options = 3
"""The judge is offered a tie."""
UNUSABLE = "N"
TIE = "C"

_CREDIT = {
    SwapOutcome.CONSISTENT_WIN_FIRST_CANDIDATE: 0.0,
    SwapOutcome.CONSISTENT_WIN_SECOND_CANDIDATE: 1.0,
    SwapOutcome.CONSISTENT_TIE: 0.5,
    SwapOutcome.PRIMACY_FLIP: 0.5,
    SwapOutcome.RECENCY_FLIP: 0.5,
}
"""What a pair adds to the system's overall win rate: a flip is worth a tie."""


def pairwise_result(
    submission: Submission, reference: Reference, prompt_set: PromptSet, judge: RecordedJudge
) -> PairwiseResult | None:
    """Compares a submission with the reference on every prompt both have answered.

    Identical answers are ties that no judge is asked about. None where the judge states no preferences.
    """
    if "preference_pair" not in judge.judge.kinds:
        return None
    slots = list(_slots(submission, reference.submission, prompt_set, judge))
    asked = [slot for slot in slots if not slot.is_identical]
    verdicts = iter(judge.verdicts([request for slot in asked for request in slot.requests()]))
    records = tuple(
        _identical(slot) if slot.is_identical else _record(slot, next(verdicts), next(verdicts)) for slot in slots
    )
    return PairwiseResult(
        reference=reference.name,
        reference_sha256=reference.submission.file_sha256,
        records=records,
        win_rate=win_rate(records),
        conservative_win_rate=conservative_win_rate(records),
    )


def win_rate(records: Sequence[PairwiseRecord]) -> MetricValue:
    """Overall win rate of the system against the reference: wins plus half of ties and flips.

    Range 0-1, .5 = level, higher is better; n = usable pairs, unscored = pairs with an unusable verdict; interval
    clustered by item. See docs/position_bias.md#overall_win_rate.

    >>> facts = {"item": "1", "variation": "v"}
    >>> win = PairwiseRecord(**facts, variant=1, original="B", swapped="A", outcome="consistent_win_second_candidate")
    >>> flip = PairwiseRecord(**facts, variant=2, original="A", swapped="A", outcome="primacy_flip")
    >>> win_rate([win, flip]).value  # (1 + 1/2) / 2
    0.75
    """
    return _share({record_key(record): _CREDIT.get(SwapOutcome(record.outcome)) for record in records})


def conservative_win_rate(records: Sequence[PairwiseRecord]) -> MetricValue:
    """Share of usable pairs the system wins from both places: what no position bias can give.

    Range 0-1, higher is better; same n and interval as `win_rate`.
    """
    won = SwapOutcome.CONSISTENT_WIN_SECOND_CANDIDATE
    return _share(
        {
            record_key(record): None if record.outcome == SwapOutcome.ERROR else float(record.outcome == won)
            for record in records
        }
    )


def record_key(record: PairwiseRecord) -> tuple[str, int]:
    """Item and variant: what a record is unique by."""
    return record.item, record.variant


def _share(values: Mapping[tuple[str, int], float | None]) -> MetricValue:
    clusters: dict[str, list[float]] = {}
    unscored = 0
    for (item, _), value in values.items():
        if value is None:
            unscored += 1
        else:
            clusters.setdefault(item, []).append(value)
    return mean_metric(clusters, unscored=unscored, reason="no pair has two usable verdicts")


@dataclass(frozen=True, slots=True)
class BradleyTerry:
    """Strengths of systems against the reference, the judge's position effect taken out."""

    strengths: dict[str, float]
    """Log odds that the system is preferred to the reference, were neither place favoured; 0 = level."""
    position_effect: float
    """Log odds added for the place shown second: > 0 recency, < 0 primacy."""


SHRINKAGE = 0.01
"""Ridge on the strengths: a system that wins every comparison gets a large strength, not an infinite one."""


def bradley_terry(records: Mapping[str, Sequence[PairwiseRecord]]) -> BradleyTerry:
    """Fits P(system preferred) = logistic(strength + position x place) to the single verdicts of all systems.

    place is +1 where the system is shown second and -1 where it is shown first; a tie counts as half a verdict for
    each side. Source: Bradley and Terry (1952) with an order effect as in Davidson and Beaver (1977).

    Args:
        records: System -> its comparisons with the one reference.

    >>> facts = {"item": "1", "variation": "v"}
    >>> win = PairwiseRecord(**facts, variant=1, original="B", swapped="A", outcome="consistent_win_second_candidate")
    >>> loss = PairwiseRecord(**facts, variant=2, original="A", swapped="B", outcome="consistent_win_first_candidate")
    >>> fitted = bradley_terry({"level": [win, loss]})
    >>> round(fitted.strengths["level"], 6) + 0.0, round(fitted.position_effect, 6) + 0.0
    (0.0, 0.0)
    """
    from scipy.optimize import minimize  # here: it takes a third of a second, and only boards fit

    systems = sorted(records)
    rows = [
        (index, place, preferred)
        for index, system in enumerate(systems)
        for record in records[system]
        for place, preferred in _single_verdicts(record)
    ]
    if not rows:
        return BradleyTerry(dict.fromkeys(systems, 0.0), 0.0)
    which = np.array([row[0] for row in rows])
    place = np.array([row[1] for row in rows], dtype=np.float64)
    preferred = np.array([row[2] for row in rows], dtype=np.float64)

    def loss(parameters: npt.NDArray[np.float64]) -> float:
        odds = parameters[which] + parameters[-1] * place
        likelihood = np.logaddexp(0.0, -odds) * preferred + np.logaddexp(0.0, odds) * (1.0 - preferred)
        return float(likelihood.sum() + SHRINKAGE * (parameters**2).sum())

    fitted = minimize(loss, np.zeros(len(systems) + 1), method="L-BFGS-B", options={"gtol": 1e-9, "ftol": 1e-14}).x
    return BradleyTerry({system: float(fitted[index]) for index, system in enumerate(systems)}, float(fitted[-1]))


def _single_verdicts(record: PairwiseRecord) -> Iterator[tuple[int, float]]:
    """(place of the system: +1 second, -1 first; 1 preferred, 0 not, 1/2 tie) for each usable verdict."""
    for verdict, place, wins in ((record.original, 1, "B"), (record.swapped, -1, "A")):
        if verdict != UNUSABLE:
            yield place, 0.5 if verdict == TIE else float(verdict == wins)


# --- asking ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Slot:
    """One prompt both systems have answered."""

    variation: str
    prompt: str | None
    reference: Response
    system: Response

    @property
    def is_identical(self) -> bool:
        return self.reference.response.strip() == self.system.response.strip()

    def requests(self) -> tuple[JudgeRequest, JudgeRequest]:
        """The original order, the reference first; and the swapped one."""
        prompts = {} if self.prompt is None else {"prompt_1": self.prompt}
        first, second = self.reference.response, self.system.response
        language = self.system.language
        place = f"item {self.system.item_id}, variant {self.system.variant} beside the reference"
        return (
            JudgeRequest(PREFERENCE_PAIR, {"answer_a": first, "answer_b": second, **prompts}, language, place),
            JudgeRequest(PREFERENCE_PAIR, {"answer_a": second, "answer_b": first, **prompts}, language, place),
        )


def _slots(
    submission: Submission, reference: Submission, prompt_set: PromptSet, judge: RecordedJudge
) -> Iterator[_Slot]:
    other = {
        (response.item_id, response.variant): response for response in reference.responses() if not response.is_blank
    }
    for response in submission.responses():
        opposite = other.get((response.item_id, response.variant))
        item = prompt_set.item(response.item_id)
        if response.is_blank or opposite is None or item is None:
            continue
        if reads_language(judge.judge.pin, response.language):
            prompt = item.variants[response.variant - 1].prompt or response.prompt
            yield _Slot(item.variation, prompt, opposite, response)


def _identical(slot: _Slot) -> PairwiseRecord:
    return PairwiseRecord(
        item=slot.system.item_id,
        variant=slot.system.variant,
        variation=slot.variation,
        original=TIE,
        swapped=TIE,
        outcome=SwapOutcome.CONSISTENT_TIE.value,
    )


def _record(slot: _Slot, original: Verdict, swapped: Verdict) -> PairwiseRecord:
    verdicts = [verdict.judgment.verdict or UNUSABLE for verdict in (original, swapped)]
    return PairwiseRecord(
        item=slot.system.item_id,
        variant=slot.system.variant,
        variation=slot.variation,
        original=verdicts[0],
        swapped=verdicts[1],
        outcome=classify(verdicts[0], verdicts[1], OPTIONS).value,
        reason=original.judgment.reason or swapped.judgment.reason,
        distribution_original=original.judgment.distribution,
        distribution_swapped=swapped.judgment.distribution,
        label_mass=_mean_mass(original.judgment, swapped.judgment),
        key_original=original.key,
        key_swapped=swapped.key,
    )


def _mean_mass(first: Judgment, second: Judgment) -> float | None:
    masses = [judgment.label_mass for judgment in (first, second) if judgment.label_mass is not None]
    return math.fsum(masses) / len(masses) if masses else None
