"""`python -m leaderboard`: the boards as files and as a dataset, the report of a run, and a board of one's own."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from submissions.commands.command_line import run_command

COMMANDS = {
    "leaderboard.commands.export": ("export", "team-report", "results-dataset"),
    "leaderboard.commands.eval_results": ("eval-results",),
    "leaderboard.commands.new_board": ("new-board",),
    "leaderboard.commands.task_from": ("task-from", "sandbox"),
    "leaderboard.commands.seasons": ("season-freeze", "season-report", "season-archive", "review-link"),
}
"""Module -> the commands that it adds, in the order of `--help`."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code."""
    return run_command("python -m leaderboard", __doc__, COMMANDS, arguments)


if __name__ == "__main__":
    sys.exit(main())
