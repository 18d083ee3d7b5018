"""Figures of released verdicts: what is kept says enough to be checked, and tells nobody's verdict."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from evaluator.commands.published_judges import add_commands
from evaluator.public_record.position_bias import (
    LEFT_OUT_OF_GROUPS,
    PUBLISHED_BENCHMARKS,
    changed_figures,
    kept_judges,
    published_judges,
)
from submissions.commands.command_line import OneLineParser
from submissions.settings import Settings

PAIR = ["judge", "task", "model", "query", "verdict_original", "verdict_swapped"]
DAY = "2026-11-01"


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    """Twelve questions of one task: `all` compared every pair, `few` only what was asked three times."""
    for benchmark in PUBLISHED_BENCHMARKS:
        pairs, repetitions, lengths = benchmark.tables
        letters = ["AB", "AA", "BA", "BB"]
        asked = [["t", "m", str(query), *letters[query % 4]] for query in range(12)]
        write(tmp_path / pairs, PAIR, [["all", *row] for row in asked])
        thrice = [[judge, str(number), *row] for judge in ("all", "few") for number in (1, 2, 3) for row in asked[:10]]
        write(tmp_path / repetitions, ["judge", "repetition", *PAIR[1:]], thrice)
        of_answers = [[benchmark.name, "t", str(query), "m", 9, 20] for query in range(12)]
        of_answers += [[benchmark.name, "t", str(query), benchmark.reference_model, 9, 10] for query in range(12)]
        columns = ["benchmark", "task", "query", "model", "question_chars", "answer_chars"]
        write(tmp_path / lengths, columns, of_answers)
    return tmp_path


def write(path: Path, columns: list[str], rows: list[list[Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([columns, *rows])


def run(*arguments: object) -> int:
    parser = OneLineParser(prog="python -m evaluator")
    add_commands(parser.add_subparsers(required=True))
    options = parser.parse_args([str(argument) for argument in arguments])
    code: int = options.command(options, Settings.from_env({}))
    return code


def test_judges_that_compared_every_pair_have_their_repetitions_and_the_others_stand_apart(tables: Path) -> None:
    few, whole, *_ = published_judges(tables, DAY).results
    (only_repeated,), (compared,) = few.judges, whole.judges
    assert (only_repeated.judge, only_repeated.position_bias["n_pairs"]) == ("few", 10)
    assert (compared.judge, compared.position_bias["n_pairs"]) == ("all", 12)
    # AB and BA of AB, AA, BA, BB; the same letters three times.
    assert compared.position_bias["position_consistency"] == 0.5
    assert compared.repetition is not None
    assert compared.repetition["repetition_stability"] == 1.0
    # 3 AB: the reference wins, which is shorter; 3 BA: the longer answer of the model.
    assert compared.position_bias["longer_answer_win_rate"] == 0.5
    assert few.agreement["with_ties"]["few"]["all"] == 1.0
    # AA and BB, three times each: every flip is answered by one to the other side.
    assert compared.by_task["t"]["preference_fairness_p"] == 1.0
    assert {result.source for result in (few, whole)} == {"published"}


def test_no_verdict_is_kept() -> None:
    for result in kept_judges().results:
        for report in result.judges:
            assert report.queries == {}
            assert not LEFT_OUT_OF_GROUPS & {key for group in report.by_model.values() for key in group}
            # Cells are of eight pairs or more, but for those that could not be used.
            assert {cell.n_valid for cell in report.cells} <= set(range(5, 11))


def test_the_kept_figures_say_where_they_are_from() -> None:
    kept = kept_judges()
    assert "arXiv 2406.07791" in kept.citation
    assert "Position-Bias-Analyzer at commit 9f8b7e8" in kept.source
    assert kept.tables.keys() == {name for benchmark in PUBLISHED_BENCHMARKS for name in benchmark.tables}
    assert [result.benchmark for result in kept.results] == ["mtbench", "mtbench", "devbench", "devbench"]


def test_the_same_tables_give_the_same_bytes(tables: Path, tmp_path: Path) -> None:
    for name in ("one.json", "two.json"):
        assert run("published-judges", tables, "--date", DAY, "--output", tmp_path / name) == 0
    text = (tmp_path / "one.json").read_text(encoding="utf-8")
    assert text == (tmp_path / "two.json").read_text(encoding="utf-8")
    document = json.loads(text)
    assert document["computed_on"] == DAY
    assert list(document) == sorted(document)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda folder: (folder / "mtbench_lengths.csv").unlink(), "mtbench_lengths.csv: No such file"),
        (
            lambda folder: write(folder / "devbench_pairs.csv", PAIR, [["all", "t", "m", "1", "A", "X"]]),
            'devbench_pairs.csv: row 1: verdict_swapped is "X"; accepted: A, B, C, N',
        ),
    ],
)
def test_a_table_that_is_missing_or_wrong_is_named(
    tables: Path, capsys: pytest.CaptureFixture[str], change: Any, said: str
) -> None:
    change(tables)
    with pytest.raises(SystemExit) as stopped:
        run("published-judges", tables)
    output = capsys.readouterr()
    assert (stopped.value.code, output.out) == (2, "")
    assert said in output.err


def test_a_day_that_is_none_is_refused(tables: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run("published-judges", tables, "--date", "yesterday")
    assert "'yesterday' is no day; expected YYYY-MM-DD" in capsys.readouterr().err


def test_a_changed_figure_is_named_with_both_values_and_the_day_is_none(tables: Path) -> None:
    made = published_judges(tables, DAY)
    assert changed_figures(made, published_judges(tables, "2026-11-02")) == []
    pairs = tables / "mtbench_pairs.csv"
    pairs.write_text(pairs.read_text(encoding="utf-8").replace("all,t,m,0,A,B", "all,t,m,0,A,A"), encoding="utf-8")
    changes = changed_figures(made, published_judges(tables, DAY))
    assert "results > 1 > judges > 0 > position_bias > primacy: kept 3, from the tables 4" in changes
