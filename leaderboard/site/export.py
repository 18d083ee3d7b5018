"""Every board as files: CSV, JSON and Parquet, with the manifest of every result. The same store, the same bytes."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from leaderboard.boards import registry
from leaderboard.page.board_table import BoardTable
from leaderboard.page.human_check_files import human_check_files
from leaderboard.page.registered import BoardTools
from leaderboard.page.services import Services
from leaderboard.page.state import PageState
from leaderboard.parts.columns import Column
from leaderboard.parts.downloads import file_name, flat_records
from leaderboard.parts.manifests import result_manifest
from leaderboard.parts.tables import Row

INDEX = "index.json"


@dataclass(frozen=True, slots=True)
class Export:
    """A board in one of its choices, with every column."""

    table: BoardTable[Any, Any]
    state: PageState

    @property
    def about(self) -> dict[str, str]:
        """Which board it is, and which choice of it."""
        return {"board": self.table.board, **self.table.about(self.state)}


def export_boards(services: Services, folder: Path) -> list[str]:
    """Writes every board that has rows, the manifest of every result and the votes on judges' verdicts.

    Rows are in the order a board has at first, numbers unrounded, times those of the record: nothing depends on when
    or where the export is made. Returns the paths below the folder.
    """
    files: dict[str, bytes] = {}
    index: list[dict[str, Any]] = []
    for export in board_exports(BoardTools(services)):
        rows = export.table.rows(export.state)
        if not rows:
            continue
        name = "/".join(file_name(text) for text in export.about.values())
        written = {
            f"boards/{name}.csv": export.table.csv(export.state).encode(),
            f"boards/{name}.json": export.table.json(export.state).encode(),
            f"boards/{name}.parquet": parquet_bytes(rows, export.table.file_columns(export.state)),
        }
        digests = {path: hashlib.sha256(data).hexdigest() for path, data in written.items()}
        index.append({**export.about, "rows": len(rows), "sha256": digests})
        files |= written
    for ticket, result in sorted(services.store.results(), key=lambda run: run[0].id):
        if ticket.is_on_boards:
            files[f"manifests/{ticket.id}.json"] = _json(result_manifest(ticket, result))
    files |= human_check_files(services.store.verdict_votes())
    files[INDEX] = _json({"boards": index, "manifests": sum(path.startswith("manifests/") for path in files)})
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return sorted(files)


def parquet_bytes(rows: Sequence[Row], columns: Sequence[Column[Row]]) -> bytes:
    """The rows as Parquet: the columns of the CSV, each with the type of its values."""
    # Here: the library takes half a second and 60 MB, which no page needs.
    import pyarrow
    import pyarrow.parquet

    header, records = flat_records(rows, columns)
    table = pyarrow.table({key: _column([record.get(key) for record in records]) for key in header})
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()


def _column(values: list[Any]) -> list[Any]:
    """Values of one type: a whole number among decimals is a decimal, a number among texts is a text."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {int, float}:
        return [None if value is None else float(value) for value in values]
    return values if len(kinds) < 2 else [None if value is None else str(value) for value in values]


def board_exports(tools: BoardTools) -> Iterator[Export]:
    """Every board in every choice of it that is exported."""
    for board in tools.open(registry.BOARDS).values():
        for state in board.exports():
            every_column = replace(state.table, columns=())
            yield Export(board.table, replace(state, table=every_column))


def _json(body: dict[str, Any]) -> bytes:
    return (json.dumps(body, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()
