"""Answers of an uploaded log for its visitor to label, drawn where uploads are read: no page, no store."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypedDict

from evaluator.judge_logs.judgements import number
from evaluator.judge_report.labelling import SIDES, LabelDraw, ShownItem, Vote, rating_words
from evaluator.judge_report.of_files import Refused, draw_of_files
from leaderboard.judge_report.job import ReportJob, read_file, refused_problem
from leaderboard.judge_report.values import FaultsValue, faults_value
from leaderboard.parts.visible_text import visible
from submissions.checking.job import Budget, Overrun
from submissions.promptsets import PromptSets

TEXTS_BYTES = 4 * 1024 * 1024
"""Of all texts that a browser is sent; what goes beyond is not shown."""
MOST_VOTES = 10_000
"""That a browser sends: it keeps those of earlier draws from the same log."""


class ItemValue(TypedDict):
    """A pair, or an answer to be rated; its texts are shown as text."""

    id: str
    prompt: str
    criterion: str
    answers: list[str]
    """Two of a pair, the left one first."""


class ScaleValue(TypedDict):
    """What a rating may be."""

    words: str
    low: float | None
    """None = the log says nothing of its scale; so is `high`."""
    high: float | None


class LabellingValue(TypedDict):
    """What is to be labelled, for `components.BlindLabelling`."""

    log: str
    """A digest of the log: the browser keeps votes under it."""
    drawn: str
    """How the answers were drawn."""
    items: list[ItemValue]
    scale: ScaleValue


@dataclass(frozen=True, slots=True)
class LabellingFound:
    """What came of a log; one of the three."""

    drawn: LabellingValue | None = None
    missing: str = ""
    """Why there is nothing to label."""
    faults: FaultsValue | None = None


@dataclass(frozen=True, slots=True)
class LabellingJob:
    """The log and its labels, as they were read for the report."""

    report: ReportJob

    def answered(self, prompt_sets: PromptSets) -> LabellingFound:
        """What was drawn, or why there is nothing; no prompt set is needed."""
        job = self.report
        log, labels = read_file(job.log), None if job.labels is None else read_file(job.labels)
        draw = draw_of_files(log, labels, job.format_key, job.mapping)
        if isinstance(draw, Refused):
            return LabellingFound(faults=faults_value(draw))
        if draw.missing:
            return LabellingFound(missing=draw.missing)
        return LabellingFound(labelling_value(draw, hashlib.sha256(log.data).hexdigest()))

    def refused(self, overrun: Overrun, budget: Budget) -> LabellingFound:
        """One problem, which says what was exceeded."""
        return LabellingFound(faults=faults_value(refused_problem(self.report, overrun, budget)))


def labelling_value(draw: LabelDraw, digest: str) -> LabellingValue:
    """As much of the draw, in its order, as a browser is sent."""
    items: list[ItemValue] = []
    size = 0
    for item in draw.items:
        shown = _item(item)
        size += sum(len(text.encode()) for text in (shown["prompt"], shown["criterion"], *shown["answers"]))
        if items and size > TEXTS_BYTES:
            break
        items.append(shown)
    more = len(draw.items) - len(items)
    fewer = f" The last {more:,} are not shown: their texts are too long to be sent at once." if more else ""
    return {
        "log": digest[:32],
        "drawn": f"{draw.drawn}{fewer} {draw.left_out}".strip(),
        "items": items,
        "scale": {
            "words": rating_words(draw.scale),
            "low": draw.scale.low if draw.scale else None,
            "high": draw.scale.high if draw.scale else None,
        },
    }


def _item(item: ShownItem) -> ItemValue:
    return {
        "id": item.id,
        "prompt": visible(item.prompt),
        "criterion": visible(item.criterion),
        "answers": [visible(answer) for answer in item.answers],
    }


def cast_votes(carried: object) -> dict[str, Vote]:
    """What a visitor voted, id of what was shown -> label; whatever is no vote is left out.

    >>> cast_votes({"p1": "left", "p2": "skip", "p3": 7, "p4": True})
    {'p1': 'left', 'p3': 7.0}
    """
    if not isinstance(carried, Mapping) or len(carried) > MOST_VOTES:
        return {}
    votes = {shown: _vote(vote) for shown, vote in carried.items() if isinstance(shown, str)}
    return {shown: vote for shown, vote in votes.items() if vote is not None}


def _vote(sent: object) -> Vote | None:
    if isinstance(sent, str):
        return next((side for side in SIDES if side == sent), None)
    return number(sent)
