-- How many products are in stock, and the list of categories in its order.

-- in_stock: of a category, how many of its indexed products are in stock; at level 3 of product_counts, how many of all products; but
-- for what product_deltas tells of. A trigger tells of each write from now on; what was there before, src/catalogue/stock.c adds.
-- Level 4 says whether it has: in_stock is n then. A version that does not count products in stock changes n alone when it changes the
-- parts.
ALTER TABLE product_counts ADD COLUMN in_stock BIGINT NOT NULL DEFAULT 0;
ALTER TABLE category_counts ADD COLUMN in_stock BIGINT NOT NULL DEFAULT 0;
UPDATE product_counts SET in_stock = CASE WHEN EXISTS (SELECT 1 FROM products) THEN -1 ELSE n END WHERE level = 4;

-- The folded name, in whose order categories are listed. NULL: the maintenance has to fill it in.
ALTER TABLE category_counts ADD COLUMN category_key TEXT COLLATE "C";
CREATE INDEX categories_by_key ON category_counts (category_key, category);

-- Of all products, and of the category if there is one. NULL: written before this step.
ALTER TABLE product_deltas ADD COLUMN in_stock INTEGER;

CREATE OR REPLACE FUNCTION products_count() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
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
DROP TRIGGER products_change ON products;
CREATE TRIGGER products_change AFTER INSERT OR DELETE OR UPDATE OF created_at, id, category, category_key, in_stock ON products
    FOR EACH ROW EXECUTE FUNCTION products_count();

CREATE OR REPLACE FUNCTION products_count_none() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    DELETE FROM product_deltas;
    UPDATE product_counts SET n = 0, in_stock = 0 WHERE level < 4;
    UPDATE product_counts SET in_stock = n WHERE level = 4;
    DELETE FROM category_counts;
    DELETE FROM product_words;
    RETURN NULL;
END $$;
