"""A judge's log opened: bytes of JSON, JSON Lines, CSV, Parquet or a zip, within bounds, before any format is known."""

from __future__ import annotations

import csv
import io
import re
import resource
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from evaluator.judge_logs.judgements import MAX_JUDGEMENTS, Record
from submissions.findings import Findings
from submissions.reading.csv_cells import SEPARATORS, CsvRows
from submissions.reading.limits import Limits
from submissions.reading.quoting import printable, quoted
from submissions.reading.strict_json import ABSENT, binary_kind, is_zip, path_text, read_json, repeated_keys

Container = Literal["json", "json_lines", "csv", "parquet", "zip"]

_MIB = 1024 * 1024
LOG_LIMITS = Limits(
    json_bytes=32 * _MIB,
    json_depth=64,
    zip_entries=20_000,
    zip_entry_bytes=8 * _MIB,
    zip_bytes=256 * _MIB,
)
"""An upload's bounds, but deeper JSON and more entries of a zip: an inspect log has one per sample."""
LINES_BYTES = 64 * _MIB
LINE_BYTES = 4 * _MIB
MAX_COLUMNS = 1_000
TEXT_BYTES = 256 * _MIB
"""All texts of a Parquet file, expanded: a value that many rows share counts in each."""
_PARQUET_START = b"PAR1"
_ROWS_AT_ONCE = 64
_OBJECT_LINE = re.compile(rb"\s*\{[^\r\n]*\}[ \t]*\r?\n\s*\{")
_WHOLE = "$"


@dataclass(slots=True)
class Opened:
    """What a file holds, as far as that can be said without knowing its format."""

    name: str
    container: Container
    findings: Findings
    data: bytes = field(repr=False)
    document: object = ABSENT
    """Of a JSON file that is no list of objects."""
    records: list[tuple[str, Record]] = field(default_factory=list)
    """Place and record of lists of objects, lines and rows."""
    limits: Limits = LOG_LIMITS
    separator: str = ","
    """Of the cells of a CSV."""

    @property
    def first_keys(self) -> frozenset[str]:
        """The keys of the first record, or of the document."""
        if self.records:
            return frozenset(self.records[0][1])
        return frozenset(self.document) if isinstance(self.document, dict) else frozenset()


def opened(data: bytes, name: str, limits: Limits = LOG_LIMITS) -> Opened:
    """A file read as far as its container goes; every fault stands in its `findings`. Never raises."""
    file = Opened(name, _container(data, name), Findings(), data, limits=limits)
    if not data.strip():
        file.findings.add("empty_file", _WHOLE, "the file is empty", "Choose the log that your tool wrote.")
        return file
    match file.container:
        case "json":
            _open_json(file)
        case "json_lines":
            _open_lines(file)
        case "csv":
            _open_csv(file)
        case "parquet":
            _open_parquet(file)
        case "zip":
            _is_small_enough(file, limits.upload_bytes)
    return file


def _container(data: bytes, name: str) -> Container:
    if is_zip(data):
        return "zip"
    if data.startswith(_PARQUET_START):
        return "parquet"
    start = data[:_MIB].lstrip(b"\xef\xbb\xbf \t\r\n")
    if name.lower().endswith((".jsonl", ".ndjson")) or _OBJECT_LINE.match(start):
        return "json_lines"
    return "json" if start[:1] in (b"{", b"[") else "csv"


def _is_small_enough(file: Opened, most: int) -> bool:
    if len(file.data) <= most:
        return True
    message = f"the file has {len(file.data):,} bytes; at most {most:,} are read"
    file.findings.add("file_too_big", _WHOLE, message, "Send a part of the log: whole questions.")
    return False


def _open_json(file: Opened) -> None:
    document = read_json(file.data, file.name, file.limits)
    file.findings.extend(document.findings)
    for path in repeated_keys(document.value):
        add_repeated_key(file.findings, path_text(path), str(path[-1]))
    if not isinstance(document.value, list):
        file.document = document.value
        return
    for index, member in enumerate(document.value):
        _add_record(file, f"$[{index}]", member)


def _add_record(file: Opened, place: str, member: object) -> None:
    if isinstance(member, dict):
        file.records.append((place, member))
    elif not file.findings.is_full("wrong_root"):
        file.findings.add("wrong_root", place, "this record is no object", "Keep one JSON object per judgement.")
    else:
        file.findings.count("wrong_root")


def _open_lines(file: Opened) -> None:
    if not _is_small_enough(file, LINES_BYTES):
        return
    limits = replace(file.limits, json_bytes=LINE_BYTES)
    read = 0
    for line_number, line in enumerate(io.BytesIO(file.data), start=1):
        if not line.strip():
            continue
        read += 1
        if read > MAX_JUDGEMENTS:
            message = f"the file has more than {MAX_JUDGEMENTS:,} lines; no more are read"
            file.findings.add("file_too_big", f"{file.name}:{line_number}", message, "Send a part of the log.")
            return
        place = f"{file.name}:{line_number}"
        document = read_json(line, file.name, limits)
        for problem in document.findings.problems:
            # A line counts its own lines from 1; what was found stands in the message.
            file.findings.add(problem.code, place, problem.message, problem.hint)
        for path in repeated_keys(document.value):
            add_repeated_key(file.findings, place, str(path[-1]))
        if document.value is not ABSENT:
            _add_record(file, place, document.value)


def add_repeated_key(findings: Findings, place: str, key: str) -> None:
    """Refuses a file in which an object has a key twice: which of its values counts is not said."""
    if findings.is_full("duplicate_key"):
        findings.count("duplicate_key")
    else:
        message = f"the key {quoted(key)} stands twice in one object, so one of its values would be lost"
        findings.add("duplicate_key", place, message, "Keep one of them.")


def _open_csv(file: Opened) -> None:
    if not _is_small_enough(file, file.limits.upload_bytes):
        return
    if kind := binary_kind(file.data):
        file.findings.add("binary", _WHOLE, f"the file is {kind}", "Send the log as its tool wrote it, or a CSV.")
        return
    try:
        text = file.data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"the file is not UTF-8 (byte {error.start:,})"
        file.findings.add("encoding", _WHOLE, message, "Save it as UTF-8.")
        return
    lines = CsvRows(io.StringIO(text, newline=""))
    file.separator = lines.separator
    try:
        header = _named(name.strip() for name in next(lines, []))
        if len(header) > MAX_COLUMNS or len(set(header)) < len(header):
            message = f"the header has {len(header):,} columns, {len(set(header)):,} of them different"
            file.findings.add("wrong_root", f"{file.name}:1", message, "Name every column once, at most 1,000.")
            return
        for cells in lines:
            _add_cells(file, header, cells, lines.line_num)
            if len(file.records) > MAX_JUDGEMENTS:
                message = f"the file has more than {MAX_JUDGEMENTS:,} rows; no more are read"
                file.findings.add("file_too_big", f"{file.name}:{lines.line_num}", message, "Send a part of the log.")
                return
    except csv.Error as error:
        message = f"the line is not CSV: {printable(str(error))}"
        file.findings.add("wrong_root", f"{file.name}:{lines.line_num}", message, "Write it with a CSV library.")


def _named(header: Iterable[str]) -> list[str]:
    """The names of columns but for empty ones at the end, which a spreadsheet keeps of a wider table."""
    names = list(header)
    while names and not names[-1]:
        names.pop()
    return names


def _add_cells(file: Opened, header: list[str], cells: list[str], line: int) -> None:
    if not any(cells):
        return
    if len(cells) > len(header) and not any(cells[len(header) :]):
        cells = cells[: len(header)]
    if len(cells) == len(header):
        file.records.append((f"{file.name}:{line}", dict(zip(header, cells, strict=True))))
    elif file.findings.is_full("missing_field"):
        file.findings.count("missing_field")
    else:
        message = f"the row has {len(cells)} cells; expected {len(header)}, as in the header"
        file.findings.add(
            "missing_field", f"{file.name}:{line}", message, f"Quote cells that hold {SEPARATORS[file.separator]}."
        )


def _open_parquet(file: Opened) -> None:
    import pyarrow
    import pyarrow.parquet

    if not _is_small_enough(file, file.limits.upload_bytes):
        return
    largest: tuple[str, int] | None = None
    try:
        schema = pyarrow.parquet.read_schema(pyarrow.BufferReader(file.data))
        texts = [
            column.name
            for column in schema
            if pyarrow.types.is_string(column.type) or pyarrow.types.is_large_string(column.type)
        ]
        # Texts stay in their dictionaries: a value that a million rows share is expanded a few rows at a time.
        table = pyarrow.parquet.ParquetFile(pyarrow.BufferReader(file.data), read_dictionary=texts)
        if table.metadata.num_rows > MAX_JUDGEMENTS or len(schema) > MAX_COLUMNS:
            message = f"the file has {table.metadata.num_rows:,} rows and {len(schema):,} columns"
            hint = f"Send at most {MAX_JUDGEMENTS:,} rows and {MAX_COLUMNS:,} columns."
            file.findings.add("file_too_big", _WHOLE, message, hint)
            return
        flat = [column.name for column in schema if not pyarrow.types.is_nested(column.type)]
        largest = _largest_column(table.metadata, flat)
        file.records.extend(_parquet_records(file, table.iter_batches(batch_size=_ROWS_AT_ONCE, columns=flat)))
    except MemoryError:
        file.records.clear()
        _add_too_large(file, largest)
    # Any bytes may stand in a Parquet file: its library raises many kinds of exceptions on hostile ones.
    except Exception as error:
        message = f"the Parquet file cannot be read ({printable(str(error)) or type(error).__name__})"
        file.findings.add("binary", _WHOLE, message, "Write and upload it completely.")


def _largest_column(metadata: Any, columns: Sequence[str]) -> tuple[str, int] | None:
    """Of a Parquet file, the column that takes most room unpacked, and how many bytes; None without a row."""
    sizes: Counter[str] = Counter()
    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        for column in map(group.column, range(group.num_columns)):
            sizes[column.path_in_schema] += column.total_uncompressed_size
    return max(((name, sizes[name]) for name in columns if name in sizes), key=lambda column: column[1], default=None)


def _add_too_large(file: Opened, largest: tuple[str, int] | None) -> None:
    """Says which column did not fit into how much memory; the process that reads uploads has a bound on it."""
    most, _ = resource.getrlimit(resource.RLIMIT_DATA)
    room = "memory" if most == resource.RLIM_INFINITY else f"the {most // _MIB:,} MiB of memory that reading may take"
    place, what = _WHOLE, "the file"
    if largest is not None:
        name, size = largest
        place, what = f"$[*].{printable(name)}", f"this column, {size:,} bytes unpacked,"
    file.findings.add(
        "too_large_to_check",
        place,
        f"{what} did not fit into {room}",
        "Shorten its texts, leave it out, or send fewer rows: whole questions. On your own machine PLUMBLINE_CHECK_MB "
        "sets how much memory a site takes.",
    )


def _parquet_records(file: Opened, batches: Iterator[object]) -> Iterator[tuple[str, Record]]:
    read, row = 0, 0
    for batch in batches:
        for record in batch.to_pylist():  # type: ignore[attr-defined]  # pyarrow has no types
            read += sum(len(value) for value in record.values() if isinstance(value, (str, bytes)))
            if read > TEXT_BYTES:
                message = f"its texts expand to more than {TEXT_BYTES:,} characters"
                file.findings.add("file_too_big", f"$[{row}]", message, "Send a part of the log.")
                return
            yield f"$[{row}]", record
            row += 1
