"""Hostile logs are given up after as many lines, entries and bytes as are read of any log.

What a line costs does not depend on how many follow. So ten million cost what `MAX_JUDGEMENTS` do, which
`tests/service/test_hostile_logs.py` measures against the budget of a check (`make soak`).
"""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace

import pytest

from evaluator.judge_logs import inspect_log, opened
from evaluator.judge_logs.opened import LOG_LIMITS
from evaluator.judge_logs.registry import read_log
from submissions.reading.limits import Limits
from submissions.reading.strict_json import Document, read_json


class Count:
    """`read_json`, and how often it was asked."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, data: bytes, name: str, limits: Limits) -> Document:
        self.calls += 1
        return read_json(data, name, limits)


@pytest.mark.parametrize("line", ["{", "1", "{}", '{"a": ' + "[" * 70 + "]" * 70 + "}"])
def test_of_lines_without_end_as_many_are_read_as_a_log_may_have(monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    """Lines that were no JSON were not counted: ten million of them took minutes."""
    monkeypatch.setattr(opened, "MAX_JUDGEMENTS", 500)
    count = Count()
    monkeypatch.setattr(opened, "read_json", count)
    reading = read_log((f"{line}\n" * 20_000).encode(), "log.jsonl")
    assert count.calls == 500
    faults = {problem.code: problem.path for problem in reading.findings.problems}
    assert faults["file_too_big"] == "log.jsonl:501"


def test_blank_lines_are_no_lines() -> None:
    line = b'{"question_id": 1, "model": "m", "judge": "j", "score": 1}'
    log = read_log(b"\n" * 300_000 + line + b"\n" * 300_000, "log.jsonl").log
    assert log is not None
    assert [one.place for one in log.judgements] == ["log.jsonl:300001"]


def test_rows_of_a_csv_that_are_all_wrong_are_all_counted_and_the_first_are_told() -> None:
    reading = read_log(b"question,first,second,verdict\n" + b"q\n" * 20_000, "log.csv")
    assert reading.findings.counts["missing_field"] == 20_000
    assert "log.csv:2" in {problem.path for problem in reading.findings.problems}


def eval_file(entries: dict[str, bytes]) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return whole.getvalue()


def test_entries_that_are_small_alone_and_too_large_together_are_not_expanded_further(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    count = Count()
    monkeypatch.setattr(inspect_log, "read_json", count)
    # Each of 50 expands to 100,000 bytes, of which 1,000,000 are allowed in all: ten are read, and the header.
    samples = {f"samples/{number}.json": b" " * 99_999 + b"1" for number in range(50)}
    data = eval_file({"header.json": b'{"eval": {"model": "m"}}', **samples})
    assert len(data) < 20_000
    limits = replace(LOG_LIMITS, zip_bytes=1_000_000)
    reading = read_log(data, "log.eval", limits=limits)
    assert count.calls == 11
    told = [(one.code, one.path) for one in reading.findings.problems if one.code == "zip_too_big"]
    assert told == [("zip_too_big", "samples/10.json")]
    # The ten that were read are no samples, and said to be none.
    assert [one.path for one in reading.findings.problems if one.code == "wrong_root"] == [
        f"samples/{number}.json" for number in range(10)
    ]


def test_every_damaged_entry_of_an_inspect_log_is_told_with_its_folder() -> None:
    data = bytearray(eval_file({"header.json": b"{}", "samples/1.json": b"x" * 200, "samples/2.json": b'{"id": }'}))
    data[data.index(b"samples/1.json") + len("samples/1.json")] ^= 0xFF  # the first byte of what is packed there
    problems = read_log(bytes(data), "log.eval").findings.problems
    assert {problem.path.split(" ")[0] for problem in problems} == {"samples/1.json", "samples/2.json"}


def test_after_eight_entries_of_too_many_values_no_more_are_read() -> None:
    # 101 values each, of which 100 are allowed; the ninth and all after it stay unread, what was damaged before is
    # told.
    data = bytearray(
        eval_file(
            {"header.json": b'{"eval": {"model": "m"}}', "samples/a.json": b"{}" * 50}
            | {f"samples/{number}.json": b"[" + b"1," * 99 + b"1]" for number in range(20)}
        )
    )
    data[data.index(b"samples/a.json") + len("samples/a.json")] ^= 0xFF
    reading = read_log(bytes(data), "log.eval", limits=replace(LOG_LIMITS, json_values=100))
    assert reading.findings.counts == {"zip_damaged": 1, "file_too_big": 8, "zip_too_big": 1}
    assert [one.path for one in reading.findings.problems if one.code == "zip_too_big"] == ["samples/7.json"]
