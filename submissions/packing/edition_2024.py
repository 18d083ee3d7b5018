"""Runs of 2024 and of the demonstration set: one file, and for each item an answer to every variant, in order.

The order is all that says which answer is whose. An answer is placed by the official prompt beside it, by the number
beside it, by its language where all variants in that language are answered, or by its place in a list that answers
every variant. Whatever else would be guessing.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from submissions.formats.eloquent.edition_2024 import FIRST_DEMONSTRATION_ID, ROOT_KEY
from submissions.formats.eloquent.item_ids import normal_id, two_digit_ids
from submissions.formats.eloquent.stated_slots import comparable_language, comparable_prompt
from submissions.packing.edition import Fitted, PackEdition, WrittenFile, json_bytes
from submissions.packing.edition_2025 import stated_language
from submissions.packing.naming import language_word
from submissions.packing.runs import PlannedRun, Row, Rows
from submissions.packing.shapes import Entry, Said
from submissions.promptsets import ELOQUENT_2024_SHAPE, PromptSets
from submissions.promptsets.releases import Release
from submissions.reading.strict_json import ABSENT
from submissions.schema import Item, PromptSet

_OFFICIAL_IDS = frozenset(item_id for item_id, _, _ in ELOQUENT_2024_SHAPE)
_ID = re.compile(r"\s*([0-9]{1,3})(?:\s*[-_.]\s*([0-9]{1,2}))?\s*")


def _parts(stated: object) -> tuple[int, int | None] | None:
    """The number of an item, and that of a variant where the id names one: "001-3"."""
    if isinstance(stated, float) and stated.is_integer():
        stated = int(stated)
    if isinstance(stated, int) and not isinstance(stated, bool):
        return stated, None
    match = _ID.fullmatch(stated) if isinstance(stated, str) else None
    if match is None or (match[2] and len(match[1]) < 3):
        return None
    return int(match[1]), int(match[2]) if match[2] else None


def _id_of(stated: object) -> str | None:
    parts = _parts(stated)
    if parts is None or not 0 < parts[0] < 1_000:
        return None
    item_id = normal_id(parts[0])
    return item_id if item_id in _OFFICIAL_IDS or parts[0] >= FIRST_DEMONSTRATION_ID else None


def _must_be(entry: Entry) -> bool:
    """A list for an id, or a variant beside it or within it, after three digits."""
    parts = _parts(entry.id)
    return entry.form == "list" or "variant" in entry.keys or bool(parts and parts[1])


def _fit(entries: Sequence[Entry], language: str | None, sets: PromptSets, fitted: Fitted) -> None:
    if of_paper := two_digit_ids([entry.id for entry in entries]):
        first = entries[min(of_paper)]
        fitted.fault(
            first.place,
            f"the id {first.id!r} has two digits, as the paper numbers its items, whose 09 is 010 in the test file: "
            "write the three digits of the test file",
        )
        return
    lists: list[tuple[str, list[Said]]] = []
    single: dict[str, list[Said]] = defaultdict(list)
    for entry in entries:
        item_id, parts = _id_of(entry.id) or "", _parts(entry.id)
        if entry.form == "turns":
            fitted.fault(entry.place, f"the answers to {item_id} are turns; expected a text for each variant")
        elif entry.form == "list":
            lists.append((item_id, list(entry.said)))
        else:
            variant = parts[1] if parts else None
            single[item_id] += [said if variant is None else replace(said, number=variant) for said in entry.said]
    for item_id, spoken in [*lists, *single.items()]:
        item = _set_of(item_id, sets).item(item_id)
        if item is None:
            fitted.remarks.append(f"the set has no item {item_id}: left out")
            continue
        numbers = _variants(item, spoken, language)
        if numbers is None:
            fitted.fault(spoken[0].place, _misfit(item, spoken, language))
            continue
        if numbers != sorted(numbers):
            fitted.remarks.append(f"answers to item {item_id} are in the order of the test set")
        for said, number in zip(spoken, numbers, strict=True):
            key = f"{item_id}-{number}"
            text = None if said.text is ABSENT else fitted.text(said, key)
            if text is not None:
                spoken_in = item.variants[number - 1].language
                fitted.rows.append(Row(key, "variant", spoken_in, ((said.prompt, text),), said.place, said.beside))


def _set_of(item_id: str, sets: PromptSets) -> PromptSet:
    return sets.demonstration if int(item_id) >= FIRST_DEMONSTRATION_ID else sets.eloquent_2024


def _variants(item: Item, spoken: Sequence[Said], language: str | None) -> list[int] | None:
    """The variant that each answer is for, counted from 1; None where nothing tells it."""
    by_prompt = _by_prompt(item, spoken)
    if by_prompt is not None:
        return by_prompt
    languages = [comparable_language(said.language) if said.language else language for said in spoken]
    if all(said.number is not None for said in spoken):
        numbers = _by_number(item, [said.number or 0 for said in spoken], languages)
        return numbers if numbers and len(set(numbers)) == len(numbers) else None
    is_full = len(spoken) == len(item.variants)
    in_order = list(range(1, len(item.variants) + 1))
    numbers = in_order if is_full and not any(said.language for said in spoken) else _by_language(item, languages)
    stated = [said.number for said in spoken]
    is_as_stated = numbers and all(said in (None, number) for said, number in zip(stated, numbers, strict=True))
    return numbers if is_as_stated else None


def _by_prompt(item: Item, spoken: Sequence[Said]) -> list[int] | None:
    """Where every answer has the prompt of one variant beside it, and no two have the same."""
    known = Counter(comparable_prompt(variant.prompt) for variant in item.variants if variant.prompt is not None)
    number_of = {
        comparable_prompt(variant.prompt): variant.number for variant in item.variants if variant.prompt is not None
    }
    numbers = []
    for said in spoken:
        stated = comparable_prompt(said.prompt) if said.prompt else ""
        if known[stated] != 1:
            return None
        numbers.append(number_of[stated])
    return numbers if len(set(numbers)) == len(numbers) else None


def _by_number(item: Item, numbers: Sequence[int], languages: Sequence[str | None]) -> list[int] | None:
    """Numbers count over all languages, as in the answer sheet, or within the language stated beside them."""
    if not all(0 < number <= len(item.variants) for number in numbers):
        return None
    if all(
        language in (None, item.variants[number - 1].language)
        for number, language in zip(numbers, languages, strict=True)
    ):
        return list(numbers)
    within: list[int] = []
    for number, language in zip(numbers, languages, strict=True):
        own = [variant.number for variant in item.variants if variant.language == language]
        if language is None or number > len(own):
            return None
        within.append(own[number - 1])
    return within


def _by_language(item: Item, languages: Sequence[str | None]) -> list[int] | None:
    """Where every language that is answered is answered in full, each in the order of the test set."""
    own: dict[str | None, list[int]] = defaultdict(list)
    for variant in item.variants:
        own[variant.language].append(variant.number)
    if any(len(own[language]) != count for language, count in Counter(languages).items()):
        return None
    return [own[language].pop(0) for language in languages]


def _misfit(item: Item, spoken: Sequence[Said], language: str | None) -> str:
    each = ", ".join(
        f"{code} {count}" for code, count in Counter(variant.language for variant in item.variants).items()
    )
    description = f"item {item.id} has {len(spoken)} answers" + (f" in {language}" if language else "")
    return (
        f"{description}; expected {len(item.variants)} ({each}), or all of one language in a file that states it: "
        "nothing tells which answer is to which variant"
    )


def _faults_of(rows: Rows) -> Sequence[str]:
    demonstration = {key >= str(FIRST_DEMONSTRATION_ID) for answers in rows.values() for key in answers}
    both = "items of 2024 and of the demonstration set stand in one run: name the files of one of them only"
    return [both] if len(demonstration) > 1 else []


def _releases(sets: PromptSets) -> tuple[Release, ...]:
    return tuple(
        Release(
            prompt_set.title,
            {
                (variant.language, f"{item.id}-{variant.number}"): variant.prompt
                for item in prompt_set.items
                for variant in item.variants
                if variant.prompt is not None
            },
        )
        for prompt_set in (sets.eloquent_2024, sets.demonstration)
        if prompt_set.has_prompts and not prompt_set.is_hidden
    )


def _asked(rows: Rows, sets: PromptSets) -> PromptSet:
    """The set whose prompts a run answers."""
    return _set_of(next(iter(next(iter(rows.values())))).partition("-")[0], sets)


def _answers_in_words(rows: Rows, sets: PromptSets) -> str:
    asked = sum(len(item.variants) for item in _asked(rows, sets).items)
    return f"{sum(map(len, rows.values())):,} of {asked:,} variants"


def _files(run: PlannedRun, today: date, sets: PromptSets) -> Sequence[WrittenFile]:
    answered = {key: row for rows in run.rows.values() for key, row in rows.items()}
    items = []
    for item in _asked(run.rows, sets).items:
        rows = [answered.get(f"{item.id}-{variant.number}") for variant in item.variants]
        if any(rows):
            items.append({"id": item.id, "responses": [_response(row) for row in rows]})
    names = run.names
    results = {
        "source": names.team,
        "year": "2024",
        "system": names.system,
        **({"model": names.model} if names.model else {}),
        "run": names.run,
        "items": items,
    }
    return (WrittenFile(".json", json_bytes({ROOT_KEY: results}), tuple(run.rows)),)


def _response(row: Row | None) -> dict[str, str]:
    """An answer, and what its file says that was asked; a variant without one has an empty text."""
    if row is None:
        return {"response": ""}
    return {"response": row.answer, **({} if row.prompt is None else {"prompt": row.prompt})}


PACK_2024 = PackEdition(
    edition="2024",
    label=None,
    header=frozenset({"source", "year", "system", "model", "run", "language"}),
    needs=("team", "system", "run"),
    states_date=False,
    words=frozenset(),
    keys=frozenset({"id", "responses", "response"}),
    form='"id" and "responses"',
    id_type=str,
    id_form='texts like "001"',
    has_one_answer_per_id=False,
    needs_language=False,
    language_word=language_word,
    stated_language=stated_language,
    id_of=_id_of,
    must_be=_must_be,
    fit=_fit,
    faults_of=_faults_of,
    releases=_releases,
    answers_in_words=_answers_in_words,
    files=_files,
)
