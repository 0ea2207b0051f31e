-- How many indexed products each category has, and how many of them are in stock, exactly.

-- category_key: the folded name, in whose order categories are listed. NULL: the maintenance has to fill it in. n is never above
-- ceiling, which seldom changes, so that the largest categories are found by an index that costs writers little.
CREATE TABLE category_counts (
    category     TEXT NOT NULL PRIMARY KEY,
    n            INTEGER NOT NULL,
    in_stock     INTEGER NOT NULL DEFAULT 0,
    category_key TEXT,
    ceiling      INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX categories_by_key ON category_counts (category_key, category);
CREATE INDEX categories_by_ceiling ON category_counts (ceiling);
CREATE TRIGGER category_counts_insert AFTER INSERT ON category_counts WHEN NEW.n > NEW.ceiling BEGIN
    UPDATE category_counts SET ceiling = n + n / 4 + 16 WHERE category = NEW.category;
END;
CREATE TRIGGER category_counts_update AFTER UPDATE OF n ON category_counts
    WHEN NEW.n > NEW.ceiling OR NEW.n + NEW.n + 64 < NEW.ceiling BEGIN
    UPDATE category_counts SET ceiling = n + n / 4 + 16 WHERE category = NEW.category;
END;

-- Whoever writes. Without an upsert, whose UPDATE does not inherit OR FAIL, see step 003. An update sets a category before its
-- category_key, so that is not the category's yet.
CREATE TRIGGER products_category_insert AFTER INSERT ON products WHEN NEW.category_key IS NOT NULL BEGIN
    INSERT INTO category_counts (category, n, in_stock, category_key) SELECT NEW.category, 0, 0, NEW.category_key
        WHERE NOT EXISTS (SELECT 1 FROM category_counts WHERE category = NEW.category);
    UPDATE category_counts SET n = n + 1, in_stock = in_stock + NEW.in_stock WHERE category = NEW.category;
END;
CREATE TRIGGER products_category_delete AFTER DELETE ON products WHEN OLD.category_key IS NOT NULL BEGIN
    UPDATE OR FAIL category_counts SET n = n - 1, in_stock = in_stock - OLD.in_stock WHERE category = OLD.category;
    DELETE FROM category_counts WHERE category = OLD.category AND n = 0;
END;
CREATE TRIGGER products_category_update AFTER UPDATE OF category, category_key, in_stock ON products
    WHEN OLD.category IS NOT NEW.category OR (OLD.category_key IS NULL) <> (NEW.category_key IS NULL)
        OR (OLD.in_stock <> NEW.in_stock AND NEW.category_key IS NOT NULL) BEGIN
    INSERT INTO category_counts (category, n, in_stock, category_key)
        SELECT NEW.category, 0, 0, CASE WHEN OLD.category_key IS NULL THEN NEW.category_key END
        WHERE NEW.category_key IS NOT NULL AND NOT EXISTS (SELECT 1 FROM category_counts WHERE category = NEW.category);
    UPDATE category_counts SET n = n + 1, in_stock = in_stock + NEW.in_stock
        WHERE category = NEW.category AND NEW.category_key IS NOT NULL;
    UPDATE category_counts SET n = n - 1, in_stock = in_stock - OLD.in_stock
        WHERE category = OLD.category AND OLD.category_key IS NOT NULL;
    DELETE FROM category_counts WHERE category = OLD.category AND n = 0;
END;
