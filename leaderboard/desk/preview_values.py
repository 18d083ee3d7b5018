"""Values of a checked file before it is submitted: what would be scored, and what that costs."""

from __future__ import annotations

from leaderboard.boards.file_views import view_of
from leaderboard.parts.file_previews import PreviewValue
from leaderboard.parts.visible_text import visible
from submissions.check import CheckReport
from submissions.formats.preview import normalisations


def preview_value(report: CheckReport) -> PreviewValue | None:
    """The preview of a file that can be scored; None of one that is refused."""
    if report.decision == "refused" or report.reading is None:
        return None
    preview = view_of(report.reading).preview(report.reading)
    if preview is None:
        return None
    return {
        "title": "What would be scored",
        "facts": [{"name": name, "text": text} for name, text in preview.facts.items() if text],
        "normalisations": normalisation_words(report),
        "flags": list(preview.flags),
        "caption": "The first row as it was read"
        if len(preview.rows) == 1
        else f"The first {len(preview.rows)} rows as they were read",
        "heads": preview.heads,
        "rows": preview.rows,
    }


def normalisation_words(report: CheckReport) -> list[str]:
    """What was read otherwise than it is written, one sentence each."""
    return [visible(problem.message) for problem in normalisations(report.problems)]
