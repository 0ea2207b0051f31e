-- Accounts: roles, sessions that can be ended, sign-ins that failed.

ALTER TABLE users ADD COLUMN role TEXT NOT NULL DEFAULT 'user' CHECK (role IN ('user', 'editor', 'admin'));

-- A session is there as long as it can be refreshed. expires_at is its absolute end.
ALTER TABLE sessions ADD COLUMN expires_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN used_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN client TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN agent TEXT NOT NULL DEFAULT '';
UPDATE sessions SET used_at = created_at, expires_at = created_at + 2592000000;
CREATE INDEX sessions_by_use ON sessions (used_at);

-- A token that was used stays until it expires: when it comes again, someone has a copy.
ALTER TABLE refresh_tokens ADD COLUMN used_at INTEGER;
CREATE INDEX refresh_tokens_by_expiry ON refresh_tokens (expires_at);
CREATE INDEX mail_tokens_by_expiry ON mail_tokens (expires_at);

-- Sessions that were ended while access tokens of theirs were still good.
CREATE TABLE revoked_sessions (
    session_id TEXT NOT NULL PRIMARY KEY,
    ended_at   INTEGER NOT NULL
) WITHOUT ROWID;

CREATE INDEX revoked_sessions_by_time ON revoked_sessions (ended_at);

-- Sign-ins that failed, by the account that was asked for, whether it exists or not, and the network they came from.
CREATE TABLE login_failures (
    account    TEXT NOT NULL,
    network    TEXT NOT NULL,
    failures   INTEGER NOT NULL,
    allowed_at INTEGER NOT NULL,
    failed_at  INTEGER NOT NULL,
    PRIMARY KEY (account, network)
) WITHOUT ROWID;

CREATE INDEX login_failures_by_time ON login_failures (failed_at);

-- A mail can be asked for by address, without a look whether the address is known: that is found out when it is sent.
DROP INDEX outbox_by_time;
DROP INDEX outbox_by_user;
ALTER TABLE outbox RENAME TO outbox_001;
CREATE TABLE outbox (
    id         TEXT NOT NULL PRIMARY KEY,
    template   TEXT NOT NULL,
    user_id    TEXT REFERENCES users (id) ON DELETE CASCADE,
    email_key  TEXT,
    state      TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'dead')),
    attempts   INTEGER NOT NULL DEFAULT 0,
    next_at    INTEGER NOT NULL,
    lease      TEXT NOT NULL DEFAULT '',
    created_at INTEGER NOT NULL,
    CHECK ((user_id IS NULL) <> (email_key IS NULL))
) WITHOUT ROWID;
INSERT INTO outbox (id, template, user_id, state, attempts, next_at, lease, created_at)
    SELECT id, template, user_id, state, attempts, next_at, lease, created_at FROM outbox_001;
DROP TABLE outbox_001;
CREATE INDEX outbox_by_time ON outbox (state, next_at);
CREATE INDEX outbox_by_user ON outbox (user_id);
