-- Merkle trees over the facts and the audit records of a tenant: tiles of hashes, and what was signed about them.
CREATE TABLE tree_tiles (
    tenant TEXT    NOT NULL,
    tree   TEXT    NOT NULL, -- facts or audit
    level  INTEGER NOT NULL,
    number INTEGER NOT NULL,
    hashes BLOB    NOT NULL, -- of 32 bytes each, 256 at most
    PRIMARY KEY (tenant, tree, level, number)
) STRICT;

CREATE TABLE tree_checkpoints (
    tenant TEXT    NOT NULL,
    tree   TEXT    NOT NULL,
    size   INTEGER NOT NULL,
    at     INTEGER NOT NULL,
    note   TEXT    NOT NULL,
    PRIMARY KEY (tenant, tree, size)
) STRICT, WITHOUT ROWID;

-- Which audit records became which leaves: the tenant's of a source with a number after one and through another.
CREATE TABLE tree_spans (
    tenant     TEXT    NOT NULL,
    first_leaf INTEGER NOT NULL,
    leaves     INTEGER NOT NULL,
    source     TEXT    NOT NULL,
    after      INTEGER NOT NULL,
    through    INTEGER NOT NULL,
    PRIMARY KEY (tenant, first_leaf)
) STRICT, WITHOUT ROWID;

CREATE INDEX tree_span_ends ON tree_spans (source, through);

-- Up to which number the audit records of a source are leaves, in all tenants together.
CREATE TABLE tree_sources (
    source  TEXT    NOT NULL PRIMARY KEY,
    through INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- How many facts of a tenant are leaves. Only tenants that have others are in the index.
ALTER TABLE tenants ADD COLUMN sealed INTEGER NOT NULL DEFAULT 0;
CREATE INDEX tenants_behind ON tenants (number) WHERE head > sealed;
