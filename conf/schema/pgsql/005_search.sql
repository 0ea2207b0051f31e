-- What conditions, order and search need. src/catalogue/products.c writes it together with each product; a background job fills it in
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

-- How many indexed products each category has, but for those that product_deltas tells of.
CREATE TABLE category_counts (
    category TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    n        BIGINT NOT NULL
) WITH (fillfactor = 50);

-- category_delta is of the indexed products of the category; a change of a category alone has a delta of 0.
ALTER TABLE product_deltas
    ADD COLUMN category TEXT COLLATE "C",
    ADD COLUMN category_delta INTEGER NOT NULL DEFAULT 0;

CREATE OR REPLACE FUNCTION products_count() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.created_at = NEW.created_at AND OLD.id = NEW.id THEN
        IF OLD.category = NEW.category AND (OLD.category_key IS NULL) = (NEW.category_key IS NULL) THEN
            RETURN NULL;
        END IF;
        IF OLD.category_key IS NOT NULL THEN
            INSERT INTO product_deltas (created_at, id, delta, category, category_delta)
                VALUES (OLD.created_at, OLD.id, 0, OLD.category, -1);
        END IF;
        IF NEW.category_key IS NOT NULL THEN
            INSERT INTO product_deltas (created_at, id, delta, category, category_delta)
                VALUES (NEW.created_at, NEW.id, 0, NEW.category, 1);
        END IF;
        RETURN NULL;
    END IF;
    IF TG_OP <> 'INSERT' THEN
        INSERT INTO product_deltas (created_at, id, delta, category, category_delta)
            VALUES (OLD.created_at, OLD.id, -1, CASE WHEN OLD.category_key IS NOT NULL THEN OLD.category END, -1);
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO product_deltas (created_at, id, delta, category, category_delta)
            VALUES (NEW.created_at, NEW.id, 1, CASE WHEN NEW.category_key IS NOT NULL THEN NEW.category END, 1);
    END IF;
    RETURN NULL;
END $$;
DROP TRIGGER products_change ON products;
CREATE TRIGGER products_change AFTER INSERT OR DELETE OR UPDATE OF created_at, id, category, category_key ON products
    FOR EACH ROW EXECUTE FUNCTION products_count();

CREATE OR REPLACE FUNCTION products_count_none() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    DELETE FROM product_deltas;
    UPDATE product_counts SET n = 0 WHERE level < 4;
    DELETE FROM category_counts;
    DELETE FROM product_words;
    RETURN NULL;
END $$;

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
