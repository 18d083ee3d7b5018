"""The tasks of the benchmark on the Hub: every choice of a board that ranks submissions; `eval.yaml` lists them.

The form of `eval.yaml` is that of https://huggingface.co/docs/hub/eval-results (docs/eval_results.md).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from evaluator.statistics.rank_bands import RankBand
from leaderboard.page.board_row import ticket_of_row
from leaderboard.page.board_table import BoardTable
from leaderboard.page.registered import BoardTools
from leaderboard.page.state import PageState
from leaderboard.parts.columns import Column
from leaderboard.parts.downloads import file_name

EVAL_YAML = "eval.yaml"
FRAMEWORKS = "https://github.com/huggingface/huggingface.js/blob/main/packages/tasks/src/eval.ts"
"""The Hub's own list of evaluation frameworks."""
NO_FRAMEWORK = (
    f"eval.yaml names no evaluation_framework, because the Hub takes only those of its list ({FRAMEWORKS}) and "
    "Plumbline is not in it; a leaderboard on the dataset's page appears once the Hub has put the dataset on its list "
    "of benchmarks (docs/eval_results.md)"
)
"""What whoever registers the benchmark has to know."""


@dataclass(frozen=True, slots=True)
class BenchmarkTask:
    """A board in one of its choices."""

    table: BoardTable[Any, Any]
    state: PageState

    @property
    def id(self) -> str:
        """Of the task, the same in `eval.yaml` and on model cards: board and choice, as the export names its files."""
        return "/".join(map(file_name, (self.table.board, *self.table.about(self.state).values())))

    @property
    def headline(self) -> Column[Any]:
        """The figure the board ranks by."""
        return next(column for column in self.table.columns if column.key == self.table.kind.headline)

    @property
    def is_lower_better(self) -> bool:
        return self.table.kind.direction == "ascending"

    def rank(self, row: Any) -> RankBand | None:
        """The places a row may hold; None where it is not ranked."""
        column = self.table.kind.rank
        value = column.value(row) if column else None
        return value if isinstance(value, RankBand) else None


def tasks(tools: BoardTools) -> Iterator[BenchmarkTask]:
    """Every choice of every opened board that is exported."""
    for board in tools.opened.values():
        for state in board.exports():
            yield BenchmarkTask(board.table, state)


def benchmark_tasks(tools: BoardTools) -> list[BenchmarkTask]:
    """Those that rank a submission: only they can have an entry on a model card."""
    known = {ticket.id for ticket in tools.tickets()}
    return [
        task
        for task in tasks(tools)
        if any(task.rank(row) and ticket_of_row(row) in known for row in task.table.rows(task.state))
    ]


def eval_yaml(name: str, config: str, listed_tasks: Iterable[BenchmarkTask]) -> str:
    """The file that makes a dataset repository a benchmark of the Hub.

    Args:
        name: Of the benchmark, for people.
        config: Of the dataset, where the results of every task stand, in the split `train`.
        listed_tasks: At least one task.
    """
    # Every text is written as JSON writes it, which YAML reads as it is.
    lines = [
        f"name: {json.dumps(name)}",
        "description: >",
        "  Robustness of language models and of judges: each task is one board of Plumbline in one choice, and its",
        "  value the figure that the board ranks by, unrounded. Entries say interval, n, judge and what is better.",
        "",
        "tasks:",
    ]
    for task in listed_tasks:
        lines += [f"  - id: {json.dumps(task.id)}", f"    config: {config}", "    split: train"]
    return "\n".join([*lines, ""])
