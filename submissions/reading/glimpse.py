"""A look at a file of any kind: what container it is, and the keys that its first record has.

It reads a bounded part, takes damaged and cut-off files, and never raises on content: enough to tell what a file is,
not to read it.
"""

from __future__ import annotations

import csv
import io
import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import BinaryIO, Literal

from submissions.reading.csv_cells import without_stated
from submissions.reading.strict_json import binary_kind, is_zip, wide_encoding

Shape = Literal["empty", "json", "json_lines", "csv", "parquet", "zip", "text", "binary"]

HEAD_BYTES = 8 * 1024 * 1024
"""So much of a text is looked at: keys that stand behind it are not seen."""
TAIL_BYTES = 64 * 1024
"""So much of the end of a zip, whose list of entries stands there."""
MOST_KEYS = 2_000
MOST_TOKENS = 1_000_000
"""Brackets and texts of JSON that are looked at."""
_START_BYTES = 1024 * 1024
_TOKENS = re.compile(r'("(?:[^"\\]++|\\.)*+"?)\s*+(:?)|[\[\]{}]', re.DOTALL)
"""A text with the colon behind it, or a bracket."""
_OBJECT_LINE = re.compile(rb"\s*\{[^\r\n]*\}[ \t]*\r?\n\s*\{")
_JSON_LINES_NAMES = (".jsonl", ".ndjson")
_GZIP_START = b"\x1f\x8b"
_PARQUET_START = b"PAR1"


@dataclass(frozen=True, slots=True)
class Glimpse:
    """What a look at a file shows."""

    name: str
    shape: Shape
    keys: tuple[str, ...] = ()
    """Of the first record, of the one document, or of the header of a table, in order."""
    head: bytes = b""
    """The beginning of the text; of a zip its end."""
    is_list: bool = False
    """Whether `keys` are those of a record among others, not of one document."""
    separator: str = ","
    """Between the cells of a table."""
    what: str = ""
    """Of a binary: `a PDF`."""

    def has(self, *keys: str) -> bool:
        """Whether the first record has all of these keys."""
        return set(keys) <= set(self.keys)


def glimpse_of(stream: BinaryIO, name: str, most: int = HEAD_BYTES) -> Glimpse:
    """What a file shows; the stream stands at its start afterwards.

    Args:
        stream: The file, at its start.
        name: Its base name: the end of it tells JSON Lines and CSV apart from other texts.
        most: Bytes that are looked at.
    """
    head = stream.read(most)
    try:
        if is_zip(head):
            return Glimpse(name, "zip", head=_end_of(stream))
        if head.startswith(_PARQUET_START):
            return Glimpse(name, "parquet", _parquet_columns(stream), is_list=True)
    finally:
        stream.seek(0)
    inner, text_name = head, name
    if head.startswith(_GZIP_START):
        inner, text_name = _unpacked(head), name.removesuffix(".gz")
        if not inner.strip():
            return Glimpse(name, "binary", head=head, what="a gzip archive")
    if what := binary_kind(inner) or (b"\x00" in inner[:_START_BYTES] and not wide_encoding(inner) and "a binary file"):
        return Glimpse(name, "binary", head=head, what=what)
    return _of_text(inner, text_name)


def _of_text(head: bytes, name: str) -> Glimpse:
    if wide := wide_encoding(head):
        head = head.decode(wide, "replace").encode()
    body = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if not body:
        return Glimpse(name, "empty")
    start = body[:_START_BYTES]
    if start[:1] == b"{" and (name.lower().endswith(_JSON_LINES_NAMES) or _OBJECT_LINE.match(start)):
        line = body.split(b"\n", 1)[0]
        return Glimpse(name, "json_lines", tuple(_first_keys(_text(line))), head, is_list=True)
    if start[:1] in (b"{", b"["):
        text = _text(body)
        return Glimpse(name, "json", tuple(_first_keys(text)), head, is_list=text.startswith("["))
    return _of_table(body, name, head)


def _of_table(body: bytes, name: str, head: bytes) -> Glimpse:
    """A text whose first lines have several cells is a table; `sep=;` before them, as Excel writes it, is none."""
    separator, rest, _ = without_stated(_text(body[:_START_BYTES]).splitlines())
    lines = list(islice((line for line in rest if line.strip()), 2)) or [""]
    is_named = name.lower().endswith((".csv", ".tsv"))
    if not is_named and not all(len(_cells(line, separator)) > 1 for line in lines):
        return Glimpse(name, "text", head=head)
    keys = tuple(cell.strip() for cell in _cells(lines[0], separator)[:MOST_KEYS])
    return Glimpse(name, "csv", keys, head, is_list=True, separator=separator)


def _cells(line: str, separator: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=separator), [])
    except csv.Error:
        return line.split(separator)


def _first_keys(text: str) -> Iterator[str]:
    """The keys of the document, or of the first object of a list; of a damaged text those before the damage."""
    depth, wanted, count = 0, (2 if text.startswith("[") else 1), 0
    for match in islice(_TOKENS.finditer(text), MOST_TOKENS):
        if match.lastindex is not None:
            if depth == wanted and match[2] and (key := _key(match[1])):
                yield key
                count += 1
                if count == MOST_KEYS:
                    return
        elif match[0] in "[{":
            depth += 1
        else:
            depth -= 1
            if depth < wanted:
                return


def _key(token: str) -> str:
    try:
        return str(json.loads(token))
    except ValueError:
        return ""


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _unpacked(head: bytes) -> bytes:
    """The beginning of what a gzip file holds; nothing where it is damaged."""
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(head, _START_BYTES)
    except zlib.error:
        return b""


def _end_of(stream: BinaryIO) -> bytes:
    size = stream.seek(0, io.SEEK_END)
    stream.seek(max(0, size - TAIL_BYTES))
    return stream.read(TAIL_BYTES)


def _parquet_columns(stream: BinaryIO) -> tuple[str, ...]:
    import pyarrow.parquet

    stream.seek(0)
    # Any bytes may stand in a Parquet file: its library raises many kinds of exceptions on hostile ones.
    try:
        names = pyarrow.parquet.read_schema(stream).names
    except Exception:
        return ()
    return tuple(names[:MOST_KEYS])
