-- What version 11 created (submissions/store/migrations.py). Never changed: databases out there look like this.
CREATE TABLE acts (
    id VARCHAR(32) NOT NULL,
    at FLOAT NOT NULL,
    kind VARCHAR(16) NOT NULL,
    subject VARCHAR(32) NOT NULL,
    actor TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    reason TEXT NOT NULL,
    cell TEXT DEFAULT '' NOT NULL,
    PRIMARY KEY (id)
);
CREATE INDEX acts_subject ON acts (subject, at);
CREATE TABLE changes (
    kind VARCHAR(32) NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (kind)
);
CREATE TABLE payloads (
    sha256 VARCHAR(64) NOT NULL,
    data {BYTES} NOT NULL,
    PRIMARY KEY (sha256)
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
    answers INTEGER,
    answers_sha256 VARCHAR(64),
    PRIMARY KEY (id),
    FOREIGN KEY(file_sha256) REFERENCES payloads (sha256)
);
CREATE INDEX submissions_identity ON submissions (identity);
CREATE INDEX submissions_owner ON submissions (owner, received_at);
CREATE TABLE embeddings (
    key VARCHAR(64) NOT NULL,
    data {BYTES} NOT NULL,
    submission VARCHAR(32),
    PRIMARY KEY (key)
);
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
    claim_token VARCHAR(32),
    lease_until FLOAT,
    claims INTEGER NOT NULL,
    fruitless INTEGER NOT NULL,
    stored_in_claim INTEGER NOT NULL,
    judged INTEGER NOT NULL,
    to_judge INTEGER,
    hidden TEXT,
    is_primary INTEGER DEFAULT '0' NOT NULL,
    rejudging VARCHAR(32),
    PRIMARY KEY (submission_id),
    FOREIGN KEY(submission_id) REFERENCES submissions (id)
);
CREATE INDEX jobs_next ON jobs (status, priority, queued_at);
CREATE TABLE judge_qualities (
    judge VARCHAR(64) NOT NULL,
    payload TEXT NOT NULL,
    recorded_at FLOAT NOT NULL,
    PRIMARY KEY (judge)
);
CREATE TABLE lab_runs (
    id VARCHAR(32) NOT NULL,
    visitor TEXT NOT NULL,
    started_at FLOAT NOT NULL,
    lease_until FLOAT,
    PRIMARY KEY (id)
);
CREATE INDEX lab_runs_visitor ON lab_runs (visitor, started_at);
CREATE TABLE owners (
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    seen_at FLOAT NOT NULL,
    PRIMARY KEY (owner)
);
CREATE TABLE results (
    submission_id VARCHAR(32) NOT NULL,
    payload TEXT NOT NULL,
    recorded_at FLOAT NOT NULL,
    PRIMARY KEY (submission_id),
    FOREIGN KEY(submission_id) REFERENCES submissions (id)
);
CREATE TABLE schema_info (
    version {SERIAL} NOT NULL,
    PRIMARY KEY (version)
);
CREATE TABLE set_aside_verdicts (
    act VARCHAR(32) NOT NULL,
    key VARCHAR(64) NOT NULL,
    payload TEXT NOT NULL,
    PRIMARY KEY (act, key)
);
CREATE INDEX set_aside_verdicts_key ON set_aside_verdicts (key);
CREATE TABLE turns (
    owner TEXT NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (owner)
);
CREATE TABLE verdict_votes (
    person TEXT NOT NULL,
    verdict VARCHAR(64) NOT NULL,
    judge VARCHAR(64) NOT NULL,
    judge_name TEXT NOT NULL,
    reading VARCHAR(16) NOT NULL,
    score FLOAT NOT NULL,
    item TEXT NOT NULL,
    ticket VARCHAR(32) NOT NULL,
    stance VARCHAR(16) NOT NULL,
    is_own INTEGER NOT NULL,
    at FLOAT NOT NULL,
    casts INTEGER NOT NULL,
    PRIMARY KEY (person, verdict)
);
CREATE INDEX verdict_votes_person ON verdict_votes (person, at);
CREATE TABLE verdicts (
    key VARCHAR(64) NOT NULL,
    payload TEXT NOT NULL,
    submission VARCHAR(32),
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

CREATE TABLE judge_reports (
    id VARCHAR(32) NOT NULL,
    owner TEXT NOT NULL,
    owner_name TEXT NOT NULL,
    published_at FLOAT NOT NULL,
    payload TEXT NOT NULL,
    withdrawn_at FLOAT,
    hidden TEXT,
    PRIMARY KEY (id)
);

CREATE INDEX judge_reports_owner ON judge_reports (owner, published_at);

CREATE TABLE accepted_terms (
    owner TEXT NOT NULL,
    terms VARCHAR(32) NOT NULL,
    sha256 VARCHAR(64) NOT NULL,
    text TEXT NOT NULL,
    at FLOAT NOT NULL,
    owner_name TEXT NOT NULL,
    PRIMARY KEY (owner, terms, sha256)
);
CREATE TABLE webhooks (
    submission_id VARCHAR(32) NOT NULL,
    url TEXT NOT NULL,
    secret VARCHAR(64) NOT NULL,
    PRIMARY KEY (submission_id),
    FOREIGN KEY(submission_id) REFERENCES submissions (id)
);
CREATE TABLE notices (
    id VARCHAR(32) NOT NULL,
    submission_id VARCHAR(32) NOT NULL,
    status VARCHAR(16) NOT NULL,
    at FLOAT NOT NULL,
    tries INTEGER NOT NULL,
    not_before FLOAT NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(submission_id) REFERENCES submissions (id)
);
CREATE INDEX notices_submission ON notices (submission_id);
CREATE INDEX notices_due ON notices (not_before);
CREATE TABLE refusals (
    season VARCHAR(64) NOT NULL,
    day VARCHAR(10) NOT NULL,
    code VARCHAR(64) NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (season, day, code)
);
