"""How well judges agree with people and with our labelled pairs: measurements that ship, and recorded ones."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from threading import Lock

from pydantic import ValidationError

from evaluator.judge_quality.human_check import NOBODY, HumanCheck, checks_by_judge
from evaluator.judge_quality.measurement import JudgeQuality
from evaluator.judge_quality.people_measurement import BASELINE_NAMES as PEOPLE_BASELINE_NAMES
from evaluator.judge_quality.shipped import current_pairs, current_sample, shipped_people, shipped_qualities
from evaluator.results import Pin
from evaluator.values import judge_digest
from leaderboard.page.canaries import Canaries
from leaderboard.page.canary_chart import Watched, watched_rounds
from leaderboard.parts.columns import text_of
from submissions.store.store import Store

logger = logging.getLogger(__name__)

HOW_TO_MEASURE = "python -m evaluator judge-quality --judge J --record"

BASELINE_NAMES = {**PEOPLE_BASELINE_NAMES, "cosine": "plain cosine", "length_ratio": "length ratio"}
"""What the baselines of a measurement are called."""

GRADED_BY = (
    "The pairs were written and graded by language models. A second pass by a language model, with the grades out of "
    "view, agrees with kappa 0.996 [0.937, 1.000] on 522 of them; no person has graded them."
)
"""Stands beside every figure measured on them."""


class JudgeQualities:
    """Every measurement the boards may show, by the judge's whole pin: a judge that changed has none.

    Beside the measurements stands what people say of its verdicts, and whether it changed since.

    A measurement counts only while it was made on the pairs that are shipped now.
    """

    def __init__(self, store: Store, canaries: Canaries | None = None) -> None:
        self._store = store
        self._canaries = canaries
        self._shipped = shipped_qualities()
        self._lock = Lock()
        self._marker: float | None = None
        self._known: dict[Pin, JudgeQuality] = {}
        self._outdated: tuple[JudgeQuality, ...] = ()
        self._votes_marker: int | None = None
        self._checks: dict[str, HumanCheck] = {}

    def of(self, judge: Pin | None) -> JudgeQuality | None:
        """The measurement of exactly this judge; None where it was never measured."""
        return self._renewed().get(judge) if judge else None

    def known(self) -> tuple[JudgeQuality, ...]:
        """Every measurement, in no particular order."""
        return tuple(self._renewed().values())

    def outdated(self) -> tuple[JudgeQuality, ...]:
        """Measurements on other pairs than those shipped now, of judges that have none on these."""
        self._renewed()
        return self._outdated

    def marker(self) -> float:
        """Changes whenever something was measured."""
        return self._store.judge_qualities_marker()

    def votes_marker(self) -> int:
        """Changes whenever somebody voted on a verdict."""
        return self._store.verdict_votes_marker()

    def checked_by_people(self, judge: Pin) -> HumanCheck:
        """What people say of the verdicts of exactly this judge."""
        marker = self._store.verdict_votes_marker()
        with self._lock:
            if marker != self._votes_marker:
                self._checks = checks_by_judge(self._store.verdict_votes())
                self._votes_marker = marker
            return self._checks.get(judge_digest(judge), NOBODY)

    def canary(self, judge: Pin) -> str:
        """What the canaries of exactly this judge say; blank = nobody watches it."""
        return self._canaries.said_of(judge) if self._canaries else ""

    def watched(self, judge: Pin) -> list[Watched]:
        """The rounds of the canaries of exactly this judge, the oldest first."""
        return watched_rounds(self._canaries.of(judge)) if self._canaries else []

    def _renewed(self) -> dict[Pin, JudgeQuality]:
        with self._lock:
            marker = self._store.judge_qualities_marker()
            if marker != self._marker:
                recorded = map(_with_people, _readable(self._store.judge_qualities()))
                every = {quality.judge: quality for quality in (*self._shipped, *recorded)}
                self._known = {
                    judge: quality
                    for judge, quality in every.items()
                    if quality.measured_on in (current_pairs(), current_sample(quality.pairs))
                }
                self._outdated = tuple(quality for quality in every.values() if quality.judge not in self._known)
                self._marker = marker
            return self._known


def _with_people(quality: JudgeQuality) -> JudgeQuality:
    """A recorded measurement with the agreement with people that ships, where it was recorded without."""
    return quality if quality.people else quality.model_copy(update={"people": shipped_people(quality.judge)})


def _readable(texts: Sequence[str]) -> list[JudgeQuality]:
    """The measurements in the shape of this version; one that an earlier version recorded has to be made anew."""
    qualities: list[JudgeQuality] = []
    for text in texts:
        try:
            qualities.append(JudgeQuality.model_validate_json(text))
        except ValidationError as error:
            logger.warning("a recorded judge quality is of another version and left out: %s", error.title)
    return qualities


def quality_sentence(quality: JudgeQuality) -> str:
    """What is shown beside every verdict of a judge."""
    agreement = quality.quality
    accuracy, auc = text_of(agreement.accuracy, "interval"), text_of(agreement.auc, "interval")
    stress = f"accuracy {accuracy}, AUC {auc} on {agreement.accuracy.n} pairs of our stress test"
    people = quality.people.figures.same_answer if quality.people else None
    if people is None:
        return f"{quality.judge.name} judge: agreement with people not measured; {stress}"
    right, told = text_of(people.accuracy, "interval"), text_of(people.auc, "interval")
    return (
        f"{quality.judge.name} judge: agrees with people with accuracy {right}, AUC {told} on {people.auc.n:,} pairs "
        f"of answers; {stress}"
    )
