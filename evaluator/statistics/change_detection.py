"""A sequential test of a rate that should not rise, with a bound on how often it cries wolf.

The e-detector of Shiryaev-Roberts form (Shin, Ramdas and Rinaldo, *E-detectors*, arXiv 2203.03532, section 2): from
e-values e_t of single rounds, M_t = (M_{t-1} + 1) e_t, and an alarm where M_t reaches c. While nothing has changed,
E[e_t | past] <= 1, so that M_t - t is a supermartingale and the mean number of rounds until a false alarm is at least
c.

A round asks n questions and counts the s of them that come out otherwise than they should. Let q_i be the chance of
question i and their mean at most b. The e-value bets on a rate r > b:

    e = (r / b)^s ((1 - r) / (1 - b))^(n - s) = prod_i (1 + l (x_i - b)),  l = (r - b) / (b (1 - b))

The questions being independent, its mean is prod_i (1 + l (q_i - b)), which by the inequality of the means is at most
(1 + l (mean q - b))^n <= 1: it holds whichever questions the noise is in.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv

FloatArray = npt.NDArray[np.float64]

LEAPS = (0.02, 0.05, 0.1, 0.25, 0.5)
"""How far above the bound the rates lie that are bet on, as shares of the way to 1. Each has its own detector, and the
mean of these is one again: supermartingales add up."""


def rate_bound(hits: int, trials: int, risk: float) -> float:
    """An upper bound on the mean rate of independent trials, which holds with probability 1 - risk.

    That of Clopper and Pearson (1934). It holds for trials of different chances too: for these the chance of `hits` or
    fewer is no more than the binomial one wherever the mean number is at least hits + 1 (Hoeffding 1956, Annals of
    Mathematical Statistics 27, theorem 4), which at the bound it is for a risk of 0.1 or less.

    Args:
        hits: 0 .. trials.
        trials: 1 or more.
        risk: Above 0, at most 0.1.

    Raises:
        ValueError: for anything else.

    >>> round(rate_bound(0, 500, 0.05), 6)  # 1 - 0.05^(1/500)
    0.005974
    """
    if not (0 <= hits <= trials and trials >= 1 and 0 < risk <= 0.1):
        raise ValueError(f"found {hits} of {trials} at risk {risk}, expected 0 <= hits <= trials and 0 < risk <= 0.1")
    return 1.0 if hits == trials else float(betaincinv(hits + 1, trials - hits, 1 - risk))


def detector_course(hits: npt.ArrayLike, trials: int, bound: float) -> FloatArray:
    """M_t after each round: how strongly the rounds so far say that the rate has risen above the bound.

    Args:
        hits: (..., rounds), each 0 .. trials; leading axes are courses of their own.
        trials: Questions of a round.
        bound: Above 0, below 1.

    Returns:
        (..., rounds), 0 or more. An alarm at c comes falsely once in c rounds or less often.

    >>> detector_course([0], 1, 0.5).round(6).tolist()  # mean of (1 - r) / 0.5: r = 0.51, 0.525, 0.55, 0.625, 0.75
    [0.816]
    """
    counts = np.asarray(hits, np.float64)
    rates = bound + (1 - bound) * np.asarray(LEAPS)
    won, lost = np.log(rates / bound), np.log((1 - rates) / (1 - bound))
    # Cut where doubles end: what is above is an alarm anyway.
    bets = np.exp(np.minimum(counts[..., np.newaxis] * won + (trials - counts[..., np.newaxis]) * lost, 300.0))
    course = np.empty(counts.shape, np.float64)
    evidence = np.zeros((*counts.shape[:-1], len(LEAPS)))
    for place in range(counts.shape[-1]):
        evidence = np.minimum((evidence + 1) * bets[..., place, :], 1e150)
        course[..., place] = evidence.mean(axis=-1)
    return course
