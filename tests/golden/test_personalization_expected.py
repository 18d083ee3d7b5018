"""Figures of published answers under preferences (arXiv 2509.19358) through the command people run."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluator.commands.personalization import add_commands
from evaluator.personalization import (
    OutcomeRow,
    extract_answer,
    metrics,
    parse_aligner,
    parse_letter,
    parse_rating,
    preference_figures,
)
from submissions.commands.command_line import OneLineParser
from submissions.settings import Settings

VALUE, INTERVAL = 1e-9, 0.02
REAL = "real_rows.csv.gz"
FILES = (REAL, "synthetic_rows.csv.gz")
KEY = ("system", "run", "method", "dataset", "setting")
MIN_QSTAR_OF_AN_INTERVAL = 200


@pytest.fixture(scope="module")
def folder(own_data: Path) -> Path:
    return own_data / "personalization"


@pytest.fixture(scope="module")
def expected(folder: Path) -> Any:
    return json.loads((folder / "expected.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def edge_cases(folder: Path) -> Any:
    return json.loads((folder / "edge_cases.json").read_text(encoding="utf-8"))


def groups_of(file: Path, capsys: pytest.CaptureFixture[str]) -> dict[Any, Any]:
    """What `python -m evaluator personalization FILE --json` prints, by group."""
    parser = OneLineParser()
    add_commands(parser.add_subparsers())
    options = parser.parse_args(["personalization", str(file), "--json"])
    assert options.command(options, Settings.from_env({})) == 0
    output = capsys.readouterr()
    assert output.err == ""
    return {tuple(group[name] for name in KEY): group for group in json.loads(output.out)["groups"]}


def test_every_figure_of_every_group(
    golden_data: Callable[[str], Path], capsys: pytest.CaptureFixture[str], expected: Any
) -> None:
    for file in FILES:
        groups = groups_of(golden_data(f"personalization/{file}"), capsys)
        assert_figures(groups, expected["files"][file])
        if file == REAL:
            assert_published_percentages_are_met_where_all_rows_are_public(groups, expected)


def assert_figures(groups: dict[Any, Any], expected: Any) -> None:
    wanted = {tuple(group[name] for name in KEY): group for group in expected}
    assert set(groups) == set(wanted)
    assert len(wanted) >= 10
    for key, group in wanted.items():
        found = groups[key]
        assert set(found) == set(group), key
        for name in set(group) - {"ci"}:
            assert found[name] == pytest.approx(group[name], abs=VALUE), (key, name)
        assert_intervals(found["ci"], group["ci"], is_close=group["n_qstar"] >= MIN_QSTAR_OF_AN_INTERVAL)


def assert_intervals(found: Any, expected: Any, *, is_close: bool) -> None:
    assert set(found) == set(expected)
    for name, interval in expected.items():
        assert (found[name] is None) == (interval is None), name
        if interval is not None and is_close:
            assert found[name] == pytest.approx(interval, abs=INTERVAL), name


def assert_published_percentages_are_met_where_all_rows_are_public(groups: dict[Any, Any], expected: Any) -> None:
    assert expected["published_check"]
    for check in expected["published_check"]:
        group = groups[check["system"], "1", check["method"], check["dataset"], check["setting"]]
        for name, published in check["published_percent"].items():
            is_equal = f"{100 * group[name]:.1f}" == f"{published:.1f}"
            assert is_equal == check["equal_to_one_decimal"][name], (check["system"], name)


def test_breakage_of_every_preference(golden_data: Callable[[str], Path], expected: Any) -> None:
    with gzip.open(golden_data("personalization/per_preference.csv.gz"), "rt", encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    assert expected["per_preference_breakage"]
    for wanted in expected["per_preference_breakage"]:
        names = {name: wanted[name] for name in ("system", "method", "dataset")}
        lines = [line for line in table if all(line[name] == value for name, value in names.items())]
        figures = preference_figures(row for line in lines for row in rows_of(line))
        found = {cell[1]: cell_figures["breakage_rate"] for cell, cell_figures in figures.items()}
        breakage = dict(zip(map(str, range(1, 100)), wanted["breakage_rate_by_pref"], strict=False))
        assert found == pytest.approx(breakage, abs=VALUE)


def rows_of(line: dict[str, str]) -> Iterator[OutcomeRow]:
    """One row per preference, numbered from 1."""
    for number, is_right in enumerate(line["correct_by_pref"], start=1):
        yield OutcomeRow(
            line["example_id"],
            line["dataset"],
            "relevant",
            correct_no_pref=line["correct_no_pref"] == "1",
            correct_pref=is_right == "1",
            pref_id=str(number),
        )


def test_the_metrics_of_the_edge_cases(edge_cases: Any) -> None:
    assert edge_cases["metric_cases"]
    for case in edge_cases["metric_cases"]:
        found = dict(metrics(case["rows"], case["setting"]))
        assert found == pytest.approx(case["expected"], abs=VALUE), case["name"]


def test_the_extraction_of_the_edge_cases(edge_cases: Any) -> None:
    cases = edge_cases["extract_answer"]
    assert cases
    assert [extract_answer(text, options) for text, options, _, _ in cases] == [
        (letter, rule) for _, _, letter, rule in cases
    ]


def test_the_replies_of_the_edge_cases_in_both_profiles(edge_cases: Any) -> None:
    letters, ratings = edge_cases["parse_letter"], edge_cases["parse_rating"]
    assert letters
    assert ratings
    assert [parse_letter(text, 4, "perg") for text, _, _ in letters] == [published for _, published, _ in letters]
    assert [parse_letter(text, 4) for text, _, _ in letters] == [default for _, _, default in letters]
    assert [parse_rating(text, "perg") for text, _, _ in ratings] == [published for _, published, _ in ratings]
    assert [parse_rating(text) for text, _, _ in ratings] == [default for _, _, default in ratings]


def test_the_aligner_replies_of_the_edge_cases(edge_cases: Any) -> None:
    cases = edge_cases["parse_aligner"]
    assert cases
    assert [parse_aligner(text) for text, _, _ in cases] == [response for _, _, response in cases]
