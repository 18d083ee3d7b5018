"""A result of ELOQUENT 2024 as a few lines a person can read in a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from evaluator.results import HEADLINE, HEADLINE_VIEW, RobustnessResult
from evaluator.values import metric_text


def robustness_lines(result: RobustnessResult) -> Iterator[str]:
    """The figures, one to a line; the headline figure is marked with a star."""
    yield f"{result.prompt_set.set_id}: {result.prompt_set.version}"
    yield f"judge {result.judge.name}, {result.judge.model}"
    for view, of_view in result.views.items():
        for figure, summary in of_view.figures.items():
            mark = "*" if (figure, view) == (HEADLINE, HEADLINE_VIEW) else " "
            items = f"{summary.mean.n}/{summary.eligible} items"
            yield f"{mark} {view:8} {figure:17} {items:12} {metric_text(summary.mean)}"
        yield f"  {view:8} {'ranked' if of_view.ranked else f'not ranked: {of_view.reason}'}"
    if result.pairwise is not None:
        compared = result.pairwise
        yield f"against {compared.reference}: win rate {metric_text(compared.win_rate)}"
        yield f"  won from both places {metric_text(compared.conservative_win_rate)}"
    if result.panel is not None:
        yield f"panel mean {metric_text(result.panel.mean)}, agreement (alpha) {metric_text(result.panel.agreement)}"
        for member in result.panel.members:
            left_out = f", left out: {member.reason}" if not member.in_mean else ""
            yield f"  {member.judge.name} {member.judge.model}: {metric_text(member.score)}{left_out}"
