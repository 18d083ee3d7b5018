"""Progress of a command that is too fast to have any: it is told once, as if the command had taken that long."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest


class TellsOnce(threading.Event):
    """A command that lasts for just one line, however fast it is."""

    def wait(self, timeout: float | None = None) -> bool:
        is_over, self.is_over = getattr(self, "is_over", False), True
        return is_over


def tell_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on `told_meanwhile` writes one line in every command."""
    parts = SimpleNamespace(Event=TellsOnce, Thread=threading.Thread)
    monkeypatch.setattr("submissions.commands.meanwhile.threading", parts)
