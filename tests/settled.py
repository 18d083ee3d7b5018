"""Tests that are run again when what they are about has changed.

Files of tests that take `LONG_S` and more together are recorded in settled.json as they pass, with what the files that
they are about look like then (tests/subjects.py); `make settle` writes it. `make test` leaves a recorded test out as
long as those files look the same, and runs all others; `make test ARGS=--all` runs each.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest

from tests.subjects import ROOT, looks_of

RECORD = ROOT / "tests" / "settled.json"

LONG_S = 3.0
"""Seconds that the tests of a file take together, from which on the record has it: of 461 files 158, and nineteen
twentieths of the time."""


@dataclass(frozen=True, slots=True)
class Passed:
    """The tests of one file that passed.

    Args:
        looks: What the files that it is about looked like.
        tests: Their names in it, sorted.
    """

    looks: str
    tests: tuple[str, ...]


def recorded(record: Path = RECORD) -> dict[str, Passed]:
    """File of tests -> what of it passed."""
    if not record.exists():
        return {}
    known = json.loads(record.read_text(encoding="utf-8"))
    return {file: Passed(of["looks"], tuple(of["tests"])) for file, of in known.items()}


class Settled:
    """What pytest does about recorded tests; registered by tests/conftest.py.

    Args:
        leaves_out: Whether tests that passed are not run where what they are about looks as it did.
        keeps: Whether what passes is kept in the record.
    """

    def __init__(self, *, leaves_out: bool, keeps: bool, record: Path = RECORD) -> None:
        self._leaves_out, self._keeps, self._record = leaves_out, keeps, record
        self._known = recorded(record)
        self._ended: dict[str, bool] = {}
        self._lasted: dict[str, float] = defaultdict(float)
        self._left = 0

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Takes out what need not be run."""
        if not self._leaves_out:
            return
        left = [item for item in items if self._is_current(item.nodeid)]
        self._left = len(left)
        items[:] = [item for item in items if item not in set(left)]
        config.hook.pytest_deselected(items=left)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Notes how each test ended and how long it took; a test passes when none of its parts failed."""
        self._lasted[_file(report.nodeid)] += report.duration
        if report.failed or report.when == "call":
            self._ended[report.nodeid] = report.passed and self._ended.get(report.nodeid, True)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Writes the record; of several processes, the first does it for all."""
        if not self._keeps or hasattr(session.config, "workerinput"):
            return
        ended: dict[str, set[str]] = defaultdict(set)
        for test in self._ended:
            ended[_file(test)].add(test)
        kept = dict(self._known)
        for file, tests in ended.items():
            if file in kept or self._lasted[file] >= LONG_S:
                kept[file] = self._after(file, tests)
        text = {file: asdict(of) for file, of in sorted(kept.items()) if of.tests}
        self._record.write_text(json.dumps(text, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Says how many were left out, and what runs them."""
        if self._leaves_out and (left := self._left or len(self._current())):
            terminalreporter.write_line(
                f"{left} recorded tests are left out: what they are about is as it was when they passed"
                " (tests/settled.py); `make test ARGS=--all` runs them"
            )

    def _after(self, file: str, ended: set[str]) -> Passed:
        """What is known of a file of tests after some of them have ended."""
        looks = looks_of(file)
        before = self._known.get(file, Passed(looks, ()))
        names = {name for name in before.tests if before.looks == looks and f"{file}::{name}" not in ended}
        names |= {_name(test) for test in ended if self._ended[test]}
        return Passed(looks, tuple(sorted(names)))

    def _is_current(self, test: str) -> bool:
        known = self._known.get(_file(test))
        return known is not None and _name(test) in known.tests and known.looks == looks_of(_file(test))

    def _current(self) -> list[str]:
        """All that is left out, whatever was asked for; the first of several processes collects nothing."""
        tests = (f"{file}::{name}" for file, of in self._known.items() for name in of.tests)
        return [test for test in tests if (ROOT / _file(test)).is_file() and self._is_current(test)]


def _file(test: str) -> str:
    return test.partition("::")[0]


def _name(test: str) -> str:
    return test.partition("::")[2]
