"""The answers in one file of whatever shape teams keep them in: rows, lists, objects of ids, one within another.

Texts are taken as they stand. What would have to be guessed, such as which of two answers is meant, is a fault. The
edition of an answer, and the prompt it is to, are told later (`submissions.packing.edition`).
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from submissions.formats.eloquent.cultural_metadata import LABEL_2026, METADATA_FILE
from submissions.formats.eloquent.cultural_rows import is_plain
from submissions.formats.eloquent.edition_2024 import ROOT_KEY, TEST_SET_KEY
from submissions.formats.eloquent.edition_2025 import LABEL_2025
from submissions.formats.names import is_placeholder
from submissions.known_files import ANSWER_KEYS, ID_KEYS
from submissions.packing.batch_results import BatchResults, is_batch_result
from submissions.packing.every_eval_ever import EvaluatedSamples, is_sample
from submissions.packing.naming import language_word, name_parts
from submissions.packing.sources import Source
from submissions.packing.stated_prompts import PROMPT_KEYS, prompt_of
from submissions.reading.csv_cells import CsvRows
from submissions.reading.json_lines import JsonLines
from submissions.reading.limits import Limits
from submissions.reading.quoting import described, printable, quoted
from submissions.reading.strict_json import (
    ABSENT,
    RepeatedKeys,
    binary_kind,
    path_text,
    read_json,
    wide_encoding,
)
from submissions.schema import Edition, Names

_LIST_KEYS = ("responses", "variants", "answers")
"""Of an id with a list of answers."""
_ANSWER_LIST_KEYS = ("responses", "answers")
"""Those of them that never hold prompts."""
_LANGUAGE_KEYS = ("language", "lang")
_NUMBER_KEYS = ("n", "variant", "turn")
_TEAM_KEYS = ("team", "source")
_RUN_KEYS = ("submissionid", "run", "run_id")
_MODEL_KEYS = ("model", "model_name", "model_id")
_LISTS = frozenset(
    {
        "answers", "responses", "results", "rows", "items", "data", "predictions", "outputs", "questions", "languages",
        ROOT_KEY, TEST_SET_KEY,
    }
)  # fmt: skip
_NAME_KEYS = frozenset({"team", "system", *_RUN_KEYS, *_MODEL_KEYS})
_STATED_EDITIONS: Mapping[str, Edition] = {LABEL_2025: "2025", LABEL_2026: "2026"}
_YEARS: Mapping[str, Edition] = {"2024": "2024", "2025": "2025", "2026": "2026"}
_ID_AS_KEY = re.compile(rb'[0-9]"[ \t\r\n]{0,8}:')
"""How the id of an answer ends where it is a key, as in `"1-1": `."""
_FIRST_PLACES = 3
"""Places named of faults of one kind."""
_ROWS_OF_A_COUNT = 3
"""So many rows of one answer each tell a count of rows from runs."""
_BESIDE_CHARACTERS = 40
"""A longer text beside an answer tells no repetition of it from another."""
_KNOWN_KEYS = frozenset(
    {*ID_KEYS, *ANSWER_KEYS, *_LIST_KEYS, *PROMPT_KEYS, *_LANGUAGE_KEYS, *_NUMBER_KEYS, *_RUN_KEYS, *_MODEL_KEYS}
)
_DEPTH = 4
"""Objects around the answers that are looked through."""

_MIB = 1024 * 1024

_TABLES = (".csv", ".tsv")

Form = Literal["one", "turns", "list"]
"""How answers stand beside an id: a text, the turns of a conversation, or a list."""


@dataclass(frozen=True, slots=True)
class Said:
    """One answer, and what stands beside it."""

    text: object
    """As the file has it; ABSENT where a list leaves its place empty."""
    prompt: str | None
    place: str
    """Where in the file: the number of its line, or a JSON path."""
    language: str | None = None
    number: int | None = None
    """Which variant or turn it is said to be."""
    beside: tuple[tuple[str, str], ...] = ()
    """Keys and values of its row that nothing else here reads, as far as they are short: `("seed", "1")`."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What a file has beside one id."""

    id: object
    form: Form
    said: tuple[Said, ...]
    place: str
    keys: frozenset[str]
    """Of its object; none where it is a member of an object of ids."""
    called: frozenset[str]
    """What the file calls id and answer, in quotes, or `an object of ids`."""


@dataclass(frozen=True, slots=True)
class StatedNames:
    """What a file says of some of its answers beside them; None where it says nothing."""

    language: str | None = None
    """As it is written."""
    names: Names = Names()


@dataclass(slots=True)
class FileShape:
    """What one file holds."""

    entries: dict[StatedNames, list[Entry]] = field(default_factory=dict)
    metadata: dict[str, object] | None = None
    edition: Edition | None = None
    """The one that it states."""
    remarks: list[str] = field(default_factory=list)
    """What is left out."""
    faults: list[str] = field(default_factory=list)
    """Why the file cannot be used, although it holds answers."""
    why_none: str = ""
    """Why there are no answers, where there are none."""


def may_hold_answers(data: bytes) -> bool:
    """Whether a text has the key of an answer, or an id as a key: what has neither need not be read.

    >>> may_hold_answers(b'{"id": "1-1", "output": "a"}'), may_hold_answers(b'{"1-1": "a"}'), may_hold_answers(b"[{}]")
    (True, True, False)
    """
    keys = (*ANSWER_KEYS, *_LIST_KEYS, "turns")
    is_keyed = any(f'"{key}"'.encode() in data for key in keys) or _ID_AS_KEY.search(data) is not None
    header = data[:1000].split(b"\n", 1)[0]
    return is_keyed or b'"custom_id"' in data or any(key.encode() in header for key in ANSWER_KEYS)


def shape_of(source: Source) -> FileShape:
    """What a file holds; never raises on its content."""
    return _Reader(source).read()


@dataclass(slots=True)
class _Reader:
    """State of one reading."""

    source: Source
    shape: FileShape = field(default_factory=FileShape)
    batch: BatchResults = field(default_factory=BatchResults)
    samples: EvaluatedSamples = field(default_factory=EvaluatedSamples)
    n_without_answer: int = 0
    n_no_rows: int = 0
    without_id: list[str] = field(default_factory=list)
    """Places of answers without an id."""
    contradictions: dict[tuple[str, ...], list[str]] = field(default_factory=dict)
    """Keys that hold different answers, or different ids, in one row -> places of these rows."""

    def read(self) -> FileShape:
        data = self.source.data
        if binary := binary_kind(data):
            self.shape.why_none = f"this is {binary}, no text"
        elif wide := wide_encoding(data):
            self.shape.faults.append(f"the file is {wide}, expected UTF-8: save it as UTF-8")
        elif self.source.name.casefold().endswith(_TABLES):
            self._read_table()
        elif self._is_of_lines():
            self._read_lines()
        else:
            self._read_document()
        shape = self.shape
        shape.remarks += self.batch.remarks()
        shape.faults += self.batch.faults
        if shape.entries and self.n_without_answer:
            shape.remarks.append(f"{self.n_without_answer:,} ids have no answer: left out")
        if shape.entries and self.n_no_rows:
            shape.remarks.append(f"{self.n_no_rows:,} members of lists are no rows: left out")
        if shape.entries and self.without_id:
            first = f"line {self.without_id[0]}" if self.without_id[0].isdigit() else self.without_id[0]
            shape.faults.append(f"{first}: an answer has no id ({len(self.without_id):,} in all)")
        self._join_numbered_rows()
        shape.faults += [_contradiction(keys, places) for keys, places in self.contradictions.items()]
        if not shape.entries and not shape.faults and not shape.why_none and shape.metadata is None:
            is_prompts = self.n_without_answer > 0 or bool(self.without_id)
            shape.why_none = "it has rows, but no answers with ids" if is_prompts else "it holds no answers with ids"
        return shape

    def _join_numbered_rows(self) -> None:
        """Takes a number that is another in every row, each of another prompt, for a count of rows and for no run."""
        groups = self.shape.entries
        numbers = [stated.names.run or "" for stated in groups]
        ids = [str(entry.id).strip() for entries in groups.values() for entry in entries]
        is_count = len(ids) == len(set(ids)) == len(groups) and all(map(str.isdecimal, numbers))
        if len(groups) < _ROWS_OF_A_COUNT or not is_count:
            return
        joined: dict[StatedNames, list[Entry]] = {}
        for stated, entries in groups.items():
            joined.setdefault(replace(stated, names=replace(stated.names, run=None)), []).extend(entries)
        self.shape.entries = joined
        self.shape.remarks.append(f"the run is another in each of {len(ids):,} rows: taken for a count of rows")

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
                row = self._row_of_line(line.value, str(line.number))
                if row is not None:
                    self._take_row(row, str(line.number), StatedNames())
            elif line.value is not ABSENT:
                self.shape.remarks.append(f"line {line.number} is {described(line.value)}, no row: left out")
        for problem in lines.findings.problems:
            if problem.severity == "error":
                # The name is blank here, so that a place is `:LINE`, or `$` for the whole file.
                place = f"line {problem.path[1:]}: " if problem.path != "$" else ""
                self.shape.faults.append(f"{place}{problem.message}")

    def _read_table(self) -> None:
        """Reads a CSV; a cell with nothing in it is no value."""
        text = self.source.data.decode("utf-8-sig", "replace")
        rows = CsvRows(io.StringIO(text, newline=""))
        try:
            header = [name.strip() for name in next(rows, [])]
            if len(set(header)) < len(header):
                self.shape.faults.append("two columns of the table have one name")
                return
            for cells in rows:
                place = str(rows.first_line)
                if len(cells) != len(header):
                    fault = f"line {place}: the row has {len(cells)} cells; expected {len(header)}, as in the header"
                    self.shape.faults.append(fault)
                    return
                named = zip(header, cells, strict=True)
                self._take_row({name: cell for name, cell in named if cell}, place, StatedNames())
        except csv.Error as error:
            self.shape.faults.append(f"line {rows.line_num} is no CSV: {error}")

    def _row_of_line(self, value: dict[str, object], place: str) -> dict[str, object] | None:
        """Return a line as a row; None of a request of a batch, or a sample, that has no answer of its own."""
        if is_sample(value):
            return self.samples.row(value)
        return self.batch.row(value, place) if is_batch_result(value) else value

    def _read_document(self) -> None:
        document = read_json(self.source.data, self.source.name, self._limits())
        errors = [problem for problem in document.findings.problems if problem.severity == "error"]
        if errors:
            first = errors[0]
            place = "" if first.path == "$" else f"at {first.path.removeprefix(self.source.name)[1:]}: "
            # A settings file that cannot be read is nobody's loss; one that names an id and an answer may be.
            may_answer = any(f'"{key}"'.encode() in self.source.data for key in ANSWER_KEYS)
            if may_answer or document.value is not ABSENT:
                self.shape.faults.append(f"{place}{first.message}")
            else:
                self.shape.why_none = f"{place}{first.message}"
            return
        if isinstance(document.value, dict) and isinstance(kind := document.value.get("kind"), str):
            self.shape.why_none = f"a file of the kind {printable(kind, 40)}: check it and send it as it is"
            return
        if isinstance(document.value, dict) and is_sample(document.value):  # a file of one line
            row = self.samples.row(document.value)
            if row is not None:
                self._take_row(row, "1", StatedNames())
            return
        self._take(document.value, (), StatedNames(), _DEPTH)

    # Values

    def _take(self, value: object, path: tuple[str | int, ...], stated: StatedNames, depth: int) -> None:
        """Looks through a value for answers."""
        if isinstance(value, list):
            for index, entry in enumerate(value):
                if not isinstance(entry, dict):
                    self.n_no_rows += 1
                    continue
                if depth and not _first(entry, ID_KEYS) and not _LISTS.isdisjoint(entry):
                    self._take_object(entry, (*path, index), stated, depth - 1)
                else:
                    self._take_row(entry, path_text((*path, index)), stated)
        elif isinstance(value, dict):
            self._take_object(value, path, stated, depth)

    def _take_object(
        self, document: dict[str, object], path: tuple[str | int, ...], stated: StatedNames, depth: int
    ) -> None:
        if _first(document, ID_KEYS) and _is_answered(document):
            self._take_row(document, path_text(path), stated)
            return
        if any(_looks_like_id(key) for key in document):
            self._take_ids(document, path, stated)
            return
        if isinstance(document, RepeatedKeys):
            self._fault_of_key(path_text(path), document)
        self.shape.edition = self.shape.edition or _edition_of(document)
        stated = _stated(document, stated, is_around=True)
        walked = set()
        for key, value in document.items() if depth else ():
            is_holder = isinstance(value, dict) or (isinstance(value, list) and any(map(_is_object, value)))
            if not is_holder:
                continue
            parts = name_parts(key, language_word)
            if (parts.language or parts.kind) and not parts.label:
                walked.add(key)
                self._take(value, (*path, key), replace(stated, language=parts.language or stated.language), depth - 1)
            elif key.casefold() in _LISTS:
                walked.add(key)
                self._take(value, (*path, key), stated, depth - 1)
        is_results = path == (ROOT_KEY,)
        if (not path or is_results) and (_is_metadata(document, self.source.name) or is_results):
            self.shape.metadata = {key: value for key, value in document.items() if key not in walked}

    def _take_ids(self, document: dict[str, object], path: tuple[str | int, ...], stated: StatedNames) -> None:
        """An object of ids, each with its answer or with a row."""
        if isinstance(document, RepeatedKeys):
            for key in document.repeated:
                self.shape.faults.append(
                    f"the id {quoted(key, 40)} stands twice in one object: one answer would be lost"
                )
        for key, value in document.items():
            place = path_text((*path, key))
            row = {**value} if isinstance(value, dict) else {"answer": value}
            if isinstance(value, RepeatedKeys):
                self._fault_of_key(place, value)
            self._take_row({**row, "id": key}, place, stated, is_keyed=True)

    def _take_row(self, row: dict[str, object], place: str, stated: StatedNames, *, is_keyed: bool = False) -> None:
        id_key = _first(row, ID_KEYS)
        if id_key is None:
            if _is_answered(row):
                self.without_id.append(place)
            return
        if isinstance(row, RepeatedKeys):
            self._fault_of_key(place, row)
            return
        self._compare_ids(row, place)
        stated = _stated(row, stated, is_around=False)
        form, answer_key, said = self._said(row, place)
        if not said:
            self._take_by_language(row, row[id_key], place, stated)
            return
        called = {quoted(id_key), *({quoted(answer_key)} if answer_key else ())}
        called = {"an object of ids", *called - {'"id"', '"answer"'}} if is_keyed else called
        keys = frozenset() if is_keyed else frozenset(row)
        entry = Entry(row[id_key], form, said, place, keys, frozenset(called))
        self.shape.entries.setdefault(stated, []).append(entry)

    def _said(self, row: dict[str, object], place: str) -> tuple[Form, str, tuple[Said, ...]]:
        """The form of the answers of a row, the key they stand under, and the answers; none where it has none."""
        if isinstance(turns := row.get("turns"), list):
            self._compare_turns(row, turns, place)
            return "turns", "turns", self._listed(turns, f"{place}.turns" if not place.isdigit() else place)
        self._compare_answers(row, place)
        answer_key = _first(row, ANSWER_KEYS)
        list_key = next((key for key in _LIST_KEYS if isinstance(row.get(key), list)), None)
        if answer_key is None and list_key is None:
            return "one", "", ()
        value = row[answer_key or list_key or ""]
        if isinstance(value, list):
            return "list", answer_key or list_key or "", self._listed(value, place)
        said = Said(
            value,
            prompt_of(row, value),
            place,
            _text(row, _LANGUAGE_KEYS),
            _number(row),
            _beside(row),
        )
        return "one", answer_key or "", (said,)

    def _listed(self, values: list[object], place: str) -> tuple[Said, ...]:
        """The answers of a list; none where all of its places are empty."""
        answers = []
        for index, value in enumerate(values):
            at = place if place.isdigit() else f"{place}[{index}]"
            if not isinstance(value, dict):
                answers.append(Said(value, None, at))
                continue
            if isinstance(value, RepeatedKeys):
                self._fault_of_key(at, value)
            self._compare_answers(value, at)
            answer_key = _first(value, ANSWER_KEYS)
            answer = value[answer_key] if answer_key else ABSENT
            answers.append(
                Said(
                    answer,
                    prompt_of(value, answer),
                    at,
                    _text(value, _LANGUAGE_KEYS),
                    _number(value),
                )
            )
        return () if all(said.text is ABSENT for said in answers) else tuple(answers)

    def _take_by_language(self, row: dict[str, object], stated_id: object, place: str, stated: StatedNames) -> None:
        """Answers to one id in several languages: `{"en": ["...", "..."], "sv": ["..."]}`."""
        spoken = {key: code for key in row if (code := language_word(key.casefold())) is not None}
        if not spoken:
            self.n_without_answer += 1
        for key, code in spoken.items():
            self._take_row({"id": stated_id, "answer": row[key]}, place, replace(stated, language=code), is_keyed=True)

    def _compare_ids(self, row: Mapping[str, object], place: str) -> None:
        """Notes a row whose keys name different ids: nobody but the team knows which prompt it answers."""
        keys = [key for key in ID_KEYS if key in row and _looks_like_id(str(row[key]))]
        if len({str(row[key]).strip() for key in keys}) > 1:
            self.contradictions.setdefault(tuple(keys), []).append(place)

    def _compare_answers(self, row: Mapping[str, object], place: str) -> None:
        """Notes a row whose keys hold different answers: a reference may stand beside what the model said."""
        keys = [key for key in ANSWER_KEYS if key in row]
        keys += [key for key in _ANSWER_LIST_KEYS if isinstance(row.get(key), list)]
        if any(_unlisted(row[key]) != _unlisted(row[keys[0]]) for key in keys[1:]):
            self.contradictions.setdefault(tuple(keys), []).append(place)

    def _compare_turns(self, row: Mapping[str, object], turns: list[object], place: str) -> None:
        """Notes a row with turns and an answer that is not that of the last turn."""
        last = turns[-1] if turns else None
        own_key = _first(last, ANSWER_KEYS) if isinstance(last, dict) else None
        said = last[own_key] if isinstance(last, dict) and own_key else last
        keys = [key for key in ANSWER_KEYS if row.get(key) not in (None, "", said)]
        if keys:
            self.contradictions.setdefault(("turns", *keys), []).append(place)

    def _fault_of_key(self, place: str, row: RepeatedKeys) -> None:
        where = f"line {place}" if place.isdigit() else place
        what = f"the key {quoted(row.repeated[0], 40)} stands twice: one of its values would be lost"
        self.shape.faults.append(f"{where}: {what}")


def _first(row: Mapping[str, object], keys: tuple[str, ...]) -> str | None:
    """The first of these keys that an object has."""
    return next((key for key in keys if key in row), None)


def _unlisted(value: object) -> object:
    """An answer that stands alone in a list, else the value as it is."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _contradiction(keys: Sequence[str], places: Sequence[str]) -> str:
    """The fault of rows whose keys contradict each other, with their count and the first places."""
    named = " and ".join(map(quoted, keys))
    what = "ids" if keys[0] in ID_KEYS else "answers"
    meant = "names the prompt" if what == "ids" else "the model said"
    return (
        f"{named} hold different {what} in {len(places):,} row{'s' if len(places) > 1 else ''} "
        f"({named_places(places)}): only you know which of them {meant}; remove or rename the other key"
    )


def named_places(places: Sequence[str]) -> str:
    """The first of several places in a file.

    >>> named_places(["1", "2", "3", "4"]), named_places(["$[0]"])
    ('lines 1, 2, 3, ...', '$[0]')
    """
    shown = ", ".join(places[:_FIRST_PLACES]) + (", ..." if len(places) > _FIRST_PLACES else "")
    return f"line{'s' if len(places) > 1 else ''} {shown}" if places[0].isdigit() else shown


def _beside(row: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    """What else a row says in few words."""
    return tuple(
        (key, str(value))
        for key, value in row.items()
        if key not in _KNOWN_KEYS and isinstance(value, (str, int)) and len(str(value)) <= _BESIDE_CHARACTERS
    )


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def _is_answered(row: Mapping[str, object]) -> bool:
    return bool(_first(row, ANSWER_KEYS)) or any(isinstance(row.get(key), list) for key in (*_LIST_KEYS, "turns"))


def _looks_like_id(key: str) -> bool:
    """Whether a key of an object is an id of some edition: a number, or two with a dash."""
    first, _, second = key.strip()[:40].partition("-")
    return first.isdecimal() and (second.isdecimal() or "-" not in key)


def _text(document: Mapping[str, object], keys: tuple[str, ...]) -> str | None:
    key = _first(document, keys)
    value = document[key] if key is not None else None
    return text_or_number(value) if isinstance(value, str) else None


def text_or_number(value: object) -> str | None:
    """A name as a file states it: a text, or a whole number; None where it is neither.

    >>> text_or_number(" r0 "), text_or_number(0), text_or_number(2.0), text_or_number(True)
    ('r0', '0', '2', None)
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)[:200]
    is_said = isinstance(value, str) and value.strip() and not is_placeholder(value)
    return str(value).strip()[:200] if is_said else None


def _number(document: Mapping[str, object]) -> int | None:
    key = _first(document, _NUMBER_KEYS)
    value = document[key] if key is not None else None
    if isinstance(value, str) and value.strip().isdecimal() and len(value) < 10:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _stated(document: Mapping[str, object], around: StatedNames, *, is_around: bool) -> StatedNames:
    """What an object says of the answers in it, and otherwise what is said around it.

    Team and system are told by what stands around answers alone: in a row, a system may well be a system prompt.
    """
    team = _text(document, _TEAM_KEYS) if is_around else None
    names = Names(
        team or around.names.team,
        (_text(document, ("system",)) if team else None) or around.names.system,
        _text(document, _MODEL_KEYS) or around.names.model,
        next(filter(None, (text_or_number(document.get(key)) for key in _RUN_KEYS)), None) or around.names.run,
    )
    return StatedNames(_text(document, _LANGUAGE_KEYS) or around.language, names)


def _is_metadata(document: Mapping[str, object], name: str) -> bool:
    return (
        name.casefold() == METADATA_FILE
        or _labelled(document) is not None
        or ("team" in document and bool(_NAME_KEYS & document.keys()))
        or ("system" in document and "submissionid" in document)
    )


def _edition_of(document: Mapping[str, object]) -> Edition | None:
    """The edition that a document states."""
    if ROOT_KEY in document or TEST_SET_KEY in document:
        return "2024"
    return _labelled(document) or _YEARS.get(str(document.get("year", "")).strip()[:10])


def _labelled(document: Mapping[str, object]) -> Edition | None:
    label = document.get("label")
    return _STATED_EDITIONS.get(label.strip()) if isinstance(label, str) else None
