"""The rows of the board of one task: runs ranked by their items, and two baselines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from evaluator.own_tasks.installing import baselines_of
from evaluator.own_tasks.task import OwnTaskResult
from evaluator.statistics.rank_bands import ItemValues, RankBand, rank_bands
from evaluator.values import MetricValue
from leaderboard.page.board_row import BoardRow, ticket_fields
from leaderboard.page.system_keys import level_words, system_key
from submissions.own_tasks.task import OwnTask
from submissions.store.queue import Ticket


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnTaskRow(BoardRow):
    """One run, or a baseline."""

    figures: Mapping[str, MetricValue]


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """A submission with its result."""

    ticket: Ticket
    result: OwnTaskResult


def scored_run(ticket: Ticket, text: str) -> ScoredRun:
    """What the board keeps of a result."""
    return ScoredRun(ticket, OwnTaskResult.model_validate_json(text))


def own_task_rows(task: OwnTask, runs: Sequence[ScoredRun]) -> tuple[OwnTaskRow, ...]:
    """The newest run of every system, with its rank, and the baselines; in no particular order."""
    baselines = {} if task.is_bundle else baselines_of(task)
    nulls = {name: _ranked_values(task, result) for name, result in baselines.items()}
    rows, values = [], {}
    for run in _standing(runs):
        ticket, own = run.ticket, _ranked_values(task, run.result)
        unranked = ticket.out_of_season or _unranked(task, run.result)
        row = OwnTaskRow(
            **ticket_fields(ticket),
            id=ticket.id,
            name=ticket.names.system or ticket.file_name,
            figures=run.result.figures,
            statistics_version=run.result.statistics_version,
            unranked=unranked,
            remark="" if unranked else level_words(own, nulls),
        )
        rows.append(row)
        if not unranked:
            values[ticket.id] = own
    bands = _order(values) if task.is_bundle else rank_bands(values)
    null_rows = (
        OwnTaskRow(id=f"baseline-{place}", name=name, figures=result.figures, is_null=True)
        for place, (name, result) in enumerate(baselines.items())
    )
    return (*(replace(row, rank=bands.get(row.id)) for row in rows), *null_rows)


def _order(values: Mapping[str, ItemValues]) -> dict[str, RankBand]:
    """Places by the one number of each run; equal numbers share theirs.

    >>> _order({"a": {"run": 0.5}, "b": {"run": 0.9}, "c": {"run": 0.5}})
    {'a': RankBand(low=2, high=3), 'b': RankBand(low=1, high=1), 'c': RankBand(low=2, high=3)}
    """
    numbers = {run: next(iter(own.values())) for run, own in values.items()}
    return {
        run: RankBand(
            1 + sum(other > number for other in numbers.values()), sum(other >= number for other in numbers.values())
        )
        for run, number in numbers.items()
    }


def _standing(runs: Sequence[ScoredRun]) -> list[ScoredRun]:
    """Of every system its primary run, else its newest one."""
    standing: dict[object, ScoredRun] = {}
    for run in runs:
        key = system_key(run.ticket)
        if key not in standing or run.ticket.rank_order > standing[key].ticket.rank_order:
            standing[key] = run
    return list(standing.values())


def _unranked(task: OwnTask, result: OwnTaskResult) -> str:
    if result.task_sha256 != task.sha256:
        return "scored by an earlier version of the task"
    headline = result.figures[task.headline.key]
    return f"{headline.unscored:,} of {result.items:,} items have no score" if headline.unscored else ""


def _ranked_values(task: OwnTask, result: OwnTaskResult) -> dict[str, float]:
    """The headline by item, higher is better."""
    sign = 1.0 if task.headline.better == "higher" else -1.0
    values = {item: own.get(task.headline.key) for item, own in result.by_item.items()}
    return {item: sign * value for item, value in values.items() if value is not None}
