-- Listed by time, together with the records of changes, which are in the ledger.
DROP INDEX audit_recent;
CREATE INDEX audit_recent ON audit (tenant, at, number);
