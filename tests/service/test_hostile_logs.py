"""Judges' logs made to cost as much as they can: each gets its report or its faults within the budget of a check.

The process that reads them is the site's own, with its budget of time and memory (docs/durability.md#budgets), and
ended where it goes beyond: then the fault would be `too_slow_to_check` or `too_large_to_check`.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from leaderboard.judge_report.job import Reported, ReportJob
from submissions.checking.fork_server import ForkServer
from submissions.checking.job import Budget
from submissions.checking.pool import CheckPool
from submissions.promptsets import PromptSets
from submissions.settings import Settings

MANY = 10_000_000
MOST = 200_000
"""Lines that are read."""
MIB = 1024 * 1024


BUDGET = Budget.of(Settings.from_env({}))


@contextmanager
def reading_logs(budget: Budget) -> Iterator[CheckPool]:
    with (
        ForkServer(PromptSets.load(None), preload=("leaderboard.judge_report.job",)) as server,
        CheckPool(server, budget, at_once=1) as checks,
    ):
        yield checks


@pytest.fixture(scope="module")
def pool() -> Iterator[CheckPool]:
    assert (BUDGET.seconds, BUDGET.mebibytes) == (60, 1_024)
    with reading_logs(BUDGET) as one:
        yield one


def reported(pool: CheckPool, log: Path, labels: Path | None = None) -> Reported:
    found = pool.join("eve", ReportJob(log, labels)).answer.result(200)
    assert isinstance(found, Reported)
    return found


Writes = Callable[[Path], object]


def text(make: Callable[[], str]) -> Writes:
    return lambda path: path.write_text(make())


def lines(line: str, count: int = MANY) -> Writes:
    return text(lambda: f"{line}\n" * count)


def numbered(row: str, count: int, head: str = "") -> Writes:
    """Rows with their number in place of each `#`."""
    return text(lambda: head + "\n".join(row.replace("#", str(n)) for n in range(count)))


def entries(sample: bytes, count: int) -> Writes:
    """An `.eval` of as many samples, all alike."""

    def write(path: Path) -> None:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("header.json", '{"eval": {"model": "m"}}')
            for number in range(count):
                archive.writestr(f"samples/{number}.json", sample)

    return write


def texts(answer: str) -> Writes:
    """JudgeArena's annotations with one row."""

    def write(path: Path) -> None:
        row = {"instruction_index": 1, "completion_A": answer, "completion_B": "b", "judge_completion": "a: 1, b: 2"}
        names = {"model_A": "x", "model_B": "y"}
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist([row | names]), path)

    return write


HEAD = "question,first,second,verdict\n"
RATING = '{"question_id": #, "model": "m", "judge": "j", "score": 1}'
FAULTY = '{"question_id": #, "model": "", "judge": "j", "score": "x"}'
DEEP = '{"a":' + "[" * 1_000_000 + "]" * 1_000_000 + "}"
VALUES = b"[" + b"[]," * 2_600_000 + b"[]]"

HOSTILE: dict[str, tuple[str, Writes, dict[str, int]]] = {
    # What it is: name of the file, what writes it, and the faults by code.
    "lines that are objects": ("log.jsonl", lines("{}"), {"file_too_big": 1, "wrong_root": 1}),
    "lines that are no JSON": ("log.jsonl", lines("{"), {"file_too_big": 1, "json_syntax": MOST}),
    "lines that are numbers": ("log.jsonl", lines("1"), {"file_too_big": 1, "wrong_root": MOST}),
    "lines that are blank": ("log.jsonl", lines(""), {"empty_file": 1}),
    "lines in order, too many": ("log.jsonl", numbered(RATING, 5 * MOST), {"file_too_big": 1}),
    "lines with two faults each": ("log.jsonl", numbered(FAULTY, MOST), {"missing_field": 2 * MOST}),
    "rows of one cell": ("log.csv", text(lambda: HEAD + "q\n" * MANY), {"missing_field": MANY}),
    "a list of lists": ("log.json", text(lambda: "[" + "[]," * MANY + "[]]"), {"file_too_big": 1}),
    "a list of objects": ("log.json", text(lambda: "[" + "{}," * MANY + "{}]"), {"file_too_big": 1}),
    "deep JSON": ("log.json", text(lambda: "[" * MANY), {"too_deep": 1}),
    "deep lines": ("log.jsonl", lines(DEEP, 20), {"too_deep": 20}),
    "an entry of 900 MiB": ("log.eval", entries(b" " * (900 * MIB), 1), {"zip_too_big": 1}),
    "200 entries of 8 MiB": ("log.eval", entries(b" " * (8 * MIB), 200), {"empty_file": 32, "zip_too_big": 1}),
    "entries of too many values": ("log.eval", entries(VALUES, 30), {"file_too_big": 8, "zip_too_big": 1}),
    "deep entries": ("log.eval", entries(b"[" * (8 * MIB), 30), {"too_deep": 30}),
    "a Parquet column of 200 MB": ("log.parquet", texts("a" * 200_000_000), {"too_large_to_check": 1}),
    "30,000 entries": ("log.eval", entries(b"{}", 30_000), {"zip_too_many": 1}),
}


@pytest.mark.soak
@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_log_of_the_greatest_size_gets_its_faults_within_the_budget(
    pool: CheckPool, tmp_path: Path, what: str
) -> None:
    name, write, counts = HOSTILE[what]
    write(tmp_path / name)
    found = reported(pool, tmp_path / name)
    assert json.loads(found.refused)["counts"] == counts
    assert found.faults is not None
    assert all(fault["place"] for fault in found.faults["faults"])


@pytest.mark.soak
@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("log.jsonl", numbered('{"question_id": #, "model": "m#", "judge": "j", "score": #}', MOST)),
        ("log.csv", numbered("#,a,b,A", MOST, HEAD)),
        ("log.csv", numbered("#,a#,b#,A", MOST, HEAD)),
    ],
    ids=["ratings", "comparisons", "comparisons of systems seen once"],
)
def test_a_log_of_the_greatest_size_gets_its_report_within_the_budget(
    pool: CheckPool, tmp_path: Path, name: str, write: Writes
) -> None:
    write(tmp_path / name)
    found = reported(pool, tmp_path / name)
    assert found.report is not None, found.refused
    assert f"{MOST:,}" in found.report["judges"][0]["size"]


@pytest.mark.soak
def test_a_log_with_labels_throughout_gets_its_report_within_the_budget(pool: CheckPool, tmp_path: Path) -> None:
    """2,000 draws of so many questions took 1.6 GB at once."""
    log, labels = tmp_path / "log.csv", tmp_path / "labels.csv"
    numbered("#,a,b,A", MOST // 2, HEAD)(log)
    numbered("#,a,b,B", MOST // 2, HEAD)(labels)
    found = reported(pool, log, labels)
    assert found.report is not None, found.refused


def test_the_faults_of_a_hostile_log_come_within_the_budget(tmp_path: Path) -> None:
    """A twentieth of the lines that are read, within a twentieth of the budget: 3 s of computing."""
    log = tmp_path / "log.jsonl"
    lines("{", MOST // 20)(log)
    with reading_logs(replace(BUDGET, seconds=BUDGET.seconds // 20)) as pool:
        assert json.loads(reported(pool, log).refused)["counts"] == {"json_syntax": MOST // 20}
