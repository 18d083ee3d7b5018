"""Prompt sets of an installation: a folder given by hand, a copy fetched earlier, or the bare shape."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path

from submissions.own_tasks.task_file import tasks_in
from submissions.promptsets import (
    OFFICIAL_2024_FILE,
    DownloadFailed,
    PromptSets,
    download_official_2024,
    download_official_2026,
)
from submissions.promptsets.cultural import cultural_file_names
from submissions.promptsets.hidden import hidden_folder, hidden_sources
from submissions.settings import Settings

logger = logging.getLogger(__name__)


def prompt_sets_at_hand(settings: Settings, *, fetch: bool) -> PromptSets:
    """Loads the prompt sets; `fetch` allows one try at the Hub for missing official sets.

    Without an official set everything still works on its shape: files are checked and judged, but relevance cannot
    be, so no row on that board is ranked. Hidden prompts that a season names are always needed.

    Raises:
        PromptSetError: when a set is at hand and cannot be used, or hidden prompts cannot be read.
    """
    prompt_sets = replace(
        PromptSets.load(_official_folder(settings, fetch=fetch)), own_tasks=tasks_in(settings.own_tasks)
    )
    sources = hidden_sources(settings.seasons)
    if not sources:
        return prompt_sets
    kept = settings.data / "hidden_prompts"
    return prompt_sets.with_hidden(
        {set_id: hidden_folder(source, kept, settings.hub_token) for set_id, source in sources.items()}
    )


def _official_folder(settings: Settings, *, fetch: bool) -> Path | None:
    if settings.eloquent_dir is not None:
        return settings.eloquent_dir
    folder = settings.fetched_sets
    if fetch:
        _fetch_missing(folder, settings)
    return folder if folder.is_dir() else None


def _fetch_missing(folder: Path, settings: Settings) -> None:
    """One try; where the first set cannot be had, the page does not wait for a second refusal."""
    try:
        if not (folder / OFFICIAL_2024_FILE).exists():
            download_official_2024(folder, settings.eloquent_repo, settings.eloquent_2024_file)
        if not any((folder / name).exists() for name in cultural_file_names()):
            download_official_2026(folder, settings.eloquent_repo)
    except DownloadFailed as error:
        logger.warning("%s; without its prompts a set is checked and judged, its rows stay unranked", error)
