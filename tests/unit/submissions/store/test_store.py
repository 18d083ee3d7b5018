"""What the store tells SQLite, and which URLs it refuses; the rest is in tests/service/test_store_conformance.py."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextvars import Context
from pathlib import Path

import pytest

from submissions.store.database import one_look
from submissions.store.queue import QUEUE
from submissions.store.store import Store, StoreError


def test_a_write_is_flushed_to_disk_and_readers_do_not_wait(tmp_path: Path) -> None:
    store = Store.open(f"sqlite:///{tmp_path / 'plumbline.db'}")
    with store._engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2  # FULL
    store.close()


@pytest.mark.parametrize("url", ["mysql://anna:secret@host/plumbline", "plumbline.db", "", "://"])
def test_a_url_of_no_usable_database_is_refused_without_showing_its_password(url: str) -> None:
    with pytest.raises(StoreError, match="sqlite:///FILE and postgresql://") as caught:
        Store.open(url)
    assert "secret" not in str(caught.value)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'plumbline.db'}"


@pytest.fixture
def stores(url: str) -> Iterator[tuple[Store, Store]]:
    """Of the page server and of a worker."""
    ours, theirs = Store.open(url), Store.open(url)
    yield ours, theirs
    ours.close()
    theirs.close()


def test_within_one_look_the_marker_is_asked_for_once_and_after_a_write_anew(stores: tuple[Store, Store]) -> None:
    ours, theirs = stores
    with one_look():
        before = ours.change_marker()
        somebody_else = Context()
        somebody_else.run(theirs.act, "pause", QUEUE, actor="anna", reason="a test")
        assert ours.change_marker() == before
        ours.act("resume", QUEUE, actor="ben", reason="it is over")
        assert ours.change_marker() == before + 2
    with one_look():
        assert ours.change_marker() == before + 2


def test_what_goes_on_after_a_look_looks_for_itself(stores: tuple[Store, Store]) -> None:
    ours, theirs = stores

    async def story() -> tuple[int, int]:
        with one_look():
            before = ours.change_marker()
            over = asyncio.Event()

            async def later() -> int:
                await over.wait()
                return ours.change_marker()

            task = asyncio.create_task(later())
        theirs.act("pause", QUEUE, actor="anna", reason="a test")
        over.set()
        return before, await task

    before, after = asyncio.run(story())
    assert after == before + 1
