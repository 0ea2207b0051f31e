-- How many products there are, and where in the list a page begins, without walking there.

-- Level 0: the list is cut into blocks of about 10,000 products, each from its first key, the lowest of it, to the next block's. n is how
-- many products lie in it, but for those that product_deltas tells of. The first block begins below all products. Level 1: one row that
-- counts all products, and those in stock, likewise. Level 2: one row that whoever changes the blocks updates first, and so locks; n is
-- how often.
CREATE TABLE IF NOT EXISTS product_counts (
    level      TINYINT NOT NULL,
    created_at BIGINT NOT NULL,
    id         CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    n          BIGINT NOT NULL,
    in_stock   BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (level, created_at, id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
INSERT IGNORE INTO product_counts (level, created_at, id, n)
    VALUES (0, -1000000000000000000, '', 0), (1, -1000000000000000000, '', 0), (2, -1000000000000000000, '', 0);

-- What came and went and is not counted yet: writers only add here, so none waits for another, on no node of a cluster. delta: how many
-- products; category: of an indexed product, and category_delta how many of these; in_stock: how many products in stock, of the category
-- too if there is one. What is taken out goes into product_counts.
CREATE TABLE IF NOT EXISTS product_deltas (
    seq            BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    created_at     BIGINT NOT NULL,
    id             CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    delta          TINYINT NOT NULL,
    category       VARBINARY(400),
    category_delta INTEGER NOT NULL DEFAULT 0,
    in_stock       INTEGER NOT NULL DEFAULT 0
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
