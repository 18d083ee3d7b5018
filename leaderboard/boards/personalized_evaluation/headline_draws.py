"""The headline of an evaluator in every draw of reviewers, and how far one is above another's.

See docs/personalized_evaluation.md#intervals.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from evaluator.personalized_evaluation.reviewer_correlations import interval_of

Draws = npt.NDArray[np.float64]
"""A headline in every draw of reviewers, NaN where it is undefined; empty where there is no interval."""


def draws_of(headline_draws: Sequence[float | None]) -> Draws:
    """The draws of a stored result."""
    return np.array([np.nan if value is None else value for value in headline_draws], np.float64)


def difference_interval(first: Draws, second: Draws, reviewers: int) -> list[float] | None:
    """The 95 % interval of one headline less another; None where either has no draws, or too few are defined.

    >>> difference_interval(np.full(100, 0.5), np.full(100, 0.25), 12)
    [0.25, 0.25]
    """
    if not len(first) or len(first) != len(second):
        return None
    return interval_of((first - second).tolist(), reviewers)
