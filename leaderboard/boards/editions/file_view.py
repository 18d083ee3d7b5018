"""The desk's words on a zip of 2026."""

from __future__ import annotations

from leaderboard.boards.robustness.file_view import coverage_grid, flags_text, read_as_set
from leaderboard.parts.file_previews import FileView, Preview, cut, flag_words
from submissions.formats.eloquent.result import CulturalReading


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
        [answer.kind, answer.item_id, answer.language, cut(answer.response), flags_text(answer.flags)]
        for answer in entry.first_answers
    ]
    flags = [flag_words(flag, count, held.total.answered) for flag, count in entry.flags.items()]
    return Preview(facts, ["Kind", "Prompt", "Language", "Answer, as it was read", "Flags"], rows, flags)


CULTURAL_VIEW = FileView(CulturalReading, read_as_set, _preview, grid=lambda reading: coverage_grid(reading.coverage))
