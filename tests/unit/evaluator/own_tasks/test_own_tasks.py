"""Runs scored by the function of docs/own_task.md in the sandbox, against values counted by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.evaluate import evaluate_payload, result_text
from evaluator.judges.protocol import JudgeAway
from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
from evaluator.judges.scripted import ScriptedJudge
from evaluator.own_tasks import scoring
from evaluator.own_tasks.installing import EMPTY, MOST_FREQUENT, baselines_of, install
from evaluator.own_tasks.scoring import ItemScores
from evaluator.own_tasks.task import OwnTaskResult, result_of
from evaluator.sandbox.program import NoIsolation
from evaluator.task import CannotBeJudged
from submissions.own_tasks.task_file import OwnTaskError, read_task
from submissions.promptsets import PromptSets
from submissions.schema import Names
from tests.own_tasks import ANSWERS, DOC, FILES, pisa_file, pisa_folder


def evaluated(folder: Path, answers: dict[str, object]) -> OwnTaskResult:
    result = evaluate_payload(
        pisa_file(answers),
        "run.jsonl",
        edition="",
        names=Names(),
        prompt_sets=replace(PromptSets.load(None), own_tasks=(read_task(folder)[0],)),
        judge=RecordedJudge(ScriptedJudge(), MemoryVerdicts()),
        embedder=ScriptedEmbedder(),
    )
    assert isinstance(result, OwnTaskResult)
    return result


def test_a_run_scores_as_its_function_by_hand(tmp_path: Path) -> None:
    folder = pisa_folder(tmp_path)
    result = evaluated(folder, {**ANSWERS, "q1": "dry", "q2": "extinct", "q3": "no idea"})
    # q1 and q2 partial, q3 none, five full: (0.5 + 0.5 + 0 + 5) / 8
    assert result.figures["credit"].value == 0.75
    assert (result.figures["credit"].n, result.figures["credit"].unscored) == (8, 0)
    by_hand: dict[str, object] = {}
    exec(FILES["score.py"], by_hand)
    score, references = by_hand["score"], read_task(folder)[1]
    assert callable(score)
    assert result.by_item["q4"] == score(ANSWERS["q4"], references["q4"]) == {"credit": 1, "words": 8}


def test_what_is_not_answered_is_unscored_and_no_zero(tmp_path: Path) -> None:
    result = evaluated(pisa_folder(tmp_path), {item: ANSWERS[item] for item in ("q1", "q2")})
    assert result_text(result).splitlines() == [
        "* credit 1.00 of 2, 6 unscored",  # below six items there is no interval
        "  words 9.00 of 2, 6 unscored",  # 8 and 10
    ]


@pytest.mark.parametrize(
    ("score", "reason"),
    [
        ("return 1", "score returned int, expected a dict of name and number"),
        ("return {'credit': 1}", "words: found nothing, expected a number"),
        ("return {'credit': 2, 'words': 1}", "credit: found the number 2.0, expected a number from 0 to 1"),
        ("return {'credit': 1, 'words': float('nan')}", "words: found something unreadable, expected a number"),
        ("return {'credit': 'x', 'words': 1}", "score raised ValueError"),
        ("raise SystemExit", "score raised SystemExit at line 2 of score.py"),
        ("return score(prediction, reference)", "score raised RecursionError at line 2 of score.py"),
    ],
)
def test_a_value_that_is_none_is_unscored_with_its_reason(tmp_path: Path, score: str, reason: str) -> None:
    folder = pisa_folder(tmp_path, score_py=f"def score(prediction, reference):\n    {score}\n")
    assert set(evaluated(folder, {**ANSWERS}).reasons.values()) == {reason}


@pytest.mark.parametrize("items", [5, 6])
def test_figures_have_intervals_from_six_items_on(tmp_path: Path, items: int) -> None:
    assert "**Below six items** there is no interval" in DOC
    task, references = read_task(pisa_folder(tmp_path))
    scores = {item: ItemScores({"credit": 0.5, "words": 2.0}) for item in list(references)[:items]}
    figures = result_of(task, scores, "").figures.values()
    assert [figure.low is not None for figure in figures] == [items == 6] * 2


@pytest.mark.parametrize(
    ("score", "reason"),
    [
        ("import os\n    os._exit(0)", "found 0 readable lines, expected 8"),
        ("print('noise' * 10); return {}", None),
        ("import os\n    os.write(3, b'{' * 100)", "readable lines, expected 8"),
        ("import time; time.sleep(60)", "longer than 1 s"),
    ],
)
def test_a_program_that_gives_no_scores_fails_the_run_in_words_of_ours(
    tmp_path: Path, score: str, reason: str | None
) -> None:
    toml = FILES["task.toml"] + "[limits]\nseconds = 1\n"
    folder = pisa_folder(tmp_path, task_toml=toml, score_py=f"def score(prediction, reference):\n    {score}\n")
    if reason is None:
        assert evaluated(folder, {**ANSWERS}).figures["credit"].value is None
        return
    with pytest.raises(CannotBeJudged, match=f"the scoring program of pisa gave no scores: .*{reason}"):
        evaluated(folder, {**ANSWERS})


def test_a_run_waits_where_there_is_no_sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> bytes:
        raise NoIsolation("bwrap is missing")

    monkeypatch.setattr(scoring, "run_isolated", refuse)
    with pytest.raises(JudgeAway, match="the task pisa cannot be scored here: bwrap is missing"):
        evaluated(pisa_folder(tmp_path), {**ANSWERS})


def test_a_task_is_not_put_where_every_program_can_read_it(tmp_path: Path) -> None:
    with pytest.raises(NoIsolation, match="lies in /usr, which every program can read: put PLUMBLINE_DATA elsewhere"):
        install(pisa_folder(tmp_path), Path("/usr/local/data/tasks"))


def test_an_installed_task_has_its_baselines(tmp_path: Path) -> None:
    task, results = install(pisa_folder(tmp_path), tmp_path / "tasks")
    assert task.folder == tmp_path / "tasks" / "pisa"
    assert baselines_of(task) == results
    assert results[EMPTY].figures["credit"].value == 0
    # Every reference stands once, so that of q1 is given. Written out as text it names the ideas of q1 alone.
    assert results[MOST_FREQUENT].figures["credit"].value == 0.125
    assert baselines_of(replace(task, sha256="another")) == {}


def test_a_task_whose_program_fails_is_not_installed(tmp_path: Path) -> None:
    for number, (score, fault) in enumerate(
        (
            ("import nothing_like_it\n", "No module named 'nothing_like_it'"),
            (
                "def score(prediction, reference):\n    return {'credit': 1}\n",
                "item q1 with the most frequent answer: w",
            ),
        )
    ):
        with pytest.raises(OwnTaskError) as raised:
            install(pisa_folder(tmp_path / str(number), score_py=score), tmp_path / "tasks")
        assert fault in str(raised.value)
    assert not (tmp_path / "tasks").exists()


def test_a_new_version_takes_the_place_of_the_earlier_one(tmp_path: Path) -> None:
    install(pisa_folder(tmp_path / "a"), tmp_path / "tasks")
    later = pisa_folder(tmp_path / "b", task_toml=FILES["task.toml"].replace("Words", "Length"))
    install(later, tmp_path / "tasks")
    assert [path.name for path in (tmp_path / "tasks").iterdir()] == ["pisa"]
    assert read_task(tmp_path / "tasks" / "pisa")[0].columns[1].label == "Length"
