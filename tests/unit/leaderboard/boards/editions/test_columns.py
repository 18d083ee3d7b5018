"""What pointing at a figure of the later editions tells."""

from __future__ import annotations

from evaluator.results import MetricValue
from leaderboard.boards.editions.columns import figure_hint


def test_figures_of_2025_rest_on_questions_and_figures_that_are_not_there_say_nothing() -> None:
    assert figure_hint("consistency_gated", MetricValue(value=3.2, n=40)) == "n = 40 questions"
    assert figure_hint("consistency_gated", None) == ""
