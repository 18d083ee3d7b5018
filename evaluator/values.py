"""What the results of all boards are made of: a number that carries its n and interval, and the pin of a judge."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from typing import Protocol

from pydantic import BaseModel, ConfigDict


class Frozen(BaseModel):
    """A part of a result: nothing in it changes, and nothing is read that it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class MetricValue(Frozen):
    """A number with how much it rests on. An undefined value is None with a reason, never 0."""

    value: float | None
    low: float | None = None
    """Lower end of the 95% interval; None with fewer than `MIN_UNITS` units to resample."""
    high: float | None = None
    n: int
    """Units the value rests on (judged items, groups or pairs, as the metric says)."""
    unscored: int = 0
    """Units that could not be judged."""
    reason: str | None = None
    """Why the value is None."""


def two_decimals(value: float) -> str:
    """The number with two decimals, never as -0.00."""
    return f"{value:z.2f}"


def fine_decimal(value: float) -> str:
    """The number with two decimals, and below 0.01 with three significant digits, for figures of unknown size.

    >>> fine_decimal(0.5), fine_decimal(0.0), fine_decimal(5.7e-5), fine_decimal(-0.004), fine_decimal(1.25e-9)
    ('0.50', '0.00', '0.0000570', '-0.00400', '1.25e-09')
    """
    size = abs(value)
    if value == 0 or size >= 0.01:
        return two_decimals(value)
    return f"{value:.2e}" if size < 1e-6 else f"{value:.{2 - math.floor(math.log10(size))}f}"


def metric_text(metric: MetricValue, number: Callable[[float], str] = two_decimals) -> str:
    """Value with interval, or n/a with the reason.

    >>> metric_text(MetricValue(value=3.734, low=3.1, high=4.27, n=15))
    '3.73 [3.10, 4.27]'
    """
    if metric.value is None:
        return f"n/a ({metric.reason})" if metric.reason else "n/a"
    interval = "" if metric.low is None or metric.high is None else f" [{number(metric.low)}, {number(metric.high)}]"
    return f"{number(metric.value)}{interval}"


class Result(Protocol):
    """What scoring one submission leaves behind; every measure has a class of its own."""

    @property
    def board(self) -> str:
        """What tells the classes apart in JSON."""

    def model_dump_json(self) -> str:
        """The result as it is stored."""


class Pin(Frozen):
    """Exactly which judge or embedding model produced a number."""

    name: str
    """`embedding`, `transformers`, `scripted`, ..."""
    model: str
    revision: str
    """Commit, or sha256 of the weights."""
    tokenizer: str
    """sha256 of the tokenizer, or `-` where there is none."""
    prompt: str
    """Prompt id and version, or calibration id and version."""
    dtype: str
    engine: str
    """Library and version."""
    languages: tuple[str, ...] | None
    """Declared languages; None = any."""

    def is_other_version_of(self, other: Pin) -> bool:
        """Whether it is the same judge by name, with another prompt or calibration."""
        return self.name == other.name and self.prompt != other.prompt


def judge_digest(pin: Pin) -> str:
    """SHA-256 of a judge's pin, as 64 hex digits: the same digest, the same verdicts."""
    return hashlib.sha256(pin.model_dump_json().encode()).hexdigest()
