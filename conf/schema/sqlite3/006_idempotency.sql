-- Requests that were sent with an Idempotency-Key, and their answers.

-- Part 0 of a key is inserted first in the transaction of the write that it protects; its content tells the same request from
-- another. The parts that follow are the answer, in pieces.
CREATE TABLE idempotency_keys (
    key_hash   TEXT NOT NULL,
    part       INTEGER NOT NULL,
    content    TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (key_hash, part)
);

CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);
