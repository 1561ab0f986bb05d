-- Rows are leaves of a tree, which names this file, and stay leaves when their time is over and they are removed.
CREATE TABLE file (
    id              TEXT    NOT NULL,
    removed_through INTEGER NOT NULL
) STRICT;

INSERT INTO file (id, removed_through) VALUES (lower(hex(randomblob(16))), 0);

DROP TRIGGER audit_is_never_removed;
CREATE TRIGGER audit_is_never_removed BEFORE DELETE ON audit
WHEN OLD.number > (SELECT removed_through FROM file)
BEGIN SELECT RAISE(ABORT, 'audit rows are never removed'); END;
