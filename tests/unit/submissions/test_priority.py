"""A process that steps back does so for those of other sessions too."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SAYS = """
import os
from submissions.priority import step_back
from tests.unit.submissions.test_priority import niceness_of_session
step_back(7)
print(os.nice(0), niceness_of_session())
"""


def niceness_of_session() -> str:
    """Niceness of this process's session; "none" where the kernel tells none.

    That is so without autogroups, and in the session of a machine's first process, whose file is there and empty.
    """
    autogroup = Path("/proc/self/autogroup")
    words = autogroup.read_text(encoding="ascii").split() if autogroup.exists() else []
    return words[-1] if words else "none"


def said(*, leads_session: bool) -> list[str]:
    """Niceness of a process that stepped back by 7, and that of its session."""
    command = [sys.executable, "-c", SAYS]
    return subprocess.check_output(command, text=True, start_new_session=leads_session).split()


def test_a_process_with_a_session_of_its_own_makes_that_as_nice_as_itself() -> None:
    nicer = str(min(19, os.nice(0) + 7))
    kept = nicer if Path("/proc/self/autogroup").exists() else "none"
    assert said(leads_session=True) == [nicer, kept]


def test_a_process_in_the_session_of_others_leaves_that_as_it_is() -> None:
    before = niceness_of_session()
    assert said(leads_session=False) == [str(min(19, os.nice(0) + 7)), before]
