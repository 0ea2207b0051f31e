-- Administrators' work on accounts, and its record; addresses that users change.

-- When an administrator locked the account; NULL: it is not locked.
ALTER TABLE users ADD COLUMN locked_at INTEGER;
CREATE INDEX users_by_role ON users (role);
CREATE INDEX users_by_time ON users (created_at, id);

-- The address that a mail goes to, and that its link confirms; NULL: the user's own.
ALTER TABLE outbox ADD COLUMN email TEXT;
ALTER TABLE mail_tokens ADD COLUMN email TEXT;

-- A transaction that may take away an administrator updates this row first: one after the other, on all servers of a cluster too.
CREATE TABLE account_locks (
    name TEXT NOT NULL PRIMARY KEY,
    n    INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO account_locks (name, n) VALUES ('admins', 0);

-- What administrators changed. Rows refer to no other table, because they outlive users.
CREATE TABLE audit (
    id         TEXT NOT NULL PRIMARY KEY,
    created_at INTEGER NOT NULL,
    source     TEXT NOT NULL,
    actor_id   TEXT,
    actor      TEXT NOT NULL,
    client     TEXT,
    request_id TEXT,
    action     TEXT NOT NULL,
    target_id  TEXT,
    target     TEXT,
    changes    TEXT
) WITHOUT ROWID;
CREATE INDEX audit_by_time ON audit (created_at);
