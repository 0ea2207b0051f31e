-- How many indexed products each category has, and how many of them are in stock, but for those that product_deltas tells of.

-- category_key: the folded name, in whose order categories are listed. NULL: the maintenance has to fill it in.
CREATE TABLE IF NOT EXISTS category_counts (
    category     VARBINARY(400) NOT NULL PRIMARY KEY,
    n            BIGINT NOT NULL,
    in_stock     BIGINT NOT NULL DEFAULT 0,
    category_key VARBINARY(800),
    INDEX categories_by_key (category_key, category)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
