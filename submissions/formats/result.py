"""What a reader hands back: the submission as far as it could be read, and everything found on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from submissions.findings import Findings
from submissions.schema import Kind, Response, Submission

Slot = tuple[Kind, str, int, str]
"""Kind, item id, variant and language: what names one response within a submission."""


def slot_of(response: Response) -> Slot:
    """The slot a response fills."""
    return response.kind, response.item_id, response.variant, response.language


@dataclass(frozen=True, slots=True)
class Reading:
    """One file as a reader saw it."""

    submission: Submission | None
    """With a blank response where none could be read, so that guards and coverage see the rest; None without items."""
    findings: Findings
    places: Mapping[Slot, str]
    """Where each response stands in the file; absent responses have no place."""
    is_complete: bool
    """Whether every part was read as it stands. If not, the submission serves the report only."""
