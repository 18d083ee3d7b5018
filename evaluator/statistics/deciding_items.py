"""The fewest items whose removal changes who is first (docs/metrics.md#deciding_items).

The question of Broderick, Giordano and Meager 2020, *An Automatic Finite-Sample Robustness Metric: When Can Dropping a
Little Data Make a Big Difference?* (arXiv 2011.14999), asked of leaderboards by Huang et al. 2025, *Dropping Just a
Handful of Preferences Can Change Top Large Language Model Rankings* (arXiv 2508.11847). They approximate; a mean can be
answered exactly. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from math import fsum
from typing import Literal

import numpy as np

from evaluator.statistics.rank_bands import ItemValues

TOLERANCE = 1e-9
"""Means that differ by less, relative to the largest value, are equal: sums of decimals are not exact."""


Certainty = Literal["exact", "at_most", "about"]
"""Is there no smaller set, did a search find this one, or is the figure approximated by a mean?"""


@dataclass(frozen=True, slots=True)
class DecidingItems:
    """Which items decide who is first."""

    leaders: tuple[str, ...]
    """Systems with the best mean, by name; several where their means are equal."""
    items: tuple[str, ...]
    """The fewest items whose removal puts another system first, sorted; empty where no removal does, and where several
    systems lead."""
    successor: str
    """Who is first without these items; blank where there are none."""
    total: int
    """Items that any of the systems was scored on."""
    certainty: Certainty = "exact"


def deciding_items(values: Mapping[str, ItemValues]) -> DecidingItems | None:
    """Return the fewest items whose removal puts another system first by its mean; higher is better.

    A system's mean is over the items that it has: an item that it lacks is unscored, not 0. Another system is first
    when its mean is strictly higher than the leader's; the leader and that system keep at least one item each. Exact.

    One challenger at a time, because the leader loses its place as soon as any one system is ahead. Where both have the
    same items, the sign of the sum of differences (leader minus challenger) says who is ahead, and of all sets of k
    items the k largest differences lower that sum most: sort, and take the shortest prefix that turns it negative.
    Where they do not, an item of the leader alone lowers its mean most if it is its best, an item of the challenger
    alone raises that mean most if it is its worst, and once the numbers taken of both are fixed, so are the numbers of
    items left, n and m: a common item then weighs value / n - value / m, and the heaviest are taken. Every split of k
    into these three kinds is tried.

    Args:
        values: System -> item -> value. Systems without any item are left out.

    Returns:
        None where fewer than two systems have a value.

    >>> tide, keel = {"1": 5.0, "2": 2.0, "3": 2.0}, {"1": 1.0, "2": 3.0, "3": 3.0}
    >>> deciding_items({"tide": tide, "keel": keel})  # means 3 and 7/3; without item 1, 2 and 3
    DecidingItems(leaders=('tide',), items=('1',), successor='keel', total=3, certainty='exact')
    >>> deciding_items({"tide": {"1": 5.0, "2": 5.0}, "keel": {"1": 1.0, "2": 1.0}}).items
    ()
    """
    scored = {system: own for system, own in values.items() if own}
    if len(scored) < 2:
        return None
    total = len({item for own in scored.values() for item in own})
    margin = TOLERANCE * max(1.0, *(abs(value) for own in scored.values() for value in own.values()))
    means = {system: _mean_without(own, frozenset()) for system, own in scored.items()}
    best = max(means.values())
    leaders = tuple(sorted(system for system, mean in means.items() if best - mean <= margin))
    if len(leaders) > 1:
        return DecidingItems(leaders, (), "", total)
    leader = scored.pop(leaders[0])
    fewest: list[str] = []
    for challenger in sorted(scored, key=lambda system: (-means[system], system)):
        limit = len(fewest) - 1 if fewest else total - 1
        fewest = _fewest(leader, scored[challenger], limit, margin) or fewest
    if not fewest:
        return DecidingItems(leaders, (), "", total)
    removed = frozenset(fewest)
    left = {system: _mean_without(own, removed) for system, own in scored.items() if own.keys() - removed}
    successor = min(left, key=lambda system: (-left[system], system))
    return DecidingItems(leaders, tuple(sorted(removed)), successor, total)


def _mean_without(own: ItemValues, removed: Set[str]) -> float:
    left = [value for item, value in own.items() if item not in removed]
    return fsum(left) / len(left)


def _fewest(leader: ItemValues, challenger: ItemValues, limit: int, margin: float) -> list[str]:
    """The fewest items, at most `limit`, without which the challenger is ahead; empty where that takes more."""
    if _is_out_of_reach(leader, challenger, limit, margin):
        return []
    if leader.keys() == challenger.keys():
        return _largest_differences(leader, challenger, limit, margin)
    return _of_three_kinds(leader, challenger, limit, margin)


def _is_out_of_reach(leader: ItemValues, challenger: ItemValues, limit: int, margin: float) -> bool:
    """Would the challenger stay behind even if the leader lost its best items and the challenger its worst ones?"""
    lowest = sorted(leader.values())[: max(1, len(leader) - limit)]
    highest = sorted(challenger.values())[min(limit, len(challenger) - 1) :]
    return sum(highest) / len(highest) - sum(lowest) / len(lowest) <= margin


def _largest_differences(leader: ItemValues, challenger: ItemValues, limit: int, margin: float) -> list[str]:
    """The answer for two systems on the same items."""
    items = sorted(leader)
    differences = np.array([leader[item] - challenger[item] for item in items])
    order = np.argsort(-differences, kind="stable")
    # Summed from the small end, so that what is left is never the difference of two large sums.
    leads = np.cumsum(differences[order][::-1])[::-1][1:] / np.arange(len(items) - 1, 0, -1)
    behind = np.flatnonzero(leads[:limit] < -margin)
    return [items[place] for place in order[: behind[0] + 1]] if len(behind) else []


def _of_three_kinds(leader: ItemValues, challenger: ItemValues, limit: int, margin: float) -> list[str]:
    """The answer for two systems on different items: those of the leader alone, of the challenger alone, of both."""
    both = sorted(leader.keys() & challenger.keys())
    its_best = sorted(leader.keys() - challenger.keys(), key=lambda item: (-leader[item], item))
    its_worst = sorted(challenger.keys() - leader.keys(), key=lambda item: (challenger[item], item))
    values = np.array([leader[item] for item in both]), np.array([challenger[item] for item in both])
    for of_leader, of_challenger, of_both in _splits(limit, len(its_best), len(its_worst), len(both)):
        kept, kept_by_challenger = its_best[of_leader:], its_worst[of_challenger:]
        items_left = len(kept) + len(both) - of_both, len(kept_by_challenger) + len(both) - of_both
        if min(items_left) < 1:
            continue
        # What each common item adds to the lead once so many items are left.
        weights = values[0] / items_left[0] - values[1] / items_left[1]
        order = np.argsort(-weights, kind="stable")
        lead = weights[order[of_both:]].sum() + sum(leader[item] for item in kept) / items_left[0]
        if lead - sum(challenger[item] for item in kept_by_challenger) / items_left[1] < -margin:
            removed_of_both = [both[place] for place in order[:of_both]]
            return [*its_best[:of_leader], *its_worst[:of_challenger], *removed_of_both]
    return []


def _splits(limit: int, *available: int) -> Iterator[tuple[int, ...]]:
    """How many items of each of three kinds to remove, the fewest together first."""
    for count in range(1, limit + 1):
        for first in range(min(count, available[0]) + 1):
            for second in range(min(count - first, available[1]) + 1):
                if count - first - second <= available[2]:
                    yield first, second, count - first - second
