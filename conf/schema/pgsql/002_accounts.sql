-- Accounts: roles, sessions that can be ended, sign-ins that failed.

ALTER TABLE users ADD COLUMN role TEXT NOT NULL DEFAULT 'user' CHECK (role IN ('user', 'editor', 'admin'));

-- A session is there as long as it can be refreshed. expires_at is its absolute end.
ALTER TABLE sessions
    ADD COLUMN expires_at BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN used_at BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN client TEXT NOT NULL DEFAULT '',
    ADD COLUMN agent TEXT NOT NULL DEFAULT '';
UPDATE sessions SET used_at = created_at, expires_at = created_at + 2592000000;
CREATE INDEX sessions_by_use ON sessions (used_at);

-- A token that was used stays until it expires: when it comes again, someone has a copy.
ALTER TABLE refresh_tokens ADD COLUMN used_at BIGINT;
CREATE INDEX refresh_tokens_by_expiry ON refresh_tokens (expires_at);
CREATE INDEX mail_tokens_by_expiry ON mail_tokens (expires_at);

-- Sessions that were ended while access tokens of theirs were still good.
CREATE TABLE revoked_sessions (
    session_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    ended_at   BIGINT NOT NULL
);

CREATE INDEX revoked_sessions_by_time ON revoked_sessions (ended_at);

-- Sign-ins that failed, by the account that was asked for, whether it exists or not, and the network they came from.
CREATE TABLE login_failures (
    account    TEXT COLLATE "C" NOT NULL,
    network    TEXT COLLATE "C" NOT NULL,
    failures   INTEGER NOT NULL,
    allowed_at BIGINT NOT NULL,
    failed_at  BIGINT NOT NULL,
    PRIMARY KEY (account, network)
);

CREATE INDEX login_failures_by_time ON login_failures (failed_at);

-- A mail can be asked for by address, without a look whether the address is known: that is found out when it is sent.
ALTER TABLE outbox
    ALTER COLUMN user_id DROP NOT NULL,
    ADD COLUMN email_key TEXT COLLATE "C",
    ADD CONSTRAINT outbox_recipient CHECK ((user_id IS NULL) <> (email_key IS NULL));
