"""Predicted ratings and predicted choices of particular readers: two kinds, one reader."""

from __future__ import annotations

from submissions.formats.file_kind import FileKind, Template
from submissions.formats.personalized_evaluation.reader import ROW_KEYS, read_perse_document
from submissions.formats.personalized_evaluation.submission import PAIRS_KIND, RATINGS_KIND
from submissions.formats.personalized_evaluation.template import NO_PERSE_ANSWER_SHEET, pairs_template, ratings_template

RATINGS = FileKind(
    RATINGS_KIND,
    read_perse_document,
    row_keys=ROW_KEYS,
    template=Template(RATINGS_KIND, "Personal raters: ratings", ratings_template, NO_PERSE_ANSWER_SHEET),
)
PAIRS = FileKind(
    PAIRS_KIND,
    read_perse_document,
    row_keys=ROW_KEYS,
    template=Template(PAIRS_KIND, "Personal raters: pairs", pairs_template, NO_PERSE_ANSWER_SHEET),
)
