"""Makes the scripted judge of a process whose PYTHONPATH names this folder hold the interpreter on some answers.

A process imports `sitecustomize` before anything else; PYTHONPATH must also name the repository.
"""

from __future__ import annotations

import ctypes

from evaluator.judges.protocol import JudgeRequest, Judgment
from evaluator.judges.scripted import ScriptedJudge

POISON = "POISON"
_LOCK = ctypes.create_string_buffer(64)
"""A mutex of the C library: zeros are an open one, and 64 bytes are more than it has on any machine."""
_judgment = ScriptedJudge._judgment


def _stuck_judgment(judge: ScriptedJudge, request: JudgeRequest) -> Judgment:
    if POISON in request.fields.get("answer_a", ""):
        _hold_the_interpreter()
    return _judgment(judge, request)


def _hold_the_interpreter() -> None:
    """Until the end of the world, and no other thread runs meanwhile, as an expression that backtracks does.

    It waits instead of computing, so that the rest of the test has the processor.
    """
    c_library = ctypes.PyDLL(None)  # whose functions keep the interpreter's lock
    for _ in range(2):
        c_library.pthread_mutex_lock(_LOCK)


ScriptedJudge._judgment = _stuck_judgment  # type: ignore[method-assign, assignment]
