-- How many indexed products each category has, and how many of them are in stock, but for those that product_deltas tells of.

-- category_key: the folded name, in whose order categories are listed. NULL: the maintenance has to fill it in.
CREATE TABLE category_counts (
    category     TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    n            BIGINT NOT NULL,
    in_stock     BIGINT NOT NULL DEFAULT 0,
    category_key TEXT COLLATE "C"
) WITH (fillfactor = 50);
CREATE INDEX categories_by_key ON category_counts (category_key, category);

-- Whoever writes.
CREATE FUNCTION products_count() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE moved INTEGER := 1; BEGIN
    IF TG_OP = 'UPDATE' AND OLD.created_at = NEW.created_at AND OLD.id = NEW.id THEN
        IF OLD.category = NEW.category AND (OLD.category_key IS NULL) = (NEW.category_key IS NULL) THEN
            IF OLD.in_stock <> NEW.in_stock THEN
                INSERT INTO product_deltas (created_at, id, delta, category, category_delta, in_stock)
                    VALUES (NEW.created_at, NEW.id, 0, CASE WHEN NEW.category_key IS NOT NULL THEN NEW.category END, 0,
                        NEW.in_stock - OLD.in_stock);
            END IF;
            RETURN NULL;
        END IF;
        moved := 0;
    END IF;
    IF TG_OP <> 'INSERT' THEN
        INSERT INTO product_deltas (created_at, id, delta, category, category_delta, in_stock)
            VALUES (OLD.created_at, OLD.id, -moved, CASE WHEN OLD.category_key IS NOT NULL THEN OLD.category END, -1, -OLD.in_stock);
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO product_deltas (created_at, id, delta, category, category_delta, in_stock)
            VALUES (NEW.created_at, NEW.id, moved, CASE WHEN NEW.category_key IS NOT NULL THEN NEW.category END, 1, NEW.in_stock);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER products_change AFTER INSERT OR DELETE OR UPDATE OF created_at, id, category, category_key, in_stock ON products
    FOR EACH ROW EXECUTE FUNCTION products_count();

CREATE FUNCTION products_count_none() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    DELETE FROM product_deltas;
    UPDATE product_counts SET n = 0, in_stock = 0 WHERE level < 2;
    DELETE FROM category_counts;
    DELETE FROM product_words;
    RETURN NULL;
END $$;
CREATE TRIGGER products_truncate AFTER TRUNCATE ON products FOR EACH STATEMENT EXECUTE FUNCTION products_count_none();
