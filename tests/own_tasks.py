"""The task of docs/own_task.md, as files."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

DOC = (Path(__file__).parents[1] / "docs" / "own_task.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^`pisa/([\w.]+)`\n\n```\w+\n(.*?)^```$", DOC, re.MULTILINE | re.DOTALL))

ANSWERS = {
    "q1": "It dried up because there was no rain.",
    "q2": "They drew them while they lived; now they are gone.",
    "q3": "It reappeared in 11000 BC.",
    "q4": "Those who choose can have it against flu.",
    "q5": "A mask keeps sand out.",
    "q6": "She is angry about the walls and the paint.",
    "q7": "Shoes that hold the ankle.",
    "q8": "A letter about graffiti.",
}
"""Full credit by the guide for each item."""


def pisa_folder(parent: Path, **changed: str) -> Path:
    """The folder of the page, with some files changed: `score_py="..."`."""
    folder = parent / "pisa"
    folder.mkdir(parents=True)
    for name, text in FILES.items():
        (folder / name).write_text(changed.get(name.replace(".", "_"), text), encoding="utf-8")
    return folder


def pisa_file(answers: Mapping[str, object], system: str = "Keel", task: str = "pisa") -> bytes:
    """A run as JSON Lines."""
    names = {"team": "Aurora", "system": system, "model": "m", "run": "r"}
    rows = [{"kind": "own_task", "task": task, **names}, *({"id": i, "prediction": a} for i, a in answers.items())]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()
