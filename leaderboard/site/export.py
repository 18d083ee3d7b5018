"""Every board as files: CSV, JSON and Parquet, with the manifest of every result. The same store, the same bytes."""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from evaluator.results import VIEWS
from leaderboard.boards.behavior_alignment.cache import BehaviorBoards
from leaderboard.boards.behavior_alignment.rows import BASES
from leaderboard.boards.behavior_alignment.screen import BehaviorScreen
from leaderboard.boards.editions.cache import EditionBoards
from leaderboard.boards.editions.screen import EditionsScreen
from leaderboard.boards.personalization.cache import PersonalizationBoards
from leaderboard.boards.personalization.screen import PersonalizationScreen
from leaderboard.boards.personalized_evaluation.cache import ALL_K, EvaluatorsBoards
from leaderboard.boards.personalized_evaluation.screen import EvaluatorsScreen
from leaderboard.boards.position_bias.cache import JudgeBoards
from leaderboard.boards.position_bias.screen import JudgesScreen
from leaderboard.boards.robustness.cache import Boards
from leaderboard.boards.robustness.screen import RobustnessScreen
from leaderboard.page.board_table import BoardTable
from leaderboard.page.human_check_files import human_check_files
from leaderboard.page.judge_quality import JudgeQualities
from leaderboard.page.links import PageState
from leaderboard.page.services import Services
from leaderboard.parts.columns import Column
from leaderboard.parts.downloads import flat_records
from leaderboard.parts.manifests import result_manifest
from leaderboard.parts.tables import Row
from submissions.formats.personalization.submission import SETTINGS

INDEX = "index.json"


@dataclass(frozen=True, slots=True)
class _Export:
    """A board in one of its choices."""

    table: BoardTable[Any]
    state: PageState

    @property
    def about(self) -> dict[str, str]:
        return {"board": self.table.board, **self.table.about(self.state)}


def export_boards(services: Services, folder: Path) -> list[str]:
    """Writes every board that has rows, the manifest of every result and the votes on judges' verdicts.

    Rows are in the order a board has at first, numbers unrounded, times those of the record: nothing depends on when
    or where the export is made. Returns the paths below the folder.
    """
    files: dict[str, bytes] = {}
    index: list[dict[str, Any]] = []
    for export in _exports(services):
        rows = export.table.rows(export.state)
        if not rows:
            continue
        name = "/".join(_file_name(text) for text in export.about.values())
        written = {
            f"boards/{name}.csv": export.table.csv(export.state).encode(),
            f"boards/{name}.json": export.table.json(export.state).encode(),
            f"boards/{name}.parquet": parquet_bytes(rows, export.table.shown_columns(export.state)),
        }
        digests = {path: hashlib.sha256(data).hexdigest() for path, data in written.items()}
        index.append({**export.about, "rows": len(rows), "sha256": digests})
        files |= written
    for ticket, result in sorted(services.store.results(), key=lambda found: found[0].id):
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


def _exports(services: Services) -> Iterator[_Export]:
    store = services.store
    boards, qualities = Boards(store), JudgeQualities(store)
    judge_boards, personalization = JudgeBoards(store, boards), PersonalizationBoards(store)
    robustness = RobustnessScreen(services, boards, judge_boards, qualities).board
    for set_id, view in product(services.sets(), VIEWS):
        yield _Export(robustness, PageState(set=set_id, view=view))
    for edition, table in EditionsScreen(services, EditionBoards(store)).tables.items():
        yield _Export(table, PageState(tab=edition))
    judges = JudgesScreen(judge_boards, qualities)
    for benchmark in judges.benchmark_ids():
        yield _Export(judges.board, PageState(tab="judges", benchmark=benchmark))
    answers = PersonalizationScreen(services, personalization, judge_boards, qualities)
    for dataset, setting in product(answers.dataset_ids(), SETTINGS):
        yield _Export(answers.board, PageState(tab="personalization", dataset=dataset, setting=setting))
    evaluators = EvaluatorsScreen(services, EvaluatorsBoards(store), judge_boards, qualities)
    for kind, board in evaluators.tables.items():
        for collection in evaluators.collections(kind):
            yield _Export(board, PageState(tab=kind, collection=collection.id, k=ALL_K))
    yield from _behavior_exports(services)


def _behavior_exports(services: Services) -> Iterator[_Export]:
    boards = BehaviorBoards(services.store, services.settings.collection_names)
    recommenders = BehaviorScreen(services, boards).board
    collections = [one.id for one in boards.collections()] or [""]
    for collection, basis in product(collections, BASES):
        yield _Export(recommenders, PageState(tab="behavior", conversations=collection, basis=basis))


def _file_name(text: str) -> str:
    """A name that is safe as a file's, and another one for every text.

    >>> _file_name("eloquent-2024"), _file_name("a/b")
    ('eloquent-2024', 'a-b-c14cddc0')
    """
    safe = re.sub(r"[^A-Za-z0-9._-]+", "-", text)
    is_safe = safe == text and not text.startswith(".") and 0 < len(text) <= 80
    return safe if is_safe else f"{safe[:80]}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def _json(body: dict[str, Any]) -> bytes:
    return (json.dumps(body, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()
