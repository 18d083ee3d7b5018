"""Some thousands of the files of `make fuzz`, and that it would notice a fault and keep its file."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from submissions.check import check_submission
from submissions.problems import Problem
from submissions.promptsets import PromptSets
from submissions.settings import Settings
from tests.property import fuzz
from tests.property.fuzz import Case, Failure, Fuzzer, faults_of, fuzzed, keep, kept

ONE_FILE = Case("a.json", b'{"kind": "judge_verdicts"}', options=3)


@pytest.fixture(scope="module")
def fuzzer() -> Fuzzer:
    """With all its seeds, which take seconds to read."""
    return Fuzzer()


@pytest.mark.parametrize("count", [400, pytest.param(4_000, marks=pytest.mark.soak)])
def test_mutants_of_all_kinds_crash_nothing_and_are_placed(count: int) -> None:
    seen: Counter[str] = Counter()
    failures: list[Failure] = []
    for checked in fuzzed(count, seed=3, jobs=1 if count < 1_000 else 2):
        seen += checked.seen
        failures += checked.failures
    assert [(failure.fault, failure.said) for failure in failures] == []
    assert seen.total() == count
    kinds: Counter[str] = Counter()
    for name, number in seen.items():
        kinds[name.partition(":")[0]] += number  # accepted, with warnings, refused
    wanted = ("eloquent", "judge_verdicts", "personalized_answers", "personalized_ratings", "crs_responses")
    assert [kind for kind in wanted if kinds[kind] <= 5] == []


def test_a_reader_that_raises_is_a_crash(fuzzer: Fuzzer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz, "check_submission", lambda *_arguments, **_options: 1 / 0)
    report, failure = fuzzer.checked(ONE_FILE)
    assert report is None
    assert failure is not None
    assert failure.fault == "crashes"
    assert failure.said.rstrip().endswith("ZeroDivisionError: division by zero")


def test_a_refusal_without_a_place_and_a_report_that_changes_are_noticed(
    fuzzer: Fuzzer, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = check_submission(b"{}", "a.json", prompt_sets=PromptSets.load(None))
    assert faults_of(report) == []
    nowhere = Problem(code="wrong_root", severity="error", path="somewhere in it", message="m", hint="h")
    one, other = (
        replace(report, problems=[problem], problems_by_code={problem.code: 1})
        for problem in (
            nowhere,
            nowhere.model_copy(update={"path": "$"}),
        )
    )
    assert faults_of(one) == [("refusals without a place", "wrong_root at 'somewhere in it'")]
    reports = iter([other, one])
    monkeypatch.setattr(fuzz, "check_submission", lambda *_arguments, **_options: next(reports))
    failure = fuzzer.checked(ONE_FILE)[1]
    assert failure is not None
    assert failure.fault == "other reports of the same file"


def test_a_kept_file_can_be_read_again(tmp_path: Path) -> None:
    path = keep(Failure(ONE_FILE, "crashes", "Traceback"), tmp_path)
    assert kept(path) == ONE_FILE


def test_a_check_beyond_the_budget_is_a_hang(fuzzer: Fuzzer, monkeypatch: pytest.MonkeyPatch) -> None:
    def spins(*_arguments: object, **_options: object) -> None:
        while True:
            pass

    assert Settings.from_env({}).check_s * fuzz.CHECKS_OF_A_FILE == fuzz.HANGS_AFTER_S
    monkeypatch.setattr(fuzz, "HANGS_AFTER_S", 0.05)
    monkeypatch.setattr(fuzz, "check_submission", spins)
    failure = fuzzer.checked(ONE_FILE)[1]
    assert failure is not None
    assert failure.fault == "files that hang"


def test_the_time_of_a_file_is_told_and_the_slowest_is_named(fuzzer: Fuzzer) -> None:
    times = [(number / 100, f"file {number} of seed 5") for number in range(200)]
    # Of 0.00 to 1.99: half of them below 1.00, 99 of 100 below 1.98.
    assert fuzz.timing(times[::-1]) == [
        "CPU seconds of a check: p50 1.0000, p99 1.9800, at most 1.9900 (file 199 of seed 5)"
    ]
    batch = fuzzer.batch(seed=5, count=4)
    assert (len(batch.compute_s), batch.seed) == (4, 5)
    assert all(seconds >= 0 for seconds in batch.compute_s)
