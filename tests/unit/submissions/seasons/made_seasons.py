"""Seasons as tests write them, and a clock that they set."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from submissions.seasons.calendar import Seasons
from submissions.seasons.season_file import read_seasons

SPRING = """
title = "Spring"
set = "demonstration"
time_zone = "Europe/Berlin"
opens = 2026-03-01T00:00:00
closes = 2026-03-31T23:59:59
freezes = 2026-04-10T12:00:00
"""
AUTUMN = """
title = "Autumn"
set = "demonstration"
time_zone = "UTC"
opens = 2026-09-01T00:00:00
closes = 2026-09-30T23:59:59
freezes = 2026-10-10T12:00:00
"""


def made_seasons(folder: Path, **texts: str) -> Seasons:
    """The seasons of files with these texts, by name."""
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    return read_seasons(folder)


def at(text: str) -> float:
    """Seconds since the epoch of a moment with its offset."""
    return datetime.fromisoformat(text).timestamp()


@dataclass
class SetClock:
    """Says what it was set to."""

    now: float

    def __call__(self) -> float:
        return self.now

    def set(self, text: str) -> None:
        """To a moment with its offset."""
        self.now = at(text)
