"""Runs of 2026: a zip with a file for each language and kind, ids "7" and "7-3"."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import date

from submissions.formats.eloquent.cultural_metadata import LABEL_2026
from submissions.formats.eloquent.cultural_rows import normal_id
from submissions.formats.eloquent.writing import cultural_zip
from submissions.packing.edition import Fitted, PackEdition, WrittenFile
from submissions.packing.naming import KIND_WORDS, cultural_word, name_parts
from submissions.packing.runs import NAME_FIELDS, PlannedRun, Row, Rows
from submissions.packing.shapes import Entry
from submissions.promptsets import SETS_OF_2026, PromptSets
from submissions.promptsets.cultural import CULTURAL_KINDS, DEMONSTRATION_2026, CulturalKind, cultural_places
from submissions.promptsets.releases import Release, release_of
from submissions.schema import Response

_FILES = tuple((kind, set_id) for set_id in SETS_OF_2026 for kind in CULTURAL_KINDS)
"""The prompts of the edition and ours, whose ids are others."""
_MODIFICATIONS = ("system_prompt", "prompt_prefix_english", "prompt_suffix_english", "generation_params", "notes")


def _id_of(stated: object) -> str | None:
    item_id = stated if isinstance(stated, str) else normal_id(stated)
    for candidate in (item_id, normal_id(stated)):
        if candidate is not None and any(candidate in cultural_places(kind, set_id) for kind, set_id in _FILES):
            return candidate
    return None


def _must_be(entry: Entry) -> bool:
    """Two numbers with a dash; "001-3" may be item and variant of 2024."""
    return entry.form == "one" and isinstance(entry.id, str) and "-" in entry.id and not entry.id.startswith("0")


def _fit(entries: Sequence[Entry], language: str | None, sets: PromptSets, fitted: Fitted) -> None:
    for entry in entries:
        item_id = _id_of(entry.id) or ""
        if entry.form != "one":
            description = "turns" if entry.form == "turns" else f"a list of {len(entry.said)} values"
            fitted.fault(entry.place, f"the answer to {item_id} is {description}; expected one text")
            continue
        (said,) = entry.said
        answer = fitted.text(said, item_id)
        if answer is not None:
            kind: CulturalKind = "specific" if "-" in item_id else "unspecific"
            fitted.rows.append(Row(item_id, kind, language or "", ((said.prompt, answer),), entry.place, said.beside))


def _faults_of(rows: Rows) -> Sequence[str]:
    is_ours = {item_id in cultural_places(kind, DEMONSTRATION_2026) for (_, kind), of in rows.items() for item_id in of}
    both = "prompts of 2026 and of the demonstration set stand in one run: name the files of one of them only"
    return [both] if len(is_ours) > 1 else []


def _releases(sets: PromptSets) -> tuple[Release, ...]:
    return (*sets.releases_2026, release_of(sets.demonstration_2026.title, sets.demonstration_2026))


def _stated_language(stated: str) -> str | None:
    return name_parts(stated).language


def _answers_in_words(rows: Rows, sets: PromptSets) -> str:
    counts = {kind: sum(len(answers) for (_, of), answers in rows.items() if of == kind) for kind in CULTURAL_KINDS}
    return f"{counts['specific']:,} specific, {counts['unspecific']:,} unspecific"


def _files(run: PlannedRun, today: date, sets: PromptSets) -> Sequence[WrittenFile]:
    return (WrittenFile(".zip", cultural_zip(_metadata(run, today), _responses(run)), tuple(run.rows)),)


def _responses(run: PlannedRun) -> Iterator[Response]:
    """Every answer, in the order of the prompt files."""
    for language in run.languages:
        for kind, set_id in _FILES:
            rows = run.rows.get((language, kind), {})
            for item_id, (base_id, variant) in cultural_places(kind, set_id).items():
                if row := rows.get(item_id):
                    turns = ((row.prompt or "", row.answer),)
                    yield Response(item_id, base_id, kind, variant, language, row.prompt, turns, row.answer)


def _metadata(run: PlannedRun, today: date) -> bytes:
    names, stated = run.names, run.metadata
    changed = stated.get("modifications")
    kept = changed if isinstance(changed, dict) else {}
    document = {
        "team": names.team,
        "system": names.system,
        "model": names.model,
        "submissionid": names.run,
        "date": stated.get("date") or today.isoformat(),
        "label": LABEL_2026,
        "languages": list(run.languages),
        "modifications": {**{key: kept.get(key) for key in _MODIFICATIONS}, **kept},
    }
    if stated.get("notes"):
        document["notes"] = stated["notes"]
    text = json.dumps(document, ensure_ascii=False, indent=1, default=lambda number: number.literal)
    return (text + "\n").encode("utf-8", "backslashreplace")


PACK_2026 = PackEdition(
    edition="2026",
    label=LABEL_2026,
    header=frozenset(
        {"team", "system", "model", "submissionid", "date", "label", "languages", "modifications", "notes"}
    ),
    needs=NAME_FIELDS,
    states_date=True,
    words=frozenset(KIND_WORDS) - {"robustness"},
    keys=frozenset({"id", "prompt", "answer"}),
    form='rows of "id" and "answer"',
    id_type=str,
    id_form='texts like "7" or "7-3"',
    has_one_answer_per_id=True,
    needs_language=True,
    language_word=cultural_word,
    stated_language=_stated_language,
    id_of=_id_of,
    must_be=_must_be,
    fit=_fit,
    faults_of=_faults_of,
    releases=_releases,
    answers_in_words=_answers_in_words,
    files=_files,
)
