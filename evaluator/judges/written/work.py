"""How much a judge that writes before it decides has written so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluator.judges.protocol import TOKENS_WRITTEN, Judgment


@dataclass(slots=True)
class WrittenWork:
    """Written replies whose length is known."""

    replies: int = 0
    tokens: int = 0

    def add(self, judgments: Sequence[Judgment]) -> None:
        """Count those of these judgments that were written."""
        counts = [judgment.details[TOKENS_WRITTEN] for judgment in judgments if TOKENS_WRITTEN in judgment.details]
        self.replies += len(counts)
        self.tokens += round(sum(counts))

    def __str__(self) -> str:
        """
        >>> str(WrittenWork(replies=4, tokens=1_000))
        '250 tokens written for each'
        """
        return f"{self.tokens / max(self.replies, 1):.3g} tokens written for each"
