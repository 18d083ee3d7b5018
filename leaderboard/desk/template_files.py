"""The templates of ELOQUENT's editions as files for the browser."""

from __future__ import annotations

from collections.abc import Sequence

from leaderboard.parts.downloads import CSV, JSON, JSON_LINES, FileValue, binary_file_value, file_value
from submissions.formats.eloquent.template import (
    cultural_languages_at_hand,
    cultural_template,
    question_template,
    submission_template,
)
from submissions.formats.own_task.reader import ZIP_ENVELOPE
from submissions.own_tasks.task import OwnTask
from submissions.promptsets import (
    DEMONSTRATION_2025,
    DEMONSTRATION_2026,
    ELOQUENT_2025,
    ELOQUENT_2026,
    SETS_OF_2025,
    SETS_OF_2026,
    PromptSets,
)
from submissions.promptsets.cultural import CULTURAL_LANGUAGES

ZIP = "application/zip"

BY_LANGUAGE = {
    ELOQUENT_2025: "ELOQUENT 2025",
    DEMONSTRATION_2025: "Demonstration 2025",
    ELOQUENT_2026: "ELOQUENT 2026",
    DEMONSTRATION_2026: "Demonstration 2026",
}
"""Sets whose templates are made for some languages: id -> title."""


def first_languages(set_id: str, prompt_sets: PromptSets) -> tuple[str, ...]:
    """The languages chosen at first; () where a template has all languages of its set anyway."""
    if set_id in SETS_OF_2026:
        return cultural_languages_at_hand(prompt_sets.by_id(set_id))
    return ("en",) if set_id in SETS_OF_2025 else ()


def offered_languages(set_id: str, prompt_sets: PromptSets) -> tuple[str, ...]:
    """The languages a template can be made for: of a demonstration set those it has, else the edition's."""
    if set_id in (DEMONSTRATION_2025, DEMONSTRATION_2026):
        return cultural_languages_at_hand(prompt_sets.by_id(set_id))
    return CULTURAL_LANGUAGES


def own_template(task: OwnTask) -> FileValue:
    """The unfilled predictions of an installed task; of a bundle the file that its zip begins with."""
    if task.is_bundle:
        return file_value(ZIP_ENVELOPE, JSON, task.template())
    return file_value(
        f"{task.name}-template.{task.format}", CSV if task.format == "csv" else JSON_LINES, task.template()
    )


def eloquent_template(set_id: str, languages: Sequence[str], prompt_sets: PromptSets) -> FileValue:
    """The unfilled submission of a set.

    Args:
        set_id: Of the official sets or the demonstration set.
        languages: For `BY_LANGUAGE`; a file of 2025 has one, the first.
    """
    known = offered_languages(set_id, prompt_sets)
    chosen = [language for language in known if language in languages]
    named = chosen or list(first_languages(set_id, prompt_sets))
    if set_id in SETS_OF_2025:
        text = question_template(named[0], prompt_sets.by_id(set_id)).decode("utf-8")
        return file_value(f"{set_id}-{named[0]}-template.json", JSON, text)
    if set_id in SETS_OF_2026:
        data = cultural_template(prompt_sets.by_id(set_id), named)
        return binary_file_value(f"{set_id}-template.zip", ZIP, data)
    return file_value(f"{set_id}-template.json", JSON, submission_template(prompt_sets.by_id(set_id)))
