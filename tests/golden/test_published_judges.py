"""The kept figures of published judges, against the public tables: recomputed, and counted in another way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from evaluator.judge_report.effect_records import EffectRecord
from evaluator.public_record.position_bias import (
    PUBLISHED_BENCHMARKS,
    PublishedBenchmark,
    PublishedJudges,
    changed_figures,
    kept_judges,
    published_judges,
)
from evaluator.results import JudgeReport, JudgesResult

CONSISTENT = {"AB", "BA", "CC"}
RECENCY = {"BB", "BC", "CB"}
PRIMACY = {"AA", "AC", "CA"}
VALUE = 1e-6
"""Six decimals are kept."""


@pytest.fixture(scope="module")
def tables(golden_data: Callable[[str], Path]) -> Path:
    """The folder of the tables."""
    paths = [golden_data(f"published/position_bias/{name}") for one in PUBLISHED_BENCHMARKS for name in one.tables]
    return paths[0].parent


@pytest.fixture(scope="module")
def made(tables: Path) -> PublishedJudges:
    return published_judges(tables, "2026-11-22")


def whole(benchmark: PublishedBenchmark) -> JudgesResult:
    """The kept result of judges that compared every pair."""
    return [result for result in kept_judges().results if result.benchmark == benchmark.name][-1]


def read(path: Path) -> pd.DataFrame:
    """A table with the two verdicts of a pair in one word."""
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    return table.assign(pair=table.verdict_original + table.verdict_swapped)


def test_what_is_kept_is_what_the_public_tables_give(made: PublishedJudges) -> None:
    assert changed_figures(kept_judges(), made) == []
    assert kept_judges().tables == made.tables


def test_another_table_would_be_noticed() -> None:
    kept = kept_judges()
    assert changed_figures(kept, kept) == []
    first, *others = kept.results
    judge = first.judges[0]
    figures = judge.position_bias | {"primacy": 1_000}
    changed = first.model_copy(
        update={"judges": (judge.model_copy(update={"position_bias": figures}), *first.judges[1:])}
    )
    (change,) = changed_figures(kept, kept.model_copy(update={"results": (changed, *others)}))
    assert change.startswith("results > 0 > judges > 0 > position_bias > primacy: kept ")


def test_consistency_and_fairness_are_counted_from_the_letters(tables: Path) -> None:
    for benchmark in PUBLISHED_BENCHMARKS:
        pairs = read(tables / benchmark.tables[0])
        reports: dict[str, JudgeReport] = {report.judge: report for report in whole(benchmark).judges}
        assert set(pairs.judge) == reports.keys()
        for judge, own in pairs.groupby("judge"):
            report = reports[str(judge)]
            assert_counted(report.position_bias, own.pair)
            for task, part in own.groupby("task"):
                assert_counted(report.by_task[str(task)], part.pair)
            for model, part in own.groupby("model"):
                assert_counted(report.by_model[str(model)], part.pair)


def assert_counted(figures: object, pairs: pd.Series[str]) -> None:
    """PC = consistent / usable, PF = (recency - primacy) / usable, errors = N / calls."""
    assert isinstance(figures, dict)
    usable = pairs[~pairs.str.contains("N")]
    assert (figures["n_pairs"], figures["n_valid"]) == (len(pairs), len(usable))
    assert figures["position_consistency"] == pytest.approx(usable.isin(CONSISTENT).mean(), abs=VALUE)
    fairness = usable.isin(RECENCY).mean() - usable.isin(PRIMACY).mean()
    assert figures["preference_fairness"] == pytest.approx(fairness, abs=VALUE)
    assert figures["error_rate"] == pytest.approx(pairs.str.count("N").sum() / (2 * len(pairs)), abs=VALUE)


def test_agreement_and_stability_are_counted_from_the_letters(tables: Path) -> None:
    for benchmark in PUBLISHED_BENCHMARKS:
        assert_agreement_and_stability_are_counted(tables, benchmark)


def assert_agreement_and_stability_are_counted(tables: Path, benchmark: PublishedBenchmark) -> None:
    pairs = read(tables / benchmark.tables[0]).set_index(["task", "model", "query"])
    one, other = (pairs[pairs.judge == judge] for judge in ("gpt-4-0613", "gemini-pro"))
    equal = [
        (first == second)[(first != "N") & (second != "N")]
        for column in ("verdict_original", "verdict_swapped")
        for first, second in [one[column].align(other[column])]
    ]
    found = whole(benchmark).agreement["with_ties"]["gpt-4-0613"]["gemini-pro"]
    assert found == pytest.approx(pd.concat(equal).mean(), abs=VALUE)
    # A judge that never said N: the most frequent of three verdicts on one call, as a share of three.
    repeated = read(tables / benchmark.tables[1])
    own = repeated[repeated.judge == "gpt-4-0613"].melt(
        ["task", "model", "query"], ["verdict_original", "verdict_swapped"], "order", "verdict"
    )
    assert "N" not in set(own.verdict)
    most = own.groupby(["task", "model", "query", "order"]).verdict.agg(lambda votes: votes.value_counts().iloc[0] / 3)
    (report,) = (one for one in whole(benchmark).judges if one.judge == "gpt-4-0613")
    assert report.repetition is not None
    assert report.repetition["repetition_stability"] == pytest.approx(most.mean(), abs=VALUE)


@pytest.mark.parametrize("benchmark", PUBLISHED_BENCHMARKS, ids=lambda benchmark: benchmark.name)
def test_without_the_queries_that_decide_another_judge_is_first(tables: Path, benchmark: PublishedBenchmark) -> None:
    first_place = kept_judges().first_places[benchmark.name]
    pairs = read(tables / benchmark.tables[0])
    pairs = pairs[~pairs.pair.str.contains("N")]
    kept = pairs.pair.isin(CONSISTENT)
    query = pairs.task + " / " + pairs["query"]

    def leader(left_out: tuple[str, ...]) -> str:
        consistency = kept[~query.isin(left_out)].groupby(pairs.judge).mean()
        return str(consistency.idxmax())

    assert (leader(()),) == first_place.leaders
    assert leader(first_place.items) == first_place.successor
    # The search stops as soon as it may: one query fewer does not do.
    assert {leader(tuple(item for item in first_place.items if item != own)) for own in first_place.items} == {
        *first_place.leaders
    }


def effect(benchmark: str, judge: str, kind: str) -> EffectRecord:
    """One kept effect."""
    return next(own for own in kept_judges().effects[benchmark][judge] if own.kind == kind)


@pytest.mark.parametrize("benchmark", PUBLISHED_BENCHMARKS, ids=lambda benchmark: benchmark.name)
def test_the_place_effect_is_what_the_first_place_wins_more_often(tables: Path, benchmark: PublishedBenchmark) -> None:
    pairs = read(tables / benchmark.tables[0])
    pairs = pairs[~pairs.pair.str.contains("N")]
    points = pairs.pair.map(lambda pair: sum({"A": 1, "C": 0, "B": -1}[letter] for letter in pair) / 2)
    for judge, share in points.groupby(pairs.judge).mean().items():
        assert effect(benchmark.name, str(judge), "place").size.value == pytest.approx(share, abs=VALUE)


def test_what_gpt_4_gives_its_family_is_above_the_line_through_other_systems(tables: Path) -> None:
    benchmark = PUBLISHED_BENCHMARKS[0]
    calls = read(tables / benchmark.tables[0])
    repeated = read(tables / benchmark.tables[1])
    others = repeated[(repeated.repetition == "1") & repeated.judge.str.startswith("claude")]
    # Claude did not compare everything; where it did, and no answer is Claude's, what it said counts beside Gemini's.
    others = pd.concat([calls[calls.judge == "gemini-pro"], others[~others.model.str.startswith("claude")]])
    long = {
        name: table.melt(["judge", "model", "query"], ["verdict_original", "verdict_swapped"], "order", "verdict")
        for name, table in {"own": calls[calls.judge == "gpt-4-0613"], "others": others}.items()
    }
    first = {
        name: table[table.verdict != "N"]
        .assign(points=table.verdict.map({"A": 1.0, "C": 0.5, "B": 0.0}))
        .groupby(["model", "query", "order", "judge"])
        .points.mean()
        .groupby(["model", "query", "order"])
        .mean()
        for name, table in long.items()
    }
    both = pd.concat(first, axis=1, join="inner")
    both = both - both.mean()
    model_is_first = (both.index.get_level_values("order") == "verdict_swapped") * 2 - 1
    liked = both.mul(model_is_first, axis=0)
    by_system = liked.groupby("model").mean()
    by_system.loc[benchmark.reference_model] = -liked.mean()
    own = by_system.index.isin(["gpt-4", "gpt-3.5-turbo"])
    # Cochran 1957: the slope within both groups, and how far their means lie apart beside what it says.
    within = by_system - by_system.groupby(own).transform("mean")
    slope = (within.own * within.others).sum() / (within.others**2).sum()
    apart = by_system[own].mean() - by_system[~own].mean()
    found = effect("mtbench", "gpt-4-0613", "family")
    assert found.size.value == pytest.approx(apart.own - slope * apart.others, abs=1e-5)
    # Its error: what is left beside the line, over two groups and the slope.
    left = ((within.own - slope * within.others) ** 2).sum() / (len(by_system) - 3)
    error = np.sqrt(left * (1 / own.sum() + 1 / (~own).sum() + apart.others**2 / (within.others**2).sum()))
    assert found.size.low == pytest.approx(found.size.value - 2.048407 * error, abs=1e-5)  # Student's t of 28, 97.5%
    assert found.is_found
