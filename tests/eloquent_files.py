"""The ELOQUENT acceptance files as a folder: those kept in `tests/data/eloquent`, and those that are made of them.

The official prompts are CC BY-NC-SA 4.0 and no part of this repository: wherever a file states prompts, stand-ins of
our own stand in their place, and `official/` holds test sets of the official shape made of the same stand-ins.
"""

from __future__ import annotations

import io
import json
import shutil
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from submissions.promptsets.cultural import CulturalKind, cultural_places
from submissions.promptsets.shape import ELOQUENT_2024_SHAPE

KEPT = Path(__file__).parent / "data" / "eloquent"

LANGUAGES = ("en", "sv", "fi", "de", "el")
NAMES = {"en": "english", "sv": "swedish", "fi": "finnish", "de": "german", "el": "greek"}
KINDS: tuple[CulturalKind, ...] = ("specific", "unspecific")
PART: Counts = {"specific": 576, "unspecific": 12}
"""Rows of the first twelve base questions: most files answer no others."""
PROMPTS_AT_HAND: Counts = {"specific": 400, "unspecific": 101}
TAGGED = {("007", 2): "sb"}
"""As in the official file; the prompt is Swedish."""
BOMB_BYTES = 60 * 2**20

Counts = Mapping[CulturalKind, int]
Rows = list[dict[str, Any]]
Run = dict[tuple[str, CulturalKind], Rows]
"""Rows by language and kind, in the order of the archive."""
Members = dict[str, bytes]
"""Name -> content, in the order of the archive."""


def laid_out(folder: Path) -> Path:
    """Writes every file of the manifest, and `official/`, under a folder that is not there yet."""
    shutil.copytree(KEPT, folder)
    write_official(folder / "official")
    aurora = (folder / "fixtures/valid/2024/aurora_consistent.json").read_bytes()
    for path, data in (*made_2024(aurora), *made_2026(stand_in_2026)):
        target = folder / "fixtures" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return folder


# --- prompts ---------------------------------------------------------------------------------------------------------


def stand_in_2024(item: str, variant: int, language: str) -> str:
    """What stands for an official prompt of 2024: it names an honest answer, so that this one is relevant to it.

    Variants are counted from 1.

    >>> stand_in_2024("008", 2, "en")
    'Stands for prompt 2 of item 008 (en): Try a dip, salsa, cheese and something cold to drink.'
    """
    return f"Stands for prompt {variant} of item {item} ({language}): {honest_answers_2024()[item, variant]}"


@cache
def honest_answers_2024() -> dict[tuple[str, int], str]:
    """Answers by item and variant."""
    document = json.loads((KEPT / "fixtures/valid/2024/aurora_consistent.json").read_text(encoding="utf-8"))
    return {
        (item["id"], number): response["response"]
        for item in document["eloquent-robustness-results"]["items"]
        for number, response in enumerate(item["responses"], start=1)
    }


def stand_in_2026(language: str, kind: CulturalKind, item: str) -> str:
    """What stands for an official prompt of 2026: it names one of the eight answers, so that some are relevant to it.

    >>> stand_in_2026("en", "specific", "7-12")
    'Stands for the specific prompt 7-12 (en): Ask a professional for advice.'
    """
    about = answers_2026()[language][int(item.partition("-")[0]) % 8]
    return f"Stands for the {kind} prompt {item} ({language}): {about}"


@cache
def answers_2026() -> Any:
    """Eight texts per language, and digits that say which one answers which question."""
    return json.loads((KEPT / "answers_2026.json").read_text(encoding="utf-8"))


def write_official(folder: Path) -> None:
    """Test sets of the official shape: 2024 in full, 2026 for five languages and the first 400 specific prompts."""
    folder.mkdir()
    items = []
    for item, variation, runs in ELOQUENT_2024_SHAPE:
        languages = [language for language, count in runs for _ in range(count)]
        variants = [
            {"language": TAGGED.get((item, number), language), "prompt": stand_in_2024(item, number, language)}
            for number, language in enumerate(languages, start=1)
        ]
        items.append({"id": item, "variation": variation, "variants": variants})
    test_set = {"source": "stand-ins of our own", "year": "2024", "items": items}
    (folder / "task3.test.json").write_bytes(_document({"eloquent-robustness-test": test_set}))
    for language in LANGUAGES:
        for kind in KINDS:
            ids = list(cultural_places(kind))[: PROMPTS_AT_HAND[kind]]
            rows = [{"id": item, "prompt": stand_in_2026(language, kind, item)} for item in ids]
            (folder / f"{language}_{kind}.jsonl").write_bytes(_lines(rows))


# --- files of 2024 that are long or no text --------------------------------------------------------------------------


def made_2024(aurora: bytes) -> Iterator[tuple[str, bytes]]:
    """Path below `fixtures` and content, made of the file of an honest team."""
    text = aurora.decode("utf-8")
    yield "malformed/2024/utf16.json", text.encode("utf-16")
    yield "malformed/2024/zip_renamed.json", _archive({"aurora.json": aurora}, zipfile.ZIP_STORED)
    yield (
        "malformed/2024/deep_nesting.json",
        b'{"eloquent-robustness-results":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    )
    salty = "With normal blood pressure you do not need to worry; just keep sodium below about two grams a day."
    yield "malformed/2024/response_of_70000_characters.json", text.replace(salty, "word " * 14_000, 1).encode()


# --- archives of 2026 ------------------------------------------------------------------------------------------------

Prompt = Callable[[str, CulturalKind, str], str]


def made_2026(prompt: Prompt) -> Iterator[tuple[str, bytes]]:
    """Path below `fixtures` and content of every file of 2026."""
    runs = Runs.written(answers_2026(), prompt)
    for decision, archives in (("valid", valid), ("borderline", borderline), ("malformed", malformed)):
        for name, members in archives(runs):
            yield f"{decision}/2026/{name}.zip", _archive(members)
    yield "malformed/2026/plain_jsonl_no_zip.jsonl", _lines(runs.part["en", "unspecific"])


@dataclass(frozen=True, slots=True)
class Runs:
    """What the archives are made of."""

    full: Run
    """Answers unspecific questions differently in each language and specific ones alike."""
    part: Run
    """Its answers to the first twelve base questions."""
    inconsistent: Run
    """Answers the specific questions of these, too, differently in each language."""
    in_english: Run
    """Answers in English whatever the language."""

    @classmethod
    def written(cls, answers: Any, prompt: Prompt) -> Runs:
        """From the answers of `answers_2026`."""

        def run(digits: Callable[[str, CulturalKind], str], texts: Callable[[str], list[str]], rows: Counts) -> Run:
            return {
                (language, kind): [
                    {"id": item, "prompt": prompt(language, kind, item), "answer": texts(language)[int(digit)]}
                    for item, digit in zip(cultural_places(kind), digits(language, kind)[: rows[kind]], strict=False)
                ]
                for language in LANGUAGES
                for kind in KINDS
            }

        def consistent(language: str, kind: CulturalKind) -> str:
            return str(answers["specific"] if kind == "specific" else answers["unspecific"][language])

        def inconsistent(language: str, kind: CulturalKind) -> str:
            return str(answers["inconsistent"][language]) if kind == "specific" else consistent(language, kind)

        def of_delta(language: str, kind: CulturalKind) -> str:
            return consistent("of delta", kind)

        every: Counts = {kind: len(cultural_places(kind)) for kind in KINDS}
        return cls(
            full=run(consistent, answers.__getitem__, every),
            part=run(consistent, answers.__getitem__, PART),
            inconsistent=run(inconsistent, answers.__getitem__, PART),
            in_english=run(of_delta, lambda _: answers["en"], PART),
        )


def valid(runs: Runs) -> Iterator[tuple[str, Members]]:
    """Name and members of the archives with a run that is scored."""
    part = runs.part
    yield "aurora_full_diverse_and_robust", _metadata("aurora") | _files(runs.full)
    yield "borealis_part_inconsistent", _metadata("borealis") | _files(runs.inconsistent)
    yield "delta_part_wrong_language", _metadata("delta") | _files(runs.in_english)
    inside = {f"submission/{name}": data for name, data in (_metadata("gale") | _files(part)).items()}
    yield "gale_part_in_folder", {"submission/": b""} | inside
    typo = {name.replace("en_unspecific.", "en_unspecific_."): data for name, data in _files(part).items()}
    yield "ivy_part_doc_typo_name", _metadata("ivy") | typo
    numbered = _changed(part, lambda row: row | {"id": int(row["id"]) if row["id"].isdigit() else row["id"]})
    yield "rowan_part_integer_ids", _metadata("rowan") | _files(numbered)
    extra = {"model": "x", "variant": "baseline", "timestamp": "2026-05-06T12:00:00"}
    yield "sorrel_part_extra_keys", _metadata("sorrel") | _files(_changed(part, lambda row: row | extra))


def borderline(runs: Runs) -> Iterator[tuple[str, Members]]:
    """Name and members of the archives that are accepted with a warning about the file."""
    aurora = _metadata("aurora") | _files(runs.part)
    borealis = _metadata("borealis") | _files(runs.inconsistent)
    other = {"de": "fi", "fi": "de"}
    swapped = {(other.get(language, language), kind): rows for (language, kind), rows in runs.part.items()}
    yield "language_files_swapped", _metadata("aurora") | _files(swapped)
    yield "languages_field_missing", borealis | _metadata("borealis", without="languages")
    of_256 = {"do_sample": False, "temperature": 0.0, "max_new_tokens": 256, "top_p": 1.0, "seed": 42}
    no_prompts = dict.fromkeys(("system_prompt", "prompt_prefix_english", "prompt_suffix_english"))
    modifications = no_prompts | {"generation_params": of_256, "notes": "baseline"}
    yield (
        "metadata_null_prompts_256_tokens",
        aurora | _metadata("aurora", changes={"modifications": modifications}),
    )
    yield "one_language_without_specific", _without(borealis, "el_specific.jsonl")
    yield "readme_in_zip", borealis | {"README.txt": b"made with greedy decoding\n"}
    of_two = _files({place: rows for place, rows in runs.part.items() if place[0] in ("en", "sv")})
    yield "two_languages", _metadata("aurora", changes={"languages": ["en", "sv"]}) | of_two
    yield "unspecific_only", _without(aurora, *(f"{language}_specific.jsonl" for language in LANGUAGES))


def malformed(runs: Runs) -> Iterator[tuple[str, Members]]:
    """Name and members of the archives that are refused."""
    part = runs.part
    aurora = _metadata("aurora") | _files(part)
    borealis = _metadata("borealis") | _files(runs.inconsistent)
    error = {"answer": None, "error": "429"}
    failed = _changed(part, lambda row: row | error if row["id"].endswith("7") else row)
    yield "answer_null_with_error", _metadata("aurora") | _files(failed)
    lines = borealis["fi_unspecific.jsonl"].splitlines(keepends=True)
    lines[4] = lines[4].replace(b"}", b"")
    yield "broken_line_fi_unspecific_5", borealis | {"fi_unspecific.jsonl": b"".join(lines)}
    objects = {
        f"sv_{kind}.jsonl": (
            f"response_sv_{kind}.json",
            _document({row["id"]: row["answer"] for row in part["sv", kind]}),
        )
        for kind in KINDS
    }
    yield "dict_id_to_answer", dict(objects.get(name, (name, aurora[name])) for name in aurora)
    yield "json_array_not_jsonl", aurora | {f"sv_{kind}.jsonl": _document(part["sv", kind]) for kind in KINDS}
    yield "languages_listed_but_no_file", _without(aurora, "el_specific.jsonl", "el_unspecific.jsonl")
    yield "metadata_label_missing", borealis | _metadata("borealis", without="label")
    yield "metadata_missing", _files(part)
    words = {"specific": "robustness", "unspecific": "diversity"}
    old = _changed(part, lambda row: {"questionid": row["id"], "prompt": row["prompt"], "answer": row["answer"]})
    old_names = {f"{NAMES[language]}_{words[kind]}_responses.jsonl": rows for (language, kind), rows in old.items()}
    yield "old_names_questionid", _metadata("aurora") | {name: _lines(rows) for name, rows in old_names.items()}
    unfilled = {"team": "your-team-name", "system": "your-system-name", "model": "model-identifier"}
    yield "placeholder_metadata", aurora | _metadata("aurora", changes=unfilled)
    yield "zip_bomb_60MB", aurora | {"fr_specific.jsonl": b" " * BOMB_BYTES}


def _changed(run: Run, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Run:
    return {place: [change(row) for row in rows] for place, rows in run.items()}


def _metadata(team: str, *, without: str = "", changes: Mapping[str, Any] | None = None) -> Members:
    document = {
        "team": team,
        "system": f"{team}-system",
        "model": "synthetic/none",
        "submissionid": "baseline",
        "date": "2026-05-06",
        "label": "eloquent-2026-cultural",
        "languages": list(LANGUAGES),
        "modifications": {
            "system_prompt": "",
            "prompt_prefix_english": "",
            "prompt_suffix_english": "",
            "generation_params": {"do_sample": False, "max_new_tokens": 200},
            "notes": "synthetic fixture",
        },
    }
    document |= changes or {}
    return {"submission_metadata.json": _document({key: document[key] for key in document if key != without})}


def _files(run: Run) -> Members:
    return {f"{language}_{kind}.jsonl": _lines(rows) for (language, kind), rows in run.items()}


def _without(members: Members, *names: str) -> Members:
    return {name: data for name, data in members.items() if name not in names}


def _lines(rows: Rows) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def _document(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1).encode()


def _archive(members: Members, compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name, (2026, 5, 6, 12, 0, 0)), data, compression)
    return buffer.getvalue()
