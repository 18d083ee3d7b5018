"""The database schema, for SQLite and PostgreSQL alike (SQLAlchemy Core).

Times are seconds since the epoch (UTC). Payloads, verdicts and embeddings are keyed by content.
"""

from __future__ import annotations

from sqlalchemy import (
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)

SCHEMA_VERSION = 1

metadata = MetaData()

schema_info = Table("schema_info", metadata, Column("version", Integer, primary_key=True))

payloads = Table(
    "payloads",
    metadata,
    Column("sha256", String(64), primary_key=True),
    Column("data", LargeBinary, nullable=False),
)

submissions = Table(
    "submissions",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("owner", Text, nullable=False),
    Column("role", String(16), nullable=False),
    Column("edition", String(8), nullable=False),
    Column("set_id", Text, nullable=False),
    Column("team", Text),
    Column("system", Text),
    Column("model", Text),
    Column("run", Text),
    # JSON of what the form says about how the file is to be read.
    Column("options", Text, nullable=False),
    Column("file_name", Text, nullable=False),
    Column("file_sha256", ForeignKey("payloads.sha256"), nullable=False),
    Column("received_at", Float, nullable=False),
    # Digest of owner, set, names, options and file: the same thing sent twice is one submission.
    Column("identity", String(64), nullable=False),
    Index("submissions_identity", "identity"),
)

jobs = Table(
    "jobs",
    metadata,
    Column("submission_id", ForeignKey("submissions.id"), primary_key=True),
    Column("status", String(16), nullable=False),
    Column("status_at", Float, nullable=False),
    Column("reason", Text),
    Column("priority", Integer, nullable=False),
    Column("queued_at", Float, nullable=False),
    Column("not_before", Float, nullable=False),
    Column("worker", Text),
    Column("lease_until", Float),
    Column("claims", Integer, nullable=False),
    # Attempts in a row that raised, or died without one newly stored verdict.
    Column("fruitless", Integer, nullable=False),
    Column("stored_in_claim", Integer, nullable=False),
    Column("judged", Integer, nullable=False),
    Column("to_judge", Integer),
    Index("jobs_next", "status", "priority", "queued_at"),
)

job_events = Table(
    "job_events",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("submission_id", ForeignKey("submissions.id"), nullable=False),
    Column("at", Float, nullable=False),
    Column("status", String(16), nullable=False),
    Column("message", Text, nullable=False),
    Index("job_events_submission", "submission_id", "id"),
)

results = Table(
    "results",
    metadata,
    Column("submission_id", ForeignKey("submissions.id"), primary_key=True),
    Column("payload", Text, nullable=False),
    Column("recorded_at", Float, nullable=False),
)

verdicts = Table(
    "verdicts",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("payload", Text, nullable=False),
)

judge_qualities = Table(
    "judge_qualities",
    metadata,
    # SHA-256 of the judge's pin: a judge that changed in anything is another one.
    Column("judge", String(64), primary_key=True),
    Column("payload", Text, nullable=False),
    Column("recorded_at", Float, nullable=False),
)

embeddings = Table(
    "embeddings",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("data", LargeBinary, nullable=False),
)

# What visitors of the Preference lab think of two answers; the payload names nobody.
votes = Table(
    "votes",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("recorded_at", Float, nullable=False),
    Column("payload", Text, nullable=False),
)

workers = Table(
    "workers",
    metadata,
    Column("name", Text, primary_key=True),
    Column("judge", Text, nullable=False),
    Column("started_at", Float, nullable=False),
    Column("seen_at", Float, nullable=False),
    Column("judgements", Integer, nullable=False),
    Column("judging_s", Float, nullable=False),
)
