"""Our labelled pairs of answers: what judges are calibrated and trained on, and what any judge is measured on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Literal

from pydantic import BaseModel, ConfigDict

Split = Literal["train", "validation", "test"]

EQUIVALENT_GRADE = 3
"""Pairs with this grade or a higher one say the same."""


class LabelledPair(BaseModel):
    """Two assistant answers and how alike their content is, as a careful reader grades it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    topic: str
    """The unit of the split and of the bootstrap: no topic is in two splits."""
    split: Split
    """`train` (training and calibration of features), `validation` (every choice), `test` (published figures)."""
    category: str
    """What relates the two answers: paraphrase, negation, ... (labelled_pairs.md)."""
    prompt_a: str
    prompt_b: str
    a: str
    b: str
    grade: int
    """0 different or contradictory .. 5 the same content."""

    @property
    def is_equivalent(self) -> bool:
        return self.grade >= EQUIVALENT_GRADE


def labelled_pairs(split: Split | None = None) -> list[LabelledPair]:
    """Our labelled pairs, all of them or those of one split, in file order."""
    text = files("evaluator.judge_quality").joinpath("labelled_pairs.jsonl").read_text(encoding="utf-8")
    pairs = [LabelledPair.model_validate_json(line) for line in text.splitlines()]
    return [pair for pair in pairs if split is None or pair.split == split]


def pairs_digest(pairs: Sequence[LabelledPair]) -> str:
    """How many pairs something was fitted on, and the SHA-256 of exactly these."""
    rows = [pair.model_dump() for pair in pairs]
    digest = hashlib.sha256(json.dumps(rows, ensure_ascii=False, sort_keys=True).encode()).hexdigest()
    return f"{len(pairs)} labelled pairs, sha256 {digest}"
