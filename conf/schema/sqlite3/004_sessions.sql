-- Refresh tokens of which few rows are kept, and sessions that another database has ended.

-- family_hash is of what all tokens of a session have in common, so that one whose row has been deleted is still recognized when it
-- comes again. From seed and the used token its successor is computed once more.
ALTER TABLE refresh_tokens ADD COLUMN family_hash TEXT;
ALTER TABLE refresh_tokens ADD COLUMN seed TEXT;
CREATE INDEX refresh_tokens_by_family ON refresh_tokens (family_hash);

-- When catalogctl import added the row; NULL: the session ended here.
ALTER TABLE revoked_sessions ADD COLUMN imported_at INTEGER;
CREATE INDEX revoked_sessions_by_import ON revoked_sessions (imported_at);
