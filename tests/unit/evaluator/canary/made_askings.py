"""Askings of a canary as tests need them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta

from evaluator.canary.course import Asking

PAIRS = 40
FIRST = datetime(2026, 9, 1, 8, tzinfo=UTC)


def asking(day: int, others: Iterable[int] = (), step: int | None = None) -> Asking:
    """Every pair rated 4.6, those at the places of `others` 0."""
    away = set(others)
    return Asking(FIRST + timedelta(days=day), tuple(0.0 if place in away else 4.6 for place in range(PAIRS)), step)


def askings(*others: Iterable[int]) -> list[Asking]:
    """One a day, as a record without days of a baseline has them: eight for a baseline, then rounds."""
    return [asking(day, one) for day, one in enumerate(others)]


CALM: list[Iterable[int]] = [()] * 8
"""A baseline asked at once, without noise."""


def baseline_days(others: Mapping[int, Iterable[int]] | None = None) -> list[Asking]:
    """A baseline of seven days, three askings that choose and two on each day; step -> places of others."""
    days = [0, 0, 0, *(day for day in range(7) for _ in range(2))]
    return [asking(day, (others or {}).get(step, ()), step) for step, day in enumerate(days, start=1)]


def rounds(*others: Iterable[int]) -> list[Asking]:
    """One a week after such a baseline."""
    return [asking(7 * (week + 2), one) for week, one in enumerate(others)]
