"""The fewest units whose removal changes who is first by a figure that is no mean (docs/metrics.md#deciding_items).

A share of sums and the strength that votes come to are computed anew for every set of units that is tried: up to
`MOST_TRIED_WHOLE` units every set, beyond that the unit that brings a challenger nearest, one after the other, so that
fewer may do. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import numpy.typing as npt

from evaluator.statistics.deciding_items import TOLERANCE, Certainty, DecidingItems, deciding_items
from evaluator.statistics.preference_ratings import (
    RIDGE,
    FloatArray,
    PairVote,
    fitted_strengths,
    vote_design,
    vote_information,
)

BoolArray = npt.NDArray[np.bool_]

MOST_TRIED_WHOLE = 12
"""Of so many units every subset is tried: 4,094 of them."""
MOST_UNEVEN = 300
"""Units up to which a mean over unlike units is answered exactly: time grows with their cube."""
MOST_REMOVED = 50
"""Units that a search takes away at most: of more, nobody would say that a handful decides."""
MOST_CHALLENGERS = 5
"""The nearest systems, of which a search tries each."""


@dataclass(frozen=True, slots=True)
class Fit:
    """The figures that some of the units come to; higher is better."""

    values: FloatArray
    """One per system, NaN where it has none."""
    moves: FloatArray
    """(units, systems): how far each figure moves when one unit is left out too, at least to first order."""


Fitter = Callable[[BoolArray], Fit]
"""Which units are kept -> the figures."""


def deciding_shares(
    counts: Mapping[str, Mapping[str, tuple[float, float]]], *, lower_is_better: bool = False
) -> DecidingItems | None:
    """Return the fewest units whose removal puts another system first by its share, sum of parts by sum of wholes.

    Where all wholes are equal the share is a mean, and the answer exact, but for many units that not all systems have.

    Args:
        counts: System -> unit -> part and whole; units without a whole count nowhere.
        lower_is_better: Does the smallest share lead?

    Returns:
        None where fewer than two systems have a share.

    >>> tide, keel = {"1": (4, 4), "2": (0, 1), "3": (0, 1)}, {"1": (1, 4), "2": (1, 1), "3": (1, 1)}
    >>> deciding_shares({"tide": tide, "keel": keel})  # 4 of 6 and 3 of 6; without unit 1, 0 of 2 and 2 of 2
    DecidingItems(leaders=('tide',), items=('1',), successor='keel', total=3, certainty='exact')
    """
    sign = -1.0 if lower_is_better else 1.0
    known = {
        system: {unit: (sign * part, whole) for unit, (part, whole) in own.items() if whole}
        for system, own in counts.items()
    }
    wholes = {whole for own in known.values() for _, whole in own.values()}
    units = sorted({unit for own in known.values() for unit in own})
    is_even = len({frozenset(own) for own in known.values() if own}) <= 1
    if len(wholes) <= 1 and (is_even or len(units) <= MOST_UNEVEN):
        return deciding_items(
            {system: {unit: part / whole for unit, (part, whole) in own.items()} for system, own in known.items()}
        )
    systems = sorted(system for system, own in known.items() if own)
    table = np.array([[known[system].get(unit, (0.0, 0.0)) for system in systems] for unit in units], np.float64)
    return _deciding(systems, units, lambda kept: _share_fit(table[..., 0], table[..., 1], kept))


def _share_fit(parts: FloatArray, wholes: FloatArray, kept: BoolArray) -> Fit:
    part, whole = parts[kept].sum(axis=0), wholes[kept].sum(axis=0)
    values = _ratio(part, whole)
    return Fit(values, _ratio(part - parts, whole - wholes) - values)


def _ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    return np.asarray(np.divide(part, whole, out=np.full(np.shape(part), np.nan), where=whole > 0.5), np.float64)


def deciding_votes(votes: Sequence[PairVote], ridge: float = RIDGE) -> DecidingItems | None:
    """Return the fewest votes without which another system has the highest strength (`preference_ratings`).

    The strengths are fitted anew after each vote that is taken away; which vote is next follows from one Newton step
    (Huang et al. 2025, arXiv 2508.11847, section 3).

    Args:
        votes: On systems that are all connected. They are named by their question; two of one name are two votes.
        ridge: As for `preference_ratings`.

    Returns:
        None where fewer than two systems were compared.

    >>> won = [PairVote("tide", "keel", 1.0, "v"), PairVote("keel", "tide", 0.0, "v")] * 4  # 8 by the first system
    >>> lost = [PairVote("tide", "keel", 0.0, "w"), PairVote("keel", "tide", 1.0, "w")] * 3  # 6 by the second
    >>> deciding = deciding_votes([*won, *lost])
    >>> len(deciding.items), deciding.successor, deciding.certainty  # 2 of 5 first, 4 of 7 second: 2/3 x 4/3 < 1
    (2, 'keel', 'at_most')
    """
    systems = sorted({name for vote in votes for name in (vote.first, vote.second)})
    design = vote_design(votes, {system: place for place, system in enumerate(systems)})
    outcomes = np.array([vote.outcome for vote in votes], np.float64)
    involved = np.array([[system in (vote.first, vote.second) for system in systems] for vote in votes], np.bool_)

    def fit(kept: BoolArray) -> Fit:
        strengths = fitted_strengths(design[kept], outcomes[kept], ridge)
        chances = 1.0 / (1.0 + np.exp(-design @ strengths))
        information = vote_information(design[kept], chances[kept]) + ridge * np.eye(len(strengths))
        moves = -(design * (outcomes - chances)[:, np.newaxis]) @ np.linalg.inv(information)
        values = np.where(involved[kept].any(axis=0), strengths[:-1], np.nan)
        return Fit(values, moves[:, :-1])

    return _deciding(systems, [vote.question for vote in votes], fit)


def _deciding(systems: Sequence[str], units: Sequence[str], fit: Fitter) -> DecidingItems | None:
    if len(systems) < 2:
        return None
    whole = fit(np.ones(len(units), np.bool_))
    margin = TOLERANCE * max(1.0, float(np.nanmax(np.abs(whole.values))))
    leaders = np.flatnonzero(np.nanmax(whole.values) - whole.values <= margin)
    answer = DecidingItems(tuple(systems[place] for place in leaders.tolist()), (), "", len(units))
    if len(leaders) > 1:
        return answer
    leader = int(leaders[0])
    is_whole = len(units) <= MOST_TRIED_WHOLE
    removed = _every_set(leader, fit, len(units), margin) if is_whole else _search(leader, whole, fit, margin)
    certainty: Certainty = "exact" if is_whole else "at_most"
    if not removed:
        return replace(answer, certainty=certainty)
    left = fit(_without(removed, len(units))).values
    return replace(
        answer,
        items=tuple(sorted(units[place] for place in removed)),
        successor=systems[int(np.nanargmax(left))],
        certainty=certainty,
    )


def _without(removed: Sequence[int], units: int) -> BoolArray:
    kept = np.ones(units, np.bool_)
    kept[list(removed)] = False
    return kept


def _is_toppled(values: FloatArray, leader: int, margin: float) -> bool:
    return bool(not np.isnan(values[leader]) and np.nanmax(values) - values[leader] > margin)


def _every_set(leader: int, fit: Fitter, units: int, margin: float) -> Sequence[int]:
    """The smallest set of all, the first in order; empty where no set topples the leader."""
    for count in range(1, units):
        for removed in combinations(range(units), count):
            if _is_toppled(fit(_without(removed, units)).values, leader, margin):
                return removed
    return ()


def _search(leader: int, whole: Fit, fit: Fitter, margin: float) -> list[int]:
    """The smallest set that taking the most telling unit again and again comes upon, over the nearest challengers."""
    order = np.argsort(-whole.values, kind="stable").tolist()
    challengers = [place for place in order if place != leader and not np.isnan(whole.values[place])]
    fewest: list[int] = []
    for challenger in challengers[:MOST_CHALLENGERS]:
        limit = len(fewest) - 1 if fewest else MOST_REMOVED
        fewest = _taken_one_by_one(leader, challenger, whole, fit, margin, limit) or fewest
    return fewest


def _taken_one_by_one(leader: int, challenger: int, whole: Fit, fit: Fitter, margin: float, limit: int) -> list[int]:
    """The units after which the leader is no longer first, at most so many; empty where it still is."""
    removed: list[int] = []
    now, units = whole, len(whole.moves)
    while len(removed) < min(limit, units - 1):
        nearer = now.moves[:, challenger] - now.moves[:, leader]
        nearer[removed] = -np.inf
        place = int(np.nanargmax(np.where(np.isnan(nearer), -np.inf, nearer)))
        if not nearer[place] > 0:
            return []
        removed.append(place)
        now = fit(_without(removed, units))
        if _is_toppled(now.values, leader, margin):
            return removed
    return []
