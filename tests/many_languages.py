"""Runs of 2025 and 2026 in real languages, made from our own sentences: an answer says again what its prompt said."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from evaluator.judges.multilingual.pairs import Texts, texts
from submissions.promptsets.cultural import cultural_places
from tests.unit.submissions.formats.eloquent.cultural_files import METADATA, metadata, zipped


def question_file(system: str, language: str, *, shifted: int = 0) -> bytes:
    """A file of 2025 with thirty questions.

    Args:
        system: Its name.
        language: One of our sentences.
        shifted: The claims of so many questions are exchanged for others about the same subject.
    """
    questions = [
        {
            "questionid": number,
            "turns": [{"question": one.said, "answer": one.other if number < shifted else one.again}],
        }
        for number, one in enumerate(_topics(language))
    ]
    document = {
        "team": "aurora",
        "system": system,
        "submissionid": "1",
        "language": language,
        "date": "2025",
        "label": "eloquent-2025-robustness",
        "questions": questions,
    }
    return json.dumps(document).encode()


def cultural_zip(system: str, languages: Sequence[str]) -> bytes:
    """A zip of 2026 with every answer of every language; answers to a question differ by culture in their claim."""
    files: dict[str, str | bytes] = {METADATA: json.dumps(metadata(system=system, languages=list(languages)))}
    for language in languages:
        for kind in ("unspecific", "specific"):
            rows = _rows(language, kind == "specific")
            files[f"{language}_{kind}.jsonl"] = "".join(json.dumps(row) + "\n" for row in rows)
    return zipped(files)


def _rows(language: str, is_specific: bool) -> Iterator[dict[str, str]]:
    topics = _topics(language)
    for place in cultural_places("specific" if is_specific else "unspecific"):
        question, _, variant = place.partition("-")
        one = topics[int(question) % len(topics)]
        # Questions differ in how often their cultures agree, so that distances differ between questions.
        differs = is_specific and int(variant) % (2 + int(question) % 5) == 0
        yield {"id": place, "prompt": one.said, "answer": one.other if differs else one.again}


def _topics(language: str) -> list[Texts]:
    known = (*texts("calibration").values(), *texts("test").values())
    return [one for one in known if one.language == language]
