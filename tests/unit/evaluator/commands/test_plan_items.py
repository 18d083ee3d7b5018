"""The command that plans items and labels."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluator.commands.plan_items import add_commands
from submissions.commands.command_line import OneLineParser
from submissions.settings import Settings


def run(*arguments: object) -> int:
    parser = OneLineParser(prog="python -m evaluator")
    add_commands(parser.add_subparsers(required=True))
    options = parser.parse_args(["plan-items", *map(str, arguments)])
    code: int = options.command(options, Settings.from_env({}))
    return code


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Sixty items: the first system wins two of three; the judge says the same but for one in twelve."""
    wins = [n % 3 > 0 for n in range(60)]
    judged = [won and n % 12 != 1 for n, won in enumerate(wins)]
    rows = [f"{won:d},{not won:d},{says:d},{not says:d}" for won, says in zip(wins, judged, strict=True)]
    path = tmp_path / "items.csv"
    path.write_text("first,second,judged_first,judged_second\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_items_are_planned_and_checked(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(table) == 0
    said = capsys.readouterr().out.splitlines()
    # Differences are 1 on 40 items and -1 on 20: mean 1/3, scatter sqrt(60/59 x (1 - 1/9)) = 0.9508.
    # t with 59 degrees of freedom: 2.0010 x 0.9508 / sqrt(60) = 0.2456.
    assert said[0] == "difference 0.3333 [0.0877, 0.579] over 60 items, scatter 0.9508"
    assert said[1].endswith("items tell them apart with a power of 80%")
    assert said[2].startswith("simulated from these items: 8")


def test_fewer_labels_are_planned_beside_a_judge(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(table) == 0
    items = int(capsys.readouterr().out.splitlines()[1].split()[0])
    assert run(table, "--judged-items", 5000) == 0
    _, planned, simulated, least = capsys.readouterr().out.splitlines()
    assert int(planned.split()[0]) < items
    assert least == "label 100: judge-report gives no interval with fewer"
    # The judge errs in one direction alone, and by itself says who is better: more is seen than was planned.
    assert simulated == "simulated from these items: 100.0% of 2,000 samples"


def test_systems_that_are_alike_have_no_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "same.csv"
    path.write_text("first,second\n" + "1,1\n" * 10, encoding="utf-8")
    assert run(path) == 1
    assert "too small for its scatter" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("first,second\n1,x\n", 'row 1, column second: "x"; expected a number'),
        ("first,second\n1,0\n", "1 items; expected at least 6"),
    ],
)
def test_a_bad_table_is_refused(tmp_path: Path, text: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SystemExit):
        run(path)
    assert said in capsys.readouterr().err
