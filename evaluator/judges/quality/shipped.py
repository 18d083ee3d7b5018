"""The measurements that come with the judges of this program: one file for each, made by one command."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path

from evaluator.judges.quality.labelled_pairs import labelled_pairs, pairs_digest
from evaluator.judges.quality.measurement import JudgeQuality

SHIPPED_JUDGES = ("embedding", "multilingual", "multilingual_pair", "pair", "smollm2")
"""What `python -m evaluator judge-quality --shipped` measures."""


def shipped_file(judge: str) -> Path:
    """Where the measurement of a judge lies."""
    return Path(str(files("evaluator.judges.quality"))) / f"{judge}_quality.json"


def shipped_qualities() -> tuple[JudgeQuality, ...]:
    """The measurements, by file name; a judge whose file is missing has none."""
    paths = [path for path in map(shipped_file, SHIPPED_JUDGES) if path.exists()]
    return tuple(JudgeQuality.model_validate_json(path.read_text(encoding="utf-8")) for path in paths)


@cache
def current_pairs() -> str:
    """The digest of the test pairs as they are now (`JudgeQuality.measured_on`): figures on others are not current."""
    return pairs_digest(labelled_pairs("test"))
