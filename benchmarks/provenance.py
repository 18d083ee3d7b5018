"""Which state of the code a benchmark ran on."""

from __future__ import annotations

import subprocess


def commit() -> str:
    """The short hash of the checked-out commit; `unknown` outside a checkout."""
    try:
        found = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return found.stdout.strip()
