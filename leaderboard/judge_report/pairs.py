"""Pairs of an uploaded log for its visitor to label, drawn where uploads are read; no page, no store, no components."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypedDict

from evaluator.judge_report.labelling import VOTES, PairDraw, ShownPair, Vote
from evaluator.judge_report.of_files import Refused, pairs_of_files
from leaderboard.judge_report.job import ReportJob, read_file, refused_problem
from leaderboard.judge_report.values import FaultsValue, faults_value
from leaderboard.parts.visible_text import visible
from submissions.checking.job import Budget, Overrun
from submissions.promptsets import PromptSets

PAIRS_BYTES = 4 * 1024 * 1024
"""Of all texts that a browser is sent; what goes beyond is not shown."""
MOST_VOTES = 10_000
"""That a browser sends: it keeps those of earlier draws from the same log."""


class PairValue(TypedDict):
    """One pair; its texts are shown as text."""

    id: str
    prompt: str
    left: str
    right: str


class PairsValue(TypedDict):
    """What is to be labelled, for `components.PairLabelling`."""

    log: str
    """A digest of the log: the browser keeps votes under it."""
    drawn: str
    """How the pairs were drawn."""
    pairs: list[PairValue]


@dataclass(frozen=True, slots=True)
class PairsFound:
    """What came of a log; one of the three."""

    pairs: PairsValue | None = None
    missing: str = ""
    """Why there is nothing to label."""
    faults: FaultsValue | None = None


@dataclass(frozen=True, slots=True)
class PairsJob:
    """The log and its labels, as they were read for the report."""

    report: ReportJob

    def answered(self, prompt_sets: PromptSets) -> PairsFound:
        """The pairs, or why there are none; no prompt set is needed."""
        job = self.report
        log, labels = read_file(job.log), None if job.labels is None else read_file(job.labels)
        draw = pairs_of_files(log, labels, job.format_key, job.mapping)
        if isinstance(draw, Refused):
            return PairsFound(faults=faults_value(draw))
        if draw.missing:
            return PairsFound(missing=draw.missing)
        return PairsFound(pairs_value(draw, hashlib.sha256(log.data).hexdigest()))

    def refused(self, overrun: Overrun, budget: Budget) -> PairsFound:
        """One problem, which says what was exceeded."""
        return PairsFound(faults=faults_value(refused_problem(self.report, overrun, budget)))


def pairs_value(draw: PairDraw, digest: str) -> PairsValue:
    """As many of the pairs, in their order, as a browser is sent."""
    pairs: list[PairValue] = []
    size = 0
    for pair in draw.pairs:
        shown = _pair(pair)
        size += sum(len(shown[part].encode()) for part in ("prompt", "left", "right"))
        if pairs and size > PAIRS_BYTES:
            break
        pairs.append(shown)
    more = len(draw.pairs) - len(pairs)
    fewer = f" The last {more:,} are not shown: their texts are too long to be sent at once." if more else ""
    return {"log": digest[:32], "drawn": f"{draw.drawn}{fewer} {draw.left_out}".strip(), "pairs": pairs}


def _pair(pair: ShownPair) -> PairValue:
    return {
        "id": pair.id,
        "prompt": visible(pair.prompt),
        "left": visible(pair.left),
        "right": visible(pair.right),
    }


def cast_votes(carried: object) -> dict[str, Vote]:
    """What a visitor voted, pair -> label; whatever is no vote is left out.

    >>> cast_votes({"p1": "left", "p2": "skip", "p3": 1})
    {'p1': 'left'}
    """
    if not isinstance(carried, Mapping) or len(carried) > MOST_VOTES:
        return {}
    known = {word: word for word in VOTES}
    return {
        pair: known[vote]
        for pair, vote in carried.items()
        if isinstance(pair, str) and isinstance(vote, str) and vote in known
    }
