"""A PostgreSQL server (Debian's package) in a folder of its own, on a unix socket; for tests and benchmarks.

It keeps nothing safely on disk (fsync is off): it may be killed with SIGKILL, which the kernel's cache survives, but
the machine may not be.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

INSTALLED = Path("/usr/lib/postgresql")
USER = "postgres"
START_PATIENCE_S = 180.0

OPTIONS = {
    "listen_addresses": "",
    "fsync": "off",
    "max_connections": "200",
    "shared_buffers": "32MB",
    "log_min_messages": "fatal",
}


class PostgreSQLUnavailable(Exception):
    """Raised when no server can be started here; says why."""


class PostgreSQLServer:
    """A server that is running while it is entered (`with`).

    Raises:
        PostgreSQLUnavailable: when PostgreSQL is not installed.
    """

    def __init__(self) -> None:
        self._programs = _programs()
        # Not below pytest's temporary folder: the server's user may not look into that.
        self.folder = Path(tempfile.mkdtemp(prefix="plumbline-postgresql-", dir="/tmp"))
        self._cluster = self.folder / "cluster"
        self._log = self.folder / "log"
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> PostgreSQLServer:
        if os.geteuid() == 0:
            shutil.chown(self.folder, USER, USER)
        authentication = ["--auth=trust", f"--username={USER}", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"]
        made = self._run("initdb", "--pgdata", str(self._cluster), *authentication)
        if made.wait() != 0:
            raise PostgreSQLUnavailable(f"initdb failed: {self._log.read_text()}")
        self.start()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._process and self._process.poll() is None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Starts the server and waits until it answers."""
        deadline = time.monotonic() + START_PATIENCE_S
        settings = [word for name, value in OPTIONS.items() for word in ("-c", f"{name}={value}")]
        while time.monotonic() < deadline:
            # After a SIGKILL the first start may fail: children of the dead server are still on their way out.
            self._process = self._run("postgres", "-D", str(self._cluster), "-k", str(self.folder), *settings)
            while self._process.poll() is None and time.monotonic() < deadline:
                if self._answers():
                    return
                time.sleep(0.05)
            time.sleep(0.1)
        raise PostgreSQLUnavailable(f"the server did not start: {self._log.read_text()}")

    def kill(self) -> None:
        """SIGKILL to the server: it cannot say goodbye to anyone."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def new_database(self, encoding: str = "UTF8") -> str:
        """Makes an empty database; returns its URL."""
        name = f"plumbline_{uuid.uuid4().hex[:12]}"
        locale = "C.UTF-8" if encoding == "UTF8" else "C"
        statement = sql.SQL("CREATE DATABASE {} ENCODING {} LOCALE {} TEMPLATE template0").format(
            sql.Identifier(name), sql.Literal(encoding), sql.Literal(locale)
        )
        with self._connected() as connection:
            connection.execute(statement)
        return f"postgresql://{USER}@/{name}?host={self.folder}"

    @contextmanager
    def _connected(self) -> Iterator[psycopg.Connection[Any]]:
        with psycopg.connect(host=str(self.folder), user=USER, dbname="postgres", autocommit=True) as connection:
            yield connection

    def _answers(self) -> bool:
        try:
            with self._connected():
                return True
        except psycopg.OperationalError:
            return False

    def _run(self, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        # PostgreSQL refuses to run as root.
        account: dict[str, Any] = {"user": USER, "group": USER, "extra_groups": []} if os.geteuid() == 0 else {}
        with self._log.open("ab") as log:
            return subprocess.Popen(
                [self._programs / program, *arguments],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                # Ctrl-C is for the program that started the server.
                start_new_session=True,
                **account,
            )


def _programs() -> Path:
    """Where the server's programs lie, of the newest version installed."""
    folders = [path.parent for path in INSTALLED.glob("*/bin/postgres")]
    if not folders:
        raise PostgreSQLUnavailable(f"PostgreSQL is not installed: no {INSTALLED}/*/bin/postgres (apt: postgresql)")
    if os.geteuid() == 0:
        try:
            pwd.getpwnam(USER)
        except KeyError:
            raise PostgreSQLUnavailable(f"PostgreSQL does not run as root, and there is no user {USER}") from None
    return max(folders, key=lambda folder: int(folder.parent.name))
