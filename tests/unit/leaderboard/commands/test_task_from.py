"""`python -m leaderboard task-from` and `sandbox`, `python -m submissions template` of an installed task."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluator.sandbox import program
from leaderboard.__main__ import main
from leaderboard.boards import registry
from submissions.__main__ import main as submissions_main
from tests.own_tasks import ANSWERS, pisa_file, pisa_folder


@pytest.fixture(autouse=True)
def _data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLUMBLINE_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(registry, "BOARDS", registry.BOARDS)


def test_a_task_is_installed_and_its_files_are_known(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["task-from", str(pisa_folder(tmp_path))]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith("Reading with a coding guide: 8 items, installed in ")
    assert told[2].startswith("  empty answer: credit 0.00 [0.00, ")
    assert submissions_main(["template", "--set", "own_task:pisa"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == '{"id": "q1", "prediction": ""}'
    (tmp_path / "run.jsonl").write_bytes(pisa_file({**ANSWERS}))
    assert submissions_main(["check", str(tmp_path / "run.jsonl")]) == 0
    assert "8 of 8 items have a prediction" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["template", "--set", "own_task:pirls"], "found own_task:pirls, expected an installed task; none is"),
        (["template", "--set", "pisa"], "--set: found 'pisa', expected one of eloquent-2024"),
    ],
)
def test_a_template_of_no_task_is_refused(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        submissions_main(arguments)
    assert said in capsys.readouterr().err


def test_what_is_wrong_with_a_task_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = pisa_folder(tmp_path, score_py="def score(prediction, reference):\n    return {}\n")
    lab = tmp_path / "lab"
    folder.rename(tmp_path / "reading")
    lab.mkdir()
    for place, said in (
        (
            tmp_path / "reading",
            "item q1 with the most frequent answer: credit: found nothing, expected a number from 0",
        ),
        (tmp_path / "nowhere", "task.toml: found no file (No such file or directory), expected a file in the folder"),
        (lab, "a page is called lab already; call the folder otherwise"),
    ):
        with pytest.raises(SystemExit):
            main(["task-from", str(place)])
        error = capsys.readouterr().err
        assert said in error
        assert error.count("\n") == 1
    assert not (tmp_path / "data" / "tasks").exists()


def test_the_sandbox_is_told_and_where_there_is_none_nothing_is_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["sandbox"]) == 0
    assert capsys.readouterr().out.startswith("bubblewrap: namespaces of users")
    monkeypatch.setattr(program, "_tried", [])
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["sandbox"]) == 1
    assert capsys.readouterr().out.startswith("no sandbox: bwrap is missing: apt-get install bubblewrap")
    with pytest.raises(SystemExit):
        main(["task-from", str(pisa_folder(tmp_path))])
    assert "nothing was run: bwrap is missing" in capsys.readouterr().err
