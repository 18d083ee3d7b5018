"""Our example of 2026, written to show the scale: a run of the demonstration set, as the zip of a team."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from submissions.formats.eloquent.cultural_metadata import LABEL_2026
from submissions.formats.eloquent.writing import cultural_zip
from submissions.promptsets import demonstration_2026
from submissions.schema import Response

FILE_NAME = "tide.zip"


def example_of_2026() -> bytes:
    """The zip; the same bytes each time."""
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


def _responses(answers: dict[str, dict[str, str]]) -> Iterator[Response]:
    prompts = {
        (item.id, variant.language): variant.prompt or ""
        for item in demonstration_2026().items
        for variant in item.variants
    }
    for language, rows in answers.items():
        for item_id, answer in rows.items():
            question, _, variant = item_id.partition("-")
            prompt = prompts[item_id, language]
            yield Response(
                item_id=item_id,
                base_id=question,
                kind="specific" if variant else "unspecific",
                variant=int(variant or 1),
                language=language,
                prompt=prompt,
                turns=((prompt, answer),),
                response=answer,
            )
