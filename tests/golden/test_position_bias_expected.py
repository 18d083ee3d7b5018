"""Every figure of real judges' verdicts (MT-bench, DevBench; arXiv 2406.07791) through the commands people run."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from evaluator.position_bias import quality_curve
from evaluator.position_bias_commands import add_commands
from submissions.command_line import OneLineParser
from submissions.settings import Settings

VALUE, INTERVAL, P = 1e-9, 0.02, 0.01
BENCHMARKS = ("mtbench", "devbench")
COMPATS = ("valid", "paper")


@pytest.fixture(scope="module")
def folder(shared_data: Path) -> Path:
    return shared_data / "position_bias"


@pytest.fixture(scope="module")
def expected(folder: Path) -> Any:
    return json.loads((folder / "expected.json").read_text(encoding="utf-8"))


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


@pytest.mark.parametrize("benchmark", BENCHMARKS)
@pytest.mark.parametrize("compat", COMPATS)
def test_position_bias(
    benchmark: str, compat: str, folder: Path, expected: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = expected["position_bias"][benchmark]
    arguments = ["position-bias", folder / f"{benchmark}_pairs.csv", "--compat", compat]
    arguments += ["--options", figures["options"], "--by", "task", "--by", "model"]
    if compat == "valid":
        arguments += ["--lengths", folder / f"{benchmark}_lengths.csv", "--reference-model", figures["reference_model"]]
    assert_equal(printed(capsys, *arguments), figures[compat], f"{benchmark} > {compat}")


@pytest.mark.parametrize("benchmark", BENCHMARKS)
@pytest.mark.parametrize("compat", COMPATS)
def test_repetition(
    benchmark: str, compat: str, folder: Path, expected: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = expected["repetition"][benchmark]
    path = folder / f"{benchmark}_repetitions.csv"
    found = printed(capsys, "repetition", path, "--compat", compat, "--options", figures["options"])
    assert_equal(found, figures[compat], f"{benchmark} > {compat}")


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_agreement(benchmark: str, folder: Path, expected: Any, capsys: pytest.CaptureFixture[str]) -> None:
    options = expected["position_bias"][benchmark]["options"]
    found = printed(capsys, "judge-agreement", folder / f"{benchmark}_pairs.csv", "--options", options)
    assert_equal(found, expected["agreement"][benchmark], benchmark)


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_quality_curve(benchmark: str, folder: Path, expected: Any) -> None:
    options = expected["position_bias"][benchmark]["options"]
    found = quality_curve(folder / f"{benchmark}_pairs.csv", options=options)
    assert_equal(found, expected["quality_curve"][benchmark], benchmark)


def test_these_are_the_tables_the_figures_were_computed_from(folder: Path, expected: Any) -> None:
    for name, table in expected["tables"].items():
        content = (folder / name).read_bytes()
        assert hashlib.sha256(content).hexdigest() == table["sha256"], name
        assert content.count(b"\n") == table["rows"] + 1, name
