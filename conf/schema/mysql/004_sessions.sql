-- Refresh tokens of which few rows are kept, and sessions that another database has ended.
-- MySQL cannot add a column only where it is missing, so whether it is missing is asked before. On a Galera cluster another node may
-- add it between the two, which MariaDB forgives.

-- family_hash is of what all tokens of a session have in common, so that one whose row has been deleted is still recognized when it
-- comes again. From seed and the used token its successor is computed once more.
SET @step = (SELECT CASE WHEN COUNT(*) > 0 THEN 'DO 0' ELSE
    'ALTER TABLE refresh_tokens ADD COLUMN /*M! IF NOT EXISTS */ family_hash VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin, ADD COLUMN /*M! IF NOT EXISTS */ seed VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin, ADD KEY /*M! IF NOT EXISTS */ refresh_tokens_by_family (family_hash)'
    END FROM information_schema.columns
    WHERE table_schema = DATABASE() AND table_name = 'refresh_tokens' AND column_name = 'family_hash');
PREPARE step FROM @step;
EXECUTE step;

-- When catalogctl import added the row; NULL: the session ended here.
SET @step = (SELECT CASE WHEN COUNT(*) > 0 THEN 'DO 0' ELSE
    'ALTER TABLE revoked_sessions ADD COLUMN /*M! IF NOT EXISTS */ imported_at BIGINT, ADD KEY /*M! IF NOT EXISTS */ revoked_sessions_by_import (imported_at)'
    END FROM information_schema.columns
    WHERE table_schema = DATABASE() AND table_name = 'revoked_sessions' AND column_name = 'imported_at');
PREPARE step FROM @step;
EXECUTE step;
DEALLOCATE PREPARE step;
