"""The commands of the Recommender behaviour board: strict JSON, one sentence for what cannot be done."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from evaluator.commands.behavior_alignment import add_commands
from submissions.commands.command_line import OneLineParser
from submissions.settings import Settings
from tests.unit.submissions.formats.behavior_alignment.dialogue_files import good_document

TEXT_HEAD = "evaluator/behavior_alignment/strategies/default_head_text"
ROOT = Path(__file__).parents[4]
ESTIMATOR = ("--estimator", ROOT / TEXT_HEAD)


def run(*arguments: object) -> int:
    parser = OneLineParser(prog="python -m evaluator")
    add_commands(parser.add_subparsers(required=True))
    options = parser.parse_args([*map(str, arguments)])
    code: int = options.command(options, Settings.from_env({}))
    return code


def no_constant(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")


def printed(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out, parse_constant=no_constant)


def stopped(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """The one line a command ends with."""
    with pytest.raises(SystemExit) as end:
        run(*arguments)
    assert end.value.code == 2
    lines = capsys.readouterr().err.splitlines()
    assert "Traceback" not in "".join(lines)
    return lines[-1]


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    path = tmp_path / "answers.json"
    path.write_text(json.dumps(good_document()), encoding="utf-8")
    return path


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.csv"
    rows = [["first", "second", "label", "note"]]
    rows += [["Have you been there?", f"Have you been to town {number}?", "1", "é"] for number in range(3)]
    rows += [[f"Have you been to town {number}?", "I love it so much.", "0", ""] for number in range(3)]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


# --- behavior-alignment ----------------------------------------------------------------------------------------------


def test_the_report_has_the_keys_of_the_specification(answers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("behavior-alignment", answers, *ESTIMATOR, "--json") == 0
    report = printed(capsys)
    assert list(report) == [
        *("kind", "collection", "dialogues", "turns", "scored_turns", "turn_rule", "explicit", "implicit"),
        *("turns_before_recommendation", "success", "bleu", "dist", "copied_share", "flags", "rankable"),
    ]
    assert (report["dialogues"], report["turns"], report["scored_turns"]) == (2, 5, 3)
    assert report["explicit"]["annotated_share"] == 2 / 3
    assert report["success"]["human"] == {"rate": 1.0, "dialogues": 1}
    implicit = report["implicit"]
    assert (implicit["status"], implicit["estimator"]) == ("estimated", "default_head_text tfidf")
    assert implicit["raw_ci"] is None  # two dialogues
    assert {"threshold", "raw", "tpr", "fpr", "corrected", "corrected_range", "corrected_ci"} <= set(implicit)


def test_turns_are_listed_on_request_and_the_estimator_can_be_left_out(
    answers: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("behavior-alignment", answers, "--estimator", "none", "--per-turn", "--resamples", 10, "--seed", 3) == 0
    report = printed(capsys)
    assert report["implicit"] is None
    assert [row["turn"] for row in report["per_turn"]] == [2, 3, 2]
    assert {row["s"] for row in report["per_turn"]} == {None}


def test_a_refused_file_lists_its_problems(answers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = good_document()
    document["dialogues"][0]["turns"][0]["human_strategy"] = "fame"
    answers.write_text(json.dumps(document), encoding="utf-8")
    assert run("behavior-alignment", answers, "--json") == 2
    problems = printed(capsys)["problems"]
    assert [(one["code"], one["severity"]) for one in problems] == [("unknown_strategy", "error")]
    assert run("behavior-alignment", answers) == 2
    assert capsys.readouterr().err.startswith("error unknown_strategy: dialogues[0].turns[0].human_strategy (bakery)")


def test_what_is_no_such_file_is_said_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    verdicts = tmp_path / "verdicts.csv"
    verdicts.write_text("judge,task,model,query,order,verdict,benchmark\n" + "g,t,m,1,original,A,b\n", encoding="utf-8")
    assert "No such file" in stopped(capsys, "behavior-alignment", tmp_path / "absent.json")
    assert run("behavior-alignment", verdicts, "--json") == 2


@pytest.mark.parametrize("flag", ["--resamples 0", "--resamples x", "--seed -1", "--seed 1.5"])
def test_wrong_numbers_are_wrong_use(flag: str, answers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "expected a whole number" in stopped(capsys, "behavior-alignment", answers, *flag.split())


def test_an_estimator_that_cannot_be_had_is_said_and_not_replaced(
    answers: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = stopped(capsys, "behavior-alignment", answers, "--estimator", tmp_path / "absent")
    assert "neither default, none, a folder" in said
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    assert "cannot be loaded" in stopped(capsys, "behavior-alignment", answers, "--estimator", tmp_path)


# --- agreement, behavior-pairs ---------------------------------------------------------------------------------------


def test_pairs_are_compared_and_measured(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.csv"
    columns = ("--a", "first", "--b", "second", "--label", "label")
    assert run("behavior-pairs", table, *columns, *ESTIMATOR, "--output", out, "--json") == 0
    report = printed(capsys)
    assert (report["n"], report["accuracy"], report["cluster_columns"]) == (6, 1.0, ["first", "second"])
    assert report["clusters"] == 5  # "there", "love it" and the three towns
    assert report["estimator"] == "default_head_text tfidf"
    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["same"] for row in rows] == ["1", "1", "1", "0", "0", "0"]
    assert all((float(row["probability"]) > report["threshold"]) == (row["same"] == "1") for row in rows)
    assert rows[0]["note"] == "é"


def test_without_labels_only_the_pairs_are_compared(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("behavior-pairs", table, "--a", "first", "--b", "second", *ESTIMATOR) == 0
    assert set(printed(capsys)) == {"estimator", "threshold", "pairs"}
    none = ("--estimator", "none")
    assert "nothing to compare" in stopped(capsys, "behavior-pairs", table, "--a", "first", "--b", "second", *none)


def test_agreement_warns_where_rows_are_drawn_alone(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("agreement", table, "--truth", "label", "--prediction", "label", "--json") == 0
    shown = capsys.readouterr()
    assert "too narrow" in shown.err
    assert json.loads(shown.out)["kappa"] == 1.0
    assert run("agreement", table, "--truth", "label", "--prediction", "label", "--cluster", "first") == 0
    assert capsys.readouterr().err == ""


def test_columns_that_are_not_there_are_named_with_those_that_are(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = stopped(capsys, "agreement", table, "--truth", "truth", "--prediction", "label")
    assert '"truth"; found "first", "second", "label", "note"' in said
    three = [flag for _ in range(3) for flag in ("--cluster", "first")]
    assert "at most 2" in stopped(capsys, "agreement", table, "--truth", "label", "--prediction", "label", *three)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "an empty file"),
        (b"a,b\n1\n", "line 2 has 1 cells; expected 2"),
        (b"\xff\xfea", "not UTF-8"),
        (b"a,b\n" + b"x" * 200_000 + b",1\n", "line 2 is not CSV"),
    ],
)
def test_a_table_that_cannot_be_read_is_said_in_one_line(
    content: bytes, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    assert reason in stopped(capsys, "agreement", path, "--truth", "a", "--prediction", "b")


# --- train-behavior-classifier ---------------------------------------------------------------------------------------


def test_training_writes_a_folder_that_can_be_used(
    answers: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sentences = ROOT / "evaluator/behavior_alignment/strategies/sentences.tsv"
    out = tmp_path / "own"
    assert run("train-behavior-classifier", "--data", sentences, "--encoder", "none", "--output", out, "--json") == 0
    report = printed(capsys)
    assert (report["sentences"], report["negatives"], report["features"]) == (520, "mixed_hard", "tfidf")
    assert report["pairs"]["mixed_hard"]["accuracy"] > 0.75
    assert run("behavior-alignment", answers, "--estimator", out, "--json") == 0
    assert printed(capsys)["implicit"]["estimator"] == "own tfidf"


def test_files_that_cannot_train_list_their_faults(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "own.tsv"
    path.write_text("dialog_id\ttext\n", encoding="utf-8")
    flags = ("--encoder", "none", "--output", tmp_path / "out")
    assert run("train-behavior-classifier", "--data", path, *flags, "--json") == 2
    assert "expert_label or first_label" in printed(capsys)["problems"][0]
    absent = ("--data", tmp_path / "absent.tsv", *flags)
    assert "No such file" in stopped(capsys, "train-behavior-classifier", *absent)
    assert not (tmp_path / "out").exists()
