"""Recommender answers beside those of humans."""

from __future__ import annotations

from submissions.formats.behavior_alignment.reader import ROW_KEYS, read_crs_document
from submissions.formats.behavior_alignment.submission import KIND, SET_ID
from submissions.formats.behavior_alignment.template import NO_CRS_ANSWER_SHEET, crs_responses_template
from submissions.formats.file_kind import FileKind, Template

RECOMMENDER_ANSWERS = FileKind(
    KIND,
    read_crs_document,
    row_keys=ROW_KEYS,
    template=Template(SET_ID, "Recommenders", crs_responses_template, NO_CRS_ANSWER_SHEET),
)
