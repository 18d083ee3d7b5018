"""A result of ELOQUENT 2026 as a few lines a person can read in a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from evaluator.robustness.edition_results import CULTURAL_HEADLINE, CulturalResult
from evaluator.values import metric_text


def cultural_lines(result: CulturalResult) -> Iterator[str]:
    """The figures, one to a line; the headline figure is marked with a star."""
    yield f"{result.prompt_set.set_id}: {result.prompt_set.version}"
    yield f"embedding model {result.embedding.name}, {result.embedding.model}"
    for figure, value in result.figures.items():
        mark = "*" if figure == CULTURAL_HEADLINE else " "
        yield f"{mark} {figure.upper().replace('_GATED', ' gated'):10} {metric_text(value)}"
    yield f"  on topic   {metric_text(result.pass_share)}, control {metric_text(result.control_pass_share)}"
    yield f"  {'ranked' if result.ranked else f'not ranked: {result.reason}'}"
