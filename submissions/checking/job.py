"""One job that is asked for, above all a check: what it may cost, and what comes of it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal, Protocol, TypeVar

from submissions.check import CheckReport, check_submission
from submissions.problem_codes import CODES
from submissions.problems import Problem, counts_by_code
from submissions.promptsets import PromptSets
from submissions.schema import Names, VerdictChoices
from submissions.settings import Settings

View = Callable[[CheckReport, BinaryIO], Any]
"""Makes what a page shows of a report and its file; a function of a module, which the process can import."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What one job may cost."""

    seconds: int
    """Of CPU time."""
    mebibytes: int
    """Of memory, the reader's own program among them."""

    @classmethod
    def of(cls, settings: Settings) -> Budget:
        """As the settings say."""
        return cls(settings.check_s, settings.check_mb)

    @property
    def wall_s(self) -> float:
        """Seconds by the clock: a process that has a third of a core to itself is still within its CPU time."""
        return 3.0 * self.seconds


@dataclass(frozen=True, slots=True)
class Setup:
    """What holds for all processes of a fork server."""

    prompt_sets: PromptSets
    preload: tuple[str, ...]
    """Modules that views are of, and functions that make something ready, as `module:function`: imported and called
    before the first job, not within its budget, and once for all processes."""


@dataclass(frozen=True, slots=True)
class Fork:
    """Tells a fork server to fork a process; the sockets for its jobs and for how it ended follow."""

    number: int
    budget: Budget


@dataclass(frozen=True, slots=True)
class Kill:
    """Tells a fork server to kill the process that it forked under a number."""

    number: int


Overrun = Literal["cpu", "clock", "memory", "ended"]
"""Why a process has no answer: it was stopped at a bound, or ended for a reason of its own."""

Answer = TypeVar("Answer")
_Given = TypeVar("_Given", covariant=True)


class Job(Protocol[_Given]):
    """What a process makes of a file that anybody sent. It and its answer are pickled on their way."""

    def answered(self, prompt_sets: PromptSets) -> _Given:
        """What comes of it, in the process; it never raises on the content of a file."""

    def refused(self, overrun: Overrun, budget: Budget) -> _Given:
        """What is said, outside of the process, where it went beyond its budget.

        Raises:
            OSError: when the file is gone.
        """


@dataclass(frozen=True, slots=True)
class CheckJob:
    """The check of a file, and how it is to be read; as the arguments of `check_submission`."""

    path: Path
    file_name: str
    edition: str = "auto"
    names: Names = Names()
    choices: VerdictChoices = VerdictChoices()
    view: View | None = None
    """What else is wanted of the report, made within the same budget."""

    def answered(self, prompt_sets: PromptSets) -> Checked:
        """The report, and what the page shows of it."""
        with self.path.open("rb") as file:
            report = check_submission(
                file,
                self.file_name,
                edition=self.edition,
                names=self.names,
                choices=self.choices,
                prompt_sets=prompt_sets,
                keep_rows=False,
            )
            view = self.view(report, file) if self.view else None
        return Checked(report.without_rows(), view)

    def refused(self, overrun: Overrun, budget: Budget) -> Checked:
        """The report of a file that could not be checked: one problem, which says what was exceeded."""
        problem = overrun_problem(self.path.stat().st_size, overrun, budget)
        with self.path.open("rb") as file:
            report = CheckReport(
                decision="refused",
                kind=None,
                edition=None,
                problems=[problem],
                problems_by_code=counts_by_code([problem]),
                sha256=hashlib.file_digest(file, "sha256").hexdigest(),
                names=self.names,
            )
        return Checked(report)


@dataclass(frozen=True, slots=True)
class Checked:
    """What came of a job."""

    report: CheckReport
    """Without its rows: a page would spend seconds to take in 150,000 of them."""
    view: Any = None
    """None of a file that could not be checked."""


def overrun_problem(size: int, overrun: Overrun, budget: Budget) -> Problem:
    """What was exceeded by reading a file of so many bytes."""
    code, message, hint = _said(size, overrun, budget)
    return Problem(code=code, severity=CODES[code].severity, path="$", message=message, hint=hint)


_UNUSUAL = "very many columns, keys, lines or nested values, or very long ones"


def _said(size: int, overrun: Overrun, budget: Budget) -> tuple[str, str, str]:
    """Code, message and hint."""
    split = f"Split the file, or look for what is unusual in it: {_UNUSUAL}."
    match overrun:
        case "cpu":
            fault = f"reading the {size:,} bytes took more than {budget.seconds:,} s of computing"
        case "clock":
            fault = f"reading the {size:,} bytes took more than {budget.wall_s:,.0f} s"
        case "memory":
            fault = f"reading the {size:,} bytes took more than {budget.mebibytes:,} MiB of memory"
            own = "On your own machine PLUMBLINE_CHECK_MB sets how much is taken."
            return "too_large_to_check", f"{fault}; accepted: at most that", f"{split} {own}"
        case "ended":
            fault = "the program that read the file ended before it had read it"
            return "check_ended", fault, "Check it again; if it happens again, tell whoever runs this site."
    own = "On your own machine PLUMBLINE_CHECK_S sets how long it may take."
    return "too_slow_to_check", f"{fault}; accepted: at most that", f"{split} {own}"
