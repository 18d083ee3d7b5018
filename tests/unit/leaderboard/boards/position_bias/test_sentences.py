"""The sentence of a judge, for each sign and edge of its figures."""

from __future__ import annotations

import pytest

from leaderboard.boards.position_bias.cache import boards_of
from leaderboard.boards.position_bias.published import published_tables
from leaderboard.boards.position_bias.rows import Figures, JudgeRow, baseline_rows
from leaderboard.boards.position_bias.sentences import judge_sentence


def sentence(figures: Figures) -> str:
    return judge_sentence(JudgeRow(id="1/one", name="one", figures={"n_queries": 80, **figures}))


def test_gpt_4_keeps_82_percent_of_its_verdicts_and_prefers_no_place() -> None:
    # Table 2 of arXiv 2406.07791: consistency .815, fairness .02.
    row = boards_of(published_tables())["mtbench-3"].row("published/gpt-4-0613")
    assert row is not None
    assert judge_sentence(row) == (
        "gpt-4-0613 gives the same verdict in both orders for 82% [79, 84] of pairs; "
        "it has no clear preference for a position."
    )


@pytest.mark.parametrize(
    ("fairness", "interval", "said"),
    [
        (0.4, [0.1, 0.6], "where it changes, it prefers the second answer."),
        (-0.4, [-0.6, -0.1], "where it changes, it prefers the first answer."),
        (0.4, [-0.1, 0.6], "it has no clear preference for a position."),
        (0.0, [0.0, 0.0], "it has no clear preference for a position."),
    ],
)
def test_a_place_is_named_only_where_the_interval_leaves_out_zero(
    fairness: float, interval: list[float], said: str
) -> None:
    figures: Figures = {
        "position_consistency": 0.5,
        "position_consistency_ci95": [0.4, 0.6],
        "preference_fairness": fairness,
        "preference_fairness_ci95": interval,
    }
    assert sentence(figures) == f"one gives the same verdict in both orders for 50% [40, 60] of pairs; {said}"


def test_a_judge_that_never_changes_prefers_no_place() -> None:
    assert sentence({"position_consistency": 1.0, "preference_fairness": 0.0}) == (
        "one gives the same verdict in both orders for 100% of pairs; it never changes its verdict."
    )


def test_what_is_not_known_is_said_with_the_reason() -> None:
    unknown = "How far one depends on the order of the answers is not known: "
    assert sentence({"n_pairs": 4}) == f"{unknown}no pair has two usable verdicts."
    assert sentence({"n_pairs": 0}) == f"{unknown}only one order was run."
    only_consistency = sentence({"position_consistency": 0.5})
    assert only_consistency == "one gives the same verdict in both orders for 50% of pairs."


def test_a_baseline_is_said_to_be_one() -> None:
    first = next(row for row in baseline_rows(3) if row.name == "always the first")
    assert judge_sentence(first) == (
        "always the first, a baseline that does not read the answers, gives the same verdict in both orders for 0% of "
        "pairs; where it changes, it prefers the first answer."
    )
