"""What the processes that check files import: each of them holds it all the time."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

from leaderboard.page.file_checks import PRELOAD, FileChecks, told_in_turn
from leaderboard.parts.notices import notice
from submissions.checking.fork_server import ONE_THREAD
from submissions.checking.job import CheckJob
from submissions.promptsets import PromptSets
from submissions.settings import Settings

PRINT_IMPORTED = """
import sys, json
from importlib import import_module
for name in sys.argv[1:]:
    import_module(name)
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""


def imported(*modules: str) -> set[str]:
    """Packages that are in memory after an interpreter of its own imported these modules."""
    command = [sys.executable, "-c", PRINT_IMPORTED, *modules]
    return set(json.loads(subprocess.check_output(command, cwd=Path(__file__).parents[4], text=True)))


def test_processes_that_check_files_hold_no_page_no_chart_no_database_and_no_model() -> None:
    packages = imported("submissions.checking.child", *(name.partition(":")[0] for name in PRELOAD))
    assert not {"gradio", "plotly", "pandas", "sqlalchemy", "torch"} & packages
    assert {"submissions", "leaderboard"} <= packages


COUNT_THREADS = """
import os, sys
from submissions.checking.child import make_ready
make_ready(sys.argv[1:])
print(len(os.listdir("/proc/self/task")))
"""


def test_what_check_processes_are_forked_from_has_one_thread() -> None:
    # What is forked from it would wait for others for ever: they are not there.
    command = [sys.executable, "-c", COUNT_THREADS, *PRELOAD]
    environ = {**os.environ, **ONE_THREAD}
    assert subprocess.check_output(command, cwd=Path(__file__).parents[4], env=environ, text=True) == "1\n"


def test_whoever_waits_for_a_file_that_is_gone_is_told_to_upload_it_again(tmp_path: Path) -> None:
    checks = FileChecks(PromptSets.load(None), Settings.from_env({}))

    async def told() -> list[object]:
        job = CheckJob(tmp_path / "removed.json", "removed.json")
        return [said async for said in told_in_turn(checks.looks, "visitor", job, lambda _: notice("plain", ""), "No")]

    try:
        assert asyncio.run(told())[-1] == notice(
            "warning", "No", "The file is no longer on this server. Upload it again."
        )
    finally:
        checks.close()


def test_a_worker_holds_no_table_and_no_page() -> None:
    packages = imported("evaluator.__main__", "evaluator.worker.loop", "evaluator.judge_loading.loading")
    assert not {"gradio", "plotly", "pandas", "pyarrow"} & packages
    assert "evaluator" in packages
