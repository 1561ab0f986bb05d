-- One row for each call, refused ones too. Times are microseconds since 1970 in UTC.
CREATE TABLE audit (
    number         INTEGER PRIMARY KEY,
    audit_id       TEXT    NOT NULL,
    at             INTEGER NOT NULL,
    tenant         TEXT    NOT NULL,
    principal      TEXT    NOT NULL,
    principal_kind TEXT    NOT NULL,
    transport      TEXT    NOT NULL,
    client         TEXT,
    method         TEXT    NOT NULL,
    target         TEXT    NOT NULL,
    arguments      TEXT    NOT NULL,
    arguments_hash TEXT    NOT NULL,
    request_id     TEXT    NOT NULL,
    correlation_id TEXT    NOT NULL,
    trace_id       TEXT,
    decision       TEXT    NOT NULL,
    outcome        TEXT    NOT NULL,
    error_code     TEXT,
    duration_us    INTEGER NOT NULL
) STRICT;

CREATE INDEX audit_recent ON audit (tenant, number);
CREATE INDEX audit_correlation ON audit (tenant, correlation_id, number);

CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'audit rows are never changed'); END;

CREATE TRIGGER audit_is_never_removed BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'audit rows are never removed'); END;
