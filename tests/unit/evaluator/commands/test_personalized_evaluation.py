"""`python -m evaluator personalized-evaluation`: what it prints, and what it refuses."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from evaluator.__main__ import main
from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.judge_loading.loading import Scorer
from evaluator.judges.scripted import ScriptedJudge
from evaluator.personalized_evaluation import RatingsTableRefused, read_known_ratings
from submissions.formats.personalized_evaluation.submission import Scale
from tests.unit.submissions.formats.personalized_evaluation.prediction_files import (
    pair_item,
    pairs,
    rating_item,
    ratings,
)

TEN = Scale(1, 10)


def written(folder: Path, name: str, document: dict[str, Any]) -> str:
    path = folder / name
    path.write_text(json.dumps(document), encoding="utf-8")
    return str(path)


def run(*arguments: str) -> int:
    return main(["personalized-evaluation", *arguments])


def test_the_figures_are_one_line_of_json_or_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path, "ratings.json", ratings([rating_item(number, gold=number + 1) for number in range(5)]))
    assert run(file, "--json", "--per-item", "--resamples", "10") == 0
    output = capsys.readouterr().out
    assert output.count("\n") == 1
    report = json.loads(output)
    assert (report["n"], len(report["items"])) == (5, 5)
    assert run(file, "--resamples", "10") == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"personalized_ratings, collection {report['collection']}, k = 2\n")
    assert "not ranked: headline_undefined" in shown  # all predictions are the same


def test_the_table_of_choices_names_every_aspect(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = [
        pair_item(number, aspect, choice_swapped="A", memorized={"a": True, "b": False})
        for number in range(2)
        for aspect in "IASCE"
    ]
    assert run(written(tmp_path, "pairs.json", pairs(items)), "--resamples", "10") == 0
    shown = capsys.readouterr().out
    for words in ("Interestingness", "Ending", "winner accuracy", "consistency in both orders", "one, accuracy"):
        assert words in shown


def test_a_refused_file_is_told_all_its_faults(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path, "bad.json", ratings([rating_item(score=11, gold="7")]))
    assert run(file, "--json") == 2
    problems = json.loads(capsys.readouterr().out)["problems"]
    assert {(one["code"], one["path"]) for one in problems} == {
        ("score_out_of_range", "items[0].score"),
        ("missing_field", "items[0].gold"),
    }
    assert run(file) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert "bad.json: items[0].score: score_out_of_range: " in output.err


def test_files_of_other_kinds_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "table.csv").write_text("judge,task,model,query,benchmark,order,verdict\n", encoding="utf-8")
    assert run(str(tmp_path / "table.csv"), "--json") == 2
    assert json.loads(capsys.readouterr().out)["problems"]


@pytest.mark.parametrize(
    ("k0", "code"),
    [
        (ratings([rating_item(0)]), "envelope_field"),  # k is 2
        (ratings([rating_item(0, profile=[], gold=2)], k=0), "envelope_field"),  # another gold
        (pairs(), "wrong_kind"),
    ],
)
def test_only_the_same_items_without_profiles_can_be_compared_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], k0: dict[str, Any], code: str
) -> None:
    file = written(tmp_path, "run.json", ratings([rating_item(0)]))
    assert run(file, "--k0", written(tmp_path, "k0.json", k0), "--json") == 2
    (problem,) = json.loads(capsys.readouterr().out)["problems"]
    assert (problem["file"], problem["code"]) == ("k0.json", code)


def test_a_table_of_known_ratings_is_used_and_its_faults_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    items = [rating_item(number, gold=number % 9 + 1, item_id=f"t{number}") for number in range(6)]
    file = written(tmp_path, "run.json", ratings(items))
    table = tmp_path / "known.csv"
    table.write_text("reviewer,item_id,score\n" + "".join(f"x,t{number},{number + 2}\n" for number in range(6)))
    assert run(file, "--ratings", str(table), "--json", "--resamples", "1") == 0
    assert json.loads(capsys.readouterr().out)["references"]["matrix_factorization"] is not None
    table.write_text("reviewer,item_id,score\nx,t0,eleven\nx,,3\n")
    assert run(file, "--ratings", str(table), "--json") == 2
    assert [one["path"] for one in json.loads(capsys.readouterr().out)["problems"]] == ["known.csv:2", "known.csv:3"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("reviewer,score\nx,1\n", "lacks item_id"),
        ("reviewer,item_id,score\nx,a,11\n", "not on the scale 1 to 10"),
        ("reviewer,item_id,score\nx,a,nan\n", "not on the scale"),
        ("reviewer,item_id,score\nx,a\n", "score is blank"),
        ("", "lacks reviewer, item_id, score"),
    ],
)
def test_a_table_of_known_ratings_says_what_is_wrong(tmp_path: Path, text: str, fault: str) -> None:
    table = tmp_path / "known.csv"
    table.write_text(text, encoding="utf-8")
    with pytest.raises(RatingsTableRefused, match=fault):
        read_known_ratings(table, TEN)


def test_a_judge_answers_a_file_that_has_no_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = ScriptedJudge(profile_rating=lambda request: 6.5)
    monkeypatch.setattr("evaluator.commands.judge.load_scorer", lambda *_, **__: Scorer(judge, ScriptedEmbedder()))
    file = written(tmp_path, "run.json", ratings([rating_item(0, score=None)]))
    assert run(file, "--judge", "any", "--json", "--per-item", "--resamples", "1") == 0
    assert json.loads(capsys.readouterr().out)["items"] == [{"id": "r0", "score": 6.5, "reason": None}]
    answered = written(tmp_path, "answered.json", ratings())
    with pytest.raises(SystemExit):
        run(answered, "--judge", "any")
    assert "has predictions" in capsys.readouterr().err


def test_a_file_that_is_not_there_ends_with_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        run(str(tmp_path / "none.json"))
    assert stopped.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_folder_without_a_model_ends_with_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    item = rating_item(0, review="warm", reference_review="cold")
    file = written(tmp_path, "run.json", ratings([item]))
    for folder, words in ((tmp_path / "none", "is no folder"), (tmp_path, "")):
        for flag in ("--bertscore-model", "--bartscore-model"):
            with pytest.raises(SystemExit) as stopped:
                run(file, flag, str(folder), "--json")
            assert stopped.value.code == 2
            error = capsys.readouterr().err
            assert error.count("\n") == 1
            assert words in error


def test_the_figures_need_neither_torch_nor_a_page() -> None:
    code = (
        "import sys, evaluator.personalized_evaluation, evaluator.commands.personalized_evaluation\n"
        "print(sorted({'torch', 'transformers', 'gradio', 'nltk', 'sacrebleu'} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
