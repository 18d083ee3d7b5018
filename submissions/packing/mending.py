"""Search of a refused file for answers that `pack` would make a submission of."""

from __future__ import annotations

import shlex
from contextlib import suppress

from submissions.findings import Findings
from submissions.packing.shapes import shape_of
from submissions.packing.sources import CannotPack, Gathering, PackLimits
from submissions.schema import Names

_MENDABLE = frozenset(
    {
        "binary",
        "duplicate_id",
        "file_missing",
        "id_missing",
        "items_missing",
        "json_multiple_documents",
        "metadata_missing",
        "not_jsonl",
        "not_zip",
        "response_key",
        "response_type",
        "wrong_root",
        "zip_duplicate_entry",
        "zip_too_many",
    }
)
"""Errors that may be of the form alone."""

_MIB = 1024 * 1024
_LOOKED_AT = PackLimits(files=2_000, read_bytes=16 * _MIB, file_bytes=8 * _MIB)
"""A look is enough, and every answer it reads costs memory of the check."""


def report_mendable(data: bytes, name: str, names: Names, findings: Findings) -> None:
    """Adds the note `pack_would_mend`, with the command, where a refused file holds answers of 2026.

    Args:
        data: The file.
        name: Its base name.
        names: As far as they are known: the command asks for the others.
        findings: Of the file.
    """
    if not (findings.has_error and any(map(findings.has, _MENDABLE))):
        return
    gathering = Gathering(_LOOKED_AT)
    with suppress(CannotPack):  # where there is more than is looked at, what was met until then tells as much
        gathering.add(name, (), data)
    for source in gathering.sources:
        shape = shape_of(source)
        if not shape.faults and (answers := sum(map(len, shape.rows.values()))):
            wanted = [f"--{field} {field.upper()}" for field in ("team", "system") if getattr(names, field) is None]
            findings.add(
                "pack_would_mend",
                "$",
                f"pack would mend this: it reads the answers of 2026 in it, like the {answers:,} in {source.name}",
                " ".join(["python -m submissions pack", shlex.quote(name), *wanted]),
            )
            return
