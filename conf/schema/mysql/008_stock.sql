-- How many products are in stock, and the list of categories in its order.
-- As in step 004, MariaDB adds a column only where it is missing, and MySQL is asked first.

-- in_stock: of a category, how many of its indexed products are in stock; at level 3 of product_counts, how many of all products; but
-- for what product_deltas tells of. Writers tell of each write from now on; what was there before, src/catalogue/stock.c adds. Level 4
-- says whether it has: in_stock is n then. A version that does not count products in stock changes n alone when it changes the parts.
SET @step = /*M! 'ALTER TABLE product_counts ADD COLUMN IF NOT EXISTS in_stock BIGINT NOT NULL DEFAULT 0' */
    /*!50700 (SELECT CASE WHEN COUNT(*) > 0 THEN 'DO 0' ELSE 'ALTER TABLE product_counts ADD COLUMN in_stock BIGINT NOT NULL DEFAULT 0'
    END FROM information_schema.columns
    WHERE table_schema = DATABASE() AND table_name = 'product_counts' AND column_name = 'in_stock') */;
PREPARE step FROM @step;
EXECUTE step;

-- category_key: the folded name, in whose order categories are listed. NULL: the maintenance has to fill it in.
SET @step = /*M! 'ALTER TABLE category_counts ADD COLUMN IF NOT EXISTS in_stock BIGINT NOT NULL DEFAULT 0, ADD COLUMN IF NOT EXISTS category_key VARBINARY(800), ADD INDEX IF NOT EXISTS categories_by_key (category_key, category)' */
    /*!50700 (SELECT CASE WHEN COUNT(*) > 0 THEN 'DO 0' ELSE
    'ALTER TABLE category_counts ADD COLUMN in_stock BIGINT NOT NULL DEFAULT 0, ADD COLUMN category_key VARBINARY(800), ADD INDEX categories_by_key (category_key, category)'
    END FROM information_schema.columns
    WHERE table_schema = DATABASE() AND table_name = 'category_counts' AND column_name = 'category_key') */;
PREPARE step FROM @step;
EXECUTE step;

-- Of all products, and of the category if there is one. NULL: written by a version that does not count products in stock.
SET @step = /*M! 'ALTER TABLE product_deltas ADD COLUMN IF NOT EXISTS in_stock INTEGER' */
    /*!50700 (SELECT CASE WHEN COUNT(*) > 0 THEN 'DO 0' ELSE 'ALTER TABLE product_deltas ADD COLUMN in_stock INTEGER'
    END FROM information_schema.columns
    WHERE table_schema = DATABASE() AND table_name = 'product_deltas' AND column_name = 'in_stock') */;
PREPARE step FROM @step;
EXECUTE step;
DEALLOCATE PREPARE step;

UPDATE product_counts SET in_stock = CASE WHEN EXISTS (SELECT 1 FROM products) THEN -1 ELSE n END WHERE level = 4;
