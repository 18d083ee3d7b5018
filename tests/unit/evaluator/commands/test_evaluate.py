"""`python -m evaluator evaluate`: what pack wrote is scored, and a long evaluation says what it is at."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from evaluator.__main__ import main
from submissions.__main__ import main as submissions_main


@pytest.fixture(autouse=True)
def own_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("PLUMBLINE_ELOQUENT_DIR", raising=False)
    monkeypatch.setenv("PLUMBLINE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("PLUMBLINE_EMBEDDING", "scripted")


class TellsOnce(threading.Event):
    """An evaluation that lasts for just one line, however fast it is."""

    def wait(self, timeout: float | None = None) -> bool:
        is_over, self.is_over = getattr(self, "is_over", False), True
        return is_over


def test_what_was_packed_is_scored_and_progress_is_told_meanwhile(
    own_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert submissions_main(["pack", str(own_data / "packing" / "arrays"), "--out", str(tmp_path)]) == 0
    capsys.readouterr()
    parts = SimpleNamespace(Event=TellsOnce, Thread=threading.Thread)
    monkeypatch.setattr("submissions.commands.meanwhile.threading", parts)
    assert main(["evaluate", str(tmp_path / "greedy.zip"), "--json", "--judge", "scripted"]) == 0
    shown = capsys.readouterr()
    result = json.loads(shown.out)
    assert result["board"] == "cultural"
    assert {language: one["answered"] for language, one in result["languages"].items()} == {"de": 5, "en": 5}
    assert " s so far\n" in shown.err
