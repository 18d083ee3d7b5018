"""Makes the scripted judge of a process whose PYTHONPATH names this folder hold the interpreter on some answers.

A process imports `sitecustomize` before anything else; PYTHONPATH must also name the repository.
"""

from __future__ import annotations

import re

from evaluator.judges.protocol import JudgeRequest, Judgment
from evaluator.judges.scripted import ScriptedJudge

POISON = "POISON"
_judgment = ScriptedJudge._judgment


def _stuck_judgment(judge: ScriptedJudge, request: JudgeRequest) -> Judgment:
    if POISON in request.fields.get("answer_a", ""):
        re.match(r"(a+)+$", "a" * 64 + "b")  # until the end of the world, and no other thread runs meanwhile
    return _judgment(judge, request)


ScriptedJudge._judgment = _stuck_judgment  # type: ignore[method-assign, assignment]
