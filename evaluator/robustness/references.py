"""The reference system of each prompt set: all systems are compared with it, so that cost grows with their number."""

from __future__ import annotations

import logging
from pathlib import Path

from evaluator.task import Reference
from submissions.check import check_submission
from submissions.promptsets import DEMONSTRATION, PromptSets, example_submissions
from submissions.settings import Settings

logger = logging.getLogger(__name__)

DEMONSTRATION_REFERENCE = "keel.json"
"""Our own example of a consistent system."""


class ReferenceUnusable(Exception):
    """Raised when the file named as reference cannot be read as a submission."""


def references_at_hand(settings: Settings, prompt_sets: PromptSets) -> dict[str, Reference]:
    """Prompt set id -> its reference: our example on the demonstration set, and the file a setting names.

    Raises:
        ReferenceUnusable: when that file is missing or refused.
    """
    examples = dict(example_submissions())
    references = {DEMONSTRATION: _reference(examples[DEMONSTRATION_REFERENCE], DEMONSTRATION_REFERENCE, prompt_sets)}
    if settings.reference is not None:
        named = _reference(_read(settings.reference), settings.reference.name, prompt_sets)
        references[named.submission.set_id] = named
    return references


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ReferenceUnusable(f"PLUMBLINE_REFERENCE: {path}: {error.strerror}") from error


def _reference(data: bytes, file_name: str, prompt_sets: PromptSets) -> Reference:
    report = check_submission(data, file_name, prompt_sets=prompt_sets)
    if report.submission is None or report.decision == "refused":
        faults = "; ".join(problem.message for problem in report.problems if problem.severity == "error")
        raise ReferenceUnusable(f"the reference {file_name} is refused: {faults}")
    names = report.submission.names
    return Reference(" / ".join(name for name in (names.team, names.system, names.run) if name), report.submission)
