"""Agreement of label columns, panels and judges."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from evaluator.statistics.agreement import (
    agreement_report,
    cohens_kappa,
    krippendorff_alpha_interval,
    krippendorff_alpha_nominal,
    observed_agreement,
    two_raters_alpha,
)

COLUMNS = ["judge", "task", "model", "query", "verdict_original", "verdict_swapped"]

# Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, section C: four observers, twelve units.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]
UNITS = [list(unit) for unit in zip(*OBSERVERS, strict=True)]


def table(*rows: str) -> pd.DataFrame:
    """Rows written as "judge query AB"."""
    cells = [row.split() for row in rows]
    return pd.DataFrame([[judge, "t", "m", query, pair[0], pair[1]] for judge, query, pair in cells], columns=COLUMNS)


def test_kappa_of_a_textbook_table() -> None:
    # 20 both yes, 5 yes-no, 10 no-yes, 15 both no: p_o = 35/50 = .7, p_e = (25 x 30 + 25 x 20) / 2500 = .5, kappa = .4
    first = ["yes"] * 25 + ["no"] * 25
    second = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    assert cohens_kappa(first, second) == pytest.approx(0.4)
    assert observed_agreement(first, second) == 0.7


def test_kappa_is_undefined_where_chance_alone_agrees_fully() -> None:
    assert cohens_kappa([], []) is None
    assert cohens_kappa([None, "A"], ["A", None]) is None
    assert cohens_kappa(["A"] * 3, ["A"] * 3) is None
    assert cohens_kappa(["A", "A"], ["A", "B"]) == 0.0  # p_o = 1/2 = p_e
    assert observed_agreement(["A"], [None]) is None


def test_krippendorffs_worked_example() -> None:
    # Unit 12 has one rating and drops out: n = 40 ratings with n_1..n_5 = 9, 13, 10, 5, 3. Disagreeing ordered pairs
    # / (m - 1): unit 2 (2 2 3 2) 6/3 = 2, unit 6 (1 2 3 4) 12/3 = 4, unit 8 (1 1 2 1) 6/3 = 2: D_o x n = 8.
    # Expected: 40² - (81 + 169 + 100 + 25 + 9) = 1216. alpha = 1 - 39 x 8 / 1216 = .743, as published.
    assert krippendorff_alpha_nominal(UNITS) == pytest.approx(1 - 39 * 8 / 1216)
    assert krippendorff_alpha_nominal(UNITS) == pytest.approx(0.743, abs=5e-4)
    # Interval: squared differences per unit: 6 x 1 / 3 = 2, (2 x (1+4+9+1+4+1)) / 3 = 40/3, 6 x 1 / 3 = 2: 52/3.
    # Expected: 2 (40 x sum x² - (sum x)²), sum x = 9 + 26 + 30 + 20 + 15 = 100, sum x² = 9 + 52 + 90 + 80 + 75 = 306:
    # 2 (12240 - 10000) = 4480. alpha = 1 - 39 x (52/3) / 4480 = .849, as published.
    assert krippendorff_alpha_interval(UNITS) == pytest.approx(1 - 39 * (52 / 3) / 4480)
    assert krippendorff_alpha_interval(UNITS) == pytest.approx(0.849, abs=5e-4)


def test_alpha_is_undefined_without_comparable_or_differing_ratings() -> None:
    for alpha in (krippendorff_alpha_nominal, krippendorff_alpha_interval):
        assert alpha([]) is None
        assert alpha([[1.0], [2.0, None]]) is None
        assert alpha([[0.1, 0.1, 0.1], [0.1, 0.1]]) is None


def test_a_shared_liking_for_a_place_agrees_in_calls_but_not_in_outcomes() -> None:
    report = agreement_report(table("x q1 AA", "x q2 AA", "y q1 AA", "y q2 AA"))
    assert report["with_ties"]["x"]["y"] == 1.0
    assert report["kappa"]["x"]["y"] is None  # chance agreement is 1
    assert report["consistent_outcomes"]["x"]["y"] is None
    assert report["consistent_outcomes"]["x"]["x"] is None


def test_judges_of_different_prompts_have_nothing_in_common() -> None:
    report = agreement_report(table("x q1 AB", "y q2 AB"))
    assert report["with_ties"]["x"] == {"x": 1.0, "y": None}
    assert report["without_ties"]["y"]["x"] is None
    assert report["disagreement_histogram"] == {}  # no prompt with two votes


def test_an_item_that_was_run_in_one_order_counts_for_that_order_only() -> None:
    frame = table("x q1 AB", "y q1 AB")
    frame.loc[1, "verdict_swapped"] = ""
    report = agreement_report(frame)
    assert report["with_ties"]["x"]["y"] == 1.0
    assert report["disagreement_histogram"] == {"0": 1}
    assert report["consistent_outcomes"]["x"]["y"] is None


def test_with_two_options_a_tie_is_no_vote() -> None:
    report = agreement_report(table("x q1 CB", "y q1 CB"), options=2)
    assert report["disagreement_histogram"] == {"0": 1}
    assert agreement_report(table("x q1 CB", "y q1 CB"))["disagreement_histogram"] == {"0": 2}


def test_a_consistent_tie_agrees_with_a_consistent_tie_only() -> None:
    report = agreement_report(table("x q1 CC", "x q2 CC", "y q1 CC", "y q2 BA"))
    assert report["consistent_outcomes"]["x"]["y"] == 0.5
    assert report["without_ties"]["x"]["y"] is None


def test_a_table_without_rows_gives_nothing() -> None:
    assert agreement_report(table()) == {}


def test_alpha_of_two_raters_is_that_of_their_labels_listed_one_by_one() -> None:
    generator = np.random.default_rng(3)
    confusions = generator.integers(0, 4, (40, 3, 3)).astype(np.float64)
    for table, found in zip(confusions, two_raters_alpha(confusions), strict=True):
        pairs = [(str(a), str(b)) for (a, b), count in np.ndenumerate(table) for _ in range(int(count))]
        assert found == pytest.approx(krippendorff_alpha_nominal(pairs))
