"""Brings a database to the schema of this code: a list of steps, each from one version to the next.

A list and not Alembic: a handful of additive steps that run at start-up, on both databases, in one transaction, need
no revision graph, no environment script and no batch mode. A step is written in plain SQL and never changed again;
`submissions.store.tables` says what all of them together arrive at, and a test compares the two.
"""

from __future__ import annotations

import logging

from sqlalchemy import Connection, func, insert, inspect, select
from sqlalchemy.engine.interfaces import ReflectedColumn

from submissions.store.database import StoreError
from submissions.store.tables import SCHEMA_VERSION, metadata, schema_info

logger = logging.getLogger(__name__)

_LOCK = 0x706C756D62
"""Of PostgreSQL's advisory locks; one for all programs that start at once. ("plumb")"""

_STEPS: dict[int, tuple[str, ...]] = {
    2: (
        # Databases of version 1 are older and younger than these two tables.
        """CREATE TABLE IF NOT EXISTS votes (
            id VARCHAR(32) NOT NULL, recorded_at FLOAT NOT NULL, payload TEXT NOT NULL, PRIMARY KEY (id))""",
        """CREATE TABLE IF NOT EXISTS judge_qualities (
            judge VARCHAR(64) NOT NULL, payload TEXT NOT NULL, recorded_at FLOAT NOT NULL, PRIMARY KEY (judge))""",
        "ALTER TABLE jobs ADD COLUMN claim_token VARCHAR(32)",
        "CREATE TABLE changes (kind VARCHAR(32) NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (kind))",
        "INSERT INTO changes (kind, number) SELECT 'state', COALESCE(MAX(id), 0) FROM job_events",
        "INSERT INTO changes (kind, number) SELECT 'judge_qualities', COUNT(*) FROM judge_qualities",
        """CREATE TABLE chunks (
            submission_id VARCHAR(32) NOT NULL, call VARCHAR(64) NOT NULL, start INTEGER NOT NULL,
            stop INTEGER NOT NULL, judge VARCHAR(64) NOT NULL, requests INTEGER NOT NULL,
            worker TEXT, lease_until FLOAT,
            PRIMARY KEY (submission_id, call, start), FOREIGN KEY(submission_id) REFERENCES submissions (id))""",
        "CREATE INDEX chunks_free ON chunks (judge, worker)",
    ),
    3: (
        "CREATE INDEX submissions_owner ON submissions (owner, received_at)",
        "CREATE TABLE owners (owner TEXT NOT NULL, name TEXT NOT NULL, seen_at FLOAT NOT NULL, PRIMARY KEY (owner))",
        "ALTER TABLE jobs ADD COLUMN hidden TEXT",
        "ALTER TABLE jobs ADD COLUMN is_primary INTEGER DEFAULT '0' NOT NULL",
        """CREATE TABLE acts (
            id VARCHAR(32) NOT NULL, at FLOAT NOT NULL, kind VARCHAR(16) NOT NULL, subject VARCHAR(32) NOT NULL,
            actor TEXT NOT NULL, actor_name TEXT NOT NULL, reason TEXT NOT NULL, PRIMARY KEY (id))""",
        "CREATE INDEX acts_subject ON acts (subject, at)",
        """CREATE TABLE lab_runs (
            id VARCHAR(32) NOT NULL, visitor TEXT NOT NULL, started_at FLOAT NOT NULL, lease_until FLOAT,
            PRIMARY KEY (id))""",
        "CREATE INDEX lab_runs_visitor ON lab_runs (visitor, started_at)",
    ),
    4: (
        """CREATE TABLE verdict_votes (
            person TEXT NOT NULL, verdict VARCHAR(64) NOT NULL, judge VARCHAR(64) NOT NULL, judge_name TEXT NOT NULL,
            reading VARCHAR(16) NOT NULL, score FLOAT NOT NULL, item TEXT NOT NULL, ticket VARCHAR(32) NOT NULL,
            stance VARCHAR(16) NOT NULL, is_own INTEGER NOT NULL, at FLOAT NOT NULL, casts INTEGER NOT NULL,
            PRIMARY KEY (person, verdict))""",
        "CREATE INDEX verdict_votes_person ON verdict_votes (person, at)",
        "ALTER TABLE acts ADD COLUMN cell TEXT DEFAULT '' NOT NULL",
        "ALTER TABLE jobs ADD COLUMN rejudging VARCHAR(32)",
        """CREATE TABLE set_aside_verdicts (
            act VARCHAR(32) NOT NULL, key VARCHAR(64) NOT NULL, payload TEXT NOT NULL, PRIMARY KEY (act, key))""",
        "CREATE INDEX set_aside_verdicts_key ON set_aside_verdicts (key)",
    ),
    5: ("CREATE TABLE turns (owner TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (owner))",),
    6: (
        "ALTER TABLE submissions ADD COLUMN answers INTEGER",
        "ALTER TABLE submissions ADD COLUMN answers_sha256 VARCHAR(64)",
    ),
    # What several workers judged of one submission at a time: that is Ray's business now.
    7: ("DROP TABLE chunks",),
    8: (
        """CREATE TABLE judge_reports (
            id VARCHAR(32) NOT NULL, owner TEXT NOT NULL, owner_name TEXT NOT NULL, published_at FLOAT NOT NULL,
            payload TEXT NOT NULL, withdrawn_at FLOAT, hidden TEXT, PRIMARY KEY (id))""",
        "CREATE INDEX judge_reports_owner ON judge_reports (owner, published_at)",
    ),
    9: (
        """CREATE TABLE accepted_terms (
            owner TEXT NOT NULL, terms VARCHAR(32) NOT NULL, sha256 VARCHAR(64) NOT NULL, text TEXT NOT NULL,
            at FLOAT NOT NULL, owner_name TEXT NOT NULL, PRIMARY KEY (owner, terms, sha256))""",
    ),
    10: (
        "ALTER TABLE verdicts ADD COLUMN submission VARCHAR(32)",
        "ALTER TABLE embeddings ADD COLUMN submission VARCHAR(32)",
    ),
    11: (
        """CREATE TABLE webhooks (
            submission_id VARCHAR(32) NOT NULL, url TEXT NOT NULL, secret VARCHAR(64) NOT NULL,
            PRIMARY KEY (submission_id), FOREIGN KEY(submission_id) REFERENCES submissions (id))""",
        """CREATE TABLE notices (
            id VARCHAR(32) NOT NULL, submission_id VARCHAR(32) NOT NULL, status VARCHAR(16) NOT NULL,
            at FLOAT NOT NULL, tries INTEGER NOT NULL, not_before FLOAT NOT NULL,
            PRIMARY KEY (id), FOREIGN KEY(submission_id) REFERENCES submissions (id))""",
        "CREATE INDEX notices_submission ON notices (submission_id)",
        "CREATE INDEX notices_due ON notices (not_before)",
        """CREATE TABLE refusals (
            season VARCHAR(64) NOT NULL, day VARCHAR(10) NOT NULL, code VARCHAR(64) NOT NULL, number INTEGER NOT NULL,
            PRIMARY KEY (season, day, code))""",
    ),
    12: ("ALTER TABLE workers ADD COLUMN fault TEXT DEFAULT '' NOT NULL",),
}
"""Version -> the statements that lead to it from the one before."""


def migrate(connection: Connection) -> None:
    """Creates the tables of an empty database, or changes those of an older one; in the transaction of the caller.

    Programs that start at once wait for the first of them, and find the work done.

    Raises:
        StoreError: when the database is newer than this code, older than its steps, or not written in UTF-8.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(_LOCK)))
        _refuse_other_encodings(connection)
    if not inspect(connection).has_table(schema_info.name):
        metadata.create_all(connection)
        connection.execute(insert(schema_info).values(version=SCHEMA_VERSION))
        return
    # Code of version 1 adds its own number before it refuses a newer database: the greatest one holds.
    versions = list(connection.scalars(select(schema_info.c.version)))
    current_version = max(versions, default=1)
    if current_version > SCHEMA_VERSION:
        raise StoreError(
            f"the database has schema version {current_version}, this code knows none above {SCHEMA_VERSION}: "
            "update this installation, or let PLUMBLINE_DATABASE_URL name another database"
        )
    if current_version < min(_STEPS) - 1:
        raise StoreError(
            f"the database has schema version {current_version}, this code needs {SCHEMA_VERSION} and knows no way "
            "there: run `python -m submissions rebuild --anew`"
        )
    for version in range(current_version + 1, SCHEMA_VERSION + 1):
        for statement in _STEPS[version]:
            connection.exec_driver_sql(statement)
        logger.info("the database was brought to schema version %d", version)
    if versions != [SCHEMA_VERSION]:
        connection.execute(schema_info.delete())
        connection.execute(insert(schema_info).values(version=SCHEMA_VERSION))


def lacking_parts(connection: Connection) -> list[str]:
    """Tables and columns of ours that a database should have and has not, for people; [] of one that is whole."""
    columns = {
        name: {column["name"] for column in table_columns} for (_, name), table_columns in _columns(connection).items()
    }
    lacking = [f"the table {table.name}" for table in metadata.sorted_tables if table.name not in columns]
    return lacking + [
        f"the column {column.name} of the table {table.name}"
        for table in metadata.sorted_tables
        for column in table.columns
        if column.name not in columns.get(table.name, {column.name})
    ]


def _columns(connection: Connection) -> dict[tuple[str | None, str], list[ReflectedColumn]]:
    return inspect(connection).get_multi_columns()


def _refuse_other_encodings(connection: Connection) -> None:
    encoding = connection.exec_driver_sql("SHOW server_encoding").scalar()
    if encoding != "UTF8":
        raise StoreError(
            f"the PostgreSQL database is encoded in {encoding}, expected UTF8: "
            "make one with `createdb --encoding=UTF8 --template=template0 NAME`"
        )
