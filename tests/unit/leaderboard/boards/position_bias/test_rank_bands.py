from __future__ import annotations

from evaluator.results import QueryCounts
from evaluator.statistics.rank_bands import RankBand
from leaderboard.boards.position_bias.rank_bands import consistency_bands

STEADY = QueryCounts(consistent=1, valid=1, primacy=0, recency=0)
FLIPS = QueryCounts(consistent=0, valid=1, primacy=1, recency=0)
UNUSABLE = QueryCounts(consistent=0, valid=0, primacy=0, recency=0)


def queries(pattern: str, first: int = 0) -> dict[str, QueryCounts]:
    """`+` a consistent verdict, `-` a flip, `?` nothing usable."""
    known = {"+": STEADY, "-": FLIPS, "?": UNUSABLE}
    return {str(number): known[sign] for number, sign in enumerate(pattern, first)}


def test_judges_that_differ_on_the_same_queries_are_told_apart() -> None:
    bands = consistency_bands({"low": queries("-" * 20), "high": queries("+" * 20), "middle": queries("+-" * 10)})
    assert bands == {"high": RankBand(1, 1), "middle": RankBand(2, 2), "low": RankBand(3, 3)}


def test_judges_within_chance_share_a_band() -> None:
    # the difference is +1 and -1 on ten queries each: its interval covers 0
    bands = consistency_bands({"odd": queries("+-" * 10), "even": queries("-+" * 10), "low": queries("-" * 20)})
    assert bands == {"odd": RankBand(1, 2), "even": RankBand(1, 2), "low": RankBand(3, 3)}


def test_only_shared_queries_with_a_usable_pair_are_compared() -> None:
    # 12 queries each, 9 of them shared: too few for an interval
    assert consistency_bands({"a": queries("+" * 12), "b": queries("-" * 12, first=3)})["a"] == RankBand(1, 2)
    assert consistency_bands({"a": queries("+" * 12), "b": queries("-" * 12, first=2)})["a"] == RankBand(1, 1)
    assert consistency_bands({"a": queries("+" * 12), "b": queries("-" * 9 + "???")})["a"] == RankBand(1, 2)


def test_one_judge_alone_is_first() -> None:
    assert consistency_bands({"only": {}}) == {"only": RankBand(1, 1)}
    assert consistency_bands({}) == {}
