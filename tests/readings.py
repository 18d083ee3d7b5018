"""What a file that a test checks was read as; a test fails with the problems of one that is refused."""

from __future__ import annotations

from typing import Protocol, TypeVar

from submissions.check import AnyReading, CheckReport
from submissions.formats.behavior_alignment.reader import CrsReading
from submissions.formats.behavior_alignment.submission import CrsSubmission
from submissions.formats.judge_verdicts.reader import VerdictReading
from submissions.formats.judge_verdicts.submission import VerdictSubmission
from submissions.formats.personalization.reader import PersonalizedReading
from submissions.formats.personalization.submission import PersonalizedSubmission
from submissions.formats.personalized_evaluation.reader import PerseReading
from submissions.formats.personalized_evaluation.submission import AnyPerseSubmission

S = TypeVar("S", covariant=True)


class WithSubmission(Protocol[S]):
    """A reading of any kind."""

    @property
    def submission(self) -> S | None: ...


def read_as(reading: type[AnyReading], report: CheckReport) -> AnyReading:
    """The reading, of the kind that the test expects; also of a refused file."""
    found = report.of(reading)
    assert found is not None, report.problems
    return found


def whole(reading: WithSubmission[S], report: CheckReport) -> S:
    """The submission of a file in which everything could be read."""
    assert reading.submission is not None, report.problems
    return reading.submission


def verdicts(report: CheckReport) -> VerdictSubmission:
    """A table of judge verdicts."""
    return whole(read_as(VerdictReading, report), report)


def personalized(report: CheckReport) -> PersonalizedSubmission:
    """Personalized answers with their rows."""
    return whole(read_as(PersonalizedReading, report), report)


def predictions(report: CheckReport) -> AnyPerseSubmission:
    """Predicted ratings or choices."""
    reading: WithSubmission[AnyPerseSubmission] = read_as(PerseReading, report)
    return whole(reading, report)


def recommender(report: CheckReport) -> CrsSubmission:
    """Recommender answers."""
    return whole(read_as(CrsReading, report), report)
