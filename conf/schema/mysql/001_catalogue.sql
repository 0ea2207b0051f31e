-- The catalogue, its users, and the mail that is still to be sent.
-- Times are milliseconds since the epoch. Numbers are text, so that they come back as they were sent.
-- Each statement can be run again: this database commits after each, so a step that was cut off begins anew.

-- ---- products ----

-- products_by_time is the order of the list, with what conditions on numbers, inStock and category ask: a range of prices, newest first,
-- passes many products for each that it shows, and reads this index alone. A category in the order of another field is read from one
-- index, see docs/decisions/0035-derived-columns-written-by-the-module.md.
-- n: the key and the order of the list, 43 bits of milliseconds, 12 bits of their fraction and 8 random bits of the id, a UUID of version 7. So
-- createdAt is n >> 20, see docs/decisions/0110-one-number-orders-products.md. An id is found by its number.
-- extra: own fields of the shop as a JSON object, see docs/decisions/0068-own-fields-in-one-column.md. NULL: the product has none.
-- No column of products is a BLOB or TEXT: with the driver, the end of a longer value in the row before would be read behind a shorter one.
-- From name_key on, what conditions, order and search need: src/catalogue/product/products.c writes it together with each product. Folded
-- texts, and numbers as the bits of a double, which order them: -1 for no rating. words: the distinct folded words of the name, as
-- src/lib/words.h lists them, in order, a blank before and after each; behind a colon, those that only the category has; then those of
-- fields of the shop's own, each with the number of its field before it, :3:acme. NULL: the row is not indexed, because CatalogIndex does not name the part, or because another program wrote the row. Folded texts are octets, because all collations
-- that MySQL and MariaDB share take no notice of blanks at the end.
CREATE TABLE IF NOT EXISTS products (
    n            BIGINT NOT NULL PRIMARY KEY,
    id           CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    name         VARCHAR(200) NOT NULL,
    price        VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    category     VARCHAR(100) NOT NULL,
    in_stock     TINYINT NOT NULL,
    rating       VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin,
    extra        VARBINARY(40000),
    name_key     VARBINARY(800),
    category_key VARBINARY(800),
    price_key    BIGINT,
    rating_key   BIGINT,
    words        VARBINARY(16000),
    KEY products_by_time (n, price_key, rating_key, in_stock, category),
    KEY products_by_category (category, n, category_key),
    KEY products_by_category_key (category_key, n),
    KEY products_by_category_price (category, price_key, n),
    KEY products_by_price (price_key, n, category),
    KEY products_by_name (name_key, n, category),
    KEY products_by_rating (rating_key, n, category)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The words of each product, cut off after 64 octets. in_name: 1 if its name has the word, which orders lists by relevance; and 2 more if
-- the product has it only as two words with a blank between them, or behind a hyphen, so that the dictionary need not have it.
CREATE TABLE IF NOT EXISTS product_words (
    word       VARBINARY(64) NOT NULL,
    n          BIGINT NOT NULL,
    in_name    TINYINT NOT NULL DEFAULT 0,
    PRIMARY KEY (word, n)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The distinct words of product_words that have letters only, four or more, and are not joined in each product: each with an empty part and
-- 0 letters, and with each of its parts of three letters, '<ke', 'ket', 'ett' and so on of 'kettle'. See src/catalogue/product/dictionary.c.
CREATE TABLE IF NOT EXISTS dictionary (
    part    VARBINARY(12) NOT NULL,
    letters TINYINT NOT NULL,
    word    VARBINARY(64) NOT NULL,
    PRIMARY KEY (part, letters, word)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The parts of the index that CatalogIndex names. complete: 1 when all products have theirs; until then those from the number n on,
-- filled of them. If no product has the part yet, n is greater than all numbers. rules N: the same of the rules by which texts are folded and
-- split into words, see src/lib/words.h: when all products have what version N of them makes.
CREATE TABLE IF NOT EXISTS product_indexes (
    part       VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
    complete   TINYINT NOT NULL,
    n          BIGINT NOT NULL,
    filled     BIGINT NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
INSERT IGNORE INTO product_indexes (part, complete, n, filled)
    VALUES ('category', 1, 9223372036854775807, 0), ('price', 1, 9223372036854775807, 0), ('name', 1, 9223372036854775807, 0),
        ('rating', 1, 9223372036854775807, 0), ('search', 1, 9223372036854775807, 0),
        ('rules 5', 1, 9223372036854775807, 0);

-- ---- own fields of the shop ----

-- The fields that some server of the database has, or had, a line of CatalogField for. definition: the type, and what decides its keys.
-- complete: 1 when all products have its keys. Until then those from the number n on, filled of them.
-- counted: 1 when writers count its values in value_counts, if it has the option facet.
-- claimed: 1 when product_unique has all values of products, if it has the option unique; it also has them when complete is 1.
-- ordered_at: when the configuration was read that decided the order of the values of a choice; 0: they are in the order in which they came.
CREATE TABLE IF NOT EXISTS catalog_fields (
    number     INT NOT NULL PRIMARY KEY,
    name       VARCHAR(81) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    definition VARCHAR(16000) NOT NULL,
    complete   TINYINT NOT NULL,
    n          BIGINT NOT NULL,
    filled     BIGINT NOT NULL,
    counted    TINYINT NOT NULL DEFAULT 0,
    claimed    TINYINT NOT NULL DEFAULT 1,
    ordered_at BIGINT NOT NULL DEFAULT 0,
    UNIQUE KEY catalog_fields_by_name (name)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- A row for each product and indexed field, with an empty key where the product lacks the field, or for each element of a list. Keys are
-- ordered as the values are. value: the exact text, of a field whose key is its folded form, see src/catalogue/product/own_keys.h.
-- counted: 1 if value_counts has counted the row; then value is the exact text, whatever the key.
CREATE TABLE IF NOT EXISTS product_keys (
    field      INT NOT NULL,
    value_key  VARBINARY(400) NOT NULL,
    n          BIGINT NOT NULL,
    value      VARBINARY(400),
    counted    TINYINT NOT NULL DEFAULT 0,
    PRIMARY KEY (field, value_key, n),
    KEY product_keys_by_product (field, n, value_key)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The values of unique fields: the primary key decides which product has one.
CREATE TABLE IF NOT EXISTS product_unique (
    field INT NOT NULL,
    value VARBINARY(400) NOT NULL,
    n     BIGINT NOT NULL,
    PRIMARY KEY (field, value),
    KEY product_unique_by_n (n, field)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- How many products have each value of each field with the option facet: the rows of product_keys that are counted, except for those in value_deltas. value_key: orders the
-- values. See src/catalogue/product/value_counts.c.
CREATE TABLE IF NOT EXISTS value_counts (
    field     INT NOT NULL,
    value_key VARBINARY(400) NOT NULL,
    value     VARBINARY(400) NOT NULL,
    n         BIGINT NOT NULL,
    PRIMARY KEY (field, value_key, value),
    KEY value_counts_by_count (field, n DESC, value)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- What came and went and is not counted yet, as in product_deltas.
CREATE TABLE IF NOT EXISTS value_deltas (
    seq       BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    field     INT NOT NULL,
    value_key VARBINARY(400) NOT NULL,
    value     VARBINARY(400) NOT NULL,
    delta     INT NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- ---- how many products there are ----

-- name 'products': n counts all products, in_stock those in stock, except for the rows of product_deltas. name 'lock': a
-- transaction that changes the counts updates this row first, and so locks it; n counts these updates. name 'written': n is 0 until the first product is written
-- (docs/decisions/0077).
CREATE TABLE IF NOT EXISTS product_counts (
    name     VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
    n        BIGINT NOT NULL,
    in_stock BIGINT NOT NULL DEFAULT 0
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
INSERT IGNORE INTO product_counts (name, n) VALUES ('products', 0), ('lock', 0), ('written', 0);

-- What came and went and is not counted yet: writers only add here, so none waits for another, on any node of a cluster. delta: how many
-- products; category: of an indexed product, and category_delta how many of these; in_stock: how many products in stock, of the category
-- too if there is one. What is taken out goes into product_counts.
CREATE TABLE IF NOT EXISTS product_deltas (
    seq            BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    delta          TINYINT NOT NULL,
    category       VARBINARY(400),
    category_delta INTEGER NOT NULL DEFAULT 0,
    in_stock       INTEGER NOT NULL DEFAULT 0
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- How many indexed products each category has, and how many of them are in stock, except for those in product_deltas.
-- category_key: the folded name, in whose order categories are listed. NULL: the maintenance has to fill it in.
CREATE TABLE IF NOT EXISTS category_counts (
    category     VARBINARY(400) NOT NULL PRIMARY KEY,
    n            BIGINT NOT NULL,
    in_stock     BIGINT NOT NULL DEFAULT 0,
    category_key VARBINARY(800),
    INDEX categories_by_key (category_key, category)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- ---- users ----

-- The _key columns hold the folded form in which names and addresses are compared. locked_at: when an administrator locked the account;
-- NULL: it is not locked. signed_in_at: when the user last signed in; NULL: never. language: in which the user gets mails; NULL: not known.
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
    locked_at     BIGINT,
    signed_in_at  BIGINT,
    language      VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin,
    UNIQUE KEY users_by_username (username_key),
    UNIQUE KEY users_by_email (email_key),
    KEY users_by_role (role),
    KEY users_by_time (created_at, id),
    CONSTRAINT users_role CHECK (role IN ('user', 'editor', 'admin'))
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Names that users gave up, by renaming or deleting their accounts: until expires_at only user_id may take one. A name is there as the
-- digest of its folded form, so that the table does not keep what was deleted.
CREATE TABLE IF NOT EXISTS released_names (
    name_hash  VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
    user_id    CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    expires_at BIGINT NOT NULL,
    KEY released_names_by_expiry (expires_at)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- A transaction that may take away an administrator updates this row first: one after the other, on all servers of a cluster too.
CREATE TABLE IF NOT EXISTS account_locks (
    name VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
    n    BIGINT NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
INSERT IGNORE INTO account_locks (name, n) VALUES ('admins', 0);

-- Wrong passwords, by a digest of the login that was sent or of the id of a user who has signed in, and by the network they came from.
CREATE TABLE IF NOT EXISTS login_failures (
    account    VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    network    VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    failures   INTEGER NOT NULL,
    allowed_at BIGINT NOT NULL,
    failed_at  BIGINT NOT NULL,
    PRIMARY KEY (account, network),
    KEY login_failures_by_time (failed_at)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- What administrators changed, and what users changed of their own accounts. Rows refer to no other table, because they outlive users.
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
    actor_key  VARCHAR(255) AS (LOWER(actor)) VIRTUAL,
    target_key VARCHAR(255) AS (LOWER(target)) VIRTUAL,
    KEY audit_by_time (created_at),
    KEY audit_by_actor (actor_id, id),
    KEY audit_by_actor_name (actor_key, id),
    KEY audit_by_target (target_id, id),
    KEY audit_by_target_name (target_key, id),
    KEY audit_by_action (action, id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- ---- sessions ----

-- A session exists as long as it can be refreshed. expires_at is its absolute end.
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

-- Opaque tokens are stored as their SHA-256 only. The row of one that was used is deleted at a later refresh: family_hash is that of what
-- all tokens of a session have in common, so that a used token is still recognized when it comes again, which means that someone has a copy.
-- Its successor is computed again from seed and the used token.
CREATE TABLE IF NOT EXISTS refresh_tokens (
    token_hash  VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
    session_id  CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    created_at  BIGINT NOT NULL,
    expires_at  BIGINT NOT NULL,
    used_at     BIGINT,
    family_hash VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    seed        VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin,
    KEY refresh_tokens_by_session (session_id),
    KEY refresh_tokens_by_expiry (expires_at),
    KEY refresh_tokens_by_family (family_hash),
    CONSTRAINT refresh_tokens_session FOREIGN KEY (session_id) REFERENCES sessions (id) ON DELETE CASCADE ON UPDATE CASCADE
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Sessions that were ended while their access tokens were still valid. imported_at: when catalogctl import added the row; NULL: the
-- session ended here.
CREATE TABLE IF NOT EXISTS revoked_sessions (
    session_id  CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
    ended_at    BIGINT NOT NULL,
    imported_at BIGINT,
    KEY revoked_sessions_by_time (ended_at),
    KEY revoked_sessions_by_import (imported_at)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Keys, tokens for programs that users make: a token names its row here, and is refused when the row is gone. role: the most that the key
-- may do; it may never do more than its user. used_at, client: the last use, noted once a minute; NULL: it was never used.
CREATE TABLE IF NOT EXISTS user_keys (
    id         CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
    user_id    CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    name       VARCHAR(100) NOT NULL,
    role       VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at    BIGINT,
    client     VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin,
    KEY user_keys_by_user (user_id),
    KEY user_keys_by_expiry (expires_at),
    CONSTRAINT user_keys_role CHECK (role IN ('user', 'editor', 'admin')),
    CONSTRAINT user_keys_user FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- ---- mail ----

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
-- A mail can be requested by address (email_key). Whether an account has the address is found out when the mail is sent.
-- email: the address that a mail to a user goes to; NULL: the user's own. error: why the last attempt to send it failed, in at most 255
-- characters; NULL: none has failed, or the mail was retried since.
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
    email      VARCHAR(254),
    error      VARCHAR(255),
    KEY outbox_by_time (state, next_at),
    KEY outbox_by_user (user_id),
    CONSTRAINT outbox_state CHECK (state IN ('pending', 'dead')),
    CONSTRAINT outbox_recipient CHECK ((user_id IS NULL) <> (email_key IS NULL)),
    CONSTRAINT outbox_user FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- ---- requests that were sent with an Idempotency-Key, and their answers ----

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

-- ---- changes of more products than one transaction takes ----

-- request: the body of the request, as it was sent to the mount, whose settings say what it means. The products of the list up to
-- after_n have been gone through: each transaction that changes some of them moves this position, so that servers go on where
-- another one was killed, and none makes a portion twice. errors: a JSON array, what was wrong with products that were left as they are;
-- error: why the change failed as a whole. batch: what it changed so far, in change_batches; 0: nothing.
CREATE TABLE IF NOT EXISTS bulk_jobs (
    id         CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
    mount      VARCHAR(1000) NOT NULL,
    user_id    VARCHAR(255) NOT NULL,
    request    VARCHAR(8000) NOT NULL,
    dry_run    TINYINT NOT NULL,
    state      VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'running',
    after_n    BIGINT NOT NULL,
    changed    BIGINT NOT NULL DEFAULT 0,
    unchanged  BIGINT NOT NULL DEFAULT 0,
    failed     BIGINT NOT NULL DEFAULT 0,
    errors     VARCHAR(4000) NOT NULL DEFAULT '[]',
    error      VARCHAR(255),
    created_at BIGINT NOT NULL,
    ended_at   BIGINT,
    batch      BIGINT NOT NULL DEFAULT 0,
    KEY bulk_jobs_by_state (state, id),
    KEY bulk_jobs_by_end (ended_at),
    CONSTRAINT bulk_jobs_state CHECK (state IN ('running', 'done', 'stopped', 'failed'))
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- ---- the history of products ----

-- A row for each request that changed products: id is made by the server (src/catalogue/product/change_notes.c), in the order of time.
-- user_id: who sent it; NULL: catalogctl. after_number: the changes of the batch have numbers above it. complete: 0 while portions of it
-- are still to come. undoes, undone_by: batches. last_at: when the last portion was stored; 0: it had none.
CREATE TABLE IF NOT EXISTS change_batches (
    id           BIGINT NOT NULL PRIMARY KEY,
    at           BIGINT NOT NULL,
    user_id      VARCHAR(255),
    source       VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    row_count    BIGINT NOT NULL,
    after_number BIGINT NOT NULL,
    complete     TINYINT NOT NULL DEFAULT 1,
    undoes       BIGINT,
    undone_by    BIGINT,
    last_at      BIGINT NOT NULL DEFAULT 0
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The changes of products, noted in the transactions that made them. former: what the change has overwritten, as a JSON object. Of an update,
-- each field that it changed, null where the product had none; of a deletion, all of the product; of a creation, NULL.
-- Numbers are given when rows are inserted, which are seen when they are committed: so seq, the order in which changes are read, is given
-- afterwards by one job under the lock of a row (src/catalogue/changes/change_numbers.c); 0: not yet. Writers of a product lock it, so its
-- numbers are in the order of its changes.
CREATE TABLE IF NOT EXISTS changes (
    number     BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    seq        BIGINT NOT NULL DEFAULT 0,
    product_id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    at         BIGINT NOT NULL,
    batch      BIGINT NOT NULL,
    op         VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    former     VARBINARY(44000),
    KEY changes_by_product (product_id, number),
    KEY changes_by_seq (seq)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- numbered: the last seq; purged: changes up to this seq are deleted.
CREATE TABLE IF NOT EXISTS change_marks (
    name VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
    n    BIGINT NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
INSERT IGNORE INTO change_marks (name, n) VALUES ('numbered', 0), ('purged', 0);

-- ---- webhooks ----

-- How far each URL of CatalogWebhook has come. sent_seq: the last change that its receiver has accepted, or is not told of; told_seq: `next` of
-- the last message that the receiver accepted; until_seq: that of the message which is being sent, or tried again. next_at: when the next
-- attempt may begin; while a server works on it, the end of its lease. failing_at: the first attempt that failed since one succeeded.
-- status: of the last answer; NULL: there was none. seen_at: when a server last said that its configuration has the URL.
CREATE TABLE IF NOT EXISTS webhooks (
    id         CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
    url_hash   CHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    url        VARCHAR(2000) NOT NULL,
    state      VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'active',
    sent_seq   BIGINT NOT NULL,
    until_seq  BIGINT NOT NULL,
    told_seq   BIGINT NOT NULL,
    attempts   INTEGER NOT NULL DEFAULT 0,
    next_at    BIGINT NOT NULL,
    lease      VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
    failing_at BIGINT,
    status     INTEGER,
    status_at  BIGINT,
    error      VARCHAR(255),
    created_at BIGINT NOT NULL,
    seen_at    BIGINT NOT NULL,
    UNIQUE KEY webhooks_by_url (url_hash),
    CONSTRAINT webhooks_state CHECK (state IN ('active', 'dead'))
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- ---- pictures of products ----

-- The pictures that the member images of products.extra names. octets: of all sizes of a picture; digest: SHA-256 of the file that was
-- sent; dropped_at: when the picture was taken from its product, or its product deleted, NULL: it is in use.
CREATE TABLE IF NOT EXISTS images (
    id         CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
    product_id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    octets     BIGINT NOT NULL,
    width      INTEGER NOT NULL,
    digest     CHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    created_at BIGINT NOT NULL,
    dropped_at BIGINT,
    KEY images_by_product (product_id),
    KEY images_by_drop (dropped_at, id, octets, width)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The octets of a size of a picture, in base64, in portions of 64,000 characters: the key is PICTURE-WIDTH/NNNNN.
CREATE TABLE IF NOT EXISTS image_parts (
    part    VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
    content VARBINARY(64000) NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
