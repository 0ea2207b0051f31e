-- How many products there are, and where in the list a page begins, without walking there.

-- The list is cut into parts, each from its first key, the lowest of it, to the next part's: blocks of about 500 products at level 0,
-- at level 1 groups of about 25 blocks, at level 2 regions of about 25 groups, and at level 3 one part of all. n is how many
-- products lie in a part. The first part of a level begins below all products; that of level 4 counts who changed the parts.
CREATE TABLE product_counts (
    level      INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    id         TEXT NOT NULL,
    n          INTEGER NOT NULL,
    PRIMARY KEY (level, created_at, id)
) WITHOUT ROWID;

-- What is inserted here is counted at once, as there is one writer at a time.
CREATE VIEW product_deltas AS SELECT 0 AS seq, 0 AS created_at, '' AS id, 0 AS delta WHERE 0;
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

-- Whoever writes.
CREATE TRIGGER products_insert AFTER INSERT ON products BEGIN
    INSERT INTO product_deltas (created_at, id, delta) VALUES (NEW.created_at, NEW.id, 1);
END;
CREATE TRIGGER products_delete AFTER DELETE ON products BEGIN
    INSERT INTO product_deltas (created_at, id, delta) VALUES (OLD.created_at, OLD.id, -1);
END;
CREATE TRIGGER products_move AFTER UPDATE OF created_at, id ON products BEGIN
    INSERT INTO product_deltas (created_at, id, delta) VALUES (OLD.created_at, OLD.id, -1);
    INSERT INTO product_deltas (created_at, id, delta) VALUES (NEW.created_at, NEW.id, 1);
END;

-- One part has all products; it is cut up while the server runs.
INSERT INTO product_counts (level, created_at, id, n)
    SELECT l.level, -1000000000000000000, '', p.n
    FROM (SELECT 0 AS level UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4) l, (SELECT COUNT(*) AS n FROM products) p;
