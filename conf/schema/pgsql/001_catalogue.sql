-- The catalogue, its users, and the mail that is still to be sent.
-- Times are milliseconds since the epoch. Numbers are text, so that they come back as they were sent. What is compared or ordered
-- is so by its octets, whatever the locale of the database.

-- ---- products ----

-- n: the key and the order of the list, 43 bits of milliseconds, 12 bits of their fraction and 8 random bits of the id, a UUID of version 7. So
-- createdAt is n >> 20, see docs/decisions/0110-one-number-orders-products.md. An id is found by its number.
-- extra: own fields of the shop as a JSON object, see docs/decisions/0068-own-fields-in-one-column.md. NULL: the product has none.
-- From name_key on, what conditions, order and search need: src/catalogue/product/products.c writes it together with each product. Folded
-- texts, and numbers as the bits of a double, which order them: -1 for no rating. words: the distinct folded words of the name, as
-- src/lib/words.h lists them, in order, a blank before and after each; behind a colon, those that only the category has; then those of
-- fields of the shop's own, each with the number of its field before it, :3:acme. NULL: the row is not indexed, and not in the indexes, because CatalogIndex does not name the part, or because another program wrote the row.
CREATE TABLE products (
    n            BIGINT NOT NULL PRIMARY KEY,
    id           TEXT COLLATE "C" NOT NULL,
    name         TEXT NOT NULL,
    price        TEXT NOT NULL,
    category     TEXT NOT NULL,
    in_stock     SMALLINT NOT NULL,
    rating       TEXT,
    extra        TEXT,
    name_key     TEXT COLLATE "C",
    category_key TEXT COLLATE "C",
    price_key    BIGINT,
    rating_key   BIGINT,
    words        TEXT COLLATE "C"
);

-- The order of the list, with what conditions on numbers, inStock and category ask: a range of prices, newest first, passes many products
-- for each that it shows, and reads this index alone.
CREATE INDEX products_by_time ON products (n, price_key, rating_key, in_stock, category);

-- A category in the order of another field is read from one index, see docs/decisions/0035-derived-columns-written-by-the-module.md.
CREATE INDEX products_by_category ON products (category COLLATE "C", n, category_key) WHERE category_key IS NOT NULL;
CREATE INDEX products_by_category_key ON products (category_key, n) WHERE category_key IS NOT NULL;
CREATE INDEX products_by_category_price ON products (category COLLATE "C", price_key, n) WHERE price_key IS NOT NULL;
CREATE INDEX products_by_price ON products (price_key, n, category) WHERE price_key IS NOT NULL;
CREATE INDEX products_by_name ON products (name_key, n, category) WHERE name_key IS NOT NULL;
CREATE INDEX products_by_rating ON products (rating_key, n, category) WHERE rating_key IS NOT NULL;

-- The words of each product, cut off after 64 octets. in_name: 1 if its name has the word, which orders lists by relevance; and 2 more if
-- the product has it only as two words with a blank between them, or behind a hyphen, so that the dictionary need not have it.
CREATE TABLE product_words (
    word       TEXT COLLATE "C" NOT NULL,
    n          BIGINT NOT NULL,
    in_name    SMALLINT NOT NULL DEFAULT 0,
    PRIMARY KEY (word, n) INCLUDE (in_name)
);

-- The distinct words of product_words that have letters only, four or more, and are not joined in each product: each with an empty part and
-- 0 letters, and with each of its parts of three letters, '<ke', 'ket', 'ett' and so on of 'kettle'. See src/catalogue/product/dictionary.c.
CREATE TABLE dictionary (
    part    TEXT COLLATE "C" NOT NULL,
    letters INTEGER NOT NULL,
    word    TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (part, letters, word)
);
-- The rows that list all words have an empty part and 0 letters. A planner that multiplied the shares of both would expect few such rows, and
-- read all of them instead of looking for some.
CREATE STATISTICS dictionary_words (dependencies, mcv) ON part, letters FROM dictionary;

-- The parts of the index that CatalogIndex names. complete: 1 when all products have theirs; until then those from the number n on,
-- filled of them. If no product has the part yet, n is greater than all numbers. rules N: the same of the rules by which texts are folded and
-- split into words, see src/lib/words.h: when all products have what version N of them makes.
CREATE TABLE product_indexes (
    part       TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    complete   INTEGER NOT NULL,
    n          BIGINT NOT NULL,
    filled     BIGINT NOT NULL
);
INSERT INTO product_indexes (part, complete, n, filled)
    VALUES ('category', 1, 9223372036854775807, 0), ('price', 1, 9223372036854775807, 0), ('name', 1, 9223372036854775807, 0),
        ('rating', 1, 9223372036854775807, 0), ('search', 1, 9223372036854775807, 0),
        ('rules 5', 1, 9223372036854775807, 0);

-- ---- own fields of the shop ----

-- The fields that some server of the database has, or had, a line of CatalogField for. definition: the type, and what decides its keys.
-- complete: 1 when all products have its keys. Until then those from the number n on, filled of them.
-- counted: 1 when writers count its values in value_counts, if it has the option facet.
-- claimed: 1 when product_unique has all values of products, if it has the option unique; it also has them when complete is 1.
-- ordered_at: when the configuration was read that decided the order of the values of a choice; 0: they are in the order in which they came.
CREATE TABLE catalog_fields (
    number     INTEGER NOT NULL PRIMARY KEY,
    name       TEXT COLLATE "C" NOT NULL UNIQUE,
    definition TEXT NOT NULL,
    complete   SMALLINT NOT NULL,
    n          BIGINT NOT NULL,
    filled     BIGINT NOT NULL,
    counted    SMALLINT NOT NULL DEFAULT 0,
    claimed    SMALLINT NOT NULL DEFAULT 1,
    ordered_at BIGINT NOT NULL DEFAULT 0
);

-- A row for each product and indexed field, with an empty key where the product lacks the field, or for each element of a list. Keys are
-- ordered as the values are. value: the exact text, of a field whose key is its folded form, see src/catalogue/product/own_keys.h.
-- counted: 1 if value_counts has counted the row; then value is the exact text, whatever the key.
CREATE TABLE product_keys (
    field      INTEGER NOT NULL,
    value_key  TEXT COLLATE "C" NOT NULL,
    n          BIGINT NOT NULL,
    value      TEXT COLLATE "C",
    counted    SMALLINT NOT NULL DEFAULT 0,
    PRIMARY KEY (field, value_key, n)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
CREATE INDEX product_keys_by_product ON product_keys (field, n, value_key);

-- The values of unique fields: the primary key decides which product has one.
CREATE TABLE product_unique (
    field INTEGER NOT NULL,
    value TEXT COLLATE "C" NOT NULL,
    n     BIGINT NOT NULL,
    PRIMARY KEY (field, value)
);
CREATE INDEX product_unique_by_n ON product_unique (n, field);

-- How many products have each value of each field with the option facet: the rows of product_keys that are counted, except for those in value_deltas. value_key: orders the
-- values. See src/catalogue/product/value_counts.c.
CREATE TABLE value_counts (
    field     INTEGER NOT NULL,
    value_key TEXT COLLATE "C" NOT NULL,
    value     TEXT COLLATE "C" NOT NULL,
    n         BIGINT NOT NULL,
    PRIMARY KEY (field, value_key, value)
) WITH (fillfactor = 50);
CREATE INDEX value_counts_by_count ON value_counts (field, n DESC, value);

-- What came and went and is not counted yet, as in product_deltas.
CREATE TABLE value_deltas (
    seq       BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    field     INTEGER NOT NULL,
    value_key TEXT COLLATE "C" NOT NULL,
    value     TEXT COLLATE "C" NOT NULL,
    delta     INTEGER NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- ---- how many products there are ----

-- name 'products': n counts all products, in_stock those in stock, except for the rows of product_deltas. name 'lock': a
-- transaction that changes the counts updates this row first, and so locks it; n counts these updates. name 'written': n is 0 until the first product is written
-- (docs/decisions/0077).
CREATE TABLE product_counts (
    name     TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    n        BIGINT NOT NULL,
    in_stock BIGINT NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
INSERT INTO product_counts (name, n) VALUES ('products', 0), ('lock', 0), ('written', 0);

-- What came and went and is not counted yet: writers only add here, so none waits for another. delta: how many products; category: of
-- an indexed product, and category_delta how many of these; in_stock: how many products in stock, of the category too if there is one.
-- The table is short, and all of it is read for each list: rows that are dead are taken away soon.
CREATE TABLE product_deltas (
    seq            BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    delta          INTEGER NOT NULL,
    category       TEXT COLLATE "C",
    category_delta INTEGER NOT NULL DEFAULT 0,
    in_stock       INTEGER NOT NULL DEFAULT 0
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- How many indexed products each category has, and how many of them are in stock, except for those in product_deltas.
-- category_key: the folded name, in whose order categories are listed. NULL: the maintenance has to fill it in.
CREATE TABLE category_counts (
    category     TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    n            BIGINT NOT NULL,
    in_stock     BIGINT NOT NULL DEFAULT 0,
    category_key TEXT COLLATE "C"
) WITH (fillfactor = 50);
CREATE INDEX categories_by_key ON category_counts (category_key, category);

-- Whoever writes.
CREATE FUNCTION products_count() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE moved INTEGER := 1; BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF OLD.category = NEW.category AND (OLD.category_key IS NULL) = (NEW.category_key IS NULL) THEN
            IF OLD.in_stock <> NEW.in_stock THEN
                INSERT INTO product_deltas (delta, category, category_delta, in_stock)
                    VALUES (0, CASE WHEN NEW.category_key IS NOT NULL THEN NEW.category END, 0,
                        NEW.in_stock - OLD.in_stock);
            END IF;
            RETURN NULL;
        END IF;
        moved := 0;
    END IF;
    IF TG_OP <> 'INSERT' THEN
        INSERT INTO product_deltas (delta, category, category_delta, in_stock)
            VALUES (-moved, CASE WHEN OLD.category_key IS NOT NULL THEN OLD.category END, -1, -OLD.in_stock);
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO product_deltas (delta, category, category_delta, in_stock)
            VALUES (moved, CASE WHEN NEW.category_key IS NOT NULL THEN NEW.category END, 1, NEW.in_stock);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER products_change AFTER INSERT OR DELETE OR UPDATE OF category, category_key, in_stock ON products
    FOR EACH ROW EXECUTE FUNCTION products_count();

CREATE FUNCTION products_count_none() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    UPDATE product_counts SET n = n + 1 WHERE name = 'lock'; -- who has read rows of product_deltas to add them up does so first
    DELETE FROM product_deltas;
    UPDATE product_counts SET n = 0, in_stock = 0 WHERE name = 'products';
    DELETE FROM category_counts;
    DELETE FROM product_words;
    DELETE FROM product_keys;
    DELETE FROM product_unique;
    DELETE FROM value_deltas;
    DELETE FROM value_counts;
    RETURN NULL;
END $$;
CREATE TRIGGER products_truncate AFTER TRUNCATE ON products FOR EACH STATEMENT EXECUTE FUNCTION products_count_none();

-- ---- users ----

-- The _key columns hold the folded form in which names and addresses are compared. locked_at: when an administrator locked the account;
-- NULL: it is not locked. signed_in_at: when the user last signed in; NULL: never. language: in which the user gets mails; NULL: not known.
CREATE TABLE users (
    id            TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    username      TEXT NOT NULL,
    username_key  TEXT COLLATE "C" NOT NULL UNIQUE,
    email         TEXT NOT NULL,
    email_key     TEXT COLLATE "C" NOT NULL UNIQUE,
    password_hash TEXT NOT NULL,
    confirmed_at  BIGINT,
    created_at    BIGINT NOT NULL,
    role          TEXT NOT NULL DEFAULT 'user' CHECK (role IN ('user', 'editor', 'admin')),
    locked_at     BIGINT,
    signed_in_at  BIGINT,
    language      TEXT
);

CREATE INDEX users_by_role ON users (role);
CREATE INDEX users_by_time ON users (created_at, id);

-- Names that users gave up, by renaming or deleting their accounts: until expires_at only user_id may take one. A name is there as the
-- digest of its folded form, so that the table does not keep what was deleted.
CREATE TABLE released_names (
    name_hash  TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    user_id    TEXT COLLATE "C" NOT NULL,
    expires_at BIGINT NOT NULL
);

CREATE INDEX released_names_by_expiry ON released_names (expires_at);

-- A transaction that may take away an administrator updates this row first: one after the other, on all servers of a cluster too.
CREATE TABLE account_locks (
    name TEXT NOT NULL PRIMARY KEY,
    n    BIGINT NOT NULL
);
INSERT INTO account_locks (name, n) VALUES ('admins', 0);

-- Wrong passwords, by a digest of the login that was sent or of the id of a user who has signed in, and by the network they came from.
CREATE TABLE login_failures (
    account    TEXT COLLATE "C" NOT NULL,
    network    TEXT COLLATE "C" NOT NULL,
    failures   INTEGER NOT NULL,
    allowed_at BIGINT NOT NULL,
    failed_at  BIGINT NOT NULL,
    PRIMARY KEY (account, network)
);

CREATE INDEX login_failures_by_time ON login_failures (failed_at);

-- What administrators changed, and what users changed of their own accounts. Rows refer to no other table, because they outlive users.
CREATE TABLE audit (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    created_at BIGINT NOT NULL,
    source     TEXT NOT NULL,
    actor_id   TEXT COLLATE "C",
    actor      TEXT NOT NULL,
    client     TEXT,
    request_id TEXT,
    action     TEXT NOT NULL,
    target_id  TEXT COLLATE "C",
    target     TEXT,
    changes    TEXT,
    actor_key  TEXT COLLATE "C" GENERATED ALWAYS AS (LOWER(actor COLLATE "C")) STORED,
    target_key TEXT COLLATE "C" GENERATED ALWAYS AS (LOWER(target COLLATE "C")) STORED
);

CREATE INDEX audit_by_time ON audit (created_at);
CREATE INDEX audit_by_actor ON audit (actor_id, id);
CREATE INDEX audit_by_actor_name ON audit (actor_key, id);
CREATE INDEX audit_by_target ON audit (target_id, id);
CREATE INDEX audit_by_target_name ON audit (target_key, id);
CREATE INDEX audit_by_action ON audit (action, id);

-- ---- sessions ----

-- A session exists as long as it can be refreshed. expires_at is its absolute end.
CREATE TABLE sessions (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    user_id    TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at    BIGINT NOT NULL,
    client     TEXT NOT NULL,
    agent      TEXT NOT NULL
);

CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_use ON sessions (used_at);

-- Opaque tokens are stored as their SHA-256 only. The row of one that was used is deleted at a later refresh: family_hash is that of what
-- all tokens of a session have in common, so that a used token is still recognized when it comes again, which means that someone has a copy.
-- Its successor is computed again from seed and the used token.
CREATE TABLE refresh_tokens (
    token_hash  TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    session_id  TEXT COLLATE "C" NOT NULL REFERENCES sessions (id) ON DELETE CASCADE ON UPDATE CASCADE,
    created_at  BIGINT NOT NULL,
    expires_at  BIGINT NOT NULL,
    used_at     BIGINT,
    family_hash TEXT COLLATE "C" NOT NULL,
    seed        TEXT
);

CREATE INDEX refresh_tokens_by_session ON refresh_tokens (session_id);
CREATE INDEX refresh_tokens_by_expiry ON refresh_tokens (expires_at);
CREATE INDEX refresh_tokens_by_family ON refresh_tokens (family_hash);

-- Sessions that were ended while their access tokens were still valid. imported_at: when catalogctl import added the row; NULL: the
-- session ended here.
CREATE TABLE revoked_sessions (
    session_id  TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    ended_at    BIGINT NOT NULL,
    imported_at BIGINT
);

CREATE INDEX revoked_sessions_by_time ON revoked_sessions (ended_at);
CREATE INDEX revoked_sessions_by_import ON revoked_sessions (imported_at);

-- Keys, tokens for programs that users make: a token names its row here, and is refused when the row is gone. role: the most that the key
-- may do; it may never do more than its user. used_at, client: the last use, noted once a minute; NULL: it was never used.
CREATE TABLE user_keys (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    user_id    TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name       TEXT NOT NULL,
    role       TEXT NOT NULL CHECK (role IN ('user', 'editor', 'admin')),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at    BIGINT,
    client     TEXT
);

CREATE INDEX user_keys_by_user ON user_keys (user_id);
CREATE INDEX user_keys_by_expiry ON user_keys (expires_at);

-- ---- mail ----

-- email: the address that the link was sent to. It is the user's own, or the one that the link makes the user's.
CREATE TABLE mail_tokens (
    token_hash TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    purpose    TEXT NOT NULL,
    user_id    TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    email      TEXT NOT NULL
);

CREATE INDEX mail_tokens_by_user ON mail_tokens (user_id);
CREATE INDEX mail_tokens_by_expiry ON mail_tokens (expires_at);

-- A row stays until its mail is sent. next_at is when it may be claimed: while a server works on it, the end of its lease.
-- A mail can be requested by address (email_key). Whether an account has the address is found out when the mail is sent.
-- email: the address that a mail to a user goes to; NULL: the user's own. error: why the last attempt to send it failed, in at most 255
-- characters; NULL: none has failed, or the mail was retried since.
CREATE TABLE outbox (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    template   TEXT NOT NULL,
    user_id    TEXT COLLATE "C" REFERENCES users (id) ON DELETE CASCADE,
    email_key  TEXT COLLATE "C",
    state      TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'dead')),
    attempts   INTEGER NOT NULL DEFAULT 0,
    next_at    BIGINT NOT NULL,
    lease      TEXT NOT NULL DEFAULT '',
    created_at BIGINT NOT NULL,
    email      TEXT,
    error      TEXT,
    CONSTRAINT outbox_recipient CHECK ((user_id IS NULL) <> (email_key IS NULL))
);

CREATE INDEX outbox_by_time ON outbox (state, next_at);
CREATE INDEX outbox_by_user ON outbox (user_id);

-- ---- requests that were sent with an Idempotency-Key, and their answers ----

-- Part 0 of a key is inserted first in the transaction of the write that it protects; its content tells the same request from
-- another. The parts that follow are the answer, in pieces.
CREATE TABLE idempotency_keys (
    key_hash   TEXT COLLATE "C" NOT NULL,
    part       INTEGER NOT NULL,
    content    TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (key_hash, part)
);

CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);

-- ---- changes of more products than one transaction takes ----

-- request: the body of the request, as it was sent to the mount, whose settings say what it means. The products of the list up to
-- after_n have been gone through: each transaction that changes some of them moves this position, so that servers go on where
-- another one was killed, and none makes a portion twice. errors: a JSON array, what was wrong with products that were left as they are;
-- error: why the change failed as a whole. batch: what it changed so far, in change_batches; 0: nothing.
CREATE TABLE bulk_jobs (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    mount      TEXT COLLATE "C" NOT NULL,
    user_id    TEXT NOT NULL,
    request    TEXT NOT NULL,
    dry_run    INTEGER NOT NULL,
    state      TEXT NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'stopped', 'failed')),
    after_n    BIGINT NOT NULL,
    changed    BIGINT NOT NULL DEFAULT 0,
    unchanged  BIGINT NOT NULL DEFAULT 0,
    failed     BIGINT NOT NULL DEFAULT 0,
    errors     TEXT NOT NULL DEFAULT '[]',
    error      TEXT,
    created_at BIGINT NOT NULL,
    ended_at   BIGINT,
    batch      BIGINT NOT NULL DEFAULT 0
);

CREATE INDEX bulk_jobs_by_state ON bulk_jobs (state, id);
CREATE INDEX bulk_jobs_by_end ON bulk_jobs (ended_at);

-- ---- the history of products ----

-- A row for each request that changed products: id is made by the server (src/catalogue/product/change_notes.c), in the order of time.
-- user_id: who sent it; NULL: catalogctl. after_number: the changes of the batch have numbers above it. complete: 0 while portions of it
-- are still to come. undoes, undone_by: batches. last_at: when the last portion was stored; 0: it had none.
CREATE TABLE change_batches (
    id           BIGINT NOT NULL PRIMARY KEY,
    at           BIGINT NOT NULL,
    user_id      TEXT COLLATE "C",
    source       TEXT NOT NULL,
    row_count    BIGINT NOT NULL,
    after_number BIGINT NOT NULL,
    complete     INTEGER NOT NULL DEFAULT 1,
    undoes       BIGINT,
    undone_by    BIGINT,
    last_at      BIGINT NOT NULL DEFAULT 0
);

-- The changes of products, noted in the transactions that made them. former: what the change has overwritten, as a JSON object. Of an update,
-- each field that it changed, null where the product had none; of a deletion, all of the product; of a creation, NULL.
-- Numbers are given when rows are inserted, which are seen when they are committed: so seq, the order in which changes are read, is given
-- afterwards by one job under the lock of a row (src/catalogue/changes/change_numbers.c); 0: not yet. Writers of a product lock it, so its
-- numbers are in the order of its changes.
CREATE TABLE changes (
    number     BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    seq        BIGINT NOT NULL DEFAULT 0,
    product_id TEXT COLLATE "C" NOT NULL,
    at         BIGINT NOT NULL,
    batch      BIGINT NOT NULL,
    op         TEXT NOT NULL,
    former     TEXT
);

CREATE INDEX changes_by_product ON changes (product_id, number);
CREATE UNIQUE INDEX changes_by_seq ON changes (seq) WHERE seq > 0;
CREATE INDEX changes_to_number ON changes (number) WHERE seq = 0;

-- numbered: the last seq; purged: changes up to this seq are deleted.
CREATE TABLE change_marks (
    name TEXT NOT NULL PRIMARY KEY,
    n    BIGINT NOT NULL
);
INSERT INTO change_marks (name, n) VALUES ('numbered', 0), ('purged', 0);

-- ---- webhooks ----

-- How far each URL of CatalogWebhook has come. sent_seq: the last change that its receiver has accepted, or is not told of; told_seq: `next` of
-- the last message that the receiver accepted; until_seq: that of the message which is being sent, or tried again. next_at: when the next
-- attempt may begin; while a server works on it, the end of its lease. failing_at: the first attempt that failed since one succeeded.
-- status: of the last answer; NULL: there was none. seen_at: when a server last said that its configuration has the URL.
CREATE TABLE webhooks (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    url_hash   TEXT COLLATE "C" NOT NULL UNIQUE,
    url        TEXT NOT NULL,
    state      TEXT NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'dead')),
    sent_seq   BIGINT NOT NULL,
    until_seq  BIGINT NOT NULL,
    told_seq   BIGINT NOT NULL,
    attempts   INTEGER NOT NULL DEFAULT 0,
    next_at    BIGINT NOT NULL,
    lease      TEXT NOT NULL DEFAULT '',
    failing_at BIGINT,
    status     INTEGER,
    status_at  BIGINT,
    error      TEXT,
    created_at BIGINT NOT NULL,
    seen_at    BIGINT NOT NULL
);

-- ---- pictures of products ----

-- The pictures that the member images of products.extra names. octets: of all sizes of a picture; digest: SHA-256 of the file that was
-- sent; dropped_at: when the picture was taken from its product, or its product deleted, NULL: it is in use.
CREATE TABLE images (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    product_id TEXT COLLATE "C" NOT NULL,
    octets     BIGINT NOT NULL,
    width      INTEGER NOT NULL,
    digest     TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    dropped_at BIGINT
);

CREATE INDEX images_by_product ON images (product_id);
CREATE INDEX images_by_drop ON images (dropped_at, id, octets, width);

-- The octets of a size of a picture, in base64, in portions of 64,000 characters: the key is PICTURE-WIDTH/NNNNN. What is
-- compressed already is stored as it is.
CREATE TABLE image_parts (
    part    TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    content TEXT NOT NULL
);

ALTER TABLE image_parts ALTER COLUMN content SET STORAGE EXTERNAL;
