"""Scores of single items, from the row and its stored result. An item without a score is absent, never 0."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from evaluator.behavior_alignment.result import BehaviorResult
from evaluator.own_tasks.task import OwnTaskResult
from evaluator.personalized_evaluation.result import PersonalizedEvaluationResult
from evaluator.results import PersonalizationResult, RobustnessResult
from leaderboard.boards.behavior_alignment.rows import BehaviorRow
from leaderboard.boards.editions.rows import EditionRow
from leaderboard.boards.own_tasks.rows import OwnTaskRow
from leaderboard.boards.personalization.rows import PersonalizationRow
from leaderboard.boards.position_bias.rows import JudgeRow
from leaderboard.boards.robustness.rows import RobustnessRow
from leaderboard.boards.robustness.state import RobustnessState
from leaderboard.eval_results.tasks import BenchmarkTask
from leaderboard.results_dataset.tables import run_of


@dataclass(frozen=True, slots=True)
class ItemScore:
    """What one figure is on one item."""

    figure: str
    """Key of the board's column."""
    item: str
    score: float
    is_best: bool
    """Is it the best that the figure can be on one item?"""
    reference: tuple[str, ...] = ()
    """What people said."""


def has_given_items(row: object) -> bool:
    """Return whether the items are those of a prompt set or a task, so that their ids say nothing of a team's file."""
    return isinstance(row, (RobustnessRow, EditionRow, OwnTaskRow))


def item_scores(task: BenchmarkTask, row: object, result: str | None) -> Iterator[ItemScore]:
    """Yield the scores of a row by item, in an order that depends on the result alone.

    Args:
        task: The board and choice the row stands on.
        row: Of the board.
        result: As it is stored; None = the row is nobody's submission.
    """
    match row:
        case JudgeRow():
            for query, counts in sorted(row.queries.items()):
                if counts.valid:
                    share = counts.consistent / counts.valid
                    yield ItemScore("position_consistency", query, share, share == 1)
        case RobustnessRow() | EditionRow() if result is not None:
            yield from _by_figure(task, row, result)
        case OwnTaskRow() if result is not None:
            yield from _by_task(task, OwnTaskResult.model_validate_json(result))
        case PersonalizationRow() if result is not None:
            yield from _errors(row, PersonalizationResult.model_validate_json(result))
        case BehaviorRow() if result is not None:
            yield from _turns(row, BehaviorResult.model_validate_json(result))
        case _ if result is not None and json.loads(result)["board"] == "personalized_evaluation":
            yield from _predictions(task.headline.key, PersonalizedEvaluationResult.model_validate_json(result))


def _by_figure(task: BenchmarkTask, row: RobustnessRow | EditionRow, result: str) -> Iterator[ItemScore]:
    """Yield what the intervals of the row's figures rest on."""
    scored = run_of(result)
    if isinstance(scored, RobustnessResult) and isinstance(task.state, RobustnessState):
        values: Mapping[Any, Mapping[str, float]] = scored.views[task.state.view].item_values
    else:
        values = scored.question_values if scored and not isinstance(scored, RobustnessResult) else {}
    for column in task.table.columns:
        figure = _figure_of(row, column.value(row))
        best = column.scale[1] if column.scale else None
        for item, value in sorted(values.get(figure, {}).items()):
            yield ItemScore(column.key, item, value, value == best)


def _by_task(task: BenchmarkTask, result: OwnTaskResult) -> Iterator[ItemScore]:
    """Yield what the organiser's program gave each item; of a whole run alone there are none."""
    if result.items == 1:
        return
    for column in task.table.columns:
        best = column.scale[column.better == "higher"] if column.scale else None
        for item, values in sorted(result.by_item.items()):
            score = values.get(column.key)
            if score is not None:
                yield ItemScore(column.key, item, score, score == best)


def _figure_of(row: RobustnessRow | EditionRow, shown: object) -> str | None:
    """Return which figure of the row a cell shows; None for a cell that shows none."""
    for key, figure in row.figures.items():
        if shown is not None and shown is getattr(figure, "mean", figure):
            return key
    return None


_LOST = {"robust": 0.0, "breakage": 1.0, "alignment_failure": 1.0, "breakage_and_alignment_failure": 1.0}
"""Outcome of an answer whose control is right -> the robustness error it counts."""


def _errors(row: PersonalizationRow, result: PersonalizationResult) -> Iterator[ItemScore]:
    if row.group is None:
        return
    group, outcomes = row.group, result.outcomes
    for place, outcome in enumerate(outcomes.outcome):
        is_of_group = (outcomes.method[place], outcomes.setting[place]) == (group.method, group.setting)
        if is_of_group and outcomes.dataset[place] in group.datasets and outcome in _LOST:
            item = f"{outcomes.dataset[place]} / {outcomes.example[place]} / {outcomes.row[place]}"
            yield ItemScore("robustness_error", item, _LOST[outcome], not _LOST[outcome])


def _turns(row: BehaviorRow, result: BehaviorResult) -> Iterator[ItemScore]:
    turns = result.per_turn
    for place, dialogue in enumerate(turns.dialogue):
        same = turns.equal[place] if row.basis == "annotated" else turns.s[place]
        human = turns.human_label[place]
        if same is not None:
            reference = () if human is None else (str(human),)
            yield ItemScore("alignment", f"{dialogue} / {turns.turn[place]}", float(same), same == 1, reference)


def _predictions(figure: str, result: PersonalizedEvaluationResult) -> Iterator[ItemScore]:
    """Yield ratings as they were predicted, and of choices whether they are those of the reader."""
    if rated := result.ratings:
        for item, score, gold in zip(rated.id, rated.score, rated.gold, strict=True):
            if score is not None:
                yield ItemScore(figure, item, score, score == gold, (f"{gold:g}",))
    if chosen := result.pairs:
        for place, item in enumerate(chosen.id):
            choice, gold_choice = chosen.choice[place], chosen.gold[place]
            if choice is not None:
                is_same, name = choice == gold_choice, f"{item} / {chosen.aspect[place]}"
                yield ItemScore(figure, name, float(is_same), is_same, (str(gold_choice),))
