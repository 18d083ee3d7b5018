"""Our own judges' card, from the comparisons they made."""

from __future__ import annotations

import pytest

from evaluator.position_bias.own_judges import judge_label, own_judges_result
from evaluator.results import PairwiseRecord, PairwiseResult, Pin, RobustnessResult
from evaluator.robustness.pairwise import conservative_win_rate, win_rate
from submissions.verdicts.swap_outcomes import classify
from tests.unit.leaderboard.boards.robustness.made_results import JUDGE, robustness_result

ITEMS = {f"90{number}": 3.0 for number in range(1, 7)}


def result(verdicts: str, distribution: tuple[float, ...] | None = None) -> RobustnessResult:
    """A run whose answers were compared with the reference: "BA" is a win from both places."""
    records = tuple(
        PairwiseRecord(
            item="901",
            variant=number,
            variation="formality",
            original=pair[0],
            swapped=pair[1],
            outcome=classify(pair[0], pair[1]).value,
            distribution_original=distribution,
            distribution_swapped=distribution,
        )
        for number, pair in enumerate(verdicts.split(), start=1)
    )
    pairwise = PairwiseResult(
        reference="keel",
        reference_sha256="ef" * 32,
        records=records,
        win_rate=win_rate(records),
        conservative_win_rate=conservative_win_rate(records),
    )
    return robustness_result(ITEMS).model_copy(update={"pairwise": pairwise})


def test_all_systems_compared_by_a_judge_make_its_figures() -> None:
    found = own_judges_result("demonstration", {"one": result("BA AB"), "two": result("AA BB")})
    assert found is not None
    (report,) = found.judges
    assert (report.judge, found.source, found.reference_model) == (judge_label(JUDGE), "evaluator", "keel")
    # two of four pairs survive the swap; one flip to each side
    assert report.position_bias["position_consistency"] == 0.5
    assert report.position_bias["preference_fairness"] == 0.0
    assert report.repetition is None  # no label probabilities, nothing asked twice


def test_repetition_is_expected_from_the_label_probabilities() -> None:
    found = own_judges_result("demonstration", {"one": result("AA", (0.5, 0.5, 0.0))})
    assert found is not None
    (report,) = found.judges
    assert report.repetition is not None
    # three draws from a fair coin: all equal 1/4, two to one 3/4 -> (1/4 x 3 + 3/4 x 2) / 3
    assert report.repetition["repetition_stability"] == pytest.approx(0.75)
    assert report.repetition["positional_excess"] == pytest.approx(0.0)
    assert report.repetition["repetition_stability_floor"] == pytest.approx(1 / 3)


def test_runs_without_comparisons_or_of_another_set_say_nothing() -> None:
    assert own_judges_result("demonstration", {"one": robustness_result(ITEMS)}) is None
    assert own_judges_result("eloquent-2024", {"one": result("BA")}) is None


def test_a_judge_carries_its_whole_pin_unless_one_label_covers_judges_that_differ() -> None:
    def pin_of(*runs: RobustnessResult) -> Pin | None:
        found = own_judges_result("demonstration", {str(number): run for number, run in enumerate(runs)})
        assert found is not None
        (report,) = found.judges
        return report.pin

    other = result("BA").model_copy(update={"judge": JUDGE.model_copy(update={"dtype": "bfloat16"})})
    assert pin_of(result("BA"), result("AB")) == JUDGE
    assert pin_of(result("BA"), other) is None
