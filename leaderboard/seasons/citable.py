"""A frozen board as a thing to cite: the kept bytes with CITATION.cff, Croissant and Zenodo metadata, as a zip.

All of it is made from the frozen copy alone, so that the zip of a season is the same for ever.
Sources: Citation File Format 1.2.0; Croissant 1.0 (https://docs.mlcommons.org/croissant/docs/croissant-spec.html);
Zenodo, deposition metadata (https://developers.zenodo.org/#deposit-metadata).
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from leaderboard.parts.downloads import Scalar, file_name, neutralised, zipped

ORGANISERS = "Organisers of the season"

Frozen = Mapping[str, Any]
"""The frozen copy, read (`freezing.frozen_copy`)."""


@lru_cache(maxsize=2)
def citable_zip(copy: bytes) -> bytes:
    """Return the archive of a frozen season; equal copies give equal bytes.

    Args:
        copy: The bytes that were kept.
    """
    return zipped(citable_files(copy))


def citable_files(copy: bytes) -> dict[str, bytes]:
    """Return path -> bytes: the copy itself, its boards as CSV, and what says how to cite them.

    Args:
        copy: The bytes that were kept.
    """
    frozen: Frozen = json.loads(copy)
    sha256 = hashlib.sha256(copy).hexdigest()
    name = frozen["season"]["name"]
    tables = {f"boards/{_board_name(board)}.csv": _table(board) for board in frozen["boards"]}
    files = {f"{name}.json": copy} | {path: table for path, (table, _) in tables.items()}
    columns = {path: kinds for path, (_, kinds) in tables.items()}
    files |= {
        "CITATION.cff": _citation(frozen, sha256).encode(),
        "croissant.json": _json(_croissant(frozen, sha256, files, columns)),
        "metadata.json": _json(_zenodo(frozen, sha256)),
    }
    sums = "".join(f"{hashlib.sha256(data).hexdigest()}  {path}\n" for path, data in sorted(files.items()))
    return dict(sorted({**files, "SHA256SUMS": sums.encode()}.items()))


# --- tables ----------------------------------------------------------------------------------------------------------


def _table(board: Mapping[str, Any]) -> tuple[bytes, dict[str, str]]:
    """Return a board as CSV, and its columns with their Croissant types."""
    rows = [dict(_flat(row)) for row in board["rows"]]
    header = list(dict.fromkeys(key for row in rows for key in row))
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([neutralised(row.get(key)) for key in header] for row in rows)
    return buffer.getvalue().encode(), {key: _kind([row.get(key) for row in rows]) for key in header}


def _flat(row: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Scalar]]:
    """Yield the cells of a row; those of a figure are named after its column."""
    for key, value in row.items():
        if isinstance(value, dict):
            inner = {name: part for name, part in value.items() if name != "value"}
            if "value" in value:
                yield f"{prefix}{key}", value["value"]
            yield from _flat(inner, f"{prefix}{key}_")
        elif isinstance(value, list):
            yield f"{prefix}{key}", json.dumps(value, ensure_ascii=False)
        else:
            yield f"{prefix}{key}", value


def _kind(values: Sequence[Scalar]) -> str:
    known = [value for value in values if value is not None]
    if known and all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in known):
        return "sc:Float"
    return "sc:Text"


def _board_name(board: Mapping[str, Any]) -> str:
    link = str(board["link"]).removeprefix("?") or "first"
    return file_name(f"{board['board']}-{link}")


# --- descriptions ----------------------------------------------------------------------------------------------------


def _title(frozen: Frozen) -> str:
    return f"{frozen['season']['title']}: frozen board"


def _about(frozen: Frozen, sha256: str) -> str:
    season = frozen["season"]
    return (
        f"Boards of the season {season['name']} of Plumbline, frozen at {frozen['frozen_at']}: every row with every "
        f"figure, and the manifest of every result. Files were taken from {season['opens']} to {season['closes']}. "
        f"SHA-256 of {season['name']}.json: {sha256}."
    )


def _citation(frozen: Frozen, sha256: str) -> str:
    """Return CITATION.cff; every text is written as JSON writes it, which YAML reads as it is."""
    lines = [
        "cff-version: 1.2.0",
        "message: If you use this board, please cite it as below.",
        "type: dataset",
        f"title: {_quoted(_title(frozen))}",
        "authors:",
        f"  - name: {_quoted(ORGANISERS)}",
        f"version: {_quoted(sha256[:12])}",
        f"date-released: {_quoted(_day(frozen))}",
        f"abstract: {_quoted(_about(frozen, sha256))}",
        "identifiers:",
        "  - type: other",
        f"    value: {_quoted(f'sha256:{sha256}')}",
        "    description: Checksum of the frozen copy",
        "keywords:",
        *(f"  - {keyword}" for keyword in _KEYWORDS),
    ]
    return "\n".join([*lines, ""])


_KEYWORDS = ("leaderboard", "evaluation", "language models", "robustness")


def _zenodo(frozen: Frozen, sha256: str) -> dict[str, Any]:
    """Return what Zenodo's deposit API takes as it is; add creators, licence and grants before you publish."""
    return {
        "metadata": {
            "upload_type": "dataset",
            "title": _title(frozen),
            "creators": [{"name": ORGANISERS}],
            "description": _escaped(_about(frozen, sha256)),
            "publication_date": _day(frozen),
            "version": sha256[:12],
            "keywords": list(_KEYWORDS),
            "access_right": "open",
            "notes": f"Made by Plumbline {frozen['code_version']}.",
        }
    }


def _croissant(
    frozen: Frozen, sha256: str, files: Mapping[str, bytes], columns: Mapping[str, Mapping[str, str]]
) -> dict[str, Any]:
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": f"plumbline-{frozen['season']['name']}",
        "description": _about(frozen, sha256),
        "version": "1.0.0",
        "datePublished": _day(frozen),
        "creator": {"@type": "sc:Organization", "name": ORGANISERS},
        "keywords": list(_KEYWORDS),
        "citeAs": f"{_title(frozen)}. Plumbline, {_day(frozen)}. SHA-256 {sha256}.",
        "distribution": [_distributed(path, data) for path, data in files.items()],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": f"records/{path}",
                "name": f"records/{path}",
                "field": [_field(path, name, kind) for name, kind in kinds.items()],
            }
            for path, kinds in columns.items()
            if kinds
        ],
    }


def _distributed(path: str, data: bytes) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": path,
        "name": path,
        "contentUrl": path,
        "contentSize": f"{len(data)} B",
        "encodingFormat": "text/csv" if path.endswith(".csv") else "application/json",
        "sha256": hashlib.sha256(data).hexdigest(),
    }


def _field(path: str, name: str, kind: str) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"records/{path}/{name}",
        "name": f"records/{path}/{name}",
        "dataType": kind,
        "source": {"fileObject": {"@id": path}, "extract": {"column": name}},
    }


_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
"""Of Croissant 1.0, as its validator writes it."""


def _day(frozen: Frozen) -> str:
    return str(frozen["frozen_at"])[:10]


def _quoted(text: str) -> str:
    return json.dumps(text)


def _escaped(text: str) -> str:
    """Return a text for a field that is shown as HTML."""
    from html import escape

    return escape(text)


def _json(body: Mapping[str, Any]) -> bytes:
    return (json.dumps(body, ensure_ascii=False, indent=1) + "\n").encode()
