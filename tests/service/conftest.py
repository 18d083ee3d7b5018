"""Real services for tests: PostgreSQL, started once for all of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.postgresql import PostgreSQLServer, PostgreSQLUnavailable


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQLServer]:
    """A server on a unix socket; skips where PostgreSQL is not installed."""
    try:
        server = PostgreSQLServer()
    except PostgreSQLUnavailable as reason:
        pytest.skip(str(reason))
    with server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database: every test that asks for it runs on both."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'plumbline.db'}"
    server: PostgreSQLServer = request.getfixturevalue("postgresql")
    return server.new_database()
