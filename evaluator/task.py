"""What a measure is to the evaluator: the files it scores, how, and how its result is told in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evaluator.embeddings.protocol import Embedder
from evaluator.judges.recorded import RecordedJudge
from evaluator.judges.text_replies import Profile
from evaluator.values import Result
from submissions.promptsets import PromptSets
from submissions.schema import Edition, Names, Submission


class CannotBeJudged(Exception):
    """Raised when no attempt can ever score the file; the message is for its team."""


@dataclass(frozen=True, slots=True)
class RunUpload:
    """One file of a run of several."""

    data: bytes
    file_name: str
    names: Names


@dataclass(frozen=True, slots=True)
class Reference:
    """The system all others are compared with on a prompt set."""

    name: str
    submission: Submission


@dataclass(frozen=True, slots=True)
class Tools:
    """What a file is scored with; a measure takes what it needs."""

    prompt_sets: PromptSets
    judge: RecordedJudge
    embedder: Embedder
    references: Mapping[str, Reference] = field(default_factory=dict)
    """Prompt set id -> the system others are compared with, by judges that state preferences."""
    profile: Profile = "recommended"
    """How personalized answers are read and rated."""
    run: Sequence[RunUpload] = ()
    """All files of the upload's run, itself among them, the oldest first (ELOQUENT 2025); () = it stands alone."""


def _no_headline(result: Mapping[str, Any]) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Task:
    """A measure: one line of `evaluator.tasks.TASKS`."""

    kinds: tuple[str, ...]
    """Keys of the kinds of file that it scores (`submissions.kinds`)."""
    boards: tuple[str, ...]
    """What its results state as their `board`."""
    evaluate: Callable[[Any, Tools], Result]
    """From what the reader of the kind made of a file, in which everything could be read, to the result. Raises
    CannotBeJudged when no attempt can ever score it."""
    lines: Callable[[Any], Iterable[str]]
    """The figures of a result, one to a line; the headline figure is marked with a star."""
    edition: Edition | None = None
    """Of ELOQUENT, of which each edition is a measure of its own."""
    headline: Callable[[Mapping[str, Any]], Mapping[str, Any] | None] = _no_headline
    """From a stored result, read as JSON, to its headline figure; None where there is none for a whole run."""
