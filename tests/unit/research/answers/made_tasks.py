"""A file of tasks over given texts, made up here, as `make golden-data` writes it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

TITLES = ("train", "harbour", "orchard", "library", "glacier", "violin", "desert", "bakery")
MADE_SETS = ("common_gen", "duorc", "quoref", "paws_labeled_final", "sciq", "samsum")


def write_tasks(folder: Path) -> None:
    """Writes `task_outputs.jsonl.gz`: two data sets of each part, and seed tasks."""
    with gzip.open(folder / "task_outputs.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in _rows())


def _rows() -> Iterator[dict[str, str]]:
    for data_set in MADE_SETS:
        for subject in TITLES:
            told = " ".join(f"{subject}{number}" for number in range(20))
            given = f"{data_set} writes about the {subject} , and how it was found by {told} lovers ."
            place = {"id": f"{data_set}_sum-{subject}", "data_set": data_set, "template": f"{data_set}_sum"}
            yield place | {"prompt": f"{given}\n\n\n\nSum this up:", "output": f"A {subject} was found by its lovers ."}
            place = {"id": f"{data_set}_label-{subject}", "data_set": data_set, "template": f"{data_set}_label"}
            label = data_set if subject in TITLES[:4] else f"no {data_set}"
            yield place | {"prompt": f"{given}\nWhich label fits?", "output": label}
        place = {"id": f"{data_set}_label-none", "data_set": data_set, "template": f"{data_set}_label"}
        yield place | {"prompt": "Nothing.\nWhich label fits?", "output": "Not enough information"}
    for number, subject in enumerate(TITLES):
        place = {"id": f"seed_task_{number}-0", "data_set": "seed_tasks", "template": f"seed_task_{number}"}
        rest = " ".join(("This is a long line about it and nothing else.",) * number)
        output = f"The {subject} is old. {rest}" if number else "seed"
        yield place | {"prompt": f"Write about the {subject}.", "output": output}
