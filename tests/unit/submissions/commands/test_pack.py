"""`python -m submissions pack`: what is written, what is said, and what is asked."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from submissions.__main__ import main
from submissions.check import check_submission
from submissions.promptsets import PromptSets

NAMES = ("--team", "Harbour", "--system", "{run}", "--model", "org/m")


@pytest.fixture(autouse=True)
def own_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("PLUMBLINE_ELOQUENT_DIR", raising=False)
    monkeypatch.setenv("PLUMBLINE_DATA", str(tmp_path / "data"))


@pytest.fixture
def packing(own_data: Path) -> Path:
    return own_data / "packing"


def answers(path: Path) -> dict[str, list[Any]]:
    with zipfile.ZipFile(path) as archive:
        return {
            name: [json.loads(line) for line in archive.read(name).splitlines()]
            for name in archive.namelist()
            if name.endswith(".jsonl")
        }


@pytest.mark.parametrize(
    ("folder", "runs"),
    [
        ("mixed", ["cot_cultural_llama-3_3", "zero-shot_qwen-2_5"]),
        ("arrays", ["greedy"]),
        ("objects", ["run-1"]),
        ("nested", ["baseline", "with_persona"]),
    ],
)
def test_every_shape_of_folder_becomes_submissions_that_are_accepted(
    folder: str, runs: list[str], packing: Path, tmp_path: Path, bare_sets: PromptSets
) -> None:
    assert main(["pack", str(packing / folder), "--out", str(tmp_path / "out"), *NAMES]) == 0
    written = sorted(path.stem for path in (tmp_path / "out").glob("*.zip"))
    assert written == runs
    for run in runs:
        report = check_submission((tmp_path / "out" / f"{run}.zip").read_bytes(), f"{run}.zip", prompt_sets=bare_sets)
        # A warning tells that few prompts are answered; nothing is wrong with the form.
        assert report.decision == "accepted_with_warnings"
        assert set(report.problems_by_code) <= {
            "missing_items", "too_few_languages", "set_unavailable", "metadata_field", "submissionid_chars"
        }  # fmt: skip


def test_the_plan_the_changes_and_what_is_left_aside_are_shown_and_logged(
    packing: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["pack", str(packing / "mixed"), "--out", str(tmp_path), *NAMES]) == 0
    shown = capsys.readouterr()
    row = "cot_cultural_llama-3_3     2026  cot_cultural_llama-3_3  org/m  de en      6 specific, 4 unspecific      4"
    assert row in shown.out
    assert "will not be ranked: it has 2 of the 5 languages a rank needs" in shown.out
    assert "checking 2 of 2" in shown.err
    log = [json.loads(line) for line in (tmp_path / "pack_log.jsonl").read_text().splitlines()]
    assert log[0]["answers"] == 10
    assert len(log[0]["made_of"]) == 4
    assert any("same bytes" in line.get("change", "") for line in log)


def test_without_a_terminal_the_missing_options_are_named_and_nothing_is_written(
    packing: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["pack", str(packing / "mixed"), "--out", str(tmp_path / "out")])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert "Give --team and --system (" in said  # the models stand in the names of the files
    assert "cot_cultural_llama-3_3, zero-shot_qwen-2_5" in said
    assert not (tmp_path / "out").exists()


def test_at_a_terminal_only_what_nothing_says_is_asked(
    packing: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Terminal:
        def __init__(self, *lines: str) -> None:
            self.lines = [*lines]

        def isatty(self) -> bool:
            return True

        def readline(self) -> str:
            return self.lines.pop(0)

    monkeypatch.setattr("sys.stdin", Terminal("\n", "Harbour\n", "{model}\n"))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert main(["pack", str(packing / "mixed"), "--out", str(tmp_path)]) == 0
    asked = [line for line in capsys.readouterr().err.split(": ") if " of cot_" in line]
    assert [line.split(" ")[0].strip() for line in asked] == ["team", "team", "system"]
    with zipfile.ZipFile(tmp_path / "zero-shot_qwen-2_5.zip") as archive:
        stated = json.loads(archive.read("submission_metadata.json"))
    assert (stated["team"], stated["system"], stated["model"]) == ("Harbour", "qwen-2_5", "qwen-2_5")
    assert stated["label"] == "eloquent-2026-cultural"
    assert stated["languages"] == ["de", "en"]


@pytest.mark.parametrize(
    ("folder", "files"),
    [
        ("questions_2025", ["greedy_de.json", "greedy_en.json", "seven_shot_de.json"]),
        ("variants_2024", ["plain.json", "polite.json"]),
    ],
)
def test_folders_of_earlier_editions_become_files_that_are_accepted(
    folder: str, files: list[str], packing: Path, tmp_path: Path, bare_sets: PromptSets
) -> None:
    assert main(["pack", str(packing / folder), "--out", str(tmp_path), *NAMES]) == 0
    assert sorted(path.name for path in tmp_path.glob("*.json")) == files
    for name in files:
        report = check_submission((tmp_path / name).read_bytes(), name, prompt_sets=bare_sets)
        assert report.decision != "refused", report.problems
        assert (report.edition, report.names.team) == (folder[-4:], "Harbour")
    log = [json.loads(line) for line in (tmp_path / "pack_log.jsonl").read_text().splitlines()]
    assert [line["file"] for line in log if "sha256" in line] == files
    assert all(line["made_of"] and line["answers"] for line in log if "sha256" in line)


def test_a_plan_writes_nothing(packing: Path, tmp_path: Path) -> None:
    assert main(["pack", str(packing / "arrays"), "--out", str(tmp_path / "out"), "--plan"]) == 0
    assert not (tmp_path / "out").exists()


def test_another_file_of_the_same_name_is_never_overwritten(packing: Path, tmp_path: Path) -> None:
    (tmp_path / "greedy.zip").write_bytes(b"mine")
    with pytest.raises(SystemExit) as ended:
        main(["pack", str(packing / "arrays"), "--out", str(tmp_path)])
    assert ended.value.code == 2
    assert (tmp_path / "greedy.zip").read_bytes() == b"mine"


def test_files_can_be_left_out_and_answers_that_cannot_be_used_end_with_1(packing: Path, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "de_specific.jsonl").write_text('{"id": "1-1", "answer": "a"}\n')
    (tmp_path / "in" / "sv_specific.jsonl").write_text('{"id": "1-1", "answer": 4}\n')
    command = ["pack", str(tmp_path / "in"), "--out", str(tmp_path / "out"), *NAMES]
    assert main(command) == 1
    assert answers(tmp_path / "out" / "run-1.zip") == {"de_specific.jsonl": [{"id": "1-1", "answer": "a"}]}
    assert main([*command, "--without", "sv_*"]) == 0


def test_prompts_are_compared_with_every_release_and_the_nearest_is_named_with_both_texts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def release(folder: Path, last: str) -> None:
        folder.mkdir(parents=True)
        rows = [{"id": "1", "prompt": "Какой праздник?"}, {"id": "2", "prompt": last}]
        (folder / "ru_unspecific.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    release(tmp_path / "official", "Что вы едите утром.")
    release(tmp_path / "official" / "releases" / "2026-02-10", "Что вы едите утром")
    monkeypatch.setenv("PLUMBLINE_ELOQUENT_DIR", str(tmp_path / "official"))
    (tmp_path / "ru.jsonl").write_text(
        json.dumps({"id": "1", "prompt": "Какой праздник?", "answer": "а"})
        + "\n"
        + json.dumps({"id": "2", "prompt": "Что вы едите утром", "answer": "б"})
    )
    command = ["pack", str(tmp_path / "ru.jsonl"), "--out", str(tmp_path / "out"), *NAMES]
    assert main(command) == 0
    assert "ru: all 2 prompts are those of 2026-02-10" in capsys.readouterr().out

    (tmp_path / "ru.jsonl").write_text(json.dumps({"id": "2", "prompt": "Что вы едите?", "answer": "б"}))
    main([*command[:3], str(tmp_path / "other"), *NAMES])
    shown = capsys.readouterr().out
    assert 'of which 1 of 1 prompts differ. 2: the file has "Что вы едите?", the release "Что вы едите утром."' in shown


@pytest.mark.parametrize("name", ["objects/de_specific.json", "arrays/german.json", "mixed.zip"])
def test_a_check_of_such_a_file_says_that_pack_would_mend_it_and_how(
    name: str, packing: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = packing / name
    if name == "mixed.zip":
        path = tmp_path / name
        with zipfile.ZipFile(path, "w") as archive:
            for file in sorted((packing / "mixed").iterdir()):
                archive.write(file, file.name)
    assert main(["check", str(path)]) == 1
    shown = capsys.readouterr().out
    assert "note pack_would_mend at $" in shown
    command = next(line.strip() for line in shown.splitlines() if "fix: python -m submissions pack" in line)
    assert command == f"fix: python -m submissions pack {path.name} --team TEAM --system SYSTEM"
    arguments = command.replace("fix: python -m submissions ", "").replace(path.name, str(path)).split()
    assert main([*arguments, "--model", "org/m", "--out", str(tmp_path / "out")]) == 0


@pytest.mark.parametrize(
    ("name", "edition", "rest"),
    [
        ("questions_2025/greedy/deutsch.json", "2025", ""),  # no label, and a question beside its id
        ("variants_2024/polite.jsonl", "2024", " --team TEAM --system SYSTEM"),  # an item per line
        ("variants_2024/plain/english.json", "2024", " --team TEAM --system SYSTEM"),  # one language, a bare list
    ],
)
def test_a_check_of_a_file_of_an_earlier_edition_says_so_too(
    name: str, edition: str, rest: str, packing: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = packing / name
    assert main(["check", str(path)]) == 1
    shown = capsys.readouterr().out
    assert f"We can convert this file: pack reads the answers of {edition} in it" in shown
    command = next(line.strip() for line in shown.splitlines() if "fix: python -m submissions pack" in line)
    assert command == f"fix: python -m submissions pack {path.name}{rest}"
    arguments = command.replace("fix: python -m submissions ", "").replace(path.name, str(path)).split()
    assert main([*arguments, "--model", "org/m", "--out", str(tmp_path / "out")]) == 0


def test_what_pack_cannot_mend_is_not_promised(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.json").write_text('{"1-1": 5}')
    assert main(["check", str(tmp_path / "x.json")]) == 1
    assert "pack" not in capsys.readouterr().out


@pytest.mark.parametrize("command", ["check", "submit"])
def test_a_folder_explains_itself(command: str, packing: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, str(packing / "mixed")])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith(f"{command}: {packing / 'mixed'} is a folder, and a submission is one file.")
    assert f"python -m submissions pack {packing / 'mixed'}" in said


def test_submit_says_that_a_run_will_not_be_ranked(
    packing: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["pack", str(packing / "arrays"), "--out", str(tmp_path)])
    capsys.readouterr()
    assert main(["submit", str(tmp_path / "greedy.zip")]) == 0
    assert "It will not be ranked: it has 2 of the 5 languages a rank needs" in capsys.readouterr().out
