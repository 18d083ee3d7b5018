"""Laws of the judge figures."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.agreement import agreement_report, cohens_kappa, krippendorff_alpha_nominal
from evaluator.position_bias import PairFigures, pair_figures, position_bias_report, repetition_report
from evaluator.statistics.queries import holm_adjusted, sign_flip_p

FEW = settings(max_examples=40)
MANY = settings(max_examples=150)
ROUNDING = 1e-12
COLUMNS = ["judge", "task", "model", "query", "verdict_original", "verdict_swapped"]
REPETITION_COLUMNS = ["judge", "repetition", "task", "model", "query", "verdict_original", "verdict_swapped"]
LETTER_EXCHANGE = str.maketrans("AB", "BA")

pairs = st.lists(st.sampled_from(["".join(pair) for pair in product("ABCN-", repeat=2)]), max_size=40)
options = st.sampled_from([2, 3])

RATES = [
    "position_consistency",
    "position_consistency_all_pairs",
    "preference_fairness",
    "preference_direction",
    "slot_imbalance",
    "overall_win_rate",
    "consistent_win_rate",
    "quality_gap",
    "error_rate",
    "invalid_pair_rate",
    "tie_rate",
    "decisive_consistency",
]


@st.composite
def tables(draw: st.DrawFn) -> pd.DataFrame:
    """Verdicts of up to three judges over a small grid with gaps."""
    cells = [cell for cell in product("ijk", "tu", "mn", "pqr") if draw(st.integers(0, 3))]
    verdicts = st.sampled_from(["A", "B", "C", "A", "B", "N", ""])
    return pd.DataFrame([[*cell, draw(verdicts), draw(verdicts)] for cell in cells], columns=COLUMNS)


@st.composite
def repeated_tables(draw: st.DrawFn) -> pd.DataFrame:
    cells = list(product("j", "123", "t", "m", [f"q{number}" for number in range(draw(st.integers(1, 5)))]))
    verdicts = st.sampled_from(["A", "B", "C", "N", ""])
    return pd.DataFrame([[*cell, draw(verdicts), draw(verdicts)] for cell in cells], columns=REPETITION_COLUMNS)


def negated(value: float | None) -> float | None:
    return None if value is None else -value


def mirrored(value: float | None) -> Any:
    return None if value is None else pytest.approx(1 - value, abs=ROUNDING)


def rates(figures: Any) -> dict[str, float | None]:
    return {key: figures[key] for key in RATES}


def assert_close(first: Any, second: Any) -> None:
    """Equal nested results, numbers up to rounding."""
    if isinstance(first, dict):
        assert first.keys() == second.keys()
        for key in first:
            assert_close(first[key], second[key])
    elif isinstance(first, float | list):
        assert first == pytest.approx(second, abs=ROUNDING)
    else:
        assert first == second


@MANY
@given(pairs, options)
def test_consistency_leaves_room_for_fairness_and_covers_the_quality_gap(listed: list[str], k: Any) -> None:
    figures = pair_figures(listed, k)
    consistency, fairness = figures["position_consistency"], figures["preference_fairness"]
    gap, win_rate = figures["quality_gap"], figures["overall_win_rate"]
    if consistency is None:
        assert fairness is gap is win_rate is None
    else:
        assert fairness is not None
        assert gap is not None
        assert win_rate is not None
        assert consistency + abs(fairness) <= 1 + ROUNDING
        assert consistency >= 2 * gap - ROUNDING
        assert gap == pytest.approx(abs(win_rate - 0.5), abs=ROUNDING)


@MANY
@given(pairs, options)
def test_every_pair_has_one_outcome(listed: list[str], k: Any) -> None:
    figures = pair_figures(listed, k)
    outcomes = ("consistent_wins_first", "consistent_wins_second", "consistent_ties", "primacy", "recency", "n_invalid")
    assert sum(figures[outcome] for outcome in outcomes) == figures["n_pairs"]  # type: ignore[literal-required]
    assert figures["n_pairs"] + figures["n_unpaired"] == len(listed)
    assert all(value is None or -1 <= value <= 1 for value in rates(figures).values())


@MANY
@given(pairs, options)
def test_swapping_the_orders_exchanges_the_candidates_only(listed: list[str], k: Any) -> None:
    figures, swapped = pair_figures(listed, k), pair_figures([pair[::-1] for pair in listed], k)
    for key in ("position_consistency", "preference_fairness", "slot_imbalance", "error_rate", "tie_rate"):
        assert swapped[key] == figures[key]
    assert swapped["overall_win_rate"] == mirrored(figures["overall_win_rate"])


@MANY
@given(pairs, options)
def test_exchanging_the_letters_turns_primacy_into_recency(listed: list[str], k: Any) -> None:
    figures, exchanged = pair_figures(listed, k), pair_figures([pair.translate(LETTER_EXCHANGE) for pair in listed], k)
    assert exchanged["position_consistency"] == figures["position_consistency"]
    for key in ("preference_fairness", "preference_direction", "slot_imbalance"):
        assert exchanged[key] == negated(figures[key])
    assert exchanged["overall_win_rate"] == mirrored(figures["overall_win_rate"])


@MANY
@given(pairs)
def test_with_two_options_slot_imbalance_is_fairness(listed: list[str]) -> None:
    figures: PairFigures = pair_figures(listed, 2)
    assert figures["slot_imbalance"] == figures["preference_fairness"]
    assert figures["tie_rate"] in (None, 0.0)


@MANY
@given(pairs, options)
def test_an_undefined_rate_is_null_and_no_flip_is_fair(listed: list[str], k: Any) -> None:
    figures = pair_figures(listed, k)
    assert (figures["position_consistency"] is None) == (figures["n_valid"] == 0)
    if figures["n_valid"] and not figures["primacy"] + figures["recency"]:
        assert (figures["preference_fairness"], figures["preference_direction"]) == (0.0, None)


@FEW
@given(tables(), st.randoms(use_true_random=False), st.sampled_from(["valid", "paper"]))
def test_the_order_of_rows_is_irrelevant(table: pd.DataFrame, random: Any, compat: Any) -> None:
    shuffled = table.sample(frac=1, random_state=random.randrange(2**32)) if len(table) else table
    report = position_bias_report(table, compat=compat, by=["task", "model"])
    assert position_bias_report(shuffled, compat=compat, by=["task", "model"]) == report
    assert agreement_report(shuffled) == agreement_report(table)


@FEW
@given(tables(), st.sampled_from(["valid", "paper"]))
def test_duplicating_the_data_under_new_model_names_changes_no_rate(table: pd.DataFrame, compat: Any) -> None:
    doubled = pd.concat([table, table.assign(model=table["model"] + " again")])
    once, twice = position_bias_report(table, compat=compat), position_bias_report(doubled, compat=compat)
    for judge in once:
        assert_close(rates(twice[judge]), rates(once[judge]))
        assert twice[judge]["n_pairs"] == 2 * once[judge]["n_pairs"]
        assert twice[judge]["n_queries"] == once[judge]["n_queries"]


@FEW
@given(
    st.lists(st.lists(st.sampled_from(["AB", "BA", "CC", "AA", "BC"]), min_size=4, max_size=4), min_size=1, max_size=4)
)
def test_balanced_cells_without_errors_give_the_papers_figures(cells: list[list[str]]) -> None:
    rows = [["j", "t", f"m{m}", f"q{q}", *pair] for m, cell in enumerate(cells) for q, pair in enumerate(cell)]
    table = pd.DataFrame(rows, columns=COLUMNS)
    valid, paper = (position_bias_report(table, compat=compat)["j"] for compat in ("valid", "paper"))
    assert_close(rates(paper), rates(valid))


@FEW
@given(repeated_tables(), options)
def test_stability_lies_between_its_floor_and_one(table: pd.DataFrame, k: Any) -> None:
    figures = repetition_report(table, options=k)["j"]
    stability, floor = figures["repetition_stability"], figures["repetition_stability_floor"]
    if stability is not None and floor is not None:
        assert floor - ROUNDING <= stability <= 1 + ROUNDING
        assert figures["repetition_stability_chance"] is not None
        assert floor - ROUNDING <= figures["repetition_stability_chance"] < 1
    calls = (table[["verdict_original", "verdict_swapped"]] != "").to_numpy().sum()
    assert figures["n_calls"] == calls


@FEW
@given(repeated_tables(), st.randoms(use_true_random=False))
def test_repetitions_are_exchangeable(table: pd.DataFrame, random: Any) -> None:
    shuffled = table.sample(frac=1, random_state=random.randrange(2**32))
    renamed = table.assign(repetition=table["repetition"].map({"1": "3", "2": "1", "3": "2"}))
    report = repetition_report(table)
    assert repetition_report(shuffled) == report
    assert_close(repetition_report(renamed), report)


@FEW
@given(tables())
def test_agreement_is_symmetric_and_full_with_oneself(table: pd.DataFrame) -> None:
    report = agreement_report(table)
    for figure in ("with_ties", "without_ties", "kappa", "consistent_outcomes"):
        matrix = report.get(figure, {})
        assert isinstance(matrix, dict)
        for judge, row in matrix.items():
            assert row[judge] in (None, 1.0)
            assert all(matrix[other][judge] == value for other, value in row.items())


columns = st.lists(st.tuples(st.sampled_from("ABC"), st.sampled_from("ABC")), max_size=30)


@MANY
@given(columns)
def test_kappa_is_symmetric_and_blind_to_names_and_duplication(rows: list[tuple[str, str]]) -> None:
    first, second = [a for a, _ in rows], [b for _, b in rows]
    kappa = cohens_kappa(first, second)
    names = {"A": 7, "B": 8, "C": 9}
    assert cohens_kappa(second, first) == kappa
    assert cohens_kappa([names[one] for one in first], [names[one] for one in second]) == kappa
    assert cohens_kappa(first * 2, second * 2) == (None if kappa is None else pytest.approx(kappa, abs=ROUNDING))
    assert kappa is None or -1 <= kappa <= 1


@MANY
@given(columns)
def test_alpha_does_not_depend_on_the_order_of_raters_or_units(rows: list[tuple[str, str]]) -> None:
    alpha = krippendorff_alpha_nominal(rows)
    turned = krippendorff_alpha_nominal([row[::-1] for row in reversed(rows)])
    assert turned == (None if alpha is None else pytest.approx(alpha, abs=ROUNDING))
    assert alpha is None or alpha <= 1


@FEW
@given(st.lists(st.integers(-4, 4), max_size=20))
def test_the_sign_flip_test_has_no_favourite_place(preferences: list[int]) -> None:
    p = sign_flip_p(preferences)
    assert 0 < p <= 1
    assert sign_flip_p([-d for d in reversed(preferences)]) == p
    if np.sum(preferences) == 0:
        assert p == 1


@MANY
@given(st.lists(st.none() | st.floats(0, 1), max_size=10))
def test_holm_never_lowers_a_p_and_keeps_their_order(p_values: list[float | None]) -> None:
    adjusted = holm_adjusted(p_values)
    kept = [(p, q) for p, q in zip(p_values, adjusted, strict=True) if p is not None and q is not None]
    assert len(kept) == sum(p is not None for p in p_values)
    assert all(p <= q <= 1 for p, q in kept)
    assert [q for _, q in sorted(kept)] == sorted(q for _, q in kept)
