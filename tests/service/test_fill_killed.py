"""`python -m evaluator fill` killed again and again still makes the file it would have made."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from submissions.check import check_submission
from submissions.promptsets import PromptSets, load_demonstration

ROOT = Path(__file__).parents[2]
SLOW = "scripted:0.005"
PATIENCE_S = 60.0


def begun(out: Path) -> subprocess.Popen[str]:
    names = ["--team", "T", "--system", "S", "--model", "scripted", "--run", "1"]
    asked = ["--set", "demonstration", "--out", str(out)]
    return subprocess.Popen(
        [sys.executable, "-m", "evaluator", "fill", "--generator", SLOW, *asked, *names],
        cwd=ROOT,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 1)])
def test_a_run_that_is_ended_again_and_again_makes_the_file_of_one_that_is_not(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    whole, out = tmp_path / "whole.json", tmp_path / "run.json"
    begun(whole).communicate(timeout=PATIENCE_S)
    prompts = sum(len(item.variants) for item in load_demonstration().items)
    journal, ended = tmp_path / "run.json.answers.jsonl", 0
    while ended < 2:
        before, process = len(lines(journal)), begun(out)
        deadline = time.monotonic() + PATIENCE_S
        while len(lines(journal)) <= before + 4 and process.poll() is None:
            assert time.monotonic() < deadline, "no answer came"
            time.sleep(0.005)
        process.send_signal(number)
        _, errors = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == code, errors
        ended += 1
    kept = lines(journal)
    last = begun(out)
    _, errors = last.communicate(timeout=PATIENCE_S)
    assert last.returncode == 0, errors
    assert len(lines(journal)) < prompts
    # The first line says what the run is; a last one may have been cut off by the kill.
    assert f"going on: {len(kept) - 1}" in errors or f"going on: {len(kept) - 2}" in errors
    assert out.read_bytes() == whole.read_bytes()
    assert not journal.exists()
    report = check_submission(out.read_bytes(), out.name, prompt_sets=PromptSets.load(None))
    assert report.decision != "refused", report.problems
