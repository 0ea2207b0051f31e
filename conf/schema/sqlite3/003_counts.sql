-- How many products there are, and where in the list a page begins, without walking there.

-- Level 0: the list is cut into blocks of about 10,000 products, each from its first key, the lowest of it, to the next block's. n is how
-- many products lie in it. The first block begins below all products. Level 1: one row that counts all products, and those in stock.
-- Level 2: one row that whoever changes the blocks updates first; n is how often.
CREATE TABLE product_counts (
    level      INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    id         TEXT NOT NULL,
    n          INTEGER NOT NULL,
    in_stock   INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (level, created_at, id)
) WITHOUT ROWID;
INSERT INTO product_counts (level, created_at, id, n)
    VALUES (0, -1000000000000000000, '', 0), (1, -1000000000000000000, '', 0), (2, -1000000000000000000, '', 0);

-- What is inserted here is counted at once, as there is one writer at a time. By a part of the primary key SQLite would sort the blocks;
-- as the first block begins before all products, a row of another level is never found.
CREATE VIEW product_deltas AS
    SELECT 0 AS seq, 0 AS created_at, '' AS id, 0 AS delta, '' AS category, 0 AS category_delta, 0 AS in_stock WHERE 0;
CREATE TRIGGER product_deltas_insert INSTEAD OF INSERT ON product_deltas BEGIN
    UPDATE product_counts SET n = n + NEW.delta WHERE (level, created_at, id) =
        (SELECT b.level, b.created_at, b.id FROM product_counts b WHERE (b.level, b.created_at, b.id) <= (0, NEW.created_at, NEW.id)
         ORDER BY b.level DESC, b.created_at DESC, b.id DESC LIMIT 1);
    UPDATE product_counts SET n = n + NEW.delta, in_stock = in_stock + NEW.in_stock WHERE level = 1;
END;

-- Whoever writes. SQLite keeps the former content of each page that a statement changes in a temporary file, if the statement changes
-- several rows and could be undone alone. One that says OR FAIL cannot, and its triggers inherit that, but not what a DELETE fires.
-- Nothing here violates a constraint. See docs/decisions/0061-sqlite-copies-fewer-pages.md.
CREATE TRIGGER products_insert AFTER INSERT ON products BEGIN
    INSERT INTO product_deltas (created_at, id, delta, in_stock) VALUES (NEW.created_at, NEW.id, 1, NEW.in_stock);
END;
CREATE TRIGGER products_delete AFTER DELETE ON products BEGIN
    INSERT OR FAIL INTO product_deltas (created_at, id, delta, in_stock) VALUES (OLD.created_at, OLD.id, -1, -OLD.in_stock);
END;
CREATE TRIGGER products_move AFTER UPDATE OF created_at, id ON products BEGIN
    INSERT INTO product_deltas (created_at, id, delta, in_stock) VALUES (OLD.created_at, OLD.id, -1, 0);
    INSERT INTO product_deltas (created_at, id, delta, in_stock) VALUES (NEW.created_at, NEW.id, 1, 0);
END;
CREATE TRIGGER products_stock AFTER UPDATE OF in_stock ON products WHEN OLD.in_stock <> NEW.in_stock BEGIN
    UPDATE product_counts SET in_stock = in_stock + NEW.in_stock - OLD.in_stock WHERE level = 1;
END;
