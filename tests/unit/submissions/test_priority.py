"""A process that steps back does so for those of other sessions too."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SAYS = """
import os
from pathlib import Path
from submissions.priority import step_back
step_back(7)
autogroup = Path("/proc/self/autogroup")
print(os.nice(0), autogroup.read_text().split()[-1] if autogroup.exists() else "none")
"""


def said(*, leads_session: bool) -> list[str]:
    """Niceness of a process that stepped back by 7, and that of its session; "none" where the kernel has none."""
    command = [sys.executable, "-c", SAYS]
    return subprocess.check_output(command, text=True, start_new_session=leads_session).split()


def test_a_process_with_a_session_of_its_own_makes_that_as_nice_as_itself() -> None:
    nicer = str(min(19, os.nice(0) + 7))
    kept = nicer if Path("/proc/self/autogroup").exists() else "none"
    assert said(leads_session=True) == [nicer, kept]


def test_a_process_in_the_session_of_others_leaves_that_as_it_is() -> None:
    autogroup = Path("/proc/self/autogroup")
    before = autogroup.read_text(encoding="ascii").split()[-1] if autogroup.exists() else "none"
    assert said(leads_session=False) == [str(min(19, os.nice(0) + 7)), before]
