"""Every figure of real judges' verdicts (MT-bench, DevBench; arXiv 2406.07791) through the commands people run."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from evaluator.commands.position_bias import add_commands
from evaluator.position_bias import quality_curve
from submissions.commands.command_line import OneLineParser
from submissions.settings import Settings
from tests.golden_data import checksums

VALUE, INTERVAL, P = 1e-9, 0.02, 0.01
BENCHMARKS = ("mtbench", "devbench")
COMPATS = ("valid", "paper")


Tables = Callable[[str, str], Path]
"""Benchmark and kind of table -> its file."""


@pytest.fixture(scope="module")
def tables(golden_data: Callable[[str], Path]) -> Tables:
    return lambda benchmark, kind: golden_data(f"position_bias/{benchmark}_{kind}.csv")


@pytest.fixture(scope="module")
def expected(own_data: Path) -> Any:
    return json.loads((own_data / "position_bias" / "expected.json").read_text(encoding="utf-8"))


def printed(capsys: pytest.CaptureFixture[str], *arguments: object) -> Any:
    """What `python -m evaluator ARGUMENTS` prints."""
    parser = OneLineParser()
    add_commands(parser.add_subparsers())
    options = parser.parse_args([*map(str, arguments), "--json"])
    assert options.command(options, Settings.from_env({})) == 0
    output = capsys.readouterr()
    assert output.err == ""
    return json.loads(output.out)


def assert_equal(found: Any, expected: Any, path: str) -> None:
    """Counts exactly, values, interval ends and p within their tolerances; the same keys everywhere."""
    if isinstance(expected, dict):
        assert set(found) == set(expected), path
        for key, value in expected.items():
            assert_equal(found[key], value, f"{path} > {key}")
    elif isinstance(expected, list):
        assert found == pytest.approx(expected, abs=INTERVAL), path
    elif expected is None or isinstance(expected, int):
        assert found == expected, path
    else:
        assert found == pytest.approx(expected, abs=P if path.endswith("_p") else VALUE), path


def test_position_bias(tables: Tables, expected: Any, capsys: pytest.CaptureFixture[str]) -> None:
    for benchmark, compat in product(BENCHMARKS, COMPATS):
        figures = expected["position_bias"][benchmark]
        arguments = ["position-bias", tables(benchmark, "pairs"), "--compat", compat]
        arguments += ["--options", figures["options"], "--by", "task", "--by", "model"]
        if compat == "valid":
            arguments += ["--lengths", tables(benchmark, "lengths"), "--reference-model", figures["reference_model"]]
        assert_equal(printed(capsys, *arguments), figures[compat], f"{benchmark} > {compat}")


def test_repetition(tables: Tables, expected: Any, capsys: pytest.CaptureFixture[str]) -> None:
    for benchmark, compat in product(BENCHMARKS, COMPATS):
        figures = expected["repetition"][benchmark]
        path = tables(benchmark, "repetitions")
        found = printed(capsys, "repetition", path, "--compat", compat, "--options", figures["options"])
        assert_equal(found, figures[compat], f"{benchmark} > {compat}")


def test_agreement_and_quality_curve(tables: Tables, expected: Any, capsys: pytest.CaptureFixture[str]) -> None:
    for benchmark in BENCHMARKS:
        path, options = tables(benchmark, "pairs"), expected["position_bias"][benchmark]["options"]
        found = printed(capsys, "judge-agreement", path, "--options", options)
        assert_equal(found, expected["agreement"][benchmark], benchmark)
        assert_equal(quality_curve(path, options=options), expected["quality_curve"][benchmark], benchmark)


def test_the_tables_that_are_rebuilt_are_those_the_figures_were_computed_from(expected: Any) -> None:
    stated = {f"position_bias/{name}": table["sha256"] for name, table in expected["tables"].items()}
    assert len(stated) == 6
    assert stated.items() <= checksums().items()
