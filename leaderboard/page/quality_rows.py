"""Rows of the table of judges by their agreement with our labelled pairs, among scores that understand nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluator.judges.quality.measurement import JudgeQuality, Quality, pin_sha256
from evaluator.results import MetricValue

BASELINE_NAMES = {"cosine": "plain cosine", "word_overlap": "word overlap", "length_ratio": "length ratio"}
"""What the baselines of a measurement are called."""

GRADED_BY = (
    "The pairs were written and graded by language models. A second pass by a language model, with the grades out of "
    "view, agrees with kappa 0.996 [0.937, 1.000] on 522 of them; no person has graded them."
)
"""Stands beside every figure measured on them."""

_DIGITS = 12


@dataclass(frozen=True, slots=True)
class QualityRow:
    """One judge or baseline on our labelled pairs."""

    id: str
    judge: str
    model: str
    quality: Quality
    unscored: int
    order_gap: MetricValue | None
    """None for baselines, which know no order."""
    tier: int = 0

    @property
    def is_baseline(self) -> bool:
        return self.order_gap is None

    @property
    def style(self) -> str:
        """A null row is grey."""
        return "null-row" if self.is_baseline else ""


def quality_row_id(quality: JudgeQuality) -> str:
    """What the row of a measured judge is opened by; it tells no other state of that judge."""
    return f"labelled/{pin_sha256(quality.judge)[:_DIGITS]}"


def quality_rows(known: Sequence[JudgeQuality]) -> tuple[QualityRow, ...]:
    """Judges and the baselines on the same pairs, the best agreement first; a judge without one comes last."""
    judges = [
        QualityRow(quality_row_id(one), one.judge.name, one.judge.model, one.quality, one.unscored, one.order_gap)
        for one in known
    ]
    baselines = {name: found for one in known for name, found in one.baselines.items()}
    null_rows = [
        QualityRow(f"labelled/{name}", BASELINE_NAMES.get(name, name), "", found, 0, None)
        for name, found in baselines.items()
    ]
    return tuple(sorted((*judges, *null_rows), key=_best_first))


def _best_first(row: QualityRow) -> tuple[bool, float, str]:
    value = row.quality.auc.value
    return value is None, -(value or 0.0), row.id
