"""Validators of other projects, in an environment of their own: their pins and ours do not go together.

`make validators` makes it, and `make test` before the tests.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
PYTHON = ROOT / ".venv-validators" / "bin" / "python"


def run_validator(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a module of the environment in a folder; its output is text."""
    assert PYTHON.exists(), "run `make validators` first"
    return subprocess.run(
        [str(PYTHON), "-m", *arguments], cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )
