-- Why the last attempt to send a mail failed, in at most 255 characters; NULL: none has failed, or the mail was retried since.
ALTER TABLE outbox ADD COLUMN error TEXT;
