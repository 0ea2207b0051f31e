-- What conditions, order and search need. src/catalogue/product/products.c writes it together with each product; a background job fills it in
-- for the products that exist, see product_indexes.
-- As in step 004, MariaDB adds a column only where it is missing, and MySQL is asked first.

-- Folded texts, and numbers as the bits of a double, which order them: -1 for no rating. words: the distinct folded words of name and
-- category in order, a blank before and after each; 300 characters of name and category can become 33 octets each. NULL: the row is
-- not indexed. Texts are octets, see step 001.
SET @step = /*M! 'ALTER TABLE products ADD COLUMN IF NOT EXISTS name_key VARBINARY(800), ADD COLUMN IF NOT EXISTS category_key VARBINARY(800), ADD COLUMN IF NOT EXISTS price_key BIGINT, ADD COLUMN IF NOT EXISTS rating_key BIGINT, ADD COLUMN IF NOT EXISTS words VARBINARY(10240), ALGORITHM = INSTANT' */
    /*!50700 (SELECT CASE WHEN COUNT(*) > 0 THEN 'DO 0' ELSE
    'ALTER TABLE products ADD COLUMN name_key VARBINARY(800), ADD COLUMN category_key VARBINARY(800), ADD COLUMN price_key BIGINT, ADD COLUMN rating_key BIGINT, ADD COLUMN words VARBINARY(10240), ALGORITHM = INSTANT'
    END FROM information_schema.columns
    WHERE table_schema = DATABASE() AND table_name = 'products' AND column_name = 'words') */;
PREPARE step FROM @step;
EXECUTE step;

SET @step = /*M! 'ALTER TABLE products ADD INDEX IF NOT EXISTS products_by_category (category, created_at, id), ADD INDEX IF NOT EXISTS products_by_category_key (category_key, created_at, id), ADD INDEX IF NOT EXISTS products_by_price (price_key, created_at, id), ADD INDEX IF NOT EXISTS products_by_name (name_key, created_at, id), ADD INDEX IF NOT EXISTS products_by_rating (rating_key, created_at, id), ALGORITHM = INPLACE, LOCK = NONE' */
    /*!50700 (SELECT CASE WHEN COUNT(*) > 0 THEN 'DO 0' ELSE
    'ALTER TABLE products ADD INDEX products_by_category (category, created_at, id), ADD INDEX products_by_category_key (category_key, created_at, id), ADD INDEX products_by_price (price_key, created_at, id), ADD INDEX products_by_name (name_key, created_at, id), ADD INDEX products_by_rating (rating_key, created_at, id), ALGORITHM = INPLACE, LOCK = NONE'
    END FROM information_schema.statistics
    WHERE table_schema = DATABASE() AND table_name = 'products' AND index_name = 'products_by_rating') */;
PREPARE step FROM @step;
EXECUTE step;
DEALLOCATE PREPARE step;

-- The words of each product, cut off after 64 octets.
CREATE TABLE IF NOT EXISTS product_words (
    word       VARBINARY(64) NOT NULL,
    created_at BIGINT NOT NULL,
    id         CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    PRIMARY KEY (word, created_at, id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The parts of the index that CatalogIndex names. complete: 1 when all products have theirs; until then those from the list key on,
-- filled of them. The key of a part that no product has yet is above all products.
CREATE TABLE IF NOT EXISTS product_indexes (
    part       VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
    complete   TINYINT NOT NULL,
    created_at BIGINT NOT NULL,
    id         CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    filled     BIGINT NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
INSERT IGNORE INTO product_indexes (part, complete, created_at, id, filled)
    SELECT p.part, CASE WHEN EXISTS (SELECT 1 FROM products) THEN 0 ELSE 1 END, 9223372036854775807, '', 0 FROM (SELECT 'category' AS part
    UNION SELECT 'price' UNION SELECT 'name' UNION SELECT 'rating' UNION SELECT 'search') p;
