-- SQLite keeps the former content of each page that a statement changes in a temporary file, if the statement changes several rows and
-- could be undone alone: with all indexes, fourteen pages for a new product. A statement that says OR FAIL cannot, and its triggers
-- inherit that; but the UPDATE of an upsert does not, nor does what a DELETE fires. Nothing here violates a constraint, so
-- nothing is undone. The counts are those of step 008. See docs/decisions/0062-product-writes-without-a-statement-journal.md.

DROP TRIGGER products_category_insert;
CREATE TRIGGER products_category_insert AFTER INSERT ON products WHEN NEW.category_key IS NOT NULL BEGIN
    INSERT INTO category_counts (category, n, in_stock, category_key) SELECT NEW.category, 0, 0, NEW.category_key
        WHERE NOT EXISTS (SELECT 1 FROM category_counts WHERE category = NEW.category);
    UPDATE category_counts SET n = n + 1, in_stock = in_stock + NEW.in_stock WHERE category = NEW.category;
END;

DROP TRIGGER products_category_update;
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

DROP TRIGGER products_category_delete;
CREATE TRIGGER products_category_delete AFTER DELETE ON products WHEN OLD.category_key IS NOT NULL BEGIN
    UPDATE OR FAIL category_counts SET n = n - 1, in_stock = in_stock - OLD.in_stock WHERE category = OLD.category;
    DELETE FROM category_counts WHERE category = OLD.category AND n = 0;
END;

DROP TRIGGER category_counts_delete;
CREATE TRIGGER category_counts_delete AFTER DELETE ON category_counts WHEN OLD.n = 0 AND OLD.in_stock <> 0 BEGIN
    UPDATE OR FAIL product_counts SET in_stock = in_stock - 1 WHERE level = 4;
END;

DROP TRIGGER products_delete;
CREATE TRIGGER products_delete AFTER DELETE ON products BEGIN
    INSERT OR FAIL INTO product_deltas (created_at, id, delta, in_stock) VALUES (OLD.created_at, OLD.id, -1, -OLD.in_stock);
END;
