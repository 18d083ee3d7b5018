"""Words that the sentences of published records share."""

from __future__ import annotations

from evaluator.results import MetricValue


def percent(share: MetricValue) -> str:
    """A share in whole percent with its interval.

    >>> percent(MetricValue(value=0.872, low=0.84, high=0.9, n=419))
    '87% [84, 90]'
    """
    if share.value is None:
        return "an unknown share"
    ends = "" if share.low is None or share.high is None else f" [{100 * share.low:.0f}, {100 * share.high:.0f}]"
    return f"{share.value:.0%}{ends}"
