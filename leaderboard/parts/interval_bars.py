"""A figure as a small bar beside its digits: where its point and the ends of its interval lie on the column's scale."""

from __future__ import annotations

from typing import TypedDict

from evaluator.results import MetricValue

Scale = tuple[float, float]
"""Lowest and highest value a figure can take: the ends of its bar."""


class BarValue(TypedDict):
    """Places on a bar, from "0" at its left end to "1" at its right end."""

    at: str
    """The figure itself."""
    low: str
    """Beginning of its interval; blank where it has none."""
    high: str
    """End of its interval; blank where it has none."""
    zero: str
    """Where 0 lies, on scales that have it inside; blank on others."""


def bar_value(figure: object, scale: Scale) -> BarValue | None:
    """The bar of a figure; None where there is no figure to draw. What lies beyond the scale is drawn at its end.

    >>> bar_value(MetricValue(value=3.5, low=3.0, high=4.25, n=15), (0, 5))
    {'at': '0.7', 'low': '0.6', 'high': '0.85', 'zero': ''}
    >>> bar_value(-0.5, (-1, 1))
    {'at': '0.25', 'low': '', 'high': '', 'zero': '0.5'}
    """
    metric = figure if isinstance(figure, MetricValue) else None
    point = metric.value if metric else figure
    if not isinstance(point, int | float):
        return None
    low, high = (metric.low, metric.high) if metric else (None, None)
    return {
        "at": _place(point, scale),
        "low": "" if low is None else _place(low, scale),
        "high": "" if high is None else _place(high, scale),
        "zero": _place(0.0, scale) if scale[0] < 0 < scale[1] else "",
    }


def _place(value: float, scale: Scale) -> str:
    lowest, highest = scale
    share = (value - lowest) / (highest - lowest)
    return f"{round(min(max(share, 0.0), 1.0), 3):g}"
