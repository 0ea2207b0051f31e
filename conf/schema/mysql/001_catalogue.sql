-- The catalogue, its users, and the mail that is still to be sent.
-- Times are milliseconds since the epoch. Numbers are text, so that they come back as they were sent.
-- Each statement can be run again: this database commits after each, so a step that was cut off begins anew. MySQL cannot add a
-- column only where it is missing, so the tables have from the start what step 002 adds to those of SQLite.

-- products_by_time is the order of the list.
CREATE TABLE IF NOT EXISTS products (
    id         CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
    name       VARCHAR(200) NOT NULL,
    price      VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    category   VARCHAR(100) NOT NULL,
    in_stock   TINYINT NOT NULL,
    rating     VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin,
    created_at BIGINT NOT NULL,
    UNIQUE KEY products_by_time (created_at, id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The _key columns hold the folded form in which names and addresses are compared; octets, because all collations that MySQL and
-- MariaDB share take no notice of blanks at the end.
CREATE TABLE IF NOT EXISTS users (
    id            CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
    username      VARCHAR(64) NOT NULL,
    username_key  VARBINARY(64) NOT NULL,
    email         VARCHAR(254) NOT NULL,
    email_key     VARBINARY(254) NOT NULL,
    password_hash VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    confirmed_at  BIGINT,
    created_at    BIGINT NOT NULL,
    role          VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'user',
    UNIQUE KEY users_by_username (username_key),
    UNIQUE KEY users_by_email (email_key),
    CONSTRAINT users_role CHECK (role IN ('user', 'editor', 'admin'))
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- A session is there as long as it can be refreshed. expires_at is its absolute end.
CREATE TABLE IF NOT EXISTS sessions (
    id         CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
    user_id    CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at    BIGINT NOT NULL,
    client     VARCHAR(64) NOT NULL,
    agent      VARCHAR(200) NOT NULL,
    KEY sessions_by_user (user_id),
    KEY sessions_by_use (used_at),
    CONSTRAINT sessions_user FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Opaque tokens are stored as their SHA-256 only. One that was used stays until it expires: when it comes again, someone has a
-- copy.
CREATE TABLE IF NOT EXISTS refresh_tokens (
    token_hash VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
    session_id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at    BIGINT,
    KEY refresh_tokens_by_session (session_id),
    KEY refresh_tokens_by_expiry (expires_at),
    CONSTRAINT refresh_tokens_session FOREIGN KEY (session_id) REFERENCES sessions (id) ON DELETE CASCADE ON UPDATE CASCADE
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- email: the address that the link was sent to. It is the user's own, or the one that the link makes the user's.
CREATE TABLE IF NOT EXISTS mail_tokens (
    token_hash VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
    purpose    VARCHAR(32) NOT NULL,
    user_id    CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    email      VARCHAR(254) NOT NULL,
    KEY mail_tokens_by_user (user_id),
    KEY mail_tokens_by_expiry (expires_at),
    CONSTRAINT mail_tokens_user FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- A row stays until its mail is sent. next_at is when it may be claimed: while a server works on it, the end of its lease.
-- A mail can be asked for by address, without a look whether the address is known: that is found out when it is sent.
CREATE TABLE IF NOT EXISTS outbox (
    id         CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
    template   VARCHAR(32) NOT NULL,
    user_id    CHAR(36) CHARACTER SET ascii COLLATE ascii_bin,
    email_key  VARBINARY(254),
    state      VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'pending',
    attempts   INTEGER NOT NULL DEFAULT 0,
    next_at    BIGINT NOT NULL,
    lease      VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
    created_at BIGINT NOT NULL,
    KEY outbox_by_time (state, next_at),
    KEY outbox_by_user (user_id),
    CONSTRAINT outbox_state CHECK (state IN ('pending', 'dead')),
    CONSTRAINT outbox_recipient CHECK ((user_id IS NULL) <> (email_key IS NULL)),
    CONSTRAINT outbox_user FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
