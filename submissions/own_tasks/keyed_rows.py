"""Rows of which each says something of one item, by its key: predictions and references, as JSON Lines or CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterator
from typing import BinaryIO, NamedTuple

from submissions.findings import Findings
from submissions.own_tasks.task import Format
from submissions.reading.csv_cells import CsvRows, separator_note
from submissions.reading.json_lines import JsonLines
from submissions.reading.limits import Limits
from submissions.reading.places import Places, RowFaults
from submissions.reading.quoting import described, keys_shown, quoted
from submissions.reading.strict_json import ABSENT, decoded_text

MOST_ROWS = 60_000
MOST_KEY = 200
"""Characters of a key."""


class NumberedRow(NamedTuple):
    """One row with its line."""

    number: int
    value: object


def json_lines_rows(stream: BinaryIO, name: str, limits: Limits, findings: Findings) -> Iterator[NumberedRow]:
    """The lines of a file of JSON Lines that can be read; the findings take the faults of the others at its end."""
    lines = JsonLines(stream, name, limits, lambda value: False)
    for line in lines:
        if line.value is not ABSENT:
            yield NumberedRow(line.number, line.value)
    findings.extend(lines.findings)


def csv_rows(data: bytes, name: str, columns: Collection[str], findings: Findings) -> Iterator[NumberedRow]:
    """The rows of a CSV as objects.

    Args:
        data: The file.
        name: Its base name, for places.
        columns: Without these nothing is read.
        findings: Takes every fault.
    """
    if decoded_text(data, name, findings) is None:
        return
    lines = CsvRows(io.TextIOWrapper(io.BytesIO(data), "utf-8-sig", newline=""))
    if separated := separator_note(lines.separator):
        findings.add("csv_separator", "$", separated, "Nothing to do: the file is read so.")
    header: list[str] = []
    try:
        header = [cell.strip() for cell in next(lines, [])]
        if lacking := [column for column in columns if column not in header]:
            message = f"the header has {keys_shown(header) or 'no column'}; it lacks {keys_shown(lacking)}"
            findings.add("missing_column", f"{name}:1", message, "Write every column into the first line.")
            return
        for row in lines:
            if len(row) != len(header):
                message = f"the row has {len(row)} cells; accepted: {len(header)}, as the header"
                findings.add("row_shape", f"{name}:{lines.first_line}", message, "Write it with a CSV library.")
            else:
                yield NumberedRow(lines.first_line, dict(zip(header, row, strict=True)))
    except csv.Error as error:
        message = f"the row cannot be read as CSV: {error}"
        findings.add("row_shape", f"{name}:{lines.line_num}", message, "Write it with a CSV library.")


def rows_of(
    data: bytes, name: str, form: Format, columns: Collection[str], limits: Limits, findings: Findings
) -> Iterator[NumberedRow]:
    """The rows of a whole file in one of the two formats."""
    if form == "csv":
        return csv_rows(data, name, columns, findings)
    return json_lines_rows(io.BytesIO(data), name, limits, findings)


def keyed_values(
    rows: Iterator[NumberedRow],
    places: Places,
    *,
    key: str,
    field: str,
    others: Collection[str] = (),
    items: Collection[str] | None,
    findings: Findings,
) -> dict[str, object]:
    """What the rows say of each item.

    Args:
        rows: In the order of the file.
        places: How its places are written.
        key: The field that names the item.
        field: The field that is asked for.
        others: Further fields that are known.
        items: Those there are; None = any.
        findings: Takes row_shape, missing_field, unknown_id, duplicate_row, unknown_field, file_too_big and what can
            be wrong with values.
    """
    values: dict[str, object] = {}
    faults = RowFaults(places, findings)
    for counted, (number, row) in enumerate(rows):
        if counted == MOST_ROWS:
            message = f"there are more than {MOST_ROWS:,} rows; those from here on were not read"
            findings.add("file_too_big", places.row(number), message, "Send one row for each item.")
            break
        if not isinstance(row, dict):
            hint = f"Write an object with {quoted(key)} and {quoted(field)}."
            faults.add("row_shape", number, None, (), f"{described(row)}; accepted: an object", hint)
            continue
        item = _item(row.get(key, ABSENT))
        if item is None:
            what = "missing" if key not in row else described(row[key])
            accepted = f"a text of at most {MOST_KEY} characters that is not blank, or a whole number"
            hint = f"Say with {quoted(key)} which item the row is of."
            faults.add("missing_field", number, None, (key,), f"{what}; accepted: {accepted}", hint)
            continue
        if items is not None and item not in items:
            faults.add("unknown_id", number, item, (key,), "the task has no such item", "The template has every key.")
        if item in values:
            faults.add("duplicate_row", number, item, (), "the item has a row already", "Keep one row of each item.")
        if field not in row:
            hint = "Write what is answered; an empty text is an answer."
            faults.add("missing_field", number, item, (field,), "missing; accepted: any value", hint)
        faults.add_values(number, item, row)
        for name in row.keys() - {key, field, *others}:
            message = f"the field {quoted(name)} is not one of this format; it is not used"
            findings.add("unknown_field", places.row(number), message, f"Known are {key} and {field}.")
        values[item] = row.get(field)
    return values


def _item(value: object) -> str | None:
    """The key of an item as text; None for what is none."""
    if type(value) is int:
        value = str(value)
    is_key = isinstance(value, str) and 0 < len(value) <= MOST_KEY and value.strip() and value.isprintable()
    return value if is_key and isinstance(value, str) else None
