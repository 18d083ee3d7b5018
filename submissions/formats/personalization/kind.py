"""Personalized answers, as one JSON object or as JSON Lines, which are read as a stream."""

from __future__ import annotations

from typing import BinaryIO

from submissions.findings import Findings
from submissions.formats.file_kind import DeskForm, Detected, FileKind, Template, Upload
from submissions.formats.personalization.reader import (
    ROW_KEYS,
    PersonalizedReading,
    are_personalized_lines,
    read_personalized_document,
    read_personalized_lines,
)
from submissions.formats.personalization.submission import KIND, SET_ID
from submissions.formats.personalization.template import NO_ANSWER_SHEET, personalized_template


def _read_lines(
    stream: BinaryIO, name: str, upload: Upload, findings: Findings
) -> tuple[Detected, PersonalizedReading]:
    return Detected(KIND), read_personalized_lines(stream, name, upload, findings)


PERSONALIZED_ANSWERS = FileKind(
    KIND,
    read_personalized_document,
    row_keys=ROW_KEYS,
    bare_row=frozenset({"example_id", "setting", "method"}),
    forms=(DeskForm(are_personalized_lines, _read_lines, KIND, lambda limits: limits.personalized_lines_bytes),),
    template=Template(SET_ID, "Personalization", personalized_template, NO_ANSWER_SHEET),
)
