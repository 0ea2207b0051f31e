-- Accounts: sessions that can be ended, sign-ins that failed.

-- Sessions that were ended while access tokens of theirs were still good.
CREATE TABLE IF NOT EXISTS revoked_sessions (
    session_id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
    ended_at   BIGINT NOT NULL,
    KEY revoked_sessions_by_time (ended_at)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Sign-ins that failed, by the account that was asked for, whether it exists or not, and the network they came from.
CREATE TABLE IF NOT EXISTS login_failures (
    account    VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    network    VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    failures   INTEGER NOT NULL,
    allowed_at BIGINT NOT NULL,
    failed_at  BIGINT NOT NULL,
    PRIMARY KEY (account, network),
    KEY login_failures_by_time (failed_at)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
