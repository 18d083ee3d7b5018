"""Which state of the code a benchmark ran on."""

from __future__ import annotations

import subprocess
from pathlib import Path


def commit(checkout: Path | None = None) -> str:
    """The short hash of the checked-out commit, of the folder we are in by default; `unknown` outside a checkout."""
    command = ["git", "rev-parse", "--short", "HEAD"]
    try:
        process = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return process.stdout.strip()
