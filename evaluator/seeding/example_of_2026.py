"""Our example of 2026, written to show the scale: a part of a run in five languages, as the zip of a team."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from submissions.formats.eloquent.cultural_metadata import LABEL_2026
from submissions.formats.eloquent.writing import cultural_zip
from submissions.schema import Response

FILE_NAME = "tide.zip"


def example_of_2026() -> bytes:
    """The zip; the same bytes each time.

    Its prompts are ours, so that it belongs only where the official ones are not installed.
    """
    text = files("submissions.promptsets").joinpath("examples", "2026", "tide.json").read_text(encoding="utf-8")
    written: dict[str, Any] = json.loads(text)
    metadata = {
        "team": written["team"],
        "system": written["system"],
        "model": written["model"],
        "submissionid": written["run"],
        "date": "2026",
        "label": LABEL_2026,
        "languages": sorted(written["answers"]),
        "modifications": {"notes": written["notes"]},
    }
    return cultural_zip(json.dumps(metadata).encode(), _responses(written["answers"]))


def _responses(answers: dict[str, dict[str, dict[str, str]]]) -> Iterator[Response]:
    for language, rows in answers.items():
        for item_id, row in rows.items():
            question, _, variant = item_id.partition("-")
            yield Response(
                item_id=item_id,
                base_id=question,
                kind="specific" if variant else "unspecific",
                variant=int(variant or 1),
                language=language,
                prompt=row["prompt"],
                turns=((row["prompt"], row["answer"]),),
                response=row["answer"],
            )
