"""What is shown, as CSV and JSON: same rows, same order, same columns, full numbers."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import re
import uuid
import zipfile
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, NotRequired, TypedDict

from evaluator.results import MetricValue
from evaluator.statistics.rank_bands import RankBand
from leaderboard.parts.columns import Column, Value
from leaderboard.parts.tables import Row
from submissions.schema import Count

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""A spreadsheet runs a cell that begins with one of these (OWASP, CSV injection); the last four are full-width = + - @,
which spreadsheets of East Asian systems take for the plain ones."""

_ZIP_TIME = (1980, 1, 1, 0, 0, 0)
"""Of every entry of a zip."""

CSV = "text/csv"
JSON = "application/json"
JSON_LINES = "application/jsonl"


class FileValue(TypedDict):
    """A file for the browser to save."""

    name: str
    type: str
    text: str
    base64: NotRequired[str]
    """The bytes of a file that is no text, in place of `text`."""
    address: NotRequired[str]
    """Where the browser gets the file itself, in place of both."""
    serial: str
    """Differs at every call, so that the same file can be saved twice."""


def file_value(name: str, media_type: str, text: str) -> FileValue:
    """A text as a file."""
    return {"name": name, "type": media_type, "text": text, "serial": uuid.uuid4().hex}


def binary_file_value(name: str, media_type: str, data: bytes) -> FileValue:
    """Bytes as a file."""
    return {**file_value(name, media_type, ""), "base64": base64.b64encode(data).decode("ascii")}


def file_at(name: str, address: str) -> FileValue:
    """Return a file that the browser gets itself, at an address of this site."""
    return {**file_value(name, "", ""), "address": address}


def file_name(text: str) -> str:
    """A name that is safe as a file's, and another one for every text.

    >>> file_name("eloquent-2024"), file_name("a/b")
    ('eloquent-2024', 'a-b-c14cddc0')
    """
    safe = re.sub(r"[^A-Za-z0-9._-]+", "-", text)
    is_safe = safe == text and not text.startswith(".") and 0 < len(text) <= 80
    return safe if is_safe else f"{safe[:80]}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


Scalar = str | int | float | None


def csv_text(rows: Sequence[Row], columns: Sequence[Column[Row]]) -> str:
    """The rows as CSV; text that a spreadsheet would run is disarmed, numbers stay numbers."""
    header, records = flat_records(rows, columns)
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    for record in records:
        writer.writerow([neutralised(record.get(key)) for key in header])
    return buffer.getvalue()


def flat_records(rows: Sequence[Row], columns: Sequence[Column[Row]]) -> tuple[list[str], list[dict[str, Scalar]]]:
    """Header and rows with one plain value in each cell: intervals and counts take several columns."""
    return _record_keys(rows, columns), [_record(row, columns) for row in rows]


def json_text(rows: Sequence[Row], columns: Sequence[Column[Row]], *, about: dict[str, Any]) -> str:
    """The rows as JSON, with what they are; nested where a value has an interval."""
    body: dict[str, Any] = {**about, "rows": [_json_record(row, columns) for row in rows]}
    return json.dumps(body, ensure_ascii=False, indent=2) + "\n"


def neutralised(value: Scalar) -> Scalar:
    r"""A CSV cell no spreadsheet runs; numbers are exempt because they are typed.

    >>> neutralised("=1+1"), neutralised("\uff1d1+1"), neutralised(-0.5), neutralised("ok")
    ("'=1+1", "'＝1+1", -0.5, 'ok')
    """
    if isinstance(value, str) and value.startswith(_FORMULA_STARTS):
        return "'" + value
    return value


class FigureRecord(TypedDict):
    """A figure, unrounded, with what is known of it."""

    value: float
    low: float | None
    """Lower end of the 95 % interval."""
    high: float | None
    n: int | None
    """What it rests on; of a count what is counted of."""


def figure_record(column: Column[Row], row: Row) -> FigureRecord | None:
    """The value of a cell with its interval; None of words, days, ranks and cells without a value."""
    value = column.value(row)
    match value:
        case MetricValue() if value.value is not None:
            return {"value": value.value, "low": value.low, "high": value.high, "n": value.n}
        case Count():
            return {"value": float(value.answered), "low": None, "high": None, "n": value.expected}
        case int() | float() if column.is_number:
            return {"value": float(value), "low": None, "high": None, "n": None}
    return None


def _record_keys(rows: Sequence[Row], columns: Sequence[Column[Row]]) -> list[str]:
    """Keys of the CSV: intervals and counts take several columns."""
    keys: dict[str, None] = {}
    for column in columns:
        values = [column.value(row) for row in rows]
        value_keys = dict.fromkeys(key for value in values if value is not None for key in _flat(column.key, value))
        keys.update(value_keys or {column.key: None})
        keys.update(dict.fromkeys(f"{column.key}_{kind}" for kind in _words_of(column)))
    return list(keys)


def _record(row: Row, columns: Sequence[Column[Row]]) -> dict[str, Scalar]:
    return {key: value for column in columns for key, value in _flat_cell(row, column).items()}


def _flat_cell(row: Row, column: Column[Row]) -> dict[str, Scalar]:
    return _flat(column.key, column.value(row)) | _words(row, column)


def _words_of(column: Column[Row]) -> dict[str, Callable[[Row], str]]:
    """What stands behind a figure in words: each kind has a column of its own."""
    words = {"remark": column.remark, "hint": column.hint}
    return {kind: of_row for kind, of_row in words.items() if of_row}


def _words(row: Row, column: Column[Row]) -> dict[str, Scalar]:
    return {f"{column.key}_{kind}": of_row(row) for kind, of_row in _words_of(column).items()}


def _flat(key: str, value: Value) -> dict[str, Scalar]:
    match value:
        case MetricValue():
            return {key: value.value, f"{key}_low": value.low, f"{key}_high": value.high, f"{key}_n": value.n}
        case RankBand():
            return {f"{key}_low": value.low, f"{key}_high": value.high}
        case Count():
            return {key: value.answered, f"{key}_of": value.expected}
        case datetime():
            return {key: value.isoformat()}
        case _:
            return {key: value}


def _json_record(row: Row, columns: Sequence[Column[Row]]) -> dict[str, Any]:
    values = {column.key: _json_value(column.value(row)) for column in columns}
    return values | {key: words for column in columns for key, words in _words(row, column).items()}


def _json_value(value: Value) -> Any:
    match value:
        case MetricValue():
            return value.model_dump(mode="json")
        case RankBand():
            return {"low": value.low, "high": value.high}
        case Count():
            return {"count": value.answered, "of": value.expected}
        case datetime():
            return value.isoformat()
        case _:
            return value


def zipped(files: dict[str, bytes]) -> bytes:
    """Return the files as a zip; the same files give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, data in files.items():
            archive.writestr(zipfile.ZipInfo(path, _ZIP_TIME), data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
