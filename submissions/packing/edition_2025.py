"""Runs of 2025: a file for each language, ids that are numbers, and answers in one turn or more."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from datetime import date

from submissions.formats.eloquent.edition_2025 import LABEL_2025
from submissions.packing.edition import Fitted, PackEdition, WrittenFile, json_bytes
from submissions.packing.naming import language_word, name_parts
from submissions.packing.runs import PlannedRun, Row, Rows, Slot
from submissions.packing.shapes import Entry, Said
from submissions.promptsets import PromptSets
from submissions.promptsets.releases import Release, release_of

_CODE = re.compile(r"[a-z]{2,3}")


def stated_language(stated: str) -> str | None:
    """A code of two or three small letters as it stands; else the language that the words name.

    >>> stated_language("ga"), stated_language("English"), stated_language("pt-BR"), stated_language("?")
    ('ga', 'en', 'pt', None)
    """
    if _CODE.fullmatch(stated):
        return stated
    main = re.split(r"[-_]", stated.strip().casefold())[0]
    return language_word(stated.strip().casefold()) or language_word(main) or name_parts(stated, language_word).language


def _id_of(stated: object) -> str | None:
    if isinstance(stated, float) and stated.is_integer():
        stated = int(stated)
    if isinstance(stated, int) and not isinstance(stated, bool) and stated >= 0:
        return str(stated) if stated < 10**9 else None
    match = re.fullmatch(r"\s*([0-9]{1,9})\s*", stated) if isinstance(stated, str) else None
    return str(int(match[1])) if match else None


def _must_be(entry: Entry) -> bool:
    return entry.form == "turns" or "turn" in entry.keys


def _fit(entries: Sequence[Entry], language: str | None, sets: PromptSets, fitted: Fitted) -> None:
    turns: dict[str, list[Said]] = defaultdict(list)
    for entry in entries:
        question = _id_of(entry.id) or ""
        said = entry.said
        if entry.form == "list":
            fitted.fault(entry.place, f"the answer to {question} is a list of {len(said)} values; expected one text")
        elif entry.form == "one" and said[0].number is not None:
            turns[question].append(said[0])
        else:
            _take(question, said, language, entry.place, fitted)
    for question, spoken in turns.items():
        numbers = [said.number for said in spoken]
        if len(set(numbers)) < len(numbers):
            fitted.fault(spoken[0].place, f"question {question} has two answers for one turn")
            continue
        _take(question, sorted(spoken, key=lambda said: said.number or 0), language, spoken[0].place, fitted)


def _take(question: str, spoken: Sequence[Said], language: str | None, place: str, fitted: Fitted) -> None:
    answers = [fitted.text(said, question) for said in spoken]
    kept = [(said.prompt, answer) for said, answer in zip(spoken, answers, strict=True) if answer is not None]
    if len(kept) == len(spoken):
        fitted.rows.append(Row(question, "question", language or "", tuple(kept), place, spoken[-1].beside))


def _releases(sets: PromptSets) -> tuple[Release, ...]:
    """Of the edition, where they are registered, and ours, whose ids are others."""
    registered = release_of("the registered questions", sets.eloquent_2025)
    ours = release_of(sets.demonstration_2025.title, sets.demonstration_2025)
    is_shown = registered.prompts and not sets.eloquent_2025.is_hidden
    return (registered, ours) if is_shown else (ours,)


def _answers_in_words(rows: Rows, sets: PromptSets) -> str:
    return f"{sum(map(len, rows.values())):,} questions"


def _files(run: PlannedRun, today: date, sets: PromptSets) -> Sequence[WrittenFile]:
    return [
        WrittenFile(f"_{slot[0]}.json", json_bytes(_document(run, slot, today)), (slot,)) for slot in sorted(run.rows)
    ]


def _document(run: PlannedRun, slot: Slot, today: date) -> dict[str, object]:
    names, stated = run.names, run.metadata
    questions = [
        {
            "questionid": int(row.key),
            "turns": [
                {**({} if question is None else {"question": question}), "answer": answer}
                for question, answer in row.turns
            ],
        }
        for row in sorted(run.rows[slot].values(), key=lambda row: int(row.key))
    ]
    return {
        "team": names.team,
        "system": names.system,
        "submissionid": names.run,
        "language": slot[0],
        "date": stated.get("date") or today.isoformat(),
        "label": LABEL_2025,
        **({"model": names.model} if names.model else {}),
        **({"notes": stated["notes"]} if stated.get("notes") else {}),
        "questions": questions,
    }


PACK_2025 = PackEdition(
    edition="2025",
    label=LABEL_2025,
    header=frozenset({"team", "system", "submissionid", "language", "date", "label", "model", "notes"}),
    needs=("team", "system", "run"),
    states_date=True,
    words=frozenset(),
    keys=frozenset({"questionid", "question", "turns", "answer"}),
    form='"questionid" and "turns"',
    id_type=int,
    id_form="numbers like 12",
    has_one_answer_per_id=True,
    needs_language=True,
    language_word=language_word,
    stated_language=stated_language,
    id_of=_id_of,
    must_be=_must_be,
    fit=_fit,
    faults_of=lambda rows: (),
    releases=_releases,
    answers_in_words=_answers_in_words,
    files=_files,
)
