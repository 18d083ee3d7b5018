"""Askings of a canary as tests need them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from evaluator.canary.course import Asking

PAIRS = 40
FIRST = datetime(2026, 9, 1, 8, tzinfo=UTC)


def asking(day: int, others: Iterable[int] = (), pairs: int = PAIRS) -> Asking:
    """Every pair rated 4.6, those at the places of `others` 0."""
    away = set(others)
    return Asking(FIRST + timedelta(days=day), tuple(0.0 if place in away else 4.6 for place in range(pairs)))


def askings(*others: Iterable[int]) -> list[Asking]:
    """One a day."""
    return [asking(day, one) for day, one in enumerate(others)]


CALM: list[Iterable[int]] = [()] * 8
"""A baseline without noise."""
