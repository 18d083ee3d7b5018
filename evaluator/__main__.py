"""`python -m evaluator`: work on the queue, evaluate one file, try and measure judges."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence

from submissions.commands.command_line import run_command

COMMANDS = {
    "evaluator.commands.work": ("work",),
    "evaluator.commands.evaluate": ("evaluate",),
    "evaluator.commands.reproduce": ("reproduce",),
    "evaluator.commands.judge": (
        *("judges", "score-pairs", "score-answers", "explain", "verify"),
        *("judge-quality", "language-quality"),
    ),
    "evaluator.commands.rejudge_all": ("rejudge-all",),
    "evaluator.commands.canary": ("canary",),
    "evaluator.commands.position_bias": ("position-bias", "repetition", "judge-agreement"),
    "evaluator.commands.published_judges": ("published-judges",),
    "evaluator.commands.plan_items": ("plan-items",),
    "evaluator.commands.personalization": ("personalization",),
    "evaluator.commands.behavior_alignment": (
        *("behavior-alignment", "agreement", "behavior-pairs", "train-behavior-classifier"),
    ),
    "evaluator.commands.personalized_evaluation": ("personalized-evaluation",),
    "evaluator.commands.answer": ("answer",),
    "evaluator.commands.fill": ("fill",),
    "evaluator.commands.human_check": ("human-check",),
    "evaluator.commands.judge_report": ("judge-report",),
    "evaluator.commands.doctor": ("doctor",),
    "evaluator.commands.record": ("record",),
}
"""Module -> the commands that it adds, in the order of `--help`."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code (0 done, 1 the work failed, 2 wrong use, 3 a figure beyond its bound)."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s", stream=sys.stderr)
    logging.getLogger("httpx2").setLevel(logging.WARNING)
    return run_command("python -m evaluator", __doc__, COMMANDS, arguments)


if __name__ == "__main__":
    sys.exit(main())
