-- The order of the list, with what conditions on numbers, inStock and category ask: a range of prices, newest first, passes many products
-- for each that it shows, and reads this index alone.
SET @step = (SELECT CASE WHEN COUNT(*) = 2 THEN
    'ALTER TABLE products DROP INDEX products_by_time, ADD INDEX products_by_time (created_at, id, price_key, rating_key, in_stock, category), ALGORITHM = INPLACE, LOCK = NONE'
    ELSE 'DO 0' END FROM information_schema.statistics
    WHERE table_schema = DATABASE() AND table_name = 'products' AND index_name = 'products_by_time');
PREPARE step FROM @step;
EXECUTE step;
DEALLOCATE PREPARE step;
