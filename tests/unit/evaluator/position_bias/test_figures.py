"""The position-bias report: what golden cases do not show."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pandas as pd
import pytest

from evaluator.position_bias import (
    JudgeFigures,
    PairFigures,
    SwapOutcome,
    TableRefused,
    classify,
    position_bias_report,
)
from evaluator.position_bias import figures as position_bias
from evaluator.statistics import verdict_pairs

COLUMNS = ["judge", "task", "model", "query", "verdict_original", "verdict_swapped"]


def table(*rows: str) -> pd.DataFrame:
    """Rows written as "judge task model query AB"."""
    cells = [row.split() for row in rows]
    return pd.DataFrame([[*names, pair[0], pair[1]] for *names, pair in cells], columns=COLUMNS)


def lengths(**characters: int) -> pd.DataFrame:
    return pd.DataFrame(
        [["q", model, str(number)] for model, number in characters.items()], columns=["query", "model", "answer_chars"]
    )


def test_only_a_verdict_has_an_outcome() -> None:
    assert classify("C", "A", options=2) is SwapOutcome.ERROR
    for original, swapped in (("a", "B"), ("A", ""), ("AB", "A"), ("D", "N")):
        with pytest.raises(ValueError, match="none of A, B, C, N"):
            classify(original, swapped)


def test_judges_and_groups_come_in_the_order_of_their_names() -> None:
    report = position_bias_report(table("k t m q AB", "j u n q AB", "j t m q AB"), by=["task", "model"])
    assert list(report) == ["j", "k"]
    assert (list(report["j"]["by_task"]), list(report["j"]["by_model"])) == (["t", "u"], ["m", "n"])


def test_groups_partition_the_pairs_and_carry_no_interval() -> None:
    rows = [
        f"j t{query % 2} m{query % 3} q{query} {pair}"
        for query, pair in enumerate(["AB", "AA", "NB", "CC", "BB", "BA"] * 4)
    ]
    report = position_bias_report(table(*rows), by=["task"])["j"]
    assert sum(group["n_pairs"] for group in report["by_task"].values()) == report["n_pairs"] == 24
    assert all(set(group) <= set(get_keys(PairFigures)) for group in report["by_task"].values())
    assert "by_model" not in report


def get_keys(figures: type) -> list[str]:
    return list(figures.__annotations__)


def test_a_judge_with_unpaired_items_only_is_listed_with_undefined_figures() -> None:
    frame = table("j t m q AB")
    frame["verdict_swapped"] = ""
    report = position_bias_report(frame, by=["task"], compat="paper")["j"]
    assert (report["n_pairs"], report["n_unpaired"], report["n_queries"]) == (0, 1, 0)
    assert report["position_consistency"] is report["preference_fairness"] is report["error_rate"] is None
    assert report["preference_fairness_std"] is report["preference_fairness_p"] is None
    assert report["by_task"]["t"]["n_unpaired"] == 1


def test_the_paper_counts_cells_whose_pairs_are_all_unusable_as_fair() -> None:
    # Cells: m (r - p) / n = 1/1, o 0/1 (its pair is unusable): fairness (1 + 0) / 2; consistency over m only.
    report = position_bias_report(table("j t m q BB", "j t o q NA"), compat="paper")["j"]
    assert (report["preference_fairness"], report["preference_fairness_std"]) == (0.5, 0.5)
    assert (report["position_consistency"], report["position_consistency_std"]) == (0.0, 0.0)
    assert report["error_rate"] == 1 / 3  # 1 / (1 + 2 x 1)


def test_the_same_query_name_in_two_tasks_is_two_queries() -> None:
    assert position_bias_report(table("j t m q AB", "j u m q AB", "j u n q AA", "j u n p NN"))["j"]["n_queries"] == 2


def test_papers_fairness_interval_rests_on_all_queries_with_a_pair() -> None:
    rows = [f"j t m q{query} {'BB' if query < 6 else 'NN'}" for query in range(12)]
    # valid: 6 queries, no interval; paper: 12 queries, pooled (r - p) / n = 6/12.
    assert position_bias_report(table(*rows))["j"]["preference_fairness_ci95"] is None
    interval = position_bias_report(table(*rows), compat="paper")["j"]["preference_fairness_ci95"]
    # t with 11 degrees of freedom: 2.2010 x sqrt(12 / 11) = 2.2989, so the 1.08 % point; Binomial(12, 1/2) / 12:
    # P(X <= 1) = .003, P(X <= 2) = .019, so it is 2/12.
    assert interval == pytest.approx([2 / 12, 10 / 12])
    # The same of twelve usable queries of which six keep their verdicts: n is the number of usable pairs.
    kept = [row.replace("NN", "AB") for row in rows]
    assert position_bias_report(table(*kept))["j"]["preference_fairness_ci95"] == pytest.approx([2 / 12, 10 / 12])


def test_the_longer_answer_is_counted_where_both_lengths_are_known_and_unequal() -> None:
    verdicts = table(
        "j t long q BA", "j t short q BA", "j t short2 q AB", "j t same q AB", "j t unknown q AB", "j t long2 q AA"
    )
    report = position_bias_report(
        verdicts,
        lengths=lengths(reference=10, long=20, short=5, short2=5, same=10, long2=20),
        reference_model="reference",
    )
    # Consistent wins with unequal lengths: long over 10 (longer), short (shorter), the reference over short2 (longer).
    assert (report["j"]["longer_answer_win_rate"], report["j"]["longer_answer_n"]) == (2 / 3, 3)


def test_without_a_comparable_win_length_says_nothing() -> None:
    report = position_bias_report(table("j t m q AA"), lengths=lengths(m=3), reference_model="r")
    assert (report["j"]["longer_answer_win_rate"], report["j"]["longer_answer_n"]) == (None, 0)
    with pytest.raises(TableRefused, match="reference model"):
        position_bias_report(table("j t m q AA"), lengths=lengths(m=3))


def test_lengths_of_another_benchmark_are_not_used() -> None:
    verdicts = pd.DataFrame(
        [["j", "b", "t", "m", "q", "original", "A"], ["j", "b", "t", "m", "q", "swapped", "B"]],
        columns=["judge", "benchmark", "task", "model", "query", "order", "verdict"],
    )
    known = pd.concat([lengths(m=1, r=2).assign(benchmark="b"), lengths(m=2, r=1).assign(benchmark="c")])
    report = position_bias_report(verdicts, lengths=known, reference_model="r")
    assert report["j"]["longer_answer_win_rate"] == 1.0  # the reference won with 2 against 1


def test_a_table_without_rows_gives_nothing() -> None:
    assert position_bias_report(table(), compat="paper", by=["task"], lengths=lengths(), reference_model="r") == {}


def test_the_report_is_strict_json_of_plain_numbers() -> None:
    report = position_bias_report(table("j t m q NN"), by=["task", "model"], compat="paper")
    assert json.loads(json.dumps(report, allow_nan=False)) == report


def test_an_unknown_choice_is_refused() -> None:
    with pytest.raises(ValueError, match="choices: valid, paper"):
        position_bias_report(table(), compat="published")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="choices: task, model"):
        position_bias_report(table(), by=["judge"])  # type: ignore[list-item]


def test_every_figure_is_explained_where_visitors_look() -> None:
    text = (Path(__file__).parents[4] / "docs" / "position_bias.md").read_text(encoding="utf-8")
    figures = [
        *get_keys(JudgeFigures),
        *get_keys(position_bias.RepetitionFigures),
        *get_keys(position_bias.QualityCurve),
    ]
    figures += [*get_keys(position_bias.ListwiseFigures), *get_keys(position_bias.CellFairness)]
    assert [key for key in figures if f"`{key}`" not in text and f"\n### {key}\n" not in text] == []
    assert [outcome for outcome in SwapOutcome if f"`{outcome}`" not in text] == []
    assert [compat for compat in get_args(position_bias.Compat) if f"`{compat}`" not in text] == []


def test_the_worked_example_of_the_documentation_holds() -> None:
    example = ["AB", "AB", "AB", "BA", "CC", "AA", "AC", "BB", "BN", "A-"]
    figures, paper = verdict_pairs.pair_figures(example), verdict_pairs.pair_figures(example, compat="paper")
    assert (figures["n_pairs"], figures["n_valid"], figures["n_unpaired"]) == (9, 8, 1)
    assert (figures["position_consistency"], figures["position_consistency_all_pairs"]) == (5 / 8, 5 / 9)
    assert (figures["preference_fairness"], figures["preference_direction"]) == (-1 / 8, -1 / 3)
    assert (figures["slot_imbalance"], figures["tie_rate"]) == (-1 / 16, 3 / 16)
    assert (figures["decisive_consistency"], figures["quality_gap"]) == (4 / 7, 1 / 8)
    assert (figures["overall_win_rate"], figures["consistent_win_rate"]) == (3 / 8, 3 / 10)
    assert (figures["error_rate"], figures["invalid_pair_rate"]) == (1 / 18, 1 / 9)
    assert (paper["preference_fairness"], paper["error_rate"]) == (-1 / 9, 1 / 17)


def test_the_figures_need_neither_torch_nor_gradio() -> None:
    script = "import sys, evaluator.position_bias; print({'torch', 'transformers', 'gradio'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
