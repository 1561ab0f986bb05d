-- Whether a record is listed by scope and type is a column of its own; until here the type '-' said so. Records with a
-- time are also listed by type and time.

ALTER TABLE record_versions ADD COLUMN listed INTEGER NOT NULL DEFAULT 1;
UPDATE record_versions SET listed = 0 WHERE type = '-';

DROP INDEX live_scope;
DROP INDEX live_type;
DROP INDEX ended_scope;
DROP INDEX ended_type;

CREATE INDEX live_scope ON record_versions (tenant, kind, scope, id, from_seq) WHERE to_seq IS NULL AND listed;
CREATE INDEX live_type ON record_versions (tenant, kind, scope, type, id, from_seq) WHERE to_seq IS NULL AND listed;
CREATE INDEX live_type_time ON record_versions (tenant, kind, scope, type, time, id, from_seq) WHERE to_seq IS NULL AND time IS NOT NULL;
CREATE INDEX ended_scope ON record_versions (tenant, kind, scope, id, from_seq, to_seq) WHERE to_seq > from_seq AND listed;
CREATE INDEX ended_type ON record_versions (tenant, kind, scope, type, id, from_seq, to_seq) WHERE to_seq > from_seq AND listed;
CREATE INDEX ended_type_time ON record_versions (tenant, kind, scope, type, time, id, from_seq, to_seq) WHERE to_seq > from_seq AND time IS NOT NULL;

-- Facts in a table with row numbers: a row of up to a page shares pages with its neighbours, where the table without them
-- gave everything beyond a quarter of a page a page of its own.
DROP TRIGGER facts_are_never_changed;
DROP TRIGGER facts_are_never_removed;
ALTER TABLE facts RENAME TO facts_before;

CREATE TABLE facts (
    number       INTEGER PRIMARY KEY,
    tenant       TEXT    NOT NULL,
    seq          INTEGER NOT NULL,
    at           INTEGER NOT NULL,
    kind         TEXT    NOT NULL,
    subject_kind TEXT    NOT NULL,
    subject_id   TEXT    NOT NULL,
    meta         TEXT    NOT NULL,
    body         TEXT    NOT NULL,
    UNIQUE (tenant, seq)
) STRICT;

INSERT INTO facts (tenant, seq, at, kind, subject_kind, subject_id, meta, body)
SELECT tenant, seq, at, kind, subject_kind, subject_id, meta, body FROM facts_before ORDER BY tenant, seq;
DROP TABLE facts_before;

CREATE TRIGGER facts_are_never_changed BEFORE UPDATE ON facts
BEGIN SELECT RAISE(ABORT, 'facts are never changed'); END;

CREATE TRIGGER facts_are_never_removed BEFORE DELETE ON facts
BEGIN SELECT RAISE(ABORT, 'facts are never removed'); END;
