"""`python -m evaluator personalization`: strict JSON, a table for people, faults without a traceback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluator.commands.personalization import add_commands
from submissions.commands.command_line import OneLineParser
from submissions.settings import Settings

HEADER = "system,method,dataset,setting,example_id,correct_no_pref,correct_pref,rating\n"


def run(*arguments: object) -> int:
    parser = OneLineParser(prog="python -m evaluator")
    add_commands(parser.add_subparsers(required=True))
    options = parser.parse_args(["personalization", *map(str, arguments)])
    code: int = options.command(options, Settings.from_env({}))
    return code


def no_constant(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Q* is empty, so that most figures are undefined."""
    path = tmp_path / "rows.csv"
    path.write_text(HEADER + "s,naive,mmlu,relevant,q1,0,1,4\n", encoding="utf-8")
    return path


def test_the_report_says_how_it_was_computed(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(table, "--json") == 0
    report: Any = json.loads(capsys.readouterr().out, parse_constant=no_constant)
    assert list(report) == ["profile", "threshold", "min_qstar", "bootstrap", "groups"]
    assert (report["profile"], report["threshold"], report["min_qstar"]) == ("recommended", 3, 50)
    assert set(report["bootstrap"]) == {"unit", "draws", "seed", "level"}
    assert (report["bootstrap"]["unit"], report["bootstrap"]["draws"]) == ("example", 2000)
    assert [group["dataset"] for group in report["groups"]] == ["mmlu", "full"]
    assert (report["groups"][0]["breakage_rate"], report["groups"][0]["performance_variation"]) == (None, 1.0)


def test_people_get_a_table_in_percent(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(table) == 0
    header, mmlu, *_ = capsys.readouterr().out.splitlines()
    assert header.split()[:6] == ["system", "run", "method", "setting", "dataset", "n"]
    assert mmlu.split()[:7] == ["s", "-", "naive", "relevant", "mmlu", "1", "0"]
    assert "n/a" in mmlu
    assert mmlu.split()[10] == "100.0"  # variation 1; one example has no interval
    assert mmlu.endswith("too few")


def test_a_table_without_rows_has_no_groups(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table.write_text(HEADER, encoding="utf-8")
    assert (run(table, "--json"), run(table)) == (0, 0)
    assert json.loads(capsys.readouterr().out.splitlines()[0])["groups"] == []


def test_faults_are_json_with_exit_code_2(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table.write_text(HEADER + "s,naive,mmlu,relevant,q1,0,yes,9\n", encoding="utf-8")
    assert run(table, "--json") == 2
    output = capsys.readouterr()
    assert output.err == ""
    (first, second) = json.loads(output.out)["problems"]
    assert set(first) == {"line", "code", "severity", "message"}
    assert {(fault["line"], fault["code"], fault["severity"]) for fault in (first, second)} == {
        (2, "bad_rating", "error"),
        (2, "bad_flag", "error"),
    }


def test_faults_are_lines_for_people(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table.write_text(HEADER + "s,naive,mmlu,relevant,q1,0,yes,4\n", encoding="utf-8")
    assert run(table) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err == (
        f'{table}:2: bad_flag: "q1": correct_pref is "yes"; accepted: 0, 1, or blank where it is not known\n'
    )


def test_a_file_that_is_not_there_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        run(tmp_path / "none.csv", "--json")
    assert stopped.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_published_profile_is_named_in_the_report(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table.write_text(HEADER + "s,naive,mmlu,relevant,q1,1,1,7\n", encoding="utf-8")
    assert run(table, "--json", "--profile", "perg") == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["profile"], report["groups"][0]["alignment_failure"]) == ("perg", 0.0)
