-- A category in the order of another field is read from one index, see docs/decisions/0035-derived-columns-written-by-the-module.md. The
-- names stay, so servers of an older version use these indexes too.

DROP INDEX IF EXISTS products_by_price;
DROP INDEX IF EXISTS products_by_name;
DROP INDEX IF EXISTS products_by_rating;
CREATE INDEX products_by_price ON products (price_key, created_at, id, category) WHERE price_key IS NOT NULL;
CREATE INDEX products_by_name ON products (name_key, created_at, id, category) WHERE name_key IS NOT NULL;
CREATE INDEX products_by_rating ON products (rating_key, created_at, id, category) WHERE rating_key IS NOT NULL;

-- As in step 008, but SQLite finds each part by the primary key alone: with "level = 0 AND (created_at, id) <= ..." it sorts, which took
-- half the instructions of an insert. Each level has a part that begins before all products, so no other level's is found.
DROP TRIGGER product_deltas_insert;
CREATE TRIGGER product_deltas_insert INSTEAD OF INSERT ON product_deltas BEGIN
    UPDATE product_counts SET n = n + NEW.delta WHERE (level, created_at, id) =
        (SELECT p.level, p.created_at, p.id FROM product_counts p WHERE (p.level, p.created_at, p.id) <= (0, NEW.created_at, NEW.id)
         ORDER BY p.level DESC, p.created_at DESC, p.id DESC LIMIT 1);
    UPDATE product_counts SET n = n + NEW.delta WHERE (level, created_at, id) =
        (SELECT p.level, p.created_at, p.id FROM product_counts p WHERE (p.level, p.created_at, p.id) <= (1, NEW.created_at, NEW.id)
         ORDER BY p.level DESC, p.created_at DESC, p.id DESC LIMIT 1);
    UPDATE product_counts SET n = n + NEW.delta WHERE (level, created_at, id) =
        (SELECT p.level, p.created_at, p.id FROM product_counts p WHERE (p.level, p.created_at, p.id) <= (2, NEW.created_at, NEW.id)
         ORDER BY p.level DESC, p.created_at DESC, p.id DESC LIMIT 1);
    UPDATE product_counts SET n = n + NEW.delta, in_stock = in_stock + NEW.in_stock WHERE level = 3;
END;
