"""`python -m evaluator answer` killed or interrupted again and again still makes the file it would have made."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from submissions.check import check_submission
from submissions.promptsets import PromptSets

ROOT = Path(__file__).parents[2]
QUESTIONS = 6
ROWS = 36  # 6 questions x (2 control runs + 2 settings x 2 methods)
SLOW = "scripted:0.002"
PATIENCE_S = 60.0


def begun(out: Path) -> subprocess.Popen[str]:
    names = ["--team", "T", "--system", "S", "--model", "scripted", "--run", "1"]
    asked = ["--method", "naive", "--method", "pref_aligner", "--settings", "relevant,irrelevant", "--repeat"]
    source = ["--generator", SLOW, "--questions", "demonstration", "--limit", str(QUESTIONS)]
    return subprocess.Popen(
        [sys.executable, "-m", "evaluator", "answer", *source, *asked, *names, "--out", str(out)],
        cwd=ROOT,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def wait_for_more(path: Path, than: int, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while len(lines(path)) <= than and process.poll() is None:
        assert time.monotonic() < deadline, "no row came"
        time.sleep(0.005)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 1)])
def test_a_run_that_is_ended_again_and_again_makes_the_file_of_one_that_is_not(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    whole, out = tmp_path / "whole.jsonl", tmp_path / "run.jsonl"
    begun(whole).communicate(timeout=PATIENCE_S)
    ended = 0
    while len(lines(out)) < ROWS - 8:
        process = begun(out)
        wait_for_more(out, max(len(lines(out)), 1) + 5, process)
        process.send_signal(number)
        _, errors = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == code, errors
        ended += 1
        if number == signal.SIGINT:
            assert "the same command goes on" in errors
            assert "Traceback" not in errors
            assert all(json.loads(line) for line in lines(out))
    last = begun(out)
    said, _ = last.communicate(timeout=PATIENCE_S)
    assert last.returncode == 0
    assert ended >= 3
    assert "check it: python -m submissions check" in said
    assert lines(out) == lines(whole)
    assert len(lines(out)) == ROWS + 1
    report = check_submission(out.read_bytes(), out.name, prompt_sets=PromptSets.load(None))
    assert report.decision == "accepted", report.problems
