"""Reported inputs 17 to 25 of `tests/data/reports`: the command of each gives what its `expected.json` calls right."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluator.__main__ import main as evaluator_command
from submissions.__main__ import main as submissions_command
from tests.service.test_worker_killed import free_port

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
) -> Report:
    """The report whose number the test names."""
    (folder,) = REPORTS.glob(f"{request.param}_*")
    monkeypatch.delenv("PLUMBLINE_ELOQUENT_DIR", raising=False)
    monkeypatch.setenv("PLUMBLINE_DATA", str(tmp_path / "data"))
    monkeypatch.chdir(folder)
    return Report(folder, tmp_path / "out", capsys)


def of(number: int) -> pytest.MarkDecorator:
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
    table = said.partition("prompts: ")[0]
    lines = [line.split() for line in table.splitlines()[:-1] if line.startswith(("baseline", "variant"))]
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


# --- tables: 24 and 25 -----------------------------------------------------------------------------------------------


@of(24)
def test_a_gold_that_is_no_letter_of_an_option_is_refused(report: Report) -> None:
    status, said = report.run(evaluator_command)
    # right: refused or told: gold 1..4 of 20 rows is none of the options' letters
    assert status != 0
    problems = json.loads(said)["problems"]
    assert {problem["code"] for problem in problems} == {"gold_not_an_option"}
    assert len(problems) == 20


@of(25)
def test_a_table_says_that_its_cells_are_separated_by_semicolons(report: Report) -> None:
    status, said = report.run(evaluator_command)
    assert status == 0
    made = json.loads(said)
    assert "The cells are separated by semicolons." in made["notes"]
    assert made["systems"] == ["m1", "m2"]


# --- fill: 21 to 23 --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server() -> Iterator[int]:
    """The port of the server of the reports, which streams as the name of the model says."""
    (folder,) = REPORTS.glob("21_*")
    port = free_port()
    address = f"http://127.0.0.1:{port}/"
    with subprocess.Popen([sys.executable, str(folder / "stub.py"), str(port)]) as stub:
        try:
            until = time.monotonic() + 60
            while time.monotonic() < until and stub.poll() is None:
                try:
                    urllib.request.urlopen(address, timeout=5)
                except urllib.error.HTTPError:
                    break  # it knows no such address, so it is there
                except OSError:
                    time.sleep(0.05)
            yield port
        finally:
            stub.kill()


class Filled:
    """What became of one mode of the server."""

    def __init__(self, port: int, mode: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (report,) = REPORTS.glob("21_*")
        command = json.loads((report / "expected.json").read_text(encoding="utf-8"))["command"]
        words = shlex.split(re.sub(r"^.*? & ", "", command))[3:]
        out = folder / "o.json"
        words = [word.replace("18777", str(port)).replace("MODE", mode) for word in words]
        self.status = evaluator_command([str(out) if word == "o.json" else word for word in words])
        self.said = capsys.readouterr().err
        journal = folder / "o.json.answers.jsonl"
        rows = journal.read_text(encoding="utf-8").splitlines()[1:] if journal.exists() else []
        self.stored = [json.loads(row) for row in rows]
        self.answer: str | None = None
        if out.exists():
            (item,) = json.loads(out.read_text(encoding="utf-8"))["eloquent-robustness-results"]["items"][:1]
            self.answer = next(one["response"] for one in item["responses"])


@pytest.fixture
def filled(server: int, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.delenv("PLUMBLINE_ELOQUENT_DIR", raising=False)
    monkeypatch.setenv("PLUMBLINE_DATA", str(tmp_path / "data"))
    return lambda mode: Filled(server, mode, tmp_path, capsys)


WHOLE = "Paris is the capital of France, and it lies on the Seine."


@pytest.mark.parametrize(
    "mode",
    [
        "closed_before_finish",
        "closed_in_the_middle_of_a_line",
        "html_login_page",
        "empty_body",
        "error_json_200",
        "midstream_error_top",
        "midstream_finish_error",
        "fastchat_error_code",
        "vllm_old_error_object",
        "tool_calls",
    ],
)
def test_what_is_no_whole_answer_is_a_fault_and_nothing_is_stored(filled: Any, mode: str) -> None:
    made = filled(mode)
    assert made.status != 0
    assert made.answer is None
    assert made.stored == []
    assert "the same command goes on" in made.said


@pytest.mark.parametrize(
    "mode",
    [
        "plain",
        "not_streamed_json",
        "no_finish_but_done",
        "azure_empty_choices",
        "openrouter_comments",
        "finish_empty_string",
        "content_in_finish_chunk",
        "content_parts",
        "crlf",
        "nul_and_bel",
        "think_close_only",
        "think_both",
        "think_harmony",
        "think_tag_thinking",
        "think_reasoning_tag",
        "think_seed",
        "think_caps",
        "flaky",
    ],
)
def test_a_whole_answer_is_stored_without_thoughts_however_it_comes(filled: Any, mode: str) -> None:
    assert filled(mode).answer == WHOLE


def test_thoughts_that_never_end_leave_no_answer(filled: Any) -> None:
    (report,) = REPORTS.glob("23_*")
    (mode,) = json.loads((report / "expected.json").read_text(encoding="utf-8"))["modes"]
    # right: "" (docs/submit.md: reasoning before an answer is taken out), finish length
    made = filled(mode)
    assert made.answer in ("", None)
    assert "<think>" not in json.dumps(made.stored)


def test_halves_of_a_character_in_two_events_are_one_character(filled: Any) -> None:
    assert filled("surrogate").answer == "Paris is the capital \U0001f600 of France, and it lies on the Seine."


def test_a_cut_off_answer_is_asked_again_by_the_same_command(filled: Any) -> None:
    assert filled("flaky_cut").status != 0
    assert filled("flaky_cut").answer == WHOLE


def test_a_refusal_in_a_field_of_its_own_is_the_answer(filled: Any) -> None:
    assert filled("refusal_field").answer == "I cannot help with that."
