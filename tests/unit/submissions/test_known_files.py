"""Every kind of file is told by one recogniser, and each door sends what it does not take to the one that does."""

from __future__ import annotations

import contextlib
import io
import json
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from evaluator.__main__ import main
from evaluator.doctor.diagnosis import diagnose
from evaluator.judge_logs.registry import LOG_FORMATS, read_log
from submissions.check import check_submission
from submissions.known_files import DOORS, FILE_TYPES, JUDGE_LOGS, look_at, words_of
from submissions.packing.plan import planned
from submissions.packing.sources import Gathering

DATA = Path(__file__).parents[2] / "data"
LOGS = DATA / "judge_logs"
KINDS = {
    "alpaca_eval.json": "alpaca_eval",
    "arena_140k.jsonl": "lmarena",
    "arena_55k.csv": "lmarena",
    "comparia_votes.jsonl": "comparia",
    "fastchat_pair.jsonl": "fastchat",
    "fastchat_single.jsonl": "fastchat",
    "inspect.eval": "inspect",
    "inspect.json": "inspect",
    "judge_arena.parquet": "judge_arena",
    "judge_bench.jsonl": "judge_bench",
    "mt_bench_gpt4_pair.jsonl": "lmarena",
    "promptfoo.json": "promptfoo",
    "reward_bench.json": "reward_bench",
    "table.csv": "table",
}


def zipped(**entries: str) -> bytes:
    whole = BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for name, text in entries.items():
            archive.writestr(name, text)
    return whole.getvalue()


def as_bytes(value: Any) -> bytes:
    return json.dumps(value).encode()


MADE = [
    (as_bytes({"eloquent-robustness-results": {}}), "a.json", "eloquent_2024"),
    (as_bytes({"eloquent-robustness-test": {}}), "a.json", "eloquent_test_set"),
    (as_bytes({"team": "t", "questions": []}), "a.json", "eloquent_2025"),
    (zipped(**{"submission_metadata.json": "{}"}), "a.zip", "eloquent_2026"),
    (zipped(**{"de.jsonl": "{}"}), "a.zip", "packed_answers"),
    (zipped(**{"header.json": "{}", "samples/1_epoch_1.json": "{}"}), "log", "inspect"),
    (as_bytes({"kind": "personalized_pairs", "items": []}), "a.json", "stated_kind"),
    (b"judge,benchmark,task,model,query,order,verdict\n", "a.csv", "judge_verdicts"),
    (b"judge;benchmark;task;model;query;order;verdict\n", "a.csv", "judge_verdicts"),
    (b"judge,task,model,query,verdict_original,verdict_swapped\n", "a.csv", "wide_verdicts"),
    (b"id,judge,task,model,answer,score\n1,j,t,m,a,4\n", "a.csv", "ratings"),
    (b"id,task,model,query,answer\n1,t,m,q,a\n", "a.csv", "answers"),
    (b"question,first,second,verdict,judge\n", "a.csv", "judgements"),
    (b"sep=;\r\nquestion;system;rating\r\n", "a.csv", "judgements"),
    (b"label_id,label,expected,prompt\n", "a.csv", "label_sheet"),
    (b"example_id,dataset,setting,system\n", "a.csv", "personalization_rows"),
    (b"id,answer\n7-3,yes\n", "a.csv", "answers"),
    (b'{"id": "7-3", "answer": "yes"}\n{"id": "7-4", "answer": "no"}\n', "a.jsonl", "answers"),
    (as_bytes({"7-3": "yes", "7-4": "no"}), "a.json", "answers"),
    (as_bytes({"language": "de", "results": [{"id": "7-3", "answer": "yes"}]}), "a.json", "answers"),
    (
        b'{"id": 1, "prompt": "p", "answer": "a", "score": 4}\n{"id": 2, "prompt": "p", "answer": "a", "score": 3}\n',
        "a.jsonl",
        "ratings",
    ),
    (b'{"custom_id": "7-3", "response": {}, "error": null}\n', "a.jsonl", "openai_batch"),
    (b'{"custom_id": "7-3", "result": {}}\n', "a.jsonl", "anthropic_batch"),
]


@pytest.mark.parametrize(("name", "key"), KINDS.items())
def test_a_log_of_every_tool_is_known(name: str, key: str) -> None:
    _, known = look_at((LOGS / name).read_bytes(), name)
    assert known is not None
    assert known.key == key


@pytest.mark.parametrize(("data", "name", "key"), MADE)
def test_a_file_of_every_other_kind_is_known(data: bytes, name: str, key: str) -> None:
    _, known = look_at(data, name)
    assert known is not None
    assert known.key == key


@pytest.mark.parametrize(
    ("data", "name", "words"),
    [
        (b"", "a.json", "an empty file"),
        (b"%PDF-1.7 ...", "a.pdf", "a PDF"),
        (b"dear all,\nhere is nothing\n", "a.txt", "a text"),
        (b"ab\x00cd", "a", "a binary file"),
        (b'{"a": 1, "b": 2}', "a.json", 'JSON with the keys "a", "b"'),
        (b"{", "a.json", "JSON"),
    ],
)
def test_what_nobody_reads_is_named_all_the_same(data: bytes, name: str, words: str) -> None:
    seen, known = look_at(data, name)
    assert known is None
    assert words_of(seen, known) == words


@pytest.mark.parametrize("name", [name for name, key in KINDS.items() if key != "table"])
def test_submit_and_pack_send_a_judges_log_to_the_judge_report(name: str, bare_sets: Any) -> None:
    data = (LOGS / name).read_bytes()
    [problem] = check_submission(data, name, prompt_sets=bare_sets).problems
    title = next(log.title for log in JUDGE_LOGS if log.key == KINDS[name])
    pointer = f"Drop it on Judges, Judge report, or run: python -m evaluator judge-report {name}"
    assert (problem.code, problem.message, problem.hint) == ("wrong_kind", f"this is {title}, no submission", pointer)
    gathering = Gathering()
    gathering.add_paths([LOGS / name])
    plan = planned(gathering.sources, gathering.aside, prompt_sets=bare_sets)
    assert [aside.why for aside in plan.aside] == [f"this is {title}. {pointer}"]
    assert not plan.has_losses


NO_LOGS = [made for made in MADE if made[2] not in ("inspect", "judgements", "ratings")]


@pytest.mark.parametrize(("data", "name", "key"), NO_LOGS)
def test_the_judge_report_sends_every_other_file_to_its_door(data: bytes, name: str, key: str) -> None:
    known = next(known for known in FILE_TYPES if known.key == key)
    reading = read_log(data, name)
    assert reading.log is None
    [problem] = reading.findings.problems
    title = "a submission of the kind personalized_pairs" if key == "stated_kind" else known.title
    assert problem.message == f"this is {title}, no judge's log"
    assert problem.hint == DOORS[known.doors[0]].words(name)


@pytest.mark.parametrize("command", ["position-bias", "repetition", "judge-agreement", "personalization"])
def test_commands_for_tables_name_a_log_and_send_it_on(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([command, str(LOGS / "alpaca_eval.json")])
    assert stopped.value.code == 2
    assert "this is AlpacaEval annotations. Drop it on Judges, Judge report" in capsys.readouterr().err


@pytest.mark.parametrize("at", range(0, 2_000, 97))
def test_a_log_that_is_cut_off_is_still_known(at: int) -> None:
    data = (LOGS / "promptfoo.json").read_bytes()
    _, known = look_at(data[: 200 + at], "promptfoo.json")
    assert known is not None
    assert known.key == "promptfoo"


def test_the_readers_are_those_that_are_recognised() -> None:
    assert [log.key for log in LOG_FORMATS] == [log.key for log in JUDGE_LOGS]
    assert {known.key for known in JUDGE_LOGS} <= {known.key for known in FILE_TYPES} | {"csv"}


# --- every door ------------------------------------------------------------------------------------------------------

_NO_INPUTS = {"expected.json", "observed.txt", "stub.py", "README.md"}
FILES = sorted(
    path
    for folder in ("reports", "judge_logs", "packing", "eloquent/fixtures/valid", "personalized_evaluation/cases")
    for path in (DATA / folder).rglob("*")
    if path.is_file() and path.name not in _NO_INPUTS
)
DROPPED = [
    *(pytest.param(path.read_bytes(), path.name, id=str(path.relative_to(DATA))) for path in FILES),
    *(pytest.param(data, name, id=f"{key}-{number}") for number, (data, name, key) in enumerate(MADE)),
]


def said_by_pack(data: bytes, name: str, sets: Any) -> list[str]:
    gathering = Gathering()
    gathering.add(name, (), data)
    return [aside.why for aside in planned(gathering.sources, gathering.aside, prompt_sets=sets).aside]


def said_by_check(data: bytes, name: str, sets: Any) -> list[str]:
    problems = check_submission(data, name, prompt_sets=sets).problems
    return [f"{problem.message}. {problem.hint}" for problem in problems]


def said_by_report(data: bytes, name: str, _: Any) -> list[str]:
    return [f"{problem.message}. {problem.hint}" for problem in read_log(data, name).findings.problems]


def said_by_command(command: str, data: bytes, name: str, folder: Path) -> list[str]:
    """What a command for tables writes before it ends."""
    path = folder / name
    path.write_bytes(data)
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        main([command, str(path)])
    return [said.getvalue()]


@pytest.mark.parametrize(("data", "name"), DROPPED)
def test_every_door_calls_a_file_the_same_and_sends_it_to_the_door_that_takes_it(
    data: bytes, name: str, bare_sets: Any, tmp_path: Path
) -> None:
    seen, known = look_at(data, name)
    title = words_of(seen, known)
    diagnosis = diagnose(data, name, bare_sets)
    assert diagnosis.is_a == title
    assert [taker.where for taker in diagnosis.takers] == [DOORS[key].where for key in (known.doors if known else ())]
    if known is None:
        return
    said = {
        "pack": said_by_pack(data, name, bare_sets),
        "submit": said_by_check(data, name, bare_sets),
        "judge_report": said_by_report(data, name, bare_sets),
        "position_bias": said_by_command("position-bias", data, name, tmp_path),
        "personalization": said_by_command("personalization", data, name, tmp_path),
    }
    for door, words in said.items():
        is_taken = door in known.doors or (door == "submit" and known.doors[0] == "pack" and seen.shape != "csv")
        others = [text for text in words if f"this is {title}" in text and known.pointer(name) in text]
        assert bool(others) is not is_taken or (door == "submit" and "pack" in known.doors), (door, words)
