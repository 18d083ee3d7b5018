"""Runs inside of the sandbox: `score(prediction, reference)` of score.py for every item, one line of JSON each.

It imports nothing of ours and is started as a file: /harness.py with /program/score.py and /input/items.jsonl.
"""

from __future__ import annotations

import importlib.util
import json
import os
from typing import Any

PROGRAM = "/program/score.py"


def scored(score: Any, item: dict[str, Any]) -> dict[str, Any]:
    """The values of one item, or why there are none."""
    try:
        values = score(item["prediction"], item["reference"])
        if not isinstance(values, dict):
            return {"error": f"score returned {type(values).__name__}, expected a dict of name and number"}
        return {"values": {str(name): float(value) for name, value in values.items()}}
    except (Exception, SystemExit) as error:
        line = _line(error)
        return {"error": f"score raised {type(error).__name__}" + (f" at line {line} of score.py" if line else "")}


def _line(error: BaseException) -> int:
    """The last line of score.py that ran; 0 = it had returned."""
    line, step = 0, error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == PROGRAM:
            line = step.tb_lineno
        step = step.tb_next
    return line


def main() -> None:
    """Scores every item; what score.py prints goes to the log."""
    told = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    spec = importlib.util.spec_from_file_location("score", PROGRAM)
    assert spec
    assert spec.loader
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    with open("/input/items.jsonl", encoding="utf-8") as lines:
        for line in lines:
            told.write(json.dumps(scored(program.score, json.loads(line))) + "\n")
    told.close()


if __name__ == "__main__":
    main()
