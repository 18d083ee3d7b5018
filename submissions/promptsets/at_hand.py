"""Which prompt sets an installation has: a folder given by hand, a copy fetched earlier, or the bare shape."""

from __future__ import annotations

import logging
from pathlib import Path

from submissions.promptsets import OFFICIAL_2024_FILE, DownloadFailed, PromptSets, download_official_2024
from submissions.settings import Settings

logger = logging.getLogger(__name__)


def prompt_sets_at_hand(settings: Settings, *, fetch: bool) -> PromptSets:
    """Loads the prompt sets; `fetch` allows one try at the Hub for a missing official set.

    Without the official set everything still works on its shape: files are checked and judged, but relevance cannot
    be, so no row on that board is ranked.
    """
    return PromptSets.load(_official_folder(settings, fetch=fetch))


def _official_folder(settings: Settings, *, fetch: bool) -> Path | None:
    if settings.eloquent_dir is not None:
        return settings.eloquent_dir
    folder = settings.fetched_sets
    if not (folder / OFFICIAL_2024_FILE).exists():
        if not fetch:
            return None
        try:
            download_official_2024(folder, repo_id=settings.eloquent_repo, file_name=settings.eloquent_2024_file)
        except DownloadFailed as error:
            logger.warning("%s; the official board works without prompts, its rows stay unranked", error)
            return None
    return folder
