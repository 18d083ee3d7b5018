"""The answers in one file of whatever shape teams keep them in: rows, lists, objects of ids, one within another.

Texts are taken as they stand. What would have to be guessed, such as which of two answers is meant, is a fault.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from submissions.formats.eloquent.cultural_metadata import LABEL_2026, METADATA_FILE
from submissions.formats.eloquent.cultural_rows import is_plain, normal_id
from submissions.formats.eloquent.edition_2024 import ROOT_KEY
from submissions.packing.naming import name_parts
from submissions.packing.sources import Source
from submissions.promptsets.cultural import CulturalKind, cultural_places
from submissions.reading.json_lines import JsonLines
from submissions.reading.limits import Limits
from submissions.reading.quoting import described, printable, quoted
from submissions.reading.strict_json import (
    ABSENT,
    RepeatedKeys,
    Unreadable,
    binary_kind,
    path_text,
    read_json,
    wide_encoding,
)

_ID_KEYS = ("id", "questionid", "question_id", "prompt_id", "qid")
_ANSWER_KEYS = ("answer", "response", "output", "completion", "generated_text", "prediction")
_PROMPT_KEYS = ("prompt", "question")
_LANGUAGE_KEYS = ("language", "lang")
_RUN_KEYS = ("submissionid", "run", "run_id")
_MODEL_KEYS = ("model", "model_name", "model_id")
_LISTS = ("answers", "responses", "results", "rows", "items", "data", "predictions", "outputs")
_NAME_KEYS = frozenset({"team", "system", *_RUN_KEYS, *_MODEL_KEYS})
_DEPTH = 3
"""Objects around the answers that are looked through."""

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Row:
    """One answer, as the file has it."""

    item_id: str
    """In the form of the prompt files, "7" or "7-3"."""
    answer: str
    prompt: str | None
    place: str
    """Where in the file: the number of its line, or a JSON path."""

    @property
    def kind(self) -> CulturalKind:
        return "specific" if "-" in self.item_id else "unspecific"


@dataclass(frozen=True, slots=True)
class StatedNames:
    """What a file says of some of its answers beside them; None where it says nothing."""

    language: str | None = None
    run: str | None = None
    model: str | None = None


@dataclass(slots=True)
class FileShape:
    """What one file holds."""

    rows: dict[StatedNames, list[Row]] = field(default_factory=dict)
    metadata: dict[str, object] | None = None
    remarks: list[str] = field(default_factory=list)
    """What is otherwise than in the official form, and what is left out."""
    faults: list[str] = field(default_factory=list)
    """Why the file cannot be used, although it holds answers."""
    why_none: str = ""
    """Why there are no answers, where there are none."""


def shape_of(source: Source) -> FileShape:
    """What a file holds; never raises on its content."""
    return _Reader(source).read()


@dataclass(slots=True)
class _Reader:
    """State of one reading."""

    source: Source
    shape: FileShape = field(default_factory=FileShape)
    unknown: list[str] = field(default_factory=list)
    """Places of rows whose ids the edition does not have."""
    renamed: set[str] = field(default_factory=set)
    n_normalised: int = 0
    n_null: int = 0
    n_without_answer: int = 0

    def read(self) -> FileShape:
        data = self.source.data
        if binary := binary_kind(data):
            self.shape.why_none = f"this is {binary}, no text"
        elif wide := wide_encoding(data):
            self.shape.faults.append(f"the file is {wide}, expected UTF-8: save it as UTF-8")
        elif self._is_of_lines():
            self._read_lines()
        else:
            self._read_document()
        return self._whole()

    # The text

    def _limits(self) -> Limits:
        limits = Limits()
        return replace(limits, json_bytes=len(self.source.data) + 1, personalized_line_bytes=limits.cultural_line_bytes)

    def _is_of_lines(self) -> bool:
        """Whether rows stand line by line: the first line is a value by itself, and more follow."""
        first, _, rest = self.source.data.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")
        if not rest.strip():
            return False
        try:
            json.loads(first)
        except (ValueError, RecursionError):
            return self.source.name.casefold().endswith("l") and first.strip()[:1] == b"{" != first.strip()
        return True

    def _read_lines(self) -> None:
        lines = JsonLines(io.BytesIO(self.source.data), "", self._limits(), is_plain)
        for line in lines:
            if isinstance(line.value, dict):
                self._take_row(line.value, str(line.number), StatedNames())
            elif line.value is not ABSENT:
                self.shape.remarks.append(f"line {line.number} is {described(line.value)}, no row: left out")
        for problem in lines.findings.problems:
            if problem.severity == "error":
                # The name is blank here, so that a place is `:LINE`, or `$` for the whole file.
                place = f"line {problem.path[1:]}: " if problem.path != "$" else ""
                self.shape.faults.append(f"{place}{problem.message}")

    def _read_document(self) -> None:
        document = read_json(self.source.data, self.source.name, self._limits())
        errors = [problem for problem in document.findings.problems if problem.severity == "error"]
        if errors:
            first = errors[0]
            place = "" if first.path == "$" else f"at {first.path.removeprefix(self.source.name)[1:]}: "
            # A settings file that cannot be read is nobody's loss; one that names an id and an answer may be.
            may_answer = any(f'"{key}"'.encode() in self.source.data for key in _ANSWER_KEYS)
            if may_answer or document.value is not ABSENT:
                self.shape.faults.append(f"{place}{first.message}")
            else:
                self.shape.why_none = f"{place}{first.message}"
            return
        self._take(document.value, (), StatedNames(), _DEPTH)

    # Values

    def _take(self, value: object, path: tuple[str | int, ...], stated: StatedNames, depth: int) -> None:
        """Looks through a value for answers."""
        if isinstance(value, list):
            for index, entry in enumerate(value):
                if isinstance(entry, dict):
                    self._take_row(entry, path_text((*path, index)), stated)
        elif isinstance(value, dict):
            self._take_object(value, path, stated, depth)

    def _take_object(
        self, document: dict[str, object], path: tuple[str | int, ...], stated: StatedNames, depth: int
    ) -> None:
        if not path and (why := _other_edition(document)):
            self.shape.why_none = why
            return
        if _first(document, _ID_KEYS) and _first(document, _ANSWER_KEYS):
            self._take_row(document, path_text(path), stated)
            return
        if any(_known_id(key) for key in document):
            self._take_ids(document, path, stated)
            return
        if not path and _is_metadata(document, self.source.name):
            self.shape.metadata = document
        stated = _stated(document, stated)
        for key, value in document.items() if depth else ():
            parts = name_parts(key) if isinstance(value, (dict, list)) else None
            if parts is not None and (parts.language or parts.kind) and not parts.label:
                self._take(value, (*path, key), replace(stated, language=parts.language or stated.language), depth - 1)
            elif key.casefold() in _LISTS:
                self._take(value, (*path, key), stated, depth - 1)

    def _take_ids(self, document: dict[str, object], path: tuple[str | int, ...], stated: StatedNames) -> None:
        """An object of ids, each with its answer or with a row."""
        self.renamed.add("an object of ids")
        if isinstance(document, RepeatedKeys):
            for key in document.repeated:
                self.shape.faults.append(
                    f"the id {quoted(key, 40)} stands twice in one object: one answer would be lost"
                )
        for key, value in document.items():
            place = path_text((*path, key))
            row = {**value} if isinstance(value, dict) else {"answer": value}
            if isinstance(value, RepeatedKeys):
                self._fault(place, f"the key {quoted(value.repeated[0], 40)} stands twice")
            self._take_row({**row, "id": key}, place, stated)

    def _take_row(self, row: dict[str, object], place: str, stated: StatedNames) -> None:
        id_key, answer_key = _first(row, _ID_KEYS), _first(row, _ANSWER_KEYS)
        if id_key is None or answer_key is None:
            self.n_without_answer += 1
            return
        if isinstance(row, RepeatedKeys):
            self._fault(place, f"the key {quoted(row.repeated[0], 40)} stands twice: one of its values would be lost")
            return
        self.renamed.update(quoted(key) for key in (id_key, answer_key) if key not in ("id", "answer"))
        item_id = _known_id(row[id_key])
        if item_id is None:
            self.unknown.append(f"{described(row[id_key])} at {place}")
            return
        self.n_normalised += row[id_key] != item_id
        answer = row[answer_key]
        if answer is None:
            self.n_null += 1
            answer = ""
        if not isinstance(answer, str):
            found = "a number no JSON has" if isinstance(answer, Unreadable) else described(answer)
            self._fault(place, f"the answer to {item_id} is {found}; expected one text")
            return
        prompt_key = _first(row, _PROMPT_KEYS)
        prompt = row[prompt_key] if prompt_key else None
        found_row = Row(item_id, answer, prompt if isinstance(prompt, str) else None, place)
        self.shape.rows.setdefault(_stated(row, stated), []).append(found_row)

    def _fault(self, place: str, what: str) -> None:
        where = f"line {place}" if place.isdigit() else place
        self.shape.faults.append(f"{where}: {what}")

    # The whole

    def _whole(self) -> FileShape:
        shape = self.shape
        n_rows = sum(map(len, shape.rows.values()))
        if self.unknown and len(self.unknown) >= n_rows:
            # Ids of something else: what looked like answers here and there is none of this edition's.
            shape.why_none = f"its ids are not those of 2026 (first {self.unknown[0]})"
            shape.rows.clear()
            shape.faults.clear()
            return shape
        if self.unknown:
            shape.remarks.append(
                f"{len(self.unknown):,} answers have ids that the edition does not have, first {self.unknown[0]}: "
                "left out"
            )
        if self.n_null:
            shape.remarks.append(f"{self.n_null:,} answers are null: written as empty, which is not answered")
        if self.n_normalised:
            shape.remarks.append(f'{self.n_normalised:,} ids are written as texts like "7" or "7-3"')
        if self.renamed:
            shape.remarks.append(f'{", ".join(sorted(self.renamed))} became rows of "id" and "answer"')
        if not n_rows and not shape.faults and not shape.why_none and shape.metadata is None:
            is_prompts = self.n_without_answer > 0
            shape.why_none = "it has rows, but no answers with ids" if is_prompts else "it holds no answers with ids"
        return shape


def _first(row: Mapping[str, object], keys: tuple[str, ...]) -> str | None:
    """The first of these keys that an object has."""
    return next((key for key in keys if key in row), None)


def _known_id(stated: object) -> str | None:
    """The id of a prompt of 2026 that a value means, or None."""
    item_id = stated if isinstance(stated, str) else normal_id(stated)
    for candidate in (item_id, normal_id(stated)):
        if candidate is not None and (
            candidate in cultural_places("specific") or candidate in cultural_places("unspecific")
        ):
            return candidate
    return None


def _stated(document: Mapping[str, object], around: StatedNames) -> StatedNames:
    """What an object says of the answers in it, and otherwise what is said around it."""

    def text(keys: tuple[str, ...]) -> str | None:
        found = document.get(_first(document, keys) or "")
        return found.strip()[:200] if isinstance(found, str) and found.strip() else None

    language = text(_LANGUAGE_KEYS)
    code = name_parts(language).language if language else None
    return StatedNames(code or around.language, text(_RUN_KEYS) or around.run, text(_MODEL_KEYS) or around.model)


def _is_metadata(document: Mapping[str, object], name: str) -> bool:
    is_named = name.casefold() == METADATA_FILE
    return (
        is_named or document.get("label") == LABEL_2026 or ("team" in document and bool(_NAME_KEYS & document.keys()))
    )


def _other_edition(document: Mapping[str, object]) -> str:
    """Why a document is none of 2026 but a file to be sent as it is; blank of any other."""
    if ROOT_KEY in document:
        return "a submission of 2024: check it and send it as it is"
    if "questions" in document and document.get("label") != LABEL_2026:
        return "a file of 2025: check it and send it as it is"
    if isinstance(document.get("kind"), str):
        return f"a file of the kind {printable(str(document['kind']), 40)}: check it and send it as it is"
    return ""
