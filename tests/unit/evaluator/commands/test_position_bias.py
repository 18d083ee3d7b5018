"""The three commands: strict JSON out, refusals in one line with exit code 2."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluator.commands.position_bias import add_commands
from submissions.commands.command_line import OneLineParser
from submissions.settings import Settings

WIDE = "judge,task,model,query,verdict_original,verdict_swapped\n"
COMMANDS = ("position-bias", "repetition", "judge-agreement")


@pytest.fixture
def verdicts(tmp_path: Path) -> Path:
    path = tmp_path / "verdicts.csv"
    path.write_text(WIDE + "j,t,m,q,A,B\nj,t,n,q,A,C\nNA,t,m,q,N,B\n", encoding="utf-8")
    return path


def run(*arguments: object) -> int:
    parser = OneLineParser(prog="python -m evaluator")
    add_commands(parser.add_subparsers(required=True))
    options = parser.parse_args([str(argument) for argument in arguments])
    code: int = options.command(options, Settings.from_env({}))
    return code


def printed(capsys: pytest.CaptureFixture[str], *arguments: object) -> Any:
    def no_constant(name: str) -> None:
        raise AssertionError(f"{name} is not JSON")

    assert run(*arguments) == 0
    return json.loads(capsys.readouterr().out, parse_constant=no_constant)


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    with pytest.raises(SystemExit) as stopped:
        run(*arguments)
    output = capsys.readouterr()
    assert (stopped.value.code, output.out) == (2, "")
    assert output.err.count("\n") == 1
    return output.err


def test_the_defaults_are_valid_and_three_options(verdicts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = printed(capsys, "position-bias", verdicts, "--json")
    assert list(report) == ["NA", "j"]
    assert (report["j"]["primacy"], report["NA"]["position_consistency"]) == (1, None)
    assert "by_task" not in report["j"]
    two = printed(capsys, "position-bias", verdicts, "--json", "--options", 2, "--compat", "paper", "--by", "model")
    assert (two["j"]["n_invalid"], two["j"]["preference_fairness_std"], list(two["j"]["by_model"])) == (
        1,
        0.0,
        ["m", "n"],
    )


def test_repetition_and_agreement_print_their_figures(verdicts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "repetition", verdicts, "--json", "--compat", "paper")["j"]["n_items_skipped"] == 4
    assert printed(capsys, "judge-agreement", verdicts, "--json")["with_ties"]["NA"]["j"] == 1.0


def test_without_json_people_get_the_same_figures_indented(verdicts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("position-bias", verdicts) == 0
    readable = capsys.readouterr().out
    assert readable.count("\n") > 20
    assert json.loads(readable) == printed(capsys, "position-bias", verdicts, "--json")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_header_without_rows_prints_an_empty_object(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty.csv").write_text(WIDE, encoding="utf-8")
    assert run(command, tmp_path / "empty.csv", "--json") == 0
    assert capsys.readouterr().out == "{}\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_a_faulty_table_is_refused_on_one_line(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "faulty.csv"
    path.write_text(WIDE + "j,t,m,q,A,tie\n", encoding="utf-8")
    assert f'{path}: row 1: verdict_swapped is "tie"' in refused(capsys, command, path, "--json")


@pytest.mark.parametrize("command", COMMANDS)
def test_several_benchmarks_need_a_choice(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "long.csv"
    header = "judge,benchmark,task,model,query,order,verdict\n"
    path.write_text(header + "j,x,t,m,q,original,A\nk,y,t,m,q,original,A\n", encoding="utf-8")
    assert "several benchmarks" in refused(capsys, command, path, "--json")
    report = printed(capsys, command, path, "--json", "--benchmark", "y")
    assert list(report.get("with_ties", report)) == ["k"]


def test_raw_text_is_parsed_in_the_format_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "raw.csv"
    header = "judge,benchmark,task,model,query,order,raw_text\n"
    path.write_text(header + "j,b,t,m,q,original,Choice: A\nj,b,t,m,q,swapped,Choice: B\n", encoding="utf-8")
    report = printed(capsys, "position-bias", path, "--json", "--verdict-format", "choice")
    assert report["j"]["consistent_wins_first"] == 1
    assert printed(capsys, "position-bias", path, "--json")["j"]["n_error_calls"] == 2


def test_files_that_cannot_be_opened_are_named(
    verdicts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "absent.csv: No such file" in refused(capsys, "repetition", tmp_path / "absent.csv", "--json")
    assert "Is a directory" in refused(capsys, "judge-agreement", tmp_path, "--json")
    arguments = ("position-bias", verdicts, "--json", "--reference-model", "r", "--lengths", tmp_path / "lengths.csv")
    assert "lengths.csv: No such file" in refused(capsys, *arguments)


def test_wrong_use_is_refused(verdicts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "--lengths needs --reference-model" in refused(capsys, "position-bias", verdicts, "--lengths", verdicts)
    assert "--options" in refused(capsys, "position-bias", verdicts, "--options", 4)
