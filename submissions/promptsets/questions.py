"""The registered questions of 2025, in the folder of official sets.

The edition published no set, so that whoever runs a board says which questions it asks: one file for each language, in
the format of its submissions, with or without answers. A run that asks other questions is not ranked, and where no
questions are registered none is.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from submissions.promptsets.cultural import ELOQUENT_2025, eloquent_2025_set
from submissions.promptsets.set_file import PromptSetError
from submissions.reading.normal_forms import normal_form
from submissions.schema import Item, PromptSet, Response, Variant

QUESTION_FILES = "*_2025.json"
"""Names of the files in the folder of official sets, `en_2025.json`."""

Registered = Mapping[str, Mapping[str, str]]
"""Language -> question id -> question."""

Strange = Literal["not registered", "in other words"]
"""Why a question is not one of the edition: its id is not registered in the language, or it says something else."""


@dataclass(frozen=True, slots=True)
class StrangeQuestion:
    """A question of a file that is not the registered one."""

    language: str
    id: str
    why: Strange


def registered_questions(files: Iterable[tuple[str, bytes]]) -> PromptSet:
    """The set of 2025 made of files in the format of its submissions: the first question of every conversation.

    Args:
        files: Name and bytes of each, one for each language.

    Returns:
        An item for each question id, by number, with a variant per language; without files the bare set. The sha256 is
        that of the questions alone, so that answers beside them change nothing.

    Raises:
        PromptSetError: naming the file and what is wrong with it.
    """
    by_id: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for name, data in files:
        for item_id, language, question in _questions(name, data):
            if language in by_id[item_id]:
                raise PromptSetError(f"{name}: question {item_id} in {language} stands twice; expected it once")
            by_id[item_id][language] = question
    if not by_id:
        return eloquent_2025_set()
    by_language: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for item_id, said in by_id.items():
        for language, question in said.items():
            by_language[language][item_id] = question
    return question_set(
        by_language, set_id=ELOQUENT_2025, title="ELOQUENT 2025", words="2025, {} registered questions in {}"
    )


def question_set(questions: Registered, *, set_id: str, title: str, words: str) -> PromptSet:
    """A set of the 2025 shape.

    Args:
        words: Of its version; the number of questions and the languages go into its two places.
    """
    by_id: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for language, asked in questions.items():
        for item_id, question in asked.items():
            by_id[item_id][language] = question
    ordered = sorted(by_id, key=lambda item_id: (len(item_id), item_id))
    text = json.dumps([[item_id, sorted(by_id[item_id].items())] for item_id in ordered], ensure_ascii=False)
    digest = hashlib.sha256(text.encode("utf-8")).hexdigest()
    languages = sorted({language for asked in by_id.values() for language in asked})
    return PromptSet(
        set_id=set_id,
        edition="2025",
        title=title,
        version=f"{words.format(len(by_id), ', '.join(languages))}; sha256 {digest}",
        sha256=digest,
        items=tuple(
            Item(
                item_id,
                "question",
                tuple(Variant(1, language, question) for language, question in sorted(by_id[item_id].items())),
            )
            for item_id in ordered
        ),
    )


def load_registered_questions(folder: Path | None) -> PromptSet:
    """The registered questions of a folder; the bare set where it has no such file.

    Raises:
        PromptSetError: naming the file and what is wrong with it.
    """
    paths = sorted(folder.glob(QUESTION_FILES)) if folder is not None else []
    return registered_questions((path.name, _bytes_of(path)) for path in paths)


def questions_by_language(prompt_set: PromptSet) -> Registered:
    """The questions of the set in each of its languages; {} of a bare set.

    >>> rice = Item("12", "question", (Variant(1, "en", "How do I boil rice?"), Variant(1, "sv", "Hur kokar jag ris?")))
    >>> questions_by_language(PromptSet("eloquent-2025", "2025", "ELOQUENT 2025", "1", "ab", (rice,)))["sv"]
    {'12': 'Hur kokar jag ris?'}
    """
    by_language: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for item in prompt_set.items:
        for variant in item.variants:
            by_language[variant.language][item.id] = variant.prompt or ""
    return dict(by_language)


def strange_question(response: Response, registered: Registered) -> StrangeQuestion | None:
    """What keeps a response from answering a registered question, as far as its file says; None where nothing does.

    The task allows to add to a question ("Answer in one sentence."): what holds the registered words is that question.
    A file that states no question answers the registered one.

    >>> said = Response("12", "12", "question", 1, "en", "Briefly: how do I boil rice?", (), "In water.")
    >>> strange_question(said, {"en": {"12": "How do I boil rice?"}}) is None
    True
    >>> strange_question(said, {"en": {"12": "How do I fry eggs?"}}).why
    'in other words'
    >>> strange_question(said, {"sv": {"12": "Hur kokar jag ris?"}}).why
    'not registered'
    """
    question = registered.get(response.language, {}).get(response.item_id)
    if question is None:
        return StrangeQuestion(response.language, response.item_id, "not registered")
    stated = _comparable(response.prompt or "")
    if stated and _comparable(question) not in stated:
        return StrangeQuestion(response.language, response.item_id, "in other words")
    return None


def _comparable(question: str) -> str:
    """As questions are compared: NFC, casefold, blanks collapsed, without the mark at the end."""
    return " ".join(normal_form("NFC", question).casefold().split()).rstrip(" ?!.…؟;")


def _questions(name: str, data: bytes) -> list[tuple[str, str, str]]:
    """Id, language and text of each question of a file."""
    try:
        document: Any = json.loads(data.decode("utf-8"))
        language = document["language"]
        rows = [(str(int(row["questionid"])), row["turns"][0]["question"]) for row in document["questions"]]
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise PromptSetError(
            f"{name}: not questions of 2025 (at {error}); expected language, and questions of questionid and turns"
        ) from error
    if not isinstance(language, str) or not language.isalpha():
        raise PromptSetError(f"{name}: the language is {language!r}; expected a code like en")
    for item_id, question in rows:
        if not isinstance(question, str) or not _comparable(question):
            raise PromptSetError(f"{name}: question {item_id} has no text; write it into its first turn")
    return [(item_id, language, question) for item_id, question in rows]


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise PromptSetError(f"{path}: cannot be read ({error.strerror}); expected questions of 2025") from error
