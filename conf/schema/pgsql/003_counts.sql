-- How many products there are, and where in the list a page begins, without walking there.
-- Writers of products wait while this step counts them.

-- The list is cut into parts, each from its first key, the lowest of it, to the next part's: blocks of about 500 products at level 0,
-- at level 1 groups of about 25 blocks, at level 2 regions of about 25 groups, and at level 3 one part of all. n is how many
-- products lie in a part, but for those that product_deltas tells of. The first part of a level begins below all products; that of
-- level 4 is what whoever changes the parts locks.
CREATE TABLE product_counts (
    level      INTEGER NOT NULL,
    created_at BIGINT NOT NULL,
    id         TEXT COLLATE "C" NOT NULL,
    n          BIGINT NOT NULL,
    PRIMARY KEY (level, created_at, id)
) WITH (fillfactor = 50);

-- What came and went and is not counted in product_counts yet: writers only add here, so none waits for another. It is short, and
-- all of it is read for each list: rows that are dead are taken away soon.
CREATE TABLE product_deltas (
    seq        BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    created_at BIGINT NOT NULL,
    id         TEXT COLLATE "C" NOT NULL,
    delta      INTEGER NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Whoever writes.
CREATE FUNCTION products_count() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        INSERT INTO product_deltas (created_at, id, delta) VALUES (OLD.created_at, OLD.id, -1);
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO product_deltas (created_at, id, delta) VALUES (NEW.created_at, NEW.id, 1);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER products_change AFTER INSERT OR DELETE OR UPDATE OF created_at, id ON products
    FOR EACH ROW EXECUTE FUNCTION products_count();

CREATE FUNCTION products_count_none() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    DELETE FROM product_deltas;
    UPDATE product_counts SET n = 0 WHERE level < 4;
    RETURN NULL;
END $$;
CREATE TRIGGER products_truncate AFTER TRUNCATE ON products FOR EACH STATEMENT EXECUTE FUNCTION products_count_none();

-- One part has all products; it is cut up while the server runs.
INSERT INTO product_counts (level, created_at, id, n)
    SELECT l.level, -1000000000000000000, '', p.n
    FROM (VALUES (0), (1), (2), (3), (4)) l (level), (SELECT COUNT(*) AS n FROM products) p;
