-- Refresh tokens of which few rows are kept, and sessions that another database has ended.
-- MariaDB adds a column only where it is missing. MySQL cannot, so the step asks there first. MariaDB 10.11 is not asked: it crashes
-- now and then when a subquery reads information_schema.columns while another session changes tables.

-- family_hash is of what all tokens of a session have in common, so that one whose row has been deleted is still recognized when it
-- comes again. From seed and the used token its successor is computed once more.
SET @step = /*M! 'ALTER TABLE refresh_tokens ADD COLUMN IF NOT EXISTS family_hash VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin, ADD COLUMN IF NOT EXISTS seed VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin, ADD KEY IF NOT EXISTS refresh_tokens_by_family (family_hash)' */
    /*!50700 (SELECT CASE WHEN COUNT(*) > 0 THEN 'DO 0' ELSE
    'ALTER TABLE refresh_tokens ADD COLUMN family_hash VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin, ADD COLUMN seed VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin, ADD KEY refresh_tokens_by_family (family_hash)'
    END FROM information_schema.columns
    WHERE table_schema = DATABASE() AND table_name = 'refresh_tokens' AND column_name = 'family_hash') */;
PREPARE step FROM @step;
EXECUTE step;

-- When catalogctl import added the row; NULL: the session ended here.
SET @step = /*M! 'ALTER TABLE revoked_sessions ADD COLUMN IF NOT EXISTS imported_at BIGINT, ADD KEY IF NOT EXISTS revoked_sessions_by_import (imported_at)' */
    /*!50700 (SELECT CASE WHEN COUNT(*) > 0 THEN 'DO 0' ELSE
    'ALTER TABLE revoked_sessions ADD COLUMN imported_at BIGINT, ADD KEY revoked_sessions_by_import (imported_at)'
    END FROM information_schema.columns
    WHERE table_schema = DATABASE() AND table_name = 'revoked_sessions' AND column_name = 'imported_at') */;
PREPARE step FROM @step;
EXECUTE step;
DEALLOCATE PREPARE step;
