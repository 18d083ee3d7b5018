"""What the desk says of predictions for a task of one's own before they are submitted."""

from __future__ import annotations

import json

from leaderboard.parts.file_previews import FileView, Preview, cut
from submissions.formats.own_task.reader import OwnTaskReading
from submissions.formats.preview import FIRST_ROWS


def _read_as(reading: OwnTaskReading) -> str:
    task = reading.task
    if task and task.is_bundle:
        return f"Read as a zip of {reading.answered:,} files for {task.title}"
    return f"Read as {reading.answered:,} predictions of {len(task.items):,} for {task.title}" if task else ""


def _preview(reading: OwnTaskReading) -> Preview | None:
    if reading.submission is None or reading.task is None:
        return None
    if reading.task.is_bundle:
        sizes = [[cut(path), f"{len(data):,}"] for path, data in list(reading.submission.files.items())[:FIRST_ROWS]]
        work = {"Work": "no judgements: the organiser's program scores the whole run"}
        return Preview({"Files": f"{reading.answered:,}", **work}, ["File", "Bytes"], sizes)
    first = list(reading.submission.predictions.items())[:FIRST_ROWS]
    rows = [[cut(item), cut(value if isinstance(value, str) else json.dumps(value))] for item, value in first]
    facts = {
        "Predictions": f"{reading.answered:,} of {len(reading.task.items):,}; a rank needs all of them",
        "Work": "no judgements: the organiser's program scores each item",
    }
    return Preview(facts, [reading.task.key, "Prediction, as it was read"], rows)


OWN_TASK_VIEW = FileView(OwnTaskReading, _read_as, _preview)
