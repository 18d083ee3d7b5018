"""What is declared about the board of a task, made of its task.toml."""

from __future__ import annotations

from collections.abc import Callable

from evaluator.own_tasks.installing import EMPTY, MOST_FREQUENT, baselines_of
from evaluator.statistics.rank_bands import RankBand, rank_bands
from evaluator.values import MetricValue
from leaderboard.boards.own_tasks.rows import OwnTaskRow
from leaderboard.page.row_columns import (
    RANKED_FILTER,
    RECEIVED_FILTER,
    date_column,
    model_column,
    name_column,
    rank_column,
    team_column,
)
from leaderboard.parts.board_kind import BoardKind
from leaderboard.parts.columns import Column, note_column
from leaderboard.parts.methods import ABOVE, BY_UNIT, FURTHER_OUT, BoardAbout, Example, Method, rank_formula
from submissions.own_tasks.task import OwnColumn, OwnTask


def own_task_kind(task: OwnTask) -> BoardKind[OwnTaskRow]:
    """The board of a task."""
    headline = task.headline
    return BoardKind(
        task.name,
        task.title,
        (
            rank_column(
                f"Its place by {headline.label}; one number has no interval, so that small differences say little."
                if task.is_bundle
                else f"Places it may hold by {headline.label}, all together with 95%."
            ),
            name_column("system", "System", "As its team calls it."),
            team_column(),
            model_column(),
            *map(_column, task.columns),
            *([] if task.is_bundle else [_items_column(task)]),
            date_column("the run was"),
            note_column(),
        ),
        headline.key,
        direction="descending" if headline.better == "higher" else "ascending",
        filters=(RANKED_FILTER, RECEIVED_FILTER),
        about=_about_bundle(task) if task.is_bundle else _about(task),
        question=task.question,
        nouns=("system", "systems"),
        counted="" if task.is_bundle else "items",
    )


def _column(column: OwnColumn) -> Column[OwnTaskRow]:
    of_items = f"Mean over items of what the program gives as {column.key}."
    about = column.about or (f"The program's {column.said}, of a whole run." if column.said else of_items)
    return Column(column.key, column.label, "fine", _figure(column.key), about, column.better, scale=column.ends)


def _figure(key: str) -> Callable[[OwnTaskRow], MetricValue | None]:
    return lambda row: row.figures.get(key)


def _items_column(task: OwnTask) -> Column[OwnTaskRow]:
    return Column("items", "Items", "whole", _items, f"Items with a score, of {len(task.items):,}.")


def _items(row: OwnTaskRow) -> int:
    return next(iter(row.figures.values())).n


def _about(task: OwnTask) -> BoardAbout:
    return BoardAbout(
        ranks=f"Systems, by the mean {task.headline.label} over {len(task.items):,} items.",
        steps=(
            "A team sends one prediction for each item.",
            "The organiser's program gives each prediction its values; in a sandbox, one run at a time.",
            "The mean over items is the figure of the run.",
        ),
        ranking=f"By {task.headline.label}, {task.headline.better} is better: {ABOVE}. A run with an item "
        "without a score has no rank.",
        null_rows=(
            (MOST_FREQUENT, "the reference that stands most often, given for every item"),
            (EMPTY, "an empty text, given for every item"),
        ),
        guards=(
            ("items without a score", "Shown with the row; an item that is not answered is no 0, and costs the rank."),
            ("another version", "Runs that an earlier version of the task scored are listed, not ranked."),
        ),
        limits=("The figures say what the organiser's program measures, and nothing else.",),
        licence="Not stated here: ask the organisers.",
        methods={
            **{column.key: _method(task, column) for column in task.columns},
            "items": Method(
                f"whole number, to {len(task.items):,}",
                "items that the program gave a value",
                neither="a whole run has them all",
            ),
            "rank": Method(
                "a place, or the places a system may hold",
                rank_formula("systems"),
                "the items of the task, six at least",
                Example("Of two systems one has 1 at each of 12 items, the other 0. The rank of the first is", _rank),
                "baselines, and runs that are not ranked (their note says why)",
            ),
        },
    )


def _rank() -> RankBand:
    values = {name: {str(item): value for item in range(12)} for name, value in (("first", 1.0), ("second", 0.0))}
    return rank_bands(values)["first"]


def _about_bundle(task: OwnTask) -> BoardAbout:
    return BoardAbout(
        ranks=f"Systems, by {task.headline.label} as the organiser's program gives it.",
        steps=(
            "A team sends a zip.",
            "The organiser's program, of a Codabench bundle, scores it whole; in a sandbox, one run at a time.",
            "What it writes into scores.json or scores.txt are the figures of the run.",
        ),
        ranking=f"By {task.headline.label}, {task.headline.better} is better; equal numbers share their places. The "
        "program gives one number for a whole run, which has no interval: nothing says whether a difference is chance.",
        null_rows=(("none", "The bundle has no row of its own."),),
        guards=(
            ("no score", "A run for which the program gave no number is listed, not ranked."),
            ("another version", "Runs that an earlier version of the bundle scored are listed, not ranked."),
        ),
        limits=("The figures say what the organiser's program measures, and nothing else.",),
        licence="Not stated here: ask the organisers.",
        methods={
            **{
                column.key: Method(
                    f"as the program has it, {column.better} is better",
                    f"{column.said} in scores.json or scores.txt",
                    rests_on="one run, n = 1; no interval",
                    undefined="the program gave no finite number",
                    example=Example("A run for which the program writes 0.5 has", lambda: 0.5),
                )
                for column in task.columns
            },
            "rank": Method(
                "a place",
                "1 + the runs with a better number; equal ones share theirs",
                "one number of each run",
                Example("Of two systems one has 1, the other 0. The rank of the first is", _rank),
                "runs that are not ranked (their note says why)",
            ),
        },
        pages=(
            *((f"Phase {phase.name}", f"{phase.starts or 'open'} to {phase.ends or 'open'}") for phase in task.phases),
            *task.pages,
        ),
    )


def _method(task: OwnTask, column: OwnColumn) -> Method:
    scale = f"{column.ends[0]:g} to {column.ends[1]:g}" if column.ends else "any number"
    interval = BY_UNIT if column.ends else f"bootstrap over items, {FURTHER_OUT}; none below six"
    return Method(
        f"{scale}, {column.better} is better",
        f"mean over items of {column.key} of the organiser's score.py",
        rests_on=f"n = items with a score; 95% interval over items: {interval}",
        undefined="no item was scored",
        example=Example(
            f"What always giving the {MOST_FREQUENT} scores:",
            lambda: baselines_of(task)[MOST_FREQUENT].figures[column.key],
        ),
    )
