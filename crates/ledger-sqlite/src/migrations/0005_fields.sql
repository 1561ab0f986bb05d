-- Records are found and sorted by values of their own, and counted by type. The rows are made again from the facts when a file of
-- an older format is opened, because only the folds know which values there are.

ALTER TABLE record_versions ADD COLUMN fields TEXT NOT NULL DEFAULT '[]'; -- JSON array of [name, key]

-- A list for each field of each type in a scope; its number is what the keys below lead with.
CREATE TABLE field_lists (
    number INTEGER PRIMARY KEY,
    tenant TEXT    NOT NULL,
    kind   TEXT    NOT NULL,
    scope  TEXT    NOT NULL,
    field  TEXT    NOT NULL,
    type   TEXT    NOT NULL,
    UNIQUE (tenant, kind, scope, field, type)
) STRICT;

-- Keys that live records have. A key that stays the same through several versions keeps its row.
-- The time of a record without one is the smallest number.
CREATE TABLE live_fields (
    list     INTEGER NOT NULL,
    key      TEXT    NOT NULL,
    time     INTEGER NOT NULL,
    id       TEXT    NOT NULL,
    from_seq INTEGER NOT NULL,
    PRIMARY KEY (list, key, time, id)
) STRICT, WITHOUT ROWID;

-- Keys that records had.
CREATE TABLE ended_fields (
    list     INTEGER NOT NULL,
    key      TEXT    NOT NULL,
    time     INTEGER NOT NULL,
    id       TEXT    NOT NULL,
    from_seq INTEGER NOT NULL,
    to_seq   INTEGER NOT NULL,
    PRIMARY KEY (list, key, time, id, from_seq)
) STRICT, WITHOUT ROWID;

-- How many records of a type there were from a fact on.
CREATE TABLE record_counts (
    tenant TEXT    NOT NULL,
    kind   TEXT    NOT NULL,
    scope  TEXT    NOT NULL,
    type   TEXT    NOT NULL,
    seq    INTEGER NOT NULL,
    count  INTEGER NOT NULL,
    PRIMARY KEY (tenant, kind, scope, type, seq)
) STRICT, WITHOUT ROWID;
