-- The audit records of changes, each written in the transaction of its change. Calls that change nothing are in audit.db.
CREATE TABLE audit (
    number         INTEGER PRIMARY KEY,
    tenant         TEXT    NOT NULL,
    at             INTEGER NOT NULL, -- of the change
    seq            INTEGER NOT NULL, -- the tenant's head after the change
    id             TEXT    NOT NULL, -- of the call
    principal      TEXT    NOT NULL,
    correlation_id TEXT    NOT NULL,
    body           TEXT    NOT NULL
) STRICT;

CREATE INDEX audit_recent ON audit (tenant, at);
CREATE INDEX audit_correlation ON audit (tenant, correlation_id, at);

CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'audit rows are never changed'); END;

CREATE TRIGGER audit_is_never_removed BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'audit rows are never removed'); END;
