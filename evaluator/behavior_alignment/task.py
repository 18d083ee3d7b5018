"""Behavior alignment: recommender answers beside those of humans."""

from __future__ import annotations

from collections.abc import Iterator

from evaluator.behavior_alignment.evaluate import evaluate_behavior
from evaluator.behavior_alignment.result import BehaviorFigures, BehaviorResult, Ends
from evaluator.task import Task, Tools
from submissions.formats.behavior_alignment.reader import CrsReading
from submissions.formats.behavior_alignment.submission import KIND


def behavior_lines(result: BehaviorResult) -> Iterator[str]:
    """The headline first, marked with a star; then what it rests on, and what stands beside it."""
    yield f"collection {result.collection}: {result.scored_dialogues} of {result.dialogues} dialogues scored"
    yield from _figure_lines(result, headline="explicit" if result.is_annotated else "implicit")
    if not result.is_annotated and result.explicit.annotated_share is not None:
        yield f"  {result.explicit.annotated_share:.0%} of the scored turns are annotated on both sides"
    if result.copied_share is not None:
        yield f"  copied from the human: {result.copied_share:.0%} of the longer answers"
    yield f"  {'ranked' if result.rankable else 'not ranked'}{''.join(f', {flag}' for flag in result.flags)}"
    for name, figures in result.references.items():
        yield f"beside it: {name}"
        yield from _figure_lines(figures)


def _figure_lines(figures: BehaviorFigures, headline: str = "") -> Iterator[str]:
    explicit, implicit = figures.explicit, figures.implicit
    if explicit.ba is not None:
        mark = "*" if headline == "explicit" else " "
        yield f"{mark} behavior alignment {_number(explicit.ba, explicit.ba_ci)}, Eq. 2 {_number(explicit.ba_eq2)}"
    if implicit is not None:
        mark = "*" if headline == "implicit" else " "
        corrected = _number(implicit.corrected, implicit.corrected_ci)
        yield f"{mark} estimated {corrected}, raw {_number(implicit.raw)}; estimator {implicit.estimator}"


def _number(value: float | None, ends: Ends | None = None) -> str:
    """A figure with its interval.

    >>> _number(0.25, (0.125, 0.5)), _number(None)
    ('0.25 [0.12, 0.50]', 'n/a')
    """
    if value is None:
        return "n/a"
    return f"{value:.2f}" + (f" [{ends[0]:.2f}, {ends[1]:.2f}]" if ends else "")


def _evaluate(reading: CrsReading, tools: Tools) -> BehaviorResult:
    assert reading.submission is not None
    return evaluate_behavior(reading.submission, tools.embedder, tools.judge.tell)


BEHAVIOR_ALIGNMENT = Task((KIND,), ("behavior",), _evaluate, behavior_lines)
