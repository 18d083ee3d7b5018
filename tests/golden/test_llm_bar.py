"""LLMBar's own results give every statistic that LLMBar printed, and the kept figures are those of its files."""

from __future__ import annotations

import json
import math
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from evaluator.judge_logs.registry import read_log
from evaluator.judge_report.report import log_report
from evaluator.public_record.position_bias import changed_figures
from evaluator.public_record.records import kept_llm_bar, kept_measured
from evaluator.statistics.agreement import cohens_kappa
from research.public_record.llm_bar import (
    ROOT,
    ResultFile,
    differing_statistics,
    judge_records,
    llm_bar_record,
    result_files,
)
from research.public_record.llm_bar_judge import as_results, labelled_pairs, measured_record
from tests.golden_data.llm_bar import TABLE

SUBSETS = {"Natural": 100, "Adversarial/Neighbor": 134, "Adversarial/GPTInst": 92, "Adversarial/GPTOut": 47}
SUBSETS |= {"Adversarial/Manual": 46}
"""Pairs of each: Zeng et al. 2024, section 2."""


@pytest.fixture(scope="module")
def clone(golden_data: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The result files as they lie in a clone."""
    folder = tmp_path_factory.mktemp("LLMBar")
    with tarfile.open(golden_data(TABLE)) as tar:
        tar.extractall(folder, filter="data")
    return folder


@pytest.fixture(scope="module")
def results(clone: Path) -> list[ResultFile]:
    return result_files(clone)


def printed(clone: Path, judge: str, subset: str) -> Mapping[str, str]:
    content = (clone / ROOT / subset / "evaluators" / judge / "statistics.json").read_bytes()
    statistics: Mapping[str, str] = json.loads(content)
    return statistics


def printed_count(clone: Path, judge: str, *keys: str) -> int:
    """A count of all 419 pairs: "correct_False": "94 / 100 = 94.0%" and so on, of the five subsets."""
    return sum(int(printed(clone, judge, subset)[key].split(" /")[0]) for subset in SUBSETS for key in keys)


def test_all_325_results_give_every_printed_statistic_to_the_digit(results: list[ResultFile]) -> None:
    assert len(results) == 325
    assert {file.subset: len(list(file.pairs())) for file in results} == SUBSETS
    assert [line for file in results for line in differing_statistics(file)] == []


def test_gpt_4_with_swap_is_right_as_often_as_the_paper_prints(clone: Path) -> None:
    # As Zeng et al. 2024 report: accuracy 94.5, agreement 97.0.
    assert printed(clone, "GPT-4/Swap", "Natural")["correct_average"] == "94.5%"
    assert printed(clone, "GPT-4/Swap", "Natural")["equal"] == "97 / 100 = 97.0%"
    assert next(one for one in kept_llm_bar().judges if one.judge == "GPT-4/Swap").natural.value == 0.945


def test_what_is_kept_is_what_the_files_give(clone: Path) -> None:
    made, differences = llm_bar_record(clone, "2026-11-29")
    assert differences == []
    assert changed_figures(kept_llm_bar(), made) == []
    assert made.results == 325


def test_kept_accuracy_and_agreement_are_the_sums_of_the_printed_counts(clone: Path) -> None:
    judges = kept_llm_bar().judges
    assert len(judges) == 65
    for judge in judges:
        right = printed_count(clone, judge.judge, "correct_False", "correct_True")
        assert judge.accuracy.value == pytest.approx(right / (2 * 419), abs=1e-6)
        if judge.unusable.value == 0 and "/Rating" not in judge.judge:  # LLMBar counts two missing verdicts as equal
            equal = printed_count(clone, judge.judge, "equal")
            assert judge.same_in_both_orders.value == pytest.approx(equal / 419, abs=1e-6)


def test_the_place_effect_is_what_the_first_place_wins_more_often(results: list[ResultFile]) -> None:
    for judge in ("GPT-4/Swap", "ChatGPT/Vanilla", "Falcon/Vanilla"):
        said = [own.verdict for file in results if file.judge == judge for own in file.log.judgements]
        assert set(said) <= {"A", "B"}
        effects = next(one for one in kept_llm_bar().judges if one.judge == judge).effects
        place = next(effect for effect in effects if effect.kind == "place")
        assert place.size.n == 838
        assert place.size.value == pytest.approx((said.count("A") - said.count("B")) / 838, abs=1e-6)


def test_the_printed_kappa_of_a_judge_that_is_right_is_low_and_ours_is_not(results: list[ResultFile]) -> None:
    # GPT-4/Swap, Natural: right 94 and 95 of 100 times; with about as many A as B kappa is about 2 x 0.945 - 1.
    file = next(file for file in results if (file.subset, file.judge) == ("Natural", "GPT-4/Swap"))
    kappa = cohens_kappa(*zip(*((judgement.verdict, judgement.gold) for judgement in file.log.judgements), strict=True))
    assert kappa == pytest.approx(0.89, abs=0.01)
    assert file.statistics["kappa_average"] == pytest.approx(0.2635, abs=1e-4)


@pytest.mark.parametrize("judge", ["GPT-4/Vanilla", "Falcon/Vanilla", "PaLM2/CoT", "ChatGPT/Metrics_Reference"])
def test_the_report_on_a_log_states_the_accuracy_and_agreement_that_were_printed(clone: Path, judge: str) -> None:
    path = clone / ROOT / "Natural" / "evaluators" / judge / "result.json"
    log = read_log(path.read_bytes(), "result.json").log
    assert log is not None
    stated = {
        key: int(value.split(" /")[0]) for key, value in printed(clone, judge, "Natural").items() if "/" in str(value)
    }
    figures = {figure.key: figure for figure in log_report(log, "result.json").judges[0].figures}
    usable = [judgement for judgement in log.judgements if judgement.is_usable]
    assert figures["accuracy"].value == pytest.approx((stated["correct_False"] + stated["correct_True"]) / len(usable))
    if len(usable) == len(log.judgements):
        assert figures["position_consistency"].value == pytest.approx(stated["equal"] / (len(usable) / 2))


def test_the_mean_of_the_printed_kappas_is_kept(clone: Path) -> None:
    values = [float(json.loads(path.read_bytes())["kappa_average"]) for path in (clone / ROOT).rglob("statistics.json")]
    assert len(values) == 325
    assert kept_llm_bar().printed_kappa == pytest.approx(math.fsum(values) / 325, abs=1e-6)


def test_judges_that_we_asked_have_the_figures_of_their_kept_verdicts(clone: Path) -> None:
    kept = kept_measured()
    pairs = labelled_pairs(clone)
    assert (kept.pairs, kept.files_sha256) == (419, measured_record(clone, len(pairs), (), "").files_sha256)
    for own in kept.judges:
        assert list(own.verdicts) == sorted(own.verdicts)
        assert set(own.verdicts) == {pair.name for pair in pairs[: own.record.pairs]}  # a beginning of the fixed order
        [made] = judge_records({own.record.judge: as_results(own.record.judge, pairs, own.verdicts)}, {}, options=3)
        assert changed_figures(own.record, made) == []


def test_the_share_of_right_verdicts_of_a_judge_that_we_asked_is_counted_again_from_the_labels(clone: Path) -> None:
    labels = {
        f"{subset} {number}": row["label"]
        for subset in SUBSETS
        for number, row in enumerate(
            json.loads((clone / ROOT / subset / "evaluators" / "ChatGPT" / "CoT" / "result.json").read_bytes())
        )
    }
    points = {"A1": 1.0, "B2": 1.0, "A2": 0.0, "B1": 0.0, "C1": 0.5, "C2": 0.5, "N1": 0.0, "N2": 0.0}
    for own in kept_measured().judges:
        right = [
            points[f"{verdicts[0]}{labels[pair]}"] + points[f"{verdicts[1]}{3 - int(labels[pair])}"]
            for pair, verdicts in own.verdicts.items()
        ]
        assert own.record.accuracy.value == pytest.approx(sum(right) / 2 / len(right), abs=1e-6)
