"""Digest of a run's answers: the same answers under other names are recognised (docs/identity.md)."""

from __future__ import annotations

import hashlib
import json

from submissions.schema import Response

FEWEST_ANSWERS = 10
"""Fewer may be the same by chance: runs of two systems may both say "Yes" a few times."""


class AnswersDigest:
    """Takes answers one at a time, in any order, and holds 32 bytes of each."""

    def __init__(self) -> None:
        self._answers: list[bytes] = []

    def add(self, response: Response) -> None:
        """Adds an answer under its place; a blank one adds nothing, and white space does not count."""
        if response.is_blank:
            return
        said = [" ".join(answer.split()) for _, answer in response.turns] or [" ".join(response.response.split())]
        place = [response.kind, response.item_id, response.variant, response.language]
        text = json.dumps([place, said], ensure_ascii=False)
        self._answers.append(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest())

    def value(self) -> str | None:
        """64 hex digits, the same for the same answers in the same places; None where they are fewer than ten."""
        if len(self._answers) < FEWEST_ANSWERS:
            return None
        return hashlib.sha256(b"".join(sorted(self._answers))).hexdigest()
