"""The graphics cards of a ZeroGPU Space in tests: what the stand-in for its package was asked, and what it refuses."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parent / "spaces_package"
"""What has to stand on PYTHONPATH where a process imports `spaces`."""
FOLDER = "STAND_IN_FOR_SPACES"


@dataclass(frozen=True, slots=True)
class Cards:
    """What lies in the folder of the stand-in."""

    folder: Path

    @property
    def notes(self) -> list[dict[str, Any]]:
        path = self.folder / "calls.jsonl"
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.is_file() else []

    @property
    def asked(self) -> list[tuple[str, int]]:
        """Function and seconds of every card that was asked for."""
        return [(note["function"], note["seconds"]) for note in self.notes if note["event"] == "asked"]

    def refuse(self, title: str, message: str) -> None:
        """From now on."""
        said = json.dumps({"title": title, "message": message})
        (self.folder / "refusal.json").write_text(said, encoding="utf-8")
