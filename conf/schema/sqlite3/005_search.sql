-- What conditions, order and search need. src/catalogue/products.c writes it together with each product; a background job fills it in
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

-- How many indexed products each category has, exactly.
CREATE TABLE category_counts (
    category TEXT NOT NULL PRIMARY KEY,
    n        INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TRIGGER products_category_insert AFTER INSERT ON products WHEN NEW.category_key IS NOT NULL BEGIN
    INSERT INTO category_counts (category, n) VALUES (NEW.category, 1) ON CONFLICT (category) DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER products_category_delete AFTER DELETE ON products WHEN OLD.category_key IS NOT NULL BEGIN
    UPDATE category_counts SET n = n - 1 WHERE category = OLD.category;
    DELETE FROM category_counts WHERE category = OLD.category AND n = 0;
END;
CREATE TRIGGER products_category_update AFTER UPDATE OF category, category_key ON products
    WHEN OLD.category IS NOT NEW.category OR (OLD.category_key IS NULL) <> (NEW.category_key IS NULL) BEGIN
    UPDATE category_counts SET n = n - 1 WHERE category = OLD.category AND OLD.category_key IS NOT NULL;
    DELETE FROM category_counts WHERE category = OLD.category AND n = 0;
    INSERT INTO category_counts (category, n) SELECT NEW.category, 1 WHERE NEW.category_key IS NOT NULL
        ON CONFLICT (category) DO UPDATE SET n = n + 1;
END;

-- What is inserted here is counted as before; the categories have triggers of their own.
DROP TRIGGER product_deltas_insert;
DROP VIEW product_deltas;
CREATE VIEW product_deltas AS SELECT 0 AS seq, 0 AS created_at, '' AS id, 0 AS delta, '' AS category, 0 AS category_delta WHERE 0;
CREATE TRIGGER product_deltas_insert INSTEAD OF INSERT ON product_deltas BEGIN
    UPDATE product_counts SET n = n + NEW.delta WHERE level = 0 AND (created_at, id) =
        (SELECT created_at, id FROM product_counts WHERE level = 0 AND (created_at, id) <= (NEW.created_at, NEW.id)
         ORDER BY created_at DESC, id DESC LIMIT 1);
    UPDATE product_counts SET n = n + NEW.delta WHERE level = 1 AND (created_at, id) =
        (SELECT created_at, id FROM product_counts WHERE level = 1 AND (created_at, id) <= (NEW.created_at, NEW.id)
         ORDER BY created_at DESC, id DESC LIMIT 1);
    UPDATE product_counts SET n = n + NEW.delta WHERE level = 2 AND (created_at, id) =
        (SELECT created_at, id FROM product_counts WHERE level = 2 AND (created_at, id) <= (NEW.created_at, NEW.id)
         ORDER BY created_at DESC, id DESC LIMIT 1);
    UPDATE product_counts SET n = n + NEW.delta WHERE level = 3;
END;

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
