-- Administrators' work on accounts, and its record; addresses and names that users change.
-- As in step 004, MariaDB adds a column only where it is missing, and MySQL is asked first.

-- When an administrator locked the account; NULL: it is not locked.
SET @step = /*M! 'ALTER TABLE users ADD COLUMN IF NOT EXISTS locked_at BIGINT, ADD KEY IF NOT EXISTS users_by_role (role), ADD KEY IF NOT EXISTS users_by_time (created_at, id)' */
    /*!50700 (SELECT CASE WHEN COUNT(*) > 0 THEN 'DO 0' ELSE
    'ALTER TABLE users ADD COLUMN locked_at BIGINT, ADD KEY users_by_role (role), ADD KEY users_by_time (created_at, id)'
    END FROM information_schema.columns
    WHERE table_schema = DATABASE() AND table_name = 'users' AND column_name = 'locked_at') */;
PREPARE step FROM @step;
EXECUTE step;

-- The address that a mail goes to; NULL: the user's own.
SET @step = /*M! 'ALTER TABLE outbox ADD COLUMN IF NOT EXISTS email VARCHAR(254)' */
    /*!50700 (SELECT CASE WHEN COUNT(*) > 0 THEN 'DO 0' ELSE
    'ALTER TABLE outbox ADD COLUMN email VARCHAR(254)'
    END FROM information_schema.columns
    WHERE table_schema = DATABASE() AND table_name = 'outbox' AND column_name = 'email') */;
PREPARE step FROM @step;
EXECUTE step;
DEALLOCATE PREPARE step;

-- A transaction that may take away an administrator updates this row first: one after the other, on all servers of a cluster too.
CREATE TABLE IF NOT EXISTS account_locks (
    name VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
    n    BIGINT NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
INSERT IGNORE INTO account_locks (name, n) VALUES ('admins', 0);

-- What administrators changed, and users of their own accounts. Rows refer to no other table, because they outlive users.
CREATE TABLE IF NOT EXISTS audit (
    id         CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
    created_at BIGINT NOT NULL,
    source     VARCHAR(16) NOT NULL,
    actor_id   CHAR(36) CHARACTER SET ascii COLLATE ascii_bin,
    actor      VARCHAR(255) NOT NULL,
    client     VARCHAR(64),
    request_id VARCHAR(128),
    action     VARCHAR(32) NOT NULL,
    target_id  CHAR(36) CHARACTER SET ascii COLLATE ascii_bin,
    target     VARCHAR(255),
    changes    VARCHAR(1000),
    KEY audit_by_time (created_at)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Names that users gave up, by renaming or deleting their accounts: until expires_at only user_id may take one. A name is there as the
-- digest of its folded form, so that the table does not keep what was deleted.
CREATE TABLE IF NOT EXISTS released_names (
    name_hash  VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
    user_id    CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    expires_at BIGINT NOT NULL,
    KEY released_names_by_expiry (expires_at)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
