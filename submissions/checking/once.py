"""One check for a command: in a process of its own, within the same budget as on a page."""

from __future__ import annotations

import io
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from submissions.check import CheckReport
from submissions.checking.fork_server import ForkServer
from submissions.checking.job import Budget, CheckJob
from submissions.checking.pool import CheckPool
from submissions.promptsets import PromptSets


def checked_once(file: BinaryIO, job: CheckJob, prompt_sets: PromptSets, budget: Budget) -> CheckReport:
    """The report of a file, without its rows.

    Args:
        file: The file, open; bytes in memory are written where the process can read them.
        job: How it is read; its path is that of `file`, where it has one.
    """
    with ForkServer(prompt_sets) as server, CheckPool(server, budget, at_once=1) as checks:
        if not isinstance(file, io.BytesIO):
            return checks.join("", job).answer.result().report
        with tempfile.NamedTemporaryFile(prefix="plumbline-") as kept:
            kept.write(file.getbuffer())
            kept.flush()
            return checks.join("", replace(job, path=Path(kept.name))).answer.result().report
