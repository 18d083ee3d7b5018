"""Reading a question set from JSON: every fault at once, with its place and what is expected there.

{"dataset": "capitals", "title": "Capitals", "version": "1", "source": "A. Author, CC BY 4.0",
 "questions": [{"example_id": "c1", "question": "The capital of Peru?", "options": ["Lima", "Quito"], "gold": "A"}],
 "style_preferences": ["I like short answers."], "irrelevant_preferences": ["I collect stamps."]}
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from submissions.questionsets.option_order import normalised_option
from submissions.questionsets.shape import Question, QuestionSet
from submissions.reading.strict_json import is_clean

MAX_QUESTIONS = 10_000
MAX_QUESTION_CHARACTERS = 20_000
MAX_PREFERENCE_CHARACTERS = 1_000
"""As in a submission (docs/submit.md#personalized-answers)."""
MAX_ID_CHARACTERS = 200

_TEXTS = ("dataset", "title", "version", "source")
_LISTS = ("questions", "style_preferences", "irrelevant_preferences")
_QUESTION_KEYS = ("example_id", "question", "options", "gold")
_DATASET = re.compile(r"[a-z0-9_]{1,40}")
_MISSING: Any = object()
"""Stands for the value of a key that is not there, which is named once."""
_RESERVED = "full"
"""Name of the view that pools all data sets."""


class QuestionSetError(Exception):
    """Raised when a question set cannot be used; `faults` lists everything that is wrong with it."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


def read_question_set(source: str | Path) -> QuestionSet:
    """Reads a question set from JSON text, or from a file.

    Raises:
        QuestionSetError: naming every fault: where, what was found, what is expected.
    """
    text = _file_text(source) if isinstance(source, Path) else source
    try:
        document = json.loads(text)
    except ValueError as error:
        raise QuestionSetError([f"not valid JSON: {error}"]) from error
    except RecursionError:
        raise QuestionSetError(["not a question set: it is nested too deeply"]) from None
    reader = _Reader()
    question_set = reader.question_set(document)
    if reader.faults:
        raise QuestionSetError(reader.faults)
    return question_set


def _file_text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise QuestionSetError([f"{path}: {error.strerror}"]) from error
    except UnicodeDecodeError as error:
        raise QuestionSetError([f"{path}: not UTF-8 (byte {error.start})"]) from error


class _Reader:
    """Reads values and notes what is wrong with them; after a fault a harmless value goes on in its place."""

    def __init__(self) -> None:
        self.faults: list[str] = []

    def question_set(self, document: Any) -> QuestionSet:
        stated = self._object(document, "the document", (*_TEXTS, *_LISTS))
        texts = {key: self._text(stated.get(key, _MISSING), key) for key in _TEXTS}
        dataset = texts["dataset"]
        if dataset and (not _DATASET.fullmatch(dataset) or dataset == _RESERVED):
            self._fault("dataset", dataset, f"1-40 characters of a-z, 0-9 and _, other than the reserved {_RESERVED!r}")
        questions = [
            self._question(entry, f"questions[{index}]")
            for index, entry in enumerate(self._list(stated.get("questions", _MISSING), "questions"))
        ]
        if not 1 <= len(questions) <= MAX_QUESTIONS:
            self.faults.append(f"questions: found {len(questions)}, expected 1 to {MAX_QUESTIONS:,}")
        self._no_repeats([question.example_id for question in questions], "questions", "example_id")
        style = self._preferences(stated.get("style_preferences", _MISSING), "style_preferences")
        irrelevant = self._preferences(stated.get("irrelevant_preferences", _MISSING), "irrelevant_preferences")
        for text in sorted(set(style) & set(irrelevant)):
            self.faults.append(f"{_shown(text)} stands in both lists of preferences, expected in one of them")
        return QuestionSet(
            dataset, texts["title"], texts["version"], texts["source"], tuple(questions), style, irrelevant
        )

    def _question(self, entry: Any, place: str) -> Question:
        stated = self._object(entry, place, _QUESTION_KEYS)
        example_id = self._text(stated.get("example_id", _MISSING), f"{place}.example_id", MAX_ID_CHARACTERS)
        text = self._text(stated.get("question", _MISSING), f"{place}.question")
        options = self._texts(stated.get("options", _MISSING), f"{place}.options")
        if options and not 2 <= len(options) <= len(ascii_uppercase):
            self.faults.append(f"{place}.options: found {len(options)}, expected 2 to 26, or [] for an open question")
        self._no_repeats(options, f"{place}.options", "option")
        return Question(example_id, text, options, self._gold(stated.get("gold", _MISSING), options, f"{place}.gold"))

    def _gold(self, gold: Any, options: tuple[str, ...], place: str) -> str | None:
        if gold is _MISSING:
            return None
        letters = ascii_uppercase[: len(options)]
        if not options and gold is not None:
            self._fault(place, gold, "null, for an open question has no options")
        elif options and not (isinstance(gold, str) and len(gold) == 1 and gold in letters):
            self._fault(place, gold, f"the letter of one of the options: {', '.join(letters)}")
        return gold if isinstance(gold, str) else None

    def _preferences(self, entry: Any, place: str) -> tuple[str, ...]:
        preferences = self._texts(entry, place, MAX_PREFERENCE_CHARACTERS)
        self._no_repeats(preferences, place, "preference")
        return preferences

    def _object(self, value: Any, place: str, keys: tuple[str, ...]) -> dict[str, Any]:
        if not isinstance(value, dict):
            self._fault(place, value, f"an object with {', '.join(keys)}")
            return {}
        self.faults += [
            f"{place}: found the key {_shown(key)}, expected only {', '.join(keys)}" for key in value if key not in keys
        ]
        self.faults += [f"{place}: the key {key!r} is missing" for key in keys if key not in value]
        return value

    def _list(self, value: Any, place: str) -> list[Any]:
        if isinstance(value, list):
            return value
        if value is not _MISSING:
            self._fault(place, value, "a list")
        return []

    def _texts(self, value: Any, place: str, limit: int = MAX_QUESTION_CHARACTERS) -> tuple[str, ...]:
        entries = self._list(value, place)
        return tuple(self._text(entry, f"{place}[{index}]", limit) for index, entry in enumerate(entries))

    def _text(self, value: Any, place: str, limit: int = MAX_QUESTION_CHARACTERS) -> str:
        if isinstance(value, str) and value.strip() and len(value) <= limit and is_clean(value):
            return value
        if isinstance(value, str) and len(value) > limit:
            self.faults.append(f"{place}: found {len(value):,} characters, expected at most {limit:,}")
        elif value is not _MISSING:
            self._fault(place, value, "a text that is not blank and has no control characters")
        return ""

    def _no_repeats(self, values: list[str] | tuple[str, ...], place: str, what: str) -> None:
        counts = Counter(normalised_option(value) for value in values if value)
        self.faults += [
            f"{place}: the {what} {_shown(value)} stands {count} times, expected once"
            for value, count in counts.items()
            if count > 1
        ]

    def _fault(self, place: str, value: Any, expected: str) -> None:
        self.faults.append(f"{place}: found {_shown(value)}, expected {expected}")


def _shown(value: Any) -> str:
    """A value as faults show it, cut at 80 characters."""
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= 80 else f"{text[:79]}…"
