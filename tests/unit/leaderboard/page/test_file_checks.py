"""What the processes that check files import: each of them holds it all the time."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from leaderboard.page.file_checks import PRELOAD

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


def test_a_worker_holds_no_table_and_no_page() -> None:
    packages = imported("evaluator.__main__", "evaluator.worker.loop", "evaluator.judges.loading")
    assert not {"gradio", "plotly", "pandas", "pyarrow"} & packages
    assert "evaluator" in packages
