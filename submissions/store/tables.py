"""The database schema, for SQLite and PostgreSQL alike (SQLAlchemy Core).

Times are seconds since the epoch (UTC). Payloads, verdicts and embeddings are keyed by content.
A change here needs its step in `submissions.store.migrations`.
"""

from __future__ import annotations

from sqlalchemy import (
    Column,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
)

from submissions.store.storable import storable

SCHEMA_VERSION = 12

metadata = MetaData()


class StorableText(TypeDecorator[str]):
    """Text of any origin. PostgreSQL refuses NUL and neither database takes a lone surrogate: U+FFFD stands for both.

    Uploads with such characters are refused before they come here; an exception's message or a file's name may hold
    them, and must not keep a job from failing with its reason.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else storable(value)


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
    Column("owner", StorableText, nullable=False),
    Column("role", String(16), nullable=False),
    Column("edition", String(8), nullable=False),
    Column("set_id", StorableText, nullable=False),
    Column("team", StorableText),
    Column("system", StorableText),
    Column("model", StorableText),
    Column("run", StorableText),
    # JSON of what the form says about how the file is to be read.
    Column("options", StorableText, nullable=False),
    Column("file_name", StorableText, nullable=False),
    Column("file_sha256", ForeignKey("payloads.sha256"), nullable=False),
    Column("received_at", Float, nullable=False),
    # Digest of owner, set, names, options and file: the same thing sent twice is one submission.
    Column("identity", String(64), nullable=False),
    # How many answers the file holds, and a digest of what they say; NULL where the check tells neither.
    Column("answers", Integer),
    Column("answers_sha256", String(64)),
    Index("submissions_identity", "identity"),
    # What counts against an owner's quotas.
    Index("submissions_owner", "owner", "received_at"),
)

# What owners are called: the name they had when they last submitted. Never a key; accounts may be renamed.
owners = Table(
    "owners",
    metadata,
    Column("owner", StorableText, primary_key=True),
    Column("name", StorableText, nullable=False),
    Column("seen_at", Float, nullable=False),
)

jobs = Table(
    "jobs",
    metadata,
    Column("submission_id", ForeignKey("submissions.id"), primary_key=True),
    Column("status", String(16), nullable=False),
    Column("status_at", Float, nullable=False),
    Column("reason", StorableText),
    Column("priority", Integer, nullable=False),
    Column("queued_at", Float, nullable=False),
    Column("not_before", Float, nullable=False),
    Column("worker", StorableText),
    # Names one claim: a worker that lost its connection while claiming finds what it was given.
    Column("claim_token", String(32)),
    Column("lease_until", Float),
    Column("claims", Integer, nullable=False),
    # Attempts in a row that raised, or died without one newly stored verdict.
    Column("fruitless", Integer, nullable=False),
    Column("stored_in_claim", Integer, nullable=False),
    Column("judged", Integer, nullable=False),
    Column("to_judge", Integer),
    # Why organisers keep it off the boards; NULL = they do not.
    Column("hidden", StorableText),
    # 1 = the run its system is ranked by, instead of the latest one.
    Column("is_primary", Integer, nullable=False, server_default="0"),
    # The act by which one cell is being judged again, while the former result stands; NULL = none is.
    Column("rejudging", String(32)),
    Index("jobs_next", "status", "priority", "queued_at"),
)

# Whose turn it is: the number of the claim that served an owner last; the greatest of all is the latest. A number,
# not a time: a clock that goes back must not make anybody wait.
turns = Table(
    "turns",
    metadata,
    Column("owner", StorableText, primary_key=True),
    Column("number", Integer, nullable=False),
)

job_events = Table(
    "job_events",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("submission_id", ForeignKey("submissions.id"), nullable=False),
    Column("at", Float, nullable=False),
    Column("status", String(16), nullable=False),
    Column("message", StorableText, nullable=False),
    Index("job_events_submission", "submission_id", "id"),
)

# Who decided what, and why: never changed. What follows from an act stands in the table it is about.
acts = Table(
    "acts",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("at", Float, nullable=False),
    Column("kind", String(16), nullable=False),
    # A ticket; "queue" where the act is about all of them.
    Column("subject", String(32), nullable=False),
    Column("actor", StorableText, nullable=False),
    Column("actor_name", StorableText, nullable=False),
    Column("reason", StorableText, nullable=False),
    # Which part of a run is to be judged again (`submissions.store.cells`); blank = all that the act is about.
    Column("cell", StorableText, nullable=False, server_default=""),
    Index("acts_subject", "subject", "at"),
)

# Runs of the lab that count against a visitor's hour, or are under way.
lab_runs = Table(
    "lab_runs",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("visitor", StorableText, nullable=False),
    Column("started_at", Float, nullable=False),
    # Until then it is under way; NULL = it ended well. One that failed or was cancelled leaves no row.
    Column("lease_until", Float),
    Index("lab_runs_visitor", "visitor", "started_at"),
)

# How often anything changed: a row per kind of change, counted up at the end of the transaction that made it. Ids of
# events cannot serve: PostgreSQL hands them out before it commits, so a smaller one may become visible later.
changes = Table(
    "changes",
    metadata,
    Column("kind", String(32), primary_key=True),
    Column("number", Integer, nullable=False),
)

results = Table(
    "results",
    metadata,
    Column("submission_id", ForeignKey("submissions.id"), primary_key=True),
    Column("payload", StorableText, nullable=False),
    Column("recorded_at", Float, nullable=False),
)

verdicts = Table(
    "verdicts",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("payload", StorableText, nullable=False),
    # For which submission it was stored first; NULL = not known. What erasing takes (`submissions.store.erasing`).
    Column("submission", String(32)),
)

# Verdicts that an act took out of `verdicts` so that they are asked again: what they said stays here.
set_aside_verdicts = Table(
    "set_aside_verdicts",
    metadata,
    Column("act", String(32), primary_key=True),
    Column("key", String(64), primary_key=True),
    Column("payload", StorableText, nullable=False),
    Index("set_aside_verdicts_key", "key"),
)

judge_qualities = Table(
    "judge_qualities",
    metadata,
    # SHA-256 of the judge's pin: a judge that changed in anything is another one.
    Column("judge", String(64), primary_key=True),
    Column("payload", StorableText, nullable=False),
    Column("recorded_at", Float, nullable=False),
)

embeddings = Table(
    "embeddings",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("data", LargeBinary, nullable=False),
    # As that of `verdicts`.
    Column("submission", String(32)),
)

# What visitors of the lab think of two answers; the payload names nobody.
votes = Table(
    "votes",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("recorded_at", Float, nullable=False),
    Column("payload", StorableText, nullable=False),
)

# What people say of judges' verdicts: as each vote stands now. The archive keeps how it came to that.
verdict_votes = Table(
    "verdict_votes",
    metadata,
    # An account, or a browser where nobody signs in; never shown.
    Column("person", StorableText, primary_key=True),
    # Digest of the verdict keys of both orders.
    Column("verdict", String(64), primary_key=True),
    # SHA-256 of the judge's pin, and what people call it.
    Column("judge", String(64), nullable=False),
    Column("judge_name", StorableText, nullable=False),
    Column("reading", String(16), nullable=False),
    Column("score", Float, nullable=False),
    Column("item", StorableText, nullable=False),
    Column("ticket", String(32), nullable=False),
    Column("stance", String(16), nullable=False),
    Column("is_own", Integer, nullable=False),
    Column("at", Float, nullable=False),
    # How often it was given or changed within the last 24 hours: what counts against a person's quota.
    Column("casts", Integer, nullable=False),
    Index("verdict_votes_person", "person", "at"),
)

# Figures of judges' logs that somebody published: they stand beside what was measured here, and never in its place.
judge_reports = Table(
    "judge_reports",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("owner", StorableText, nullable=False),
    # What the account was called when it published; blank where accounts have no names.
    Column("owner_name", StorableText, nullable=False),
    Column("published_at", Float, nullable=False),
    # JSON of the figures and of what they are said to be of.
    Column("payload", StorableText, nullable=False),
    # NULL = it stands.
    Column("withdrawn_at", Float),
    # Why organisers keep it from sight; NULL = they do not.
    Column("hidden", StorableText),
    # What counts against an owner's day.
    Index("judge_reports_owner", "owner", "published_at"),
)

# Who accepted which terms, to the letter. Never changed; on no page.
accepted_terms = Table(
    "accepted_terms",
    metadata,
    Column("owner", StorableText, primary_key=True),
    # The season they are of; blank for those of the installation.
    Column("terms", String(32), primary_key=True),
    # Of the text: its version.
    Column("sha256", String(64), primary_key=True),
    Column("text", StorableText, nullable=False),
    Column("at", Float, nullable=False),
    Column("owner_name", StorableText, nullable=False),
)

# Where a team wants to be told how its submission ended, and what such notices are signed with: on no page, in no
# archive, and gone with what is erased.
webhooks = Table(
    "webhooks",
    metadata,
    Column("submission_id", ForeignKey("submissions.id"), primary_key=True),
    Column("url", StorableText, nullable=False),
    Column("secret", String(64), nullable=False),
)

# What is still to be told. A row goes when its team was told, or could not be.
notices = Table(
    "notices",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("submission_id", ForeignKey("submissions.id"), nullable=False),
    # How the job ended, and when.
    Column("status", String(16), nullable=False),
    Column("at", Float, nullable=False),
    Column("tries", Integer, nullable=False),
    # Nobody sends it before: a pause after a try, or the lease of whoever is at it.
    Column("not_before", Float, nullable=False),
    Index("notices_submission", "submission_id"),
    Index("notices_due", "not_before"),
)

# How many files the check refused while a season was open, by day and by fault; nothing of any file.
refusals = Table(
    "refusals",
    metadata,
    Column("season", String(64), primary_key=True),
    Column("day", String(10), primary_key=True),
    # Of `submissions.problem_codes`; blank in the row that counts files.
    Column("code", String(64), primary_key=True),
    Column("number", Integer, nullable=False),
)

workers = Table(
    "workers",
    metadata,
    Column("name", StorableText, primary_key=True),
    Column("judge", StorableText, nullable=False),
    Column("started_at", Float, nullable=False),
    Column("seen_at", Float, nullable=False),
    Column("judgements", Integer, nullable=False),
    Column("judging_s", Float, nullable=False),
    Column("fault", StorableText, nullable=False, server_default=""),
)
