"""The synthetic cases of the position-bias specification (ours; `submissions` is tested with the submission kind)."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from evaluator.position_bias import (
    OrderLabelRun,
    agreement_report,
    classify,
    expected_repetition,
    label_reading,
    listwise,
    order_label_effects,
    position_bias_report,
    repetition_report,
    repetition_share,
    swap_effects,
)
from evaluator.position_bias.repetition import chance_share, floor_share
from submissions.verdicts.parsing import parse_verdict

CASES: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "data/position_bias/golden_cases.json").read_text(encoding="utf-8")
)
VALUE = 1e-9
COMPATS = ("valid", "paper")
COLUMNS = ["judge", "task", "model", "query", "verdict_original", "verdict_swapped"]


def named(section: str) -> list[Any]:
    return [pytest.param(case, id=case["name"]) for case in CASES[section]]


def assert_figures(found: Mapping[str, Any], expected: Mapping[str, Any], tolerance: float = VALUE) -> None:
    for key, value in expected.items():
        assert key in found
        if isinstance(value, dict):
            assert_figures(found[key], value, tolerance)
        elif value is None or isinstance(value, int):
            assert found[key] == value, key
        else:
            assert found[key] == pytest.approx(value, abs=tolerance), key


@pytest.mark.parametrize(("pair", "outcome"), CASES["outcomes"].items())
def test_every_pair_of_verdicts_has_its_outcome(pair: str, outcome: str) -> None:
    assert classify(*pair) == outcome


@pytest.mark.parametrize("case", named("pair_cases"))
@pytest.mark.parametrize("compat", COMPATS)
def test_pair_case(case: dict[str, Any], compat: Any) -> None:
    rows = [["j", "t", "m", f"q{number}", *pair.replace("-", " ")] for number, pair in enumerate(case["pairs"])]
    table = pd.DataFrame([[cell.strip() for cell in row] for row in rows], columns=COLUMNS)
    report = position_bias_report(table, compat=compat, options=case.get("options", 3))
    expected = {**case["valid"], **(case.get("paper", {}) if compat == "paper" else {})}
    assert_figures(report["j"], expected)


@pytest.mark.parametrize("case", named("table_cases"))
@pytest.mark.parametrize("compat", COMPATS)
def test_table_case(case: dict[str, Any], compat: Any) -> None:
    report = position_bias_report(pd.DataFrame(case["rows"], columns=case["columns"]), compat=compat)
    expected = case[compat]
    if case["name"] == "zero_width_bootstrap":  # given as 20 / (20 + z^2); exactly, 20 of 20 leave 0.025^(1/20)
        exact = {"position_consistency_ci95": [0.025 ** (1 / 20), 1.0]}
        expected = {judge: found | exact for judge, found in expected.items()}
    assert_figures(report, expected, case.get("tolerance", VALUE))


@pytest.mark.parametrize("case", CASES["repetition_cases"], ids=lambda case: "".join(case["votes"]))
@pytest.mark.parametrize("compat", COMPATS)
def test_repetition_case(case: dict[str, Any], compat: Any) -> None:
    expected = case[compat]
    assert repetition_share(case["votes"], compat) == (None if expected is None else pytest.approx(expected, abs=VALUE))
    rows = [["j", str(number), "t", "m", "q", vote, ""] for number, vote in enumerate(case["votes"], start=1)]
    columns = ["judge", "repetition", "task", "model", "query", "verdict_original", "verdict_swapped"]
    report = repetition_report(pd.DataFrame(rows, columns=columns), compat=compat)
    assert_figures(report["j"], {"repetition_stability": expected, "n_items": 0 if expected is None else 1})


@pytest.mark.parametrize("case", CASES["repetition_chance"], ids=lambda case: f"t={case['t']} k={case['k']}")
def test_floor_and_chance_of_repetition(case: dict[str, Any]) -> None:
    assert floor_share(case["t"], case["k"]) == pytest.approx(case["floor"], abs=VALUE)
    assert chance_share(case["t"], case["k"]) == pytest.approx(case["chance"], abs=VALUE)


@pytest.mark.parametrize("case", named("repetition_tables"))
@pytest.mark.parametrize("compat", COMPATS)
def test_repetition_table(case: dict[str, Any], compat: Any) -> None:
    table = pd.DataFrame(case["rows"], columns=case["columns"])
    report = repetition_report(table, compat=compat, options=case["options"])
    assert_figures(report["j"], case[compat])


@pytest.mark.parametrize("case", named("agreement_cases"))
def test_agreement_case(case: dict[str, Any]) -> None:
    report = agreement_report(pd.DataFrame(case["rows"], columns=case["columns"]), options=case["options"])
    assert report["disagreement_histogram"] == case["disagreement_histogram"]
    for figure in ("with_ties", "without_ties", "kappa", "consistent_outcomes"):
        assert_figures(report[figure], case[figure])


@pytest.mark.parametrize("case", CASES["expected_repetition"])
def test_expected_repetition(case: dict[str, Any]) -> None:
    figures = expected_repetition([(case["original"], case["swapped"])], options=case["options"])
    keys = ("repetition_stability", "same_order_agreement", "cross_order_agreement", "positional_excess")
    assert_figures(figures, {key: case[key] for key in keys})
    assert figures["basis"] == "expected, t=3"


@pytest.mark.parametrize("case", CASES["logit"])
def test_swap_effects(case: dict[str, Any]) -> None:
    effects = swap_effects(case["log_odds_original"], case["log_odds_swapped"])
    assert effects.position_effect == case["position_effect"]
    assert effects.content_effect == case["content_effect"]
    assert effects.consistent is case["consistent"]
    assert effects.debiased == case["debiased"]


@pytest.mark.parametrize("case", CASES["logit_2x2"])
def test_order_label_effects(case: dict[str, Any]) -> None:
    effects = order_label_effects([OrderLabelRun(**run) for run in case["runs"]])
    assert effects.slot_effect == pytest.approx(case["slot_effect"], abs=VALUE)
    assert effects.label_effect == pytest.approx(case["label_effect"], abs=VALUE)
    assert effects.content_effect == pytest.approx(case["content_effect"], abs=VALUE)


@pytest.mark.parametrize("case", CASES["label_verdicts"])
def test_label_verdict(case: dict[str, Any]) -> None:
    logprobs = {
        label: [math.nan if value is None else value for value in values] for label, values in case["logprobs"].items()
    }
    reading = label_reading(logprobs, options=case["options"])
    assert (reading.verdict, reading.reason) == (case["verdict"], case["reason"])
    for found, expected in ((reading.log_odds, case["log_odds"]), (reading.label_mass, case["label_mass"])):
        assert found == (None if expected is None else pytest.approx(expected, abs=1e-5))


@pytest.mark.parametrize("case", CASES["parser"])
def test_verdict_parser(case: dict[str, Any]) -> None:
    parsed = parse_verdict(
        case["text"],
        verdict_format=case.get("fmt", "brackets"),
        options=case.get("options", 3),
        finish_reason=case.get("finish_reason"),
    )
    assert (parsed.verdict, parsed.reason) == (case["verdict"], case["reason"])


@pytest.mark.parametrize("case", CASES["listwise"])
def test_listwise(case: dict[str, Any]) -> None:
    figures = listwise(case["slots"], case["winners"], case["k"])
    keys = ("consistency_strict", "consistency_pairwise", "fairness", "uniformity_distance")
    assert_figures(figures, {key: case[key] for key in keys})


def test_no_section_of_the_cases_is_forgotten() -> None:
    tested = {"outcomes", "pair_cases", "table_cases", "repetition_cases", "repetition_chance", "repetition_tables"}
    tested |= {"agreement_cases", "expected_repetition", "logit", "logit_2x2", "label_verdicts", "parser", "listwise"}
    assert set(CASES) - tested == {"about", "convention", "submissions"}
