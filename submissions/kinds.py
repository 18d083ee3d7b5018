"""The kinds of file that are read: a room in `submissions.formats`, and one line here."""

from __future__ import annotations

from submissions.formats.behavior_alignment.kind import RECOMMENDER_ANSWERS
from submissions.formats.eloquent.kind import ELOQUENT
from submissions.formats.file_kind import FileKind, Template
from submissions.formats.judge_verdicts.kind import JUDGE_VERDICTS
from submissions.formats.own_task.kind import OWN_TASK
from submissions.formats.personalization.kind import PERSONALIZED_ANSWERS
from submissions.formats.personalized_evaluation.kind import PAIRS, RATINGS

KINDS: tuple[FileKind, ...] = (
    OWN_TASK,  # its zip says so, and that of ELOQUENT is any
    ELOQUENT,
    JUDGE_VERDICTS,
    PERSONALIZED_ANSWERS,
    RECOMMENDER_ANSWERS,
    RATINGS,
    PAIRS,
)
"""In the order in which a file is held against their forms, and in which they are named to a team."""


def kind_of(key: str | None) -> FileKind | None:
    """The kind of that key; None for none."""
    return next((kind for kind in KINDS if kind.key == key), None)


def stated_kinds() -> dict[str, FileKind]:
    """What a file may say as its `kind` -> the kind."""
    return {kind.key: kind for kind in KINDS if kind is not ELOQUENT}


def templates() -> dict[str, Template]:
    """Key of a kind whose files hold all that was answered -> what a team starts from."""
    return {kind.key: kind.template for kind in KINDS if kind.template}
