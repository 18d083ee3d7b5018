"""Bounds on figures for CI: which exit codes they give, and what a card says of a result."""

from __future__ import annotations

import argparse
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from huggingface_hub import parse_eval_result_entries

from evaluator.__main__ import main
from evaluator.commands.model_card import NoCard, write_card
from evaluator.commands.thresholds import Bound, UnknownFigure, beyond, bound
from evaluator.own_tasks.installing import install
from evaluator.sandbox import program
from tests.own_tasks import ANSWERS, pisa_file, pisa_folder
from tests.unit.submissions.formats.eloquent.cultural_files import run_files, zipped

PIN = {"name": "embedding", "model": "mini", "revision": "0123456789abcdef"}


def result(value: float | None, reason: str | None = None) -> dict[str, Any]:
    headline = {"value": value, "low": 0.1, "high": 0.5, "n": 12, "unscored": 0, "reason": reason}
    return {
        "board": "cultural",
        "prompt_set": {"set_id": "eloquent-2026"},
        "embedding": PIN,
        "figures": {"culture_gated": headline, "cd": {"value": 0.2, "n": 12}},
        "languages": {"de": {"answered": 5}},
        "pairs": [{"rho": -0.25}],
    }


@pytest.mark.parametrize(
    ("bounds", "lines"),
    [
        ([Bound("", "below", 0.3)], []),  # at the bound is not below it
        ([Bound("", "below", 0.31)], ["the headline is 0.3, below 0.31"]),
        ([Bound("figures.cd", "above", 0.1)], ["figures.cd is 0.2, above 0.1"]),
        ([Bound("languages.de.answered", "below", 6)], ["languages.de.answered is 5, below 6"]),
        ([Bound("pairs.0.rho", "below", 0)], ["pairs.0.rho is -0.25, below 0"]),
        (
            [Bound("", "below", 1), Bound("figures.cd", "below", 1)],
            ["the headline is 0.3, below 1", "figures.cd is 0.2, below 1"],
        ),
    ],
)
def test_a_figure_beyond_its_bound_is_named_with_both_numbers(bounds: list[Bound], lines: list[str]) -> None:
    assert beyond(result(0.3), bounds) == lines


@pytest.mark.parametrize("side", ["below", "above"])
def test_a_figure_without_a_value_holds_no_bound(side: Any) -> None:
    (line,) = beyond(result(None, "answers in one language"), [Bound("", side, 0)])
    assert line.startswith("the headline has no value (answers in one language)")


@pytest.mark.parametrize("figure", ["figures.boat", "figures", "pairs.1.rho", "pairs.x", "board", "a.b\u202ec", "."])
def test_an_unknown_figure_is_refused_with_those_there_are(figure: str) -> None:
    with pytest.raises(UnknownFigure) as refused:
        beyond(result(0.3), [Bound(figure, "below", 0)])
    assert "\u202e" not in str(refused.value)


@pytest.mark.parametrize("text", ["", "high", "a=", "nan", "a=inf", "1,5"])
def test_what_is_no_bound_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="expected a number, or FIGURE=NUMBER"):
        bound(text, "below")


def test_the_card_says_value_interval_n_and_judge(tmp_path: Path) -> None:
    write_card(result(0.3), "owner/board", "aurora/7b", tmp_path, datetime(2026, 11, 1, tzinfo=UTC))
    (entry,) = parse_eval_result_entries(yaml.safe_load((tmp_path / ".eval_results" / "plumbline.yaml").read_text()))
    assert (entry.dataset_id, entry.task_id, entry.value) == ("owner/board", "cultural/2026", 0.3)
    assert str(entry.date).startswith("2026-11-01")
    for said in ("95% interval 0.1 to 0.5", "n = 12", "embedding (mini, revision 0123456789ab)", "not ranked"):
        assert said in (entry.notes or "")
    (index,) = yaml.safe_load((tmp_path / "model-index.yaml").read_text())["model-index"]
    assert index["name"] == "aurora/7b"
    (metric,) = index["results"][0]["metrics"]
    assert (metric["value"], metric["type"]) == (0.3, "culture_gated")


def test_a_result_without_a_headline_gives_no_card(tmp_path: Path) -> None:
    with pytest.raises(NoCard, match="one language"):
        write_card(result(None, "one language"), "owner/board", "m", tmp_path, datetime(2026, 11, 1, tzinfo=UTC))
    assert list(tmp_path.iterdir()) == []


def test_the_command_ends_with_3_below_the_bound_and_with_0_above_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PLUMBLINE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("PLUMBLINE_EMBEDDING", "scripted")
    path = tmp_path / "run.zip"
    path.write_bytes(zipped(run_files()))
    command = ["evaluate", "--json", "--judge=scripted"]
    # The headline lies between -1 and 1.
    card = [f"--card={tmp_path / 'card'}", "--dataset=owner/board"]
    assert main([*command, "--fail-below=-1.5", *card, "--", str(path)]) == 0
    shown = capsys.readouterr()
    stated = json.loads(shown.out)["figures"]["culture_gated"]["value"]
    (entry,) = yaml.safe_load((tmp_path / "card" / ".eval_results" / "plumbline.yaml").read_text())
    assert entry["value"] == pytest.approx(stated, abs=1e-12)
    assert main([*command, "--fail-below=1.5", "--", str(path)]) == 3
    shown = capsys.readouterr()
    assert "below 1.5" in shown.err
    assert json.loads(shown.out)["board"] == "cultural"  # what was measured is printed all the same
    for wrong in (["--fail-below=boat=1"], ["--fail-below=high"], ["--card=x"], ["--card=x", "--dataset=boat"]):
        with pytest.raises(SystemExit) as ended:
            main([*command, *wrong, "--", str(path)])
        assert ended.value.code == 2
        assert "Traceback" not in capsys.readouterr().err


def test_a_task_of_ones_own_has_no_card_and_its_headline_holds_a_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PLUMBLINE_DATA", str(tmp_path / "data"))
    install(pisa_folder(tmp_path), tmp_path / "data" / "tasks")
    file = tmp_path / "run.jsonl"
    file.write_bytes(pisa_file(dict.fromkeys(ANSWERS, "dry extinct flu")))  # 0.1875 of full credit
    scored = ["evaluate", str(file), "--judge", "scripted"]
    assert main([*scored, "--fail-below", "0.18"]) == 0
    assert main([*scored, "--fail-below", "0.19"]) == 3
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main([*scored, "--card", str(tmp_path / "card"), "--dataset", "owner/name"])
    assert ended.value.code == 2
    assert "--card is of ELOQUENT and the demonstration set" in capsys.readouterr().err
    monkeypatch.setattr(program, "_tried", [])
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(scored) == 1
    assert "the task pisa cannot be scored here: bwrap is missing" in capsys.readouterr().err
