"""A task checked and installed: its scoring program must score two baselines before anybody sends a file."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from evaluator.own_tasks.scoring import ScoringUnreadable, score_items
from evaluator.own_tasks.task import OwnTaskResult, result_of
from evaluator.sandbox.program import ProgramStopped
from submissions.own_tasks.task import OwnTask
from submissions.own_tasks.task_file import SCORE_FILE, TASK_FILE, OwnTaskError, read_task

BASELINES_FILE = "baselines.json"
MOST_FREQUENT, EMPTY = "most frequent answer", "empty answer"


def baseline_predictions(references: Mapping[str, object]) -> dict[str, dict[str, object]]:
    """What a system says that knows nothing of an item: always the most frequent reference, or always nothing.

    >>> baseline_predictions({"1": "B", "2": "A", "3": "B"})["most frequent answer"]
    {'1': 'B', '2': 'B', '3': 'B'}
    """
    written = {item: json.dumps(reference, sort_keys=True) for item, reference in references.items()}
    most_frequent = json.loads(Counter(written.values()).most_common(1)[0][0])
    return {MOST_FREQUENT: dict.fromkeys(references, most_frequent), EMPTY: dict.fromkeys(references, "")}


def install(folder: Path, tasks: Path) -> tuple[OwnTask, dict[str, OwnTaskResult]]:
    """Checks a task, scores its baselines, and copies it to where tasks are installed; an earlier one is replaced.

    Args:
        folder: With task.toml, score.py and the references.
        tasks: Where tasks are installed.

    Returns:
        The task, and the result of each baseline.

    Raises:
        OwnTaskError: with what is wrong with the folder, or with the first item that has no score.
        NoIsolation: there is no sandbox here.
    """
    task, references = read_task(folder)
    results: dict[str, OwnTaskResult] = {}
    for name, predictions in baseline_predictions(references).items():
        try:
            result = result_of(task, score_items(task, predictions, references), "")
        except (ProgramStopped, ScoringUnreadable) as error:
            said = f"\n{error.log.strip()}" if isinstance(error, ProgramStopped) and error.log.strip() else ""
            raise OwnTaskError(f"{folder / SCORE_FILE}: no scores for the {name}: {error}{said}") from None
        if result.reasons:
            item, reason = next(iter(result.reasons.items()))
            many = f" ({len(result.reasons):,} of {len(references):,} items have no score)"
            raise OwnTaskError(f"{folder / SCORE_FILE}: item {item} with the {name}: {reason}{many}")
        results[name] = result
    tasks.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=tasks, prefix=".new-") as made:
        new = Path(made) / task.name
        new.mkdir()
        for file in (TASK_FILE, SCORE_FILE, task.reference):
            shutil.copyfile(folder / file, new / file)
        kept = {name: result.model_dump(mode="json") for name, result in results.items()}
        (new / BASELINES_FILE).write_text(json.dumps(kept), encoding="utf-8")
        place = tasks / task.name
        if place.exists():
            place.rename(Path(made) / "earlier")
        new.rename(place)
    return read_task(place)[0], results


def baselines_of(task: OwnTask) -> dict[str, OwnTaskResult]:
    """The results of the baselines of an installed task, by name; none where they are of another version of it."""
    try:
        kept = json.loads((task.folder / BASELINES_FILE).read_text(encoding="utf-8"))
    except OSError:
        return {}
    results = {name: OwnTaskResult.model_validate(result) for name, result in kept.items()}
    return {name: result for name, result in results.items() if result.task_sha256 == task.sha256}
