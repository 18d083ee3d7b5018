"""A worker whose judge cannot judge: submissions wait, and the pages say why."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from benchmarks.random_models import TINY, random_model, small_tokenizer
from leaderboard.desk.queue_rows import worker_line, worker_rows
from leaderboard.site.health import Health
from submissions.store.store import Store

ROOT = Path(__file__).parents[2]


def test_health_and_desk_say_why_a_model_of_random_weights_does_not_judge(tmp_path: Path) -> None:
    folder = tmp_path / "random-judge"
    random_model(TINY).save_pretrained(folder)
    small_tokenizer().save_pretrained(folder)
    environ = os.environ | {"PLUMBLINE_DATA": str(tmp_path / "data"), "PLUMBLINE_JUDGES": f"transformers:{folder}"}
    ended = subprocess.run(
        [sys.executable, "-m", "evaluator", "work", "--until-empty", "--name", "w1"],
        cwd=ROOT,
        env=environ,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ended.returncode == 2, ended.stderr
    reason = "random-judge cannot judge: it cannot answer similarity-pair 2: 16 of 16 plain questions are unscored"
    assert reason in ended.stderr
    store = Store.open(f"sqlite:///{tmp_path / 'data' / 'plumbline.db'}")
    try:
        workers = store.workers()
        assert [(worker.name, worker.is_alive) for worker in workers] == [("w1", False)]
        assert workers[0].fault.startswith(reason)
        assert worker_line(workers).startswith(f"The judge cannot be used, so submissions wait: {reason}")
        assert worker_rows(workers)[0].status.startswith(f"cannot judge: {reason}")
        part = Health(store, tmp_path / "data" / "archive").parts()["workers"]
        assert part.status == "failed"
        assert part.reason.startswith(f"the judge cannot be used, so submissions wait: {reason}")
        assert re.search(r"lowest label mass [\d.e-]+, 0\.5 is needed; it wanted ('.*' [\d.]+(, )?){5}\)$", part.reason)
        assert part.reason.endswith(workers[0].fault)
        assert str(tmp_path) not in part.reason
        store.worker_seen("w2", "transformers")  # one that can
        assert Health(store, tmp_path / "data" / "archive").parts()["workers"].status == "ok"
    finally:
        store.close()
