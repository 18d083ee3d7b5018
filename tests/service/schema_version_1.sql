-- What version 1 created (docs: submissions/store/migrations.py). Never changed: databases out there look like this.
CREATE TABLE embeddings (
    key VARCHAR(64) NOT NULL,
    data {BYTES} NOT NULL,
    PRIMARY KEY (key)
);

CREATE TABLE judge_qualities (
    judge VARCHAR(64) NOT NULL,
    payload TEXT NOT NULL,
    recorded_at FLOAT NOT NULL,
    PRIMARY KEY (judge)
);

CREATE TABLE payloads (
    sha256 VARCHAR(64) NOT NULL,
    data {BYTES} NOT NULL,
    PRIMARY KEY (sha256)
);

CREATE TABLE schema_info (
    version {SERIAL} NOT NULL,
    PRIMARY KEY (version)
);

CREATE TABLE verdicts (
    key VARCHAR(64) NOT NULL,
    payload TEXT NOT NULL,
    PRIMARY KEY (key)
);

CREATE TABLE votes (
    id VARCHAR(32) NOT NULL,
    recorded_at FLOAT NOT NULL,
    payload TEXT NOT NULL,
    PRIMARY KEY (id)
);

CREATE TABLE workers (
    name TEXT NOT NULL,
    judge TEXT NOT NULL,
    started_at FLOAT NOT NULL,
    seen_at FLOAT NOT NULL,
    judgements INTEGER NOT NULL,
    judging_s FLOAT NOT NULL,
    PRIMARY KEY (name)
);

CREATE TABLE submissions (
    id VARCHAR(32) NOT NULL,
    owner TEXT NOT NULL,
    role VARCHAR(16) NOT NULL,
    edition VARCHAR(8) NOT NULL,
    set_id TEXT NOT NULL,
    team TEXT,
    system TEXT,
    model TEXT,
    run TEXT,
    options TEXT NOT NULL,
    file_name TEXT NOT NULL,
    file_sha256 VARCHAR(64) NOT NULL,
    received_at FLOAT NOT NULL,
    identity VARCHAR(64) NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(file_sha256) REFERENCES payloads (sha256)
);

CREATE INDEX submissions_identity ON submissions (identity);

CREATE TABLE job_events (
    id {SERIAL} NOT NULL,
    submission_id VARCHAR(32) NOT NULL,
    at FLOAT NOT NULL,
    status VARCHAR(16) NOT NULL,
    message TEXT NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(submission_id) REFERENCES submissions (id)
);

CREATE INDEX job_events_submission ON job_events (submission_id, id);

CREATE TABLE jobs (
    submission_id VARCHAR(32) NOT NULL,
    status VARCHAR(16) NOT NULL,
    status_at FLOAT NOT NULL,
    reason TEXT,
    priority INTEGER NOT NULL,
    queued_at FLOAT NOT NULL,
    not_before FLOAT NOT NULL,
    worker TEXT,
    lease_until FLOAT,
    claims INTEGER NOT NULL,
    fruitless INTEGER NOT NULL,
    stored_in_claim INTEGER NOT NULL,
    judged INTEGER NOT NULL,
    to_judge INTEGER,
    PRIMARY KEY (submission_id),
    FOREIGN KEY(submission_id) REFERENCES submissions (id)
);

CREATE INDEX jobs_next ON jobs (status, priority, queued_at);

CREATE TABLE results (
    submission_id VARCHAR(32) NOT NULL,
    payload TEXT NOT NULL,
    recorded_at FLOAT NOT NULL,
    PRIMARY KEY (submission_id),
    FOREIGN KEY(submission_id) REFERENCES submissions (id)
);
