"""A bad log of every format: each fault is told with its place, and no good record is lost or taken for half a log."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from evaluator.judge_logs.registry import LOG_FORMATS, read_log

DATA = Path(__file__).parents[3] / "data" / "judge_logs"

Faults = set[tuple[str, str]]
"""Code and place of every fault."""


def records(name: str) -> list[dict[str, Any]]:
    data = (DATA / name).read_bytes()
    if name.endswith(".parquet"):
        rows: list[dict[str, Any]] = pyarrow.parquet.read_table(pyarrow.BufferReader(data)).to_pylist()
        return rows
    if name.endswith(".csv"):
        return list(csv.DictReader(io.StringIO(data.decode())))
    return [json.loads(line) for line in data.splitlines()] if name.endswith(".jsonl") else json.loads(data)


def as_lines(rows: list[dict[str, Any]]) -> bytes:
    return "\n".join(map(json.dumps, rows)).encode()


def as_parquet(rows: list[dict[str, Any]]) -> bytes:
    whole = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), whole)
    return whole.getvalue()


def as_csv(rows: list[dict[str, Any]]) -> bytes:
    whole = io.StringIO()
    table = csv.DictWriter(whole, list(rows[0]))
    table.writeheader()
    table.writerows(rows)
    return whole.getvalue().encode()


def alpaca_eval() -> tuple[str, bytes, Faults]:
    rows = records("alpaca_eval.json")
    rows[0]["preference"] = 3
    rows[1]["preference"] = "the first"
    rows[2]["generator_1"] = ["m"]
    rows[3]["instruction"] = None
    rows[4]["annotator"] = ""
    faults = {("bad_verdict", "$[0]"), ("bad_verdict", "$[1]"), *(("missing_field", f"$[{n}]") for n in (2, 3, 4))}
    return "annotations.json", json.dumps([*rows, "no record"]).encode(), {*faults, ("wrong_root", f"$[{len(rows)}]")}


def fastchat_pair() -> tuple[str, bytes, Faults]:
    rows = records("fastchat_pair.jsonl")
    rows[0]["g1_winner"] = rows[0]["g2_winner"] = "A"
    rows[1]["model_1"] = 7.5
    rows[2]["judge"] = []
    del rows[3]["question_id"]
    faults = {("bad_verdict", "log.jsonl:1"), *(("missing_field", f"log.jsonl:{n}") for n in (2, 3, 4))}
    return "log.jsonl", as_lines(rows) + b"\n{]", {*faults, ("json_syntax", f"log.jsonl:{len(rows) + 1}")}


def fastchat_single() -> tuple[str, bytes, Faults]:
    rows = records("fastchat_single.jsonl")
    rows[0]["score"] = None
    rows[1]["score"] = "9/10"
    rows[2]["model"] = "m" * 401
    return "log.jsonl", as_lines(rows), {("missing_field", f"log.jsonl:{n}") for n in (1, 2, 3)}


def judge_arena() -> tuple[str, bytes, Faults]:
    rows = records("judge_arena.parquet")
    rows[1]["model_A"] = ""
    rows[2]["judge"] = None
    rows[4]["instruction_index"] = None
    return "annotations.parquet", as_parquet(rows), {("missing_field", f"$[{n}]") for n in (1, 2, 4)}


def judge_arena_csv() -> tuple[str, bytes, Faults]:
    rows = records("printed_by_judge_arena/fixed.csv")[:4]
    rows[0] |= {"judge_completion": "score_A: 1 score_B: 2", "model_A": " "}
    rows[1] |= {"judge_completion": "score_A: 1 score_B: 2"}
    return (
        "annotations.csv",
        as_csv(rows[:2]) + b"one cell\r\n",
        {("missing_field", "annotations.csv:2"), ("missing_field", "annotations.csv:4")},
    )


def _bad_samples() -> list[Any]:
    samples = json.loads((DATA / "inspect.json").read_bytes())["samples"]
    whole = [json.loads(json.dumps(samples[n % len(samples)])) for n in range(5)]
    for number, sample in enumerate(whole):
        sample["id"] = f"q{number}"
    [(scorer, _)] = whole[0]["scores"].items()
    whole[0]["scores"][scorer]["value"] = {"accuracy": 1}
    whole[1]["epoch"] = 0
    whole[2]["id"] = ""
    return [*whole, "no sample"]


def inspect_json() -> tuple[str, bytes, Faults]:
    document = json.loads((DATA / "inspect.json").read_bytes()) | {"samples": _bad_samples()}
    codes = ("missing_field", "bad_repetition", "missing_field")
    faults = {*((code, f"$.samples[{n}]") for n, code in enumerate(codes)), ("wrong_root", "$.samples[5]")}
    return "log.json", json.dumps(document).encode(), faults


def inspect_eval() -> tuple[str, bytes, Faults]:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", '{"eval": {"model": "m"}}')
        for number, sample in enumerate(_bad_samples()):
            archive.writestr(f"samples/{number}.json", json.dumps(sample))
        archive.writestr("samples/6.json", "{")
    codes = ("missing_field", "bad_repetition", "missing_field")
    faults = {(code, f"samples/{n}.json") for n, code in enumerate(codes)}
    broken = ("json_syntax", "samples/6.json 6.json:1:2")
    return "log.eval", whole.getvalue(), {*faults, ("wrong_root", "samples/5.json"), broken}


def promptfoo() -> tuple[str, bytes, Faults]:
    document = json.loads((DATA / "promptfoo.json").read_bytes())
    results = document["results"]["results"]
    results[0]["testIdx"] = "a\u0000b"
    results[1] = "no result"
    del results[3]  # the second output of a test: no best can be chosen of the other alone
    codes = ("missing_field", "wrong_root", "bad_options")
    faults = {(code, f"$.results.results[{n}]") for n, code in enumerate(codes)}
    return "output.json", json.dumps(document).encode(), faults


def reward_bench() -> tuple[str, bytes, Faults]:
    document = json.loads((DATA / "reward_bench.json").read_bytes())
    document["results"][1] = 2
    document["results"][3] = None
    document["subset"] = document["subset"][:-1]
    faults = {("bad_verdict", "$.results[1]"), ("bad_verdict", "$.results[3]"), ("missing_field", "$.subset")}
    return "results.json", json.dumps(document).encode(), faults


def judge_bench() -> tuple[str, bytes, Faults]:
    rows = records("judge_bench.jsonl")
    rows[0]["judgments"] = []
    rows[1]["label"] = "A"
    rows[2]["judge_name"] = None
    faults = {("missing_field", "log.jsonl:1"), ("bad_verdict", "log.jsonl:2"), ("missing_field", "log.jsonl:3")}
    return "log.jsonl", as_lines(rows), faults


def lmarena() -> tuple[str, bytes, Faults]:
    rows = records("arena_140k.jsonl")
    rows[0]["winner"] = "left"
    rows[1]["model_b"] = None
    rows[2]["id"] = " "
    faults = {("bad_verdict", "votes.jsonl:1"), ("missing_field", "votes.jsonl:2"), ("missing_field", "votes.jsonl:3")}
    return "votes.jsonl", as_lines(rows), faults


def comparia() -> tuple[str, bytes, Faults]:
    rows = records("comparia_votes.jsonl")
    rows[0]["chosen_model_name"] = "another"
    rows[1]["model_a_name"] = ""
    return "votes.jsonl", as_lines(rows), {("bad_verdict", "votes.jsonl:1"), ("missing_field", "votes.jsonl:2")}


def table() -> tuple[str, bytes, Faults]:
    rows = [
        "question,first,second,verdict,probability,gold",
        "q1,x,y,A,,",
        "q2,x,y,left,,",
        "q3,x,,B,,",
        "q4,x,y,B,1.5,",
        "q5,x,y,B,much,",
        "q6,x,y,B,,D",
        "q7,x,y",
    ]
    codes = ("bad_verdict", "missing_field", "missing_field", "missing_field", "bad_verdict", "missing_field")
    return "table.csv", "\n".join(rows).encode(), {(code, f"table.csv:{n}") for n, code in enumerate(codes, start=3)}


def lm_eval() -> tuple[str, bytes, Faults]:
    rows = records("printed_by_lm_eval/samples_counting.jsonl")
    rows[0]["metrics"] = "exact"
    rows[1]["metrics"] = [1]
    rows[2]["doc_id"] = None
    return "samples.jsonl", as_lines(rows), {("missing_field", f"samples.jsonl:{n}") for n in (1, 2, 3)}


def llm_bar() -> tuple[str, bytes, Faults]:
    said = {"swap = False": {"winner": "1"}, "swap = True": {"winner": None}}
    pair = {"input": "Q", "output_1": "a", "output_2": "b", "label": 1, "results": [said]}
    rows = [
        pair,
        {**pair, "label": 3},
        {**pair, "results": []},
        {**pair, "results": [{"swap = False": {"winner": "a"}}]},
    ]
    faults = {("bad_verdict", "$[1]"), ("missing_field", "$[2]"), ("bad_verdict", "$[3]")}
    return "result.json", json.dumps(rows).encode(), faults


def deep_eval() -> tuple[str, bytes, Faults]:
    run = json.loads((DATA / "printed_by_deep_eval/test_run.json").read_bytes())
    cases = run["testCases"]
    cases[0]["metricsData"] = "none"
    cases[1]["metricsData"][0]["score"] = "high"
    cases[2]["metricsData"][1]["name"] = ""
    cases[4]["metricsData"][0] = None
    cases[5] = 7
    faults = {
        ("missing_field", "$.testCases[0]"),
        ("missing_field", "$.testCases[1].metrics[0]"),
        ("missing_field", "$.testCases[2].metrics[1]"),
        ("wrong_root", "$.testCases[4].metrics[0]"),
        ("wrong_root", "$.testCases[5]"),
    }
    return "test_run.json", json.dumps(run).encode(), faults


def mlflow() -> tuple[str, bytes, Faults]:
    traces = json.loads((DATA / "printed_by_mlflow/traces.json").read_bytes())
    traces[1]["info"]["assessments"][0]["assessment_name"] = ""
    return "traces.json", json.dumps(traces).encode(), {("missing_field", "$[1].assessments[0]")}


def mlflow_table() -> tuple[str, bytes, Faults]:
    table = json.loads((DATA / "printed_by_mlflow/eval_results_table.json").read_bytes())
    table["data"][1] = table["data"][1][:2]
    table["data"][2] = "row"
    return "table.json", json.dumps(table).encode(), {("row_shape", f"$.data[{n}]") for n in (1, 2)}


def every_eval_ever() -> tuple[str, bytes, Faults]:
    lines = [json.loads(line) for line in (DATA / "every_eval_ever_samples.jsonl").read_bytes().splitlines()]
    lines[0]["sample_id"] = ""
    lines[1]["evaluation"]["score"] = "high"
    lines[3]["model_id"] = None
    name = "x_samples.jsonl"
    faults = {("missing_field", f"{name}:{line}") for line in (1, 2, 4)}
    return name, "\n".join(map(json.dumps, lines)).encode(), faults


def ratings() -> tuple[str, bytes, Faults]:
    row: dict[str, Any] = {"id": "q", "prompt": "Q", "answer": "A", "score": 1}
    rows: list[dict[str, Any]] = [
        row,
        {**row, "score": "good"},
        {**row, "id": None},
        {"id": "q", "answer": "A"},
        {**row, "judge": ""},
    ]
    return "rated.jsonl", as_lines(rows), {("missing_field", f"rated.jsonl:{n}") for n in (2, 3, 4, 5)}


BAD: dict[str, tuple[Callable[[], tuple[str, bytes, Faults]], ...]] = {
    "fastchat": (fastchat_pair, fastchat_single),
    "alpaca_eval": (alpaca_eval,),
    "judge_arena": (judge_arena, judge_arena_csv),
    "inspect": (inspect_json, inspect_eval),
    "promptfoo": (promptfoo,),
    "reward_bench": (reward_bench,),
    "judge_bench": (judge_bench,),
    "lmarena": (lmarena,),
    "comparia": (comparia,),
    "lm_eval": (lm_eval,),
    "llm_bar": (llm_bar,),
    "deep_eval": (deep_eval,),
    "mlflow": (mlflow, mlflow_table),
    "every_eval_ever": (every_eval_ever,),
    "ratings": (ratings,),
    "csv": (table,),
}


def test_there_is_a_bad_log_of_every_format() -> None:
    assert set(BAD) == {log_format.key for log_format in LOG_FORMATS}


@pytest.mark.parametrize(("key", "bad"), [(key, bad) for key, made in BAD.items() for bad in made])
def test_every_fault_of_a_bad_log_is_told_with_its_place(
    key: str, bad: Callable[[], tuple[str, bytes, Faults]]
) -> None:
    name, data, faults = bad()
    for format_key in ("auto", key):
        reading = read_log(data, name, format_key)
        assert reading.log is None
        assert {(one.code, one.path) for one in reading.findings.problems} == faults
        assert all(one.message and one.hint for one in reading.findings.problems)
