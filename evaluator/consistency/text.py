"""A result of ELOQUENT 2025 as a few lines a person can read in a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from evaluator.robustness.edition_results import CONSISTENCY_HEADLINE, ConsistencyResult
from evaluator.values import metric_text


def consistency_lines(result: ConsistencyResult) -> Iterator[str]:
    """The figures, one to a line; the headline figure is marked with a star."""
    yield f"{result.prompt_set.set_id}: {result.prompt_set.version}"
    yield f"judge {result.judge.name}, {result.judge.model}"
    yield "files " + ", ".join(f"{file.language} ({file.answered} answers)" for file in result.files)
    for figure, mean in result.figures.items():
        mark = "*" if figure == CONSISTENCY_HEADLINE else " "
        questions = f"{mean.n}/{result.questions_total} questions"
        yield f"{mark} {figure:17} {questions:16} {metric_text(mean)}"
    for language, figures in result.by_language.items():
        yield f"  {language:17} {metric_text(figures[CONSISTENCY_HEADLINE])}"
    yield f"  {'ranked' if result.ranked else f'not ranked: {result.reason}'}"
