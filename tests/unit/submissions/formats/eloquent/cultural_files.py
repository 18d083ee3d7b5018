"""A small 2026 zip of our own, and zips made from it: prompts and answers are our wording."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from typing import Any

METADATA = "submission_metadata.json"
LANGUAGES = ("en", "sv", "fi", "de", "el")
QUESTIONS = ("1", "2", "3")
VARIANTS = (1, 2)


def metadata(**changes: Any) -> dict[str, Any]:
    """Complete metadata, with some fields changed; a change to None leaves a field out."""
    document: dict[str, Any] = {
        "team": "aurora",
        "system": "aurora-7b",
        "model": "aurora/7b",
        "submissionid": "run-1",
        "date": "2026-05-06",
        "label": "eloquent-2026-cultural",
        "languages": list(LANGUAGES),
        "modifications": {
            "system_prompt": None,
            "prompt_prefix_english": None,
            "prompt_suffix_english": "",
            "generation_params": {"do_sample": False, "max_new_tokens": 200},
            "notes": None,
        },
    }
    return {key: value for key, value in (document | changes).items() if value is not None}


def row(item_id: Any, answer: Any = "ok", **more: Any) -> dict[str, Any]:
    return {"id": item_id, "prompt": f"Question {item_id}?", "answer": answer, **more}


def lines(rows: list[Any]) -> str:
    return "".join(json.dumps(one) + "\n" for one in rows)


def run_files(languages: tuple[str, ...] = LANGUAGES) -> dict[str, str | bytes]:
    """Name -> content of a partial run. Its answers have too few letters to tell a language."""
    files: dict[str, str | bytes] = {METADATA: json.dumps(metadata(languages=list(languages)))}
    for language in languages:
        files[f"{language}_unspecific.jsonl"] = lines([row(question, f"a {question}") for question in QUESTIONS])
        files[f"{language}_specific.jsonl"] = lines(
            [row(f"{question}-{variant}", f"b {question}") for question in QUESTIONS for variant in VARIANTS]
        )
    return files


def zipped(files: Mapping[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """An archive of these files, in this order; the same bytes each time."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name, (2026, 5, 6, 12, 0, 0))
            info.compress_type = method
            archive.writestr(info, content)
    return buffer.getvalue()


def encrypted(data: bytes, name: str) -> bytes:
    """The archive with one entry said to be encrypted, in its local header and in the directory."""
    changed = bytearray(data)
    for signature, flags, start in ((b"PK\x03\x04", 6, 30), (b"PK\x01\x02", 8, 46)):
        place = data.find(signature)
        while place >= 0:
            if data[place + start : place + start + len(name)] == name.encode():
                changed[place + flags] |= 1
            place = data.find(signature, place + 4)
    return bytes(changed)
