"""What the store tells SQLite, and which URLs it refuses; the rest is in tests/service/test_store_conformance.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from submissions.store import Store, StoreError


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
