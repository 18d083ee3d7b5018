"""A submission as a file of its edition: what the readers read, written.

`read o write` is the identity on responses; names are those of the submission.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from submissions.formats.eloquent.cultural_metadata import LABEL_2026, METADATA_FILE
from submissions.formats.eloquent.edition_2024 import ROOT_KEY
from submissions.formats.eloquent.edition_2025 import LABEL_2025
from submissions.promptsets.cultural import CULTURAL_LANGUAGES
from submissions.schema import Edition, Names, Response, Submission

FILE_SUFFIX: dict[Edition, str] = {"2024": ".json", "2025": ".json", "2026": ".zip"}
"""What the name of a file of an edition ends with."""

_HALF = re.compile("[\ud800-\udfff]")

_PACKED_AT = (1980, 1, 1, 0, 0, 0)
"""The moment every entry of a zip states, so that one submission makes one file."""


def submission_file(submission: Submission) -> bytes:
    """The file of a submission; the same bytes each time."""
    match submission.edition:
        case "2024":
            return _json(_of_2024(submission))
        case "2025":
            return _json(_of_2025(submission))
        case "2026":
            return _of_2026(submission)


def _json(document: dict[str, Any]) -> bytes:
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode("utf-8")


def _stated(names: Names, **others: str | None) -> dict[str, str]:
    """The fields that have a value."""
    fields = {"system": names.system, "model": names.model, **others}
    return {key: value for key, value in fields.items() if value is not None}


def _of_2024(submission: Submission) -> dict[str, Any]:
    items = [
        {"id": item.item_id, "responses": [{"response": response.response} for response in item.responses]}
        for item in submission.items
    ]
    names = _stated(submission.names, run=submission.names.run)
    return {ROOT_KEY: {"source": submission.names.team or "", "year": "2024", **names, "items": items}}


def _of_2025(submission: Submission) -> dict[str, Any]:
    responses = list(submission.responses())
    questions = [
        {
            "questionid": int(response.item_id),
            "turns": [{"question": question, "answer": answer} for question, answer in response.turns],
        }
        for response in responses
    ]
    return {
        "team": submission.names.team or "",
        **_stated(submission.names, submissionid=submission.names.run),
        "language": responses[0].language if responses else "",
        **({"date": submission.date} if submission.date else {}),
        "label": LABEL_2025,
        **({"notes": submission.notes} if submission.notes else {}),
        "questions": questions,
    }


def _of_2026(submission: Submission) -> bytes:
    used = {response.language for response in submission.responses()}
    languages = [language for language in CULTURAL_LANGUAGES if language in used]
    metadata = {
        "team": submission.names.team or "",
        **_stated(submission.names, submissionid=submission.names.run),
        **({"date": submission.date} if submission.date else {}),
        "label": LABEL_2026,
        "languages": languages,
        "modifications": _modifications(dict(submission.modifications)),
    }
    return cultural_zip(_json(metadata), submission.responses())


def cultural_zip(metadata: bytes, responses: Iterable[Response]) -> bytes:
    """A zip of 2026: the metadata as they are written, and the rows of each language and kind in their order."""
    files: dict[tuple[str, str], list[Response]] = defaultdict(list)
    for response in responses:
        files[response.language, response.kind].append(response)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        _pack(archive, METADATA_FILE, metadata)
        for language, kind in sorted(files):
            rows = "".join(_row(response) for response in files[language, kind])
            _pack(archive, f"{language}_{kind}.jsonl", rows.encode("utf-8"))
    return buffer.getvalue()


def _modifications(stated: dict[str, str]) -> dict[str, Any]:
    """Every key of the format; null where nothing was changed."""
    texts = ("system_prompt", "prompt_prefix_english", "prompt_suffix_english", "notes")
    parameters = json.loads(stated["generation_params"]) if "generation_params" in stated else None
    return {**{key: stated.get(key) for key in texts}, "generation_params": parameters}


def _row(response: Response) -> str:
    prompt = {} if response.prompt is None else {"prompt": response.prompt}
    row = {"id": response.item_id, **prompt, "answer": response.response}
    return _row_text(row) + "\n"


def _row_text(row: object) -> str:
    text = json.dumps(row, ensure_ascii=False)
    # Half a character is no text in UTF-8: as an escape it stays what it is, and the check names its place.
    return json.dumps(row) if _HALF.search(text) else text


def _pack(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    info = zipfile.ZipInfo(name, _PACKED_AT)
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, content)
