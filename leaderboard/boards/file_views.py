"""The desk's words on each kind of file: a `file_view.py` in the room of its board, and one line here.

Imported by the processes that check files, so no page, no store and no charts are imported here.
"""

from __future__ import annotations

from leaderboard.boards.behavior_alignment.file_view import RECOMMENDER_VIEW
from leaderboard.boards.editions.file_view import CULTURAL_VIEW
from leaderboard.boards.own_tasks.file_view import OWN_TASK_VIEW
from leaderboard.boards.personalization.file_view import PERSONALIZED_VIEW
from leaderboard.boards.personalized_evaluation.file_view import PREDICTIONS_VIEW
from leaderboard.boards.position_bias.file_view import VERDICTS_VIEW
from leaderboard.boards.robustness.file_view import ANSWERS_VIEW
from leaderboard.parts.file_previews import FileView
from submissions.formats.file_kind import FileReading

FILE_VIEWS: tuple[FileView, ...] = (
    CULTURAL_VIEW,  # before that of the answers of any edition, which a zip of 2026 holds too
    ANSWERS_VIEW,
    VERDICTS_VIEW,
    PERSONALIZED_VIEW,
    PREDICTIONS_VIEW,
    RECOMMENDER_VIEW,
    OWN_TASK_VIEW,
)


def view_of(reading: FileReading) -> FileView:
    """The view of a reading's kind.

    Raises:
        LookupError: there is none; every kind needs one.
    """
    for view in FILE_VIEWS:
        if isinstance(reading, view.reading):
            return view
    raise LookupError(f"{type(reading).__name__} has no line in leaderboard.boards.file_views.FILE_VIEWS")
