"""What a service that was killed again and again must have made: the same as one worker that nobody disturbs."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path

from evaluator.judge_loading.loading import load_scorer
from evaluator.worker.loop import Worker
from leaderboard.page.services import Services
from leaderboard.site.export import INDEX, export_boards
from submissions.archive.record import Archive
from submissions.desk import Desk
from submissions.promptsets import PromptSets
from submissions.settings import Settings
from submissions.store.queue import Ticket
from submissions.store.store import Store


def undisturbed_store(tickets: Iterable[Ticket], killed: Store, file: Path) -> Store:
    """The same submissions under the same tickets, scored by one worker in this process.

    Args:
        killed: Where the files of the tickets are.
        file: Of the new database.
    """
    store = Store.open(f"sqlite:///{file}")
    for ticket in tickets:
        store.add(
            ticket_id=ticket.id,
            owner=ticket.owner,
            role=ticket.role,
            edition=ticket.edition,
            set_id=ticket.set_id,
            names=ticket.names,
            choices=ticket.choices,
            file_name=ticket.file_name,
            data=killed.payload(ticket.file_sha256),
            received_at=ticket.received_at.timestamp(),
        )
    Worker(
        name="undisturbed",
        store=store,
        archive=None,
        prompt_sets=PromptSets.load(None),
        scorer=load_scorer("scripted"),
        stop=threading.Event(),
    ).run(until_empty=True)
    return store


def differing_results(store: Store, expected: Store) -> list[str]:
    """Tickets whose results are not the same to the byte."""
    found = {ticket.id: result for ticket, result in store.results()}
    return [ticket.id for ticket, result in expected.results() if found.get(ticket.id) != result]


def exported(store: Store, settings: Settings, folder: Path) -> dict[str, bytes]:
    """The files `python -m leaderboard export` writes, by path."""
    desk = Desk(store, Archive(settings.archive), PromptSets.load(None))
    written = export_boards(Services(store=store, desk=desk, settings=settings), folder)
    assert INDEX in written
    return {path: (folder / path).read_bytes() for path in written}


def boards(files: dict[str, bytes]) -> dict[str, bytes]:
    """The boards alone: manifests say when a result was made, which is never the same."""
    return {path: data for path, data in files.items() if path.startswith("boards/")}


def differences(one: dict[str, bytes], other: dict[str, bytes]) -> list[str]:
    """Paths that one of the two lacks or that are not the same to the byte."""
    return sorted(path for path in one.keys() | other.keys() if one.get(path) != other.get(path))
