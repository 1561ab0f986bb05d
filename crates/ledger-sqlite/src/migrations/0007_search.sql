-- What search derives from the facts: how far each index has come, its rows, and their vectors. All of it can be made again.
CREATE TABLE search_state (
    tenant     TEXT    NOT NULL,
    name       TEXT    NOT NULL, -- of the index
    generation INTEGER NOT NULL, -- rows of another one are of no use
    through    INTEGER NOT NULL, -- the last fact that is in it
    made_by    TEXT    NOT NULL,
    PRIMARY KEY (tenant, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE search_rows (
    number     INTEGER PRIMARY KEY,
    tenant     TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    generation INTEGER NOT NULL,
    partition  TEXT    NOT NULL,
    document   TEXT    NOT NULL,
    passage    INTEGER NOT NULL,
    from_seq   INTEGER NOT NULL,
    to_seq     INTEGER,
    hash       BLOB    NOT NULL,
    body       BLOB    NOT NULL
) STRICT;

CREATE INDEX search_live ON search_rows (tenant, name, generation, document) WHERE to_seq IS NULL;
CREATE INDEX search_partition ON search_rows (tenant, name, generation, partition);

CREATE TABLE search_vectors (
    tenant TEXT    NOT NULL,
    space  TEXT    NOT NULL,
    number INTEGER NOT NULL, -- of the row
    vector BLOB    NOT NULL, -- empty where there is nothing to embed
    PRIMARY KEY (tenant, space, number)
) STRICT, WITHOUT ROWID;
