"""The benchmark of the intervals: what it simulates is what it says, and its table is complete."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.coverage import (
    POPULATIONS,
    Population,
    boards_table,
    csp_table,
    item_values,
    language_pairs,
    reached,
    score_boards,
    specificity_of,
    specificity_reached,
    table,
    true_scores,
)
from benchmarks.figure_coverage import clusters, figure_reached, figures, figures_table, kappas
from benchmarks.hard_populations import RARE_LOSSES, HardScores, hard_scores_reached
from benchmarks.shorter_intervals import least_of_yes_or_no, with_end, with_unseen
from evaluator.statistics.agreement import cohens_kappa
from evaluator.statistics.intervals import bootstrap_interval, difference_interval


def generator() -> np.random.Generator:
    return np.random.default_rng(5)


def test_without_any_scatter_every_item_has_the_quality_of_its_system() -> None:
    systems = [Population(3.0, item=0.0, own=0.0, pair=0.0), Population(9.0, item=0.0, own=0.0, pair=0.0)]
    values = item_values(generator(), systems, items=7, trials=2)
    assert values.shape == (2, 2, 7)
    assert (values[:, 0] == 3.0).all()
    assert (values[:, 1] == 5.0).all()  # the end of the scale


def test_systems_share_how_hard_an_item_is_and_nothing_else() -> None:
    shared, own = Population(2.5, item=0.4, own=0.0, pair=0.0), Population(2.5, item=0.0, own=0.4, pair=0.0)
    first, second = item_values(generator(), [shared, shared], items=500, trials=1)[0]
    assert first == pytest.approx(second)
    first, second = item_values(generator(), [own, own], items=500, trials=1)[0]
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.15  # standard error 1 / sqrt(500) = 0.045


def test_a_lost_item_counts_nothing_and_a_flag_takes_the_pairs_of_its_answer() -> None:
    flat = {"item": 0.0, "own": 0.0, "pair": 0.0}
    lost = item_values(generator(), [Population(4.0, lost_items=1.0, **flat)], items=5, trials=1)
    assert (lost == 0.0).all()
    # Both answers of a pair pass with probability 0.9 x 0.9 = 0.81: 4 x 0.81 = 3.24.
    (score,) = true_scores(generator(), [Population(4.0, flagged=0.1, **flat)])
    assert score == pytest.approx(3.24, abs=0.01)


def test_a_row_holds_shares_and_the_table_has_a_line_for_it() -> None:
    name = next(iter(POPULATIONS))
    row = reached(name, items=15, trials=40, seed=1)
    assert (row.population, row.items) == (name, 15)
    assert row.true_score == pytest.approx(2.5, abs=0.02)  # symmetric about the middle of the scale
    # 40 trials at 95%: fewer than 32 hits have a probability below 0.0005.
    assert 0.8 <= row.coverage <= 1.0
    assert 0.0 <= row.false_separation <= 0.25
    assert row.bands_hold > 0.8
    lines = table([row]).splitlines()
    assert len(lines) == 3
    assert len({line.count("|") for line in lines}) == 1


def test_scores_at_the_floor_keep_intervals_that_hold() -> None:
    # Nearly all item values are 0 there. 1,000 trials know a share near 97% to 0.5 points.
    row = reached("gated, at the floor", items=15, trials=1_000, seed=1)
    assert row.coverage >= 0.95
    assert row.plain_coverage < 0.85


@pytest.mark.parametrize("population", RARE_LOSSES, ids=lambda population: population.name)
def test_a_system_that_loses_few_items_has_intervals_that_hold(population: HardScores) -> None:
    row = hard_scores_reached(population, items=15, trials=1_000, seed=1)
    assert row.coverage >= 0.95
    assert row.plain_coverage < 0.85  # this check can fail


def test_candidates_for_shorter_intervals_are_what_they_say() -> None:
    right = np.array([[5.0] * 12 + [0.0] * 3])
    low, high = (float(end[0]) for end in with_end(0.5)(right, generator()))
    # The 2.5% point of Beta(12, 3.5), 0.5440, and the 97.5% point of Beta(12.5, 3), 0.9551, times 5.
    assert low == pytest.approx(2.720, abs=0.05)
    assert high == pytest.approx(4.776, abs=0.03)
    alike = np.full((1, 15), 5.0)
    # Nothing scatters: t has no reach, and what 15 right ones can hide in 5% of the cases is 1 - 0.05^(1/15) = 18.1%.
    assert float(with_unseen(0.05)(alike, generator())[0][0]) == pytest.approx(5 * 0.8190, abs=5e-4)


def test_of_yes_or_no_only_our_bounds_hold_for_every_share() -> None:
    assert least_of_yes_or_no(1.0, range(6, 16)) >= 0.95  # Clopper and Pearson 1934
    # Of 7 units none is a yes in 0.6897^7 = 7.42% of the samples where the share is 0.3103, the end of that interval
    # (the 97.5% point of Beta(0.5, 7)); 5, 6 or 7 are in 3.33%, and their intervals begin above 0.32.
    assert least_of_yes_or_no(0.5, [7]) == pytest.approx(1 - 0.0742 - 0.0333, abs=2e-4)


@pytest.mark.parametrize("items", [8, 15])
def test_differences_of_systems_that_lose_items_whole_hold_where_a_bootstrap_does_not(items: int) -> None:
    system = POPULATIONS["gated, but for lost items at the top"]
    better = replace(system, quality=system.quality + 0.5)
    worse_score, better_score = true_scores(generator(), [system, better])
    truth = better_score - worse_score
    values = item_values(generator(), [system, better], items, 3_000)
    held, drawn = [], []
    for low, high in values:
        named = {f"{item:03}": float(difference) for item, difference in enumerate(high - low)}
        ends, of_draws = difference_interval(list(named.values())), bootstrap_interval(named)
        assert ends is not None
        assert of_draws is not None
        held.append(ends.low <= truth <= ends.high)
        drawn.append(of_draws.low <= truth <= of_draws.high)
    # 3,000 trials know a share near 95% to 0.4 points.
    assert np.mean(held) >= 0.94
    assert np.mean(drawn) < 0.94


def test_rows_of_a_cluster_are_as_alike_as_is_said() -> None:
    parts, wholes = clusters(generator(), 20_000, 0.2, rows=5, alike=0.3)
    assert parts.sum() / wholes.sum() == pytest.approx(0.2, abs=0.01)
    assert (wholes.min(), wholes.max()) == (1, 9)
    # Two rows of one cluster are both right with p^2 + alike p (1 - p) = 0.04 + 0.3 x 0.16 = 0.088.
    assert (parts * (parts - 1)).sum() / (wholes * (wholes - 1)).sum() == pytest.approx(0.088, abs=0.01)


def test_kappa_of_a_table_is_cohens() -> None:
    truth, said = ["0"] * 8 + ["1"] * 4, ["0"] * 6 + ["1"] * 5 + ["0"]
    assert float(kappas(np.array([6.0, 2.0, 1.0, 3.0]))) == pytest.approx(cohens_kappa(truth, said))


def test_every_kind_of_figure_has_a_row_that_holds_shares() -> None:
    found = {one.figure: one for one in figures()}
    assert set(found) == {"share", "PF", "kappa", "AUC", "accuracy", "Spearman", "tau", "CD"}
    rows = [figure_reached(one, trials=20, seed=1) for one in found.values()]
    # 20 trials at 90% or more: fewer than 13 hits have a probability below 0.003.
    assert all(13 / 20 <= row.coverage <= 1.0 for row in rows)
    assert len(figures_table(rows).splitlines()) == 2 + len(rows)


def test_boards_of_equal_systems_are_told_apart_pair_by_pair_and_not_together() -> None:
    row = score_boards("raw, middle of the scale", [POPULATIONS["raw, middle of the scale"]] * 20, 15, 40, seed=1)
    assert row.one_by_one > 0.9
    assert row.told_apart <= 0.15  # 5% expected: more than 6 of 40 have a probability below 0.004
    assert len({line.count("|") for line in boards_table([row]).splitlines()}) == 1


def test_runs_with_a_shared_correlation_have_its_csp_weakened_by_what_is_each_pairs_own() -> None:
    # Pearson 0.5 / (1 + 0.7^2) = 0.3356; Spearman of normal values 6 / pi asin(0.3356 / 2) = 0.3222; 1 - 0.3222^2
    pairs = language_pairs(generator(), 0.5, 40_000)
    assert len(pairs) == 6
    assert specificity_of(pairs) == pytest.approx(0.896, abs=0.01)


def test_a_row_of_csp_holds_shares() -> None:
    row = specificity_reached(0.0, questions=15, trials=8, seed=1)
    assert row.true_csp == 1.0
    assert row.coverage >= 5 / 8  # fewer hits of 8 at 95% have a probability below 0.0005
    assert 0.0 <= row.percentile_coverage <= 1.0
    assert len(csp_table([row]).splitlines()) == 3


def test_the_same_seed_gives_the_same_row() -> None:
    name = next(iter(POPULATIONS))
    assert reached(name, items=10, trials=5, seed=3) == reached(name, items=10, trials=5, seed=3)
