"""Files of personalized answers, under the name before: see `submissions.formats.personalization.reader`."""

from __future__ import annotations

from submissions.formats.personalization.reader import (
    ENVELOPE_FIELDS,
    HEAD_BYTES,
    KNOWN_KEYS,
    ROW_FIELDS,
    PersonalizedReading,
    Sender,
    are_personalized_lines,
    may_be_personalized_document,
    option_order_hash,
    read_personalized_document,
    read_personalized_lines,
)

__all__ = [
    "ENVELOPE_FIELDS",
    "HEAD_BYTES",
    "KNOWN_KEYS",
    "ROW_FIELDS",
    "PersonalizedReading",
    "Sender",
    "are_personalized_lines",
    "may_be_personalized_document",
    "option_order_hash",
    "read_personalized_document",
    "read_personalized_lines",
]
