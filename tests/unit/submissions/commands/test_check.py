"""`python -m submissions check` and `template`: exit codes, one line for wrong use, both forms of the report."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from submissions.__main__ import main
from tests.told_once import tell_once


@pytest.fixture(autouse=True)
def own_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("PLUMBLINE_ELOQUENT_DIR", raising=False)
    monkeypatch.setenv("PLUMBLINE_DATA", str(tmp_path / "data"))


def saved(folder: Path, content: Any) -> str:
    path = folder / "aurora.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return str(path)


def test_an_accepted_file_ends_with_0(tmp_path: Path, document: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", saved(tmp_path, document)]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("accepted: aurora.json (ELOQUENT 2024)\n")
    assert "coverage: 103/103 (en 49/49, ar 20/20" in shown
    assert "enough for a rank: english yes, all yes" in shown


def test_a_refused_file_ends_with_1_and_shows_place_message_and_fix(
    tmp_path: Path, document: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    document["eloquent-robustness-results"]["items"][0]["responses"][4] = {"response": None}
    assert main(["check", saved(tmp_path, document)]) == 1
    shown = capsys.readouterr().out
    assert "error response_type at $.eloquent-robustness-results.items[0].responses[4].response" in shown
    assert "(item 001, variant 5, ar)" in shown
    assert "expected a text, found null" in shown
    assert "fix: " in shown


def test_json_is_one_object_on_standard_output(
    tmp_path: Path, document: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    document["eloquent-robustness-results"]["source"] = ""
    path = saved(tmp_path, document)
    assert main(["check", path, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["problems"][0]["code"] == "source_missing"
    arguments = ["--team", "aurora", "--system", "s", "--model", "m", "--run", "r", "--edition", "2024"]
    assert main(["check", path, "--json", *arguments]) == 0
    assert json.loads(capsys.readouterr().out)["decision"] == "accepted"


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["check"],
        ["check", "file", "--edition", "1999"],
        ["check", "file", "--colour"],
        ["check", "/nowhere/file.json"],
        ["check", "."],
        ["check", "bad\0name"],
        ["template", "--set", "other"],
        ["template", "--answer-sheet"],
        ["template", "--output", "/nowhere/file.json"],
        ["dance"],
    ],
)
def test_wrong_use_ends_with_2_and_one_line(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert len(shown.err.splitlines()) == 1


def test_a_broken_folder_of_official_files_ends_with_2(
    tmp_path: Path, document: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLUMBLINE_ELOQUENT_DIR", str(tmp_path / "nowhere"))
    with pytest.raises(SystemExit) as ended:
        main(["check", saved(tmp_path, document)])
    assert ended.value.code == 2
    assert "nowhere" in capsys.readouterr().err


def test_more_than_two_hundred_problems_are_summed_up(
    tmp_path: Path, document: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    items = document["eloquent-robustness-results"]["items"]
    items += [{"id": f"x{number}", "responses": []} for number in range(300)]
    assert main(["check", saved(tmp_path, document)]) == 1
    # 300 unknown ids and the note that the official set is not at hand; 200 are listed.
    assert "and 101 more problems: set_unavailable 1, unknown_id 300" in capsys.readouterr().out


def test_template_writes_a_file_to_fill_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["template"]) == 0
    printed = json.loads(capsys.readouterr().out)
    target = tmp_path / "mine.json"
    assert main(["template", "--output", str(target)]) == 0
    assert json.loads(target.read_text("utf-8")) == printed
    assert len(printed["eloquent-robustness-results"]["items"]) == 16


def test_the_answer_sheet_of_our_own_set_needs_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["template", "--set", "demonstration", "--answer-sheet"]) == 0
    assert json.loads(capsys.readouterr().out)["items"][0]["variants"][0]["n"] == 1


VERDICTS = """judge,benchmark,task,model,query,order,verdict
gauge,demo,writing,aurora,q1,original,B
gauge,demo,writing,aurora,q1,swapped,C
"""


def test_a_table_of_verdicts_is_checked_with_its_flags(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "verdicts.csv"
    path.write_text(VERDICTS, encoding="utf-8")
    assert main(["check", str(path)]) == 1
    assert "error envelope_field at $" in capsys.readouterr().out
    assert main(["check", str(path), "--options", "2"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("accepted with warnings: verdicts.csv (judge_verdicts)\n")
    assert 'verdicts: 2 rows, 1 pairs of 1 items, 1 unusable\njudges: "gauge"; benchmarks: "demo"' in shown
    assert main(["check", str(path), "--options", "3", "--reference-model", "aurora", "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["kind"], report["edition"], report["decision"]) == ("judge_verdicts", None, "refused")
    assert report["problems_by_code"] == {"candidate_is_reference": 2}
    assert report["coverage"]["judges"] == ["gauge"]


def test_the_template_of_personalized_answers_is_checked_and_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "answers.json")
    assert main(["template", "--set", "personalization", "--output", path]) == 0
    assert main(["check", path]) == 1
    names = ["--team", "aurora", "--system", "chat", "--model", "org/m", "--run", "1"]
    assert "error source_placeholder at run" in capsys.readouterr().out
    assert main(["check", path, *names]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("accepted: answers.json (personalized_answers)\n")
    assert "5 rows of 2 examples, 2 control rows, 0 of further control runs" in shown
    assert "our_questions, mixed, pref_aligner: 1 rows, 1 examples, 1 with gold" in shown
    assert main(["check", path, *names, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["kind"], report["edition"], report["coverage"]) == ("personalized_answers", None, {})


def test_personalized_answers_have_no_answer_sheet(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["template", "--set", "personalization", "--answer-sheet"])
    assert stopped.value.code == 2
    assert "no answer sheet" in capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no such device on this system")
def test_a_device_without_a_size_is_an_empty_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "/dev/zero"]) == 1
    assert "empty_file" in capsys.readouterr().out


def test_a_pipe_is_checked_like_a_file(tmp_path: Path, document: Any, capsys: pytest.CaptureFixture[str]) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(json.dumps(document),))
    writer.start()
    assert main(["check", str(pipe)]) == 0
    writer.join()
    assert capsys.readouterr().out.startswith("accepted: pipe (ELOQUENT 2024)")


def test_a_problem_names_its_line_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "run.json"
    path.write_text('{"eloquent-robustness-results":\n {"source": "",\n "year": "2024", "items": []}}', "utf-8")
    assert main(["check", str(path)]) == 1
    assert "error source_missing at $.eloquent-robustness-results.source, line 2\n" in capsys.readouterr().out
    path.write_text("{\n", "utf-8")
    assert main(["check", str(path)]) == 1
    assert "error json_syntax at run.json:2:1\n" in capsys.readouterr().out  # the place says the line already
    assert main(["check", str(path), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["problems"][0]["line"] == 2


@pytest.mark.parametrize(
    ("setting", "most", "code", "words"),
    [
        ("PLUMBLINE_CHECK_S", "1", "too_slow_to_check", "took more than"),
        ("PLUMBLINE_CHECK_MB", "256", "too_large_to_check", "took more than 256 MiB of memory"),
    ],
)
def test_a_file_beyond_the_budget_is_refused_in_words(
    setting: str,
    most: str,
    code: str,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "file.json"
    # 150,000 answers take five seconds and 300 MiB.
    answers = (f'{{"questionid":{number},"turns":[{{"answer":"\U0001f600 {number}"}}]}}' for number in range(150_000))
    head = '{"team": "t", "label": "eloquent-2025-robustness", "language": "en", "questions": ['
    path.write_text(head + ",".join(answers) + "]}", encoding="utf-8")
    monkeypatch.setenv(setting, most)
    assert main(["check", str(path)]) == 1
    shown = capsys.readouterr().out
    assert shown.startswith("refused: file.json\n")
    assert f"error {code} at $\n" in shown
    assert words in shown
    assert setting in shown  # what to do about it


def test_a_check_that_takes_long_says_what_it_is_at(
    tmp_path: Path, document: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("submissions.commands.meanwhile.EVERY_S", 0.01)
    assert main(["check", saved(tmp_path, document)]) == 0
    assert capsys.readouterr().err.startswith("checking aurora.json, 0 s so far\n")


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["for reading", "for programs"])
def test_a_check_that_takes_long_says_so_on_standard_error_alone(
    tmp_path: Path,
    document: Any,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
) -> None:
    path = saved(tmp_path, document)
    assert main(["check", path, *options]) == 0
    quick = capsys.readouterr()
    assert quick.err == ""
    tell_once(monkeypatch)
    assert main(["check", path, *options]) == 0
    long = capsys.readouterr()
    assert long.err == "checking aurora.json, 0 s so far\n"
    assert long.out == quick.out
