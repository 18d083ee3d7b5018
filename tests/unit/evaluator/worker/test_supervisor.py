"""The worker beside the page server: what it is started with."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from evaluator.worker.supervisor import Supervisor
from evaluator.worker.watcher import WatchedLimits
from submissions.store.store import Store


def test_the_worker_gets_the_environment_without_any_hub_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[dict[str, str]] = []
    store = Store.open(f"sqlite:///{tmp_path / 'plumbline.db'}")

    class Ended:
        def __init__(self, command: list[str], *, env: dict[str, str], **options: object) -> None:
            started.append(env)
            self.stdin = self.stdout = nowhere

        def poll(self) -> int:
            made._stop.set()
            return 0

        def wait(self, timeout: float) -> int:
            return 0

    monkeypatch.setattr(subprocess, "Popen", Ended)
    tokens = dict.fromkeys(
        ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "OAUTH_CLIENT_SECRET", "PLUMBLINE_INFERENCE_TOKEN"), "hf_secret"
    )
    made = Supervisor(store, {"PLUMBLINE_DATA": "data", "PLUMBLINE_JUDGE_API_KEY": "sk", **tokens}, WatchedLimits(0, 0))
    with Path(os.devnull).open("rb") as nowhere:
        made.start()
        made.stop()
    store.close()
    assert started == [{"PLUMBLINE_DATA": "data", "PLUMBLINE_JUDGE_API_KEY": "sk"}]
