"""The rows of one file of a 2026 zip: an id, the prompt as it was sent, and the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import BinaryIO

from submissions.findings import Findings, ProblemTally
from submissions.formats.eloquent.item_ids import id_label
from submissions.formats.eloquent.prompt_releases import ReleaseComparison
from submissions.formats.eloquent.wording import VALUE_FAULTS, response_fault
from submissions.promptsets.cultural import ELOQUENT_2026, CulturalKind, cultural_places
from submissions.reading.json_lines import JsonLines, Line
from submissions.reading.limits import Limits
from submissions.reading.quoting import described, keys_shown, quoted
from submissions.reading.strict_json import (
    ABSENT,
    ENCODING_HINT,
    RepeatedKeys,
    Unreadable,
    binary_kind,
    is_clean,
    path_text,
    value_faults,
    wide_encoding,
)
from submissions.schema import Response

_KEYS = frozenset({"id", "prompt", "answer"})
_ID = "$.id"
"""Where in its row an id stands."""
_HEAD_BYTES = 64 * 1024
_PADDED = re.compile(r"\s*0*([1-9][0-9]{0,3})(?:\s*-\s*0*([1-9][0-9]{0,3}))?\s*")


@dataclass(frozen=True, slots=True)
class CulturalFile:
    """One file of rows."""

    name: str
    """As the zip has it, without folders."""
    kind: CulturalKind
    language: str


@dataclass(frozen=True, slots=True)
class CulturalRow:
    """One row that could be read."""

    kind: CulturalKind
    response: Response
    place: str


class CulturalRows:
    """Reads the rows of one file; a fault of one does not stop the others.

    Args:
        stream: The file, at its start.
        file: What it is.
        findings: Takes errors, each at its row.
        tally: Takes warnings that are told once.
        limits: Bounds lines, rows and responses.
        official: Item id, variant and language -> prompt, as many as are at hand.
        comparison: Takes the prompts that rows state.
        set_id: Whose ids rows may have.
    """

    def __init__(
        self,
        stream: BinaryIO,
        file: CulturalFile,
        findings: Findings,
        tally: ProblemTally,
        limits: Limits,
        official: Mapping[tuple[str, int, str], str | None],
        comparison: ReleaseComparison,
        set_id: str = ELOQUENT_2026,
    ) -> None:
        self.is_complete = True
        """Whether every row could be read."""
        self.ids: set[str] = set()
        """Of the rows, also of those that could not be read."""
        self._stream = stream
        self._file = file
        self._findings = findings
        self._tally = tally
        self._limits = limits
        self._official = official
        self._comparison = comparison
        self._set_id = set_id
        self._places = cultural_places(file.kind, set_id)

    def __iter__(self) -> Iterator[CulturalRow]:
        if not self._is_of_lines():
            return
        limits = replace(self._limits, personalized_line_bytes=self._limits.cultural_line_bytes)
        lines = JsonLines(self._stream, self._file.name, limits, is_plain, with_columns=True)
        for line in lines:
            row = self._row(line)
            if row is None:
                self.is_complete = False
            else:
                yield row
        for problem in lines.findings.problems:
            place = self._file.name if problem.path == "$" else problem.path
            language = None if problem.path == "$" else self._file.language
            self._findings.add(problem.code, place, problem.message, problem.hint, language=language)
        self.is_complete = self.is_complete and not lines.findings.has_error

    # The file as a whole

    def _is_of_lines(self) -> bool:
        """Whether the file holds rows at all; what it is else is told."""
        head = self._stream.read(_HEAD_BYTES)
        binary, wide = binary_kind(head), wide_encoding(head)
        if binary:
            hint = "Pack the file itself, as plain text."
            self._refuse("binary", self._file.name, f"this is {binary}, not a text of rows", hint)
            return False
        if wide:
            self._refuse("encoding", self._file.name, f"the file is {wide}, expected UTF-8", ENCODING_HINT)
            return False
        head = head.removeprefix(b"\xef\xbb\xbf").lstrip()
        while not head and (more := self._stream.read(_HEAD_BYTES)):
            head = more.lstrip()
        self._stream.seek(0)
        if not head:
            self._refuse("empty_file", self._file.name, "the file is empty", "Write one row per line, or leave it out.")
            return False
        first = head.partition(b"\n")[0].strip()
        if first.startswith(b"[") or first == b"{":
            self._refuse(
                "not_jsonl",
                self._file.name,
                "the file is one JSON value over several lines; expected JSON Lines, one object per line",
                f"{_ROW_HINT} No brackets around the rows, and no commas between them.",
            )
            return False
        lines = sum(chunk.count(b"\n") for chunk in iter(lambda: self._stream.read(_HEAD_BYTES), b""))
        self._stream.seek(0)
        if lines > self._limits.cultural_lines:
            self._refuse(
                "file_too_big",
                self._file.name,
                f"the file has {lines:,} lines; at most {self._limits.cultural_lines:,} are read, of which "
                f"{len(self._places):,} are due",
                "Write one row per prompt; send each sample of a model as a run of its own.",
            )
            return False
        return True

    def _refuse(
        self,
        code: str,
        place: str,
        message: str,
        hint: str,
        *,
        item: str | None = None,
        variant: int | None = None,
        within: str | None = None,
    ) -> None:
        self.is_complete = False
        language = self._file.language
        self._findings.add(code, place, message, hint, item=item, variant=variant, language=language, within=within)

    # One row

    def _row(self, line: Line) -> CulturalRow | None:
        """The row of a line; None after reporting why there is none."""
        place = f"{self._file.name}:{line.number}"
        row = line.value
        if row is ABSENT or isinstance(row, Unreadable):
            if row is not ABSENT:
                self._refuse("response_type", place, "the row is a number no JSON has; a row is {...}", _ROW_HINT)
            return None
        if not isinstance(row, dict):
            self._refuse(
                "id_missing", place, f"expected an object with id and answer, found {described(row)}", _ROW_HINT
            )
            return None
        for key in row if "answer" in row else ():
            if key not in _KEYS:
                self._tally.note("extra_key", lambda: place, group=key, detail=quoted(key))
        item_id = self._id(row, place)
        label = item_id or id_label(row.get("id"))
        variant = self._places[item_id][1] if item_id else None
        is_sound = line.is_clean and is_plain(row) and not isinstance(row, RepeatedKeys)
        has_fault = not is_sound and self._report_value_faults(row, place, label, variant)
        answer = self._answer(row, place, label, variant)
        is_second = item_id is not None and self._is_second(item_id, place)
        if item_id is None or answer is None or has_fault or is_second:
            return None
        return CulturalRow(self._file.kind, self._response(item_id, row, answer, place), place)

    def _id(self, row: dict[str, object], place: str) -> str | None:
        stated = row.get("id", ABSENT)
        if isinstance(stated, str) and stated in self._places:
            return stated
        if isinstance(stated, Unreadable):
            self.is_complete = False
            return None
        if stated is ABSENT or stated is None or (isinstance(stated, str) and not stated.strip()):
            fault = (
                f"the row has no id (keys found: {keys_shown(list(row))})" if stated is ABSENT else "the id is blank"
            )
            hint = "Write the id of the prompt file as a text."
            if "questionid" in row:
                hint = f'The key "questionid" is of before 27 January 2026: it is now "id". {hint}'
            self._refuse("id_missing", place, fault, hint, within=_ID)
            return None
        number = normal_id(stated)
        if number in self._places:
            self._tally.note(
                "id_normalised",
                lambda: place,
                group=self._file.language,
                detail=f"{described(stated)} as {number}",
                item=number,
                language=self._file.language,
            )
            return number
        self._report_unknown_id(stated, number, place)
        return None

    def _report_unknown_id(self, stated: object, number: str | None, place: str) -> None:
        first, *_, last = self._places
        hint = "Use the ids of the prompt file; answers to other prompts are not scored."
        other: CulturalKind = "specific" if self._file.kind == "unspecific" else "unspecific"
        if number in cultural_places(other, self._set_id):
            hint = (
                f"This is the id of a prompt of {self._file.language}_{other}.jsonl: perhaps the two files are swapped."
            )
        message = f'there is no {self._file.kind} prompt {described(stated)}; the ids are "{first}" to "{last}"'
        self._refuse("unknown_id", place, message, hint, item=id_label(stated), within=_ID)

    def _is_second(self, item_id: str, place: str) -> bool:
        if item_id not in self.ids:
            self.ids.add(item_id)
            return False
        self._refuse(
            "duplicate_id",
            place,
            f"prompt {item_id} is answered here a second time; expected each id once in a file",
            "Keep the row that is meant, or correct its id.",
            item=item_id,
            variant=self._places[item_id][1],
            within=_ID,
        )
        return True

    def _report_value_faults(self, row: dict[str, object], place: str, item: str | None, variant: int | None) -> bool:
        """Tells every fault in a value of the row; whether there are any."""
        faults = False
        for fault in value_faults(row):
            message, hint = VALUE_FAULTS[fault.code]
            self._refuse(
                fault.code,
                place,
                message.format(found=fault.found),
                hint,
                item=item,
                variant=variant,
                within=path_text(fault.path),
            )
            faults = True
        return faults

    def _answer(self, row: dict[str, object], place: str, item: str | None, variant: int | None) -> str | None:
        if "answer" not in row:
            keys = keys_shown(list(row)) or "no key"
            hint = _ROW_HINT
            if "response" in row:
                hint = f'The key "response" belongs to the format of 2024: in 2026 it is "answer". {hint}'
            message = f'expected the key "answer", found {keys}'
            self._refuse("response_key", place, message, hint, item=item, variant=variant)
            return None
        answer = row["answer"]
        if isinstance(answer, Unreadable) or (isinstance(answer, str) and not is_clean(answer)):
            self.is_complete = False  # reported with the faults of values
            return None
        if fault := response_fault(answer, self._limits):
            code, message, hint = fault
            self._refuse(code, place, message, hint, item=item, variant=variant, within="$.answer")
            return None
        return str(answer)

    def _response(self, item_id: str, row: dict[str, object], answer: str, place: str) -> Response:
        base_id, variant = self._places[item_id]
        prompt = self._prompt(item_id, variant, row, place)
        return Response(
            item_id=item_id,
            base_id=base_id,
            kind=self._file.kind,
            variant=variant,
            language=self._file.language,
            prompt=prompt,
            turns=((prompt or "", answer),),
            response=answer,
        )

    def _prompt(self, item_id: str, variant: int, row: dict[str, object], place: str) -> str | None:
        """The prompt the row states, after it was compared with the official ones."""
        stated = row.get("prompt")
        language = self._file.language
        if stated is None:
            return None
        if not isinstance(stated, str):
            detail = f"prompt is {described(stated)}"
            self._tally.note("metadata_field", lambda: place, group=language, detail=detail, language=language)
            return None
        self._comparison.look(language, item_id, stated, place)
        official = self._official.get((item_id, variant, language))
        return official if stated == official else stated


_ROW_HINT = 'Write one row per line: {"id": "1-1", "prompt": "...", "answer": "..."}.'


def is_plain(value: object) -> bool:
    """Whether a row holds texts and short numbers only, so that nothing in it can be too deep or too long."""
    return isinstance(value, dict) and all(
        member is None or isinstance(member, (str, bool, int, float)) for member in value.values()
    )


def normal_id(stated: object) -> str | None:
    """The id a value means: 7, 7.0, "07" and " 7 " mean "7", "7-03" means "7-3"; None of anything else.

    A number like 7.3 is no specific id: it may have been 7-3 or 7-30.
    """
    if isinstance(stated, float) and stated.is_integer():
        stated = int(stated)
    if isinstance(stated, int) and not isinstance(stated, bool):
        return str(stated)
    match = _PADDED.fullmatch(stated[:40]) if isinstance(stated, str) else None
    if match is None:
        return None
    return match[1] if match[2] is None else f"{match[1]}-{match[2]}"
