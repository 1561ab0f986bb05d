-- Records of type '-' are not listed by scope. Most of what is written may be of this sort, and an index entry that
-- nobody asks for costs a page of the log.

DROP INDEX live_scope;
DROP INDEX live_type;
DROP INDEX ended_scope;
DROP INDEX ended_type;

CREATE INDEX live_scope ON record_versions (tenant, kind, scope, id, from_seq) WHERE to_seq IS NULL AND type <> '-';
CREATE INDEX live_type ON record_versions (tenant, kind, scope, type, id, from_seq) WHERE to_seq IS NULL AND type <> '-';
CREATE INDEX ended_scope ON record_versions (tenant, kind, scope, id, from_seq, to_seq) WHERE to_seq > from_seq AND type <> '-';
CREATE INDEX ended_type ON record_versions (tenant, kind, scope, type, id, from_seq, to_seq) WHERE to_seq > from_seq AND type <> '-';
