"""`python -m evaluator evaluate`: what pack wrote is scored, and a long evaluation says what it is at."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluator.__main__ import main
from submissions.__main__ import main as submissions_main
from submissions.promptsets import examples_of_2025
from tests.told_once import tell_once
from tests.unit.submissions.formats.eloquent.cultural_files import METADATA, run_files, zipped


@pytest.fixture(autouse=True)
def own_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("PLUMBLINE_ELOQUENT_DIR", raising=False)
    monkeypatch.setenv("PLUMBLINE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("PLUMBLINE_EMBEDDING", "scripted")


def test_what_was_packed_is_scored_and_progress_is_told_meanwhile(
    own_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert submissions_main(["pack", str(own_data / "packing" / "arrays"), "--out", str(tmp_path)]) == 0
    capsys.readouterr()
    tell_once(monkeypatch)
    assert main(["evaluate", str(tmp_path / "greedy.zip"), "--json", "--judge", "scripted"]) == 0
    shown = capsys.readouterr()
    result = json.loads(shown.out)
    assert result["board"] == "cultural"
    assert {language: one["answered"] for language, one in result["languages"].items()} == {"de": 5, "en": 5}
    # Standard output holds the result and nothing else, or a program could not read it.
    assert shown.err.endswith(" s so far\n")
    assert "so far" not in shown.out
    assert main(["evaluate", str(tmp_path / "greedy.zip"), "--judge", "scripted"]) == 0
    shown = capsys.readouterr()
    assert ("so far" in shown.err, "so far" in shown.out) == (True, False)


def test_a_zip_without_metadata_is_scored_under_the_names_that_the_options_give(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = run_files()
    del files[METADATA]
    path = tmp_path / "run.zip"
    path.write_bytes(zipped(files))
    assert main(["evaluate", str(path), "--json", "--judge", "scripted"]) == 1
    assert "no team is given with it" in capsys.readouterr().err
    names = ["--team", "aurora", "--system", "aurora-7b", "--model", "aurora/7b", "--run", "run-1"]
    assert main(["evaluate", str(path), "--json", "--judge", "scripted", *names]) == 0
    bare = json.loads(capsys.readouterr().out)
    path.write_bytes(zipped(run_files()))  # with metadata that states these very names
    assert main(["evaluate", str(path), "--json", "--judge", "scripted"]) == 0
    whole = json.loads(capsys.readouterr().out)
    assert bare["figures"] == whole["figures"]
    assert bare["file_sha256"] != whole["file_sha256"]


def test_the_files_of_a_run_of_2025_are_one_run_under_the_names_of_the_options(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = []
    for name, data in list(examples_of_2025())[:2]:
        document = {
            key: value for key, value in json.loads(data).items() if key not in ("team", "system", "submissionid")
        }
        (tmp_path / name).write_text(json.dumps(document))
        paths.append(str(tmp_path / name))
    assert (
        main(["evaluate", *paths, "--json", "--judge", "scripted", "--team", "t", "--system", "s", "--run", "r"]) == 0
    )
    assert len(json.loads(capsys.readouterr().out)["files"]) == 2
