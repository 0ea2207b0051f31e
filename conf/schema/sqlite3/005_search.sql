-- What conditions, order and search need. src/catalogue/product/products.c writes it together with each product; a background job fills it in
-- for the products that exist, see product_indexes.

-- Folded texts, and numbers as the bits of a double, which order them: -1 for no rating. words: the distinct folded words of name and
-- category in order, a blank before and after each. NULL: the row is not indexed, and not in the indexes.
ALTER TABLE products ADD COLUMN name_key TEXT;
ALTER TABLE products ADD COLUMN category_key TEXT;
ALTER TABLE products ADD COLUMN price_key INTEGER;
ALTER TABLE products ADD COLUMN rating_key INTEGER;
ALTER TABLE products ADD COLUMN words TEXT;

CREATE INDEX products_by_category ON products (category, created_at, id) WHERE category_key IS NOT NULL;
CREATE INDEX products_by_category_key ON products (category_key, created_at, id) WHERE category_key IS NOT NULL;
CREATE INDEX products_by_price ON products (price_key, created_at, id) WHERE price_key IS NOT NULL;
CREATE INDEX products_by_name ON products (name_key, created_at, id) WHERE name_key IS NOT NULL;
CREATE INDEX products_by_rating ON products (rating_key, created_at, id) WHERE rating_key IS NOT NULL;

-- The words of each product, cut off after 64 octets.
CREATE TABLE product_words (
    word       TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    id         TEXT NOT NULL,
    PRIMARY KEY (word, created_at, id)
) WITHOUT ROWID;

-- The parts of the index that CatalogIndex names. complete: 1 when all products have theirs; until then those from the list key on,
-- filled of them. The key of a part that no product has yet is above all products.
CREATE TABLE product_indexes (
    part       TEXT NOT NULL PRIMARY KEY,
    complete   INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    id         TEXT NOT NULL,
    filled     INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO product_indexes (part, complete, created_at, id, filled)
    SELECT p.part, NOT EXISTS (SELECT 1 FROM products), 9223372036854775807, '', 0 FROM (SELECT 'category' AS part
    UNION SELECT 'price' UNION SELECT 'name' UNION SELECT 'rating' UNION SELECT 'search') p;
