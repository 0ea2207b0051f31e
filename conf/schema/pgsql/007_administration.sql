-- Administrators' work on accounts, and its record; addresses and names that users change.

-- When an administrator locked the account; NULL: it is not locked.
ALTER TABLE users ADD COLUMN locked_at BIGINT;
CREATE INDEX users_by_role ON users (role);
CREATE INDEX users_by_time ON users (created_at, id);

-- The address that a mail goes to; NULL: the user's own.
ALTER TABLE outbox ADD COLUMN email TEXT;

-- A transaction that may take away an administrator updates this row first: one after the other, on all servers of a cluster too.
CREATE TABLE account_locks (
    name TEXT NOT NULL PRIMARY KEY,
    n    BIGINT NOT NULL
);
INSERT INTO account_locks (name, n) VALUES ('admins', 0);

-- What administrators changed, and users of their own accounts. Rows refer to no other table, because they outlive users.
CREATE TABLE audit (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    created_at BIGINT NOT NULL,
    source     TEXT NOT NULL,
    actor_id   TEXT COLLATE "C",
    actor      TEXT NOT NULL,
    client     TEXT,
    request_id TEXT,
    action     TEXT NOT NULL,
    target_id  TEXT COLLATE "C",
    target     TEXT,
    changes    TEXT
);
CREATE INDEX audit_by_time ON audit (created_at);

-- Names that users gave up, by renaming or deleting their accounts: until expires_at only user_id may take one. A name is there as the
-- digest of its folded form, so that the table does not keep what was deleted.
CREATE TABLE released_names (
    name_hash  TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    user_id    TEXT COLLATE "C" NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX released_names_by_expiry ON released_names (expires_at);
