"""Makes the scripted judge of a process whose PYTHONPATH names this folder note every question before it answers.

PLUMBLINE_ASKED names the file: a line for each question, with host, process and verdict key. PLUMBLINE_ASKED_S is how
long an answer takes. A process imports `sitecustomize` before anything else; PYTHONPATH must also name the repository.
"""

from __future__ import annotations

import os
import socket
import time

if "PLUMBLINE_ASKED" in os.environ:
    from evaluator.judges.protocol import JudgeRequest, Judgment
    from evaluator.judges.scripted import ScriptedJudge

    _judgment = ScriptedJudge._judgment

    def _noted_judgment(judge: ScriptedJudge, request: JudgeRequest) -> Judgment:
        line = f"{socket.gethostname()} {os.getpid()} {judge.key(request)}\n"
        # One write to the end of the file, which those of other processes cannot divide.
        noted = os.open(os.environ["PLUMBLINE_ASKED"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(noted, line.encode())
        finally:
            os.close(noted)
        time.sleep(float(os.environ["PLUMBLINE_ASKED_S"]))
        return _judgment(judge, request)

    ScriptedJudge._judgment = _noted_judgment  # type: ignore[method-assign, assignment]
