"""A sequential test of a rate that should not rise, with a bound on how often it gives a false alarm.

The e-detector of Shiryaev-Roberts form (Shin, Ramdas and Rinaldo, *E-detectors*, arXiv 2203.03532, section 2): from
e-values e_t of single rounds, M_t = (M_{t-1} + 1) e_t, and an alarm where M_t reaches c. While nothing has changed,
E[e_t | past] <= 1, so that M_t - t is a supermartingale and the mean number of rounds until a false alarm is at least
c.

A round asks n questions and counts the s of them that come out otherwise than they should. A day multiplies the rate of
these by a factor of its own (a busy server): the rate of a day is r = min(1/2, m exp(d z)), z standard normal, m the
median of all days and d the spread between them. With P the chance of s given such a noise, the e-value of a round bets
that a share a of the questions has changed for good, so that a question that came out as it should with 1 - r now does
with (1 - a)(1 - r):

    e = P(s; rate a + (1 - a) r) / P(s; rate r), both averaged over z

A likelihood ratio has a mean of 1 under the noise it is of, whatever the spread. The noise is not known: the first days
leave a set of (m, d) that they do not rule out, each has a detector, and an alarm needs all of them. Where the true
noise is in the set, its own detector is one of these, and false alarms are no more frequent than by it alone.

Without a spread e is the bet on a rate of the first version, prod_i (1 + l (x_i - b)) with l = (r - b) / (b (1 - b)).
The questions being independent, its mean is prod_i (1 + l (q_i - b)), q_i the chance of question i, which by the
inequality of the means is at most (1 + l (mean q - b))^n <= 1 where mean q <= b: it holds whichever questions the noise
is in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv, gammaln, logsumexp

FloatArray = npt.NDArray[np.float64]

LEAPS = (0.02, 0.05, 0.1, 0.25, 0.5)
"""Shares of the questions that are bet on to have changed. Each has its own detector, and the mean of these is one
again: supermartingales add up."""

MOST_RATE = 0.5
_DAYS = np.linspace(-6.0, 6.0, 121)
"""Values of z, and how likely each is. They lie closer than a round of 1,000 questions can tell apart."""
_DAY_WEIGHTS = np.exp(-(_DAYS**2) / 2.0) / np.exp(-(_DAYS**2) / 2.0).sum()
_MOST_LOG = 300.0
"""Doubles end soon after; what is above is an alarm anyway."""


class DayNoise(NamedTuple):
    """How often questions come out otherwise though nothing changed."""

    rate: float
    """On the median day; above 0, below 1."""
    spread: float
    """Standard deviation of the logarithm of a day's rate; 0 = all days alike."""


RATES = tuple(np.exp(np.arange(np.log(2e-4), np.log(MOST_RATE), 0.25)).tolist())
SPREADS = (0.0, 0.25, 0.5, 0.75, 1.0)
"""With 1, one day in twenty has more than five times the usual noise. More is not looked for."""
RULED_OUT = 4.6
"""A noise is ruled out where twice the logarithm of its likelihood lies so far below that of the likeliest one: the 90%
point of a chi-square distribution with two degrees of freedom (chosen by `make bench-canary`)."""


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


def possible_noises(hits: Sequence[int], trials: int) -> list[DayNoise]:
    """The noises that some days do not rule out, of all pairs of `RATES` and `SPREADS`.

    Args:
        hits: What came out otherwise on each day, 0 .. trials.
        trials: Questions of a day.

    >>> found = possible_noises([0, 0, 0], 200)
    >>> max(noise.rate for noise in found if not noise.spread) < 0.005  # (1 - 0.005)^600 = 0.05
    True
    """
    noises = [DayNoise(rate, spread) for spread in SPREADS for rate in RATES]
    counts, of_day = np.unique(np.asarray(hits, np.float64), return_inverse=True)
    likelihood = _log_chances(counts, trials, noises, 0.0)[:, of_day].sum(axis=1)
    possible = 2.0 * (likelihood.max() - likelihood) <= RULED_OUT
    return [noise for noise, is_possible in zip(noises, possible.tolist(), strict=True) if is_possible]


def detector_course(hits: npt.ArrayLike, trials: int, noises: Sequence[DayNoise]) -> FloatArray:
    """M_t after each round: how strongly the rounds so far say that more changed than any of these noises explains.

    Args:
        hits: (..., rounds), each 0 .. trials; leading axes are courses of their own.
        trials: Questions of a round.
        noises: One or more.

    Returns:
        (..., rounds), 0 or more. An alarm at c comes falsely once in c rounds or less often.

    >>> half = [DayNoise(0.5, 0.0)]
    >>> detector_course([0], 1, half).round(6).tolist()  # mean of (1 - r) / 0.5: r = 0.51, 0.525, 0.55, 0.625, 0.75
    [0.816]
    """
    counts = np.asarray(hits, np.float64)
    different, place_of = np.unique(counts, return_inverse=True)
    calm = _log_chances(different, trials, noises, 0.0)
    # (leaps, noises, different counts)
    logs = np.stack([_log_chances(different, trials, noises, leap) - calm for leap in LEAPS])
    bets = np.exp(np.minimum(logs, _MOST_LOG)).transpose(2, 1, 0)[place_of.reshape(counts.shape)]
    course = np.empty(counts.shape, np.float64)
    evidence = np.zeros((*counts.shape[:-1], len(noises), len(LEAPS)))
    for place in range(counts.shape[-1]):
        evidence = np.minimum((evidence + 1) * bets[..., place, :, :], 1e150)
        course[..., place] = evidence.mean(axis=-1).min(axis=-1)
    return course


def _log_chances(counts: FloatArray, trials: int, noises: Sequence[DayNoise], changed: float) -> FloatArray:
    """Logarithms of the chances of some counts where a share of the questions has changed, shape (noises, counts)."""
    rate, spread = np.array(noises, np.float64).T
    # One half bounds what a day may come to, not a rate that is given.
    most = np.maximum(MOST_RATE, rate)[:, None]
    calm = np.minimum(most, rate[:, None] * np.exp(spread[:, None] * _DAYS))
    rates = changed + (1.0 - changed) * calm
    others = trials - counts[:, None]
    logs = counts[:, None] * np.log(rates)[:, None, :] + others * np.log1p(-rates)[:, None, :]
    ways = gammaln(trials + 1.0) - gammaln(counts + 1.0) - gammaln(trials - counts + 1.0)
    return np.asarray(logsumexp(logs + np.log(_DAY_WEIGHTS), axis=-1) + ways, dtype=np.float64)
