"""What the desk says of a zip of 2026."""

from __future__ import annotations

from leaderboard.boards.robustness.file_view import coverage_grid
from leaderboard.parts.file_previews import FileView, Preview, cut, flag_words
from submissions.formats.eloquent.result import CulturalReading


def _read_as(reading: CulturalReading) -> str:
    return f"Read as {reading.entry.set_id}" if reading.entry else ""


def _preview(reading: CulturalReading) -> Preview | None:
    entry, held = reading.entry, reading.coverage
    if entry is None or held is None:
        return None
    kinds = "; ".join(f"{kind} {count.answered:,} of {count.expected:,}" for kind, count in held.by_kind.items())
    facts = {
        "Answers": f"{held.total.answered:,} of {held.total.expected:,}",
        "Prompts": kinds,
        "Languages": f"{len(entry.languages)}: {', '.join(entry.languages)}",
        "Work": "no judgements: the figures are computed from embeddings of the answers",
    }
    rows = [
        [answer.kind, answer.item_id, answer.language, cut(answer.response), ", ".join(sorted(answer.flags)) or "none"]
        for answer in entry.first_answers
    ]
    flags = [flag_words(flag, count, held.total.answered) for flag, count in entry.flags.items()]
    return Preview(facts, ["Kind", "Prompt", "Language", "Answer, as it was read", "Flags"], rows, flags)


CULTURAL_VIEW = FileView(CulturalReading, _read_as, _preview, grid=lambda reading: coverage_grid(reading.coverage))
