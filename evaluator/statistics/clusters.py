"""The variance of corrected scores whose items stand in clusters, as questions of one topic do.

Items of a cluster are alike, so that whole topics of labels say less than as many labels of all topics. Every
corrected score is nearly a sum of what its items add to it. The sums of whole clusters are independent, and their
squares say how far the score scatters (Liang and Zeger 1986, Biometrika 73(1)). Few squares are an uncertain scatter:
Student's t with one degree of freedom fewer than there are clusters (Cameron and Miller 2015, Journal of Human
Resources 50(2), section VI), clusters of unlike size counting as fewer of the same size (Kish 1965, Survey Sampling).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from evaluator.statistics.intervals import MIN_UNITS, TAIL, FloatArray
from evaluator.statistics.queries import Z


class Clusters(NamedTuple):
    """In which cluster each item stands; a name may be among both."""

    labelled: Sequence[str]
    others: Sequence[str]


class ClusterSums(NamedTuple):
    """Clusters as places of one list, labelled items and others."""

    labelled: npt.NDArray[np.intp]
    others: npt.NDArray[np.intp]
    total: int
    """How many clusters there are."""

    @property
    def is_enough(self) -> bool:
        """Whether either kind of items has `MIN_UNITS` clusters, below which nothing has an interval."""
        return min(len(np.unique(self.labelled)), len(np.unique(self.others))) >= MIN_UNITS

    @property
    def degrees(self) -> float:
        """As many clusters of equal size as say as much as the labelled ones, less one; at least 1.

        n^2 / sum of n_c^2 - 1, n_c the labels of a cluster.
        """
        sizes = np.bincount(self.labelled).astype(np.float64)
        return max(1.0, float(sizes.sum() ** 2 / (sizes**2).sum()) - 1.0)

    def quantile(self, tail: float = TAIL) -> float:
        """Student's t that leaves out `tail` on either side."""
        return -float(stdtrit(self.degrees, tail))

    @property
    def widening(self) -> float:
        """What a variance is multiplied by, so that 1.96 standard errors are as many as Student's t asks for."""
        return (self.quantile() / Z) ** 2

    def covariance(
        self, labelled: Sequence[FloatArray], others: Sequence[FloatArray]
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Covariances of figures from what items add to them: by labelled items, by others, by clusters of both.

        The variance of figures that both add to is the sum of the three matrices; each is (figures, figures).

        Args:
            labelled: Of each figure, what each labelled item adds; the sum is 0.
            others: The same of the others.
        """
        first = np.array([np.bincount(self.labelled, added, self.total) for added in labelled])
        second = np.array([np.bincount(self.others, added, self.total) for added in others])
        scales = [len(known) / max(1, len(known) - 1) for known in map(np.unique, (self.labelled, self.others))]
        between = first @ second.T
        return scales[0] * first @ first.T, scales[1] * second @ second.T, between + between.T


def cluster_sums(clusters: Clusters) -> ClusterSums:
    """Number the clusters.

    >>> cluster_sums(Clusters(["b", "a"], ["a", "c"]))
    ClusterSums(labelled=array([1, 0]), others=array([0, 2]), total=3)
    """
    names, places = np.unique([*clusters.labelled, *clusters.others], return_inverse=True)
    return ClusterSums(places[: len(clusters.labelled)], places[len(clusters.labelled) :], len(names))
