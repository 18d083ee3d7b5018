"""Reported inputs 17 to 25 of `tests/data/reports`: the command of each gives what its `expected.json` says is right."""

from __future__ import annotations

import json
import shlex
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from submissions.__main__ import main as submissions_command

REPORTS = Path(__file__).parents[1] / "data" / "reports"


class Report:
    """One reported input, and its command."""

    def __init__(self, folder: Path, out: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.expected: dict[str, Any] = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
        self.out = out
        self._capsys = capsys

    def run(self, command: Callable[[list[str]], int]) -> tuple[int, str]:
        """Exit code of the command, and what it printed."""
        words = shlex.split(self.expected["command"].rpartition("& ")[2])[3:]
        status = command([str(self.out) if word == "OUT" else word for word in words])
        said = self._capsys.readouterr()
        return status, said.out + said.err


@pytest.fixture
def report(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Iterator[Report]:
    """The report whose number the test names."""
    (folder,) = REPORTS.glob(f"{request.param}_*")
    monkeypatch.delenv("PLUMBLINE_ELOQUENT_DIR", raising=False)
    monkeypatch.setenv("PLUMBLINE_DATA", str(tmp_path / "data"))
    monkeypatch.chdir(folder)
    return Report(folder, tmp_path / "out", capsys)


def of(number: int) -> Any:
    return pytest.mark.parametrize("report", [number], indirect=True, ids=str)


@of(17)
def test_ids_from_0_move_no_answer(report: Report) -> None:
    status, said = report.run(submissions_command)
    # right: exit code 1 and no run (ids begin at 0, one answer has no place), or ids moved by one
    assert status == 1
    assert not report.out.exists()
    assert "ids begin at 0" in said
    assert "one answer has no place" in said


@of(18)
def test_each_run_has_the_metadata_of_its_own_files(report: Report) -> None:
    status, said = report.run(submissions_command)
    assert status == 0
    lines = [line.split() for line in said.splitlines() if line.startswith(("baseline", "variant"))]
    right = report.expected["right"]
    assert [f"system {words[2]}" for words in lines] == [right["baseline run"], right["rewrite run"]]


@of(19)
def test_a_run_that_is_a_number_is_a_run_of_its_own(report: Report) -> None:
    status, said = report.run(submissions_command)
    # right: three runs (0, 1, 2)
    assert status == 0
    assert [line.split()[0] for line in said.splitlines()[1:4]] == ["mistral7b-0", "mistral7b-1", "mistral7b-2"]


@of(19)
def test_the_answers_of_numbered_runs_stay_apart(report: Report, tmp_path: Path) -> None:
    # without --edition it was taken for 2024
    command = ["pack", "run", "--team", "T", "--system", "S", "--model", "m", "--out", str(tmp_path / "out")]
    assert submissions_command(command) == 0
    with zipfile.ZipFile(tmp_path / "out" / "mistral7b-1.zip") as archive:
        written = [json.loads(line) for line in archive.read("de_unspecific.jsonl").splitlines()]
    assert [row["answer"] for row in written] == [f"de {number} run 1" for number in range(1, 5)]


@of(20)
def test_a_reference_beside_an_answer_is_never_taken_in_silence(report: Report) -> None:
    status, said = report.run(submissions_command)
    # right: a fault or at least a remark: answer and response differ
    assert status == 1
    assert '"answer" and "response" hold different answers in 101 rows' in said
