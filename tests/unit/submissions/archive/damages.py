"""Ways a file of the archive can be damaged, and an archive with every kind of event."""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from submissions.archive.events import EventName
from submissions.archive.record import Archive
from submissions.schema import Names
from submissions.store.accepted_terms import Acceptance
from submissions.store.queue import JobStatus
from submissions.store.store import Store
from submissions.store.votes import JudgedPair

Damage = Callable[[Path], None]


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def random_bytes(path: Path) -> None:
    path.write_bytes(bytes((7 * place + 131) % 256 for place in range(200)))


def another_shape(path: Path) -> None:
    path.write_text("[1, 2, 3]", encoding="utf-8")


def another_value(path: Path) -> None:
    event = json.loads(path.read_bytes())
    path.write_text(json.dumps({**event, "at": event["at"] + 1}, sort_keys=True, indent=1), encoding="utf-8")


def unreadable(path: Path) -> None:
    """Also for whoever may read everything: a link that leads to itself."""
    path.unlink()
    path.symlink_to(path.name)


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGES: tuple[Damage, ...] = (cut, empty, random_bytes, another_shape, another_value, unreadable, a_folder)


def _made_result(ticket_id: str) -> str:
    return json.dumps({"of": ticket_id, "items": [{"key_ab": f"key of {ticket_id}"}]})


class FilledArchive:
    """Submissions in every state, one of them hidden; a vote, accepted terms, a measured judge, three judge reports.

    They are handed in, judged and taken back once in a process; each archive and its database are copies.

    Args:
        folder: Of the database and the archive.
        result: Ticket -> the JSON of its result.
    """

    TICKETS = ("cancelled", "failed", "hidden", "scored", "waiting", "withdrawn")

    def __init__(self, folder: Path, result: Callable[[str], str] = _made_result) -> None:
        self.folder = folder
        shutil.copytree(_filled(result), folder, dirs_exist_ok=True)
        self.archive = Archive(folder / "archive")
        self.store = Store.open(f"sqlite:///{folder / 'plumbline.db'}", max_attempts=1)

    def event(self, kind: str, subject: str | None = None) -> EventName:
        """The first event of a kind, or that about a subject."""
        names = sorted(self.archive.names(), key=lambda name: name.order)
        return next(name for name in names if name.kind == kind and subject in (None, name.subject))

    def path(self, path: str) -> Path:
        """Where a file of the archive lies."""
        return self.archive.folder / path

    def copy(self, folder: Path) -> Archive:
        """Another copy of the archive."""
        shutil.copytree(self.archive.folder, folder / "archive")
        return Archive(folder / "archive")

    def fresh_store(self) -> Store:
        """A database that knows nothing yet."""
        number = len(list(self.folder.glob("fresh*.db")))
        return Store.open(f"sqlite:///{self.folder / f'fresh{number}.db'}")


@cache
def _filled(result: Callable[[str], str]) -> Path:
    """A folder with the database and the archive, closed."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    filling = _Filling(folder, result)
    filling.store.close()
    return folder


class _Filling:
    """Hands in, judges and takes back, as the desk, a worker and an organiser do."""

    def __init__(self, folder: Path, result: Callable[[str], str]) -> None:
        self._result = result
        self.archive = Archive(folder / "archive")
        self.store = Store.open(f"sqlite:///{folder / 'plumbline.db'}", max_attempts=1)
        for number, ticket_id in enumerate(("scored", "hidden", "withdrawn", "failed", "cancelled", "waiting")):
            self._take_in(ticket_id, float(number))
        for ticket_id in ("scored", "hidden", "withdrawn"):
            self._score(ticket_id)
        job = self.store.claim("w")
        assert job is not None
        self.store.fail(job.id, "w", "the judge ran out of memory")
        self.store.cancel("cancelled", "local")
        self.store.withdraw("withdrawn", "local")
        self.store.act("hide", "hidden", actor="organiser", reason="it quotes another team")
        pair = JudgedPair("v1", "ab" * 32, "embedding", "same", 4.2, "demonstration 901", "scored")
        self.store.cast_vote("anna", pair, "agree")
        self.store.save_judge_quality("cd" * 32, '{"auc": 0.8}')
        for report_id in ("report", "back", "unseen"):
            self.store.publish_judge_report(
                report_id, owner="anna", owner_name="Anna", payload=f'{{"of": "{report_id}"}}'
            )
        self.store.withdraw_judge_report("back", "anna")
        self.store.act("hide", "unseen", actor="organiser", reason="it names a person")
        accepted_at = datetime(2026, 11, 23, 12, 0, 0, 250_000, tzinfo=UTC)
        self.store.add_acceptance(Acceptance("anna", "spring", "Be fair.", accepted_at, "Anna"))
        self.archive.catch_up(self.store)

    def _take_in(self, ticket_id: str, at: float) -> None:
        for record in (self.archive.record_submission, self.store.add):
            record(
                ticket_id=ticket_id,
                owner="local",
                role="entry",
                edition="2024",
                set_id="demonstration",
                names=Names(team="aurora", system=ticket_id),
                file_name="aurora.json",
                data=f"file of {ticket_id}".encode(),
                received_at=at,
            )

    def _score(self, ticket_id: str) -> None:
        job = self.store.claim("w")
        assert job is not None
        assert job.id == ticket_id
        self.store.save_verdicts({f"key of {ticket_id}": '{"rating": 4}'})
        result = self._result(ticket_id)
        self.archive.record_result(ticket_id, result, self.store.finish(ticket_id, "w", result))


def standing(store: Store) -> dict[str, tuple[JobStatus, str | None, str | None, str | None]]:
    """Ticket -> its state, why, why it is hidden, and its result."""
    return {
        ticket.id: (ticket.status, ticket.reason, ticket.hidden, store.result(ticket.id)) for ticket in store.tickets()
    }
