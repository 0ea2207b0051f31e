-- What conditions, order and search need. src/catalogue/product/products.c writes it together with each product; a background job fills it in
-- for the products that exist, see product_indexes.

-- Folded texts, and numbers as the bits of a double, which order them: -1 for no rating. words: the distinct folded words of name and
-- category in order, a blank before and after each. NULL: the row is not indexed, and not in the indexes.
ALTER TABLE products ADD COLUMN name_key TEXT COLLATE "C";
ALTER TABLE products ADD COLUMN category_key TEXT COLLATE "C";
ALTER TABLE products ADD COLUMN price_key BIGINT;
ALTER TABLE products ADD COLUMN rating_key BIGINT;
ALTER TABLE products ADD COLUMN words TEXT COLLATE "C";

CREATE INDEX products_by_category ON products (category COLLATE "C", created_at, id) WHERE category_key IS NOT NULL;
CREATE INDEX products_by_category_key ON products (category_key, created_at, id) WHERE category_key IS NOT NULL;
CREATE INDEX products_by_price ON products (price_key, created_at, id) WHERE price_key IS NOT NULL;
CREATE INDEX products_by_name ON products (name_key, created_at, id) WHERE name_key IS NOT NULL;
CREATE INDEX products_by_rating ON products (rating_key, created_at, id) WHERE rating_key IS NOT NULL;

-- The words of each product, cut off after 64 octets.
CREATE TABLE product_words (
    word       TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    id         TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (word, created_at, id)
);

-- The parts of the index that CatalogIndex names. complete: 1 when all products have theirs; until then those from the list key on,
-- filled of them. The key of a part that no product has yet is above all products.
CREATE TABLE product_indexes (
    part       TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    complete   INTEGER NOT NULL,
    created_at BIGINT NOT NULL,
    id         TEXT COLLATE "C" NOT NULL,
    filled     BIGINT NOT NULL
);
INSERT INTO product_indexes (part, complete, created_at, id, filled)
    SELECT p.part, CASE WHEN EXISTS (SELECT 1 FROM products) THEN 0 ELSE 1 END, 9223372036854775807, '', 0
    FROM (VALUES ('category'), ('price'), ('name'), ('rating'), ('search')) p (part);
