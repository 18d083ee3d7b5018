"""The measurements that come with the judges of this program: one file for each, made by one command."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

from evaluator.judge_quality.labelled_pairs import LabelledPair, labelled_pairs, pairs_digest
from evaluator.judge_quality.measurement import JudgeQuality
from evaluator.judge_quality.people import drawn
from evaluator.judge_quality.people_values import PeopleQuality
from evaluator.values import Pin

SHIPPED_JUDGES = ("multilingual_pair", "pair", "smollm2")
"""What `python -m evaluator judge-quality --shipped` measures."""

RECORDED_MODELS = ("qwen2.5-coder-1.5b-instruct",)
"""Language models of others whose measurement comes along as `judge-quality --record` keeps it."""

GATE = "answers"
"""The name of the English gate."""


def shipped_file(judge: str) -> Path:
    """Where the measurement of a judge lies."""
    return Path(str(files("evaluator.judge_quality"))) / f"{judge}_quality.json"


def people_file(judge: str) -> Path:
    """Where the agreement of a judge with people lies; that of the gate lies under `GATE`."""
    return shipped_file(judge).with_name(f"{judge}_people.json")


def file_name(judge: str) -> str | None:
    """Under which name a judge's measurements come along, by what --judge says; None where they do not.

    >>> file_name("pair"), file_name("transformers:/models/qwen2.5-coder-1.5b-instruct"), file_name("scripted")
    ('pair', 'qwen2.5-coder-1.5b-instruct', None)
    """
    name = Path(judge.partition(":")[2]).name if ":" in judge else judge
    return name if name in (RECORDED_MODELS if ":" in judge else SHIPPED_JUDGES) else None


def shipped_qualities() -> tuple[JudgeQuality, ...]:
    """The measurements, by file name; a judge whose file is missing has none.

    Its agreement with people is part of it, where that was measured for exactly this judge.
    """
    paths = [path for path in map(shipped_file, (*SHIPPED_JUDGES, *RECORDED_MODELS)) if path.exists()]
    qualities = [JudgeQuality.model_validate_json(path.read_text(encoding="utf-8")) for path in paths]
    return tuple(
        quality if quality.people else quality.model_copy(update={"people": shipped_people(quality.judge)})
        for quality in qualities
    )


def shipped_people(judge: Pin) -> PeopleQuality | None:
    """The agreement of exactly this judge with people; None where it was not measured, or is of another version."""
    quality = _read_people(judge.model if judge.model in RECORDED_MODELS else judge.name)
    return quality if quality and quality.judge == judge else None


def shipped_gate_people() -> PeopleQuality | None:
    """What was recorded of the English gate, of whichever version."""
    return _read_people(GATE)


def _read_people(name: str) -> PeopleQuality | None:
    path = people_file(name)
    return PeopleQuality.model_validate_json(path.read_text(encoding="utf-8")) if path.exists() else None


@cache
def current_pairs() -> str:
    """The digest of the test pairs as they are now (`JudgeQuality.measured_on`): figures on others are not current."""
    return pairs_digest(labelled_pairs("test"))


@cache
def current_sample(pairs: int) -> str:
    """The digest of so many of them as `drawn_pairs` draws them."""
    return pairs_digest(drawn_pairs(labelled_pairs("test"), pairs))


def drawn_pairs(pairs: Sequence[LabelledPair], most: int | None) -> list[LabelledPair]:
    """Draw at most so many pairs by the SHA-256 of their ids, kept in order; None = all."""
    kept = {pair.id for pair in drawn(pairs, most, lambda pair: pair.id)}
    return [pair for pair in pairs if pair.id in kept]
