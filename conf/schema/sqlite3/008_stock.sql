-- How many products are in stock, and the list of categories in its order.

-- in_stock: of a category, how many of its indexed products are in stock; at level 3 of product_counts, how many of all products.
-- Triggers follow each write from now on; what was there before, src/catalogue/stock.c adds. Level 4 says whether it has: in_stock is
-- n then. A version that does not count products in stock changes n alone when it changes the parts.
ALTER TABLE product_counts ADD COLUMN in_stock INTEGER NOT NULL DEFAULT 0;
ALTER TABLE category_counts ADD COLUMN in_stock INTEGER NOT NULL DEFAULT 0;
UPDATE product_counts SET in_stock = CASE WHEN EXISTS (SELECT 1 FROM products) THEN -1 ELSE n END WHERE level = 4;

-- The folded name, in whose order categories are listed. NULL: the maintenance has to fill it in.
ALTER TABLE category_counts ADD COLUMN category_key TEXT;
CREATE INDEX categories_by_key ON category_counts (category_key, category);

-- n is never above ceiling, which seldom changes, so that the largest categories are found by an index that costs writers little.
ALTER TABLE category_counts ADD COLUMN ceiling INTEGER NOT NULL DEFAULT 0;
UPDATE category_counts SET ceiling = n + n / 4 + 16;
CREATE INDEX categories_by_ceiling ON category_counts (ceiling);
CREATE TRIGGER category_counts_insert AFTER INSERT ON category_counts WHEN NEW.n > NEW.ceiling BEGIN
    UPDATE category_counts SET ceiling = n + n / 4 + 16 WHERE category = NEW.category;
END;
CREATE TRIGGER category_counts_update AFTER UPDATE OF n ON category_counts
    WHEN NEW.n > NEW.ceiling OR NEW.n + NEW.n + 64 < NEW.ceiling BEGIN
    UPDATE category_counts SET ceiling = n + n / 4 + 16 WHERE category = NEW.category;
END;

-- As in steps 003 and 005, with the products in stock.
DROP TRIGGER products_insert;
DROP TRIGGER products_delete;
DROP TRIGGER products_move;
DROP TRIGGER product_deltas_insert;
DROP VIEW product_deltas;
CREATE VIEW product_deltas AS
    SELECT 0 AS seq, 0 AS created_at, '' AS id, 0 AS delta, '' AS category, 0 AS category_delta, 0 AS in_stock WHERE 0;
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
    UPDATE product_counts SET n = n + NEW.delta, in_stock = in_stock + NEW.in_stock WHERE level = 3;
END;
CREATE TRIGGER products_insert AFTER INSERT ON products BEGIN
    INSERT INTO product_deltas (created_at, id, delta, in_stock) VALUES (NEW.created_at, NEW.id, 1, NEW.in_stock);
END;
CREATE TRIGGER products_delete AFTER DELETE ON products BEGIN
    INSERT INTO product_deltas (created_at, id, delta, in_stock) VALUES (OLD.created_at, OLD.id, -1, -OLD.in_stock);
END;
CREATE TRIGGER products_move AFTER UPDATE OF created_at, id ON products BEGIN
    INSERT INTO product_deltas (created_at, id, delta, in_stock) VALUES (OLD.created_at, OLD.id, -1, 0);
    INSERT INTO product_deltas (created_at, id, delta, in_stock) VALUES (NEW.created_at, NEW.id, 1, 0);
END;
CREATE TRIGGER products_stock AFTER UPDATE OF in_stock ON products WHEN OLD.in_stock <> NEW.in_stock BEGIN
    UPDATE product_counts SET in_stock = in_stock + NEW.in_stock - OLD.in_stock WHERE level = 3;
END;

-- An update sets a category before its category_key, so that is not the category's yet.
DROP TRIGGER products_category_insert;
DROP TRIGGER products_category_delete;
DROP TRIGGER products_category_update;
CREATE TRIGGER products_category_insert AFTER INSERT ON products WHEN NEW.category_key IS NOT NULL BEGIN
    INSERT INTO category_counts (category, n, in_stock, category_key) VALUES (NEW.category, 1, NEW.in_stock, NEW.category_key)
        ON CONFLICT (category) DO UPDATE SET n = n + 1, in_stock = in_stock + NEW.in_stock;
END;
CREATE TRIGGER products_category_delete AFTER DELETE ON products WHEN OLD.category_key IS NOT NULL BEGIN
    UPDATE category_counts SET n = n - 1, in_stock = in_stock - OLD.in_stock WHERE category = OLD.category;
    DELETE FROM category_counts WHERE category = OLD.category AND n = 0;
END;
CREATE TRIGGER products_category_update AFTER UPDATE OF category, category_key, in_stock ON products
    WHEN OLD.category IS NOT NEW.category OR (OLD.category_key IS NULL) <> (NEW.category_key IS NULL)
        OR (OLD.in_stock <> NEW.in_stock AND NEW.category_key IS NOT NULL) BEGIN
    INSERT INTO category_counts (category, n, in_stock, category_key)
        SELECT NEW.category, 1, NEW.in_stock, CASE WHEN OLD.category_key IS NULL THEN NEW.category_key END
        WHERE NEW.category_key IS NOT NULL
        ON CONFLICT (category) DO UPDATE SET n = n + 1, in_stock = in_stock + NEW.in_stock;
    UPDATE category_counts SET n = n - 1, in_stock = in_stock - OLD.in_stock
        WHERE category = OLD.category AND OLD.category_key IS NOT NULL;
    DELETE FROM category_counts WHERE category = OLD.category AND n = 0;
END;

-- A category that goes while it still seems to have products in stock had some that were not counted yet: they are to be counted anew.
CREATE TRIGGER category_counts_delete AFTER DELETE ON category_counts WHEN OLD.n = 0 AND OLD.in_stock <> 0 BEGIN
    UPDATE product_counts SET in_stock = in_stock - 1 WHERE level = 4;
END;
