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
