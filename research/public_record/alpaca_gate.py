"""One text for every prompt, at our gate: AlpacaEval's NullModel beside replies of real systems.

`python -m evaluator public-record alpaca-gate` asks a judge whether each text answers its prompt, as the gate of our
boards does (docs/answer_gate.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from evaluator.judges.answers.verdict import answer_probability
from evaluator.judges.prompts import ANSWERS
from evaluator.judges.protocol import Judge, JudgeRequest
from evaluator.public_record.records import BASELINE, NULL_MODEL, GateRecord, rounded
from evaluator.robustness.answer_gate import NO_ANSWER_BELOW
from evaluator.statistics.intervals import mean_metric
from evaluator.values import MetricValue
from research.public_record.alpaca_eval import (
    CITATION,
    LICENCE,
    LINK,
    NOT_REAL,
    SOURCE,
    annotation_paths,
    annotations_of,
)
from research.public_record.sources import digest_of
from submissions.version import VERSION

REPLIES = 16
"""Of each real system, evenly over the prompts and beginning at another one for each."""


class Reply(NamedTuple):
    """A prompt and the text beside it."""

    prompt: str
    text: str


def gate_record(folder: Path, judge: Judge, computed_on: str) -> GateRecord:
    """Ask a judge about NullModel's text beside every prompt, and about replies of real systems.

    Args:
        folder: A clone of AlpacaEval.
        judge: One that says whether a text answers a prompt.
        computed_on: The day to state.

    Raises:
        SourceRefused: a file is missing or cannot be read.
    """
    paths = annotation_paths(folder)
    real = sorted(paths.keys() - (NOT_REAL - {BASELINE}))
    return GateRecord(
        citation=CITATION,
        link=LINK,
        source=SOURCE,
        licence=LICENCE,
        files_sha256=digest_of(sorted(paths.values()), folder),
        computed_on=computed_on,
        code_version=VERSION,
        judge=judge.gate_pin,
        null_model=let_through(judge, replies(paths[NULL_MODEL])),
        real=let_through(judge, [reply for place, name in enumerate(real) for reply in drawn(paths[name], place)]),
        systems=len(real),
    )


def replies(path: Path) -> list[Reply]:
    """Every prompt of a file of annotations with the judged system's reply."""
    return [Reply(str(row["instruction"]), str(row["output_2"])) for row in annotations_of(path)]


def drawn(path: Path, place: int) -> Iterator[Reply]:
    """`REPLIES` of them, evenly, from one that depends on the system's place."""
    everything = replies(path)
    step = max(1, len(everything) // REPLIES)
    for number in range(min(REPLIES, len(everything))):
        yield everything[(place + number * step) % len(everything)]


def let_through(judge: Judge, texts: Sequence[Reply]) -> MetricValue:
    """The share of texts that the gate lets through beside their prompts; the interval is over prompts."""
    requests = [JudgeRequest(ANSWERS, {"prompt_1": reply.prompt, "answer": reply.text}, "en") for reply in texts]
    by_prompt: dict[str, list[float]] = {}
    unscored = 0
    for reply, judgment in zip(texts, judge.judge(requests), strict=True):
        probability = answer_probability(judgment)
        if probability is None:
            unscored += 1
        else:
            by_prompt.setdefault(reply.prompt, []).append(float(probability >= NO_ANSWER_BELOW))
    return rounded(mean_metric(by_prompt).model_copy(update={"unscored": unscored}))
