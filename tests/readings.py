"""What a file that a test checks was read as; a test fails with the problems of one that is refused."""

from __future__ import annotations

from submissions.check import AnyReading, CheckReport
from submissions.formats.behavior_alignment.reader import CrsReading
from submissions.formats.behavior_alignment.submission import CrsSubmission
from submissions.formats.judge_verdicts.reader import VerdictReading
from submissions.formats.judge_verdicts.submission import VerdictSubmission
from submissions.formats.personalization.reader import PersonalizedReading
from submissions.formats.personalization.submission import PersonalizedSubmission
from submissions.formats.personalized_evaluation.reader import PerseReading
from submissions.formats.personalized_evaluation.submission import AnyPerseSubmission


def read_as(reading: type[AnyReading], report: CheckReport) -> AnyReading:
    """The reading, of the kind that the test expects; also of a refused file."""
    found = report.of(reading)
    assert found is not None, report.problems
    return found


def verdicts(report: CheckReport) -> VerdictSubmission:
    """A table of judge verdicts."""
    submission = read_as(VerdictReading, report).submission
    assert submission is not None, report.problems
    return submission


def personalized(report: CheckReport) -> PersonalizedSubmission:
    """Personalized answers with their rows."""
    submission = read_as(PersonalizedReading, report).submission
    assert submission is not None, report.problems
    return submission


def predictions(report: CheckReport) -> AnyPerseSubmission:
    """Predicted ratings or choices."""
    submission = read_as(PerseReading, report).submission
    assert submission is not None, report.problems
    return submission


def recommender(report: CheckReport) -> CrsSubmission:
    """Recommender answers."""
    submission = read_as(CrsReading, report).submission
    assert submission is not None, report.problems
    return submission
