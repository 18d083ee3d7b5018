"""What the Overview says of published judges, from their verdicts."""

from __future__ import annotations

import pytest

from leaderboard.boards.position_bias.board import position_bias_facts, swap_fact, swap_facts
from leaderboard.boards.position_bias.cache import boards_of
from leaderboard.boards.position_bias.published import published_tables
from leaderboard.boards.position_bias.rows import Figures, JudgeRow
from leaderboard.page.benchmarks import BoardKey

MTBENCH = BoardKey("mtbench", 3)


def test_the_published_judges_that_judged_all_give_two_findings_for_each_benchmark() -> None:
    facts = list(swap_facts(boards_of(published_tables())))
    assert len(facts) == 4
    # Table 2 of arXiv 2406.07791: GPT-4 has a consistency of .815 on MT-bench, so that 18 % of its verdicts change;
    # on DevBench Claude-3-Haiku has .23 and favours the second answer (.75).
    assert facts[0].claim == "gpt-4-0613 changes 18% of its verdicts when the two answers swap places"
    assert facts[0].interval == "95% interval 16% to 21%"
    assert facts[0].link == "judges?benchmark=mtbench-3&judge=published%2Fgpt-4-0613"
    assert facts[0].source == "MT-bench, 80 questions, published, recomputed"
    assert facts[3].claim.startswith("claude-3-haiku-20240307 changes 77% of its verdicts")
    assert facts[3].claim.endswith(", mostly towards the second")


def test_a_family_that_was_found_to_gain_is_the_second_finding() -> None:
    fact = position_bias_facts(boards_of(published_tables()))[1]
    assert fact.claim.startswith("gpt-4-0613 lets systems of its own family win 16 points more often than others")
    assert (fact.source, fact.interval) == (
        "MT-bench, 319 comparisons, published, recomputed",
        "95% interval 3 to 28 points",
    )
    assert position_bias_facts({}) == ()


@pytest.mark.parametrize(
    ("fairness", "interval", "ends_with"),
    [
        (0.2, [0.1, 0.3], ", mostly towards the second"),
        (-0.2, [-0.3, -0.1], ", mostly towards the first"),
        (0.2, [-0.1, 0.3], "swap places"),
        (0.0, [0.0, 0.0], "swap places"),
    ],
)
def test_a_side_is_named_only_where_the_interval_leaves_out_zero(
    fairness: float, interval: list[float], ends_with: str
) -> None:
    figures: Figures = {
        "position_consistency": 0.75,
        "position_consistency_ci95": [0.7, 0.9],
        "preference_fairness": fairness,
        "preference_fairness_ci95": interval,
        "n_queries": 80,
    }
    row = JudgeRow(id="1/one", name="one", figures=figures, published="published verdicts, recomputed")
    fact = swap_fact(row, MTBENCH)
    assert fact.claim.startswith("one changes 25% of its verdicts")  # 1 - .75; the ends 1 - .9 and 1 - .7
    assert fact.interval == "95% interval 10% to 30%"
    assert fact.claim.endswith(ends_with)
