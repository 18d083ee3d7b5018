"""Whether a file that is refused holds answers that `pack` would make a submission of."""

from __future__ import annotations

import shlex
from contextlib import suppress

from submissions.findings import Findings
from submissions.formats.file_kind import Upload
from submissions.packing.plan import planned
from submissions.packing.runs import PlannedRun
from submissions.packing.shapes import may_hold_answers
from submissions.packing.sources import CannotPack, Gathering, PackLimits
from submissions.packing.writing import answers_in_words
from submissions.schema import Names

_MENDABLE = frozenset(
    {
        "binary",
        "duplicate_id",
        "file_missing",
        "id_missing",
        "is_test_set",
        "items_missing",
        "json_multiple_documents",
        "label_missing",
        "language_code",
        "metadata_missing",
        "not_jsonl",
        "not_zip",
        "response_count",
        "response_key",
        "response_type",
        "results_not_object",
        "turns_missing",
        "wrong_root",
        "zip_duplicate_entry",
        "zip_too_many",
    }
)
"""Errors that may be of the form alone."""

_MIB = 1024 * 1024
_LOOKED_AT = PackLimits(files=2_000, read_bytes=16 * _MIB, file_bytes=8 * _MIB)
"""A look is enough, and every answer it reads costs memory of the check."""


def report_mendable(data: bytes, name: str, upload: Upload, findings: Findings) -> None:
    """Adds the note `pack_would_mend`, with the command, where a refused file holds answers that pack can use.

    Args:
        data: The file.
        name: Its base name.
        upload: What came with it; the command asks for the names that are not known.
        findings: Of the file.
    """
    if not (findings.has_error and any(map(findings.has, _MENDABLE))):
        return
    prompt_sets = upload.prompt_sets
    gathering = Gathering(_LOOKED_AT)
    with suppress(CannotPack):  # where there is more than is looked at, what was met until then tells as much
        gathering.add(name, (), data)
    for source in gathering.sources:
        if not may_hold_answers(source.data):
            continue  # reading it costs the memory of the check once more
        plan = planned([source], prompt_sets=prompt_sets)
        option = next((file.option for file in plan.aside if file.option), "")
        run = next((run for run in plan.runs if not run.faults and _is_answered(run)), None)
        if (run is None and not option) or (run is not None and upload.edition not in ("auto", run.edition)):
            continue
        known = run.names if run else Names()
        wanted = [
            f"--{field} {field.upper()}"
            for field in ("team", "system")
            if getattr(upload.names, field) is None and getattr(known, field) is None
        ]
        like = (
            f"like the {answers_in_words(run, prompt_sets)} in {source.name}" if run else "once it knows their language"
        )
        of = f" of {run.edition}" if run else ""
        findings.add(
            "pack_would_mend",
            "$",
            f"We can convert this file: pack reads the answers{of} in it, {like}",
            " ".join(["python -m submissions pack", shlex.quote(name), *wanted, *([option] if option else [])]),
        )
        return


def _is_answered(run: PlannedRun) -> bool:
    return any(answer.strip() for rows in run.rows.values() for row in rows.values() for answer in row.answers)
