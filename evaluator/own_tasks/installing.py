"""A task checked and installed: its scoring program must score two baselines before anybody sends a file."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from evaluator.own_tasks.bundle_scoring import write_files
from evaluator.own_tasks.scoring import ScoringUnreadable, score_items, shown_log
from evaluator.own_tasks.task import OwnTaskResult, result_of
from evaluator.sandbox.program import ProgramStopped, refuse_readable, require_isolation
from submissions.own_tasks.codabench import BundleTask, bundle_name, described_bundle, read_bundle, task_names
from submissions.own_tasks.task import OwnTask
from submissions.own_tasks.task_file import (
    BUNDLE_FILE,
    PROGRAM,
    REFERENCES,
    SCORE_FILE,
    TASK_FILE,
    OwnTaskError,
    read_task,
)

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
    refuse_readable(tasks)
    task, references = read_task(folder)
    results: dict[str, OwnTaskResult] = {}
    for name, predictions in baseline_predictions(references).items():
        try:
            result = result_of(task, score_items(task, predictions, references), "")
        except (ProgramStopped, ScoringUnreadable) as error:
            raise OwnTaskError(f"{folder / SCORE_FILE}: no scores for the {name}: {error}{shown_log(error)}") from None
        if result.reasons:
            item, reason = next(iter(result.reasons.items()))
            many = f" ({len(result.reasons):,} of {len(references):,} items have no score)"
            raise OwnTaskError(f"{folder / SCORE_FILE}: item {item} with the {name}: {reason}{many}")
        results[name] = result
    files = {file: (folder / file).read_bytes() for file in (TASK_FILE, SCORE_FILE, task.reference)}
    kept = {name: result.model_dump(mode="json") for name, result in results.items()}
    return _put(tasks, task.name, {**files, BASELINES_FILE: json.dumps(kept).encode()}), results


def install_bundle(bundle: Path, tasks: Path) -> list[OwnTask]:
    """Installs the tasks of a Codabench bundle, each under a name made of that of the file.

    Raises:
        OwnTaskError: with what is wrong with the bundle.
        NoIsolation: there is no sandbox here.
    """
    require_isolation()
    refuse_readable(tasks)
    made = read_bundle(bundle.read_bytes(), bundle.name)
    names = task_names(bundle_name(bundle.name), len(made))
    return [_put(tasks, name, _bundle_files(task)) for name, task in zip(names, made, strict=True)]


def _bundle_files(task: BundleTask) -> dict[str, bytes]:
    program = {f"{PROGRAM}/{path}": content for path, content in task.program.items()}
    references = {f"{REFERENCES}/{path}": content for path, content in task.reference.items()}
    return {**program, **references, BUNDLE_FILE: described_bundle(task).encode()}


def _put(tasks: Path, name: str, files: Mapping[str, bytes]) -> OwnTask:
    """Puts a task where tasks are installed; an earlier one is replaced whole."""
    tasks.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=tasks, prefix=".new-") as made:
        new = Path(made) / name
        new.mkdir()
        write_files(new, files)
        if (tasks / name).exists():
            (tasks / name).rename(Path(made) / "earlier")
        new.rename(tasks / name)
    return read_task(tasks / name)[0]


def baselines_of(task: OwnTask) -> dict[str, OwnTaskResult]:
    """The results of the baselines of an installed task, by name; none where they are of another version of it."""
    try:
        kept = json.loads((task.folder / BASELINES_FILE).read_text(encoding="utf-8"))
    except OSError:
        return {}
    results = {name: OwnTaskResult.model_validate(result) for name, result in kept.items()}
    return {name: result for name, result in results.items() if result.task_sha256 == task.sha256}
