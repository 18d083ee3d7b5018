"""Results made by the real metrics from ratings given by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import combinations

from evaluator.results import (
    ItemResult,
    MetricValue,
    Pin,
    ResponseResult,
    RobustnessResult,
    SetVersion,
)
from evaluator.robustness.figures import PairRating, flag_counts, group_result, order_gap, summarise
from submissions.schema import Flag, Names
from submissions.store.queue import JobStatus, Role, Ticket

JUDGE = Pin(
    name="embedding",
    model="all-MiniLM-L6-v2",
    revision="0123456789abcdef",
    tokenizer="-",
    prompt="calibration 1",
    dtype="float32",
    engine="transformers 5.23.0",
    languages=("en",),
)


def robustness_result(
    ratings: Mapping[str, float],
    *,
    flags: Sequence[Flag] = (),
    rankable: bool = True,
    variants: int = 3,
    variations: Mapping[str, str] | None = None,
) -> RobustnessResult:
    """A result whose item has English pairs that all got the item's rating; Swedish is not judged.

    Args:
        ratings: item id -> rating of each of its pairs, 0.25 higher in the first order and lower in the second.
        flags: on the first response of every item.
        variations: item id -> type of variation, "dialect" for others; None = "formality" for all.
    """
    kinds = dict.fromkeys(ratings, "formality" if variations is None else "dialect") | dict(variations or {})
    items = tuple(_item(item_id, rating, flags, variants, kinds[item_id]) for item_id, rating in ratings.items())
    views, by_language = summarise(items, rankable={"english": rankable, "all": rankable})
    responses = [response for item in items for group in item.groups for response in group.responses]
    return RobustnessResult(
        edition="2024",
        prompt_set=SetVersion(set_id="demonstration", version="1", sha256="ab" * 32),
        file_sha256="cd" * 32,
        judge=JUDGE,
        embedding=JUDGE,
        code_version="0.1.0",
        coverage={"expected": len(responses), "answered": len(responses)},
        views=views,
        by_language=by_language,
        items=items,
        order_gap=order_gap(items),
        flags=flag_counts(response.flags for response in responses),
        pass_share=MetricValue(value=1.0, n=len(responses)),
        control_pass_share=MetricValue(value=0.5, n=len(responses)),
    )


def _item(item_id: str, rating: float, flags: Sequence[Flag], variants: int, variation: str) -> ItemResult:
    answers = [
        ResponseResult(
            variant=number,
            flags=tuple(flags) if number == 1 else (),
            blank=False,
            own_relevance=0.6,
            relevance_threshold=0.1,
        )
        for number in range(1, variants + 1)
    ]
    rated = {pair: PairRating(rating + 0.25, rating - 0.25) for pair in combinations(range(1, variants + 1), 2)}
    swedish = [ResponseResult(variant=variants + number, flags=(), blank=False) for number in (1, 2)]
    groups = (
        group_result("en", answers, rated),
        group_result("sv", swedish, {}, reason="the judge does not read sv", relevance_known=False),
    )
    return ItemResult(id=item_id, variation=variation, groups=groups)


def ticket(
    id_: str,
    *,
    system: str = "System",
    owner: str = "local",
    role: Role = "entry",
    status: JobStatus = JobStatus.SCORED,
    day: int = 1,
) -> Ticket:
    """A submission of one system, received on a day of November 2026."""
    moment = datetime(2026, 11, day, tzinfo=UTC)
    return Ticket(
        id=id_,
        owner=owner,
        role=role,
        edition="2024",
        set_id="demonstration",
        names=Names(team="Team", system=system, model="Model"),
        file_name=f"{id_}.json",
        file_sha256="ab" * 32,
        received_at=moment,
        status=status,
        status_at=moment,
        reason=None,
        position=None,
        judged=0,
        to_judge=None,
        attempts=1,
        log=(),
    )
