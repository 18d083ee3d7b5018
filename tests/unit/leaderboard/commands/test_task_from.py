"""`python -m leaderboard task-from` and `sandbox`, `python -m submissions template` of an installed task."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from evaluator.sandbox import program
from leaderboard.__main__ import main
from leaderboard.boards import registry
from submissions.__main__ import main as submissions_main
from submissions.seasons.season_file import seasons_of
from submissions.settings import Settings
from tests.bundles import VERSION_2, zipped
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


@pytest.mark.parametrize("buffered", [[], ["-u"]])
def test_who_reads_no_further_gets_no_traceback_and_no_fault(tmp_path: Path, buffered: list[str]) -> None:
    (tmp_path / "numbers.zip").write_bytes(zipped(VERSION_2.files))
    reading, writing = os.pipe()
    os.close(reading)  # as `head` does, here before anything is written
    with os.fdopen(writing, "wb") as unread:
        ended = subprocess.run(
            [sys.executable, *buffered, "-m", "leaderboard", "task-from", str(tmp_path / "numbers.zip")],
            stdout=unread,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (ended.stderr, ended.returncode) == (b"", 141)


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


def test_phases_of_a_bundle_become_seasons(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    yaml = str(VERSION_2.files["bundle/competition.yaml"])
    limited = yaml.replace("end: 2026-03-01 00:00:00\n", "max_submissions_per_day: 2\n    max_submissions: 9\n")
    final = limited.replace("name: Final\n", "name: Final\n    end: 2026-04-01\n")
    bundle = tmp_path / "numbers.zip"
    bundle.write_bytes(zipped({**VERSION_2.files, "bundle/competition.yaml": final}))
    folder = tmp_path / "seasons"
    monkeypatch.setenv("PLUMBLINE_SEASONS", str(folder))
    assert main(["task-from", str(bundle), "--seasons"]) == 0
    assert f"season {folder / 'numbers_1.toml'}" in capsys.readouterr().out
    first, second = seasons_of(Settings.from_env({**os.environ}))
    # The first phase states no end: the second one begins on 2 March.
    assert [f"{moment:%m-%d %H:%M:%S}" for moment in (first.opens, first.closes, second.opens, second.closes)] == [
        "01-01 00:00:00", "03-01 23:59:59", "03-02 00:00:00", "04-01 00:00:00"
    ]  # fmt: skip
    assert (first.title, first.set_id) == ("Numbers: Development", "own_task:numbers")
    assert [(season.attempts_per_day, season.attempts_in_all) for season in (first, second)] == [(2, 9), (0, 0)]
    with pytest.raises(SystemExit):
        main(["task-from", str(bundle), "--seasons"])
    assert "numbers_1.toml, " in capsys.readouterr().err


def test_phases_that_cross_write_no_season(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    yaml = str(VERSION_2.files["bundle/competition.yaml"]).replace("end: 2026-03-01", "end: 2026-03-09")
    yaml = yaml.replace("start: 2026-03-02 00:00:00\n", "start: 2026-03-02 00:00:00\n    end: 2026-04-01\n")
    bundle = tmp_path / "numbers.zip"
    bundle.write_bytes(zipped({**VERSION_2.files, "bundle/competition.yaml": yaml}))
    monkeypatch.setenv("PLUMBLINE_SEASONS", str(tmp_path / "seasons"))
    with pytest.raises(SystemExit):
        main(["task-from", str(bundle), "--seasons"])
    assert "no season is written: numbers_2.toml: opens: found " in capsys.readouterr().err
    assert list((tmp_path / "seasons").iterdir()) == []


def test_a_zip_that_says_not_whose_it_is_is_told_what_it_lacks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "numbers.zip").write_bytes(zipped({**VERSION_2.files}))
    assert main(["task-from", str(tmp_path / "numbers.zip")]) == 0
    run = tmp_path / "run.zip"
    run.write_bytes(zipped({**VERSION_2.run}))
    capsys.readouterr()
    assert submissions_main(["check", str(run)]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "A zip for own_task:numbers begins with plumbline.json, which says whose it is" in said
    run.write_bytes(zipped({"plumbline.json": json.dumps(_ENVELOPE), **VERSION_2.run}))
    assert submissions_main(["check", str(run)]) == 0


_ENVELOPE = {"kind": "own_task", "task": "numbers", "team": "Aurora", "system": "Keel", "model": "m", "run": "r"}
