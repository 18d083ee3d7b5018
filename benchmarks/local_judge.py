"""How a local language model judges: each rubric on texts that people labelled, and the same verdicts in any batch.

    python -m benchmarks.local_judge FOLDER --people ../shared/data/human --pairs 200
    python -m benchmarks.local_judge FOLDER --people ../shared/data/human --rubrics answers preference
    python -m benchmarks.local_judge FOLDER --people ../shared/data/human --pairs 1000 --batches 1 8 64 --plain 1 64

`judge-quality --people` measures any judge on these labels; this compares all rubrics of a language model.

The data are other people's (`make golden-data`); without them only the proof is asked. Intervals are over questions.
Figures with the commit and the machine: docs/judges.md#real-models-as-judges.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import torch

from benchmarks.provenance import commit
from evaluator.judge_quality.measurement import auc
from evaluator.judge_quality.people import read_answers, read_questions
from evaluator.judges.prompts import ANSWERS, PREFERENCE_PAIR, SIMILARITY_PAIR, SIMILARITY_PAIR_PAPER
from evaluator.judges.proof import RUBRICS, prove
from evaluator.judges.protocol import JudgeRequest, Judgment, Rubric
from evaluator.judges.transformers import TransformersJudge, load_transformers_judge
from evaluator.statistics.intervals import jackknife_interval, mean_metric
from evaluator.values import MetricValue

SEED = 48
PROOF = "proof"


@dataclass(frozen=True, slots=True)
class Case:
    """Two answers to one question by real systems; people said which are right."""

    question: str
    first: str
    second: str
    first_is_right: bool
    second_is_right: bool


@dataclass(frozen=True, slots=True)
class Row:
    """What one rubric showed."""

    rubric: str
    judgements: int
    lowest_mass: float
    mean_mass: float
    unscored: int
    judgements_per_s: float
    accuracy: MetricValue
    """Share of right verdicts, both orders taken together; an undecided one counts half."""
    auc: MetricValue | None = None
    consistent: MetricValue | None = None
    """Share of pairs with the same verdict in both orders."""


@dataclass(frozen=True, slots=True)
class Rated:
    """A score beside what people said."""

    question: str
    is_positive: bool
    score: float


def cases(folder: Path, n: int) -> list[Case]:
    """Pairs of answers to different questions, in an order that a seed fixes; both right, or exactly one."""
    dice = random.Random(SEED)
    questions = list(read_questions(folder).rows)
    dice.shuffle(questions)
    chosen: list[Case] = []
    for row in questions:
        pairs = [
            (first, second)
            for first, second in combinations([answer for _, answer in sorted(row.answers.items())], 2)
            if first.correct or second.correct
        ]
        if pairs and len(chosen) < n:
            first, second = dice.choice(pairs)
            chosen.append(Case(row.question, first.text, second.text, first.correct, second.correct))
    return chosen


def _similarity_paper(judge: TransformersJudge, people: Path, n: int) -> Row:
    return _similarity(judge, SIMILARITY_PAIR_PAPER, cases(people, n))


def _similarity_now(judge: TransformersJudge, people: Path, n: int) -> Row:
    return _similarity(judge, SIMILARITY_PAIR, cases(people, n))


def _judged(judge: TransformersJudge, requests: Sequence[JudgeRequest]) -> tuple[list[Judgment], float]:
    began = time.monotonic()
    judgments = judge.answer(requests)
    return judgments, len(requests) / (time.monotonic() - began)


def _row(rubric: Rubric, judgments: Sequence[Judgment], rate: float, **figures: Any) -> Row:
    masses = [judgment.label_mass or 0.0 for judgment in judgments]
    unscored = sum(judgment.reason is not None for judgment in judgments)
    name = f"{rubric.id} {rubric.version}"
    return Row(name, len(judgments), min(masses), fmean(masses), unscored, rate, **figures)


def _shares(values: Sequence[tuple[str, float]]) -> MetricValue:
    """The mean of values from 0 to 1, each of a question."""
    by_question: dict[str, list[float]] = {}
    for question, value in values:
        by_question.setdefault(question, []).append(value)
    return mean_metric(by_question)


def area_under_curve(rated: Sequence[Rated]) -> MetricValue:
    """The AUC of scores, with a jackknife interval over questions."""

    def without(question: str | None) -> float | None:
        kept = [row for row in rated if row.question != question]
        return auc([row.score for row in kept if row.is_positive], [row.score for row in kept if not row.is_positive])

    value = without(None)
    if value is None:
        return MetricValue(value=None, n=len(rated), reason="only one label among the scored texts")
    left_out = [rest for question in {row.question for row in rated} if (rest := without(question)) is not None]
    interval = jackknife_interval(value, np.array(left_out))
    low, high = interval if interval is not None else (None, None)
    return MetricValue(value=value, low=low, high=high, n=len(rated))


def _both_orders(rubric: Rubric, case: Case) -> tuple[JudgeRequest, JudgeRequest]:
    ab, ba = (
        JudgeRequest(rubric, {"answer_a": a, "answer_b": b, "prompt_1": case.question}, "en")
        for a, b in ((case.first, case.second), (case.second, case.first))
    )
    return ab, ba


def _similarity(judge: TransformersJudge, rubric: Rubric, pairs: Sequence[Case]) -> Row:
    judgments, rate = _judged(judge, [request for case in pairs for request in _both_orders(rubric, case)])
    couples = list(zip(judgments[::2], judgments[1::2], strict=True))
    scored = [
        (case, ab.rating, ba.rating)
        for case, (ab, ba) in zip(pairs, couples, strict=True)
        if ab.rating is not None and ba.rating is not None
    ]
    rated = [
        Rated(case.question, case.first_is_right and case.second_is_right, fmean((ab, ba))) for case, ab, ba in scored
    ]
    return _row(
        rubric,
        judgments,
        rate,
        accuracy=_shares([(row.question, float((row.score > 2.5) is row.is_positive)) for row in rated]),
        auc=area_under_curve(rated),
        consistent=_shares([(case.question, float((ab > 2.5) is (ba > 2.5))) for case, ab, ba in scored]),
    )


def _preference(judge: TransformersJudge, people: Path, n: int) -> Row:
    """The right answer beside the wrong one: who is better?"""
    mixed = [case for case in cases(people, 10 * n) if case.first_is_right != case.second_is_right][:n]
    requests = [request for case in mixed for request in _both_orders(PREFERENCE_PAIR, case)]
    judgments, rate = _judged(judge, requests)
    right, same = [], []
    for case, ab, ba in zip(mixed, judgments[::2], judgments[1::2], strict=True):
        if ab.verdict is None or ba.verdict is None:
            continue
        swapped = {"A": "B", "B": "A", "C": "C"}[ba.verdict]
        same.append((case.question, float(ab.verdict == swapped)))
        better = "A" if case.first_is_right else "B"
        right += [
            (case.question, 0.5 if verdict == "C" else float(verdict == better)) for verdict in (ab.verdict, swapped)
        ]
    return _row(PREFERENCE_PAIR, judgments, rate, accuracy=_shares(right), consistent=_shares(same))


def _answers(judge: TransformersJudge, people: Path, n: int) -> Row:
    """A real system's answer to this prompt, or to another."""
    dice = random.Random(SEED)
    rows = list(read_answers(people).rows)
    dice.shuffle(rows)
    rows = rows[:n]
    requests = [JudgeRequest(ANSWERS, {"prompt_1": row.prompt, "answer": row.text}, "en") for row in rows]
    judgments, rate = _judged(judge, requests)
    rated = [
        Rated(row.prompt, row.is_answer, judgment.distribution[0] / judgment.label_mass)
        for row, judgment in zip(rows, judgments, strict=True)
        if judgment.reason is None and judgment.distribution and judgment.label_mass
    ]
    return _row(
        ANSWERS,
        judgments,
        rate,
        accuracy=_shares([(row.question, float((row.score > 0.5) is row.is_positive)) for row in rated]),
        auc=area_under_curve(rated),
    )


MEASURED: dict[str, Callable[[TransformersJudge, Path, int], Row]] = {
    "paper": _similarity_paper,
    "similarity": _similarity_now,
    "answers": _answers,
    "preference": _preference,
}
"""The rubrics that people's labels are at hand for."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The same judgements, asked so many at a time."""

    size: int
    passes: str
    """`packed`: several prompts in a pass; `plain`: each prompt has passes of its own."""
    judgements: int
    labels_changed: int
    """Most probable labels that differ from those of one prompt at a time, packed."""
    largest_difference: float
    """Of a label's probability."""
    judgements_per_s: float
    """By the time of the processor, so that other work beside it matters less."""
    cost: float
    """Seconds of the processor, over those of one prompt at a time, packed."""
    unscored: int


def batches(
    judge: TransformersJudge, people: Path, n: int, sizes: Sequence[int], plain: Sequence[int]
) -> Iterator[Batch]:
    """The same `n` judgements one at a time, then in batches of each size, packed as the judge packs them, and plain.

    Args:
        judge: In bf16 on a processor; elsewhere the passes of all sizes are packed.
        people: The folder of texts that people labelled.
        n: How many judgements.
        sizes: Of packed batches.
        plain: Of batches whose prompts have passes of their own.
    """
    requests = [request for case in cases(people, n) for request in _both_orders(SIMILARITY_PAIR, case)][:n]
    alone: list[tuple[float, ...]] = []
    alone_s = 0.0
    asked = [(1, True), *((size, True) for size in sizes if size != 1), *((size, False) for size in plain)]
    judge.answer(requests[:1])  # the engine tries whether prompts may stand side by side
    may_share = judge.engine.shares_passes
    for size, is_packed in asked:
        judge.engine.shares_passes = may_share if is_packed else False
        began = time.process_time()
        judgments = [
            judgment
            for start in range(0, len(requests), size)
            for judgment in judge.answer(requests[start : start + size])
        ]
        seconds = time.process_time() - began
        rows = [judgment.distribution or () for judgment in judgments]
        alone, alone_s = alone or rows, alone_s or seconds
        changed = sum(row.index(max(row)) != first.index(max(first)) for row, first in zip(rows, alone, strict=True))
        difference = max(
            abs(a - b) for row, first in zip(rows, alone, strict=True) for a, b in zip(row, first, strict=True)
        )
        yield Batch(
            size,
            "packed" if judge.engine.shares_passes else "plain",
            len(rows),
            changed,
            difference,
            len(rows) / seconds,
            seconds / alone_s,
            sum(judgment.reason is not None for judgment in judgments),
        )


def main(arguments: list[str] | None = None) -> int:
    """Measure one model."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.local_judge", description=__doc__)
    parser.add_argument("model", help="a folder with safetensors")
    parser.add_argument("--people", type=Path, help="the folder of texts that people labelled")
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--rubrics", nargs="+", choices=[*MEASURED, PROOF], default=[*MEASURED, PROOF])
    parser.add_argument(
        "--batches", type=int, nargs="*", help="sizes: measures whether verdicts differ by batch instead"
    )
    parser.add_argument(
        "--plain",
        type=int,
        nargs="*",
        default=[],
        help="with --batches: sizes with passes of their own for each prompt",
    )
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    judge = load_transformers_judge(options.model, None)
    told = {"model": judge.pin.model, "dtype": judge.pin.dtype, "commit": commit()}
    print(json.dumps(told))
    if options.batches:
        if options.people is None:
            parser.error("--batches needs --people")
        for batch in batches(judge, options.people, options.pairs, options.batches, options.plain):
            print(json.dumps(asdict(batch)), flush=True)
        return 0
    for name in options.rubrics:
        if name in MEASURED and options.people:
            row = MEASURED[name](judge, options.people, options.pairs)
            print(json.dumps(asdict(row), default=MetricValue.model_dump), flush=True)
    if PROOF in options.rubrics:
        for rubric in (SIMILARITY_PAIR_PAPER, *RUBRICS):
            print(prove(judge, rubric), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
