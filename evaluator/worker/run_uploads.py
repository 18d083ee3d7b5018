"""The files of a run of several, as they are scored together."""

from __future__ import annotations

from evaluator.evaluate import RunUpload
from submissions.promptsets import SETS_OF_2025
from submissions.store.store import Store


def run_uploads(store: Store, ticket_id: str, set_id: str) -> list[RunUpload]:
    """All files of the run a submission belongs to, the oldest first; [] where a run is one file (not 2025)."""
    if set_id not in SETS_OF_2025:
        return []
    return [
        RunUpload(store.payload(file.file_sha256), file.file_name, file.names) for file in store.run_files(ticket_id)
    ]
