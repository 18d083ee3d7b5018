"""The version of the statistics: every result and manifest states it (docs/metrics.md#versions-of-the-statistics)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

STATISTICS_VERSION = 4
"""Of intervals, ranks and headlines made from the same verdicts. Raise it with every change that moves a stored figure
or interval: results of an earlier version are then made anew from the verdicts that are kept."""


def stated_version(result: Mapping[str, Any]) -> int:
    """Return the statistics version of a stored result, as read from JSON: the lowest of its parts.

    >>> stated_version({"board": "robustness"}), stated_version({"results": [{"statistics_version": 2}]})
    (1, 2)
    """
    return min(int(part.get("statistics_version", 1)) for part in result.get("results") or [result])
