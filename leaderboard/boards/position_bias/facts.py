"""Findings on published judges for the Overview: how often a verdict changes when the two answers swap places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from evaluator.results import MetricValue
from leaderboard.boards.position_bias.cache import JudgeBoard
from leaderboard.boards.position_bias.rows import JudgeRow
from leaderboard.boards.position_bias.state import JudgesState
from leaderboard.page.benchmarks import BoardKey
from leaderboard.page.links import address_of
from leaderboard.page.registered import Fact
from leaderboard.parts.published import SHORT_MARK

_TOWARDS = {"recency": ", mostly towards the second", "primacy": ", mostly towards the first"}


def swap_facts(boards: Mapping[str, JudgeBoard]) -> Iterator[Fact]:
    """Yield the most and the least consistent published judge of each benchmark, of those that judged all of it."""
    for board in boards.values():
        whole = [row for row in board.judges if row.published and not row.unranked and _has_interval(row)]
        for row in whole[:1] + whole[1:][-1:]:
            yield swap_fact(row, board.key)


def swap_fact(row: JudgeRow, key: BoardKey) -> Fact:
    """Return what a swap of the answers does to the verdicts of a judge whose consistency has an interval."""
    consistency = row.metric("position_consistency")
    changed, low, high = (_rest(end) for end in (consistency.value, consistency.high, consistency.low))
    benchmark = key.registered.title if key.registered else key.benchmark
    towards = _TOWARDS.get(row.direction or "", "")
    return Fact(
        claim=f"{row.name} changes {changed} of its verdicts when the two answers swap places{towards}",
        interval=f"95% interval {low} to {high}",
        source=f"{benchmark}, {consistency.n} questions, {row.published and SHORT_MARK[row.published]}",
        link=address_of(JudgesState(benchmark=key.id, judge=row.id)),
    )


def _has_interval(row: JudgeRow) -> bool:
    consistency: MetricValue = row.metric("position_consistency")
    return None not in (consistency.value, consistency.low, consistency.high)


def _rest(share: float | None) -> str:
    """What is left of a share, in percent.

    >>> _rest(0.8154)
    '18%'
    """
    return "" if share is None else f"{1 - share:.0%}"
