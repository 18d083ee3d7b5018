"""Try a judge on pairs of your own: JSON lines in, one scored line out per pair, in order."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import islice

from evaluator.judge_quality.json_rows import RowFileError, json_object, read_rows, row_problems
from evaluator.judge_quality.labelled_pairs import LabelledPair
from evaluator.judges.prompts import SIMILARITY_PAIR
from evaluator.judges.protocol import Judge, JudgeRequest, Judgment

_PAIRS_AT_ONCE = 256
"""Pairs per call of the judge: results appear while a long file is still being judged."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two answers to compare, and the prompts they answer where these are known."""

    id: str | int
    a: str
    b: str
    prompt_a: str | None = None
    prompt_b: str | None = None


@dataclass(frozen=True, slots=True)
class ScoredPair:
    """What a judge made of a pair, asked in both orders."""

    id: str | int
    score: float | None
    """Rating 0-5, the mean of both orders (of the one that was scored, as on the boards); None when neither was."""
    ab: float | None
    """Rating with `a` shown first."""
    ba: float | None
    reason: str | None
    """Why an order is unscored."""


def pair_of(labelled: LabelledPair) -> Pair:
    """A labelled pair without its grade: what a judge is asked about."""
    return Pair(labelled.id, labelled.a, labelled.b, labelled.prompt_a, labelled.prompt_b)


class PairFileError(RowFileError):
    """Raised before anything is scored when lines are not pairs; `problems` names every bad line."""


def score_pairs_command(lines: Iterable[str], judge: Judge, language: str = "en") -> Iterator[str]:
    """`python -m evaluator score-pairs`: JSON lines `{id, a, b, prompt_a?, prompt_b?}` to JSON lines of `ScoredPair`.

    Every line is checked before the first pair is judged. Other keys are ignored, blank lines skipped.

    Raises:
        PairFileError: with all bad lines, by number; nothing has been scored then (the command exits with 2).
    """
    pairs = read_pairs(lines)
    return (json.dumps(asdict(scored), ensure_ascii=False) for scored in score_pairs(pairs, judge, language))


def read_pairs(lines: Iterable[str]) -> list[Pair]:
    """The pairs of JSON lines, in order; raises `PairFileError` with every bad line."""
    return read_rows(lines, _pair, PairFileError)


def score_pairs(pairs: Iterable[Pair], judge: Judge, language: str = "en") -> Iterator[ScoredPair]:
    """Each pair judged in both orders, in order of the input."""
    remaining = iter(pairs)
    while batch := list(islice(remaining, _PAIRS_AT_ONCE)):
        requests = [request for pair in batch for request in both_orders(pair, language)]
        judgments = judge.judge(requests)
        for pair, ab, ba in zip(batch, judgments[::2], judgments[1::2], strict=True):
            yield _scored(pair, ab, ba)


def both_orders(pair: Pair, language: str) -> tuple[JudgeRequest, JudgeRequest]:
    """The two questions about a pair: `a` shown first, and `b` shown first; the prompts are the same for both."""
    prompts = dict.fromkeys(prompt for prompt in (pair.prompt_a, pair.prompt_b) if prompt is not None)
    context = {f"prompt_{number}": prompt for number, prompt in enumerate(prompts, start=1)}
    return (
        JudgeRequest(SIMILARITY_PAIR, {"answer_a": pair.a, "answer_b": pair.b, **context}, language),
        JudgeRequest(SIMILARITY_PAIR, {"answer_a": pair.b, "answer_b": pair.a, **context}, language),
    )


def _scored(pair: Pair, ab: Judgment, ba: Judgment) -> ScoredPair:
    ratings = [judgment.rating for judgment in (ab, ba) if judgment.rating is not None]
    missing = [judgment.reason or "the judge gave no rating" for judgment in (ab, ba) if judgment.rating is None]
    score = sum(ratings) / len(ratings) if ratings else None
    return ScoredPair(pair.id, score, ab.rating, ba.rating, missing[0] if missing else None)


def _pair(line: str) -> Pair:
    """One line as a pair; raises ValueError saying all that is wrong with it."""
    row = json_object(line, noun="a pair", keys="id, a and b")
    if problems := row_problems(row, ("a", "b"), ("prompt_a", "prompt_b")):
        raise ValueError("; ".join(problems))
    return Pair(row["id"], row["a"], row["b"], row.get("prompt_a"), row.get("prompt_b"))
