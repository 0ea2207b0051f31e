-- Why the last attempt to send a mail failed, in at most 255 characters; NULL: none has failed, or the mail was retried since.
-- As in step 004, MariaDB adds a column only where it is missing, and MySQL is asked first.
SET @step = /*M! 'ALTER TABLE outbox ADD COLUMN IF NOT EXISTS error VARCHAR(255)' */
    /*!50700 (SELECT CASE WHEN COUNT(*) > 0 THEN 'DO 0' ELSE
    'ALTER TABLE outbox ADD COLUMN error VARCHAR(255)'
    END FROM information_schema.columns
    WHERE table_schema = DATABASE() AND table_name = 'outbox' AND column_name = 'error') */;
PREPARE step FROM @step;
EXECUTE step;
DEALLOCATE PREPARE step;
