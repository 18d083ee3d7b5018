"""Files of personalized answers, under the name before: see `submissions.formats.personalization.reader`."""

from __future__ import annotations

from submissions.formats.personalization.reader import (
    ENVELOPE_FIELDS,
    ROW_FIELDS,
    PersonalizedReading,
    are_personalized_lines,
    option_order_hash,
    read_personalized_document,
    read_personalized_lines,
)

__all__ = [
    "ENVELOPE_FIELDS",
    "ROW_FIELDS",
    "PersonalizedReading",
    "are_personalized_lines",
    "option_order_hash",
    "read_personalized_document",
    "read_personalized_lines",
]
