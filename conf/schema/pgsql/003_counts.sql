-- How many products there are, and where in the list a page begins, without walking there.

-- Level 0: the list is cut into blocks of about 10,000 products, each from its first key, the lowest of it, to the next block's. n is how
-- many products lie in it, but for those that product_deltas tells of. The first block begins below all products. Level 1: one row that
-- counts all products, and those in stock, likewise. Level 2: one row that whoever changes the blocks updates first, and so locks; n is
-- how often.
CREATE TABLE product_counts (
    level      INTEGER NOT NULL,
    created_at BIGINT NOT NULL,
    id         TEXT COLLATE "C" NOT NULL,
    n          BIGINT NOT NULL,
    in_stock   BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (level, created_at, id)
) WITH (fillfactor = 50);
INSERT INTO product_counts (level, created_at, id, n)
    VALUES (0, -1000000000000000000, '', 0), (1, -1000000000000000000, '', 0), (2, -1000000000000000000, '', 0);

-- What came and went and is not counted yet: writers only add here, so none waits for another. delta: how many products; category: of
-- an indexed product, and category_delta how many of these; in_stock: how many products in stock, of the category too if there is one.
-- The table is short, and all of it is read for each list: rows that are dead are taken away soon.
CREATE TABLE product_deltas (
    seq            BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    created_at     BIGINT NOT NULL,
    id             TEXT COLLATE "C" NOT NULL,
    delta          INTEGER NOT NULL,
    category       TEXT COLLATE "C",
    category_delta INTEGER NOT NULL DEFAULT 0,
    in_stock       INTEGER NOT NULL DEFAULT 0
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
