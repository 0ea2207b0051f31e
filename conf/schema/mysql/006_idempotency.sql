-- Requests that were sent with an Idempotency-Key, and their answers.

-- Part 0 of a key is inserted first in the transaction of the write that it protects; its content tells the same request from
-- another. The parts that follow are the answer, in pieces.
CREATE TABLE IF NOT EXISTS idempotency_keys (
    key_hash   CHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    part       INTEGER NOT NULL,
    content    VARCHAR(8000) NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (key_hash, part),
    KEY idempotency_keys_by_expiry (expires_at)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
