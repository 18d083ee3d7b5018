"""One SQL database, SQLite or PostgreSQL: its transactions, what they share, and what happens when it goes away."""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from pathlib import Path
from typing import Any, Literal, ParamSpec, TypeVar

from sqlalchemy import URL, Connection, CursorResult, Engine, Executable, Table, create_engine, event, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError
from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_delay, wait_fixed, wait_random_exponential

from submissions.store.tables import changes, metadata

logger = logging.getLogger(__name__)

KEYS_PER_QUERY = 500
"""SQLite allows a limited number of bound values per statement (999 in older builds)."""

RECONNECT_PATIENCE_S = 30.0
"""How long a transaction waits for a database that is gone: a server that is started anew is back within seconds."""

CONNECT_TIMEOUT_S = 10
IDLE_IN_TRANSACTION_S = 30
"""A frozen process must not keep its rows locked: SKIP LOCKED would pass over its expired job for ever."""

_PASSING_FAULTS = frozenset({"40001", "40P01"})
"""PostgreSQL's serialization_failure and deadlock_detected: the transaction was rolled back and may be run again."""

_CANNOT_WRITE = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN})
"""Primary result codes of SQLite when the disk is full or does not answer: nothing was kept, and it may pass."""

_DISK_FULL = "53100"
"""PostgreSQL's disk_full."""

_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
"""Primary result codes of SQLite when a file is no database, or no longer one."""

_CUT_OFF = sqlite3.SQLITE_IOERR_SHORT_READ
_DAMAGED_TEXTS = ("no such table", "no such column", "Could not decode to UTF-8")
"""How SQLite's and Python's messages begin when a database lacks what every one of ours has, without a code of their
own."""

_DAMAGED_STATES = frozenset({"42P01", "42703", "XX001", "XX002"})
"""PostgreSQL's undefined_table, undefined_column, data_corrupted and index_corrupted."""

ChangeKind = Literal["state", "judge_qualities", "judge_reports", "verdict_votes"]
Clock = Callable[[], float]
"""Seconds since the epoch."""


class StoreError(Exception):
    """Raised when the database cannot be used as asked: another schema version, or a ticket nobody knows."""


class StoreUnavailable(StoreError):
    """Raised when the database did not come back within `RECONNECT_PATIENCE_S`, or its disk is full; it may pass."""


class StoreDamaged(StoreUnavailable):
    """Raised when the database itself is damaged: it does not pass, somebody has to rebuild it.

    The text is for whoever runs Plumbline: it names the file. Visitors get `FOR_VISITORS`.
    """

    FOR_VISITORS = "The database of this installation is damaged: whoever runs it has to rebuild it."


class _NotCommitted(Exception):
    """The connection was lost, or never made, before the commit: nothing of the transaction was kept."""


class _CommitUnknown(Exception):
    """The connection was lost during the commit: the transaction was kept or not."""


# --- when the database goes away -------------------------------------------------------------------------------------

Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")


def repeatable(method: Callable[Arguments, Value]) -> Callable[Arguments, Value]:
    """For methods that are one transaction and may be run twice: run again until the database is back.

    Raises:
        StoreUnavailable: when it stays away.
    """
    return _again(method, lambda error: _is_not_committed(error) or isinstance(error, _CommitUnknown))


def run_once(method: Callable[Arguments, Value]) -> Callable[Arguments, Value]:
    """The same for methods that must not be run twice: run again only while certainly nothing was kept."""
    return _again(method, _is_not_committed)


def _again(
    method: Callable[Arguments, Value], worth_repeating: Callable[[BaseException], bool]
) -> Callable[Arguments, Value]:
    @wraps(method)
    def run(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Value:
        repeated = Retrying(
            retry=retry_if_exception(worth_repeating),
            wait=wait_random_exponential(multiplier=0.05, max=2.0),
            stop=stop_after_delay(RECONNECT_PATIENCE_S),
            before_sleep=_log_repeat,
            reraise=True,
        )
        try:
            return repeated(method, *args, **kwargs)
        except _CommitUnknown as error:
            raise StoreUnavailable(
                "the connection to the database broke while this was being saved: "
                "look whether it took effect before you try again"
            ) from error
        except (_NotCommitted, DBAPIError, UnicodeDecodeError) as error:
            damage = _damage(error)
            if damage and isinstance(args[0], Database):
                raise args[0].damaged(damage) from None
            if isinstance(error, DBAPIError) and _cannot_write(error):
                raise StoreUnavailable(
                    f"the database cannot be written ({_first_line(error)}): is its disk full?"
                ) from error
            if not _is_not_committed(error):
                raise
            raise StoreUnavailable(f"the database does not answer: {_first_line(error)}") from error

    return run


def _is_not_committed(error: BaseException) -> bool:
    if isinstance(error, DBAPIError):
        return error.connection_invalidated or getattr(error.orig, "sqlstate", None) in _PASSING_FAULTS
    return isinstance(error, _NotCommitted)


def _damage(error: BaseException) -> str:
    """What an error says is wrong with the database itself; blank where it is something else."""
    if isinstance(error, UnicodeDecodeError):  # of SQLite's own message: it quotes what the file holds
        return "what it holds cannot be read"
    origin = error.orig if isinstance(error, DBAPIError) else None
    code = getattr(origin, "sqlite_errorcode", None)
    is_damage = (
        (code is not None and (code & 0xFF in _DAMAGED or code == _CUT_OFF))
        or (isinstance(origin, sqlite3.Error) and str(origin).startswith(_DAMAGED_TEXTS))
        or getattr(origin, "sqlstate", None) in _DAMAGED_STATES
    )
    # What could not be decoded may be anybody's text.
    return _first_line(error).partition(" column '")[0] if is_damage else ""


def _cannot_write(error: DBAPIError) -> bool:
    code = getattr(error.orig, "sqlite_errorcode", None)
    # The upper bytes of an extended code say where it went wrong.
    return (code is not None and code & 0xFF in _CANNOT_WRITE) or getattr(error.orig, "sqlstate", None) == _DISK_FULL


def _log_repeat(state: RetryCallState) -> None:
    error = state.outcome.exception() if state.outcome else None
    wait_s = state.next_action.sleep if state.next_action else 0.0
    logger.warning("the database does not answer (%s); trying again in %.1f s", _first_line(error), wait_s)


def _first_line(error: BaseException | None) -> str:
    cause = error.__cause__ or error if error else error
    origin = cause.orig if isinstance(cause, DBAPIError) else cause
    return (str(origin) or type(origin).__name__).splitlines()[0]


# --- transactions -----------------------------------------------------------------------------------------------------


class Transaction:
    """A writing transaction, with one moment for all it records."""

    def __init__(self, connection: Connection, clock: Clock | None) -> None:
        self.connection = connection
        self.now = _begun(connection, clock)
        self._changed: set[ChangeKind] = set()

    def execute(self, statement: Executable, rows: Sequence[dict[str, Any]] | None = None) -> CursorResult[Any]:
        return self.connection.execute(statement, rows)

    def scalar(self, statement: Executable) -> Any:
        return self.connection.scalar(statement)

    def lock(self, name: str) -> None:
        """Waits until no other transaction holds a lock of that name; SQLite has one writer at a time anyway."""
        if self.connection.dialect.name == "postgresql":
            self.connection.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(name, 0))))

    def insert_missing(self, table: Table, rows: Sequence[dict[str, Any]]) -> int:
        """Inserts the rows whose primary key is new; returns how many there were."""
        if not rows:
            return 0
        keys = list(table.primary_key)
        statement = dialect_insert(self.connection, table).on_conflict_do_nothing().returning(*keys)
        # One order for everybody: two workers that store the same keys wait for each other instead of deadlocking.
        ordered = sorted(rows, key=lambda row: tuple(row[key.name] for key in keys))
        return len(self.execute(statement, ordered).all())

    def upsert(self, table: Table, row: dict[str, Any], **replaced: Any) -> None:
        """Inserts a row, or changes the one with its primary key to the values of `replaced`."""
        statement = dialect_insert(self.connection, table).values(row)
        self.execute(statement.on_conflict_do_update(index_elements=list(table.primary_key), set_=replaced))

    def note_change(self, kind: ChangeKind) -> None:
        """Lets the marker of that kind grow with the commit."""
        self._changed.add(kind)

    def count_changes(self) -> None:
        """Counts the noted changes; last of all, so that no other row is waited for while the counter is locked."""
        for kind in sorted(self._changed):
            self.upsert(changes, {"kind": kind, "number": 1}, number=changes.c.number + 1)


class _Look:
    """The markers of changes that were read within `one_look`."""

    def __init__(self) -> None:
        self.markers: dict[tuple[Database, ChangeKind], int] = {}
        self.is_over = False


_look: ContextVar[_Look | None] = ContextVar("look", default=None)


@contextmanager
def one_look() -> Iterator[None]:
    """Markers of changes are asked for once inside, and again after a write of its own.

    Whoever draws a page asks a dozen times whether anything has changed, and waits for the database each time.
    """
    look = _Look()
    token = _look.set(look)
    try:
        yield
    finally:
        # Work that was begun inside and goes on, such as a task, looks for itself from here on.
        look.is_over = True
        _look.reset(token)


@contextmanager
def _looking_anew() -> Iterator[None]:
    """What was read before a write says nothing of what comes after it."""
    try:
        yield
    finally:
        look = _look.get()
        if look is not None:
            look.markers.clear()


class Database:
    """What every part of the store builds on. Safe to use from many threads and many processes.

    Args:
        engine: A SQLAlchemy engine for SQLite or PostgreSQL.
        lease_s: Seconds a claim holds without a sign of life.
        max_attempts: Fruitless attempts in a row after which a job fails; 0 = no limit.
        clock: Tests pass their own. Without one SQLite goes by this machine's clock and PostgreSQL by its server's, so
            that workers on machines whose clocks differ agree on when a lease ends.
    """

    def __init__(self, engine: Engine, *, lease_s: float, max_attempts: int, clock: Clock | None) -> None:
        self._engine = engine
        self._lease_s = lease_s
        self._max_attempts = max_attempts
        self._clock = clock
        self.damage: StoreDamaged | None = None
        """What was found wrong with the database itself, once it was."""

    @property
    def lease_s(self) -> float:
        return self._lease_s

    def close(self) -> None:
        """Gives every connection back."""
        self._engine.dispose()

    def check(self, *, thoroughly: bool = False) -> None:
        """Reads a SQLite file from end to end (0.2 s for 100 MB that are in memory); a server checks its own.

        Args:
            thoroughly: Whether every row is read as well: SQLite takes no notice of text that is none.

        Raises:
            StoreDamaged: when its pages, or its rows and indexes, do not fit together.
        """
        if self._is_sqlite:
            faults = self._file_faults()
            if faults:
                raise self.damaged(faults[0].splitlines()[-1])
            if thoroughly:
                self._read_rows()

    @repeatable
    def _read_rows(self) -> None:
        with self._read() as connection:
            for table in metadata.sorted_tables:
                for _ in connection.execute(select(table)):
                    pass

    @repeatable
    def _file_faults(self) -> list[str]:
        with self._read() as connection:
            said = list(connection.exec_driver_sql("PRAGMA integrity_check(1)").scalars())
        return [] if said == ["ok"] else said

    def damaged(self, damage: str) -> StoreDamaged:
        """The error that says so and what to do, kept in `damage`."""
        url = self._engine.url
        if self._is_sqlite:
            error = StoreDamaged(
                f"the database {url.database} is damaged ({damage}): stop Plumbline and run `python app.py --rebuild`, "
                "which moves the file aside and makes it anew from the archive"
            )
        else:
            error = StoreDamaged(
                f"the PostgreSQL database {url.database} is damaged ({damage}): make an empty one, let "
                "PLUMBLINE_DATABASE_URL name it, and run `python -m submissions rebuild`"
            )
        self.damage = error
        return error

    @contextmanager
    def _read(self) -> Iterator[Connection]:
        """One snapshot of the database, however many statements read it."""
        isolation: dict[str, Any] = {} if self._is_sqlite else {"isolation_level": "REPEATABLE READ"}
        with self._connection(**isolation) as connection, connection.begin():
            yield connection

    @contextmanager
    def _write(self) -> Iterator[Transaction]:
        # IMMEDIATE takes SQLite's write lock at the start, so that two read-then-write transactions queue up
        # instead of failing each other half way (see _prepare_sqlite). PostgreSQL locks the rows that are read.
        with _looking_anew(), self._connection(plumbline_writes=True) as connection:
            begun = connection.begin()
            try:
                transaction = Transaction(connection, self._clock)
                yield transaction
                transaction.count_changes()
            except BaseException:
                begun.rollback()
                raise
            try:
                begun.commit()
            except DBAPIError as error:
                if not error.connection_invalidated:
                    raise
                raise _CommitUnknown from error

    @contextmanager
    def _connection(self, **options: Any) -> Iterator[Connection]:
        try:
            connection = self._engine.connect()
        except OperationalError as error:
            if self._is_sqlite:
                raise
            raise _NotCommitted from error
        with connection:
            yield connection.execution_options(**options)

    def _changes(self, kind: ChangeKind) -> int:
        look = _look.get()
        if look is None or look.is_over:
            return self._counted(kind)
        if (self, kind) not in look.markers:
            look.markers[self, kind] = self._counted(kind)
        return look.markers[self, kind]

    def _counted(self, kind: ChangeKind) -> int:
        with self._read() as connection:
            return connection.scalar(select(changes.c.number).where(changes.c.kind == kind)) or 0

    @property
    def _is_sqlite(self) -> bool:
        return self._engine.dialect.name == "sqlite"


def moment(connection: Connection, clock: Clock | None) -> float:
    """Now, in seconds since the epoch: by the given clock, else by the one everybody who uses the database shares."""
    if clock is not None:
        return clock()
    if connection.dialect.name == "sqlite":
        return time.time()
    return float(connection.scalar(select(func.extract("epoch", func.clock_timestamp()))) or 0.0)


def _begun(connection: Connection, clock: Clock | None) -> float:
    """The moment of a writing transaction, which is told how long it may idle; one question for both."""
    if connection.dialect.name == "sqlite":
        return moment(connection, clock)
    # For this transaction only: a connection pooler between us and the server shares sessions.
    limit = func.set_config("idle_in_transaction_session_timeout", f"{IDLE_IN_TRANSACTION_S}s", True)
    row = connection.execute(select(limit, func.extract("epoch", func.clock_timestamp()))).one()
    return clock() if clock is not None else float(row[1])


def dialect_insert(connection: Connection, table: Table) -> sqlite.Insert | postgresql.Insert:
    """An INSERT that can say what happens on conflict."""
    return sqlite.insert(table) if connection.dialect.name == "sqlite" else postgresql.insert(table)


# --- engines ---------------------------------------------------------------------------------------------------------


def opened_engine(url: str) -> Engine:
    """The engine for a database URL; connects to nothing yet.

    Raises:
        StoreError: when the URL names no database that can be used.
    """
    try:
        parsed = make_url(url)
    except ArgumentError:
        parsed = None
    backend = parsed.get_backend_name() if parsed else ""
    if parsed and backend == "sqlite":
        if parsed.database:
            Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
        engine = create_engine(parsed)
        _prepare_sqlite(engine)
        return engine
    if parsed and backend in ("postgresql", "postgres"):
        return _postgresql_engine(parsed)
    raise StoreError(
        "the database URL is not one of sqlite:///FILE and postgresql://USER:PASSWORD@HOST/DATABASE "
        f"(found one that begins with {url.partition(':')[0]!r}): see PLUMBLINE_DATABASE_URL in docs/settings.md"
    )


def _postgresql_engine(url: URL) -> Engine:
    # No pool_pre_ping: a connection that died costs a second try (see `repeatable`), not a question before every use.
    return create_engine(
        url.set(drivername="postgresql+psycopg"),
        connect_args={
            "connect_timeout": CONNECT_TIMEOUT_S,
            "application_name": "plumbline",
            "client_encoding": "utf8",
            # A host that vanished without a word is noticed within half a minute, not after hours.
            "keepalives_idle": 10,
            "keepalives_interval": 5,
            "keepalives_count": 4,
            "tcp_user_timeout": 30_000,
        },
    )


BUSY_S = 30.0
"""How long a connection waits for another one's write."""


def _to_wal(connection: sqlite3.Connection) -> None:
    """SQLite does not wait where two programs change the mode of a new database at once: one of them is refused."""
    retrying = Retrying(
        retry=retry_if_exception(_is_busy), stop=stop_after_delay(BUSY_S), wait=wait_fixed(0.05), reraise=True
    )
    retrying(connection.execute, "PRAGMA journal_mode = WAL")


def _is_busy(error: BaseException) -> bool:
    return isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode == sqlite3.SQLITE_BUSY


def _prepare_sqlite(engine: Engine) -> None:
    """WAL so that readers do not wait for the writer; FULL so that an acknowledged commit survives a crash."""

    @event.listens_for(engine, "connect")
    def _configure(connection: Any, _record: Any) -> None:
        # pysqlite's own transaction handling would begin late; we begin ourselves below.
        connection.isolation_level = None
        connection.execute(f"PRAGMA busy_timeout = {BUSY_S * 1000:.0f}")
        _to_wal(connection)
        # What is erased is overwritten, not only unlinked.
        for pragma in ("synchronous = FULL", "foreign_keys = ON", "secure_delete = ON"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("plumbline_writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
