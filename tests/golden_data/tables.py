"""How tables are written."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Iterable, Sequence

Contents = dict[str, bytes]
"""Name of a table -> its bytes, those of `.gz` packed."""


def as_csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """A table with a header, lines ended by \\n."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue().encode()


def packed(content: bytes) -> bytes:
    """The same as gzip, without the time."""
    return gzip.compress(content, mtime=0)
