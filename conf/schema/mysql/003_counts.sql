-- How many products there are, and where in the list a page begins, without walking there.

-- The list is cut into parts, each from its first key, the lowest of it, to the next part's: blocks of about 500 products at level 0,
-- at level 1 groups of about 25 blocks, at level 2 regions of about 25 groups, and at level 3 one part of all. n is how many
-- products lie in a part, but for those that product_deltas tells of. The first part of a level begins below all products; that of
-- level 4 is what whoever changes the parts locks.
CREATE TABLE IF NOT EXISTS product_counts (
    level      TINYINT NOT NULL,
    created_at BIGINT NOT NULL,
    id         CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    n          BIGINT NOT NULL,
    PRIMARY KEY (level, created_at, id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- What came and went and is not counted in product_counts yet: writers only add here, so none waits for another, on no node of a
-- cluster. What is taken out goes into product_counts.
CREATE TABLE IF NOT EXISTS product_deltas (
    seq        BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    created_at BIGINT NOT NULL,
    id         CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    delta      TINYINT NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One part has all products; it is cut up while the server runs.
INSERT IGNORE INTO product_counts (level, created_at, id, n)
    SELECT l.level, -1000000000000000000, '', p.n FROM (SELECT 0 AS level UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4) l,
    (SELECT COUNT(*) - (SELECT COALESCE(SUM(delta), 0) FROM product_deltas) AS n FROM products) p;
