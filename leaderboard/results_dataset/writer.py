"""Writes the dataset: a folder that `datasets.load_dataset` and the viewer of the Hub read as it is."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from leaderboard.boards import registry
from leaderboard.eval_results.tasks import EVAL_YAML, benchmark_tasks, eval_yaml
from leaderboard.page.registered import BoardTools
from leaderboard.page.services import Services
from leaderboard.results_dataset.card import TITLE, dataset_card
from leaderboard.results_dataset.tables import (
    ANSWERS,
    BOARDS,
    ITEMS,
    MANIFESTS,
    TABLES,
    VERDICTS,
    PlainRow,
    TableOf,
    answer_lines,
    board_lines,
    item_lines,
    manifest_line,
    run_of,
    verdict_lines,
)
from submissions.store.database import StoreError
from submissions.store.queue import Ticket

BATCH_ROWS = 50_000
"""Rows that are held at a time, and that a row group has: about 20 MB."""


def write_dataset(
    services: Services, folder: Path, *, with_answers: bool = False, without: Collection[str] = ()
) -> dict[str, int]:
    """Writes every table that has rows, the card, and `eval.yaml` once somebody is ranked.

    Equal results give equal bytes, whenever and wherever.

    Only what stands on the boards is in it: withdrawn and hidden submissions are left out, and so are the answers of
    teams that keep theirs (`Store.answers_kept`).

    Args:
        folder: Made where it does not exist; files of the same names are replaced.
        with_answers: Whether the answers go along.
        without: Teams whose answers are left out all the same.

    Returns:
        Table -> number of rows.
    """
    tools = BoardTools(services)
    tools.open(registry.BOARDS)
    tickets = sorted((ticket for ticket in tools.tickets() if ticket.is_on_boards), key=lambda ticket: ticket.id)
    tables = {
        BOARDS: _boards(tools),
        ITEMS: (line for ticket, text in _results(services, tickets) for line in _items(ticket, text)),
        VERDICTS: (line for ticket, text in _results(services, tickets) for line in _verdicts(ticket, text)),
        MANIFESTS: (manifest_line(ticket, text) for ticket, text in _results(services, tickets)),
    }
    if with_answers:
        keeping = services.store.answers_kept()
        shown = [ticket for ticket in tickets if ticket.names.team not in without and ticket.id not in keeping]
        tables[ANSWERS] = (
            line for ticket, text in _results(services, shown) for line in _answers(services, ticket, text)
        )
    counts, digests = {}, {}
    for table, lines in tables.items():
        path = folder / file_of(table)
        path.parent.mkdir(parents=True, exist_ok=True)
        counts[table.name] = write_parquet(path, table, lines)
        digests[table.name] = hashlib.sha256(path.read_bytes()).hexdigest()
    for table in (*TABLES, ANSWERS):
        if not counts.get(table.name):  # `datasets` refuses a table without rows; or one of an earlier export
            (folder / file_of(table)).unlink(missing_ok=True)
    filled = [table for table in tables if counts[table.name]]
    (folder / "README.md").write_text(dataset_card(filled, counts, digests), encoding="utf-8")
    _write_benchmark(tools, folder / EVAL_YAML)
    return counts


def _write_benchmark(tools: BoardTools, path: Path) -> None:
    """The file that makes the repository a benchmark of the Hub; none while nobody is ranked."""
    ranking = benchmark_tasks(tools)
    if ranking:
        path.write_text(eval_yaml(TITLE, BOARDS.name, ranking), encoding="utf-8")
    else:
        path.unlink(missing_ok=True)


def file_of(table: TableOf) -> str:
    """Where a table lies below the folder."""
    return f"{table.name}/{table.name}.parquet"


def write_parquet(path: Path, table: TableOf, lines: Iterable[PlainRow]) -> int:
    """Writes the lines, some at a time, and gives their number."""
    # Here: the library takes half a second and 60 MB, which no page needs.
    import pyarrow
    import pyarrow.parquet

    kinds = {
        "string": pyarrow.string(),
        "int64": pyarrow.int64(),
        "float64": pyarrow.float64(),
        "bool": pyarrow.bool_(),
    }
    schema = pyarrow.schema([(name, kinds[kind]) for name, (kind, _) in table.columns.items()])
    count = 0
    with pyarrow.parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for batch in _batches(lines):
            writer.write_table(pyarrow.Table.from_pylist(batch, schema=schema))
            count += len(batch)
    return count


def _batches(lines: Iterable[PlainRow]) -> Iterator[list[PlainRow]]:
    batch: list[PlainRow] = []
    for line in lines:
        batch.append(line)
        if len(batch) == BATCH_ROWS:
            yield batch
            batch = []
    if batch:
        yield batch


def _boards(tools: BoardTools) -> Iterator[PlainRow]:
    for board in tools.opened.values():
        for state in board.exports():
            yield from board_lines(board.table, state)


def _results(services: Services, tickets: Iterable[Ticket]) -> Iterator[tuple[Ticket, str]]:
    """One result at a time; those withdrawn meanwhile are left out."""
    for ticket in tickets:
        text = services.store.result(ticket.id)
        if text is not None:
            yield ticket, text


def _items(ticket: Ticket, text: str) -> Iterator[PlainRow]:
    result = run_of(text)
    return item_lines(ticket, result) if result else iter(())


def _verdicts(ticket: Ticket, text: str) -> Iterator[PlainRow]:
    """Those on answers that are public: the keys of others would confirm a short answer that somebody guesses."""
    result = run_of(text) if ticket.shows_answers else None
    return verdict_lines(ticket, result) if result else iter(())


def _answers(services: Services, ticket: Ticket, text: str) -> Iterator[PlainRow]:
    result = run_of(text)
    if result is None:
        return
    try:
        data = services.store.payload(ticket.file_sha256)
    except StoreError:
        return
    report = services.desk.check(data, ticket.file_name, edition=ticket.edition, names=ticket.names)
    if report.submission is not None:
        yield from answer_lines(ticket, result.board, report.submission.responses())
