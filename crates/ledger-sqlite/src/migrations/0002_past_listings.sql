-- Listings of the past walk an index too. Each order has two indexes that together hold every version that was ever
-- visible: the live ones and the ended ones. Both end with the numbers that tell whether a version is visible
-- at a point, so what is not is passed over without reading its row. A create pays for the live ones only.

DROP INDEX scope_history;
DROP INDEX links_source;
DROP INDEX links_target;
DROP INDEX live_scope;
DROP INDEX live_type;
DROP INDEX live_status;
DROP INDEX live_name;
DROP INDEX live_time;

CREATE INDEX live_scope ON record_versions (tenant, kind, scope, id, from_seq) WHERE to_seq IS NULL;
CREATE INDEX live_type ON record_versions (tenant, kind, scope, type, id, from_seq) WHERE to_seq IS NULL;
CREATE INDEX live_status ON record_versions (tenant, kind, scope, status, id, from_seq) WHERE to_seq IS NULL AND status IS NOT NULL;
CREATE INDEX live_name ON record_versions (tenant, kind, scope, name, id, from_seq) WHERE to_seq IS NULL AND name IS NOT NULL;
CREATE INDEX live_time ON record_versions (tenant, kind, scope, time, id, from_seq) WHERE to_seq IS NULL AND time IS NOT NULL;
CREATE INDEX live_source ON record_versions (tenant, source, kind, id, from_seq) WHERE to_seq IS NULL AND source IS NOT NULL;
CREATE INDEX live_target ON record_versions (tenant, target, kind, id, from_seq) WHERE to_seq IS NULL AND target IS NOT NULL;

-- A version that ended where it began was never visible.
CREATE INDEX ended_scope ON record_versions (tenant, kind, scope, id, from_seq, to_seq) WHERE to_seq > from_seq;
CREATE INDEX ended_type ON record_versions (tenant, kind, scope, type, id, from_seq, to_seq) WHERE to_seq > from_seq;
CREATE INDEX ended_status ON record_versions (tenant, kind, scope, status, id, from_seq, to_seq) WHERE to_seq > from_seq AND status IS NOT NULL;
CREATE INDEX ended_name ON record_versions (tenant, kind, scope, name, id, from_seq, to_seq) WHERE to_seq > from_seq AND name IS NOT NULL;
CREATE INDEX ended_time ON record_versions (tenant, kind, scope, time, id, from_seq, to_seq) WHERE to_seq > from_seq AND time IS NOT NULL;
CREATE INDEX ended_source ON record_versions (tenant, source, kind, id, from_seq, to_seq) WHERE to_seq > from_seq AND source IS NOT NULL;
CREATE INDEX ended_target ON record_versions (tenant, target, kind, id, from_seq, to_seq) WHERE to_seq > from_seq AND target IS NOT NULL;

-- Tags of ended versions.
CREATE TABLE ended_tags (
    tenant   TEXT    NOT NULL,
    kind     TEXT    NOT NULL,
    scope    TEXT    NOT NULL,
    tag      TEXT    NOT NULL,
    id       TEXT    NOT NULL,
    from_seq INTEGER NOT NULL,
    to_seq   INTEGER NOT NULL,
    slot     INTEGER NOT NULL, -- of the version
    PRIMARY KEY (tenant, kind, scope, tag, id, from_seq)
) STRICT, WITHOUT ROWID;

INSERT INTO ended_tags (tenant, kind, scope, tag, id, from_seq, to_seq, slot)
SELECT DISTINCT v.tenant, v.kind, v.scope, t.value, v.id, v.from_seq, v.to_seq, v.slot
  FROM record_versions v
 CROSS JOIN json_each(v.tags) t
 WHERE v.to_seq > v.from_seq AND v.tags <> '[]'
 ORDER BY 1, 2, 3, 4, 5, 6;
