"""The first sheet of an Excel file whose cells are plain texts and numbers."""

from __future__ import annotations

import io
import re
import zipfile
from xml.etree import ElementTree

SPACE = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def rows_of(data: bytes) -> list[dict[str, str]]:
    """A row as column title -> text, in the order of the titles; "" for an empty cell."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        sheet = ElementTree.fromstring(archive.read("xl/worksheets/sheet1.xml"))
    lines = [{_column(cell): _text(cell) for cell in row} for row in sheet.iter(f"{SPACE}row")]
    titles, *rows = lines
    return [{title: row.get(column, "") for column, title in titles.items()} for row in rows]


def _column(cell: ElementTree.Element) -> str:
    """The letters of a cell's place: AB of AB12."""
    return re.sub(r"\d", "", cell.attrib["r"])


def _text(cell: ElementTree.Element) -> str:
    value = cell.findtext(f"{SPACE}v")
    return "".join(part.text or "" for part in cell.iter(f"{SPACE}t")) if value is None else value
