"""Position bias with more than two candidates: k answers shown in k cyclic orders, one winner picked in each."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TypedDict

from evaluator.statistics.verdict_pairs import ratio


class ListwiseFigures(TypedDict):
    """What the winners of all orders say."""

    n_items: int
    """Items with a usable winner in every order."""
    n_invalid: int
    """Items left out because an order has no usable winner."""
    consistency_strict: float | None
    """Share of items with one winner in all orders. 0-1, higher is better."""
    consistency_pairwise: float | None
    """Share of pairs of orders that name the same winner. 0-1, higher is better, never below strict."""
    fairness: float | None
    """-1 (always the first place) to +1 (always the last), as preference fairness; nearer 0 is better."""
    uniformity_distance: float | None
    """Total variation between the winners' places and uniform, 0 to 1 - 1/k; catches "always the middle"."""


def listwise(slots: Sequence[Sequence[int | None]], winners: Sequence[Sequence[int | None]], k: int) -> ListwiseFigures:
    """Consistency and fairness of choices among k candidates.

    Args:
        slots: per item, the place (0 = first shown) of the winner in each order; None where the verdict is unusable.
        winners: per item, which candidate won in each order.
        k: candidates, at least 2.

    fairness = sum over places i of share_i (2i / (k - 1) - 1); uniformity_distance = sum |share_i - 1/k| / 2.
    No usable item: None. With k = 2 it is the pair figures without ties.
    See docs/position_bias.md#more-than-two-candidates.

    >>> listwise([[0, 2, 0]], [[0, 0, 2]], 3)["consistency_pairwise"] == 1 / 3  # 1 of 3 pairs of orders agree
    True
    >>> round(listwise([[0, 2, 0]], [[0, 0, 2]], 3)["fairness"], 4)  # (-1 + 1 - 1) / 3
    -0.3333
    """
    usable = [
        (item_slots, item_winners)
        for item_slots, item_winners in zip(slots, winners, strict=True)
        if None not in item_slots and None not in item_winners
    ]
    pairs = [winner == other for _, item_winners in usable for winner, other in combinations(item_winners, 2)]
    places = [slot for item_slots, _ in usable for slot in item_slots]
    shares = [places.count(slot) / len(places) for slot in range(k)] if places else None
    return ListwiseFigures(
        n_items=len(usable),
        n_invalid=len(slots) - len(usable),
        consistency_strict=ratio(sum(len(set(item_winners)) == 1 for _, item_winners in usable), len(usable)),
        consistency_pairwise=ratio(sum(pairs), len(pairs)),
        fairness=None if shares is None else sum(share * (2 * i / (k - 1) - 1) for i, share in enumerate(shares)),
        uniformity_distance=None if shares is None else sum(abs(share - 1 / k) for share in shares) / 2,
    )
