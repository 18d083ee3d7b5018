"""Runs of 2025 and 2026 in real languages, made from sentences and questions of ours."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator.judge_quality.e5.pairs import Texts, texts
from submissions.promptsets.cultural import CULTURAL_KINDS, CulturalKind, cultural_places
from tests.unit.submissions.formats.eloquent.cultural_files import METADATA, metadata, zipped


def question_file(system: str, language: str, *, shifted: int = 0) -> bytes:
    """A file of 2025 with thirty questions; an answer says again what its question said.

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


WRITTEN = Path(__file__).parent / "data" / "eloquent" / "written_2026"
WRITTEN_LANGUAGES = ("de", "en", "es", "fr", "sv")
REGISTERED_QUESTIONS = 12
"""Baselines answer what is registered, and a run is compared with them from six questions on: twelve are soon read."""
HOME_OF_FIRST = 3
"""Languages whose answer is the first one where no country is named; the other two give the second."""


@dataclass(frozen=True, slots=True)
class Wording:
    """One question in one language, with two answers that exclude each other."""

    question: str
    """With {} where a country may be named."""
    first: str
    second: str


def written_zip(system: str, *, heeds_culture: bool = True) -> bytes:
    """A zip of 2026 in five languages: the named country decides which of its two answers a question gets.

    Args:
        system: Its name.
        heeds_culture: Else every question gets, whatever country it names, the answer of its language.
    """
    names = metadata(system=system, languages=list(WRITTEN_LANGUAGES))
    files: dict[str, str | bytes] = {METADATA: json.dumps(names)}
    for language in WRITTEN_LANGUAGES:
        for kind in CULTURAL_KINDS:
            rows = _rows(language, kind, heeds_culture=heeds_culture)
            files[f"{language}_{kind}.jsonl"] = "".join(json.dumps(row) + "\n" for row in rows)
    return zipped(files)


def register_prompts(folder: Path) -> None:
    """Puts prompts of the zip where official ones are looked for: some questions, open and about two countries each."""
    for language in WRITTEN_LANGUAGES:
        for kind in CULTURAL_KINDS:
            rows = (
                {"id": row["id"], "prompt": row["prompt"]}
                for row in _rows(language, kind)
                if int(row["id"].partition("-")[0]) <= REGISTERED_QUESTIONS
                if row["id"].partition("-")[2] in ("", "1", "2")
            )
            text = "".join(json.dumps(row) + "\n" for row in rows)
            (folder / f"{language}_{kind}.jsonl").write_text(text, encoding="utf-8")


def _rows(language: str, kind: CulturalKind, *, heeds_culture: bool = True) -> Iterator[dict[str, str]]:
    wordings, countries = written_questions(language), written_countries(language)
    for place, (question, variant) in cultural_places(kind).items():
        number = int(question) - 1
        wording = wordings[number]
        at_home = (number + WRITTEN_LANGUAGES.index(language)) % len(WRITTEN_LANGUAGES) < HOME_OF_FIRST
        country, is_first = "", at_home
        if kind == "specific":
            # Two neighbours in the table by turns; which two goes round with the questions.
            country = countries[(number + 1 - variant % 2) % len(countries)]
            is_first = variant % 2 == 1 if heeds_culture else at_home
        answer = wording.first if is_first else wording.second
        yield {"id": place, "prompt": wording.question.format(country), "answer": answer}


def written_questions(language: str) -> list[Wording]:
    """The 101 questions in one language."""
    return [Wording(**row[language]) for row in _json_lines(WRITTEN / "questions.jsonl")]


def written_countries(language: str) -> list[str]:
    """Each country as a question names it, with a blank and its preposition: " in Chile"."""
    return [row[language] for row in _json_lines(WRITTEN / "countries.jsonl")]


def _json_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _topics(language: str) -> list[Texts]:
    known = (*texts("calibration").values(), *texts("test").values())
    return [one for one in known if one.language == language]
