-- The catalogue, its users, and the mail that is still to be sent.
-- Times are milliseconds since the epoch. Numbers are text: SQLite would hand REAL back with 15 digits.

CREATE TABLE products (
    id         TEXT NOT NULL PRIMARY KEY,
    name       TEXT NOT NULL,
    price      TEXT NOT NULL,
    category   TEXT NOT NULL,
    in_stock   INTEGER NOT NULL,
    rating     TEXT,
    created_at INTEGER NOT NULL
) WITHOUT ROWID;

-- The order of the list.
CREATE UNIQUE INDEX products_by_time ON products (created_at, id);

-- The _key columns hold the folded form in which names and addresses are compared.
CREATE TABLE users (
    id            TEXT NOT NULL PRIMARY KEY,
    username      TEXT NOT NULL,
    username_key  TEXT NOT NULL UNIQUE,
    email         TEXT NOT NULL,
    email_key     TEXT NOT NULL UNIQUE,
    password_hash TEXT NOT NULL,
    confirmed_at  INTEGER,
    created_at    INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE sessions (
    id         TEXT NOT NULL PRIMARY KEY,
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE INDEX sessions_by_user ON sessions (user_id);

-- Opaque tokens are stored as their SHA-256 only.
CREATE TABLE refresh_tokens (
    token_hash TEXT NOT NULL PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE ON UPDATE CASCADE,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE INDEX refresh_tokens_by_session ON refresh_tokens (session_id);

-- email: the address that the link was sent to. It is the user's own, or the one that the link makes the user's.
CREATE TABLE mail_tokens (
    token_hash TEXT NOT NULL PRIMARY KEY,
    purpose    TEXT NOT NULL,
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    email      TEXT NOT NULL
) WITHOUT ROWID;

CREATE INDEX mail_tokens_by_user ON mail_tokens (user_id);

-- A row stays until its mail is sent. next_at is when it may be claimed: while a server works on it, the end of its lease.
CREATE TABLE outbox (
    id         TEXT NOT NULL PRIMARY KEY,
    template   TEXT NOT NULL,
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    state      TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'dead')),
    attempts   INTEGER NOT NULL DEFAULT 0,
    next_at    INTEGER NOT NULL,
    lease      TEXT NOT NULL DEFAULT '',
    created_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE INDEX outbox_by_time ON outbox (state, next_at);
CREATE INDEX outbox_by_user ON outbox (user_id);
