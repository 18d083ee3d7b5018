"""Predictions for tasks of one's own, as JSON Lines, JSON or CSV."""

from __future__ import annotations

from submissions.formats.file_kind import DeskForm, FileKind
from submissions.formats.own_task.reader import (
    are_own_lines,
    is_own_table,
    is_own_zip,
    read_own_document,
    read_own_lines,
    read_own_table,
    read_own_zip,
)
from submissions.own_tasks.task import KIND

OWN_TASK = FileKind(
    KIND,
    read_own_document,
    forms=(
        DeskForm(are_own_lines, read_own_lines, KIND),
        DeskForm(is_own_table, read_own_table, KIND),
        DeskForm(is_own_zip, read_own_zip, KIND),
    ),
)
