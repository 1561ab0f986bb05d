-- Everything the ledger remembers. Every key leads with the tenant; times are microseconds since 1970 in UTC.

CREATE TABLE tenants (
    number  INTEGER PRIMARY KEY, -- marks the tenant's words in the search index
    tenant  TEXT    NOT NULL UNIQUE,
    head    INTEGER NOT NULL,
    last_at INTEGER NOT NULL
) STRICT;

CREATE TABLE facts (
    tenant       TEXT    NOT NULL,
    seq          INTEGER NOT NULL,
    at           INTEGER NOT NULL,
    kind         TEXT    NOT NULL,
    subject_kind TEXT    NOT NULL,
    subject_id   TEXT    NOT NULL,
    meta         TEXT    NOT NULL,
    body         TEXT    NOT NULL,
    PRIMARY KEY (tenant, seq)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER facts_are_never_changed BEFORE UPDATE ON facts
BEGIN SELECT RAISE(ABORT, 'facts are never changed'); END;

CREATE TRIGGER facts_are_never_removed BEFORE DELETE ON facts
BEGIN SELECT RAISE(ABORT, 'facts are never removed'); END;

-- All versions of all records. A version is visible at a point p when from_seq <= p < to_seq; to_seq is NULL
-- while it is live. The version that tells of a deletion has to_seq = from_seq, so it is never visible.
CREATE TABLE record_versions (
    slot     INTEGER PRIMARY KEY,
    tenant   TEXT    NOT NULL,
    kind     TEXT    NOT NULL,
    id       TEXT    NOT NULL,
    version  INTEGER NOT NULL,
    from_seq INTEGER NOT NULL,
    to_seq   INTEGER,
    deleted  INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    scope    TEXT    NOT NULL,
    type     TEXT    NOT NULL,
    status   TEXT,
    name     TEXT,
    time     INTEGER,
    source   TEXT,
    target   TEXT,
    tags     TEXT    NOT NULL, -- JSON array of texts
    uniques  TEXT    NOT NULL, -- JSON array of {space, name}
    text     TEXT    NOT NULL,
    body     TEXT    NOT NULL
) STRICT;

-- Reads at any point, present or past.
CREATE UNIQUE INDEX history ON record_versions (tenant, kind, id, from_seq, version);
CREATE INDEX scope_history ON record_versions (tenant, kind, scope, id, from_seq);

-- Listings of the present: only live versions, in the order they are listed.
CREATE INDEX live_scope ON record_versions (tenant, kind, scope, id) WHERE to_seq IS NULL;
CREATE INDEX live_type ON record_versions (tenant, kind, scope, type, id) WHERE to_seq IS NULL;
CREATE INDEX live_status ON record_versions (tenant, kind, scope, status, id) WHERE to_seq IS NULL AND status IS NOT NULL;
CREATE INDEX live_name ON record_versions (tenant, kind, scope, name, id) WHERE to_seq IS NULL AND name IS NOT NULL;
CREATE INDEX live_time ON record_versions (tenant, kind, scope, time, id) WHERE to_seq IS NULL AND time IS NOT NULL;

-- Links by their ends: live ones in order of id, ended ones by when they ended.
CREATE INDEX links_source ON record_versions (tenant, source, kind, to_seq, id) WHERE source IS NOT NULL;
CREATE INDEX links_target ON record_versions (tenant, target, kind, to_seq, id) WHERE target IS NOT NULL;

-- Tags of live versions.
CREATE TABLE record_tags (
    tenant TEXT NOT NULL,
    kind   TEXT NOT NULL,
    scope  TEXT NOT NULL,
    tag    TEXT NOT NULL,
    id     TEXT NOT NULL,
    PRIMARY KEY (tenant, kind, scope, tag, id)
) STRICT, WITHOUT ROWID;

-- Names that live records hold.
CREATE TABLE unique_names (
    tenant TEXT NOT NULL,
    space  TEXT NOT NULL,
    name   TEXT NOT NULL,
    kind   TEXT NOT NULL,
    id     TEXT NOT NULL,
    PRIMARY KEY (tenant, space, name)
) STRICT, WITHOUT ROWID;

-- The last fact that put or ended a link at a record.
CREATE TABLE link_changes (
    tenant TEXT    NOT NULL,
    id     TEXT    NOT NULL,
    seq    INTEGER NOT NULL,
    PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;

-- The words of every version; its rowid is the slot of the version. A word is written as the tenant's number,
-- an x, and the word, so that a look-up never meets another tenant's words.
CREATE VIRTUAL TABLE search USING fts5 (words, content = '', detail = none, columnsize = 0, tokenize = 'ascii');

CREATE TABLE idempotency_keys (
    tenant_id         TEXT    NOT NULL,
    client_request_id TEXT    NOT NULL,
    aggregate_type    TEXT    NOT NULL,
    aggregate_id      TEXT,
    response_payload  TEXT    NOT NULL,
    created_at        INTEGER NOT NULL,
    expires_at        INTEGER NOT NULL,
    principal         TEXT    NOT NULL,
    operation         TEXT    NOT NULL,
    request_hash      TEXT    NOT NULL,
    PRIMARY KEY (tenant_id, principal, operation, client_request_id)
) STRICT;

CREATE INDEX idx_idempotency_expires ON idempotency_keys (expires_at);
